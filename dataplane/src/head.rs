//! Heads of messages, whatever version of HTTP carries them. A head that came is indexed over its own bytes, and keeps
//! the case and the order of its fields; one that is sent is an [`OutgoingHead`]. Codecs read and write both:
//! `http1/head.rs` and `http2/translate.rs`.

mod hop;

mod outgoing;

use std::ops::Range;

use bytes::{Bytes, BytesMut};

pub(crate) use hop::{Delimited, Hop};
pub(crate) use outgoing::OutgoingHead;

/// HTTP version of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0
    Http10,
    /// HTTP/1.1
    Http11,
    /// HTTP/2
    Http2,
}

impl Version {
    /// As written on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Version::Http10 => "HTTP/1.0",
            Version::Http11 => "HTTP/1.1",
            Version::Http2 => "HTTP/2",
        }
    }
}

/// One field line, as ranges into the head.
#[derive(Debug, Clone)]
pub(crate) struct FieldSpan {
    pub(crate) name: Range<u32>,
    pub(crate) value: Range<u32>,
}

/// The field section of a head, and the bytes that it indexes.
#[derive(Debug, Clone)]
pub struct Fields {
    bytes: Bytes,
    spans: Vec<FieldSpan>,
}

impl Fields {
    /// Fields of `bytes` that a codec has checked.
    pub(crate) fn new(bytes: Bytes, spans: Vec<FieldSpan>) -> Fields {
        Fields { bytes, spans }
    }

    /// Names and values in the order and case that they came in; values without surrounding white space.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        self.spans.iter().map(|span| (self.slice(&span.name), self.slice(&span.value)))
    }

    /// Number of field lines.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Reports whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Values of every line of that name, given in lower case.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name.as_bytes())).map(|(_, v)| v)
    }

    /// Value of the first line of that name.
    pub fn first<'a>(&'a self, name: &'a str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// Members of every line of that name, which is a comma-separated list of tokens; empty ones are left out.
    pub fn tokens<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let lists = self.all(name).flat_map(|value| value.split(|b| *b == b','));
        lists.map(<[u8]>::trim_ascii).filter(|token| !token.is_empty())
    }

    /// Reports whether a line of that name lists `token`.
    pub fn has_token(&self, name: &str, token: &[u8]) -> bool {
        self.tokens(name).any(|listed| listed.eq_ignore_ascii_case(token))
    }

    /// Bytes of all names and values (`max_header_size`).
    pub fn bytes_total(&self) -> usize {
        self.spans.iter().map(|s| s.name.len() + s.value.len()).sum()
    }

    fn slice(&self, span: &Range<u32>) -> &[u8] {
        self.bytes.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

/// Head of a request as it came.
#[derive(Debug, Clone)]
pub struct RequestHead {
    method: Range<u32>,
    target: Range<u32>,
    /// HTTP version.
    pub version: Version,
    /// Its fields.
    pub fields: Fields,
    /// HTTP/2 alone: the stream ended with the head.
    pub(crate) is_whole: bool,
}

impl RequestHead {
    /// A head that a codec has checked: `bytes` with the ranges of its parts.
    pub(crate) fn indexed(
        method: Range<u32>,
        target: Range<u32>,
        version: Version,
        fields: Fields,
    ) -> RequestHead {
        RequestHead { method, target, version, fields, is_whole: false }
    }

    /// A head that came in parts. `is_whole` reports that nothing follows it.
    pub fn assemble(
        method: &[u8],
        target: &[u8],
        version: Version,
        fields: &[(&[u8], &[u8])],
        is_whole: bool,
    ) -> RequestHead {
        let mut parts = Parts::default();
        let method = parts.put(method);
        parts.put(b" ");
        let target = parts.put(target);
        for part in [b" ", version.as_str().as_bytes(), b"\r\n"] {
            parts.put(part);
        }
        let fields = parts.fields(fields.iter().copied());
        RequestHead { method, target, version, fields, is_whole }
    }

    /// Method token.
    pub fn method(&self) -> &[u8] {
        self.fields.slice(&self.method)
    }

    /// Request target as sent.
    pub fn target(&self) -> &[u8] {
        self.fields.slice(&self.target)
    }

    /// The whole head as sent, for events about it.
    pub fn raw(&self) -> &[u8] {
        &self.fields.bytes
    }
}

/// Head of a response as it came.
#[derive(Debug, Clone)]
pub struct ResponseHead {
    /// Status code, 100 to 999.
    pub status: u16,
    reason: Range<u32>,
    /// HTTP version.
    pub version: Version,
    /// Its fields.
    pub fields: Fields,
}

impl ResponseHead {
    /// A head that a codec has checked: the bytes of `fields` with the range of its reason.
    pub(crate) fn indexed(status: u16, reason: Range<u32>, version: Version, fields: Fields) -> ResponseHead {
        ResponseHead { status, reason, version, fields }
    }

    /// A head that came in parts.
    pub(crate) fn assemble<'f>(
        status: u16,
        reason: &str,
        version: Version,
        fields: impl Iterator<Item = (&'f [u8], &'f [u8])>,
    ) -> ResponseHead {
        let mut parts = Parts::default();
        let reason = parts.put(reason.as_bytes());
        parts.put(b"\r\n");
        ResponseHead { status, reason, version, fields: parts.fields(fields) }
    }

    /// Reason phrase as sent; may be empty.
    pub fn reason(&self) -> &[u8] {
        self.fields.slice(&self.reason)
    }
}

