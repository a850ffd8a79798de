//! The examples in the summaries of the catalog, turned into the messages that they describe. The shape of an example says
//! where it is sent; `shared/src/catalog/table.rs` lists the shapes.

use std::fmt::{self, Write as _};

use waf_shared::catalog::{Leaf, Row};

/// Fields of every request; an example replaces the one of its name.
const FIELDS: &[(&str, &str)] =
    &[("Host", "shop.example"), ("Accept", "text/html"), ("User-Agent", "shop/1.0")];

/// Fields that a summary asks for in words beside its example.
const CONTEXT: &[(Leaf, &str)] = &[(Leaf::SessionFixationExternalReferer, "Referer: https://evil.example/")];

/// A message that shows an example.
#[derive(Debug)]
pub(crate) enum Message {
    /// A request, as recorded bytes.
    Request(Vec<u8>),
    /// A response, as recorded bytes, and the request that it answers.
    Response { request: String, response: String },
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Request(raw) => write!(f, "{:?}", String::from_utf8_lossy(raw)),
            Message::Response { request, response } => write!(f, "{request:?} {response:?}"),
        }
    }
}

/// The code spans of a summary.
pub(crate) fn spans(summary: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = summary;
    while let Some(at) = rest.find('`') {
        let ticks = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        let body = &rest[at + ticks..];
        let end = body.find(&"`".repeat(ticks)).expect("a code span ends");
        found.push(if ticks > 1 { body[..end].trim_end_matches(' ') } else { &body[..end] });
        rest = &body[end + ticks..];
    }
    found
}

/// Returns `true` if the rules of `row` look at responses.
pub(crate) fn is_of_responses(row: &Row) -> bool {
    row.name.contains("-data-leakage-") || matches!(row.family, "web-shell-detection" | "response-inspection")
}

/// The message for an example of `row`; `None` for a code span that names a setting, a header field or a word.
pub(crate) fn message(row: &Row, span: &str) -> Option<Message> {
    if row.family == "response-inspection" {
        return span.strip_prefix('?').map(redirect);
    }
    if is_of_responses(row) {
        let media_type = if span.starts_with('<') { "text/html" } else { "text/plain" };
        let response = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n{span}");
        return Some(Message::Response { request: request(row, "GET / HTTP/1.1", None, ""), response });
    }
    if let Some(part) = part(row, span) {
        let head = ("Content-Type", "multipart/form-data; boundary=b");
        let body = format!("--b\r\n{part}\r\n--b--\r\n");
        return Some(Message::Request(request(row, "POST / HTTP/1.1", Some(head), &body).into_bytes()));
    }
    if span.starts_with('{') {
        let head = ("Content-Type", "application/json");
        return Some(Message::Request(request(row, "POST / HTTP/1.1", Some(head), span).into_bytes()));
    }
    let (line, field) = if let Some(field) = field(span) {
        ("GET / HTTP/1.1".to_owned(), Some(field))
    } else if span.starts_with('?') {
        (format!("GET /{} HTTP/1.1", coded(span)), None)
    } else if span.starts_with('/') {
        (format!("GET {} HTTP/1.1", coded(span)), None)
    } else if span.split_once(" /").is_some_and(|(method, _)| method.bytes().all(|b| b.is_ascii_uppercase()))
    {
        (format!("{span} HTTP/1.1"), None)
    } else {
        return None;
    };
    Some(Message::Request(request(row, &line, field, "").into_bytes()))
}

/// A request of the leaf's context with one more field.
fn request(row: &Row, line: &str, field: Option<(&str, &str)>, body: &str) -> String {
    let mut text = format!("{line}\r\n");
    for (name, value) in FIELDS.iter().filter(|(name, _)| field.is_none_or(|(own, _)| own != *name)) {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    for (_, line) in CONTEXT.iter().filter(|(leaf, _)| *leaf == row.leaf) {
        let _ = write!(text, "{line}\r\n");
    }
    if let Some((name, value)) = field {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    if !body.is_empty() {
        let _ = write!(text, "Content-Length: {}\r\n", body.len());
    }
    text + "\r\n" + body
}

/// A header field as `Name: value`.
fn field(span: &str) -> Option<(&str, &str)> {
    let (name, value) = span.split_once(": ")?;
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (is_name && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some((name, value))
}

/// A part of a multipart body: a file by its name, a field by its name and value, or a field of the part's head.
fn part(row: &Row, span: &str) -> Option<String> {
    let disposition = "Content-Disposition: form-data";
    if span.starts_with("filename=") {
        // The file declares an image and is a document: what a signature contradicts.
        let (media_type, content) = if row.leaf == Leaf::FileUploadLimitsAllowedTypes {
            ("image/png", "%PDF-1.7")
        } else {
            ("text/plain", "x")
        };
        return Some(format!(
            "{disposition}; name=\"f\"; {span}\r\nContent-Type: {media_type}\r\n\r\n{content}"
        ));
    }
    if span.starts_with("name=") {
        let end = span.rfind('"').expect("a name stands between quotes");
        let (name, value) = span.split_at(end + 1);
        return Some(format!("{disposition}; {name}\r\n\r\n{}", value.trim()));
    }
    let line = field(span).filter(|_| row.bucket == "file-upload-attacks")?;
    Some(format!("{disposition}; name=\"a\"\r\n{}: {}\r\n\r\nx", line.0, line.1))
}

/// A redirect to the host that the example's parameter names.
fn redirect(query: &str) -> Message {
    let target = query.split_once('=').expect("a parameter has a value").1;
    Message::Response {
        request: format!("GET /go?{query} HTTP/1.1\r\nHost: shop.example\r\n\r\n"),
        response: format!("HTTP/1.1 302 Found\r\nLocation: {target}/\r\n\r\n"),
    }
}

/// The target as a client sends it: escapes stay, what may not stand in a target is escaped.
fn coded(target: &str) -> String {
    let bytes = target.as_bytes();
    let is_escape = |at: usize| {
        (1..3).all(|n| bytes.get(at + n).is_some_and(u8::is_ascii_hexdigit))
            || bytes.get(at + 1) == Some(&b'u')
    };
    let mut out = String::new();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'%' if is_escape(at) || bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => out.push('%'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(char::from(*byte)),
            b'-' | b'.' | b'_' | b'~' | b'/' | b'?' | b'=' | b'&' | b';' | b':' | b'@' | b'!' | b'*'
            | b',' | b'(' | b')' => {
                out.push(char::from(*byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
