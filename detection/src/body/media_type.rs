//! Which parser a `Content-Type` value asks for, and the character set that it names.

use super::BodyKind;
use super::charset::{self, Label};
use super::parameters;

/// Subtypes that a browser or an API client sends JSON under, besides `json` and `+json`.
const JSON: &[&[u8]] = &[b"application/csp-report", b"application/x-json"];

/// Types and beginnings of types that hold no text.
const BINARY: &[&[u8]] = &[
    b"image/",
    b"audio/",
    b"video/",
    b"font/",
    b"application/octet-stream",
    b"application/pdf",
    b"application/zip",
    b"application/gzip",
    b"application/x-gzip",
    b"application/x-tar",
    b"application/x-7z-compressed",
    b"application/zstd",
    b"application/wasm",
    b"application/grpc",
    b"application/protobuf",
    b"application/x-protobuf",
    b"application/vnd.google.protobuf",
    b"application/cbor",
    b"application/msgpack",
    b"application/vnd.openxmlformats",
    b"application/vnd.ms-",
    b"application/vnd.git-",
    b"application/x-git-",
];

/// The kind of body that `value` announces.
pub(crate) fn kind(value: &[u8]) -> BodyKind {
    let essence = essence(value);
    if essence == b"application/x-www-form-urlencoded" {
        BodyKind::Form
    } else if essence.ends_with(b"/json") || essence.ends_with(b"+json") || JSON.contains(&essence.as_slice())
    {
        BodyKind::Json
    } else if essence.ends_with(b"/xml") || essence.ends_with(b"+xml") {
        BodyKind::Xml
    } else if essence.starts_with(b"multipart/") {
        BodyKind::Multipart
    } else if BINARY.iter().any(|start| essence.starts_with(start)) {
        BodyKind::None
    } else {
        BodyKind::Raw
    }
}

/// Whether `value` announces a multipart form.
pub(super) fn is_form_data(value: &[u8]) -> bool {
    essence(value) == b"multipart/form-data"
}

/// The character set that `value` names. Two that differ are none that could be read.
pub(super) fn charset(value: &[u8]) -> Option<Label> {
    let (_, rest) = parameters::essence(value);
    let mut found = None;
    for parameter in parameters::parameters(rest).filter_map(Result::ok) {
        if !parameter.name.eq_ignore_ascii_case(b"charset") {
            continue;
        }
        let label = charset::label(&parameter.value);
        if found.replace(label).is_some_and(|before| before != label) {
            return Some(Label::Unknown);
        }
    }
    found
}

/// Type and subtype in lower case, as far as a lenient reader finds them.
fn essence(value: &[u8]) -> Vec<u8> {
    let essence = value.split(|byte| matches!(byte, b';' | b',')).next().unwrap_or_default();
    essence.trim_ascii().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_choose_parsers() {
        for (value, expected) in [
            ("application/json; charset=utf-8", BodyKind::Json),
            ("Application/Problem+JSON", BodyKind::Json),
            ("application/x-www-form-urlencoded;charset=UTF-8", BodyKind::Form),
            ("multipart/form-data; boundary=x", BodyKind::Multipart),
            ("application/soap+xml", BodyKind::Xml),
            ("text/xml;charset=utf-8", BodyKind::Xml),
            ("image/png", BodyKind::None),
            ("image/svg+xml", BodyKind::Xml),
            ("text/plain", BodyKind::Raw),
            ("", BodyKind::Raw),
            ("nonsense", BodyKind::Raw),
        ] {
            assert_eq!(kind(value.as_bytes()), expected, "{value}");
        }
        assert!(is_form_data(b"Multipart/Form-Data; boundary=x") && !is_form_data(b"multipart/mixed"));
    }

    #[test]
    fn character_sets_are_read_from_their_parameter() {
        for (value, expected) in [
            ("text/plain", None),
            ("text/plain; charset=UTF-8", Some(Label::Utf8)),
            ("text/plain; charset=\"utf-8\"; charset=utf8", Some(Label::Utf8)),
            ("text/plain; charset=utf-8; charset=utf-16", Some(Label::Unknown)),
            ("text/plain; charset=ibm037", Some(Label::Unknown)),
        ] {
            assert_eq!(charset(value.as_bytes()), expected, "{value}");
        }
    }
}
