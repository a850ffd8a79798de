//! Bodies: which parser reads one, and the push parsers that turn it into fields. They know no rules; what they find goes
//! to a [`Sink`]. Any chunking of a body gives the same fields in the same order.

use waf_shared::catalog::Leaf;

use crate::field::Place;
use crate::inspection::{Bounds, Progress};

mod alike;
mod charset;
mod encoded;
mod form;
mod json;
mod media_type;
mod multipart;
mod parameters;
mod raw;
#[cfg(test)]
mod tests;
mod value;
mod xml;

pub use alike::reads_alike;
pub(crate) use encoded::Encoded;
pub(crate) use media_type::kind;
pub(crate) use parameters::is_extended;

use charset::{Charset, Label, Sniff};

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyKind {
    /// `application/x-www-form-urlencoded`.
    Form,
    /// JSON, also by suffix.
    Json,
    /// XML, also by suffix.
    Xml,
    /// Multipart: text fields, and files of which only names, types, sizes and first bytes are looked at.
    Multipart,
    /// Text, or of unknown type: one value, read as JSON or XML too when it looks like it.
    Raw,
    /// Binary: not read here.
    #[default]
    None,
}

/// Whether all of a body was fed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// To its end.
    Whole,
    /// The inspected part ends before the body does: it is judged as the prefix that it is.
    CutOff,
}

/// Takes what the parsers find.
pub(crate) trait Sink {
    /// A name or a value.
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]);
    /// An argument as it stands between two `&`.
    fn argument(&mut self, names: Place, values: Place, pair: &[u8]);
    /// The name of an argument whose value follows as a field.
    fn argument_name(&mut self, names: Place, name: &[u8]);
    /// A broken limit or a malformed document.
    fn violation(&mut self, leaf: Leaf, reason: &'static str);
    /// Whether nothing more is wanted.
    fn is_over(&self) -> bool;
}

/// The body of one request.
#[derive(Debug, Default)]
pub(crate) struct Body {
    kind: BodyKind,
    charset: Charset,
    readers: Readers,
    /// Bytes that may still be evaluated; a multipart body counts its own.
    room: u64,
    uninspected: u64,
    /// Whether what was fed has been judged to its end.
    finished: bool,
}

/// The parsers of decoded text.
#[derive(Debug, Default)]
struct Readers {
    form: form::Form,
    value: value::Value,
    multipart: multipart::Multipart,
}

impl Body {
    /// Begins a body of the type `media_type`, which may be empty.
    pub(crate) fn start(&mut self, media_type: &[u8], bounds: &Bounds, sink: &mut impl Sink) -> BodyKind {
        self.reset();
        self.kind = bounds.parsers.kind(media_type);
        self.readers.value.limits(bounds);
        self.finished = false;
        match self.kind {
            BodyKind::None => return self.kind,
            BodyKind::Multipart => {
                self.readers.multipart.start(media_type, bounds, sink);
                return self.kind;
            }
            BodyKind::Form | BodyKind::Json | BodyKind::Xml | BodyKind::Raw => {}
        }
        self.room = bounds.max_inspect_size;
        let charset = media_type::charset(media_type);
        if charset == Some(Label::Unknown) {
            sink.violation(
                Leaf::HttpComplianceMalformedBody,
                "the body is declared in a character set that cannot be read",
            );
        }
        let sniff = match self.kind {
            BodyKind::Xml => Sniff::Xml,
            BodyKind::Raw => Sniff::Mark,
            _ => Sniff::Never,
        };
        self.charset.start(charset, sniff);
        self.readers.value.start(self.kind, Place::Body, b"");
        self.kind
    }

    pub(crate) fn reset(&mut self) {
        self.kind = BodyKind::None;
        self.charset.reset();
        self.readers.form.reset();
        self.readers.value.reset();
        self.readers.multipart.reset();
        self.room = 0;
        self.uninspected = 0;
        self.finished = true;
    }

    /// Bytes that wait for the end to be judged.
    pub(crate) fn pending(&self) -> usize {
        let readers = &self.readers;
        readers.form.pending() + readers.value.pending() + readers.multipart.pending()
    }

    /// How far the body has been judged.
    pub(crate) fn progress(&self) -> Progress {
        match self.kind {
            BodyKind::Multipart => self.readers.multipart.progress(),
            _ if self.finished || self.kind == BodyKind::None => Progress::Cleared,
            _ => Progress::Open,
        }
    }

