//! The readings of a request path: as sent, and as the decoders behind us might resolve it. Readings choose a route and
//! nothing else: what is forwarded are the client's bytes. It knows nothing of patterns.

use std::borrow::Cow;

/// How often a decoder may decode what it was sent.
const DECODINGS_MAX: u8 = 2;

/// Whether `raw` reads the same everywhere: nothing encoded, no empty or dot segment, no parameters, no backslash.
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

/// Whether `rest`, which begins a segment with a dot, begins with the segment `.` or `..`.
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
pub(super) fn canonical(segment: &[u8]) -> Vec<u8> {
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
    out
}

/// Goes through every way in which a decoder behind us might read a path: not decoded, decoded once or twice, each with
/// and without backslashes as slashes, parameters dropped and empty segments merged. Only what the path contains is
/// tried, so an honest path has one reading.
pub(super) struct Readings<'p> {
    text: Cow<'p, [u8]>,
    decodings: u8,
    /// The next combination of [`Habit`]s to try; `None` when all were.
    habits: Option<u8>,
}

/// What some decoders do and others do not, as bits of a combination.
struct Habit;

impl Habit {
    const BACKSLASH_IS_SLASH: u8 = 1;
    const DROPS_PARAMETERS: u8 = 2;
    const MERGES_SLASHES: u8 = 4;
    const ALL: u8 = 7;
}

impl<'p> Readings<'p> {
    pub(super) fn new(raw: &'p [u8]) -> Readings<'p> {
        Readings { text: Cow::Borrowed(raw), decodings: 0, habits: Some(0) }
    }

    /// The segments of the next reading, canonical and with dot segments resolved.
    pub(super) fn next(&mut self) -> Option<Vec<Vec<u8>>> {
        let habits = if let Some(habits) = self.habits {
            habits
        } else {
            self.decode()?;
            0
        };
        self.habits = (habits + 1..=Habit::ALL).find(|habits| self.makes_a_difference(*habits));
        Some(resolve(&self.text, self.decodings, habits))
    }

    /// Whether the path contains what each habit in `habits` acts on.
    fn makes_a_difference(&self, habits: u8) -> bool {
        let text = self.text.as_ref();
        let has = |byte| memchr::memchr(byte, text).is_some();
        let backslash = has(b'\\');
        let parameters = has(b';');
        // Turning backslashes and dropping parameters can make segments empty.
        let empty = memchr::memmem::find(text, b"//").is_some()
            || (habits & Habit::BACKSLASH_IS_SLASH != 0 && backslash)
            || (habits & Habit::DROPS_PARAMETERS != 0 && parameters);
        (habits & Habit::BACKSLASH_IS_SLASH == 0 || backslash)
            && (habits & Habit::DROPS_PARAMETERS == 0 || parameters)
            && (habits & Habit::MERGES_SLASHES == 0 || empty)
    }

    /// Decodes once more, if the path is one that decoders read differently.
    fn decode(&mut self) -> Option<()> {
        let doubtful = self.decodings > 0 || is_doubtful(&self.text);
        if self.decodings == DECODINGS_MAX || !doubtful {
            return None;
        }
        let decoded = percent_decoded(&self.text);
        if decoded == self.text.as_ref() {
            return None;
        }
        self.text = Cow::Owned(decoded);
        self.decodings += 1;
        Some(())
    }
}

/// Whether a path has to be read as decoders would: it contains `//`, `%2f`, `%5c`, `\`, `;` or an encoded percent sign
/// that makes another escape.
fn is_doubtful(raw: &[u8]) -> bool {
    let encoded = memchr::memchr_iter(b'%', raw).any(|at| {
        let tail = raw.get(at + 1..).unwrap_or_default();
        match escaped(tail) {
            Some((b'/' | b'\\', _)) => true,
            Some((b'%', after)) => escaped(after).is_some(),
            _ => false,
        }
    });
    encoded || memchr::memchr2(b'\\', b';', raw).is_some() || memchr::memmem::find(raw, b"//").is_some()
}

/// Splits `text` as a decoder with these `habits` would, and resolves dot segments (RFC 3986, 5.2.4), never above the root.
fn resolve(text: &[u8], decodings: u8, habits: u8) -> Vec<Vec<u8>> {
    let is_slash = |byte: &u8| *byte == b'/' || (habits & Habit::BACKSLASH_IS_SLASH != 0 && *byte == b'\\');
    let inner = if text.first().is_some_and(is_slash) { text.get(1..).unwrap_or_default() } else { text };
    let mut stack: Vec<Vec<u8>> = Vec::new();
    let mut parts = inner.split(is_slash).peekable();
    while let Some(part) = parts.next() {
        let part = match memchr::memchr(b';', part) {
            Some(at) if habits & Habit::DROPS_PARAMETERS != 0 => part.get(..at).unwrap_or_default(),
            _ => part,
        };
        let segment = if decodings == 0 { canonical(part) } else { canonical_of_decoded(part) };
        let trailing = parts.peek().is_none();
        match segment.as_slice() {
            b"." => {}
            b".." => {
                stack.pop();
            }
            b"" if trailing || habits & Habit::MERGES_SLASHES != 0 => {}
            _ => stack.push(segment),
        }
    }
    stack
}

/// The same form for a segment that was decoded before: `%2e` that came from `%252e` stands for itself.
fn canonical_of_decoded(segment: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(segment.len());
    for &byte in segment {
        if is_path_byte(byte) { out.push(byte) } else { push_encoded(&mut out, byte) }
    }
    out
}

fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%'
            && let Some((decoded, after)) = escaped(tail)
        {
            out.push(decoded);
            rest = after;
        } else {
            out.push(byte);
            rest = tail;
        }
    }
    out
}

/// The byte that the two hex digits at the front of `tail` stand for, and what follows them.
fn escaped(tail: &[u8]) -> Option<(u8, &[u8])> {
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

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Whether `byte` may stand in a segment as it is (RFC 3986, pchar), or divides segments. Backslashes and semicolons
/// stand for themselves here.
const fn is_path_byte(byte: u8) -> bool {
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
