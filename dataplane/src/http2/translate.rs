//! Heads and trailers between the text that the exchange speaks and the types of the library.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};

use crate::http1::head::{Fields, Malformed, RequestHead, ResponseHead, Version};

/// A head as HTTP/2 carries it: without what speaks about one connection.
pub(super) fn response(text: &[u8]) -> Option<Response<()>> {
    let head = ResponseHead::parse(Bytes::copy_from_slice(text)).ok()?;
    let mut response = Response::new(());
    *response.status_mut() = http::StatusCode::from_u16(head.status).ok()?;
    *response.headers_mut() = header_map(&head.fields)?;
    Some(response)
}

/// A request head, written as HTTP/1.1 text, as HTTP/2 carries it; `None` when it cannot.
pub(crate) fn request(text: &[u8], scheme: &str) -> Option<Request<()>> {
    let head = RequestHead::parse(Bytes::copy_from_slice(text)).ok()?;
    let uri = http::Uri::builder()
        .scheme(scheme)
        .authority(head.fields.first("host")?)
        .path_and_query(head.target())
        .build()
        .ok()?;
    // The library's idea of a path is narrower than what is sent; what it would change goes another way.
    if uri.path_and_query().map(|p| p.as_str().as_bytes()) != Some(head.target()) {
        return None;
    }
    let mut request = Request::new(());
    *request.method_mut() = http::Method::from_bytes(head.method()).ok()?;
    *request.uri_mut() = uri;
    let mut fields = header_map(&head.fields)?;
    fields.remove(http::header::HOST);
    // Trailers pass; gRPC does not answer clients that do not say so.
    fields.insert(http::header::TE, HeaderValue::from_static("trailers"));
    *request.headers_mut() = fields;
    Some(request)
}

/// A response head as the exchange reads it.
pub(crate) fn response_head(response: &Response<()>) -> Result<ResponseHead, Malformed> {
    let reason = response.status().canonical_reason().unwrap_or_default();
    let mut text = format!("HTTP/1.1 {} {reason}\r\n", response.status().as_str()).into_bytes();
    for (name, value) in response.headers() {
        if NOT_CARRIED.contains(&name.as_str()) {
            return Err(Malformed::ConnectionField);
        }
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            text.extend_from_slice(part);
        }
    }
    text.extend_from_slice(b"\r\n");
    let mut head = ResponseHead::parse(Bytes::from(text))?;
    head.version = Version::Http2;
    Ok(head)
}

/// Fields that HTTP/2 does not carry (RFC 9113 section 8.2.2).
const NOT_CARRIED: &[&str] =
    &["connection", "transfer-encoding", "keep-alive", "proxy-connection", "upgrade"];

fn header_map(fields: &Fields) -> Option<HeaderMap> {
    let mut map = HeaderMap::with_capacity(fields.len());
    for (name, value) in fields.iter() {
        if NOT_CARRIED.iter().any(|n| name.eq_ignore_ascii_case(n.as_bytes())) {
            continue;
        }
        let name = HeaderName::from_bytes(name).ok()?;
        map.try_append(name, HeaderValue::from_bytes(value).ok()?).ok()?;
    }
    Some(map)
}

/// Trailer lines were checked when they were read; one that cannot be carried is left out.
pub(super) fn trailers(lines: &[u8]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for line in lines.split(|b| *b == b'\n') {
        let Some(colon) = memchr::memchr(b':', line) else { continue };
        let (name, value) = line.split_at(colon);
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            let _ = map.try_append(name, value);
        }
    }
    map
}

/// Trailer lines as HTTP/1.1 writes them.
pub(super) fn lines(fields: &HeaderMap) -> Bytes {
    let mut out = Vec::new();
    for (name, value) in fields {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            out.extend_from_slice(part);
        }
    }
    Bytes::from(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_carried_or_go_another_way() {
        let text = |target: &str| {
            format!(
                "GET {target} HTTP/1.1\r\nHost: a.example:81\r\nX-A: 1\r\nx-a: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
        };
        let carried = request(text("/a%2Fb?x={y}").as_bytes(), "https").expect("it can be carried");
        assert_eq!(carried.uri(), "https://a.example:81/a%2Fb?x={y}");
        let fields: Vec<_> = carried.headers().iter().map(|(n, v)| (n.as_str(), v.as_bytes())).collect();
        assert_eq!(fields, [("x-a", &b"1"[..]), ("x-a", b"2"), ("te", b"trailers")]);
        for target in ["/a<b>", "/a`b"] {
            assert!(request(text(target).as_bytes(), "http").is_none(), "{target}");
        }
        assert!(request(b"GET / HTTP/1.1\r\n\r\n", "http").is_none(), "without a Host");
    }

    #[test]
    fn answers_come_and_go() {
        let text = b"HTTP/1.1 404 Gone astray\r\nA: 1\r\nConnection: close\r\nSet-Cookie: b\r\nSet-Cookie: c\r\n\r\n";
        let carried = response(text).expect("it can be carried");
        assert_eq!(carried.headers().len(), 3);
        let head = response_head(&carried).expect("a head");
        assert_eq!((head.status, head.reason(), head.version), (404, &b"Not Found"[..], Version::Http2));
        assert_eq!(head.fields.all("set-cookie").collect::<Vec<_>>(), [b"b", b"c"]);
        let mut mismatch = Response::new(());
        mismatch.headers_mut().insert("transfer-encoding", HeaderValue::from_static("chunked"));
        assert_eq!(response_head(&mismatch).err(), Some(Malformed::ConnectionField));
    }

    #[test]
    fn trailers_survive_the_way_there_and_back() {
        let text = b"grpc-status: 0\r\ngrpc-message: \r\n";
        assert_eq!(lines(&trailers(text)).as_ref(), text);
        assert!(trailers(b"").is_empty());
    }
}
