//! Heads and trailers between the text that the exchange speaks and the types of the library.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use waf_shared::fields::{self, Property};

use crate::head::{OutgoingHead, ResponseHead, Version};
use crate::http1::head::Malformed;
use crate::wire;

/// The head of a response as HTTP/2 carries it: without what describes one connection.
pub(super) fn response(head: &OutgoingHead) -> Option<Response<()>> {
    let mut response = Response::new(());
    *response.status_mut() = http::StatusCode::from_u16(head.status()?).ok()?;
    *response.headers_mut() = header_map(head)?;
    Some(response)
}

/// The head of a request as HTTP/2 carries it; `None` when it cannot.
pub(crate) fn request(head: &OutgoingHead, scheme: &str) -> Option<Request<()>> {
    let (method, target) = head.request_line()?;
    let mut fields = header_map(head)?;
    let authority = fields.remove(http::header::HOST)?;
    let uri = http::Uri::builder()
        .scheme(scheme)
        .authority(authority.as_bytes())
        .path_and_query(target)
        .build()
        .ok()?;
    // The library's grammar of a path is narrower than what is sent; a target that it would change goes another way.
    if uri.path_and_query().map(|path| path.as_str().as_bytes()) != Some(target) {
        return None;
    }
    let mut request = Request::new(());
    *request.method_mut() = http::Method::from_bytes(method).ok()?;
    *request.uri_mut() = uri;
    // Trailers are forwarded; gRPC does not answer clients that do not accept them.
    fields.insert(http::header::TE, HeaderValue::from_static("trailers"));
    *request.headers_mut() = fields;
    Some(request)
}

/// The head of a response that came.
pub(crate) fn response_head(response: &Response<()>) -> Result<ResponseHead, Malformed> {
    if response.headers().keys().any(|name| is_connection_specific(name.as_str().as_bytes())) {
        return Err(Malformed::ConnectionField);
    }
    let reason = response.status().canonical_reason().unwrap_or_default();
    let fields = response.headers().iter();
    let fields = fields.map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes().trim_ascii()));
    Ok(ResponseHead::assemble(response.status().as_u16(), reason, Version::Http2, fields))
}

/// Reports whether HTTP/2 does not carry a field (RFC 9113 section 8.2.2).
pub(super) fn is_connection_specific(name: &[u8]) -> bool {
    fields::is_exactly(name, Property::ConnectionSpecific)
}

fn header_map(head: &OutgoingHead) -> Option<HeaderMap> {
    let mut map = HeaderMap::with_capacity(HEADERS);
    for (name, value) in head.fields().filter(|(name, _)| !is_connection_specific(name)) {
        let name = HeaderName::from_bytes(name).ok()?;
        map.try_append(name, HeaderValue::from_bytes(value).ok()?).ok()?;
    }
    Some(map)
}

/// Fields that most heads stay below.
const HEADERS: usize = 24;

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
        wire::push_field(&mut out, name.as_str().as_bytes(), value.as_bytes());
    }
    Bytes::from(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head_for(target: &str, fields: &[(&str, &str)]) -> OutgoingHead {
        let mut head = OutgoingHead::request(b"GET", |out| out.extend_from_slice(target.as_bytes()));
        for (name, value) in fields {
            head.field(name.as_bytes(), value.as_bytes());
        }
        head
    }

    #[test]
    fn requests_are_carried_or_go_another_way() {
        let fields = [
            ("Host", "a.example:81"),
            ("X-A", "1"),
            ("Keep-Alive", "1"),
            ("x-a", "2"),
            ("Transfer-Encoding", "chunked"),
        ];
        let carried = request(&head_for("/a%2Fb?x={y}", &fields), "https").expect("it can be carried");
        assert_eq!(carried.uri(), "https://a.example:81/a%2Fb?x={y}");
        let fields_carried: Vec<_> =
            carried.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        assert_eq!(fields_carried, [("x-a", &b"1"[..]), ("x-a", b"2"), ("te", b"trailers")]);
        for target in ["/a<b>", "/a`b"] {
            assert!(request(&head_for(target, &fields), "http").is_none(), "{target}");
        }
        assert!(request(&head_for("/", &[]), "http").is_none(), "without a Host");
    }

    #[test]
    fn answers_come_and_go() {
        let mut head = OutgoingHead::response(404, b"Gone astray");
        for (name, value) in [("A", "1"), ("Connection", "close"), ("Set-Cookie", "b"), ("Set-Cookie", "c")] {
            head.field(name.as_bytes(), value.as_bytes());
        }
        let carried = response(&head).expect("it can be carried");
        assert_eq!(carried.headers().len(), 3);
        let head = response_head(&carried).expect("a head");
        assert_eq!((head.status, head.reason(), head.version), (404, &b"Not Found"[..], Version::Http2));
        assert_eq!(head.fields.all("set-cookie").collect::<Vec<_>>(), [b"b", b"c"]);
        for name in ["connection", "transfer-encoding", "keep-alive", "proxy-connection", "upgrade"] {
            let mut malformed = Response::new(());
            malformed.headers_mut().insert(name, HeaderValue::from_static("x"));
            assert_eq!(response_head(&malformed).err(), Some(Malformed::ConnectionField), "{name}");
        }
    }

    #[test]
    fn trailers_survive_the_way_there_and_back() {
        let text = b"grpc-status: 0\r\ngrpc-message: \r\n";
        assert_eq!(lines(&trailers(text)).as_ref(), text);
        assert!(trailers(b"").is_empty());
    }
}
