//! How the body of a response is read, by its `Content-Type`.

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// A page.
    Html,
    /// JSON, also by suffix: judged string by string.
    Json,
    /// XML, also by suffix.
    Xml,
    /// Plain text, event streams and every other text.
    #[default]
    Text,
    /// Scripts and style sheets: source code that is sent on purpose.
    Script,
    /// Undeclared: the first bytes decide.
    Unknown,
}

/// Types of program text that a browser loads.
const SCRIPTS: &[&[u8]] = &[
    b"text/javascript",
    b"application/javascript",
    b"application/x-javascript",
    b"text/ecmascript",
    b"application/ecmascript",
    b"text/css",
];

/// The kind that `content_type` declares; `None` for what holds no text.
pub(crate) fn of(content_type: &[u8]) -> Option<Kind> {
    let essence = content_type.split(|byte| matches!(byte, b';' | b',')).next().unwrap_or_default();
    let essence = essence.trim_ascii();
    // Longest first by what is most common; comparing needs no copy.
    let is = |name: &[u8]| essence.eq_ignore_ascii_case(name);
    let ends = |end: &[u8]| {
        let tail = essence.len().checked_sub(end.len()).and_then(|at| essence.get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    let starts = |start: &[u8]| essence.get(..start.len()).is_some_and(|s| s.eq_ignore_ascii_case(start));
    if is(b"text/html") || is(b"application/xhtml+xml") {
        Some(Kind::Html)
    } else if ends(b"/json") || ends(b"+json") || ends(b"ndjson") {
        Some(Kind::Json)
    } else if starts(b"image/") {
        None
    } else if ends(b"/xml") || ends(b"+xml") {
        Some(Kind::Xml)
    } else if SCRIPTS.iter().any(|name| is(name)) {
        Some(Kind::Script)
    } else if starts(b"text/") {
        Some(Kind::Text)
    } else {
        essence.is_empty().then_some(Kind::Unknown)
    }
}

/// What the first bytes of an undeclared body look like; `None` for what holds no text.
pub(crate) fn sniff(bytes: &[u8]) -> Option<Kind> {
    let start = bytes.get(..bytes.len().min(512)).unwrap_or_default();
    if start.contains(&0) {
        return None;
    }
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    Some(match start {
        [b'<', b'?', b'x', b'm', b'l', ..] => Kind::Xml,
        [b'<', b'?', ..] => Kind::Text,
        [b'<', ..] => Kind::Html,
        [b'{' | b'[', ..] => Kind::Json,
        _ => Kind::Text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_choose_the_reading() {
        for (value, expected) in [
            ("text/html; charset=utf-8", Some(Kind::Html)),
            ("TEXT/HTML", Some(Kind::Html)),
            ("application/problem+json", Some(Kind::Json)),
            ("application/x-ndjson", Some(Kind::Json)),
            ("application/rss+xml", Some(Kind::Xml)),
            ("text/event-stream", Some(Kind::Text)),
            ("text/plain", Some(Kind::Text)),
            ("application/javascript", Some(Kind::Script)),
            ("", Some(Kind::Unknown)),
            ("image/png", None),
            ("image/svg+xml", None),
            ("application/octet-stream", None),
            ("application/grpc", None),
            ("font/woff2", None),
            ("multipart/byteranges; boundary=x", None),
        ] {
            assert_eq!(of(value.as_bytes()), expected, "{value}");
        }
        assert_eq!(sniff(b"\xef\xbb\xbf <html>"), Some(Kind::Html));
        assert_eq!(sniff(b"<?php"), Some(Kind::Text));
        assert_eq!(sniff(b"GIF8\0"), None);
    }
}
