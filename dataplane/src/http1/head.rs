//! The HTTP/1 codec of message heads (RFC 9112 sections 2 to 5): found, checked and indexed without copying a byte.

use bytes::{Bytes, BytesMut};
use memchr::{memchr, memchr_iter};

use crate::head::{FieldSpan, Fields, RequestHead, ResponseHead, Version};

/// Fault of a message's syntax. The text goes into the audit event, never to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// A line feed without a carriage return before it.
    #[error("bare LF")]
    BareLf,
    /// A carriage return without a line feed after it.
    #[error("bare CR")]
    BareCr,
    /// NUL or another control character.
    #[error("control character")]
    Control,
    /// The first line is not `method SP target SP version`, or `version SP status SP reason`.
    #[error("malformed start line")]
    StartLine,
    /// A version that is not HTTP/1.0 or HTTP/1.1.
    #[error("unsupported HTTP version")]
    Version,
    /// A field line that is not `name: value`.
    #[error("malformed field line")]
    FieldLine,
    /// A field line continued on the next (obs-fold).
    #[error("obsolete line folding")]
    ObsFold,
    /// Content-Length that is repeated or not a number.
    #[error("malformed Content-Length")]
    ContentLength,
    /// Transfer-Encoding that is anything but one `chunked`.
    #[error("malformed Transfer-Encoding")]
    TransferEncoding,
    /// Content-Length beside Transfer-Encoding.
    #[error("Content-Length and Transfer-Encoding together")]
    LengthAndEncoding,
    /// A chunk header or its end is not to the letter.
    #[error("malformed chunk")]
    Chunk,
    /// A trailer that may not stand there.
    #[error("forbidden or malformed trailer")]
    Trailer,
    /// HTTP/2: a pseudo-header field that is missing, repeated, late, unknown or malformed.
    #[error("malformed pseudo-header fields")]
    PseudoField,
    /// HTTP/2: a field that speaks about one connection.
    #[error("connection-specific field")]
    ConnectionField,
}

/// The outcome of looking for a head at the front of a buffer.
#[derive(Debug)]
pub enum Scan {
    /// More bytes are needed.
    Incomplete,
    /// The head ends before this offset (the empty line included).
    Complete(usize),
    /// The bytes can never become a head.
    Malformed(Malformed),
}

/// Looks for the end of a head; `scanned` remembers where the last call stopped, so that a trickled head costs one
/// pass.
pub fn scan(buffer: &[u8], scanned: &mut usize) -> Scan {
    let from = *scanned;
    for at in memchr_iter(b'\n', buffer.get(from..).unwrap_or_default()).map(|i| i + from) {
        *scanned = at + 1;
        let line = &buffer[..=at];
        if !line.ends_with(b"\r\n") {
            return Scan::Malformed(Malformed::BareLf);
        }
        if line.ends_with(b"\r\n\r\n") {
            return Scan::Complete(at + 1);
        }
    }
    Scan::Incomplete
}

impl RequestHead {
    /// Reads a head that [`scan`] found complete.
    pub fn parse(bytes: Bytes) -> Result<RequestHead, Malformed> {
        let (line_end, spans) = lines(&bytes)?;
        let line = bytes.get(..line_end).unwrap_or_default();
        let mut parts = line.split(|b| *b == b' ');
        let (Some(method), Some(target), Some(version), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(Malformed::StartLine);
        };
        if method.is_empty() || !method.iter().all(|b| is_token(*b)) || target.is_empty() {
            return Err(Malformed::StartLine);
        }
        // Field lines may carry HTAB, a target no control character at all; spaces have parted it already.
        if target.iter().any(u8::is_ascii_control) {
            return Err(Malformed::Control);
        }
        let version = parse_version(version)?;
        let (method, target_at) = (0..method.len() as u32, method.len() as u32 + 1);
        let target = target_at..target_at + target.len() as u32;
        Ok(RequestHead::indexed(method, target, version, Fields::new(bytes, spans)))
    }
}

