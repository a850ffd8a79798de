//! Rules of this bucket and the judge that reports them: what values and request paths would mean to a file system.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::lang::path::{self, Origin, Resolved, Target, Telling, Token};
use crate::rule::{Judge, Rule, STRONG, Test};
use crate::rules::php_injection::names_a_file;
use crate::view::View;

/// Everything but request paths, whose dots mean something else, and names of uploads.
const VALUES: Places = Places::of(&[
    Place::QueryName,
    Place::Query,
    Place::FormName,
    Place::Form,
    Place::JsonKey,
    Place::Json,
    Place::Header,
    Place::CookieName,
    Place::Cookie,
    Place::Xml,
    Place::PartHeader,
    Place::Body,
    Place::PathSegment,
]);
const PATH: Places = Places::of(&[Place::Path]);

/// The rules.
pub static RULES: &[&Rule] = &[
    &CLIMBS_OUT,
    &STEP_UP,
    &DISGUISED,
    &IN_REQUEST_PATH,
    &IN_FILE_NAME,
    &SYSTEM_FILE,
    &SYSTEM_FILE_IN_TEXT,
    &SYSTEM_FILE_REQUESTED,
    &WRITES_TO_TEMPORARY,
    &DOTFILE,
    &DOTFILE_REQUESTED,
    &DOTFILE_UPLOADED,
    &PROJECT_FILE_REQUESTED,
    &ASSISTANT_FILE,
    &ASSISTANT_FILE_REQUESTED,
];

static CLIMBS_OUT: Rule = Rule {
    id: "local-file-access-dot-dot-paths/climbs-out",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: STRONG,
    places: VALUES,
    test: Test::Judged,
    summary: "A path leads out of the directory that it starts in.",
    attacks: &[
        "../../../../etc/passwd",
        r"..\..\..\boot.ini",
        "/../../../../././..\\ ../../etc/master.passwd",
        "..//..//..//..//etc/shadow",
        r"/..\/..\/..\windows/win.ini",
        "../../../../secret.txt",
        "%2e%2e%2f%2e%2e%2f%2e%2e%2fconfig",
        "..%c0%af..%c0%af..%c0%afetc/hosts",
        "0x2e0x2e0x2f0x2e0x2e0x2f0x2e0x2e0x2fetc/group",
        "../../../../../index.php%00.jpg",
        "/images/../../../../app.rb",
        "/a/../b/../c/../d",
    ],
    everyday: &[
        "docs/../images/logo.png",
        "../images/logo.png",
        "wait... what?",
        "1..2",
        "https://example.org/a/b/c",
        "from 10..20 or so ../ maybe",
        "See {{#include ../listings/ch03/output.txt}} and the file beside it for more.",
        "../../tsconfig.base.json",
    ],
};

static STEP_UP: Rule = Rule {
    id: "local-file-access-dot-dot-paths/step-up",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: 2,
    places: VALUES,
    test: Test::Judged,
    summary: "A value is a path that leads one or two directories up.",
    attacks: &["../config.php", r"..\data", "../../tsconfig.base.json", "..%2fadmin"],
    everyday: &["docs/../images/logo.png", "a..b", "etc.", "https://example.org/a/../b"],
};

static DISGUISED: Rule = Rule {
    id: "local-file-access-dot-dot-paths/disguised",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: STRONG,
    places: Places::REQUEST,
    test: Test::Judged,
    summary: "Parent steps are spelt so that a filter misses them or makes them.",
    attacks: &[
        "....//....//....//file",
        r"....\....\....\file",
        ".../.../WINDOWS/win.ini",
        "..;/..;/manager/html",
        r"/%\..%\..%\..%\..%\boot",
        r"..;.\.;\.",
        "..0x5c..0x5cfile",
        "/.../etc/passwd",
    ],
    everyday: &[
        "go test ./...",
        "Loading ... / please wait ...",
        "C:\\...\\bin",
        "and so on...",
        "0x2e",
        "yes..;no",
    ],
};

