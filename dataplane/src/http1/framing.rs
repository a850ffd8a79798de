//! Length of a message's body (RFC 9112 section 6). Whatever two recipients could read differently is refused.

use waf_shared::fields::{self, Property};

use super::head::Malformed;
use crate::head::{Fields, RequestHead, ResponseHead, Version};

/// Framing of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// No body.
    None,
    /// Exactly so many bytes.
    Length(u64),
    /// Chunked transfer coding.
    Chunked,
    /// Until the connection closes; responses only.
    UntilClose,
}

/// Framing of a request.
pub fn of_request(head: &RequestHead) -> Result<Framing, Malformed> {
    // A reader that takes leading zeros for octal ends the message elsewhere.
    let is_padded = |value: &[u8]| value.len() > 1 && value.starts_with(b"0");
    match declared(&head.fields)? {
        Declared::Length(_) if head.fields.all("content-length").any(is_padded) => {
            Err(Malformed::ContentLength)
        }
        Declared::Chunked if head.version != Version::Http11 => Err(Malformed::TransferEncoding),
        Declared::Chunked => Ok(Framing::Chunked),
        Declared::Length(length) => Ok(Framing::Length(length)),
        // Frames end a body whose length was not declared; towards HTTP/1.1 it is chunked.
        Declared::Nothing if head.version == Version::Http2 && !head.is_whole => Ok(Framing::Chunked),
        Declared::Nothing => Ok(Framing::None),
    }
}

/// Framing of the response to a request with `method`.
pub fn of_response(head: &ResponseHead, method: &[u8]) -> Result<Framing, Malformed> {
    let declared = declared(&head.fields)?;
    if method == b"HEAD" || head.status < 200 || matches!(head.status, 204 | 304) {
        return Ok(Framing::None);
    }
    Ok(match declared {
        Declared::Chunked => Framing::Chunked,
        Declared::Length(length) => Framing::Length(length),
        Declared::Nothing => Framing::UntilClose,
    })
}

/// Reports whether an upstream that is mistaken about its own answer may send a body that belongs to none: with HEAD,
/// 204 and 304. It could arrive at any time, so nothing else is asked over that connection.
pub fn announces_unsent(response: &ResponseHead, framing: Framing, method: &[u8]) -> bool {
    let mut lengths = response.fields.all("content-length").peekable();
    let says_empty = lengths.peek().is_some() && lengths.all(|length| length.trim_ascii() == b"0");
    let says_nothing = response.fields.first("content-length").is_none()
        && response.fields.first("transfer-encoding").is_none();
    framing == Framing::None && !says_empty && (method == b"HEAD" || !says_nothing)
}

enum Declared {
    Nothing,
    Length(u64),
    Chunked,
}

fn declared(fields: &Fields) -> Result<Declared, Malformed> {
    let (mut length, mut chunked) = (None, false);
    for (name, value) in fields.iter() {
        // Names of 14 and 17 bytes only: an ordinary field costs one comparison.
        match name.len() {
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                let repeated = length.replace(parse_length(value)?).is_some();
                check(!repeated, Malformed::ContentLength)?;
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                check(!chunked && value.eq_ignore_ascii_case(b"chunked"), Malformed::TransferEncoding)?;
                chunked = true;
            }
            // Gateways that turn fields into environment variables read `_` as `-`.
            14 | 17 if fields::is(name, Property::Framing) => return Err(Malformed::FieldLine),
            _ => {}
        }
    }
    match (length, chunked) {
        (Some(_), true) => Err(Malformed::LengthAndEncoding),
        (Some(length), false) => Ok(Declared::Length(length)),
        (None, true) => Ok(Declared::Chunked),
        (None, false) => Ok(Declared::Nothing),
    }
}

fn check(holds: bool, otherwise: Malformed) -> Result<(), Malformed> {
    if holds { Ok(()) } else { Err(otherwise) }
}

