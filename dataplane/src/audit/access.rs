//! A line of the access log: one request, as one JSON object. What events mask is masked here too, by the same code.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use waf_shared::limits::ACCESS_LINE_BYTES_MAX;

use super::authority;
use super::json::Object;
use super::text;
use super::timestamp::rfc3339;
use super::url;

/// Bytes of JSON for a method; registered ones have at most 17.
const METHOD_BYTES_MAX: usize = 64;

/// Bytes of JSON for a Host value; names have at most 255.
const HOST_BYTES_MAX: usize = 300;

/// Bytes of JSON for the path, and as many for the query.
const PATH_BYTES_MAX: usize = 1400;

/// Bytes of JSON for the name of a route, and as many for a request id.
const ID_BYTES_MAX: usize = 128;

/// A request that is over.
#[derive(Debug)]
pub(crate) struct Access<'a> {
    pub(crate) time: SystemTime,
    pub(crate) client: SocketAddr,
    pub(crate) listener: SocketAddr,
    pub(crate) scheme: &'static str,
    pub(crate) method: Option<&'a [u8]>,
    pub(crate) target: Option<&'a [u8]>,
    pub(crate) host: Option<&'a [u8]>,
    /// Status sent to the client; 499 when it went away first.
    pub(crate) status: u16,
    /// Bytes of the body of the response.
    pub(crate) bytes: u64,
    pub(crate) duration: Duration,
    pub(crate) route: Option<&'a str>,
    pub(crate) request_id: &'a str,
    /// `allowed`, `detected` or `blocked`.
    pub(crate) verdict: &'static str,
}

/// The line of a request, with its newline; at most [`ACCESS_LINE_BYTES_MAX`] bytes.
pub(crate) fn write(access: &Access<'_>) -> Vec<u8> {
    let url = url::read(access.method, access.target, access.host, access.scheme, access.listener);
    let host = access.host.map(authority::without_password);
    let mut line = Vec::with_capacity(512);
    Object::write(&mut line, |object| {
        object.text("time", rfc3339(access.time));
        object.text("client", access.client.ip().to_canonical());
        object.string("method", access.method.map(|method| text::lossy(method, METHOD_BYTES_MAX)).as_deref());
        object.string("host", host.as_ref().map(|host| text::lossy(host, HOST_BYTES_MAX)).as_deref());
        // A head that was not read has no path.
        if access.target.is_some() {
            object.string("path", text::clip(&url.path, PATH_BYTES_MAX));
            object.string("query", url.query.as_deref().map(|query| text::clip(query, PATH_BYTES_MAX)));
        }
        object.number("status", access.status);
        object.number("bytes", access.bytes);
        object.number("duration_us", u64::try_from(access.duration.as_micros()).unwrap_or(u64::MAX));
        object.string("route", access.route.map(|route| text::clip(route, ID_BYTES_MAX)));
        object.string("request_id", text::clip(access.request_id, ID_BYTES_MAX));
        object.constant("verdict", access.verdict);
    });
    line.push(b'\n');
    debug_assert!(line.len() <= ACCESS_LINE_BYTES_MAX, "{}", line.len());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access<'a>(target: &'a [u8], host: &'a [u8]) -> Access<'a> {
        Access {
            time: SystemTime::UNIX_EPOCH + Duration::from_millis(784_111_777_500),
            client: "[::ffff:192.0.2.1]:4711".parse().expect("an address"),
            listener: "127.0.0.1:80".parse().expect("an address"),
            scheme: "http",
            method: Some(b"GET"),
            target: Some(target),
            host: Some(host),
            status: 200,
            bytes: 17,
            duration: Duration::from_micros(1234),
            route: Some("shop"),
            request_id: "id-1",
            verdict: "allowed",
        }
    }

    #[test]
    fn a_line_has_every_field() {
        let line = String::from_utf8(write(&access(b"/a/b?x=1", b"shop.example:8080"))).expect("text");
        assert_eq!(
            line,
            "{\"time\":\"1994-11-06T08:49:37.5Z\",\"client\":\"192.0.2.1\",\"method\":\"GET\",\
             \"host\":\"shop.example:8080\",\"path\":\"/a/b\",\"query\":\"x=1\",\"status\":200,\"bytes\":17,\
             \"duration_us\":1234,\"route\":\"shop\",\"request_id\":\"id-1\",\"verdict\":\"allowed\"}\n"
        );
    }

    #[test]
    fn secrets_are_masked_as_in_events() {
        for (target, host, secret) in [
            ("/?token=hunter2hunter2", "a", "hunter2"),
            ("/?a=1&password=hunter2hunter2&b=2", "a", "hunter2"),
            ("http://joe:hunter2@a/?x=1", "a", "hunter2"),
            ("/", "joe:hunter2@a", "hunter2"),
            ("/?api_key=hunter2hunter2", "a", "hunter2"),
            ("/?access_token=hunter2hunter2", "a", "hunter2"),
        ] {
            let line = String::from_utf8(write(&access(target.as_bytes(), host.as_bytes()))).expect("text");
            assert!(!line.contains(secret), "{line}");
        }
        let line = String::from_utf8(write(&access(b"/?page=hunter2", b"a"))).expect("text");
        assert!(line.contains("page=hunter2"), "what is no secret stays: {line}");
    }

    #[test]
    fn a_line_is_one_line_and_bounded_whatever_is_sent() {
        for byte in [b'a', b'"', b'\\', 0, b'\n', 0xff, 0x7f] {
            let target = [b"/".as_slice(), &[byte; 5000], b"?", &[byte; 5000]].concat();
            let name = vec![byte; 5000];
            let sent = Access { method: Some(&name), ..access(&target, &name) };
            let line = write(&sent);
            assert!(line.len() <= ACCESS_LINE_BYTES_MAX, "{byte}: {}", line.len());
            assert_eq!(line.iter().position(|b| *b == b'\n'), Some(line.len() - 1), "{byte}");
            let read: Result<serde_json::Value, _> = serde_json::from_slice(&line);
            assert!(read.is_ok_and(|value| value["status"] == 200), "{byte}");
        }
        let unread = Access { method: None, target: None, host: None, route: None, ..access(b"", b"") };
        let line = String::from_utf8(write(&unread)).expect("text");
        assert!(!line.contains("path") && !line.contains("route"), "{line}");
    }
}
