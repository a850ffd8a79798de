//! UTF-8 of text messages (RFC 6455 section 8.1), in pieces.

/// The state between two pieces of a text.
#[derive(Debug, Default)]
pub(crate) struct Utf8 {
    /// The bytes of a character whose end has not come.
    cut: [u8; 4],
    length: usize,
}

/// Bytes that are no UTF-8.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotUtf8;

impl Utf8 {
    /// Takes the next bytes of the text.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), NotUtf8> {
        let mut rest = bytes;
        while self.length > 0 {
            let Some((byte, after)) = rest.split_first() else { return Ok(()) };
            let Some(slot) = self.cut.get_mut(self.length) else { return Err(NotUtf8) };
            *slot = *byte;
            self.length += 1;
            rest = after;
            match std::str::from_utf8(self.cut.get(..self.length).unwrap_or_default()) {
                Ok(_) => self.length = 0,
                Err(error) if error.error_len().is_some() => return Err(NotUtf8),
                Err(_) => {}
            }
        }
        let Err(error) = std::str::from_utf8(rest) else { return Ok(()) };
        if error.error_len().is_some() {
            return Err(NotUtf8);
        }
        let cut = rest.get(error.valid_up_to()..).unwrap_or_default();
        for (slot, byte) in self.cut.iter_mut().zip(cut) {
            *slot = *byte;
        }
        self.length = cut.len();
        Ok(())
    }

    /// Takes the end of the text.
    pub(crate) fn finish(&self) -> Result<(), NotUtf8> {
        if self.length == 0 { Ok(()) } else { Err(NotUtf8) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_text(bytes: &[u8], size: usize) -> bool {
        let mut utf8 = Utf8::default();
        bytes.chunks(size).all(|piece| utf8.feed(piece).is_ok()) && utf8.finish().is_ok()
    }

    #[test]
    fn any_cut_of_a_text_is_judged_alike() {
        for text in [
            &b""[..],
            b"plain",
            "κόσμε Hello-µ@ßöäüàá-UTF-8!!".as_bytes(),
            "\u{10ffff}\u{ffff}\u{800}\u{80}\u{feff}".as_bytes(),
            b"\xce\xba\xed\xa0\x80edited",
            b"\xf4\x90\x80\x80",
            b"\xc0\xaf",
            b"\xe0\x80\x80",
            b"\x80",
            b"a\xf0\x9f\x98",
            b"a\xff",
        ] {
            for size in 1..=8 {
                let expected = std::str::from_utf8(text).is_ok();
                assert_eq!(is_text(text, size), expected, "{size}: {}", text.escape_ascii());
            }
        }
    }
}