/// Bytes of a head that is put together, and the ranges of its fields.
struct Parts {
    text: BytesMut,
    spans: Vec<FieldSpan>,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { text: BytesMut::with_capacity(256), spans: Vec::with_capacity(24) }
    }
}

impl Parts {
    fn put(&mut self, part: &[u8]) -> Range<u32> {
        let from = self.text.len() as u32;
        self.text.extend_from_slice(part);
        from..self.text.len() as u32
    }

    fn fields<'f>(mut self, fields: impl Iterator<Item = (&'f [u8], &'f [u8])>) -> Fields {
        for (name, value) in fields {
            let name = self.put(name);
            self.put(b": ");
            let value = self.put(value);
            self.put(b"\r\n");
            self.spans.push(FieldSpan { name, value });
        }
        self.put(b"\r\n");
        Fields { bytes: self.text.freeze(), spans: self.spans }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_into_tokens() {
        let fields: &[(&[u8], &[u8])] =
            &[(b"Connection", b"a, ,B ,\t"), (b"x", b"c"), (b"connection", b""), (b"CONNECTION", b"close")];
        let head = RequestHead::assemble(b"GET", b"/", Version::Http11, fields, true);
        let tokens: Vec<_> = head.fields.tokens("connection").collect();
        assert_eq!(tokens, [&b"a"[..], b"B", b"close"]);
        assert!(head.fields.has_token("connection", b"CLOSE") && head.fields.has_token("connection", b"b"));
        assert!(!head.fields.has_token("connection", b"c") && !head.fields.has_token("te", b"close"));
    }

    #[test]
    fn an_assembled_head_has_its_parts() {
        let fields: &[(&[u8], &[u8])] = &[(b"host", b"a"), (b"x", b"")];
        let head = RequestHead::assemble(b"PUT", b"/x?y", Version::Http2, fields, false);
        assert_eq!((head.method(), head.target(), head.is_whole), (&b"PUT"[..], &b"/x?y"[..], false));
        assert_eq!(head.fields.iter().collect::<Vec<_>>(), fields);
        assert_eq!(head.fields.bytes_total(), 6);
        let head = ResponseHead::assemble(404, "Not Found", Version::Http2, fields.iter().copied());
        assert_eq!((head.status, head.reason()), (404, &b"Not Found"[..]));
        assert_eq!(head.fields.first("x"), Some(&b""[..]));
    }
}
