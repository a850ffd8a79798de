//! Paths that ask for files which servers keep for themselves, by the ends of their names.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&SERVER_FILE, &LEFTOVER_COPY];

pub(super) static SERVER_FILE: Rule = Rule {
    id: "http-compliance-blocked-extensions/server-file",
    leaf: Leaf::HttpComplianceBlockedExtensions,
    weight: STRONG,
    places: Places::of(&[Place::Path]),
    matcher: RuleMatcher::Detected,
    summary: "The path ends in the extension of a database, a configuration, a key, a log or source that servers compile.",
    attacks: &[
        "/get/foo.bar.sql",
        "/dump%2Erdb",
        "/logs/error.LOG",
        "/web.config",
        "/web.config::$DATA",
        "/app/settings.ini.",
        "/site.mdb;x=1",
        "/keys/server.pem/",
    ],
    benign: &[
        "/docs/sql",
        "/index.php",
        "/v1.2/items",
        "/whois/shop.com",
        "/config",
        "/a.xsd",
        "/logout",
        "/app.config.js",
        "/packages/Acme.Data.Sqlite",
    ],
};

pub(super) static LEFTOVER_COPY: Rule = Rule {
    id: "http-compliance-backup-file-probes/leftover-copy",
    leaf: Leaf::HttpComplianceBackupFileProbes,
    weight: STRONG,
    places: Places::of(&[Place::Path]),
    matcher: RuleMatcher::Detected,
    summary: "The path names a copy that an editor, an installer or an operator left behind.",
    attacks: &[
        "/index.php.bak",
        "/config.old",
        "/page.php~",
        "/index.php~/foo/bar/",
        "/wp-config.php.save",
        "/.index.php.swp",
        "/wp-config%2Ephp%2Eorig",
        "/#index.php#",
        "/config.php.1",
    ],
    benign: &[
        "/~user/",
        "/old/index.html",
        "/backup",
        "/v2.1",
        "/how-to-save",
        "/api/files.copy",
        "/a.tar.gz",
        "/downloads/app-1.2.3.1",
    ],
};

/// Sorted, in lower case, by what they belong to.
const SERVER_FILES: &[&[&str]] = &[
    // Databases and what is dumped from them.
    &[
        "accdb",
        "bacpac",
        "db",
        "db-journal",
        "db3",
        "dbf",
        "dmp",
        "frm",
        "ibd",
        "ldf",
        "mdb",
        "mdf",
        "myd",
        "myi",
        "ndf",
        "rdb",
        "s3db",
        "sdf",
        "sql",
        "sqlite",
        "sqlite3",
        "sqlitedb",
    ],
    // Configurations.
    &["cfg", "cnf", "conf", "config", "inf", "ini", "pol", "reg", "tfstate", "tfvars", "webinfo"],
    // Keys and secrets.
    &["htdigest", "htpasswd", "jks", "kdb", "kdbx", "key", "keystore", "pass", "pem", "pfx", "ppk", "pwd"],
    // Logs.
    &["err", "hprof", "log", "mdmp", "pcap"],
    // Sources and projects of what servers compile or include.
    &[
        "asa",
        "asax",
        "ascx",
        "cs",
        "cshtml",
        "csproj",
        "inc",
        "licx",
        "master",
        "phps",
        "resources",
        "resx",
        "sln",
        "vb",
        "vbhtml",
        "vbproj",
        "vsdisco",
    ],
    // What only a Windows server runs, or old handlers of its web server map.
    &[
        "bat", "cdx", "cmd", "drv", "hta", "htr", "htw", "ida", "idc", "idq", "jse", "lnk", "ocx", "pdb",
        "pif", "printer", "rdp", "scr", "sct", "shs", "sys", "vbe", "vbs", "wsc", "wsf", "wsh",
    ],
];

/// What copies are called by, sorted, in lower case.
const COPIES: &[&str] = &[
    "backup",
    "bak",
    "bak1",
    "bak2",
    "bck",
    "bk",
    "bkp",
    "bkup",
    "dpkg-dist",
    "dpkg-old",
    "old",
    "old1",
    "orig",
    "rpmnew",
    "rpmsave",
    "sav",
    "swn",
    "swo",
    "swp",
    "tmp",
];

/// Words that name a copy only behind another extension: by themselves interfaces name their calls with them.
const COPY_WORDS: &[&str] = &["back", "copy", "dist", "original", "save", "temp"];

