//! Codings that hide a character from whoever looks before decoding: UTF-8 that is none, `%uHHHH`, `\uHHHH` for a letter,
//! and percent coding laid over percent coding.

use memchr::memmem;
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};
use crate::view::View;

/// The rules of this file.
pub(super) static RULES: &[&Rule] =
    &[&ILL_FORMED_UTF8, &WIDE_PERCENT, &ESCAPED_LETTER, &TWICE_ENCODED, &BROKEN_ESCAPE, &NESTED_CODINGS];

pub(super) static ILL_FORMED_UTF8: Rule = Rule {
    id: "http-compliance-utf8-tricks/ill-formed",
    leaf: Leaf::HttpComplianceUtf8Tricks,
    weight: STRONG,
    places: CODED,
    matcher: RuleMatcher::Detected,
    summary: "A UTF-8 sequence that is longer than its character needs or lies beyond Unicode.",
    attacks: &[
        "..%c0%af..%c0%afetc",
        "%e0%80%bcscript",
        "%F5%80%BF%BF",
        "%c1%9c..%c1%9cboot.ini",
        "%f8%80%80%80%af",
    ],
    benign: &[
        "Gr%C3%BC%C3%9Fe",
        "caf%E9",
        "%F0%9F%8E%89",
        "%E9t%E9 %E0 la",
        "%C0%B4%C8%D5%B1%BE",
        "%ED%A0%BD%ED%B8%80",
    ],
};

pub(super) static WIDE_PERCENT: Rule = Rule {
    id: "http-compliance-utf8-tricks/wide-percent",
    leaf: Leaf::HttpComplianceUtf8Tricks,
    weight: STRONG,
    places: CODED,
    matcher: RuleMatcher::Detected,
    summary: "An ASCII character, or its full-width twin amid ASCII, written as %uHHHH.",
    attacks: &["foo%uFF01", "..%u002f..%u002fetc", "%uff0e%uff0e%uff0f", "%u0061lert(1)"],
    benign: &["%u3053%u3093%uFF01", "100%unsure", "%u00e9t%u00e9", "%u4F60%u597D%uFF08a%uFF09"],
};

pub(super) static ESCAPED_LETTER: Rule = Rule {
    id: "http-compliance-utf8-tricks/escaped-letter",
    leaf: Leaf::HttpComplianceUtf8Tricks,
    weight: STRONG,
    places: Places::of(&[Place::QueryName, Place::Query, Place::FormName, Place::Form]),
    matcher: RuleMatcher::Detected,
    summary: "A letter or digit of ASCII written as \\uHHHH, which no encoder does.",
    attacks: &["\\u0061lert(1)", "al\\u0065rt(1)", "%5Cu0073elect"],
    benign: &["Andr\\u00e9", "\\u003cb\\u003e", "C:\\users\\u", "\\ud83c\\udf89", "\\\\u0061"],
};

pub(super) static TWICE_ENCODED: Rule = Rule {
    id: "http-compliance-double-url-encoding/twice",
    leaf: Leaf::HttpComplianceDoubleUrlEncoding,
    weight: STRONG,
    places: CODED,
    matcher: RuleMatcher::Detected,
    summary: "Percent coding that was applied twice.",
    attacks: &["%252e%252e%252f", "a%2527b", "%25%32%65"],
    benign: &["100%25", "%2e%2e", "5%25 off"],
};

pub(super) static BROKEN_ESCAPE: Rule = Rule {
    id: "http-compliance-double-url-encoding/broken-escape",
    leaf: Leaf::HttpComplianceDoubleUrlEncoding,
    weight: STRONG,
    places: CODED,
    matcher: RuleMatcher::Detected,
    summary: "A percent sign before a letter or digit that is no escape.",
    attacks: &["%1G", "a%zzb", "%%32%65"],
    benign: &["new %20$", "100%", "50% off"],
};

pub(crate) static NESTED_CODINGS: Rule = Rule {
    id: "http-compliance-utf8-tricks/nested-codings",
    leaf: Leaf::HttpComplianceUtf8Tricks,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value is coded more often, in turns of several codings or in base64, than any program does.",
    attacks: &[
        "\\x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#92;x26#60;",
        "\\u00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu00255cu002527",
        "Vm0wd2QyVkZOVWRYV0doWVYwZDRWRll3Wkc5V2JHeDBaRWhrYWxac1NsWlZNakExWVd4S2MxWnFUbGROYmxGM1ZtMTRZV015U2tWVWJHUnBVbXR3U1ZkV1ZtRlRNazE0V2toT1dHSkdjRmhVVkVaS1pXeGtXR1JIZEZSTlZUVkpWbTEwYzJGR1NuUlZiRkpWVmtWYVNGUlVSbXRXTVZwelYyMTRVMDFFVmpWV1IzaFhWakZhU0ZOc1dsaGlSa3BYV1d0YVMxZEdiSEZTYlVacVZtczFXbGxWV2s5VWJVWTJWbXhzVjJKVVJUQldha3BIVTBaYWRWSnNTbGRTTTAwMQ==",
    ],
    benign: &[
        "/login?next=%2Flogin%3Fnext%3D%252Flogin%253Fnext%253D%25252Flogin%25253Fnext%25253D%2525252Fhome",
        "Fish &amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp;amp; chips",
        "{\"log\":\"{\\\"log\\\":\\\"{\\\\\\\"at\\\\\\\":\\\\\\\"C:\\\\\\\\\\\\\\\\Users\\\\\\\"}\\\"}\"}",
        "VTNCbFkybGhiQ0J2Wm1abGNuTWdabTl5SUhsdmRRPT0=",
    ],
};

