//! A recorded request, as a line of JSON that holds the message as HTTP/1.1. What events mask is masked here too, by the
//! same code; a body in which that code cannot find what is secret is left out.

use std::borrow::Cow;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::authority::without_password;
use super::json::Object;
use super::mask::{self, MASK, TextKind};
use super::timestamp::rfc3339;
use super::url::{self, split_absolute, split_query};

/// A request that is over.
#[derive(Debug)]
pub(crate) struct Recorded<'a> {
    pub(crate) time: SystemTime,
    pub(crate) request_id: &'a str,
    pub(crate) route: Option<&'a str>,
    /// `allowed`, `detected` or `blocked`.
    pub(crate) decision: &'static str,
    pub(crate) method: &'a [u8],
    pub(crate) target: &'a [u8],
    /// The whole body; none where a part of it is missing.
    pub(crate) body: Option<&'a [u8]>,
}

/// The line of a request with these fields, with its newline.
pub(crate) fn write<'f>(
    recorded: &Recorded<'_>,
    fields: impl Iterator<Item = (&'f [u8], &'f [u8])> + Clone,
) -> Vec<u8> {
    let message = STANDARD.encode(message(recorded, fields));
    let mut line = Vec::with_capacity(message.len() + 256);
    Object::write(&mut line, |object| {
        object.text("id", format_args!("recorded/{}", recorded.request_id));
        object.constant("source", "recorded");
        object.constant("class", recorded.decision);
        object.string("family", recorded.route);
        object.text("time", rfc3339(recorded.time));
        object.string("request_b64", message.as_str());
    });
    line.push(b'\n');
    line
}

/// The message. Its length is written anew, since masking changes it.
fn message<'f>(
    recorded: &Recorded<'_>,
    fields: impl Iterator<Item = (&'f [u8], &'f [u8])> + Clone,
) -> Vec<u8> {
    let body = recorded.body.and_then(|body| masked_body(&fields, body));
    let mut message = [recorded.method, b" ", &masked_target(recorded.target), b" HTTP/1.1\r\n"].concat();
    let mut add = |name: &[u8], value: &[u8]| {
        for part in [name, b": ", value, b"\r\n"] {
            message.extend_from_slice(part);
        }
    };
    if !fields.clone().any(|(name, _)| is(name, b"host"))
        && let Some((_, authority, _)) = split_absolute(recorded.target)
    {
        add(b"Host", &without_password(authority));
    }
    for (name, value) in fields {
        let is_content = name.get(..8).is_some_and(|front| front.eq_ignore_ascii_case(b"content-"));
        if is(name, b"content-length")
            || is(name, b"transfer-encoding")
            || is(name, b"trailer")
            || is(name, b"expect")
            || (is_content && body.is_none())
        {
            continue;
        }
        if mask::is_secret(name) {
            add(name, MASK.as_bytes());
        } else if is(name, b"host") {
            add(name, &without_password(value));
        } else if is(name, b"referer") {
            add(name, url::masked(value).as_bytes());
        } else {
            add(name, &mask::values(value, TextKind::Text));
        }
    }
    if let Some(body) = &body {
        add(b"Content-Length", body.len().to_string().as_bytes());
    }
    message.extend_from_slice(b"\r\n");
    message.extend_from_slice(body.as_deref().unwrap_or_default());
    message
}

fn is(name: &[u8], known: &[u8]) -> bool {
    name.eq_ignore_ascii_case(known)
}

fn masked_target(target: &[u8]) -> Vec<u8> {
    let (address, query) = split_query(target);
    // A target in absolute form may carry a password.
    let (origin, path) = match split_absolute(address) {
        Some((scheme, authority, path)) => {
            ([scheme, b"://", without_password(authority).as_ref()].concat(), path)
        }
        None => (Vec::new(), address),
    };
    let mut masked = [origin.as_slice(), &mask::values(path, TextKind::Path)].concat();
    if let Some(query) = query {
        masked.push(b'?');
        masked.extend_from_slice(&mask::values(query, TextKind::Query));
    }
    masked
}

