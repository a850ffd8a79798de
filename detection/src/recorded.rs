//! Recorded requests: a head and a body as a file holds them, split leniently and shown to an inspection. For tools that
//! ask what the engine says of one request; what comes from a network is read by a strict parser elsewhere.

use crate::body::Completeness;
use crate::inspection::{BodyKind, Inspection};
use crate::request::{Head, Version};

mod answer;

pub use answer::Answer;

/// A request, in parts of the recorded bytes.
#[derive(Debug, Clone)]
pub struct Recorded<'a> {
    /// The method; empty when the first line has none.
    pub method: &'a [u8],
    /// The request target as sent.
    pub target: &'a [u8],
    /// The version; HTTP/1.1 when the first line names none that is known.
    pub version: Version,
    /// Header fields in order, values without the white space around them.
    pub fields: Vec<(&'a [u8], &'a [u8])>,
    /// The content, chunk framing taken off.
    pub body: Vec<u8>,
}

impl<'a> Recorded<'a> {
    /// Splits `raw`: a request line, header lines, an empty line, the body. Lines end with CRLF or LF.
    pub fn parse(raw: &'a [u8]) -> Recorded<'a> {
        let (head, body) = split_head(raw);
        let mut lines =
            head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let first = lines.next().unwrap_or_default();
        let (method, rest) = split_once(first, b" ").unwrap_or((first, b""));
        // A recorded target may hold spaces; the version is what follows the last one.
        let target = match rest.iter().rposition(|byte| *byte == b' ') {
            Some(at) if rest.get(at + 1..).is_some_and(|version| version.starts_with(b"HTTP/")) => {
                rest.get(..at).unwrap_or_default()
            }
            _ => rest,
        };
        let version = match first.rsplit(|byte| *byte == b' ').next() {
            Some(b"HTTP/1.0") => Version::Http10,
            Some(b"HTTP/2" | b"HTTP/2.0") => Version::Http2,
            _ => Version::Http11,
        };
        let fields: Vec<_> = lines
            .filter_map(|line| split_once(line, b":"))
            .map(|(name, value)| (name, value.trim_ascii()))
            .collect();
        let chunked = fields.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case(b"transfer-encoding") && value.eq_ignore_ascii_case(b"chunked")
        });
        let body = if chunked { dechunk(body) } else { body.to_vec() };
        Recorded { method, target, version, fields, body }
    }

    /// The path of the target as sent; of an absolute form the part behind the authority.
    pub fn path(&self) -> &'a [u8] {
        let target = split_once(self.target, b"?").map_or(self.target, |(path, _)| path);
        let rest = target.strip_prefix(b"http://").or_else(|| target.strip_prefix(b"https://"));
        match rest.map(|rest| rest.iter().position(|byte| *byte == b'/').and_then(|at| rest.get(at..))) {
            None => target,
            Some(path) => path.unwrap_or(b"/"),
        }
    }

    /// The query as sent, without its `?`.
    pub fn query(&self) -> Option<&'a [u8]> {
        split_once(self.target, b"?").map(|(_, query)| query)
    }

    /// The first value of a field.
    pub fn field(&self, name: &str) -> Option<&'a [u8]> {
        let named = |(field, _): &&(&[u8], &[u8])| field.eq_ignore_ascii_case(name.as_bytes());
        self.fields.iter().find(named).map(|(_, value)| *value)
    }

    /// Shows the whole request to `inspection`, and says how its body was read.
    pub fn show(&self, inspection: &mut Inspection) -> BodyKind {
        inspection.head(&Head {
            method: self.method,
            version: self.version,
            path: self.path(),
            query: self.query(),
            fields: self.fields.iter().copied(),
            carries_body: !self.body.is_empty(),
        });
        if self.body.is_empty() {
            return BodyKind::None;
        }
        let kind = inspection.body(self.field("content-type").unwrap_or_default());
        if kind != BodyKind::None {
            inspection.feed(&self.body);
            inspection.finish_body(Completeness::Whole);
        }
        if inspection.reads_body() { kind } else { BodyKind::None }
    }
}

/// Head and body, parted by the first empty line.
fn split_head(raw: &[u8]) -> (&[u8], &[u8]) {
    let parted = [&b"\r\n\r\n"[..], b"\n\n"].into_iter().filter_map(|mark| split_once(raw, mark));
    parted.min_by_key(|(head, _)| head.len()).unwrap_or((raw, b""))
}

/// The content of a chunked body, as far as it is well-formed.
fn dechunk(mut body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some((size, rest)) = split_once(body, b"\n") {
        let size = size.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let size = std::str::from_utf8(size).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
        let Some(data) = size.filter(|size| *size > 0).and_then(|size| rest.get(..size)) else { break };
        out.extend_from_slice(data);
        let rest = rest.get(data.len()..).unwrap_or_default();
        body = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
    }
    out
}

fn split_once<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    Some((bytes.get(..at)?, bytes.get(at + mark.len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_requests_are_split_as_they_stand() {
        let raw = b"POST http://shop.example/a b?x=1 HTTP/1.1\r\nHost: shop.example\r\nContent-Type:text/plain\r\n\r\nx\n\ny";
        let request = Recorded::parse(raw);
        assert_eq!(
            (request.method, request.path(), request.query()),
            (&b"POST"[..], &b"/a b"[..], Some(&b"x=1"[..]))
        );
        assert_eq!(request.field("content-type"), Some(&b"text/plain"[..]));
        assert_eq!(request.body, b"x\n\ny");
        let request = Recorded::parse(b"GET /only");
        assert_eq!((request.path(), request.query(), request.fields.len()), (&b"/only"[..], None, 0));
        assert_eq!(Recorded::parse(b"GET http://shop.example HTTP/1.1\n\n").path(), b"/");
        assert_eq!(Recorded::parse(b"").method, b"");
    }

    #[test]
    fn chunks_are_joined_as_far_as_they_go() {
        let head = "POST / HTTP/1.1\nTransfer-Encoding: chunked\n\n";
        for (body, content) in [
            ("3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde"),
            ("3\nabc\nff\nshort", "abc"),
            ("z\r\nabc", ""),
        ] {
            assert_eq!(
                Recorded::parse(format!("{head}{body}").as_bytes()).body,
                content.as_bytes(),
                "{body}"
            );
        }
    }
}
