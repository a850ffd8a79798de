//! The boundary of a multipart body as its type declares it (RFC 2046, section 5.1.1), and where it occurs.

use memchr::memmem::Finder;

use crate::parameters;

/// Bytes that a boundary may have.
const BOUNDARY_BYTES_MAX: usize = 70;

/// Finds the delimiter in a stream.
#[derive(Debug)]
pub struct Boundary {
    finder: Finder<'static>,
}

/// The reason for which there is no boundary to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoBoundary {
    /// The type names none.
    Missing,
    /// It names two.
    Twice,
    /// It names one that cannot be a boundary.
    Illegal,
    /// The type cannot be read.
    Unreadable,
}

impl NoBoundary {
    /// A sentence without its full stop.
    pub const fn reason(self) -> &'static str {
        match self {
            NoBoundary::Missing => "a multipart body has no boundary",
            NoBoundary::Twice => "a multipart body has two boundaries",
            NoBoundary::Illegal => "the boundary of a multipart body is not one",
            NoBoundary::Unreadable => "the Content-Type of a multipart body cannot be read",
        }
    }
}

/// The content of a piece of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// So many bytes of content, then a line break and a delimiter of these bytes, line break included.
    Delimiter {
        /// Bytes before it.
        at: usize,
        /// Its bytes.
        length: usize,
    },
    /// So many bytes of content, then something that some readers take for a delimiter and some do not.
    Doubtful {
        /// Bytes before it and of it.
        at: usize,
    },
    /// So many bytes of content; what follows them may belong to a delimiter.
    Content(usize),
}

impl Boundary {
    /// Reads the boundary from a `Content-Type` value.
    pub fn of(media_type: &[u8]) -> Result<Boundary, NoBoundary> {
        let (_, rest) = parameters::essence(media_type);
        let mut found = None;
        for parameter in parameters::parameters(rest) {
            let Ok(parameter) = parameter else { return Err(NoBoundary::Unreadable) };
            let starred = parameter.name.len() > 8 && parameter.name.get(8) == Some(&b'*');
            let named = parameter.name.get(..8).is_some_and(|name| name.eq_ignore_ascii_case(b"boundary"));
            if named && starred {
                return Err(NoBoundary::Illegal);
            }
            if named && parameter.name.len() == 8 && found.replace(parameter).is_some() {
                return Err(NoBoundary::Twice);
            }
        }
        let boundary = found.ok_or(NoBoundary::Missing)?;
        let legal = (1..=BOUNDARY_BYTES_MAX).contains(&boundary.raw.len())
            && boundary.raw.iter().all(|byte| is_boundary_byte(*byte))
            && !boundary.raw.ends_with(b" ");
        if !legal {
            return Err(NoBoundary::Illegal);
        }
        Ok(Boundary::new(boundary.raw))
    }

    /// The boundary `name`, whatever its bytes.
    pub fn new(name: &[u8]) -> Boundary {
        Boundary { finder: Finder::new(&[b"--", name].concat()).into_owned() }
    }

    /// Bytes of a delimiter with its line break.
    pub(super) fn delimiter_bytes(&self) -> usize {
        self.finder.needle().len() + 2
    }

    /// Looks for the next delimiter in `piece`. `is_first` says that the piece begins a body or follows a head, so that a
    /// delimiter may stand there without its line break; `is_last` that nothing follows the piece.
    pub(super) fn find(&self, piece: &[u8], is_first: bool, is_last: bool) -> Seen {
        let mut from = 0;
        while let Some(at) = piece.get(from..).and_then(|rest| self.finder.find(rest)).map(|at| at + from) {
            let end = at + self.finder.needle().len();
            let before = piece.get(..at).unwrap_or_default();
            if is_first && at == 0 {
                return Seen::Delimiter { at: 0, length: end };
            }
            if let Some(content) = before.strip_suffix(b"\r\n") {
                return Seen::Delimiter { at: content.len(), length: end - content.len() };
            }
            if matches!(before.last(), Some(b'\n' | b'\r')) {
                return Seen::Doubtful { at: end };
            }
            from = at + 1;
        }
        let kept = if is_last { 0 } else { self.tail(piece) };
        Seen::Content(piece.len().saturating_sub(kept))
    }

