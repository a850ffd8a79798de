//! The inside of a JSON string, unescaped as it comes, and the grammar of numbers.

use crate::body::buffer::recycle;

const HALF_PAIR: &str = "a JSON string holds half a surrogate pair";

/// A string or scalar in the making.
#[derive(Debug, Default)]
pub(super) struct Text {
    bytes: Vec<u8>,
    escape: Escape,
    /// First half of a surrogate pair.
    high: Option<u32>,
}

/// How far an escape has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Escape {
    #[default]
    None,
    /// After the backslash.
    Begun,
    /// After `\u` and so many digits of that value.
    Hex(u8, u32),
}

impl Text {
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

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends bytes that need no unescaping.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A string that lies in `rest` to its end and needs no unescaping, and what is left: the common case, not copied.
    pub(super) fn whole<'c>(&self, rest: &'c [u8]) -> Option<(&'c [u8], &'c [u8])> {
        if !self.bytes.is_empty() || self.escape != Escape::None || self.high.is_some() {
            return None;
        }
        let (text, marked) = rest.split_at_checked(memchr::memchr2(b'"', b'\\', rest)?)?;
        let plain = marked.first() == Some(&b'"') && text.iter().all(|byte| *byte >= 0x20);
        plain.then(|| (text, marked.get(1..).unwrap_or_default()))
    }

    /// Takes bytes up to the end of the string, one escape, or the end of `rest`: what is left, and whether the string
    /// is complete; or the fault, and how many bytes follow it.
    pub(super) fn take<'c>(&mut self, rest: &'c [u8]) -> Result<(&'c [u8], bool), (&'static str, usize)> {
        let Some((&byte, after)) = rest.split_first() else { return Ok((rest, false)) };
        let located = |fault| (fault, rest.len());
        match self.escape {
            Escape::Begun => self.escaped(byte).map(|()| (after, false)).map_err(located),
            Escape::Hex(digits, value) => {
                self.hex(digits, value, byte).map(|()| (after, false)).map_err(located)
            }
            Escape::None if self.high.is_some() && byte != b'\\' => Err(located(HALF_PAIR)),
            Escape::None => self.plain(rest),
        }
    }

    fn plain<'c>(&mut self, rest: &'c [u8]) -> Result<(&'c [u8], bool), (&'static str, usize)> {
        let end = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
        let (text, marked) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        if let Some((before, after)) =
            text.iter().position(|byte| *byte < 0x20).and_then(|at| rest.split_at_checked(at))
        {
            self.bytes.extend_from_slice(before);
            return Err(("a JSON string holds a control character", after.len()));
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

    fn escaped(&mut self, byte: u8) -> Result<(), &'static str> {
        if byte == b'u' {
            self.escape = Escape::Hex(0, 0);
            return Ok(());
        }
        if self.high.is_some() {
            return Err(HALF_PAIR);
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
        let code_point = match (self.high.take(), value) {
            (None, 0xd800..=0xdbff) => {
                self.high = Some(value);
                return Ok(());
            }
            (Some(high), 0xdc00..=0xdfff) => 0x1_0000 + ((high - 0xd800) << 10) + (value - 0xdc00),
            (None, value) => value,
            (Some(_), _) => return Err(HALF_PAIR),
        };
        let character = char::from_u32(code_point).ok_or(HALF_PAIR)?;
        let mut utf8 = [0; 4];
        self.bytes.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
        Ok(())
    }
}

/// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
pub(super) fn is_number(token: &[u8]) -> bool {
    let digits = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = token.strip_prefix(b"-").unwrap_or(token);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.first() == Some(&b'0')) {
        return false;
    }
    let mut rest = rest.get(whole..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = fraction.get(count..).unwrap_or_default();
    }
    if let Some((b'e' | b'E', exponent)) = rest.split_first() {
        let exponent =
            exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_number;

    #[test]
    fn numbers_follow_the_grammar() {
        for good in ["0", "-0", "10", "1.5", "-1.5e10", "1E+5", "2e-3"] {
            assert!(is_number(good.as_bytes()), "{good}");
        }
        for bad in ["", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "1.5.2", "NaN", "1e5x"] {
            assert!(!is_number(bad.as_bytes()), "{bad}");
        }
    }
}
