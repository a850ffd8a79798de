//! Files of the operating system and of servers, which no parameter has a reason to name.

use super::places::{PATH, VALUES};
use crate::rule::{Rule, RuleMatcher, STRONG};
use waf_shared::catalog::Leaf;

pub(super) static SYSTEM_FILE: Rule = Rule {
    id: "local-file-access-os-files/system-file",
    leaf: Leaf::LocalFileAccessOsFiles,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A value names a file of the operating system or of a server.",
    attacks: &[
        "/etc/passwd",
        "file:///etc/./passwd",
        "cat /etc/subuid",
        "/proc/self/environ",
        "/sys/class",
        r"C:\WINDOWS\system32\config\SAM",
        "C:/windows/panther/sysprep.inf",
        r"c:\apache\logs\error.log",
        "/etc/apache2/access.log\0",
        r"\\::1\c$\users\default\ntuser.dat",
        "../apache/logs/access.log",
        "php://filter/convert.base64-encode/resource=/etc/hosts",
        "/./././etc/shadow",
        "file:///c:/",
        r"file:\\\D:\",
        "jar:file:///c://windows/win.ini",
        "L3N0YXRpYy9pbWcvLi4vLi4vZXRjL3Bhc3N3ZA",
    ],
    benign: &[
        "/usr/bin/terraform",
        "/var/lib/milvus/etcd",
        "/home/user/documents",
        r"C:\Users\Public\report.docx",
        "file:///C:/Users/ana/page.html",
        r"C:\Program Files\Vendor\app.exe",
        "https://example.org/etc/designs/site.css",
        "/products/etc",
        "logs/today/access.log",
        "/tmp/helm",
        "I edited /etc/nginx/nginx.conf and /etc/hosts, now systemctl restart fails",
    ],
};

pub(super) static SYSTEM_FILE_IN_TEXT: Rule = Rule {
    id: "local-file-access-os-files/system-file-in-text",
    leaf: Leaf::LocalFileAccessOsFiles,
    weight: 3,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A text mentions a file of the operating system or of a server.",
    attacks: &[
        "please have a look at /etc/passwd for me",
        "I edited /etc/nginx/nginx.conf and /etc/hosts, now systemctl restart fails",
        "the log is in /var/log/nginx/error.log as it always was",
    ],
    benign: &[
        "the path /usr/bin/env is in the first line of it",
        "see https://example.org/etc/passwords for the rules of the house",
        "either/or is not a path, and neither is and/or",
    ],
};

pub(super) static SYSTEM_FILE_REQUESTED: Rule = Rule {
    id: "local-file-access-os-files/requested",
    leaf: Leaf::LocalFileAccessOsFiles,
    weight: STRONG,
    places: PATH,
    matcher: RuleMatcher::Detected,
    summary: "The request path ends in a file that is read to prove a hole.",
    attacks: &[
        "/@fs/etc/passwd",
        "/static//etc/shadow",
        "/boot.ini",
        "/WINDOWS/win.ini",
        "/a/proc/self/environ",
    ],
    benign: &["/etc/designs/site.css", "/docs/etc/passwd.html", "/self/profile", "/system/status"],
};

pub(super) static WRITES_TO_TEMPORARY: Rule = Rule {
    id: "local-file-access-os-files/writes-to-temporary",
    leaf: Leaf::LocalFileAccessOsFiles,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "Output is sent into a file of a directory that everybody may write to.",
    attacks: &[">/tmp/curl", "id >/dev/shm/x", "wget -O ->/var/tmp/a"],
    benign: &[">/tmp", "/tmp/yap-build", "files go to /tmp/work", "a > b/tmp/c"],
};
