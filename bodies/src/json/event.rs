//! Events of a JSON document, in the order of its text.

use crate::Completeness;

/// Receiver of the events.
pub trait Events<'c> {
    /// A byte order mark stands before the document: readers that refuse it and readers that skip it are equally common.
    fn byte_order_mark(&mut self);
    /// A container begins.
    fn open(&mut self, container: Container);
    /// The innermost container ends, or what was fed ends within it.
    fn close(&mut self, completeness: Completeness);
    /// A name in the innermost object; `number` counts its names from 1.
    fn key(&mut self, key: Text<'c, '_>, number: u32);
    /// The innermost object, which ends or is cut off, has a name more than once.
    fn repeated_key(&mut self);
    /// A string value. One that is not UTF-8 is followed by a fault.
    fn string(&mut self, text: Text<'c, '_>);
    /// A number or a literal name.
    fn scalar(&mut self, scalar: Scalar<'_>);
    /// The text ends, or is not JSON from here on, before this is complete.
    fn unfinished(&mut self, unfinished: Unfinished<'_>);
    /// Returns `true` if nothing more is wanted.
    fn is_over(&self) -> bool;
}

/// Kind of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Container {
    /// `{}`
    Object,
    /// `[]`
    Array,
}

/// A string without its quotes and escapes.
#[derive(Debug, Clone, Copy)]
pub enum Text<'c, 'b> {
    /// As it is in the chunk.
    Chunk(&'c [u8]),
    /// Assembled, from escapes or from several chunks.
    Buffer(&'b [u8]),
}

impl Text<'_, '_> {
    /// Its bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Text::Chunk(bytes) | Text::Buffer(bytes) => bytes,
        }
    }
}

/// A value that is neither a string nor a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar<'b> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as written.
    Number(&'b [u8]),
}

/// Something that was begun and not completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished<'b> {
    /// A name, as far as it came.
    Key(&'b [u8]),
    /// A string value, as far as it came.
    String(&'b [u8]),
    /// A number or a literal name, as far as it came.
    Scalar(&'b [u8]),
    /// A value that has to follow.
    Missing,
}

impl Scalar<'_> {
    /// The scalar that `token` writes.
    #[inline]
    pub fn of(token: &[u8]) -> Option<Scalar<'_>> {
        match token {
            b"null" => Some(Scalar::Null),
            b"true" => Some(Scalar::Bool(true)),
            b"false" => Some(Scalar::Bool(false)),
            _ => is_number(token).then_some(Scalar::Number(token)),
        }
    }
}

/// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
#[inline]
fn is_number(token: &[u8]) -> bool {
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