/// 1*DIGIT, at most 18 of them so that no sum overflows.
fn parse_length(value: &[u8]) -> Result<u64, Malformed> {
    if value.is_empty() || value.len() > 18 || !value.iter().all(u8::is_ascii_digit) {
        return Err(Malformed::ContentLength);
    }
    Ok(value.iter().fold(0, |n, d| n * 10 + u64::from(d - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn framing(fields: &str) -> Result<Framing, Malformed> {
        let text = format!("POST / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
        of_request(&RequestHead::parse(Bytes::from(text)).expect("a good head"))
    }

    #[test]
    fn framing_is_unambiguous_or_refused() {
        assert_eq!(framing(""), Ok(Framing::None));
        assert_eq!(framing("Content-Length: 42\r\n"), Ok(Framing::Length(42)));
        assert_eq!(framing("Content-Length: 0\r\n"), Ok(Framing::Length(0)));
        assert_eq!(framing("Content-Length:\t 100 \r\n"), Ok(Framing::Length(100)));
        assert_eq!(framing("Transfer-Encoding: Chunked\r\n"), Ok(Framing::Chunked));
        for fields in [
            "Content-Length: 1\r\nContent-Length: 1\r\n",
            "Content-Length: +1\r\n",
            "Content-Length: -1\r\n",
            "Content-Length: 00053\r\n",
            "Content-Length: 00\r\n",
            "Content-Length: 0x5\r\n",
            "Content-Length: 5.0\r\n",
            "Content-Length: 1_000\r\n",
            "Content-Length: 5, 5\r\n",
            "Content-Length: 5,\r\n",
            "Content-Length: 18446744073709551621\r\n",
            "Content-Length: \u{ff15}\r\n",
            "content-length_: 1\r\nContent_Length: 1\r\n",
            "TRANSFER_encoding: chunked\r\n",
            "Content-Length: 1, 1\r\n",
            "Content-Length: 1 2\r\n",
            "Content-Length: \r\n",
            "Content-Length: 1234567890123456789\r\n",
            "Content_Length: 1\r\n",
            "Transfer_Encoding: chunked\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: chunked, chunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: identity\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
        ] {
            assert!(framing(fields).is_err(), "{fields:?}");
        }
    }

    #[test]
    fn responses_without_a_body_have_none() {
        let head =
            |text: &'static str| ResponseHead::parse(Bytes::from_static(text.as_bytes())).expect("good");
        let sized = head("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
        assert_eq!(of_response(&sized, b"GET"), Ok(Framing::Length(3)));
        assert_eq!(of_response(&sized, b"HEAD"), Ok(Framing::None));
        assert_eq!(
            of_response(&head("HTTP/1.1 304 N\r\nContent-Length: 3\r\n\r\n"), b"GET"),
            Ok(Framing::None)
        );
        assert_eq!(of_response(&head("HTTP/1.1 200 OK\r\n\r\n"), b"GET"), Ok(Framing::UntilClose));
    }

    #[test]
    fn connections_with_a_body_that_may_still_come_are_not_reused() {
        for (lines, method, expected) in [
            ("HTTP/1.1 200 OK\nContent-Length: 5", "HEAD", true),
            ("HTTP/1.1 200 OK", "HEAD", true),
            ("HTTP/1.1 200 OK\nContent-Length: 0", "HEAD", false),
            ("HTTP/1.1 304 N\nContent-Length: 5", "GET", true),
            ("HTTP/1.1 204 N\nTransfer-Encoding: chunked", "GET", true),
            ("HTTP/1.1 204 N", "GET", false),
            ("HTTP/1.1 200 OK\nContent-Length: 5", "GET", false),
        ] {
            let text = lines.replace('\n', "\r\n") + "\r\n\r\n";
            let response = ResponseHead::parse(Bytes::from(text)).expect("good");
            let framing = of_response(&response, method.as_bytes()).expect("valid framing");
            let announces = announces_unsent(&response, framing, method.as_bytes());
            assert_eq!(announces, expected, "{method} {lines:?}");
        }
    }
}