    /// Bytes at the end of `piece` that may begin a delimiter.
    fn tail(&self, piece: &[u8]) -> usize {
        // The line break may be a lone one, and a delimiter in the middle of a line is none: the rest follows from the
        // last line break within reach.
        let reach = self.delimiter_bytes().min(piece.len());
        let tail = piece.get(piece.len() - reach..).unwrap_or_default();
        tail.iter().position(|byte| matches!(byte, b'\r' | b'\n')).map_or(0, |at| tail.len() - at).max(
            // A piece that begins a body may end within a delimiter that has no line break.
            if piece.len() < self.delimiter_bytes() { piece.len() } else { 0 },
        )
    }
}

/// `bchars`.
const fn is_boundary_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'\'' | b'(' | b')' | b'+' | b'_' | b',' | b'-' | b'.' | b'/' | b':' | b'=' | b'?' | b' '
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_are_read_to_the_letter() {
        let good = |value: &str| Boundary::of(value.as_bytes()).map(|found| found.finder.needle().to_vec());
        assert_eq!(good("multipart/form-data; boundary=abc"), Ok(b"--abc".to_vec()));
        assert_eq!(good("multipart/form-data; charset=utf-8; Boundary=\"a b:c\""), Ok(b"--a b:c".to_vec()));
        for (value, fault) in [
            ("multipart/form-data", NoBoundary::Missing),
            ("multipart/form-data; boundary=", NoBoundary::Unreadable),
            ("multipart/form-data; boundary=\"\"", NoBoundary::Illegal),
            ("multipart/form-data; boundary=a; boundary=b", NoBoundary::Twice),
            ("multipart/form-data; boundary=a; BOUNDARY=a", NoBoundary::Twice),
            ("multipart/form-data; boundary*=utf-8''a", NoBoundary::Illegal),
            ("multipart/form-data; boundary*0=a; boundary*1=b", NoBoundary::Illegal),
            ("multipart/form-data; boundary=a b", NoBoundary::Unreadable),
            ("multipart/form-data; boundary=a, text/plain", NoBoundary::Unreadable),
            ("multipart/form-data boundary=a", NoBoundary::Missing),
            ("multipart/form-data; boundary = a", NoBoundary::Unreadable),
            ("multipart/form-data; boundary=\"a \"", NoBoundary::Illegal),
            ("multipart/form-data; boundary=\"a\\b\"", NoBoundary::Illegal),
            ("multipart/form-data; boundary=a#b", NoBoundary::Illegal),
        ] {
            assert_eq!(good(value), Err(fault), "{value}");
        }
        let long = format!("multipart/form-data; boundary={}", "a".repeat(71));
        assert_eq!(good(&long), Err(NoBoundary::Illegal));
    }

    #[test]
    fn delimiters_are_told_from_content() {
        let boundary = Boundary::of(b"multipart/form-data; boundary=b").expect("it is legal");
        for (piece, first, last, expected) in [
            (&b"--b\r\n"[..], true, false, Seen::Delimiter { at: 0, length: 3 }),
            (b"xx\r\n--b", false, false, Seen::Delimiter { at: 2, length: 5 }),
            (b"xx--b yy--", false, true, Seen::Content(10)),
            (b"xx\n--b", false, false, Seen::Doubtful { at: 6 }),
            (b"xxxxxx\r\n-", false, false, Seen::Content(6)),
            (b"xxxxxx\r\n-", false, true, Seen::Content(9)),
        ] {
            assert_eq!(boundary.find(piece, first, last), expected, "{piece:?}");
        }
    }
}
