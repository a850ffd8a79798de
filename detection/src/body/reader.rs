//! The body of one request: which parser reads it, as far as it may be evaluated.

use waf_shared::catalog::Leaf;

use super::charset::Label;
use super::kind::BodyKind;
use super::media_type;
use super::multipart::{self, signature};
use super::opening::{Content, Opening};
use super::shape::{Follow, Shape};
use super::sink::{Completeness, Progress, Sink};
use super::text::Text;
use super::value::Limits;
use crate::bounds::Bounds;
use crate::field::Place;

/// The body of one request.
#[derive(Debug, Default)]
pub(crate) struct Body {
    kind: BodyKind,
    /// The media type of a binary body, in lower case.
    essence: Vec<u8>,
    opening: Opening,
    text: Text,
    multipart: multipart::Multipart,
    /// Bytes that may still be evaluated; a multipart body counts its own.
    room: u64,
    uninspected: u64,
    /// True if what was fed has been judged to its end.
    finished: bool,
    /// True if the first bytes of a binary body were those of no text.
    is_unread: bool,
    /// The content that is judged as text without a shape of its own; that of a file is not.
    plain: Plain,
}

/// The content without a shape that is judged as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Plain {
    /// None: it is the content of a file.
    #[default]
    None,
    /// Text by its first bytes.
    Text,
    /// All of it: it is declared as text.
    All,
}

impl Body {
    /// Begins a body of the type `media_type`, which may be empty.
    pub(crate) fn start(&mut self, media_type: &[u8], bounds: &Bounds, sink: &mut impl Sink) -> BodyKind {
        self.reset();
        self.kind = bounds.parsers.kind(media_type);
        self.text.limit(Limits::of(bounds));
        self.finished = false;
        self.room = bounds.max_inspect_size;
        match self.kind {
            BodyKind::None => {}
            BodyKind::Multipart => self.multipart.start(media_type, bounds, sink),
            BodyKind::Binary => {
                self.essence = media_type::essence(media_type);
                self.opening.start(&self.essence);
            }
            BodyKind::Form | BodyKind::Json | BodyKind::Xml | BodyKind::Raw => {
                let charset = media_type::charset(media_type);
                if charset == Some(Label::Unknown) {
                    sink.violation(
                        Leaf::HttpComplianceMalformedBody,
                        "the body is declared in a character set that cannot be read",
                    );
                }
                if self.kind == BodyKind::Raw && media_type::is_json_sequence(media_type) {
                    self.text.start_sequence(None);
                } else {
                    self.text.start(self.kind, Place::Body, b"", charset);
                }
            }
        }
        self.kind
    }

    /// Begins the content of a message, of which nothing but its first bytes says what it is.
    pub(crate) fn start_message(&mut self, plain: Plain, bounds: &Bounds) {
        self.reset();
        self.kind = BodyKind::Binary;
        self.text.limit(Limits::of(bounds));
        self.finished = false;
        self.room = bounds.max_inspect_size;
        self.opening.start(b"");
        self.plain = plain;
    }

    /// Begins a body of which faults count for nothing.
    pub(crate) fn start_lenient(
        &mut self,
        media_type: &[u8],
        bounds: &Bounds,
        sink: &mut impl Sink,
    ) -> BodyKind {
        let kind = self.start(media_type, bounds, sink);
        self.multipart.read_faulty_files();
        kind
    }

    pub(crate) fn reset(&mut self) {
        self.kind = BodyKind::None;
        self.essence.clear();
        self.opening.reset();
        self.text.reset();
        self.multipart.reset();
        self.room = 0;
        self.uninspected = 0;
        self.finished = true;
        self.is_unread = false;
        self.plain = Plain::None;
    }

    /// Bytes that wait for the end to be judged.
    pub(crate) fn pending(&self) -> usize {
        self.opening.pending() + self.text.pending() + self.multipart.pending()
    }

    /// Returns `true` if the body is evaluated at all, as far as it can be said by now.
    pub(crate) fn is_read(&self) -> bool {
        self.kind != BodyKind::None && !self.is_unread
    }

    /// Progress of the judging of the body.
    pub(crate) fn progress(&self) -> Progress {
        match self.kind {
            BodyKind::Multipart => self.multipart.progress(),
            _ if self.finished || !self.is_read() => Progress::Cleared,
            _ => Progress::Open,
        }
    }

    /// Bytes that were fed and, for want of room, not evaluated.
    pub(crate) fn uninspected(&self) -> u64 {
        self.uninspected + self.multipart.uninspected()
    }

    /// Bytes of uploaded files that are only counted.
    pub(crate) fn file_rest(&self) -> u64 {
        self.multipart.file_rest()
    }

    pub(crate) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        if !self.is_read() {
            return;
        }
        if self.kind == BodyKind::Multipart {
            return self.multipart.feed(chunk, &mut self.text, sink);
        }
        let within = usize::try_from(self.room).unwrap_or(usize::MAX).min(chunk.len());
        self.room -= within as u64;
        if within > 0 {
            self.read(chunk.get(..within).unwrap_or_default(), Follow::Perhaps, sink);
        }
        self.uninspected = self.uninspected.saturating_add((chunk.len() - within) as u64);
        if self.uninspected > 0 {
            self.finish(Completeness::CutOff, sink);
        }
        if self.is_unread {
            self.uninspected = 0;
        }
    }

    /// Judges what the end makes complete, once.
    pub(crate) fn finish(&mut self, completeness: Completeness, sink: &mut impl Sink) {
        if std::mem::replace(&mut self.finished, true) || !self.is_read() {
            return;
        }
        if self.kind == BodyKind::Multipart {
            return self.multipart.finish(completeness, &mut self.text, sink);
        }
        self.read(b"", Follow::Nothing, sink);
        self.text.finish(completeness, sink);
    }

    /// Reads bytes of a body that is not multipart, once it is known what they are.
    fn read(&mut self, bytes: &[u8], follow: Follow, sink: &mut impl Sink) {
        if self.kind != BodyKind::Binary || self.opening.is_decided() {
            return self.text.feed(bytes, sink);
        }
        let (content, rest) = self.opening.take(bytes, follow);
        match content {
            Content::Undecided => {}
            Content::Binary | Content::Plain if self.is_plain(content) => {
                self.text.start(BodyKind::Raw, Place::Body, b"", None);
                self.text.feed(self.opening.head(), sink);
                self.text.feed(rest, sink);
            }
            Content::Binary => self.is_unread = true,
            Content::Plain => {
                self.as_file(sink);
                self.is_unread = true;
            }
            Content::Shaped(shape, wide) => {
                if shape == Shape::Script && self.plain == Plain::None {
                    self.as_file(sink);
                }
                if shape == Shape::Json && self.plain != Plain::None {
                    self.text.start_sequence(wide);
                } else {
                    self.text.start_found(shape, wide);
                }
                self.text.feed(self.opening.head(), sink);
                self.text.feed(rest, sink);
            }
        }
    }

    /// Returns `true` if content without a shape is judged as text.
    fn is_plain(&self, content: Content) -> bool {
        match self.plain {
            Plain::None => false,
            Plain::Text => content == Content::Plain,
            Plain::All => true,
        }
    }

    /// Judges the first bytes as those of an uploaded file.
    fn as_file(&self, sink: &mut impl Sink) {
        let mut report = |(leaf, reason)| sink.violation(leaf, reason);
        let declared = signature::Declared { media_type: &self.essence, is_source: false };
        signature::judge(self.opening.head(), declared, None, &mut report);
    }
}