/// Extensions behind which a number or a mark makes a copy.
const SOURCES: &[&str] = &[
    "asp", "aspx", "cgi", "conf", "config", "env", "htaccess", "inc", "ini", "js", "jsp", "php", "pl", "py",
    "rb", "xml", "yml",
];

/// Longest extension that is compared.
const EXTENSION_BYTES_MAX: usize = 12;

pub(super) fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let path = subject.bytes;
    let segments = || path.split(|byte| matches!(byte, b'/' | b'\\')).filter(|segment| !segment.is_empty());
    let offset = |segment: &[u8]| segment.as_ptr().addr().saturating_sub(path.as_ptr().addr());
    if let Some(segment) = segments().find(|segment| is_marked_copy(segment)) {
        evidence.found(&LEFTOVER_COPY, offset(segment), segment.len());
    }
    let Some(last) = segments().next_back() else { return };
    let name = file_name(last);
    let Some((stem, extension)) = parted(name) else { return };
    let mut lower = [0; EXTENSION_BYTES_MAX];
    let Some(extension) = lowered(extension, &mut lower) else { return };
    let known = |list: &[&str]| list.binary_search_by(|known| known.as_bytes().cmp(extension)).is_ok();
    // A name that is nothing but the extension is a dotfile, which is another protection's business.
    if !stem.is_empty() && !is_class_name(name) && SERVER_FILES.iter().any(|list| known(list)) {
        evidence.found(&SERVER_FILE, offset(last), last.len());
    }
    let is_copy = known(COPIES) && !stem.is_empty() || known(COPY_WORDS) && is_source(stem);
    if is_copy || is_number(extension) && is_source(stem) {
        evidence.found(&LEFTOVER_COPY, offset(last), last.len());
    }
}

/// A segment without what Windows and servlet containers take off its end: parameters, streams, dots and blanks.
fn file_name(segment: &[u8]) -> &[u8] {
    let end = segment.iter().position(|byte| matches!(byte, b';' | b':' | 0)).unwrap_or(segment.len());
    let mut name = segment.get(..end).unwrap_or_default();
    while let [front @ .., b'.' | b' ' | b'\t' | b'\r' | b'\n'] = name {
        name = front;
    }
    name
}

fn parted(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memrchr(b'.', name)?;
    Some((name.get(..at)?, name.get(at + 1..)?))
}

fn lowered<'b>(text: &[u8], buffer: &'b mut [u8; EXTENSION_BYTES_MAX]) -> Option<&'b [u8]> {
    let lower = buffer.get_mut(..text.len()).filter(|lower| !lower.is_empty())?;
    for (to, from) in lower.iter_mut().zip(text) {
        *to = from.to_ascii_lowercase();
    }
    Some(lower)
}

/// `page.php~`, or `#page.php#` as Emacs saves it.
fn is_marked_copy(segment: &[u8]) -> bool {
    let inner = segment.strip_prefix(b"#").and_then(|rest| rest.strip_suffix(b"#"));
    let Some(name) = inner.or_else(|| segment.strip_suffix(b"~")) else { return false };
    parted(name).is_some_and(|(_, extension)| {
        !extension.is_empty()
            && extension.len() <= EXTENSION_BYTES_MAX
            && extension.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// Whether `stem` ends in an extension that is worth a copy.
fn is_source(stem: &[u8]) -> bool {
    let mut lower = [0; EXTENSION_BYTES_MAX];
    let extension = parted(stem).and_then(|(_, extension)| lowered(extension, &mut lower));
    extension
        .is_some_and(|extension| SOURCES.binary_search_by(|known| known.as_bytes().cmp(extension)).is_ok())
}

/// The number of a rotated or numbered copy, as in `config.php.1`.
fn is_number(extension: &[u8]) -> bool {
    extension.len() <= 2 && extension.iter().all(u8::is_ascii_digit)
}

/// `Acme.Data.Sqlite`: packages and classes are named in words that begin with a capital, of three or more.
fn is_class_name(name: &[u8]) -> bool {
    let words = || name.split(|byte| *byte == b'.');
    let is_word = |word: &[u8]| matches!(word, [first, second, ..] if first.is_ascii_uppercase() && second.is_ascii_lowercase());
    words().count() > 2 && words().next_back().is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_the_search() {
        for list in SERVER_FILES.iter().chain([&COPIES, &COPY_WORDS, &SOURCES]) {
            assert!(
                list.is_sorted() && list.iter().all(|known| known.len() <= EXTENSION_BYTES_MAX),
                "{list:?}"
            );
        }
    }
}
