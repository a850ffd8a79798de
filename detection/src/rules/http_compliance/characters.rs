//! Bytes that no honest value holds: zero, and (where an operator wants it) everything that does not print.

use memchr::memchr;
use waf_shared::catalog::Leaf;

use super::places::WRITTEN;
use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};
use crate::view::View;

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&ZERO_BYTE, &CONTROL_CHARACTER, &OUTSIDE_ASCII];

pub(super) static ZERO_BYTE: Rule = Rule {
    id: "http-compliance-null-bytes/zero-byte",
    leaf: Leaf::HttpComplianceNullBytes,
    weight: STRONG,
    places: WRITTEN,
    matcher: RuleMatcher::Detected,
    summary: "A zero byte, which ends a string for programs written in C, in a path, a parameter or a header.",
    attacks: &["photo.php\0.jpg", "../../etc/passwd\0.png", "shell.php\0.gif.jpg"],
    benign: &["photo.jpg", "price: 100%", "device-7\0\0\0", "%0 off", "C:\\0\\a"],
};

/// Control characters apart from the white space that people type.
pub(super) static CONTROL_CHARACTER: Rule = Rule {
    id: "http-compliance-non-printable-characters/control",
    leaf: Leaf::HttpComplianceNonPrintableCharacters,
    weight: STRONG,
    places: PRINTED,
    matcher: RuleMatcher::Detected,
    summary: "A control character in a parameter, a header or a cookie.",
    attacks: &["hi\u{13}", "a\u{7f}b", "\u{1b}[31mred"],
    benign: &["plain text", "100 % sure", "tab\tstop"],
};

pub(super) static OUTSIDE_ASCII: Rule = Rule {
    id: "http-compliance-non-printable-characters/outside-ascii",
    leaf: Leaf::HttpComplianceNonPrintableCharacters,
    weight: STRONG,
    places: PRINTED,
    matcher: RuleMatcher::Detected,
    summary: "A byte outside ASCII in a parameter, a header or a cookie.",
    attacks: &["Grüße", "i\u{ff}ndex", "名前"],
    benign: &["Gruesse", "a-b_c.d~e", "100 % sure"],
};

/// Values that applications take as text; documents in JSON or XML have an encoding of their own.
const PRINTED: Places = Places::of(&[
    Place::Path,
    Place::QueryName,
    Place::Query,
    Place::FormName,
    Place::Form,
    Place::Header,
    Place::CookieName,
    Place::Cookie,
    Place::FileName,
]);

pub(super) fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let bytes = subject.bytes;
    // Base64 may hold anything, and a backslash before a zero is how programs write it down.
    if matches!(subject.view, View::Base64 | View::Escapes | View::Entities) {
        return;
    }
    if let Some(at) = zero_byte(subject) {
        evidence.found(&ZERO_BYTE, at, 1);
    }
    if evidence.wants(Leaf::HttpComplianceNonPrintableCharacters) {
        let is_control = |byte: &u8| matches!(byte, ..0x20 | 0x7f) && !matches!(byte, b'\t' | b'\r' | b'\n');
        if let Some(at) = bytes.iter().position(is_control) {
            evidence.found(&CONTROL_CHARACTER, at, 1);
        }
        if let Some(at) = bytes.iter().position(|byte| !byte.is_ascii()) {
            evidence.found(&OUTSIDE_ASCII, at, 1);
        }
    }
}

/// Bytes that decide whether a value is binary.
const SAMPLE_BYTES: usize = 256;

fn zero_byte(subject: &Subject<'_>) -> Option<usize> {
    let bytes = subject.bytes;
    let at = memchr(0, bytes)?;
    match subject.place {
        // A zero that ends nothing early is data: the padding of a device's buffer, or a value that is no text at all.
        Place::Json | Place::Xml => {
            let ends_early = at > 0 && bytes.get(at..)?.iter().any(|byte| *byte != 0);
            (ends_early && !is_binary_string(bytes)).then_some(at)
        }
        // Programs that send a packed body under the type of a form mean no parameter by it.
        Place::Form | Place::FormName if subject.view == View::Raw => {
            let sample = bytes.get(..SAMPLE_BYTES).unwrap_or(bytes);
            let odd = sample.iter().filter(|byte| matches!(byte, ..0x09 | 0x0e..0x20 | 0x7f..)).count();
            (odd <= 2 + sample.len() / 16).then_some(at)
        }
        _ => Some(at),
    }
}

/// True for a string whose characters are bytes of a binary format: controls of both halves of Latin-1 are spread over it.
fn is_binary_string(text: &[u8]) -> bool {
    let sample = text.get(..SAMPLE_BYTES).unwrap_or(text);
    let low = sample.iter().filter(|byte| matches!(byte, ..0x09 | 0x0e..0x20 | 0x7f)).count();
    let high = sample.windows(2).filter(|pair| matches!(pair, [0xc2, 0x80..=0x9f])).count();
    low > 1 && high > 1 && low + high > 2 + sample.len() / 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_bodies_under_a_wrong_type_are_no_parameters() {
        let at = |place, bytes: &[u8]| zero_byte(&Subject { place, name: b"", view: View::Raw, bytes });
        assert_eq!(at(Place::Form, b"a\0.jpg"), Some(1));
        assert_eq!(at(Place::Form, b"\x0a\x07abc\x12\x00\x01\x02\x8f\xff\x00\x10"), None);
        assert_eq!(at(Place::Query, b"abc\0"), Some(3));
        assert_eq!(at(Place::Json, b"abc\0\0"), None);
        assert_eq!(at(Place::Json, b"\0\x05"), None);
        assert_eq!(at(Place::Json, b"abc\0.jpg"), Some(3));
        let deflated =
            "x\u{9c}\u{ed}\u{9d}m\u{8f}#\u{1}\0q\u{c7}\u{bf}\n1\u{80}\0\t8\u{1a}$\u{a7}g\u{1d}\u{83}d+";
        assert_eq!(at(Place::Json, deflated.as_bytes()), None);
        assert_eq!(at(Place::Json, "Grüße aus Köln, café\0.php".as_bytes()), Some(24));
    }
}
