//! The content of parts: text that is judged, files that are looked at.

use waf_shared::catalog::Leaf;

use super::boundary::{Boundary, Seen};
use super::head::{self, Finding};
use super::{BOUNDARIES, CHARSET_BYTES_MAX, Multipart, Position, State, signature};
use crate::body::sink::{Completeness, Sink};
use crate::body::text::Text;

impl Multipart {
    /// Content up to the next delimiter, or up to what may be one.
    pub(super) fn content(
        &mut self,
        boundary: &Boundary,
        rest: &[u8],
        end: Option<Completeness>,
        value: &mut Text,
        sink: &mut impl Sink,
    ) -> usize {
        let is_first = matches!(
            self.state,
            State::Start
                | State::Text(Position::First)
                | State::File(Position::First)
                | State::Skipped(Position::First)
        );
        match boundary.find(rest, is_first, end.is_some()) {
            Seen::Content(0) => 0,
            Seen::Content(length) => {
                self.consume(rest.get(..length).unwrap_or_default(), value, sink);
                length
            }
            Seen::Doubtful { at } => {
                self.consume(rest.get(..at).unwrap_or_default(), value, sink);
                sink.violation(BOUNDARIES, "a boundary stands behind half a line break");
                at
            }
            Seen::Delimiter { at, length } => {
                if at > 0 {
                    self.consume(rest.get(..at).unwrap_or_default(), value, sink);
                }
                if is_first && at == 0 && self.state != State::Start && !rest.starts_with(b"\r\n") {
                    sink.violation(BOUNDARIES, "a boundary follows the head of a part without a line break");
                }
                self.end_outside(Completeness::Whole, value, sink);
                self.end_part(Completeness::Whole, value, sink);
                self.count(length);
                self.state = State::Delimiter;
                at + length
            }
        }
    }

    pub(super) fn consume(&mut self, content: &[u8], value: &mut Text, sink: &mut impl Sink) {
        match self.state {
            State::Text(_) => {
                let within = self.count(content.len());
                let judged = content.get(..within).unwrap_or_default();
                value.feed(judged, sink);
                if let Some(charset) = &mut self.charset {
                    let room = CHARSET_BYTES_MAX.saturating_sub(charset.len());
                    charset.extend(judged.iter().take(room));
                }
                self.state = State::Text(Position::Later);
                if within < content.len() {
                    value.finish(Completeness::CutOff, sink);
                    self.state = State::Skipped(Position::Later);
                }
            }
            State::File(_) => self.consume_file(content, value, sink),
            State::Skipped(_) => {
                self.count(content.len());
                self.state = State::Skipped(Position::Later);
            }
            _ => {
                let fault = "something precedes the first boundary of a multipart body";
                self.outside(content, fault, value, sink);
                self.state = State::Preamble;
            }
        }
    }

    pub(super) fn file(&mut self, content: &[u8], sink: &mut impl Sink) {
        let before = self.file_head.len();
        let room = signature::HEAD_BYTES.saturating_sub(before);
        if room > 0 {
            self.file_head.extend(content.iter().take(room));
            if self.file_head.len() >= signature::HEAD_BYTES {
                self.sniff(sink);
            }
        }
        self.file_rest = self.file_rest.saturating_add(content.len().saturating_sub(room) as u64);
        self.file_bytes = self.file_bytes.saturating_add(content.len() as u64);
        if self.files.as_ref().is_some_and(|files| self.file_bytes > files.bytes) {
            sink.violation(Leaf::FileUploadLimitsMaxFileSize, "a file is larger than multipart.file_size");
        }
    }

    pub(super) fn sniff(&mut self, sink: &mut impl Sink) {
        let allowed = self.files.as_ref().and_then(|files| files.types.as_deref());
        let mut report = |(leaf, reason): Finding| sink.violation(leaf, reason);
        signature::judge(&self.file_head, &self.head.media_type, allowed, &mut report);
    }

    /// A part ends, by a delimiter or with the body.
    pub(super) fn end_part(&mut self, completeness: Completeness, value: &mut Text, sink: &mut impl Sink) {
        match self.state {
            State::Text(_) => {
                let charset = self.charset.take().filter(|_| completeness == Completeness::Whole);
                if let Some(charset) = charset.filter(|name| !head::is_usual(name)) {
                    let reason =
                        if charset.is_empty() { "_charset_ is empty" } else { "_charset_ is unusual" };
                    sink.violation(Leaf::FileUploadAttacksCharsetTrick, reason);
                }
                value.finish(completeness, sink);
            }
            State::File(_) => self.end_file(completeness, value, sink),
            _ => {}
        }
        self.state = State::Skipped(Position::Later);
    }

    /// Counts bytes that are no file's content; how many of them may be evaluated.
    pub(super) fn count(&mut self, bytes: usize) -> usize {
        let within = usize::try_from(self.room).unwrap_or(usize::MAX).min(bytes);
        self.room -= within as u64;
        self.uninspected = self.uninspected.saturating_add((bytes - within) as u64);
        within
    }
}