impl ResponseHead {
    /// Reads a head that [`scan`] found complete.
    pub fn parse(bytes: Bytes) -> Result<ResponseHead, Malformed> {
        let (line_end, spans) = lines(&bytes)?;
        let line = bytes.get(..line_end).unwrap_or_default();
        let (version, rest) = line.split_at_checked(8).ok_or(Malformed::StartLine)?;
        let version = parse_version(version)?;
        let (digits, reason) = match rest {
            [b' ', a, b, c] => ([*a, *b, *c], 12..12),
            [b' ', a, b, c, b' ', ..] => ([*a, *b, *c], 13..line_end as u32),
            _ => return Err(Malformed::StartLine),
        };
        if !digits.iter().all(u8::is_ascii_digit) || digits[0] == b'0' {
            return Err(Malformed::StartLine);
        }
        let status = digits.iter().fold(0u16, |n, d| n * 10 + u16::from(d - b'0'));
        Ok(ResponseHead::indexed(status, reason, version, Fields::new(bytes, spans)))
    }
}

/// Reports whether `byte` may be part of a token (RFC 9110 section 5.6.2).
pub const fn is_token(byte: u8) -> bool {
    TOKEN[byte as usize]
}

/// A table, because every byte of every field name is looked up.
const TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = is_token_character(byte as u8);
        byte += 1;
    }
    table
};

