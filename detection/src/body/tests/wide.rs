//! UTF-16 and UTF-32 that nobody declares, and bytes that merely look like them.

use super::{Said, leaves, read, spellings, values};
use crate::field::Place;

#[test]
fn wide_characters_are_read_without_a_mark() {
    let json = "{\"user\": [\"A\", \"\u{540d}\u{4e00}\"]}";
    let xml = "<?xml version='1.0'?><user>A</user>";
    for kind in [
        "application/json",
        "application/json; charset=utf-8",
        "text/json; charset=iso-8859-1",
        "text/plain",
        "",
        "x/y",
        "application/x-www-form-urlencoded",
    ] {
        for bytes in spellings(json) {
            let said = read(kind, &bytes);
            assert!(values(&said, Place::Json).contains(&"A"), "{kind} {}: {said:?}", bytes.escape_ascii());
        }
    }
    for kind in ["text/xml", "application/soap+xml; charset=utf-8", "text/plain", "x/y"] {
        for bytes in spellings(xml) {
            let said = read(kind, &bytes);
            assert!(values(&said, Place::Xml).contains(&"A"), "{kind} {}: {said:?}", bytes.escape_ascii());
        }
    }
    for text in ["some A text", "\u{540d}\u{524d} some A text"] {
        for bytes in spellings(text) {
            for kind in ["text/plain", "text/plain; charset=utf-8", "text/csv; charset=iso-8859-1", ""] {
                let said = read(kind, &bytes);
                let found = values(&said, Place::Body).iter().any(|found| found.ends_with("some A text"));
                assert!(found && leaves(&said).is_empty(), "{kind} {}: {said:?}", bytes.escape_ascii());
            }
            let part = [
                b"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n",
                bytes.as_slice(),
                b"\r\n--b--\r\n",
            ];
            let said = read("multipart/form-data; boundary=b", &part.concat());
            let found = values(&said, Place::Part).iter().any(|found| found.ends_with("some A text"));
            assert!(found, "{}: {said:?}", bytes.escape_ascii());
        }
    }
    for bytes in spellings("x=1&id=A&y=\u{540d}") {
        let said = read("application/x-www-form-urlencoded", &bytes);
        assert!(said.contains(&Said::Argument("id=A".into())), "{}: {said:?}", bytes.escape_ascii());
    }
}

/// Bytes that look like wide characters at first hide nothing that a reader of bytes would find behind them.
#[test]
fn bytes_are_read_beside_wide_characters() {
    for front in [&b"a\0=\0x\0"[..], b"\0a\0=\0x", b"a\0\0\0=\0\0\0", b"\xff\xfea=x", b"\xfe\xffa=x"] {
        let body = [front, &front.repeat(30), b"&id=A&"].concat();
        let said = read("application/x-www-form-urlencoded", &body);
        assert!(said.contains(&Said::Argument("id=A".into())), "{}", front.escape_ascii());
        for kind in ["text/plain", "text/plain; charset=utf-16"] {
            let said = read(kind, &body);
            let found = values(&said, Place::Body).iter().any(|found| found.ends_with("&id=A&"));
            assert!(found, "{kind} {}", front.escape_ascii());
        }
    }
}
