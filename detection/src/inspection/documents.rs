//! Documents inside values: JSON and GraphQL in a parameter, a cookie, a string of another document, base64. Applications
//! parse them once more and use each string for itself, so each is judged for itself. Read leniently, because nobody
//! declared them: what stands in double quotes is a string, whatever is wrong with the rest.

use std::borrow::Cow;

use crate::field::Place;
use crate::view::escapes;

/// How deep documents are looked for in strings of documents.
pub(super) const LEVELS_MAX: u8 = 2;
/// Documents of one value, which differ in how it was decoded.
pub(super) const DOCUMENTS_MAX: usize = 3;

/// Whether values at `place` can hold documents that are not read as such by a parser of bodies.
pub(super) const fn may_stand_at(place: Place) -> bool {
    matches!(place, Place::Query | Place::Form | Place::Cookie | Place::Json | Place::Xml | Place::Header)
}

/// Whether `text` has the look of a document with strings.
#[inline]
pub(super) fn is_one(text: &[u8]) -> bool {
    // Nearly every value is dismissed here.
    matches!(text.first(), Some(b'{' | b'[' | b'q' | b'm' | b's' | b' ' | b'\t' | b'\r' | b'\n'))
        && is_closed(text)
}

fn is_closed(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let closed = match (text.first(), text.last()) {
        (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')) => true,
        (Some(b'q' | b'm' | b's'), Some(b'}')) => {
            [&b"query"[..], b"mutation", b"subscription"].iter().any(|word| text.starts_with(word))
        }
        _ => false,
    };
    closed && memchr::memchr(b'"', text).is_some()
}

/// A string of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Literal<'d> {
    /// Name of the member or argument that it is the value of, of a name that of the object around it; empty where there
    /// is none.
    pub(super) key: &'d [u8],
    /// What stands between the quotes.
    text: &'d [u8],
    /// Whether it is itself the name of a member.
    pub(super) is_key: bool,
}

impl<'d> Literal<'d> {
    pub(super) fn unescaped(&self) -> Cow<'d, [u8]> {
        let mut out = Vec::new();
        if escapes::decode(self.text, &mut out) { Cow::Owned(out) } else { Cow::Borrowed(self.text) }
    }
}

/// The strings of a document, in order.
pub(super) struct Literals<'d> {
    rest: &'d [u8],
    /// The last name that a colon followed.
    pub(super) key: &'d [u8],
    /// The name of the object that was opened last; empty behind its end.
    parent: &'d [u8],
}

/// Quotes around a text of several lines in GraphQL (specification of October 2021, 2.9.4).
const BLOCK: &[u8] = b"\"\"\"";

impl<'d> Literals<'d> {
    pub(super) fn of(document: &'d [u8]) -> Literals<'d> {
        Literals { rest: document, key: b"", parent: b"" }
    }

    /// The string that the document goes on with, behind its opening quote. One without an end reaches to the end.
    fn string(&mut self) -> &'d [u8] {
        if let Some(block) = self.rest.strip_prefix(BLOCK) {
            let end = memchr::memmem::find(block, BLOCK).unwrap_or(block.len());
            self.rest = block.get(end + BLOCK.len()..).unwrap_or_default();
            return block.get(..end).unwrap_or_default();
        }
        let text = self.rest.get(1..).unwrap_or_default();
        let mut end = 0;
        loop {
            let ahead = text.get(end..).unwrap_or_default();
            match memchr::memchr2(b'"', b'\\', ahead) {
                Some(at) if ahead.get(at) == Some(&b'\\') => end = (end + at + 2).min(text.len()),
                Some(at) => {
                    end += at;
                    break;
                }
                None => {
                    end = text.len();
                    break;
                }
            }
        }
        self.rest = text.get(end + 1..).unwrap_or_default();
        text.get(..end).unwrap_or_default()
    }
}

impl<'d> Iterator for Literals<'d> {
    type Item = Literal<'d>;

    fn next(&mut self) -> Option<Literal<'d>> {
        let start = memchr::memchr(b'"', self.rest)?;
        let (before, from) = self.rest.split_at_checked(start)?;
        if let Some(word) = word_before_colon(before) {
            self.key = word;
        }
        self.rest = from;
        match before.iter().rev().find(|byte| matches!(byte, b'{' | b'}')) {
            Some(b'{') => self.parent = self.key,
            Some(_) => self.parent = b"",
            None => {}
        }
        let text = self.string();
        if self.rest.trim_ascii_start().first() == Some(&b':') {
            self.key = text;
            return Some(Literal { key: self.parent, text, is_key: true });
        }
        Some(Literal { key: self.key, text, is_key: false })
    }
}

/// The bare name in front of the last colon of what stands between two strings: an argument in GraphQL.
fn word_before_colon(between: &[u8]) -> Option<&[u8]> {
    let colon = memchr::memrchr(b':', between)?;
    let head = between.get(..colon)?.trim_ascii_end();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = head.iter().rposition(|byte| !is_name(byte)).map_or(0, |at| at + 1);
    head.get(start..).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(document: &str) -> Vec<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Literals::of(document.as_bytes())
            .map(|one| (if one.is_key { "KEY".to_owned() } else { text(one.key) }, text(&one.unescaped())))
            .collect()
    }

    fn check(document: &str, expected: &[(&str, &str)]) {
        let got = strings(document);
        let got: Vec<(&str, &str)> = got.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
        assert_eq!(got, expected, "{document}");
    }

    #[test]
    fn strings_of_documents_are_found() {
        check(r#"{"a":"b"}"#, &[("KEY", "a"), ("a", "b")]);
        check(r#"["a", "b\"c\u003c"]"#, &[("", "a"), ("", "b\"c<")]);
        check(r#"{"a" : ["b", "c"], "d":1}"#, &[("KEY", "a"), ("a", "b"), ("a", "c"), ("KEY", "d")]);
        check(r#"{user(name: "x", id:"y"){id}}"#, &[("name", "x"), ("id", "y")]);
        check(r#"query { a(t: """b "c" d""") }"#, &[("t", "b \"c\" d")]);
        // Neither duplicate members nor a missing end hide what stands there.
        check(
            r#"{"a":1,"a":"b","c":"d"#,
            &[("KEY", "a"), ("KEY", "a"), ("a", "b"), ("KEY", "c"), ("c", "d")],
        );
        check("[\"a\\", &[("", "a\\")]);
        check("{\"\"}", &[("", "")]);
    }

    #[test]
    fn documents_have_their_look() {
        for text in [r#"{"a":1}"#, r#" [ "a" ] "#, r#"query{a(b:"c")}"#, r#"{user(id:"1"){name}}"#] {
            assert!(is_one(text.as_bytes()), "{text}");
        }
        for text in ["", "{}", "{name}", "[1,2]", r#"say "hello""#, r#"query "x""#, r#"{"a":1"#, "{{user}}"] {
            assert!(!is_one(text.as_bytes()), "{text}");
        }
    }
}
