//! Changes of a body, whatever its kind, and of JSON.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use crate::case::Case;
use crate::random::Random;

pub(super) fn insert(case: &mut Case, random: &mut Random) {
    if !case.body.is_empty() {
        super::insert(&mut case.body, random);
    }
}

pub(super) fn remove(case: &mut Case, random: &mut Random) {
    super::remove(&mut case.body, random);
}

pub(super) fn replace(case: &mut Case, random: &mut Random) {
    super::replace(&mut case.body, random);
}

pub(super) fn repeat(case: &mut Case, random: &mut Random) {
    super::repeat(&mut case.body, random);
}

pub(super) fn cut(case: &mut Case, random: &mut Random) {
    let keep = case.body.len().saturating_sub(1 + random.below(60));
    case.body.truncate(keep);
}

/// One line end, or all of them, become something else that a reader may take for one.
pub(super) fn line_ends(case: &mut Case, random: &mut Random) {
    let other: &[u8] = random.of_list(&[
        &b"\n"[..],
        b"\r",
        b"\r\r\n",
        b"\n\r",
        b"\r\n\r\n",
        b" \r\n",
        b"\r\n ",
        b"\x0b",
        b"",
    ]);
    let found = super::find(&case.body, b"\r\n");
    let all = random.once_in(3);
    let chosen = random.below(found.len());
    for (number, at) in found.iter().enumerate().rev() {
        if all || number == chosen {
            case.body.splice(*at..*at + 2, other.iter().copied());
        }
    }
}

/// Bytes that mean something, written as an escape of a form.
pub(super) fn code(case: &mut Case, random: &mut Random) {
    let at = super::place(&case.body, random);
    let Some(byte) = case.body.get(at).copied() else { return };
    let text = match random.below(4) {
        0 => format!("%{byte:02x}"),
        1 => format!("%25{byte:02X}"),
        2 => format!("%u{byte:04x}"),
        _ => format!("\\u{byte:04x}"),
    };
    case.body.splice(at..=at, text.into_bytes());
}

/// The body in another character encoding, which its type may name, rightly or wrongly.
pub(super) fn charset(case: &mut Case, random: &mut Random) {
    let text: Vec<u32> = case.body.iter().copied().map(u32::from).collect();
    let (name, mark, width, little) = random.of_list(&[
        ("utf-16", &b"\xff\xfe"[..], 2, true),
        ("utf-16", b"\xfe\xff", 2, false),
        ("utf-16le", b"", 2, true),
        ("utf-16be", b"", 2, false),
        ("utf-32", b"\xff\xfe\0\0", 4, true),
        ("utf-32be", b"", 4, false),
        ("utf-8", b"\xef\xbb\xbf", 1, false),
        ("iso-8859-1", b"", 1, false),
        ("utf-7", b"", 1, false),
        ("shift_jis", b"", 1, false),
        ("ibm037", b"", 1, false),
    ]);
    let is_wide = width > 1 && !random.once_in(3);
    if is_wide {
        let mut out = if random.once_in(2) { mark.to_vec() } else { Vec::new() };
        for unit in text {
            let bytes = if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            out.extend_from_slice(if little { &bytes[..width] } else { &bytes[4 - width..] });
        }
        case.body = out;
    } else if random.once_in(2) {
        case.body.splice(0..0, mark.iter().copied());
    }
    if !random.once_in(3) {
        let mut value = case.value("content-type").unwrap_or_default().to_vec();
        let form: &[u8] = random.of_list(&[
            &b"; charset="[..],
            b";charset=\"",
            b"; Charset=",
            b"; charset*=",
            b" ;charset = ",
        ]);
        value.extend_from_slice(form);
        value.extend_from_slice(name.as_bytes());
        case.set("content-type", &value);
    }
}