static IN_REQUEST_PATH: Rule = Rule {
    id: "local-file-access-dot-dot-paths/in-request-path",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: STRONG,
    places: PATH,
    test: Test::Judged,
    summary: "The request path holds a parent step, which clients resolve before they send it.",
    attacks: &[
        "/static/../../etc/passwd",
        "/cgi-bin/.%2e/%2e%2e/bin/sh",
        "/a/..%5c..%5cb",
        "/%c0%ae%c0%ae/x",
        "/x/%uff0e%uff0e%u2216y",
        "/..%252f..%252fz",
    ],
    everyday: &["/get/foo../1234", "/get/foo.../1234", "/compare/v1.0..v1.1", "/a/...", "/wiki/..."],
};

static IN_FILE_NAME: Rule = Rule {
    id: "local-file-access-dot-dot-paths/in-file-name",
    leaf: Leaf::LocalFileAccessDotDotPaths,
    weight: STRONG,
    places: Places::of(&[Place::FileName]),
    test: Test::Judged,
    summary: "The name of an uploaded file leads to another directory.",
    attacks: &["..\\1.7z", "../../var/www/shell.php", "a/../../b.jpg", "..%2f..%2fx.jsp"],
    everyday: &["photo.jpg", "report..final.pdf", "C:\\fakepath\\photo.jpg", "notes...txt"],
};

static SYSTEM_FILE: Rule = Rule {
    id: "local-file-access-os-files/system-file",
    leaf: Leaf::LocalFileAccessOsFiles,
    weight: STRONG,
    places: VALUES,
    test: Test::Judged,
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
        "/var/log/apache2/access.log\0",
        r"\\::1\c$\users\default\ntuser.dat",
        "../apache/logs/access.log",
        "php://filter/convert.base64-encode/resource=/etc/hosts",
        "/./././etc/shadow",
        "L3N0YXRpYy9pbWcvLi4vLi4vZXRjL3Bhc3N3ZA",
    ],
    everyday: &[
        "/usr/bin/terraform",
        "/var/lib/milvus/etcd",
        "/home/user/documents",
        r"C:\Users\Public\report.docx",
        "https://example.org/etc/designs/site.css",
        "/products/etc",
        "logs/today/access.log",
        "/tmp/helm",
        "I edited /etc/nginx/nginx.conf and /etc/hosts, now systemctl restart fails",
    ],
};

static SYSTEM_FILE_IN_TEXT: Rule = Rule {
    id: "local-file-access-os-files/system-file-in-text",
    leaf: Leaf::LocalFileAccessOsFiles,
    weight: 3,
    places: VALUES,
    test: Test::Judged,
    summary: "A text mentions a file of the operating system or of a server.",
    attacks: &[
        "please have a look at /etc/passwd for me",
        "I edited /etc/nginx/nginx.conf and /etc/hosts, now systemctl restart fails",
        "the log is in /var/log/nginx/error.log as it always was",
    ],
    everyday: &[
        "the path /usr/bin/env is in the first line of it",
        "see https://example.org/etc/passwords for the rules of the house",
        "either/or is not a path, and neither is and/or",
    ],
};

static SYSTEM_FILE_REQUESTED: Rule = Rule {
    id: "local-file-access-os-files/requested",
    leaf: Leaf::LocalFileAccessOsFiles,
    weight: STRONG,
    places: PATH,
    test: Test::Judged,
    summary: "The request path ends in a file that is read to prove a hole.",
    attacks: &[
        "/@fs/etc/passwd",
        "/static//etc/shadow",
        "/boot.ini",
        "/WINDOWS/win.ini",
        "/a/proc/self/environ",
    ],
    everyday: &["/etc/designs/site.css", "/docs/etc/passwd.html", "/self/profile", "/system/status"],
};

static WRITES_TO_TEMPORARY: Rule = Rule {
    id: "local-file-access-os-files/writes-to-temporary",
    leaf: Leaf::LocalFileAccessOsFiles,
    weight: STRONG,
    places: VALUES,
    test: Test::Judged,
    summary: "Output is sent into a file of a directory that everybody may write to.",
    attacks: &[">/tmp/curl", "id >/dev/shm/x", "wget -O ->/var/tmp/a"],
    everyday: &[">/tmp", "/tmp/yap-build", "files go to /tmp/work", "a > b/tmp/c"],
};

