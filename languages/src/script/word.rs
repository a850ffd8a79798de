//! Names in a value, what follows them and what lies between: white space, comments, escapes, parentheses.

use memchr::{memchr, memmem};

use crate::html::reference;

/// Longest name that means anything here.
const NAME_BYTES_MAX: usize = 24;
/// How far what follows a name is looked at.
pub(crate) const AHEAD_BYTES_MAX: usize = 160;

/// A name and where it ends, with `\u0061` decoded.
pub(crate) struct Word {
    bytes: [u8; NAME_BYTES_MAX],
    length: usize,
    pub(crate) end: usize,
}

impl Word {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// What follows a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// `(`, at this offset.
    Call(usize),
    /// A template literal.
    Template,
    /// `.` or `?.` and a name that begins here.
    Member(usize),
    /// `[`, at this offset.
    Index(usize),
    /// `=` that assigns; what is assigned begins here.
    Assign(usize),
    /// Anything else, or the end.
    Other,
}

/// The name that begins at `at`, if one does.
pub(crate) fn word_at(bytes: &[u8], at: usize) -> Option<Word> {
    let mut word = Word { bytes: [0; NAME_BYTES_MAX], length: 0, end: at };
    while let Some(&byte) = bytes.get(word.end) {
        let (letter, step) = if continues_name(byte) {
            (byte, 1)
        } else if byte == b'\\' && bytes.get(word.end + 1) == Some(&b'u') {
            match unicode_escape(bytes.get(word.end + 2..).unwrap_or_default()) {
                Some((letter, length)) => (letter, length + 2),
                None => break,
            }
        } else {
            break;
        };
        if let Some(slot) = word.bytes.get_mut(word.length) {
            *slot = letter;
            word.length += 1;
        } else {
            // Longer than any name of interest: poison it.
            word.bytes = [b'_'; NAME_BYTES_MAX];
        }
        word.end += step;
    }
    (word.end > at).then_some(word)
}

/// `0061` or `{61}`, when it is a letter of a name.
fn unicode_escape(digits: &[u8]) -> Option<(u8, usize)> {
    let (text, length) = match digits.first()? {
        b'{' => {
            let end = memchr(b'}', digits.get(..12).unwrap_or(digits))?;
            (digits.get(1..end)?, end + 1)
        }
        _ => (digits.get(..4)?, 4),
    };
    let value = u32::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()?;
    let letter = u8::try_from(value).ok()?;
    continues_name(letter).then_some((letter, length))
}

/// Offset of the first byte at or after `at` that is neither white space nor in a comment.
pub(crate) fn skip_gap(bytes: &[u8], mut at: usize) -> usize {
    let stop = at.saturating_add(AHEAD_BYTES_MAX).min(bytes.len());
    while at < stop {
        let rest = bytes.get(at..stop).unwrap_or_default();
        match rest {
            [byte, ..] if byte.is_ascii_whitespace() => at += 1,
            [b'/', b'*', ..] => match memmem::find(rest.get(2..).unwrap_or_default(), b"*/") {
                Some(end) => at += end + 4,
                None => return at,
            },
            [0xef, 0xbb, 0xbf, ..] => at += 3,
            // A short tag that a filter takes out later.
            [b'<', letter, ..] if letter.is_ascii_alphabetic() => {
                match memchr(b'>', rest.get(..12).unwrap_or(rest)) {
                    Some(end) => at += end + 1,
                    None => return at,
                }
            }
            _ => return at,
        }
    }
    at
}

/// Whether the byte may stand inside a name.
pub(crate) fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// What follows the name that ends at `end`.
pub(crate) fn after(bytes: &[u8], end: usize) -> After {
    let mut at = skip_gap(bytes, end);
    // `(alert)(1)`: closing parentheses are passed over when a call follows.
    let closing =
        bytes.get(at..).unwrap_or_default().iter().take(8).take_while(|&&byte| byte == b')').count();
    if closing > 0 {
        let behind = skip_gap(bytes, at + closing);
        if !matches!(bytes.get(behind), Some(b'(' | b'`')) || behind != at + closing {
            return After::Other;
        }
        at = behind;
    }
    if bytes.get(at..).is_some_and(|rest| rest.starts_with(b"?.")) {
        at = skip_gap(bytes, at + 2);
        if word_at(bytes, at).is_some() {
            return After::Member(at);
        }
    }
    match bytes.get(at) {
        Some(b'(') => After::Call(at),
        Some(b'`') => After::Template,
        Some(b'[') => After::Index(at),
        Some(b'.') => After::Member(skip_gap(bytes, at + 1)),
        Some(b'=') if bytes.get(at + 1) != Some(&b'=') => After::Assign(at + 1),
        Some(b'&') => match reference::reference(bytes.get(at..).unwrap_or_default()) {
            Some((40, length)) => After::Call(at + length - 1),
            _ => After::Other,
        },
        Some(b'\\') => {
            let rest = bytes.get(at..).unwrap_or_default();
            if rest.starts_with(b"\\x28") || rest.starts_with(b"\\50") {
                After::Call(at + 2)
            } else if rest.starts_with(b"\\u0028") {
                After::Call(at + 5)
            } else if rest.starts_with(b"\\`") {
                After::Template
            } else {
                After::Other
            }
        }
        Some(b'%') if bytes.get(at..).is_some_and(|rest| rest.starts_with(b"%28")) => After::Call(at + 2),
        _ => After::Other,
    }
}
/// Whether the name at `at` is a member: behind a dot, or quoted in brackets.
pub(crate) fn is_member(bytes: &[u8], at: usize) -> bool {
    follows(bytes, at, b".'\"`")
}

/// Whether the last byte before `at` that is no white space is one of `wanted`.
pub(crate) fn follows(bytes: &[u8], at: usize, wanted: &[u8]) -> bool {
    let head = bytes.get(..at).unwrap_or_default();
    head.iter()
        .rev()
        .take(32)
        .find(|byte| !byte.is_ascii_whitespace())
        .is_some_and(|byte| wanted.contains(byte))
}

/// Offset of the first name in the value.
pub(crate) fn first_name(bytes: &[u8]) -> usize {
    bytes.iter().take(AHEAD_BYTES_MAX).position(|&byte| continues_name(byte)).unwrap_or(0)
}
