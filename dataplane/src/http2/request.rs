//! A request's fields as a head that the exchange reads (RFC 9113 section 8.3). What HTTP/1.1 could not say in the same
//! words is refused here, so that nothing changes its meaning on the way to an upstream.

use bytes::Bytes;

use super::fields;
use crate::head::{RequestHead, Version};
use crate::http1::head::{Malformed, is_token};

/// Bytes of a head that an event about it may quote.
const QUOTED_BYTES_MAX: usize = 256;

/// The pseudo-header fields of a request.
#[derive(Debug, Default)]
struct Pseudo<'f> {
    method: Option<&'f Bytes>,
    scheme: Option<&'f Bytes>,
    authority: Option<&'f Bytes>,
    path: Option<&'f Bytes>,
}

/// Maps the fields of a request. `is_whole` says that no body follows.
pub(super) fn head(fields: &[(Bytes, Bytes)], is_whole: bool) -> Result<RequestHead, Malformed> {
    let (pseudo, regular) = split(fields)?;
    let (method, target) = request_line(&pseudo)?;
    let mut lines: Vec<(&[u8], &[u8])> = Vec::with_capacity(regular.len() + 1);
    if let Some(authority) = pseudo.authority {
        lines.push((b"host", authority));
    }
    let cookies = cookies(regular);
    let mut has_cookie = false;
    for (name, value) in regular {
        fields::check(name, value)?;
        match name.as_ref() {
            // Two that agree are one; of two that differ both are kept, and the Host check refuses them.
            b"host" if pseudo.authority.is_some_and(|a| a.eq_ignore_ascii_case(value)) => {}
            b"cookie" if has_cookie => {}
            b"cookie" => {
                has_cookie = true;
                lines.push((name, cookies.as_deref().unwrap_or(value)));
            }
            b"content-length" if is_whole && value.as_ref() != b"0" => return Err(Malformed::ContentLength),
            _ => lines.push((name, value)),
        }
    }
    Ok(RequestHead::assemble(method, target, Version::Http2, &lines, is_whole))
}

/// Quotation of a head that is refused, for its event: its fields in the order in which they came.
pub(super) fn quoted(fields: &[(Bytes, Bytes)]) -> Vec<u8> {
    let mut text = Vec::new();
    for (name, value) in fields {
        for part in [name.as_ref(), b": ", value, b"; "] {
            text.extend_from_slice(part);
        }
        if text.len() >= QUOTED_BYTES_MAX {
            break;
        }
    }
    text.truncate(QUOTED_BYTES_MAX);
    text
}

fn split(fields: &[(Bytes, Bytes)]) -> Result<(Pseudo<'_>, &[(Bytes, Bytes)]), Malformed> {
    let first_regular = fields.iter().position(|(name, _)| !name.starts_with(b":")).unwrap_or(fields.len());
    let (front, regular) = fields.split_at_checked(first_regular).unwrap_or_default();
    let mut pseudo = Pseudo::default();
    for (name, value) in front {
        let slot = match name.as_ref() {
            b":method" => &mut pseudo.method,
            b":scheme" => &mut pseudo.scheme,
            b":authority" => &mut pseudo.authority,
            b":path" => &mut pseudo.path,
            _ => return Err(Malformed::PseudoField),
        };
        fields::check_value(value).map_err(|_| Malformed::PseudoField)?;
        if value.is_empty() || slot.replace(value).is_some() {
            return Err(Malformed::PseudoField);
        }
    }
    // One that comes late fails the check of names, because a colon is no token; it is named as what it is.
    if regular.iter().any(|(name, _)| name.starts_with(b":")) {
        return Err(Malformed::PseudoField);
    }
    Ok((pseudo, regular))
}

/// Method and target. Nothing of either may end a request line early.
fn request_line<'f>(pseudo: &Pseudo<'f>) -> Result<(&'f [u8], &'f [u8]), Malformed> {
    let method = pseudo.method.filter(|m| m.iter().all(|b| is_token(*b))).ok_or(Malformed::PseudoField)?;
    if method.as_ref() == b"CONNECT" {
        let is_plain = pseudo.scheme.is_none() && pseudo.path.is_none();
        let authority = pseudo.authority.filter(|_| is_plain).ok_or(Malformed::PseudoField)?;
        return Ok((method, authority));
    }
    let is_http =
        |scheme: &&Bytes| scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https");
    pseudo.scheme.filter(is_http).ok_or(Malformed::PseudoField)?;
    let is_path = |path: &&Bytes| {
        let is_origin = path.starts_with(b"/") || (path.as_ref() == b"*" && method.as_ref() == b"OPTIONS");
        is_origin && path.iter().all(|b| *b > 0x20 && *b != 0x7f)
    };
    let path = pseudo.path.filter(is_path).ok_or(Malformed::PseudoField)?;
    Ok((method, path))
}