/// The body compressed, under a name of that coding or another.
pub(super) fn coding(case: &mut Case, random: &mut Random) {
    let gzip = |body: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).and_then(|()| encoder.finish()).unwrap_or_default()
    };
    let zlib = |body: &[u8]| {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).and_then(|()| encoder.finish()).unwrap_or_default()
    };
    let raw = |body: &[u8]| {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).and_then(|()| encoder.finish()).unwrap_or_default()
    };
    case.body = match random.below(7) {
        0 | 1 => gzip(&case.body),
        2 => zlib(&case.body),
        3 => raw(&case.body),
        4 => gzip(&gzip(&case.body)),
        5 => {
            let (one, other) = case.body.split_at(case.body.len() / 2);
            [gzip(one), gzip(other)].concat()
        }
        _ => case.body.clone(),
    };
    let names: &[&[u8]] = &[
        b"gzip",
        b"gzip",
        b"x-gzip",
        b"GZIP",
        b"deflate",
        b"deflate",
        b"identity",
        b"gzip, gzip",
        b"gzip,",
        b" gzip ;q=1",
        b"br",
        b"gzip, identity",
        b"\"gzip\"",
        b"",
    ];
    case.set("content-encoding", random.of_list(names));
}

/// Syntax that some readers of JSON take and others do not.
pub(super) fn json(case: &mut Case, random: &mut Random) {
    let is_json = case.body.iter().any(|byte| matches!(byte, b'{' | b'[' | b'"'))
        && case.field("content-type").is_some();
    let is_multipart = case.value("content-type").is_some_and(|value| value.starts_with(b"multipart"));
    if !is_json || is_multipart {
        return;
    }
    let tokens: &[&[u8]] = &[
        b"/* tea */",
        b"// tea\n",
        b"# tea\n",
        b",",
        b",,",
        b"NaN",
        b"-Infinity",
        b"'",
        b"\"a\":1,",
        b"\"note\":1,",
        b"01",
        b"1.",
        b".5",
        b"+1",
        b"0x10",
        b"1e999",
        b"\\u0000",
        b"\\ud800",
        b"\\x41",
        b"\\'",
        b"\\/",
        b"\x0b",
        b"\x0c",
        b"\xc2\xa0",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b"{\"a\":",
        b"[",
        b"]",
        b"}",
        b"[]",
        b"{}",
        b"\"\"",
        b"null",
        b"null,",
        b"\n",
        b"\0",
        b")]}',\n",
        b"\\",
        b"\"",
        b"b\"",
        b"True",
        b"a:",
        b"{}{}",
        b"\x1e",
        b"1 ",
        b"\"x\" ",
        b"callback(",
        b"\xff",
    ];
    let token = random.of_list(tokens);
    match random.below(5) {
        0 => {
            case.body.splice(0..0, token.iter().copied());
        }
        1 => case.body.extend_from_slice(token),
        _ => {
            let marks = b"{}[],:\"";
            let found: Vec<usize> = case
                .body
                .iter()
                .enumerate()
                .filter(|(_, byte)| marks.contains(byte))
                .map(|(at, _)| at)
                .collect();
            if found.is_empty() {
                return;
            }
            let at = random.of_list(&found) + random.below(2);
            case.body.splice(at..at, token.iter().copied());
        }
    }
}

/// Syntax of XML that hides text or writes it otherwise.
pub(super) fn xml(case: &mut Case, random: &mut Random) {
    let found: Vec<usize> = ["<", ">", "'", "\""]
        .iter()
        .flat_map(|mark| super::find(&case.body, mark.as_bytes()))
        .filter(|_| case.value("content-type").is_some_and(|value| value.windows(3).any(|w| w == b"xml")))
        .collect();
    if found.is_empty() {
        return;
    }
    let tokens: &[&[u8]] = &[
        b"<![CDATA[",
        b"]]>",
        b"<!-- tea -->",
        b"<!--",
        b"-->",
        b"<?tea?>",
        b"<!DOCTYPE order>",
        b"<!DOCTYPE order [<!ENTITY a \"tea\">]>",
        b"&#x27;",
        b"&#0;",
        b"&amp;",
        b"&a;",
        b"<a>",
        b"</a>",
        b"<a/>",
        b" xmlns=\"urn:a\"",
        b" a=\"1\"",
        b"<?xml version=\"1.0\" encoding=\"utf-16\"?>",
        b"<?xml version=\"1.0\" encoding=\"utf-7\"?>",
        b"<?xml version=\"1.1\"?>",
        b"\xef\xbb\xbf",
        b" ",
        b"\n",
        b"\0",
        b"<a b='",
        b"<a:b>",
        b"]]",
    ];
    let at = random.of_list(&found) + random.below(2);
    case.body.splice(at..at, random.of_list(tokens).iter().copied());
}