/// The body without its secrets; none where they cannot be found: in a content coding, in several parts, or in a type
/// that is not text.
fn masked_body<'b, 'f>(
    fields: &(impl Iterator<Item = (&'f [u8], &'f [u8])> + Clone),
    body: &'b [u8],
) -> Option<Cow<'b, [u8]>> {
    let mut types = fields.clone().filter(|(name, _)| is(name, b"content-type")).map(|(_, value)| value);
    let is_coded = fields.clone().any(|(name, _)| is(name, b"content-encoding"));
    let (Some(declared), None, false) = (types.next(), types.next(), is_coded) else { return None };
    let declared = declared.split(|byte| *byte == b';').next().unwrap_or_default();
    let declared = declared.trim_ascii().to_ascii_lowercase();
    // Text in another encoding than this would hide its names.
    std::str::from_utf8(body).ok().filter(|text| !text.contains('\0'))?;
    let kind = match declared.as_slice() {
        b"application/x-www-form-urlencoded" => TextKind::Query,
        b"application/json" | b"application/xml" | b"application/graphql" => TextKind::Text,
        other if other.ends_with(b"+json") || other.ends_with(b"+xml") => TextKind::Text,
        b"text/plain" | b"text/xml" | b"text/html" | b"text/json" | b"text/csv" => TextKind::Text,
        _ => return None,
    };
    Some(mask::values(body, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded<'a>(target: &'a [u8], body: Option<&'a [u8]>) -> Recorded<'a> {
        Recorded {
            time: SystemTime::UNIX_EPOCH,
            request_id: "id-1",
            route: Some("shop"),
            decision: "allowed",
            method: b"POST",
            target,
            body,
        }
    }

    fn fields<'f>(lines: &'f [(&'f str, &'f str)]) -> impl Iterator<Item = (&'f [u8], &'f [u8])> + Clone {
        lines.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()))
    }

    fn text(recorded: &Recorded<'_>, lines: &[(&str, &str)]) -> String {
        String::from_utf8(message(recorded, fields(lines))).expect("text")
    }

    #[test]
    fn a_line_has_the_message() {
        let lines = [("Host", "shop.example"), ("Content-Type", "application/json"), ("content-length", "9")];
        let line = write(&recorded(b"/a?x=1", Some(b"{\"q\":\"b\"}")), fields(&lines));
        let read: serde_json::Value = serde_json::from_slice(&line).expect("JSON");
        assert_eq!((&read["id"], &read["family"]), (&"recorded/id-1".into(), &"shop".into()), "{read}");
        let message = STANDARD.decode(read["request_b64"].as_str().expect("text")).expect("base64");
        assert_eq!(
            String::from_utf8_lossy(&message),
            "POST /a?x=1 HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\n\
             Content-Length: 9\r\n\r\n{\"q\":\"b\"}"
        );
        assert_eq!(memchr::memchr(b'\n', &line), Some(line.len() - 1));
    }

    #[test]
    fn secrets_are_masked_wherever_they_are() {
        let json = ("Content-Type", "application/json");
        let form = ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
        for (target, body, lines) in [
            ("/?token=hunter2", None, vec![]),
            ("/a;sessionid=hunter2/b", None, vec![]),
            ("http://joe:hunter2@a/?x=1", None, vec![]),
            ("/", None, vec![("Authorization", "Basic hunter2")]),
            ("/", None, vec![("Cookie", "sid=hunter2")]),
            ("/", None, vec![("X-Api-Key", "hunter2")]),
            ("/", None, vec![("Host", "joe:hunter2@a")]),
            ("/", None, vec![("Referer", "https://a/?password=hunter2&x=1")]),
            ("/", Some("{\"user\":\"joe\",\"password\":\"hunter2\"}"), vec![json]),
            ("/", Some("user=joe&password=hunter2"), vec![form]),
            ("/", Some("<user><password>hunter2</password></user>"), vec![("Content-Type", "text/xml")]),
        ] {
            let text = text(&recorded(target.as_bytes(), body.map(str::as_bytes)), &lines);
            assert!(!text.contains("hunter2") && text.contains("***") | lines.is_empty(), "{text}");
        }
        let text = text(&recorded(b"/?page=hunter2", Some(b"q=hunter2")), &[form]);
        assert_eq!(text.matches("hunter2").count(), 2, "what is not secret stays: {text}");
    }

    /// A message without its body says nothing of it either.
    #[test]
    fn bodies_that_cannot_be_masked_are_left_out() {
        let body = "hunter2hunter2";
        for lines in [
            vec![("Content-Type", "multipart/form-data; boundary=a")],
            vec![("Content-Type", "application/octet-stream")],
            vec![("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
            vec![("Content-Type", "application/json"), ("Content-Type", "text/plain")],
            vec![("X-A", "b")],
        ] {
            let lines = [lines, vec![("Transfer-Encoding", "chunked")]].concat();
            let text = text(&recorded(b"/", Some(body.as_bytes())), &lines);
            assert!(text.ends_with("\r\n\r\n") && !text.contains("hunter2"), "{text}");
            assert!(!text.to_ascii_lowercase().contains("content-") && !text.contains("chunked"), "{text}");
        }
        let wide: Vec<u8> = "password=hunter2".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let text = text(&recorded(b"/", Some(&wide)), &[("Content-Type", "text/plain")]);
        assert!(text.ends_with("\r\n\r\n"), "{text}");
    }
}
