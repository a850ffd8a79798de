//! JSON (RFC 8259), written straight into the line of an event: a member is said where its value is known, and a
//! string that needs no escape is copied whole. A serialiser's byte-wise look at each string, the keys of this program
//! too, was half of what an event cost. Beyond what JSON asks for, whatever a terminal or a reader of lines obeys is
//! escaped ([`is_escaped`]).

use std::fmt::Display;
use std::io::Write as _;

use waf_shared::text::is_escaped;

/// An object that is being written. Members without a value are not written: no field of an event is ever null.
pub(super) struct Object<'o> {
    out: &'o mut Vec<u8>,
}

impl Object<'_> {
    /// Appends an object with the members that `write` gives it.
    pub(super) fn write(out: &mut Vec<u8>, write: impl FnOnce(&mut Object<'_>)) {
        let start = out.len();
        write(&mut Object { out: &mut *out });
        // Each member opens with its comma; the first one's place is the brace's.
        match out.get_mut(start) {
            Some(comma) => *comma = b'{',
            None => out.push(b'{'),
        }
        out.push(b'}');
    }

    /// A member that is a string.
    #[inline]
    pub(super) fn string<'v>(&mut self, key: &'static str, value: impl Into<Option<&'v str>>) {
        if let Some(value) = value.into() {
            string(self.member(key), value);
        }
    }

    /// A member that is a string of this program's own: a name, a caption, an id. None of them needs an escape.
    #[inline]
    pub(super) fn constant(&mut self, key: &'static str, value: impl Into<Option<&'static str>>) {
        if let Some(value) = value.into() {
            debug_assert!(is_plain(value), "{value}");
            quoted(self.member(key), value);
        }
    }

    /// A member that is a string, of a value whose text needs no escape: an address, a number in digits.
    pub(super) fn text(&mut self, key: &'static str, value: impl Display) {
        text(self.member(key), value);
    }

    /// A member that is a whole number.
    #[inline]
    pub(super) fn number(&mut self, key: &'static str, value: impl itoa::Integer) {
        self.member(key).extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    /// A member that is an object.
    #[inline]
    pub(super) fn object(&mut self, key: &'static str, write: impl FnOnce(&mut Object<'_>)) {
        Object::write(self.member(key), write);
    }

    /// A member that is an array of strings.
    pub(super) fn strings<T: AsRef<str>>(&mut self, key: &'static str, items: impl IntoIterator<Item = T>) {
        self.array(key, items, |out, item| string(out, item.as_ref()));
    }

    /// A member that is an array, whose elements `element` writes.
    pub(super) fn array<T>(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = T>,
        mut element: impl FnMut(&mut Vec<u8>, T),
    ) {
        let out = self.member(key);
        out.push(b'[');
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            element(out, item);
        }
        out.push(b']');
    }

    /// The comma and the key, which is a name of this program and needs no escape. Where it is inlined, the key's
    /// length is known and its bytes are stored instead of copied by a call; with the members above that is a fifth of
    /// the cost of a long line.
    #[inline]
    fn member(&mut self, key: &'static str) -> &mut Vec<u8> {
        debug_assert!(is_plain(key), "{key}");
        self.out.extend_from_slice(b",\"");
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }
}

/// Appends `text` as a string.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    if is_plain(text) {
        return quoted(out, text);
    }
    out.push(b'"');
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        let short = match character {
            '"' => Some(b'"'),
            '\\' => Some(b'\\'),
            '\n' => Some(b'n'),
            '\r' => Some(b'r'),
            '\t' => Some(b't'),
            '\u{8}' => Some(b'b'),
            '\u{c}' => Some(b'f'),
            other if is_escaped(other) => None,
            _ => continue,
        };
        out.extend_from_slice(text.as_bytes().get(plain..at).unwrap_or_default());
        plain = at + character.len_utf8();
        match short {
            Some(letter) => out.extend_from_slice(&[b'\\', letter]),
            // A vector takes everything.
            None => drop(write!(out, "\\u{:04x}", u32::from(character))),
        }
    }
    out.extend_from_slice(text.as_bytes().get(plain..).unwrap_or_default());
    out.push(b'"');
}

/// Bytes that `character` takes in a string.
pub(super) fn written_len(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        other if is_escaped(other) => 6,
        other => other.len_utf8(),
    }
}

fn quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

/// Appends `value` as a string, where its text needs no escape.
pub(super) fn text(out: &mut Vec<u8>, value: impl Display) {
    out.push(b'"');
    let start = out.len();
    // A vector takes everything.
    let _ = write!(out, "{value}");
    debug_assert!(out.get(start..).and_then(|text| std::str::from_utf8(text).ok()).is_some_and(is_plain));
    out.push(b'"');
}

/// Reports whether `text` is ASCII that is written as it stands, without an escape.
pub(super) fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
    // Sixteen at a time without a branch between them: that much is one step for the processor.
    let all = |chunk: &[u8]| chunk.iter().fold(true, |all, byte| all & plain(*byte));
    let (chunks, rest) = text.as_bytes().as_chunks::<16>();
    match text.as_bytes().last_chunk::<16>() {
        Some(last) => chunks.iter().all(|chunk| all(chunk)) && all(last),
        None => all(rest),
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn objects_have_their_braces_and_commas() {
        let written = |write: fn(&mut Object<'_>)| {
            let mut out = b"x".to_vec();
            Object::write(&mut out, write);
            String::from_utf8(out).expect("text")
        };
        assert_eq!(written(|_| {}), "x{}");
        assert_eq!(written(|object| object.string("a", None)), "x{}");
        assert_eq!(
            written(|object| {
                object.string("a", "b\"");
                object.number("n", u64::MAX);
                object.strings("l", ["c", "\n"]);
                object.strings("e", [""; 0]);
                object.object("o", |inner| inner.text("t", IpAddr::from([127, 0, 0, 1])));
            }),
            concat!(
                "x{\"a\":\"b\\\"\",\"n\":18446744073709551615,\"l\":[\"c\",\"\\n\"],\"e\":[],",
                "\"o\":{\"t\":\"127.0.0.1\"}}"
            )
        );
    }

    proptest! {
        #[test]
        fn strings_are_as_the_library_writes_them_but_for_more_escapes(
            text in "(?s)(.|[\"\\\\\0-\x20]|[\x7f-\u{a0}\u{61c}\u{200d}-\u{200f}\u{2027}-\u{202f}\u{2065}-\u{206a}]|[a-z]{10,40}){0,8}"
        ) {
            let mut out = Vec::new();
            string(&mut out, &text);
            let library = waf_shared::text::escaped(&serde_json::to_string(&text).expect("JSON"));
            prop_assert_eq!(out.len(), text.chars().map(written_len).sum::<usize>() + 2);
            prop_assert_eq!(String::from_utf8(out).expect("text"), library);
        }
    }
}
