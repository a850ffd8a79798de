//! Syntax of a field of HTTP/2 (RFC 9113 section 8.2), for heads and for trailers.

use bytes::{Bytes, BytesMut};

use super::translate::is_connection_specific;
use crate::http1::body;
use crate::http1::head::{Malformed, is_token};
use crate::wire;

/// Checks a field that is no pseudo-header.
pub(super) fn check(name: &[u8], value: &[u8]) -> Result<(), Malformed> {
    if name.is_empty() || !name.iter().all(|b| is_token(*b) && !b.is_ascii_uppercase()) {
        return Err(Malformed::FieldLine);
    }
    check_value(value)?;
    if is_connection_specific(name) || (name == b"te" && !value.eq_ignore_ascii_case(b"trailers")) {
        return Err(Malformed::ConnectionField);
    }
    Ok(())
}

/// Checks the bytes of a value; white space around it would be trimmed by some and kept by others.
pub(super) fn check_value(value: &[u8]) -> Result<(), Malformed> {
    let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    if is_blank(value.first()) || is_blank(value.last()) {
        return Err(Malformed::FieldLine);
    }
    match value.iter().find(|b| (**b < 0x20 && **b != b'\t') || **b == 0x7f) {
        None => Ok(()),
        Some(b'\r') => Err(Malformed::BareCr),
        Some(b'\n') => Err(Malformed::BareLf),
        Some(_) => Err(Malformed::Control),
    }
}

/// Trailer lines as HTTP/1.1 writes them, so that either version can carry them on.
pub(super) fn trailers(fields: &[(Bytes, Bytes)]) -> Result<Bytes, Malformed> {
    let mut lines = BytesMut::new();
    for (name, value) in fields {
        check(name, value).map_err(|_| Malformed::Trailer)?;
        wire::push_field(&mut lines, name, value);
    }
    body::check_trailers(&lines)?;
    Ok(lines.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_strict() {
        for (name, value) in [("te", "trailers"), ("x-a", ""), ("x-a", "a\tb"), ("x-a", "\u{e9}")] {
            assert_eq!(check(name.as_bytes(), value.as_bytes()), Ok(()), "{name}: {value}");
        }
        for (name, value, why) in [
            ("X-A", "b", Malformed::FieldLine),
            ("", "b", Malformed::FieldLine),
            ("x a", "b", Malformed::FieldLine),
            ("x:a", "b", Malformed::FieldLine),
            ("x\u{e9}", "b", Malformed::FieldLine),
            ("x-a", " b", Malformed::FieldLine),
            ("x-a", "b\t", Malformed::FieldLine),
            ("x-a", "a\rb", Malformed::BareCr),
            ("x-a", "a\nb", Malformed::BareLf),
            ("x-a", "a\0b", Malformed::Control),
            ("te", "gzip", Malformed::ConnectionField),
            ("connection", "x-a", Malformed::ConnectionField),
            ("transfer-encoding", "chunked", Malformed::ConnectionField),
        ] {
            assert_eq!(check(name.as_bytes(), value.as_bytes()), Err(why), "{name:?}: {value:?}");
        }
    }

    #[test]
    fn trailers_keep_to_what_may_come_late() {
        let field = |name: &'static str| (Bytes::from_static(name.as_bytes()), Bytes::from_static(b"1"));
        assert_eq!(trailers(&[field("grpc-status")]).as_deref(), Ok(&b"grpc-status: 1\r\n"[..]));
        for name in ["content-length", ":path", "host", "X-A", "x-original-url", "x_real_ip", "x-real-ip"] {
            assert_eq!(trailers(&[field("x-a"), field(name)]), Err(Malformed::Trailer), "{name}");
        }
    }
}
