//! Messages of a connection that left HTTP: each is judged like a body of which nothing but its first bytes says what it
//! is. Protocols on top write marks in front of a document: packet types and names of rooms, record separators, header
//! lines. Those are judged as text, and what follows for what it is.

use super::Inspection;
use crate::body::{Completeness, Plain};
use crate::field::{Field, Place};

/// The declaration of a message about its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// Text.
    Text,
    /// Bytes: judged where their beginning is text.
    Binary,
}

/// Bytes among which marks in front of a document are looked for.
const MARKS_BYTES: usize = 256;
/// Bytes of header lines in front of a document.
const HEADER_LINES_BYTES: usize = 4 << 10;
/// The mark in front of a document in a sequence (RFC 7464).
const RECORD_SEPARATOR: u8 = 0x1e;

/// The first bytes of a message.
#[derive(Debug, Default)]
pub(super) struct Opening {
    kind: Option<MessageKind>,
    head: Vec<u8>,
}

impl Opening {
    pub(super) fn reset(&mut self) {
        self.kind = None;
        self.head.clear();
    }
}

/// The place at which the content of a message begins.
#[derive(Debug, PartialEq, Eq)]
enum Content {
    /// Not decided by these bytes.
    Unknown,
    /// Behind so many bytes.
    At(usize),
}

impl Inspection {
    /// Begins to judge a message of a connection that was opened with GET for `path`. The inspection was reset before.
    pub fn begin_message(&mut self, path: &[u8], kind: MessageKind) {
        self.judging.is_message = true;
        self.judging.exceptions.begin(b"GET", path, None);
        self.opening.reset();
        self.opening.kind = Some(kind);
    }

    /// Judges the next bytes of the message. The cut into pieces makes no difference to the verdict.
    pub fn feed_message(&mut self, chunk: &[u8]) {
        let Some(kind) = self.opening.kind else { return self.feed(chunk) };
        if self.opening.head.is_empty() && !may_have_marks(chunk) && !chunk.is_empty() {
            self.begin_content(kind, 0);
            return self.feed(chunk);
        }
        let room = HEADER_LINES_BYTES.saturating_sub(self.opening.head.len());
        let (taken, rest) = chunk.split_at_checked(room).unwrap_or((chunk, &[]));
        self.opening.head.extend_from_slice(taken);
        let is_full = self.opening.head.len() >= HEADER_LINES_BYTES;
        match content(&self.opening.head, is_full) {
            Content::Unknown => {}
            Content::At(start) => {
                self.begin_content(kind, start);
                self.feed(rest);
            }
        }
    }

    /// Judges what the end of the message makes complete.
    pub fn finish_message(&mut self, completeness: Completeness) {
        if let Some(kind) = self.opening.kind {
            let start = match content(&self.opening.head, true) {
                Content::At(start) => start,
                Content::Unknown => 0,
            };
            self.begin_content(kind, start);
        }
        self.finish_body(completeness);
    }

    /// Returns `true` while something may still be found in the message.
    pub fn is_message_open(&self) -> bool {
        self.opening.kind.is_some() || self.progress() == super::Progress::Open
    }

    /// Begins the content behind `start` bytes of the opening, and judges the marks in front of it.
    fn begin_content(&mut self, kind: MessageKind, start: usize) {
        self.opening.kind = None;
        let plain = match kind {
            MessageKind::Text => Plain::All,
            MessageKind::Binary => Plain::Text,
        };
        self.body.start_message(plain, &self.bounds);
        let head = std::mem::take(&mut self.opening.head);
        let (marks, content) = head.split_at_checked(start).unwrap_or((&[], &head));
        if !marks.iter().all(|byte| is_mark(*byte)) {
            self.field(&Field { place: Place::Body, name: b"", value: marks });
        }
        if !content.is_empty() {
            self.feed(content);
        }
        self.opening.head = head;
        self.opening.head.clear();
    }
}

/// Returns `true` for a byte of a mark that says nothing: a digit or a separator.
const fn is_mark(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b',' | b'-' | RECORD_SEPARATOR)
}

/// Returns `true` if a message that begins so may have marks in front of its content.
fn may_have_marks(text: &[u8]) -> bool {
    matches!(text, [b'0'..=b'9' | b'A'..=b'Z' | RECORD_SEPARATOR, ..])
}

/// The place at which the content begins, for a message that begins with `head` or, at its end, is it.
fn content(head: &[u8], is_whole: bool) -> Content {
    let found = match head {
        [] => Content::Unknown,
        [RECORD_SEPARATOR, ..] => Content::At(1),
        [b'0'..=b'9', ..] => behind_packet_type(head),
        [b'A'..=b'Z', ..] => behind_header_lines(head),
        _ => Content::At(0),
    };
    match found {
        Content::Unknown if is_whole => Content::At(0),
        found => found,
    }
}

/// The place behind a packet type, a number of attachments, the name of a room and the number of an acknowledgement
/// (`42/chat,7["event",…]`), if a document follows.
fn behind_packet_type(head: &[u8]) -> Content {
    let digits = |from: usize| {
        let rest = head.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut at = digits(0);
    if head.get(at) == Some(&b'-') {
        at = digits(at + 1);
    }
    if head.get(at) == Some(&b'/') {
        let rest = head.get(at..).unwrap_or_default();
        match rest.iter().take(MARKS_BYTES).position(|byte| *byte == b',') {
            Some(comma) => at = digits(at + comma + 1),
            None if rest.len() < MARKS_BYTES => return Content::Unknown,
            None => return Content::At(0),
        }
    }
    match head.get(at) {
        _ if at > MARKS_BYTES => Content::At(0),
        Some(b'[' | b'{') => Content::At(at),
        Some(_) => Content::At(0),
        None => Content::Unknown,
    }
}

/// The place behind a command in capitals, header lines and an empty line.
fn behind_header_lines(head: &[u8]) -> Content {
    let command = head.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    match head.get(command..).unwrap_or_default() {
        [] | [b'\r'] if command <= MARKS_BYTES => return Content::Unknown,
        [b'\n', ..] | [b'\r', b'\n', ..] if command <= MARKS_BYTES => {}
        _ => return Content::At(0),
    }
    let mut line_ends = memchr::memchr_iter(b'\n', head);
    let empty = line_ends.find_map(|end| match head.get(end + 1..).unwrap_or_default() {
        [b'\n', ..] => Some(end + 2),
        [b'\r', b'\n', ..] => Some(end + 3),
        _ => None,
    });
    empty.map_or(Content::Unknown, Content::At)
}

#[cfg(test)]
mod tests;