    /// Bytes that were fed and, for want of room, not evaluated.
    pub(crate) fn uninspected(&self) -> u64 {
        self.uninspected + self.readers.multipart.uninspected()
    }

    /// Bytes of uploaded files that are only counted.
    pub(crate) fn file_rest(&self) -> u64 {
        self.readers.multipart.file_rest()
    }

    pub(crate) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        match self.kind {
            BodyKind::None => return,
            BodyKind::Multipart => {
                return self.readers.multipart.feed(chunk, &mut self.readers.value, sink);
            }
            BodyKind::Form | BodyKind::Json | BodyKind::Xml | BodyKind::Raw => {}
        }
        let within = usize::try_from(self.room).unwrap_or(usize::MAX).min(chunk.len());
        self.room -= within as u64;
        self.uninspected = self.uninspected.saturating_add((chunk.len() - within) as u64);
        if within > 0 {
            self.decoded(chunk.get(..within).unwrap_or_default(), None, sink);
        }
        if self.uninspected > 0 {
            self.finish(Cut::CutOff, sink);
        }
    }

    /// Judges what the end makes complete, once.
    pub(crate) fn finish(&mut self, cut: Cut, sink: &mut impl Sink) {
        if std::mem::replace(&mut self.finished, true) {
            return;
        }
        match self.kind {
            BodyKind::None => return,
            BodyKind::Multipart => {
                return self.readers.multipart.finish(cut, &mut self.readers.value, sink);
            }
            BodyKind::Form | BodyKind::Json | BodyKind::Xml | BodyKind::Raw => {}
        }
        if !self.charset.is_idle() {
            self.decoded(b"", Some(cut), sink);
        }
        if self.kind == BodyKind::Form {
            self.readers.form.finish(sink);
        }
        self.readers.value.finish(cut, sink);
    }

    /// Hands the bytes on as text; with `end` they are the last.
    fn decoded(&mut self, bytes: &[u8], end: Option<Cut>, sink: &mut impl Sink) {
        if self.charset.is_idle() {
            return self.readers.feed(self.kind, bytes, sink);
        }
        let (kind, readers) = (self.kind, &mut self.readers);
        let step = self.charset.decode(bytes, end.is_some(), |text| readers.feed(kind, text, sink));
        // What is cut off may end within a character.
        if step.is_err() && end != Some(Cut::CutOff) {
            sink.violation(
                Leaf::HttpComplianceMalformedBody,
                "the body is not written in the character set that it declares",
            );
        }
    }
}

impl Readers {
    fn feed(&mut self, kind: BodyKind, text: &[u8], sink: &mut impl Sink) {
        if kind != BodyKind::Form {
            return self.value.feed(text, sink);
        }
        let mut rest = text;
        while !rest.is_empty() && self.value.is_reading() {
            // What a document holds up to the end of a pair comes before that pair, however the bytes arrive.
            let end = memchr::memchr(b'&', rest).map_or(rest.len(), |at| at + 1);
            let (pair, left) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            self.value.feed(pair, sink);
            self.form.feed(pair, sink);
            rest = left;
        }
        self.form.feed(rest, sink);
    }
}

/// Bytes of a buffer that wait for the next request; what a long value needed beyond them is given back.
const BUFFER_BYTES_KEPT: usize = 128 << 10;

/// Empties a buffer for the next request.
fn recycle(buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.shrink_to(BUFFER_BYTES_KEPT);
}

/// Passes fields on and forgives most of what else is found in a document that nobody declared.
struct Tolerant<'a, S>(&'a mut S);

impl<S: Sink> Sink for Tolerant<'_, S> {
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]) {
        self.0.field(place, name, value);
    }

    fn argument(&mut self, names: Place, values: Place, pair: &[u8]) {
        self.0.argument(names, values, pair);
    }

    fn argument_name(&mut self, names: Place, name: &[u8]) {
        self.0.argument_name(names, name);
    }

    fn violation(&mut self, leaf: Leaf, reason: &'static str) {
        // Whoever declares entities that harm has something in mind, whatever he calls the document.
        if leaf == Leaf::XmlParsingEntityExpansion {
            self.0.violation(leaf, reason);
        }
    }

    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}
