//! From text to values: strict JSON (RFC 8259), without recursion, up to a bound on values and depth.

use std::borrow::Cow;

use waf_shared::limits::{CONTRACT_DEPTH_MAX, CONTRACT_VALUES_MAX};

use super::{At, Document, Value};
use crate::number::Number;

/// A text is no JSON, or nested deeper than any that is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text is not JSON")]
pub struct Malformed;

/// Reason why reading stopped early.
enum Stop {
    /// The text ends here, or the bound on values is reached.
    Cut,
    Malformed,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    document: Document<'t>,
    /// Containers that are not closed yet.
    stack: Vec<At>,
}

pub(super) fn read(text: &[u8], is_whole: bool) -> Result<Document<'_>, Malformed> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        // A character that was cut in two.
        Err(error) if !is_whole && error.error_len().is_none() => {
            std::str::from_utf8(text.get(..error.valid_up_to()).unwrap_or_default()).map_err(|_| Malformed)?
        }
        Err(_) => return Err(Malformed),
    };
    let mut reader = Reader { text, at: 0, document: Document::default(), stack: Vec::new() };
    match reader.run() {
        Ok(()) => {}
        Err(Stop::Malformed) => return Err(Malformed),
        Err(Stop::Cut) if is_whole && reader.document.len() < CONTRACT_VALUES_MAX => return Err(Malformed),
        Err(Stop::Cut) => {
            while let Some(at) = reader.stack.pop() {
                reader.document.close(at, true);
            }
            if reader.document.len() == 0 {
                reader.document.push(None, Value::Unknown);
            }
        }
    }
    Ok(reader.document)
}

impl<'t> Reader<'t> {
    fn run(&mut self) -> Result<(), Stop> {
        self.blank();
        self.value(None)?;
        while let Some(&container) = self.stack.last() {
            let is_object =
                self.document.node(container).is_some_and(|node| matches!(node.value, Value::Object));
            let is_first = self.document.len() == container.0 as usize + 1;
            self.blank();
            match self.peek()? {
                b'}' if is_object => self.end(container),
                b']' if !is_object => self.end(container),
                byte => {
                    if !is_first {
                        self.expect(byte, b',')?;
                        self.blank();
                    }
                    let key = if is_object { Some(self.key()?) } else { None };
                    self.value(key)?;
                }
            }
        }
        self.blank();
        if self.at == self.text.len() { Ok(()) } else { Err(Stop::Malformed) }
    }

    fn end(&mut self, container: At) {
        self.at += 1;
        self.document.close(container, false);
        self.stack.pop();
    }

    fn key(&mut self) -> Result<Cow<'t, str>, Stop> {
        let byte = self.peek()?;
        if byte != b'"' {
            return Err(Stop::Malformed);
        }
        let key = self.string()?;
        self.blank();
        let byte = self.peek()?;
        self.expect(byte, b':')?;
        self.blank();
        Ok(key)
    }

    fn value(&mut self, key: Option<Cow<'t, str>>) -> Result<(), Stop> {
        if self.document.len() >= CONTRACT_VALUES_MAX {
            return Err(Stop::Cut);
        }
        let value = match self.peek() {
            Err(stop) => {
                self.document.push(key, Value::Unknown);
                return Err(stop);
            }
            Ok(b'{') => return self.begin(key, Value::Object),
            Ok(b'[') => return self.begin(key, Value::Array),
            Ok(b'"') => self.string().map(Value::Text),
            Ok(b't') => self.word("true", Value::Bool(true)),
            Ok(b'f') => self.word("false", Value::Bool(false)),
            Ok(b'n') => self.word("null", Value::Null),
            Ok(_) => self.number(),
        };
        match value {
            Ok(value) => {
                self.document.push(key, value);
                Ok(())
            }
            Err(stop) => {
                self.document.push(key, Value::Unknown);
                Err(stop)
            }
        }
    }

    fn begin(&mut self, key: Option<Cow<'t, str>>, value: Value<'t>) -> Result<(), Stop> {
        if self.stack.len() >= CONTRACT_DEPTH_MAX {
            return Err(Stop::Malformed);
        }
        self.at += 1;
        let at = self.document.open(key, value);
        self.stack.push(at);
        Ok(())
    }

    fn word(&mut self, word: &str, value: Value<'t>) -> Result<Value<'t>, Stop> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        Err(if word.starts_with(rest) { Stop::Cut } else { Stop::Malformed })
    }

    fn number(&mut self) -> Result<Value<'t>, Stop> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let text = rest.get(..length).unwrap_or_default();
        // Only a container can go on after its last value, so a number at the very end of one may be half of it.
        if length == rest.len() && !self.stack.is_empty() && !text.is_empty() {
            return Err(Stop::Cut);
        }
        let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
        let has_leading_zero = digits.first() == Some(&b'0') && digits.get(1).is_some_and(u8::is_ascii_digit);
        match Number::parse(text) {
            Some(number) if !has_leading_zero => {
                self.at += length;
                Ok(Value::Number(number))
            }
            _ => Err(Stop::Malformed),
        }
    }

    /// A string, from its opening quote.
    fn string(&mut self) -> Result<Cow<'t, str>, Stop> {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let Some(length) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)) else {
            return Err(Stop::Cut);
        };
        if rest.get(length) == Some(&b'"') {
            self.at = start + length + 1;
            return Ok(Cow::Borrowed(self.text.get(start..start + length).unwrap_or_default()));
        }
        let mut out = String::from(self.text.get(start..start + length).unwrap_or_default());
        self.at = start + length;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let length =
                rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)).ok_or(Stop::Cut)?;
            out.push_str(rest.get(..length).unwrap_or_default());
            self.at += length + 1;
            match rest.as_bytes().get(length) {
                Some(b'"') => return Ok(Cow::Owned(out)),
                Some(b'\\') => out.push(self.escape()?),
                _ => return Err(Stop::Malformed),
            }
        }
    }

    /// The character of an escape.
    fn escape(&mut self) -> Result<char, Stop> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.unicode()?,
            _ => return Err(Stop::Malformed),
        })
    }

    fn unicode(&mut self) -> Result<char, Stop> {
        let high = self.hex()?;
        if let Some(character) = char::from_u32(high) {
            return Ok(character);
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        if (0xd800..0xdc00).contains(&high) && rest.starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            let low = self.hex()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex(&mut self) -> Result<u32, Stop> {
        let Some(digits) = self.text.as_bytes().get(self.at..self.at + 4) else { return Err(Stop::Cut) };
        let mut value = 0;
        for digit in digits {
            value = value << 4 | char::from(*digit).to_digit(16).ok_or(Stop::Malformed)?;
        }
        self.at += 4;
        Ok(value)
    }

    fn peek(&self) -> Result<u8, Stop> {
        self.text.as_bytes().get(self.at).copied().ok_or(Stop::Cut)
    }

    fn expect(&mut self, byte: u8, wanted: u8) -> Result<(), Stop> {
        if byte != wanted {
            return Err(Stop::Malformed);
        }
        self.at += 1;
        Ok(())
    }

    fn blank(&mut self) {
        while matches!(self.text.as_bytes().get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
}
