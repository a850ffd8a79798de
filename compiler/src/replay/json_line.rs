//! Lines of JSON: recordings of whole requests, and access logs of Caddy, Envoy, nginx, this service and others. Logs name
//! the same facts differently; each fact is looked up under the names that are in use.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use waf_detection::request::Version;

use super::request::{Line, Logged, Noted, Request, is_method, request_line};

const METHOD: &[&str] = &["method", "request_method", "http_method", "requestMethod", ":method", "verb"];
const TARGET: &[&str] =
    &["uri", "request_uri", "target", "requestUri", "original_path", "path", ":path", "url", "requestUrl"];
const QUERY: &[&str] = &["query", "query_string", "args"];
const HOST: &[&str] = &["host", "http_host", "authority", ":authority", "vhost", "server_name"];
const AGENT: &[&str] = &["user_agent", "http_user_agent", "userAgent", "user-agent", "agent"];
const REFERER: &[&str] = &["referer", "http_referer", "referrer"];
const STATUS: &[&str] = &["status", "response_code", "status_code", "statusCode"];
const LINE: &[&str] = &["request", "request_line", "requestLine"];

/// Reads a line.
pub(super) fn read<'a>(line: &[u8], default_host: &'a str) -> Line<'a> {
    let Ok(Value::Object(object)) = serde_json::from_slice(line) else { return Line::Unreadable };
    if object.contains_key("request_b64") {
        let raw = object.get("request_b64").and_then(Value::as_str);
        let raw = raw.and_then(|text| STANDARD.decode(text).ok());
        return match raw {
            Some(raw) if crate::check_request::head::is_request(&raw).is_ok() => {
                Line::Request(Request::of_message(&raw).into_owned())
            }
            Some(_) => Line::NotHttp,
            None => Line::Unreadable,
        };
    }
    let is_recording = object.contains_key("target") && object.contains_key("headers");
    let read = if is_recording { recording(&object) } else { logged(&object, default_host) };
    match read {
        Some(request) if is_method(&request.method) => Line::Request(request),
        Some(_) => Line::NotHttp,
        None => Line::Unreadable,
    }
}

/// A request in fields: `method`, `target`, `headers`, `body` or `body_base64`.
fn recording(object: &Map<String, Value>) -> Option<Request<'static>> {
    let body = match (text(object, &["body"]), text(object, &["body_base64", "body_b64"])) {
        (Some(body), _) => body.as_bytes().to_vec(),
        (None, Some(coded)) => STANDARD.decode(coded).ok()?,
        (None, None) => Vec::new(),
    };
    let version = match text(object, &["version", "http_version"]).unwrap_or_default() {
        "HTTP/1.0" => Version::Http10,
        "HTTP/2" | "HTTP/2.0" => Version::Http2,
        _ => Version::Http11,
    };
    Some(Request {
        method: owned(text(object, METHOD)?),
        target: owned(text(object, &["target"])?),
        version,
        fields: fields(object.get("headers")?),
        body,
        status: status(object),
    })
}

/// Header fields as a list of pairs, a list of objects with name and value, or an object of values or lists of values.
fn fields(headers: &Value) -> Vec<(Cow<'static, [u8]>, Cow<'static, [u8]>)> {
    let mut found = Vec::new();
    let mut add = |name: &str, value: &Value| match value {
        Value::String(value) => found.push((owned(name), owned(value))),
        Value::Array(values) => {
            let values = values.iter().filter_map(Value::as_str);
            found.extend(values.map(|value| (owned(name), owned(value))));
        }
        _ => {}
    };
    match headers {
        Value::Object(object) => object.iter().for_each(|(name, value)| add(name, value)),
        Value::Array(list) => {
            for entry in list {
                match entry {
                    Value::Array(pair) => {
                        if let [Value::String(name), value] = pair.as_slice() {
                            add(name, value);
                        }
                    }
                    Value::Object(entry) => {
                        let name = entry.get("name").and_then(Value::as_str);
                        if let (Some(name), Some(value)) = (name, entry.get("value")) {
                            add(name, value);
                        }
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
    found
}

/// A line of an access log. Caddy has an object `request` in it.
fn logged<'a>(object: &Map<String, Value>, default_host: &'a str) -> Option<Request<'a>> {
    let inner = object.get("request").or_else(|| object.get("httpRequest")).and_then(Value::as_object);
    let request = inner.unwrap_or(object);
    let (method, target) = match (text(request, METHOD), text(request, TARGET)) {
        (Some(method), Some(target)) => (method.to_owned(), with_query(request, target)),
        _ => {
            let line = text(object, LINE)?;
            let (method, target) = request_line(line.as_bytes()).unwrap_or_default();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (text(method), text(target))
        }
    };
    let headers = request.get("headers").map(fields).unwrap_or_default();
    let note = |names| match text(request, names).or_else(|| text(object, names)) {
        Some(value) => Noted::of(owned(value)),
        // A log of all fields says that there was none by leaving it out.
        None if !headers.is_empty() => Noted::Absent,
        None => Noted::Unknown,
    };
    let (host, user_agent, referer) = (note(HOST), note(AGENT), note(REFERER));
    let host = if matches!(host, Noted::Absent) { Noted::Unknown } else { host };
    let logged = Logged {
        method: Cow::Owned(method.into_bytes()),
        target: Cow::Owned(target.into_bytes()),
        host,
        user_agent,
        referer,
        // The body is in no log: nothing may say that there is one. What a log hides is not a value.
        fields: headers.into_iter().filter(|(name, value)| is_kept(name, value)).collect(),
        status: status(object),
    };
    Some(logged.request(default_host))
}

fn is_kept(name: &[u8], value: &[u8]) -> bool {
    let of_body = ["content-length", "content-type", "content-encoding", "transfer-encoding"];
    !of_body.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes())) && value != b"REDACTED"
}

/// The target, with the query where the log keeps it apart.
fn with_query(request: &Map<String, Value>, target: &str) -> String {
    match text(request, QUERY) {
        Some(query) if !query.is_empty() && query != "-" && !target.contains('?') => {
            format!("{target}?{}", query.strip_prefix('?').unwrap_or(query))
        }
        _ => target.to_owned(),
    }
}

fn text<'o>(object: &'o Map<String, Value>, names: &[&str]) -> Option<&'o str> {
    names.iter().find_map(|name| object.get(*name).and_then(Value::as_str))
}

fn status(object: &Map<String, Value>) -> Option<u16> {
    let value = STATUS.iter().find_map(|name| object.get(*name))?;
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64().and_then(|status| u16::try_from(status).ok()),
    }
}

fn owned(text: &str) -> Cow<'static, [u8]> {
    Cow::Owned(text.as_bytes().to_vec())
}
