//! The form of every answer of the service itself, checked to the byte.

use crate::raw::Response;

/// Checks a refusal by a protection or a limit and returns its request id.
pub fn blocked(response: &Response, status: u16) -> String {
    answered(response, status, "blocked")
}

/// Checks an answer that the service makes itself and returns its request id.
pub fn answered(response: &Response, status: u16, error: &str) -> String {
    assert_eq!(response.status, status, "{response:?} {}", response.text());
    let id = response.field("X-Request-Id").unwrap_or_default().to_owned();
    assert!(is_request_id(&id), "request id {id:?}");
    assert_eq!(response.text(), format!("{{\"error\":\"{error}\",\"request_id\":\"{id}\"}}\n"));
    assert_eq!(response.field("Content-Type"), Some("application/json; charset=utf-8"));
    assert_eq!(response.field("Cache-Control"), Some("no-store"));
    assert_eq!(response.all("X-Request-Id").count(), 1);
    id
}

/// 1 to 128 characters from `[A-Za-z0-9._-]`.
pub fn is_request_id(id: &str) -> bool {
    (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

/// True if `id` is a `UUIDv7` in its usual form.
pub fn is_uuid_v7(id: &str) -> bool {
    let parts: Vec<&str> = id.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && id.bytes().all(|b| b == b'-' || b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        && parts[2].starts_with('7')
}

/// Percent-encodes everything but unreserved characters.
pub fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.extend(['%', hex(byte >> 4), hex(byte & 15)]);
        }
    }
    out
}

fn hex(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase()
}
