//! The inside of a JSON string, unescaped as it comes.

use super::fault::Fault;
use crate::buffer::recycle;

/// Treatment of an escape that is half of a surrogate pair, which names no character (RFC 8259, section 8.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HalfPairs {
    /// A fault.
    #[default]
    Refused,
    /// U+FFFD.
    Replaced,
}

/// A string or scalar in the making.
#[derive(Debug, Default)]
pub(super) struct StringReader {
    bytes: Vec<u8>,
    half_pairs: HalfPairs,
    escape: Escape,
    /// First half of a surrogate pair.
    high: Option<u32>,
}

/// Progress of an escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Escape {
    #[default]
    None,
    /// After the backslash.
    Begun,
    /// After `\u` and so many digits of that value.
    Hex(u8, u32),
}

impl StringReader {
    pub(super) fn new(half_pairs: HalfPairs) -> StringReader {
        StringReader { half_pairs, ..StringReader::default() }
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.escape = Escape::None;
        self.high = None;
    }

    /// Empties it for the next request.
    pub(super) fn reset(&mut self) {
        self.clear();
        recycle(&mut self.bytes);
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends bytes that need no unescaping.
    #[inline]
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A string that lies in `rest` to its end and needs no unescaping, and what is left: the common case, not copied.
    #[inline]
    pub(super) fn whole<'c>(&self, rest: &'c [u8]) -> Option<(&'c [u8], &'c [u8])> {
        if !self.bytes.is_empty() || self.escape != Escape::None || self.high.is_some() {
            return None;
        }
        let (text, marked) = rest.split_at_checked(memchr::memchr2(b'"', b'\\', rest)?)?;
        // A loop without a way out is compiled to vector instructions.
        let lowest = text.iter().fold(u8::MAX, |lowest, byte| lowest.min(*byte));
        let plain = marked.first() == Some(&b'"') && lowest >= 0x20;
        plain.then(|| (text, marked.get(1..).unwrap_or_default()))
    }

    /// Takes bytes up to the end of the string, one escape, or the end of `rest`: what is left, and `true` if the string is
    /// complete.
    #[inline]
    pub(super) fn take<'c>(&mut self, rest: &'c [u8]) -> Result<(&'c [u8], bool), Fault> {
        let Some((&byte, after)) = rest.split_first() else { return Ok((rest, false)) };
        let step = match self.escape {
            Escape::Begun => self.escaped(byte),
            Escape::Hex(digits, value) => self.hex(digits, value, byte),
            Escape::None if self.high.is_some() && byte != b'\\' => match self.half_pair() {
                Ok(()) => return self.plain(rest),
                fault => fault,
            },
            Escape::None => return self.plain(rest),
        };
        match step {
            Ok(()) => Ok((after, false)),
            Err(reason) => Err(Fault { reason, bytes_after: rest.len() }),
        }
    }

    #[inline]
    fn plain<'c>(&mut self, rest: &'c [u8]) -> Result<(&'c [u8], bool), Fault> {
        let end = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        let (text, marked) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        if let Some((before, after)) =
            text.iter().position(|byte| *byte < 0x20).and_then(|at| rest.split_at_checked(at))
        {
            self.bytes.extend_from_slice(before);
            let reason = "a JSON string holds a control character";
            return Err(Fault { reason, bytes_after: after.len() });
        }
        self.bytes.extend_from_slice(text);
        match marked.split_first() {
            Some((b'"', after)) => Ok((after, true)),
            Some((_, after)) => {
                self.escape = Escape::Begun;
                Ok((after, false))
            }
            None => Ok((marked, false)),
        }
    }

    /// The first half of a pair, or the second, stands alone.
    fn half_pair(&mut self) -> Result<(), &'static str> {
        self.high = None;
        match self.half_pairs {
            HalfPairs::Refused => Err("a JSON string holds half a surrogate pair"),
            HalfPairs::Replaced => {
                self.character(char::REPLACEMENT_CHARACTER);
                Ok(())
            }
        }
    }

    fn character(&mut self, character: char) {
        let mut utf8 = [0; 4];
        self.bytes.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
    }

    fn escaped(&mut self, byte: u8) -> Result<(), &'static str> {
        if byte == b'u' {
            self.escape = Escape::Hex(0, 0);
            return Ok(());
        }
        if self.high.is_some() {
            self.half_pair()?;
        }
        self.bytes.push(match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            _ => return Err("a JSON string holds an unknown escape"),
        });
        self.escape = Escape::None;
        Ok(())
    }

    fn hex(&mut self, digits: u8, value: u32, byte: u8) -> Result<(), &'static str> {
        let digit = char::from(byte).to_digit(16).ok_or("a JSON string holds an unknown escape")?;
        let value = (value << 4) | digit;
        if digits < 3 {
            self.escape = Escape::Hex(digits + 1, value);
            return Ok(());
        }
        self.escape = Escape::None;
        if let (Some(high), 0xdc00..=0xdfff) = (self.high, value) {
            self.high = None;
            let code_point = 0x1_0000 + ((high - 0xd800) << 10) + (value - 0xdc00);
            self.character(char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER));
            return Ok(());
        }
        if self.high.is_some() {
            self.half_pair()?;
        }
        match char::from_u32(value) {
            Some(character) => self.character(character),
            None if value < 0xdc00 => self.high = Some(value),
            None => self.half_pair()?,
        }
        Ok(())
    }
}
