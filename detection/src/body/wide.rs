//! Characters of two or four bytes: how readers recognise UTF-16 and UTF-32 that nobody declares, and a decoder for UTF-32.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// A character set whose ASCII holds zero bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wide {
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
}

impl Wide {
    /// The decoder of the Encoding Standard, which knows no UTF-32.
    pub(super) const fn encoding(self) -> Option<&'static Encoding> {
        match self {
            Wide::Utf16Le => Some(UTF_16LE),
            Wide::Utf16Be => Some(UTF_16BE),
            Wide::Utf32Le | Wide::Utf32Be => None,
        }
    }
}

/// Bytes that [`mark`] and [`first`] look at.
pub(super) const FIRST_BYTES: usize = 4;

/// The set that a byte order mark names, if `head` begins with one that is not of UTF-8.
pub(super) fn mark(head: &[u8]) -> Option<Wide> {
    match head {
        [0xff, 0xfe, 0, 0, ..] => Some(Wide::Utf32Le),
        [0, 0, 0xfe, 0xff, ..] => Some(Wide::Utf32Be),
        [0xff, 0xfe, ..] => Some(Wide::Utf16Le),
        [0xfe, 0xff, ..] => Some(Wide::Utf16Be),
        _ => None,
    }
}

/// The set that the zeros among the first bytes show, given that the text begins with ASCII. This is the rule of RFC 4627,
/// section 3, as JSON libraries apply it to this day.
pub(super) fn first(head: &[u8]) -> Option<Wide> {
    match head {
        [0, 0, ..] => Some(Wide::Utf32Be),
        [0, _, ..] => Some(Wide::Utf16Be),
        [_, 0, 0, 0, ..] => Some(Wide::Utf32Le),
        [_, 0, ..] => Some(Wide::Utf16Le),
        _ => None,
    }
}

/// The set that zeros further behind show, where the text begins with other letters than ASCII.
pub(super) fn mostly(head: &[u8]) -> Option<Wide> {
    let zeros =
        |from: usize, step: usize| head.iter().skip(from).step_by(step).filter(|byte| **byte == 0).count();
    let units = head.len() / 4;
    if units > 0 && zeros(3, 4) == units && zeros(0, 4) < units {
        return Some(Wide::Utf32Le);
    }
    if units > 0 && zeros(0, 4) == units && zeros(3, 4) < units {
        return Some(Wide::Utf32Be);
    }
    match (zeros(0, 2), zeros(1, 2)) {
        (even, odd) if odd > 2 * even => Some(Wide::Utf16Le),
        (even, odd) if even > 2 * odd => Some(Wide::Utf16Be),
        _ => None,
    }
}

/// Decodes UTF-32 in pieces.
#[derive(Debug)]
pub(super) struct Utf32 {
    is_big: bool,
    /// Bytes of a character that is not complete.
    part: Vec<u8>,
    /// True if a character came, so that no mark can follow.
    begun: bool,
}

impl Utf32 {
    pub(super) fn new(is_big: bool) -> Utf32 {
        Utf32 { is_big, part: Vec::with_capacity(4), begun: false }
    }

    /// Appends the characters of `bytes` to `out` as UTF-8. `false` when some are none; U+FFFD stands in for each.
    pub(super) fn decode(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) -> bool {
        let mut good = true;
        for &byte in bytes {
            self.part.push(byte);
            if let Ok(unit) = <[u8; 4]>::try_from(self.part.as_slice()) {
                self.part.clear();
                good &= self.character(unit, out);
            }
        }
        if last && !self.part.is_empty() {
            self.part.clear();
            return false;
        }
        good
    }

    fn character(&mut self, unit: [u8; 4], out: &mut Vec<u8>) -> bool {
        let value = if self.is_big { u32::from_be_bytes(unit) } else { u32::from_le_bytes(unit) };
        let is_mark = value == 0xfeff && !self.begun;
        self.begun = true;
        if is_mark {
            return true;
        }
        let character = char::from_u32(value);
        let written = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(written.encode_utf8(&mut [0; 4]).as_bytes());
        character.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_told_by_marks_and_zeros() {
        for (head, expected) in [
            (&b"{\0\"\0"[..], Some(Wide::Utf16Le)),
            (b"\0{\0\"", Some(Wide::Utf16Be)),
            (b"{\0\0\0\"\0\0\0", Some(Wide::Utf32Le)),
            (b"\0\0\0{\0\0\0\"", Some(Wide::Utf32Be)),
            (b"\"\0\x2d\x4e", Some(Wide::Utf16Le)),
            (b"[\0", Some(Wide::Utf16Le)),
            (b"\0[", Some(Wide::Utf16Be)),
            (b"{\"a\":", None),
            (b"", None),
        ] {
            assert_eq!(first(head), expected, "{}", head.escape_ascii());
            assert_eq!(mark(head), None, "{}", head.escape_ascii());
        }
        assert_eq!(mark(b"\xff\xfe\0\0{\0\0\0"), Some(Wide::Utf32Le));
        assert_eq!(mark(b"\0\0\xfe\xff"), Some(Wide::Utf32Be));
        assert_eq!(mark(b"\xff\xfea\0"), Some(Wide::Utf16Le));
        let text = "名前=x <b>, then ASCII";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let four: Vec<u8> = text.chars().flat_map(|one| u32::from(one).to_be_bytes()).collect();
        assert_eq!((mostly(&le), mostly(&be)), (Some(Wide::Utf16Le), Some(Wide::Utf16Be)));
        assert_eq!(mostly(&four), Some(Wide::Utf32Be));
        assert_eq!(mostly("名前=x <b>, plain UTF-8".as_bytes()), None);
    }

    #[test]
    fn utf32_is_decoded_in_any_pieces() {
        let text = "\u{feff}a\u{0}名\u{1f600}";
        for is_big in [false, true] {
            let order = if is_big { u32::to_be_bytes } else { u32::to_le_bytes };
            let bytes: Vec<u8> = text.chars().flat_map(|one| order(u32::from(one))).collect();
            for size in 1..9 {
                let (mut decoder, mut out) = (Utf32::new(is_big), Vec::new());
                for piece in bytes.chunks(size) {
                    assert!(decoder.decode(piece, false, &mut out));
                }
                assert!(decoder.decode(b"", true, &mut out));
                assert_eq!(out, "a\0名\u{1f600}".as_bytes());
            }
        }
        let mut out = Vec::new();
        assert!(!Utf32::new(true).decode(b"\0\0\xd8\0\0\0\0", true, &mut out));
        assert_eq!(out, "\u{fffd}".as_bytes());
    }
}