/// Cookie crumbs as one field (RFC 9113 section 8.2.3); `None` when there is at most one.
fn cookies(fields: &[(Bytes, Bytes)]) -> Option<Vec<u8>> {
    let crumbs: Vec<&[u8]> = fields
        .iter()
        .filter(|(name, _)| name.as_ref() == b"cookie")
        .map(|(_, value)| value.as_ref())
        .collect();
    (crumbs.len() > 1).then(|| crumbs.join(&b"; "[..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http1::framing::{self, Framing};

    const GET: &[(&str, &str)] =
        &[(":method", "GET"), (":scheme", "http"), (":authority", "a.example"), (":path", "/x?<y>")];

    fn map(fields: &[(&str, &str)], is_whole: bool) -> Result<RequestHead, Malformed> {
        let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        let fields: Vec<_> = fields.iter().map(|(name, value)| (bytes(name), bytes(value))).collect();
        head(&fields, is_whole)
    }

    fn with(extra: &[(&str, &str)], is_whole: bool) -> Result<RequestHead, Malformed> {
        map(&[GET, extra].concat(), is_whole)
    }

    #[test]
    fn a_request_is_mapped_as_sent() {
        let crumbs = [("cookie", "a=1"), ("x-b", "2"), ("cookie", "c=3"), ("host", "A.example")];
        let head = with(&crumbs, true).expect("good");
        assert_eq!(
            (head.method(), head.target(), head.version),
            (&b"GET"[..], &b"/x?<y>"[..], Version::Http2)
        );
        let fields: Vec<_> = head.fields.iter().collect();
        assert_eq!(fields, [(&b"host"[..], &b"a.example"[..]), (b"cookie", b"a=1; c=3"), (b"x-b", b"2")]);
    }

    #[test]
    fn framing_comes_from_the_frames() {
        let framing =
            |extra: &[(&str, &str)], is_whole| with(extra, is_whole).map(|h| framing::of_request(&h));
        assert_eq!(framing(&[], true), Ok(Ok(Framing::None)));
        assert_eq!(framing(&[], false), Ok(Ok(Framing::Chunked)));
        assert_eq!(framing(&[("content-length", "5")], false), Ok(Ok(Framing::Length(5))));
        assert_eq!(framing(&[("content-length", "0")], true), Ok(Ok(Framing::Length(0))));
        assert_eq!(framing(&[("content-length", "5")], true), Err(Malformed::ContentLength));
        let twice = [("content-length", "5"), ("content-length", "5")];
        assert_eq!(framing(&twice, false), Ok(Err(Malformed::ContentLength)));
        assert_eq!(framing(&[("transfer_encoding", "chunked")], false), Ok(Err(Malformed::FieldLine)));
    }

    #[test]
    fn malformed_heads_are_refused() {
        let without = |name: &str| GET.iter().copied().filter(|f| f.0 != name).collect::<Vec<_>>();
        let replaced = |name: &str, value: &'static str| {
            GET.iter().map(|f| if f.0 == name { (f.0, value) } else { *f }).collect::<Vec<_>>()
        };
        for fields in [
            without(":method"),
            without(":scheme"),
            without(":path"),
            replaced(":path", ""),
            replaced(":path", "/a b"),
            replaced(":path", "/a\r\nX-Inj: 1"),
            replaced(":path", "/a\0"),
            replaced(":path", "http://evil.example/x"),
            replaced(":path", "*"),
            replaced(":authority", ""),
            replaced(":scheme", "ftp"),
            replaced(":method", "G T"),
            replaced(":method", "CONNECT"),
            [GET, &[(":path", "/y")]].concat(),
            [GET, &[(":status", "200")]].concat(),
            [GET, &[(":protocol", "websocket")]].concat(),
            [GET, &[("x-a", "1"), (":path", "/y")]].concat(),
        ] {
            assert_eq!(map(&fields, true).err(), Some(Malformed::PseudoField), "{fields:?}");
        }
        assert!(map(&without(":authority"), true).is_ok());
        let two_hosts = with(&[("host", "b.example")], true).expect("kept for the Host check");
        assert_eq!(two_hosts.fields.all("host").count(), 2);
    }
}
