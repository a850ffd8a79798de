//! Style sheets that run code or hide that they do: `expression(…)`, script addresses in `url(…)`, bindings, behaviours,
//! imports. Knows CSS as browsers of old read it, with comments and backslashes inside words.

use memchr::{memchr_iter, memmem, memrchr};

use super::super::sign::HtmlSign;

/// How far a word spread over comments and backslashes may reach.
const WORD_BYTES_MAX: usize = 96;
/// How much of a style element is looked through for tricks.
const SHEET_BYTES_MAX: usize = 512;
/// Longest word that is looked for.
const WORD_LETTERS_MAX: usize = 12;

/// Reports style that runs code anywhere in `bytes`.
pub(super) fn conclude(bytes: &[u8], report: &mut impl FnMut(HtmlSign, usize)) {
    for open in memchr_iter(b'(', bytes) {
        let head = bytes.get(..open).unwrap_or_default();
        let (word, length, rest) = word_before(head);
        match word.get(WORD_LETTERS_MAX - length..) {
            Some(b"expression") if stands_as_value(rest) => {
                report(HtmlSign::StyleScript, rest.len());
            }
            Some(b"url") => {
                let target = bytes.get(open + 1..).unwrap_or_default();
                if runs(target) || binds(rest) && !is_drawing(target) {
                    report(HtmlSign::StyleScript, rest.len());
                }
            }
            _ => {}
        }
    }
}

/// Looks through the style element that opens at `at`.
pub(super) fn sheet(bytes: &[u8], at: usize, report: &mut impl FnMut(HtmlSign, usize)) {
    let sheet = bytes.get(at + 6..).unwrap_or_default();
    let sheet = sheet.get(..SHEET_BYTES_MAX).unwrap_or(sheet);
    let sheet = memmem::find(sheet, b"</").and_then(|end| sheet.get(..end)).unwrap_or(sheet);
    let imports = memchr_iter(b'@', sheet)
        .any(|at| sheet.get(at + 1..at + 7).is_some_and(|word| word.eq_ignore_ascii_case(b"import")));
    // A backslash before a hex digit is how an icon font is written; before another letter it only hides a word.
    let hides = memchr_iter(b'\\', sheet).any(|slash| {
        let next = sheet.get(slash + 1).copied().unwrap_or(b' ');
        let after_sign = matches!(sheet.get(..slash).and_then(<[u8]>::last), Some(b'@' | b'='));
        next.is_ascii_alphabetic() && !next.is_ascii_hexdigit() || after_sign
    });
    if imports || hides {
        report(HtmlSign::StyleTrick, at);
    }
}

/// The letters that end `head`, read backwards through comments and backslashes; in lower case at the end of the array.
/// Also their number and what stands before them.
fn word_before(head: &[u8]) -> ([u8; WORD_LETTERS_MAX], usize, &[u8]) {
    let mut word = [0u8; WORD_LETTERS_MAX];
    let mut length = 0;
    let mut at = head.len();
    let stop = head.len().saturating_sub(WORD_BYTES_MAX);
    while at > stop && length < WORD_LETTERS_MAX {
        let byte = head.get(at - 1).copied().unwrap_or_default();
        if byte.is_ascii_alphabetic() {
            if let Some(slot) = word.get_mut(WORD_LETTERS_MAX - 1 - length) {
                *slot = byte.to_ascii_lowercase();
            }
            length += 1;
            at -= 1;
        } else if matches!(byte, b'\\' | 0) || byte.is_ascii_whitespace() && length == 0 {
            at -= 1;
        } else if byte == b'/' && at >= stop + 4 && head.get(at - 2) == Some(&b'*') {
            let Some(open) = head.get(stop..at - 2).and_then(|comment| memmem::rfind(comment, b"/*")) else {
                break;
            };
            at = stop + open;
        } else {
            break;
        }
    }
    (word, length, head.get(..at).unwrap_or_default())
}

/// Whether an address inside `url(` has a script scheme; its colon may be cut off.
fn runs(target: &[u8]) -> bool {
    const SCHEMES: [&[u8]; 3] = [b"javascript", b"vbscript", b"data:text/html"];
    let mut word = [0u8; 14];
    let mut length = 0;
    for &byte in target.iter().take(WORD_BYTES_MAX) {
        if byte <= b' ' || matches!(byte, b'"' | b'\'' | b'\\') {
            continue;
        }
        let Some(slot) = word.get_mut(length) else { break };
        *slot = byte.to_ascii_lowercase();
        length += 1;
    }
    let word = word.get(..length).unwrap_or_default();
    SCHEMES.iter().any(|scheme| word.starts_with(scheme))
}

/// Whether an expression behind `head` is a property's value.
fn stands_as_value(head: &[u8]) -> bool {
    let head = head.trim_ascii_end();
    matches!(head.last(), Some(b':' | b'=' | b'{')) || head.ends_with(b"=\"") || head.ends_with(b"='")
}

/// Whether `url(` names the drawing behaviour that mail programs write into every message.
fn is_drawing(target: &[u8]) -> bool {
    target.get(..12).is_some_and(|name| name.eq_ignore_ascii_case(b"#default#vml"))
}

/// Whether `head` ends with a property that binds code to an element.
fn binds(head: &[u8]) -> bool {
    let Some(head) = head.trim_ascii_end().strip_suffix(b":") else { return false };
    let head = head.trim_ascii_end();
    let name = head.get(head.len().saturating_sub(12)..).unwrap_or_default();
    let name = memrchr(b';', name).and_then(|at| name.get(at + 1..)).unwrap_or(name);
    let lower = name.to_ascii_lowercase();
    lower.ends_with(b"-moz-binding") || lower.ends_with(b"behavior")
}
