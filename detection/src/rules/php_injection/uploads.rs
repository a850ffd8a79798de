//! Names of uploads that a PHP server would run, or that change what it runs.

use waf_shared::catalog::Leaf;

use crate::evidence::Evidence;
use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

const FILES: Places = Places::of(&[Place::FileName, Place::Header]);

/// Names of headers that carry a file's name, without their separators.
const HEADERS: &[&str] = &["filename", "uploadfilename", "xfile", "xfilename", "xuploadname"];
/// Longest such name.
const HEADER_BYTES_MAX: usize = 24;

/// Extensions that servers hand to PHP.
const SCRIPTS: &[&str] = &[
    "phar", "php", "php2", "php3", "php4", "php5", "php6", "php7", "php8", "phps", "phpt", "pht", "phtm",
    "phtml",
];

/// Shortest identifier of a session.
const SESSION_BYTES_MIN: usize = 20;

/// Returns `true` if the header `name` carries a file's name.
pub(crate) fn names_a_file(name: &[u8]) -> bool {
    let mut plain = [0; HEADER_BYTES_MAX];
    let mut length = 0;
    for byte in name.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        let Some(slot) = plain.get_mut(length) else { return false };
        *slot = byte.to_ascii_lowercase();
        length += 1;
    }
    plain.get(..length).is_some_and(|plain| HEADERS.iter().any(|known| known.as_bytes() == plain))
}

/// Judges a file's name.
pub(super) fn judge(bytes: &[u8], evidence: &mut Evidence<'_>) {
    // What follows a NUL is lost to C libraries; Windows drops what follows a colon.
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let path = bytes.get(..end).unwrap_or_default();
    let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    let name = name.trim_ascii();
    let stripped =
        name.iter().rposition(|byte| !matches!(byte, b'.' | b' ' | b';')).map_or(0, |last| last + 1);
    let name = name.get(..stripped).unwrap_or_default();
    let mut found = |rule| evidence.found(rule, 0, bytes.len());
    if let Some(session) = name.strip_prefix(b"sess_")
        && session.len() >= SESSION_BYTES_MIN
        && session.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b','))
    {
        found(&SESSION);
    }
    if [&b".htaccess"[..], b".user.ini"].iter().any(|known| name.eq_ignore_ascii_case(known)) {
        found(&CONFIGURATION);
    }
    // An extension stands behind a dot; what Windows and old servers drop begins with a colon or a semicolon.
    let cut = |part: &'_ [u8]| part.iter().position(|byte| matches!(byte, b':' | b';')).unwrap_or(part.len());
    let mut parts = name.split(|byte| *byte == b'.').map(|part| part.get(..cut(part)).unwrap_or_default());
    parts.next();
    let script = |part: &[u8]| SCRIPTS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(bare(part)));
    let scripts = parts.clone().filter(|part| script(part)).count();
    if parts.next_back().is_some_and(script) {
        found(&SCRIPT);
    } else if scripts > 0 {
        found(&HIDDEN_SCRIPT);
    }
}

/// An extension without the one space that may stand before it and those that Windows drops behind it.
fn bare(part: &[u8]) -> &[u8] {
    let part = part.strip_prefix(b" ").unwrap_or(part);
    let end = part.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    part.get(..end).unwrap_or_default()
}

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&SCRIPT, &HIDDEN_SCRIPT, &SESSION, &CONFIGURATION];

pub(super) static SCRIPT: Rule = Rule {
    id: "php-injection-script-upload/extension",
    leaf: Leaf::PhpInjectionScriptUpload,
    weight: STRONG,
    places: FILES,
    matcher: RuleMatcher::Detected,
    summary: "An uploaded file has an extension that servers hand to PHP.",
    attacks: &["shell.php", "x.phtml", "a/b.phar", "photo. php", "x.php5...", "x.php ", "x.php\0.jpg"],
    benign: &["photo.jpg", "notes;php", "php.jpg", "php-manual.pdf", "about.phi.net.txt", "alphabet.pdf"],
};

pub(super) static HIDDEN_SCRIPT: Rule = Rule {
    id: "php-injection-script-upload/hidden-extension",
    leaf: Leaf::PhpInjectionScriptUpload,
    weight: STRONG,
    places: FILES,
    matcher: RuleMatcher::Detected,
    summary: "An uploaded file has an extension of PHP before its last one.",
    attacks: &["test.php.jpg", "test. php.jpg", "test.phar .png", "a.phtml.gif"],
    benign: &["php.jpg", "test.jpg", "alpha.phi.jpg"],
};

pub(super) static SESSION: Rule = Rule {
    id: "php-injection-script-upload/session-file",
    leaf: Leaf::PhpInjectionScriptUpload,
    weight: STRONG,
    places: FILES,
    matcher: RuleMatcher::Detected,
    summary: "An uploaded file has the name of a PHP session.",
    attacks: &[
        "sess_k3q0v5m1c7x2b9n4j8h6g5f4d3",
        "C:\\temp\\sess_q1w2e3r4t5y6u7i8o9p0a",
        "/tmp/sess_abc-123-def-456-ghij",
    ],
    benign: &["sess_notes.txt", "session.log", "sess_1"],
};

pub(super) static CONFIGURATION: Rule = Rule {
    id: "php-injection-script-upload/configuration",
    leaf: Leaf::PhpInjectionScriptUpload,
    weight: STRONG,
    places: FILES,
    matcher: RuleMatcher::Detected,
    summary: "An uploaded file has the name of a file that says what PHP runs.",
    attacks: &[".htaccess", "uploads/.user.ini", ".HTACCESS."],
    benign: &["htaccess.txt", "user.ini.md", "my.ini"],
};