static DOTFILE: Rule = Rule {
    id: "local-file-access-dotfiles/in-value",
    leaf: Leaf::LocalFileAccessDotfiles,
    weight: STRONG,
    places: VALUES,
    test: Test::Judged,
    summary: "A value names a hidden file that holds secrets.",
    attacks: &[
        "/home/u/.docker/secrets",
        "cat /root/.ssh/id_rsa",
        "/root/.aws/credentials",
        "members/.htpasswd",
        "../.env",
        "app/.git/config",
        "/home/deploy/.bash_history",
    ],
    everyday: &[
        "/test.environment",
        ".github/workflows/test.yml",
        "./.app.json",
        "https://github.com/octo-org/octo-repo.git",
        "Put the token into ~/.cargo/credentials.toml or your .env file and restart.",
        "/home/user/.config/yap/keys/deb.gpg",
        "price: .50",
    ],
};

static DOTFILE_REQUESTED: Rule = Rule {
    id: "local-file-access-dotfiles/requested",
    leaf: Leaf::LocalFileAccessDotfiles,
    weight: STRONG,
    places: PATH,
    test: Test::Judged,
    summary: "The request path leads to a hidden file that should not be published.",
    attacks: &[
        "/.env",
        "/.git/config",
        "/app/.svn/entries",
        "/@fs/.env",
        "/.htpasswd",
        "/.env.production",
        "/%2egit/HEAD",
    ],
    everyday: &[
        "/.well-known/openid-configuration",
        "/a/.hidden-feature",
        "/environment",
        "/x.env.js",
        "/.env.example",
    ],
};

static DOTFILE_UPLOADED: Rule = Rule {
    id: "local-file-access-dotfiles/uploaded",
    leaf: Leaf::LocalFileAccessDotfiles,
    weight: STRONG,
    places: Places::of(&[Place::FileName, Place::Header]),
    test: Test::Judged,
    summary: "An upload has the name of a hidden file, or of a file of the project, that programs read settings or keys from.",
    attacks: &[".boto", "a/.ssh/authorized_keys", ".bashrc", "wp-config.php.bak", "web.config"],
    everyday: &["photo.jpg", ".hidden-feature.png", "config.yml", "notes.env.txt", "wp-content.zip"],
};

static PROJECT_FILE_REQUESTED: Rule = Rule {
    id: "local-file-access-dotfiles/project-file-requested",
    leaf: Leaf::LocalFileAccessDotfiles,
    weight: STRONG,
    places: PATH,
    test: Test::Judged,
    summary: "The request path leads to a file of the project, a log or a dump that should not be published.",
    attacks: &[
        "/wp-config.php",
        "/backup.sql.zip",
        "/wp-content/error.log",
        "/dump.sql",
        "/config/master.key",
    ],
    everyday: &["/wp-login.php", "/blog/sql-basics", "/error", "/docs/dockerfile-reference", "/login"],
};

static ASSISTANT_FILE: Rule = Rule {
    id: "local-file-access-ai-tool-files/in-value",
    leaf: Leaf::LocalFileAccessAiToolFiles,
    weight: STRONG,
    places: VALUES,
    test: Test::Judged,
    summary: "A value is an absolute or climbing path to the settings of a coding assistant.",
    attacks: &[
        "/home/dev/.claude/settings.json",
        "../.cursor/mcp.json",
        "file:///root/.codex/auth.json",
        "/srv/app/.mcp.json",
    ],
    everyday: &[
        "./.mcp.json",
        ".cursorrules",
        "continue",
        "The .claude directory is described in our handbook.",
    ],
};

static ASSISTANT_FILE_REQUESTED: Rule = Rule {
    id: "local-file-access-ai-tool-files/requested",
    leaf: Leaf::LocalFileAccessAiToolFiles,
    weight: STRONG,
    places: PATH,
    test: Test::Judged,
    summary: "The request path leads to the settings of a coding assistant.",
    attacks: &[
        "/.claude/settings.json",
        "/.cursor/mcp.json",
        "/app/.windsurf/rules/global.md",
        "/.n8n/config",
        "/.cursorignore",
    ],
    everyday: &[
        "/api/continue/session",
        "/blog/cursor-and-zed",
        "/claude/settings.json",
        "/.well-known/security.txt",
    ],
};

/// Runs the path tokenizer.
pub static JUDGE: Judge = Judge { name: "path", triggers: TRIGGERS, places: Places::REQUEST, run: judge };

