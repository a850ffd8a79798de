//! A head that is about to be sent. It is built once, and each codec writes it without parsing: HTTP/1 its bytes,
//! HTTP/2 its parts.

use std::ops::Range;

use crate::wire::push_field;

/// Bytes that most heads stay below.
const BYTES: usize = 1 << 10;

/// Head of a message to an upstream or to a client.
#[derive(Debug, Clone)]
pub(crate) struct OutgoingHead {
    /// Start line and field lines of HTTP/1.1, each with its end.
    text: Vec<u8>,
    start: Start,
    /// Length of the start line.
    fields_at: usize,
}

#[derive(Debug, Clone)]
enum Start {
    Request { method: Range<usize>, target: Range<usize> },
    Response { status: u16 },
}

impl OutgoingHead {
    /// Head of a request; `target` is appended by its caller.
    pub(crate) fn request(method: &[u8], write_target: impl FnOnce(&mut Vec<u8>)) -> OutgoingHead {
        let mut text = Vec::with_capacity(2 * BYTES);
        text.extend_from_slice(method);
        text.push(b' ');
        let target_at = text.len();
        write_target(&mut text);
        let target = target_at..text.len();
        text.extend_from_slice(b" HTTP/1.1\r\n");
        let fields_at = text.len();
        OutgoingHead { text, start: Start::Request { method: 0..method.len(), target }, fields_at }
    }

    /// Head of a response.
    pub(crate) fn response(status: u16, reason: &[u8]) -> OutgoingHead {
        let mut text = Vec::with_capacity(BYTES);
        text.extend_from_slice(b"HTTP/1.1 ");
        text.extend_from_slice(itoa::Buffer::new().format(status).as_bytes());
        text.push(b' ');
        text.extend_from_slice(reason);
        text.extend_from_slice(b"\r\n");
        let fields_at = text.len();
        OutgoingHead { text, start: Start::Response { status }, fields_at }
    }

    /// Appends a field. Name and value were read from a checked head or from the plan: no line ends in them.
    pub(crate) fn field(&mut self, name: &[u8], value: &[u8]) {
        debug_assert!([name, value].iter().all(|part| memchr::memchr2(b'\r', b'\n', part).is_none()));
        push_field(&mut self.text, name, value);
    }

    /// Method and target of a request.
    pub(crate) fn request_line(&self) -> Option<(&[u8], &[u8])> {
        match &self.start {
            Start::Request { method, target } => {
                Some((self.text.get(method.clone())?, self.text.get(target.clone())?))
            }
            Start::Response { .. } => None,
        }
    }

    /// Status of a response.
    pub(crate) fn status(&self) -> Option<u16> {
        match self.start {
            Start::Request { .. } => None,
            Start::Response { status } => Some(status),
        }
    }

    /// Names and values in their order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let lines = self.text.get(self.fields_at..).unwrap_or_default().split(|byte| *byte == b'\n');
        lines.filter_map(|line| {
            let line = line.strip_suffix(b"\r")?;
            let (name, value) = line.split_at_checked(memchr::memchr(b':', line)?)?;
            Some((name, value.strip_prefix(b": ")?))
        })
    }

    /// Start line and field lines as HTTP/1.1 writes them, without the empty line that ends a head.
    pub(crate) fn http1_lines(&self) -> &[u8] {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_written_once_and_read_by_its_parts() {
        let mut head = OutgoingHead::request(b"GET", |out| out.extend_from_slice(b"/a b"));
        assert_eq!(head.request_line(), Some((&b"GET"[..], &b"/a b"[..])));
        let fields: &[(&[u8], &[u8])] =
            &[(b"Host", b"a:81"), (b"x-a", b"1"), (b"X-A", b""), (b"b", b": c: d"), (b"e", b"\xff\t")];
        for (name, value) in fields {
            head.field(name, value);
        }
        assert_eq!(head.fields().collect::<Vec<_>>(), fields);
        let text = b"GET /a b HTTP/1.1\r\nHost: a:81\r\nx-a: 1\r\nX-A: \r\nb: : c: d\r\ne: \xff\t\r\n";
        assert_eq!(head.http1_lines(), text);
        assert_eq!(head.status(), None);
    }

    #[test]
    fn a_response_may_lack_reason_and_fields() {
        let head = OutgoingHead::response(204, b"");
        assert_eq!((head.status(), head.request_line()), (Some(204), None));
        assert_eq!((head.http1_lines(), head.fields().count()), (&b"HTTP/1.1 204 \r\n"[..], 0));
    }
}
