//! Recorded responses, split as leniently as recorded requests.

use super::{Recorded, dechunk, split_head, split_once};
use crate::response::{Asked, Head, ResponseInspection};

/// A response, in parts of the recorded bytes.
#[derive(Debug, Clone)]
pub struct Answer<'a> {
    /// Status code; 200 when the first line has none.
    pub status: u16,
    /// Header fields in order, values without the white space around them.
    pub fields: Vec<(&'a [u8], &'a [u8])>,
    /// The content, chunk framing taken off.
    pub body: Vec<u8>,
}

impl<'a> Answer<'a> {
    /// Splits `raw`: a status line, header lines, an empty line, the body. Lines end with CRLF or LF.
    pub fn parse(raw: &'a [u8]) -> Answer<'a> {
        let (head, body) = split_head(raw);
        let mut lines =
            head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let first = lines.next().unwrap_or_default();
        let status = first.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        let status = std::str::from_utf8(status).ok().and_then(|status| status.parse().ok()).unwrap_or(200);
        let fields: Vec<_> = lines
            .filter_map(|line| split_once(line, b":"))
            .map(|(name, value)| (name, value.trim_ascii()))
            .collect();
        let chunked = fields.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case(b"transfer-encoding") && value.eq_ignore_ascii_case(b"chunked")
        });
        Answer { status, fields, body: if chunked { dechunk(body) } else { body.to_vec() } }
    }

    /// The first value of a field.
    pub fn field(&self, name: &str) -> Option<&'a [u8]> {
        let named = |(field, _): &&(&[u8], &[u8])| field.eq_ignore_ascii_case(name.as_bytes());
        self.fields.iter().find(named).map(|(_, value)| *value)
    }

    /// Shows the whole response, as the answer to `request`, to `inspection`.
    pub fn show(&self, request: Option<&Recorded<'_>>, inspection: &mut ResponseInspection) {
        let asked = request.map_or(Asked::default(), |request| Asked {
            host: request.field("host").unwrap_or_default(),
            path: request.path(),
            query: request.query().unwrap_or_default(),
            body: &request.body,
        });
        let head = Head {
            status: self.status,
            content_type: self.field("content-type").unwrap_or_default(),
            location: self.field("location"),
        };
        if inspection.head(&asked, &head).is_some() {
            inspection.feed(&self.body);
            inspection.finish();
        }
    }
}