const fn is_token_character(byte: u8) -> bool {
    matches!(byte,
        b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~'
        | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z')
}

fn parse_version(text: &[u8]) -> Result<Version, Malformed> {
    match text {
        b"HTTP/1.1" => Ok(Version::Http11),
        b"HTTP/1.0" => Ok(Version::Http10),
        [b'H', b'T', b'T', b'P', b'/', ..] => Err(Malformed::Version),
        _ => Err(Malformed::StartLine),
    }
}

/// Checks every line of a complete head; returns where the start line ends and the field lines' spans.
fn lines(bytes: &Bytes) -> Result<(usize, Vec<FieldSpan>), Malformed> {
    let mut spans = Vec::with_capacity(24);
    let mut start_line_end = None;
    let mut at = 0;
    while let Some(end) = memchr(b'\n', bytes.get(at..).unwrap_or_default()).map(|i| at + i) {
        let line = bytes.get(at..end).unwrap_or_default();
        let Some(line) = line.strip_suffix(b"\r") else { return Err(Malformed::BareLf) };
        check_bytes(line)?;
        if start_line_end.is_none() {
            start_line_end = Some(line.len());
        } else if !line.is_empty() {
            spans.push(field_line(line, at)?);
        }
        at = end + 1;
    }
    Ok((start_line_end.ok_or(Malformed::StartLine)?, spans))
}

fn check_bytes(line: &[u8]) -> Result<(), Malformed> {
    let is_control = |byte: u8| (byte < 0x20 && byte != b'\t') || byte == 0x7f;
    // Without an early end the compiler looks at many bytes at once.
    if !line.iter().fold(false, |found, byte| found | is_control(*byte)) {
        return Ok(());
    }
    match line.iter().find(|byte| is_control(**byte)) {
        Some(b'\r') => Err(Malformed::BareCr),
        _ => Err(Malformed::Control),
    }
}

fn field_line(line: &[u8], at: usize) -> Result<FieldSpan, Malformed> {
    if line.starts_with(b" ") || line.starts_with(b"\t") {
        return Err(Malformed::ObsFold);
    }
    let colon = memchr(b':', line).ok_or(Malformed::FieldLine)?;
    let (name, value) = line.split_at(colon);
    if name.is_empty() || !name.iter().all(|b| is_token(*b)) {
        return Err(Malformed::FieldLine);
    }
    let value = &value[1..];
    let trimmed = value.trim_ascii();
    // `trim_ascii` also trims bytes that `check_bytes` has refused, so only SP and HTAB are left to trim.
    let lead = value.len() - value.trim_ascii_start().len();
    let from = at + colon + 1 + lead;
    Ok(FieldSpan { name: at as u32..(at + colon) as u32, value: from as u32..(from + trimmed.len()) as u32 })
}

/// Takes a complete head off the front of `buffer`.
pub fn take(buffer: &mut BytesMut, length: usize) -> Bytes {
    buffer.split_to(length.min(buffer.len())).freeze()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn request(text: &str) -> Result<RequestHead, Malformed> {
        RequestHead::parse(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[test]
    fn a_head_keeps_order_case_and_raw_target() {
        let head = request("GET /a%2Fb?q=<x> HTTP/1.1\r\nHoSt: h\r\nX-A:  1 \t\r\nx-a:2\r\n\r\n")
            .expect("a good head");
        assert_eq!(
            (head.method(), head.target(), head.version),
            (&b"GET"[..], &b"/a%2Fb?q=<x>"[..], Version::Http11)
        );
        let fields: Vec<_> = head.fields.iter().collect();
        assert_eq!(fields, [(&b"HoSt"[..], &b"h"[..]), (b"X-A", b"1"), (b"x-a", b"2")]);
        assert_eq!(head.fields.all("x-a").count(), 2);
    }

    #[test]
    fn malformed_heads_are_refused() {
        for (text, why) in [
            ("GET  / HTTP/1.1\r\n\r\n", Malformed::StartLine),
            ("GET / HTTP/1.1 \r\n\r\n", Malformed::StartLine),
            ("GET /\r\n\r\n", Malformed::StartLine),
            ("G\tT / HTTP/1.1\r\n\r\n", Malformed::StartLine),
            ("GET /\0 HTTP/1.1\r\n\r\n", Malformed::Control),
            ("GET /a\tb HTTP/1.1\r\n\r\n", Malformed::Control),
            ("GET /\t HTTP/1.1\r\n\r\n", Malformed::Control),
            ("GET \t/ HTTP/1.1\r\n\r\n", Malformed::Control),
            ("GET /?a=\tb HTTP/1.1\r\n\r\n", Malformed::Control),
            ("GET http://a/\t HTTP/1.1\r\n\r\n", Malformed::Control),
            ("GET /a\u{7f} HTTP/1.1\r\n\r\n", Malformed::Control),
            ("GET /a b HTTP/1.1\r\n\r\n", Malformed::StartLine),
            ("GET / HTTP/2.0\r\n\r\n", Malformed::Version),
            ("GET / HTTP/1.1\r\nA : b\r\n\r\n", Malformed::FieldLine),
            ("GET / HTTP/1.1\r\nA b\r\n\r\n", Malformed::FieldLine),
            ("GET / HTTP/1.1\r\n: b\r\n\r\n", Malformed::FieldLine),
            ("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", Malformed::ObsFold),
            ("GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", Malformed::BareCr),
            ("GET / HTTP/1.1\r\nA: b\x07\r\n\r\n", Malformed::Control),
        ] {
            assert_eq!(request(text).err(), Some(why), "{text:?}");
        }
        let mut scanned = 0;
        assert!(matches!(
            scan(b"GET / HTTP/1.1\nHost: a\n\n", &mut scanned),
            Scan::Malformed(Malformed::BareLf)
        ));
    }

    #[test]
    fn responses_may_lack_a_reason() {
        for (text, status) in
            [("HTTP/1.1 200 OK\r\n\r\n", 200), ("HTTP/1.0 404\r\n\r\n", 404), ("HTTP/1.1 204 \r\n\r\n", 204)]
        {
            assert_eq!(
                ResponseHead::parse(Bytes::from_static(text.as_bytes())).expect("good").status,
                status
            );
        }
        assert!(ResponseHead::parse(Bytes::from_static(b"HTTP/1.1 20 OK\r\n\r\n")).is_err());
        assert!(ResponseHead::parse(Bytes::from_static(b"HTTP/1.1\r\n\r\n")).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut scanned = 0;
            let _ = scan(&bytes, &mut scanned);
            let _ = RequestHead::parse(Bytes::from(bytes.clone()));
            let _ = ResponseHead::parse(Bytes::from(bytes));
        }

        #[test]
        fn a_trickled_head_ends_where_a_whole_one_does(cut in 0usize..40) {
            let text = b"GET / HTTP/1.1\r\nHost: example\r\n\r\nrest";
            let mut scanned = 0;
            let first = scan(&text[..cut.min(text.len())], &mut scanned);
            let end = match first { Scan::Complete(end) => end, _ => match scan(text, &mut scanned) { Scan::Complete(end) => end, _ => 0 } };
            prop_assert_eq!(end, text.len() - 4);
        }
    }
}