/// Places that are percent-coded by definition.
const CODED: Places =
    Places::of(&[Place::Path, Place::QueryName, Place::Query, Place::FormName, Place::Form]);

pub(super) fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let bytes = subject.bytes;
    if !CODED.contains(subject.place) {
        return;
    }
    match subject.view {
        View::Raw => {
            if let Some(at) = wide_percent(bytes) {
                evidence.found(&WIDE_PERCENT, at, 6);
            }
            if let Some(at) = broken_escape(bytes) {
                evidence.found(&BROKEN_ESCAPE, at, 3);
            }
        }
        View::Percent => {
            if let Some(at) = escapes(bytes).next() {
                evidence.found(&TWICE_ENCODED, at, 3);
            }
        }
        _ => {}
    }
    if matches!(subject.view, View::Raw | View::Percent | View::PercentNested) {
        if let Some(at) = ill_formed(bytes) {
            evidence.found(&ILL_FORMED_UTF8, at, 2);
        }
        if let Some(at) = escaped_letter(bytes) {
            evidence.found(&ESCAPED_LETTER, at, 6);
        }
    }
}

/// Offsets of `%HH`.
fn escapes(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(b'%', bytes).filter(|at| hex::<2>(bytes, at + 1).is_some())
}

fn broken_escape(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'%', bytes).find(|at| {
        let next = bytes.get(at + 1);
        let is_wide = matches!(next, Some(b'u' | b'U')) && hex::<4>(bytes, at + 2).is_some();
        let doubled = next == Some(&b'%') && hex::<2>(bytes, at + 2).is_some();
        (next.is_some_and(u8::is_ascii_alphanumeric) || doubled)
            && hex::<2>(bytes, at + 1).is_none()
            && !is_wide
    })
}

/// The number that `N` hexadecimal digits at `at` make.
fn hex<const N: usize>(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..)?.first_chunk::<N>()?;
    digits.iter().try_fold(0, |number, digit| Some(number * 16 + char::from(*digit).to_digit(16)?))
}

/// Old scripts (`escape()`) write what is outside Latin-1 this way, full-width marks among their own kind; never ASCII.
fn wide_percent(bytes: &[u8]) -> Option<usize> {
    let (mut disguised, mut is_text) = (None, false);
    for at in memchr::memchr_iter(b'%', bytes) {
        if !matches!(bytes.get(at + 1), Some(b'u' | b'U')) {
            continue;
        }
        match hex::<4>(bytes, at + 2) {
            Some(0x20..=0x7e) => return Some(at),
            Some(0xff01..=0xff5e) => disguised = disguised.or(Some(at)),
            Some(0x2e80..) => is_text = true,
            _ => {}
        }
    }
    disguised.filter(|_| !is_text)
}

fn escaped_letter(bytes: &[u8]) -> Option<usize> {
    memchr::memchr(b'\\', bytes)?;
    memmem::find_iter(bytes, b"\\u").find(|&at| {
        let is_escaped = at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\\');
        let letter = hex::<4>(bytes, at + 2).and_then(|code| u8::try_from(code).ok());
        !is_escaped && letter.is_some_and(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Where UTF-8 is well-formed but for a sequence that no encoder writes. Text in another encoding is ill-formed in other
/// ways as well and means no harm.
fn ill_formed(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut found) = (0, None);
    while let Err(error) = str::from_utf8(bytes.get(at..)?) {
        let start = at + error.valid_up_to();
        let rest = bytes.get(start..)?;
        let length = match rest.first()? {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            0xf8..=0xfb => 5,
            0xfc..=0xfd => 6,
            _ => return None,
        };
        let sequence = rest.get(..length)?;
        if !sequence.iter().skip(1).all(|byte| matches!(byte, 0x80..=0xbf)) {
            return None;
        }
        // Halves of surrogates are how old databases and phones write what lies beyond the basic plane.
        if !matches!(sequence, [0xed, 0xa0..=0xbf, ..]) {
            found = found.or(Some(start));
        }
        at = start + length;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_encodings_are_no_tricks() {
        for text in [
            &b"caf\xe9"[..],
            b"\xc0\xb4\xc8\xd5\xb1\xbe",
            b"\x83\x65\x83\x58\x83\x67",
            b"\xed\xa0\xbd\xed\xb8\x80",
            b"\xc0",
            b"\xff\xfe",
        ] {
            assert_eq!(ill_formed(text), None, "{}", text.escape_ascii());
        }
        assert_eq!(ill_formed("größer\u{1f389}".as_bytes()), None);
        assert_eq!(ill_formed(b"a\xc0\xafb"), Some(1));
        assert_eq!(
            ill_formed("ü\u{1f389}".bytes().chain(*b"\xf4\x90\x80\x80").collect::<Vec<_>>().as_slice()),
            Some(6)
        );
    }
}
