//! Segments of a path and the form in which they are compared. It knows nothing of patterns, and nothing here is ever
//! forwarded.

use std::borrow::Cow;

/// True if `raw` reads the same everywhere: nothing encoded, no empty or dot segment, no parameters, no backslash.
/// Such paths are matched in place.
pub(super) fn is_plain(raw: &[u8]) -> bool {
    let mut previous = 0;
    let ordinary = raw.iter().enumerate().all(|(index, &byte)| {
        let after_slash = previous == b'/';
        previous = byte;
        match byte {
            b'/' => !after_slash || index == 0,
            b'.' => !after_slash || !is_dot_segment(raw.get(index..).unwrap_or_default()),
            b'%' | b';' | b'\\' => false,
            _ => is_path_byte(byte),
        }
    });
    ordinary && raw.first() == Some(&b'/')
}

/// True if `rest`, which begins a segment with a dot, begins with the segment `.` or `..`.
fn is_dot_segment(rest: &[u8]) -> bool {
    matches!(rest, [b'.'] | [b'.', b'/', ..] | [b'.', b'.'] | [b'.', b'.', b'/', ..])
}

/// The segments of a plain path; the trailing slash makes none.
pub(super) fn segments(plain: &[u8]) -> impl Iterator<Item = &[u8]> {
    let inner = plain.strip_prefix(b"/").unwrap_or(plain);
    let inner = inner.strip_suffix(b"/").unwrap_or(inner);
    // `/` has no segment, and splitting nothing would give an empty one.
    inner.split(|byte| *byte == b'/').filter(move |_| !inner.is_empty())
}

/// One segment in the form in which paths and patterns are compared: unreserved characters decoded, hex digits in upper
/// case, and bytes that no path may carry encoded.
pub(super) fn canonical(segment: &[u8]) -> Cow<'_, [u8]> {
    if segment.iter().all(|byte| is_path_byte(*byte)) {
        return Cow::Borrowed(segment);
    }
    let mut out = Vec::with_capacity(segment.len());
    let mut rest = segment;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match (byte, escaped(tail)) {
            (b'%', Some((decoded, after))) => {
                rest = after;
                if is_unreserved(decoded) { out.push(decoded) } else { push_encoded(&mut out, decoded) }
            }
            // A percent sign that begins no escape stands for itself, as decoders have it.
            _ if is_path_byte(byte) => out.push(byte),
            _ => push_encoded(&mut out, byte),
        }
    }
    Cow::Owned(out)
}

/// The same form for a segment that was decoded before: `%2e` that came from `%252e` stands for itself.
pub(super) fn canonical_of_decoded(segment: &[u8]) -> Cow<'_, [u8]> {
    if segment.iter().all(|byte| is_path_byte(*byte)) {
        return Cow::Borrowed(segment);
    }
    let mut out = Vec::with_capacity(segment.len());
    for &byte in segment {
        if is_path_byte(byte) { out.push(byte) } else { push_encoded(&mut out, byte) }
    }
    Cow::Owned(out)
}

/// The canonical segments of a path as sent, with dot segments resolved (RFC 3986 section 5.2.4), never above the root.
pub(super) fn resolved(raw: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let mut stack: Vec<Cow<'_, [u8]>> = Vec::new();
    let mut parts = raw.strip_prefix(b"/").unwrap_or(raw).split(|byte| *byte == b'/').peekable();
    while let Some(part) = parts.next() {
        let segment = canonical(part);
        match segment.as_ref() {
            b"." => {}
            b".." => {
                stack.pop();
            }
            b"" if parts.peek().is_none() => {}
            _ => stack.push(segment),
        }
    }
    stack
}

/// The byte that the two hex digits at the front of `tail` stand for, and what follows them.
pub(super) fn escaped(tail: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, after) = tail.split_at_checked(2)?;
    let mut value = 0;
    for digit in digits {
        value = value << 4 | char::from(*digit).to_digit(16)? as u8;
    }
    Some((value, after))
}

fn push_encoded(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
}

pub(super) const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// True if `byte` may stand in a segment as it is (RFC 3986, pchar), or divides segments. Backslashes and semicolons
/// stand for themselves here.
pub(super) const fn is_path_byte(byte: u8) -> bool {
    is_unreserved(byte)
        || matches!(
            byte,
            b'/' | b'\\'
                | b'!'
                | b'$'
                | b'&'
                | b'\''
                | b'('
                | b')'
                | b'*'
                | b'+'
                | b','
                | b';'
                | b'='
                | b':'
                | b'@'
        )
}
