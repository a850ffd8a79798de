//! Which parser a `Content-Type` value asks for.

use super::BodyKind;

/// Subtypes that a browser or an API client sends JSON under, besides `json` and `+json`.
const JSON: &[&[u8]] = &[b"application/csp-report", b"application/x-json"];

/// Types and beginnings of types that hold no text.
const BINARY: &[&[u8]] = &[
    b"multipart/",
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

/// Pictures that are text.
const TEXT_AFTER_ALL: &[&[u8]] = &[b"image/svg+xml"];

/// The kind of body that `value` announces.
pub(super) fn kind(value: &[u8]) -> BodyKind {
    let essence = value.split(|byte| matches!(byte, b';' | b',')).next().unwrap_or_default();
    let essence = essence.trim_ascii().to_ascii_lowercase();
    if essence == b"application/x-www-form-urlencoded" {
        BodyKind::Form
    } else if essence.ends_with(b"/json") || essence.ends_with(b"+json") || JSON.contains(&essence.as_slice())
    {
        BodyKind::Json
    } else if TEXT_AFTER_ALL.contains(&essence.as_slice())
        || !BINARY.iter().any(|start| essence.starts_with(start))
    {
        BodyKind::Raw
    } else {
        BodyKind::None
    }
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
            ("multipart/form-data; boundary=x", BodyKind::None),
            ("image/png", BodyKind::None),
            ("image/svg+xml", BodyKind::Raw),
            ("text/plain", BodyKind::Raw),
            ("", BodyKind::Raw),
            ("nonsense", BodyKind::Raw),
        ] {
            assert_eq!(kind(value.as_bytes()), expected, "{value}");
        }
    }
}
