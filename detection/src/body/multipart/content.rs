//! The content of parts: text that is judged, files that are looked at.

use waf_shared::catalog::Leaf;

use super::file_name;
use super::finding::Finding;
use super::parts::{Parts, Reading};
use super::signature;
use crate::body::charset;
use crate::body::sink::{Completeness, Sink};
use crate::body::text::Text;

/// Bytes of the value of `_charset_` that are looked at.
const CHARSET_BYTES_MAX: usize = 64;

impl Parts {
    /// Takes content of a part.
    pub(super) fn content(&mut self, content: &[u8], value: &mut Text, sink: &mut impl Sink) {
        match self.reading {
            Reading::Text => {
                let within = self.count(content.len());
                let judged = content.get(..within).unwrap_or_default();
                value.feed(judged, sink);
                if let Some(charset) = &mut self.charset {
                    let room = CHARSET_BYTES_MAX.saturating_sub(charset.len());
                    charset.extend(judged.iter().take(room));
                }
                if within < content.len() {
                    value.finish(Completeness::CutOff, sink);
                    self.reading = Reading::Skipped;
                }
            }
            Reading::File => self.consume_file(content, value, sink),
            Reading::Skipped => {
                self.count(content.len());
            }
        }
    }

    pub(super) fn file(&mut self, content: &[u8], value: &mut Text, sink: &mut impl Sink) {
        let room = signature::HEAD_BYTES.saturating_sub(self.file_head.len());
        let (head, rest) = content.split_at_checked(room).unwrap_or((content, &[]));
        if !head.is_empty() {
            self.file_head.extend_from_slice(head);
            if self.file_head.len() >= signature::HEAD_BYTES {
                self.sniff(value, sink);
            }
        }
        self.markup(rest, value, sink);
        self.file_rest = self.file_rest.saturating_add(rest.len() as u64);
        self.file_bytes = self.file_bytes.saturating_add(content.len() as u64);
        if self.files.as_ref().is_some_and(|files| self.file_bytes > files.bytes) {
            sink.violation(Leaf::FileUploadLimitsMaxFileSize, "a file is larger than multipart.file_size");
        }
    }

    /// Judges the first bytes of a file, and begins to read it if it is markup.
    pub(super) fn sniff(&mut self, value: &mut Text, sink: &mut impl Sink) {
        let allowed = self.files.as_ref().and_then(|files| files.types.as_deref());
        let mut report = |(leaf, reason): Finding| sink.violation(leaf, reason);
        let names = self.head.file_name.iter().chain(&self.head.also_named);
        let declared = signature::Declared {
            media_type: &self.head.media_type,
            is_source: file_name::are_sources(names.map(Vec::as_slice)),
        };
        signature::judge(&self.file_head, declared, allowed, &mut report);
        self.begin_markup(value, sink);
    }

    /// A part ends, by a delimiter or with the body.
    pub(super) fn end_part(&mut self, completeness: Completeness, value: &mut Text, sink: &mut impl Sink) {
        match self.reading {
            Reading::Text => {
                let charset = self.charset.take().filter(|_| completeness == Completeness::Whole);
                if let Some(charset) = charset.filter(|name| !charset::is_usual(name)) {
                    let reason =
                        if charset.is_empty() { "_charset_ is empty" } else { "_charset_ is unusual" };
                    sink.violation(Leaf::FileUploadAttacksCharsetTrick, reason);
                }
                value.finish(completeness, sink);
            }
            Reading::File => self.end_file(completeness, value, sink),
            Reading::Skipped => {}
        }
        self.reading = Reading::Skipped;
    }

    /// Counts bytes that are no file's content; how many of them may be evaluated.
    pub(super) fn count(&mut self, bytes: usize) -> usize {
        let within = usize::try_from(self.room).unwrap_or(usize::MAX).min(bytes);
        self.room -= within as u64;
        self.uninspected = self.uninspected.saturating_add((bytes - within) as u64);
        within
    }
}
