//! The request of an audit event, rebuilt as far as the event knows it: the request line, three header fields, and the
//! values in which something was found. What is not known is listed.

use std::fmt::Write as _;
use std::io::{self, BufRead, Read as _};

use serde_json::{Map, Value};

use crate::audit_event::{AuditEvent, field};
use crate::diagnostic::printable;

/// Bytes of one event; those that the service writes are shorter.
const EVENT_BYTES_MAX: u64 = 1 << 20;

/// Names of a path in JSON that are rebuilt.
const DEPTH_MAX: usize = 32;

/// A request that was rebuilt.
#[derive(Debug)]
pub struct Rebuilt {
    /// As it would be recorded.
    pub raw: Vec<u8>,
    /// The event, the request and what is not known of it, for people.
    pub text: String,
}

/// A fault that leaves nothing to explain.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// No event has the id.
    #[error("no event has the request id")]
    NotFound,
    /// The event has no request that could be read.
    #[error("the event has no request: what was sent could not be read")]
    NoRequest,
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
}

/// The request of the event with a request id.
pub fn rebuilt(mut lines: impl BufRead, id: &str) -> Result<Rebuilt, EventError> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.by_ref().take(EVENT_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
            return Err(EventError::NotFound);
        }
        // Most lines are dismissed before they are parsed.
        if id.is_empty() || !String::from_utf8_lossy(&line).contains(id) {
            continue;
        }
        let Ok(document) = serde_json::from_slice::<Value>(&line) else { continue };
        if let Some(event) = AuditEvent::of(&document).filter(|event| event.request_id() == id) {
            return request_of(&event).ok_or(EventError::NoRequest);
        }
    }
}

/// The values in which something was found and that no other field of the event has.
#[derive(Debug, Default)]
struct Found {
    headers: Vec<(String, String)>,
    cookies: Vec<String>,
    form: Vec<String>,
    json: Option<Value>,
    text: Option<String>,
    /// Places that cannot be rebuilt.
    other: Vec<String>,
}

fn request_of(event: &AuditEvent<'_>) -> Option<Rebuilt> {
    if matches!(event.method(), "" | "UNKNOWN") {
        return None;
    }
    let found = found(event);
    let query = if event.query().is_empty() { String::new() } else { format!("?{}", event.query()) };
    let version = if event.version().is_empty() { "1.1" } else { event.version() };
    let mut head = format!("{} {}{query} HTTP/{version}\r\n", event.method(), event.path());
    let host = if event.host().is_empty() { event.other_host() } else { event.host() };
    let known = [("Host", host), ("User-Agent", event.user_agent()), ("Referer", event.referer())];
    let found_headers = found.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in known.into_iter().filter(|(_, value)| !value.is_empty()).chain(found_headers) {
        let _ = write!(head, "{name}: {}\r\n", one_line(value));
    }
    if !found.cookies.is_empty() {
        let _ = write!(head, "Cookie: {}\r\n", one_line(&found.cookies.join("; ")));
    }
    let body = match (&found.json, &found.text) {
        (Some(json), _) => Some(("application/json", json.to_string())),
        (None, _) if !found.form.is_empty() => {
            Some(("application/x-www-form-urlencoded", found.form.join("&")))
        }
        (None, Some(text)) => Some(("text/plain", text.clone())),
        (None, None) => None,
    };
    let body = body.map_or(String::new(), |(kind, body)| {
        let _ = write!(head, "Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
        body
    });
    let text = described(event, &format!("{head}\r\n{body}"), &found);
    Some(Rebuilt { raw: format!("{head}\r\n{body}").into_bytes(), text })
}

fn described(event: &AuditEvent<'_>, request: &str, found: &Found) -> String {
    let mut text = format!("event of {}, {}", printable(&event.stamp()), event.disposition.word());
    if let Some(status) = event.status() {
        let _ = write!(text, " with {status}");
    }
    let _ = writeln!(text, ": {}\nthe request, as far as the event has it:", printable(event.message()));
    for line in request.lines() {
        let _ = writeln!(text, "  {}", printable(line));
    }
    let mut missing =
        vec!["other header fields and cookies".to_owned(), "values without a finding".to_owned()];
    if request.contains("***") {
        missing.push("masked values (***)".to_owned());
    }
    missing.extend(found.other.iter().map(|place| format!("the value of {}", printable(place))));
    let _ = writeln!(text, "not in the event: {}\n", missing.join(", "));
    text
}

/// The findings of an event by the part of the request that carries them, each value once.
fn found(event: &AuditEvent<'_>) -> Found {
    let mut out = Found::default();
    let mut seen = Vec::new();
    for one in event.matches() {
        let (place, name, excerpt) = (field(one, "place"), field(one, "name"), field(one, "excerpt"));
        if seen.contains(&(place, name)) {
            continue;
        }
        seen.push((place, name));
        match place {
            "PATH" | "PATH_SEGMENT" | "" => {}
            "HEADERS" if is_known(name) || name.is_empty() => {}
            "HEADERS" if crate::names::is_token(name) => {
                out.headers.push((name.to_owned(), excerpt.to_owned()));
            }
            "COOKIES" => out.cookies.push(format!("{name}={}", coded(excerpt))),
            "COOKIE_NAMES" => out.cookies.push(format!("{}=1", coded(excerpt))),
            "ARGS" | "ARGS_NAMES" if is_of_query(event.query(), name, excerpt) => {}
            "ARGS" => out.form.push(format!("{}={}", coded(name), coded(excerpt))),
            "ARGS_NAMES" => out.form.push(format!("{}=1", coded(excerpt))),
            "JSON" => insert(out.json.get_or_insert_with(|| Value::Object(Map::new())), name, excerpt),
            "BODY" => out.text = Some(excerpt.to_owned()),
            _ => {
                let name = if name.is_empty() { String::new() } else { format!(":{name}") };
                out.other.push(format!("{place}{name}"));
            }
        }
    }
    out
}

/// True for header fields that an event has in a field of its own, or that rebuilding sets.
fn is_known(name: &str) -> bool {
    let known =
        ["host", "user-agent", "referer", "content-type", "content-length", "cookie", "transfer-encoding"];
    known.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// True if the query has a parameter of the name, or, without a name, if there is nothing else that could have it.
fn is_of_query(query: &str, name: &str, excerpt: &str) -> bool {
    let named = query.split('&').map(|pair| pair.split('=').next().unwrap_or_default());
    if name.is_empty() {
        return !query.is_empty() && !excerpt.is_empty();
    }
    let (coded, name) = (coded(name), name.replace(' ', "+"));
    named.into_iter().any(|known| known == name || known.eq_ignore_ascii_case(&coded))
}

/// Puts a text at a path such as `order.items.0.note`; numbers are names of members here.
fn insert(document: &mut Value, path: &str, text: &str) {
    let mut at = document;
    for name in path.split('.').take(DEPTH_MAX) {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(members) = at else { return };
        at = members.entry(name).or_insert(Value::Null);
    }
    *at = Value::String(text.to_owned());
}

fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// A value for a form, a query or a cookie, percent-coded.
fn coded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~[]".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