const TRIGGERS: &[&str] = &[
    "..",
    "0x2e",
    "0x2f",
    "0x5c",
    "/.",
    "\\.",
    "=.",
    "/etc",
    "\\etc",
    "proc/",
    "proc\\",
    "/var/",
    "\\var\\",
    "/sys/",
    "/dev/",
    "/boot/",
    "/tmp/",
    "/run/secrets",
    "/usr/",
    "/private/",
    "/opt/",
    "library/webserver",
    "windows/",
    "windows\\",
    "winnt",
    "inetpub",
    "xampp",
    "wamp",
    "appserv",
    "pagefile.sys",
    "hiberfil.sys",
    "autoexec.bat",
    "system volume",
    "boot.ini",
    "win.ini",
    "system.ini",
    "passwd",
    "shadow",
    "httpd.conf",
    "httpd2.conf",
    "apache.conf",
    "apache2.conf",
    "nginx.conf",
    "lighttpd.conf",
    "php.ini",
    "php-fpm.conf",
    "my.cnf",
    "my.ini",
    "mysql.err",
    "access.log",
    "access_log",
    "error.log",
    "error_log",
    "web.config",
    "machine.config",
    "sysprep",
    "unattend",
    "ntuser.",
    "tomcat-users",
    "web.xml",
    "ftpd.conf",
    "sshd_config",
    "pg_hba",
    "postgresql.conf",
    "redis.conf",
    "squid.conf",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "authorized_keys",
    "known_hosts",
    "wp-config",
    "configuration.php",
    "config.inc.php",
    "localsettings.php",
    "applicationhost",
    "$\\",
    "self/",
    "sam",
    ".boto",
    ".s3cfg",
    ".npmrc",
    ".pypirc",
    ".bash",
    ".profile",
    ".zshrc",
    ".my.cnf",
    ".wgetrc",
    ".config",
    ".env",
    ".git",
    ".ssh",
    ".ht",
    ".aws",
    ".svn",
    ".kube",
    ".netrc",
    ".pgpass",
    ".rhosts",
    "_history",
    "composer.lock",
    "auth.json",
    "docker",
    "appsettings.json",
    "database.yml",
    "secrets.y",
    "credentials.yml",
    "master.key",
    "terraform.tf",
    "sftp-config",
    "local_settings.py",
    "debug.log",
    "thumbs.db",
    ".sql",
    "phpinfo.php.bak",
    "web-inf",
    "meta-inf",
];

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    match subject.place {
        Place::Path => request_path(subject.bytes, evidence),
        Place::FileName => file_name(subject.bytes, evidence),
        Place::Header if names_a_file(subject.name) => {
            file_name(subject.bytes, evidence);
            value(subject.place, subject.bytes, evidence);
        }
        // A segment is part of the path, which is judged whole; only what was hidden in it is an argument.
        Place::PathSegment if !matches!(subject.view, View::Base64 | View::Combined) => {}
        _ => {
            value(subject.place, subject.bytes, evidence);
            if let Some(bytes) = path::without_spelt_bytes(subject.bytes) {
                value(subject.place, &bytes, evidence);
                if Resolved::of(&bytes).ups > 0 {
                    evidence.found(&DISGUISED, 0, subject.bytes.len());
                }
            }
        }
    }
}

fn request_path(bytes: &[u8], evidence: &mut Evidence<'_>) {
    let spelt = path::without_spelt_bytes(bytes);
    let bytes = spelt.as_deref().unwrap_or(bytes);
    let resolved = Resolved::of(bytes);
    let mut found = |rule, holds: bool| {
        if holds {
            evidence.found(rule, 0, bytes.len());
        }
    };
    let target = path::target(&resolved, Origin::Url);
    found(&IN_REQUEST_PATH, resolved.ups > 0);
    found(
        &DISGUISED,
        resolved.disguised > 0
            || resolved.long_dots > 1
            || resolved.long_dots == 1 && target == Target::Proof,
    );
    found(&SYSTEM_FILE_REQUESTED, target == Target::Proof);
    found(&DOTFILE_REQUESTED, path::is_secret_dotfile(&resolved, Telling::Requested));
    found(&PROJECT_FILE_REQUESTED, path::is_published_by_mistake(&resolved));
    found(&ASSISTANT_FILE_REQUESTED, path::is_assistant_file(&resolved));
}

