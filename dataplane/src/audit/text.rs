//! Bytes from outside as text that fits: valid UTF-8, no longer than a bound. The bound counts bytes as JSON writes
//! them, since that is what an event costs.

use std::borrow::Cow;

use super::json;

/// `bytes` as text; what is not UTF-8 becomes U+FFFD. At most `bytes_max` bytes of JSON.
pub(super) fn lossy(bytes: &[u8], bytes_max: usize) -> Cow<'_, str> {
    // A character is at least a byte of JSON for each of its own, so what lies beyond cannot be part of the result.
    let head = bytes.get(..bytes_max).unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(head) {
        return Cow::Borrowed(clip(text, bytes_max));
    }
    let mut text = String::from_utf8_lossy(head).into_owned();
    text.truncate(clip(&text, bytes_max).len());
    Cow::Owned(text)
}

/// `bytes` for a URL field: what is not UTF-8, and control characters, percent-encoded. At most `bytes_max` bytes of
/// JSON.
pub(super) fn url(bytes: &[u8], bytes_max: usize) -> Cow<'_, str> {
    let head = bytes.get(..bytes_max).unwrap_or(bytes);
    match std::str::from_utf8(head) {
        // Without a branch a byte, so that the processor takes sixteen of them at a time.
        Ok(text) if !text.bytes().fold(false, |found, byte| found | byte.is_ascii_control()) => {
            Cow::Borrowed(clip(text, bytes_max))
        }
        _ => {
            let mut out = String::with_capacity(head.len() + head.len() / 4);
            for chunk in head.utf8_chunks() {
                for character in chunk.valid().chars() {
                    if character.is_ascii_control() {
                        push_encoded(&mut out, character as u8);
                    } else {
                        out.push(character);
                    }
                }
                for byte in chunk.invalid() {
                    push_encoded(&mut out, *byte);
                }
            }
            out.truncate(clip(&out, bytes_max).len());
            Cow::Owned(out)
        }
    }
}

/// The front of `bytes`, at most `bytes_max` long, without a UTF-8 sequence that the cut would tear.
pub(super) fn cut(bytes: &[u8], bytes_max: usize) -> &[u8] {
    let Some(head) = bytes.get(..bytes_max) else { return bytes };
    match head.utf8_chunks().last() {
        // An incomplete sequence at the very end was torn by the cut; anything else was sent like this.
        Some(chunk) if torn(chunk.invalid(), bytes.get(bytes_max).copied()) => {
            head.get(..head.len() - chunk.invalid().len()).unwrap_or(head)
        }
        _ => head,
    }
}

/// The front of `text` that takes at most `bytes_max` bytes of JSON.
pub(super) fn clip(text: &str, bytes_max: usize) -> &str {
    // No byte takes more than six bytes of JSON, and most take one.
    if text.len() <= bytes_max / 6 || text.len() <= bytes_max && json::is_plain(text) {
        return text;
    }
    let mut written = 0;
    for (at, character) in text.char_indices() {
        written += json::written_len(character);
        if written > bytes_max {
            return text.get(..at).unwrap_or(text);
        }
    }
    text
}

fn torn(tail: &[u8], following: Option<u8>) -> bool {
    !tail.is_empty() && following.is_some_and(|byte| byte & 0xC0 == 0x80)
}

fn push_encoded(out: &mut String, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_text_are_replaced_or_encoded() {
        assert_eq!(lossy(b"a\xffb", 100), "a\u{fffd}b");
        assert_eq!(url(b"/a\xffb\0\xc3\xa9", 100), "/a%FFb%00\u{e9}");
    }

    #[test]
    fn bounds_count_json_bytes() {
        let quotes = vec![b'"'; 1_000];
        assert_eq!(lossy(&quotes, 100).len(), 50);
        let controls = vec![1; 1_000];
        assert_eq!(lossy(&controls, 100).len(), 16);
        assert_eq!(url(&vec![0xff; 1_000], 100).len(), 100);
        assert_eq!(lossy(&vec![0xff; 1_000], 100).len(), 99);
    }

    #[test]
    fn cutting_does_not_tear_characters() {
        assert_eq!(cut("ab\u{e9}".as_bytes(), 3), b"ab");
        assert_eq!(cut("ab\u{e9}".as_bytes(), 4), "ab\u{e9}".as_bytes());
        assert_eq!(cut("ab\u{20ac}cd".as_bytes(), 4), b"ab");
        assert_eq!(cut(b"ab\xffcd", 3), b"ab\xff");
        assert_eq!(cut(b"", 3), b"");
    }
}