/// Files that servers and programs read, whatever is appended to their names.
const CONFIGURATIONS: &[&[u8]] = &[b"wp-config", b"web.config"];

fn file_name(bytes: &[u8], evidence: &mut Evidence<'_>) {
    let resolved = Resolved::of(bytes);
    let configures = resolved.segments().last().is_some_and(|name| {
        let begins =
            |known: &&[u8]| name.get(..known.len()).is_some_and(|head| head.eq_ignore_ascii_case(known));
        CONFIGURATIONS.iter().any(begins)
    });
    if configures || path::is_secret_dotfile(&resolved, Telling::Requested) {
        evidence.found(&DOTFILE_UPLOADED, 0, bytes.len());
    }
    if resolved.ups > 0 {
        evidence.found(&IN_FILE_NAME, 0, bytes.len());
    }
}

fn value(place: Place, bytes: &[u8], evidence: &mut Evidence<'_>) {
    let prose = path::is_prose(bytes);
    for token in path::tokens(bytes) {
        one_path(place, prose, &token, evidence);
    }
}

/// Parent steps of one path that nobody writes who only wants to name a neighbour.
const ZIGZAG_STEPS_MIN: usize = 3;

fn one_path(place: Place, prose: bool, token: &Token<'_>, evidence: &mut Evidence<'_>) {
    let resolved = Resolved::of(token.bytes);
    let target = path::target(&resolved, token.origin);
    let placed = token.origin == Origin::Absolute || resolved.climbs > 0;
    let mut found = |rule, holds: bool| {
        if holds {
            evidence.found(rule, token.offset, token.bytes.len());
        }
    };
    // Configuration files are sent as JSON or XML, and they do refer to their neighbours.
    let document = matches!(place, Place::Json | Place::Xml | Place::Body);
    let climbs_out = match resolved.climbs {
        0 => false,
        _ if target > Target::Ordinary => true,
        climbs if prose => climbs > 0 && target == Target::Proof,
        1 => token.origin == Origin::Absolute && !token.bytes.starts_with(b"\\..."),
        2 => !document,
        _ => true,
    };
    // Parent steps between names that are there to be stepped back from.
    let zigzags = !prose && token.origin != Origin::Url && resolved.ups >= ZIGZAG_STEPS_MIN;
    let climbs_out = climbs_out || zigzags;
    found(&CLIMBS_OUT, climbs_out);
    found(&STEP_UP, !prose && !climbs_out && resolved.climbs > 0 && token.origin == Origin::Relative);
    let long = resolved.long_dots > 1 || resolved.long_dots == 1 && target > Target::Ordinary;
    found(&DISGUISED, !prose && (resolved.disguised > 0 || long));
    let is_system =
        token.origin != Origin::Url && target > Target::Ordinary && (placed || target == Target::Proof);
    let certain = !prose || token.by_scheme && target == Target::Proof;
    found(&SYSTEM_FILE, is_system && certain);
    found(&SYSTEM_FILE_IN_TEXT, is_system && !certain);
    let names = resolved.segments();
    let temporary = matches!(names, [first, _, ..] if first.eq_ignore_ascii_case(b"tmp"))
        || matches!(names, [first, second, _, ..] if (*first == b"var" && *second == b"tmp") || (*first == b"dev" && *second == b"shm"));
    found(&WRITES_TO_TEMPORARY, temporary && token.before == Some(b'>') && token.origin == Origin::Absolute);
    let nested = names.len() > 1 || resolved.climbs > 0 || !document;
    let telling = if document { Telling::Placed } else { Telling::Requested };
    let secret = path::is_secret_dotfile(&resolved, Telling::Anywhere) && nested
        || placed && path::is_secret_dotfile(&resolved, telling);
    found(&DOTFILE, !prose && token.origin != Origin::Url && secret);
    found(&ASSISTANT_FILE, !prose && placed && path::is_assistant_file(&resolved));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_hold_a_trigger() {
        for rule in RULES {
            for attack in
                rule.attacks.iter().filter(|attack| !attack.contains('%') && !attack.starts_with("L3"))
            {
                let lower = attack.to_ascii_lowercase();
                assert!(TRIGGERS.iter().any(|trigger| lower.contains(trigger)), "{attack}");
            }
        }
    }
}
