//! One text and its readings: as it is declared, and beside that in the wide characters that its first bytes show. What
//! declares no more than text may be read both ways, so it is judged both ways.

use waf_shared::catalog::Leaf;

use super::charset::{Charset, Label, Sniff};
use super::form::Form;
use super::shape::Shape;
use super::value::{Limits, Value};
use super::wide::{self, Wide};
use crate::body::kind::BodyKind;
use crate::body::sink::{Completeness, Sink};
use crate::field::Place;

/// Bytes that show wide characters.
const OPENING_BYTES: usize = 64;
/// Bytes after which the second reading follows the first, so that the order of fields depends on no chunk.
const BLOCK_BYTES: usize = 1024;

/// Reads one text after the other.
#[derive(Debug, Default)]
pub(super) struct Text {
    first: Reading,
    charset: Charset,
    /// True if nothing but its first bytes says what the text is, so that nothing contradicts it.
    is_found: bool,
    /// The first bytes, until they suffice.
    opening: Option<Vec<u8>>,
    second: Option<Box<Second>>,
}

/// The reading in wide characters.
#[derive(Debug)]
struct Second {
    charset: Charset,
    /// True if the character set is declared, so that bytes outside it are a violation.
    is_declared: bool,
    reading: Reading,
    /// Bytes that the first reading has taken and this one has not.
    block: Vec<u8>,
}

/// The parsers of a text that is decoded.
#[derive(Debug, Default)]
struct Reading {
    is_form: bool,
    form: Form,
    value: Value,
    /// True if bytes were no text in the character set. Reported at the end, so that no chunk makes a difference.
    is_undecodable: bool,
}

impl Text {
    pub(super) fn limit(&mut self, limits: Limits) {
        self.first.value.limit(limits);
    }

    pub(super) fn reset(&mut self) {
        self.first.reset();
        self.charset.reset();
        self.is_found = false;
        self.opening = None;
        self.second = None;
    }

    /// Begins a text that was declared as `kind`, in the character set `declared`.
    pub(super) fn start(&mut self, kind: BodyKind, place: Place, name: &[u8], declared: Option<Label>) {
        self.reset();
        self.first.start(kind, place, name);
        let is_wide = match declared {
            Some(Label::Utf16) => true,
            Some(Label::Known(encoding)) => !encoding.is_ascii_compatible(),
            _ => false,
        };
        match kind {
            BodyKind::Json => self.charset.start(declared, Sniff::Wide),
            BodyKind::Xml => self.charset.start(declared, Sniff::Xml),
            // A reader that ignores the declaration sees the bytes.
            _ if is_wide => {
                let mut charset = Charset::default();
                charset.start(declared, Sniff::Never);
                self.also(charset, true);
            }
            _ => {
                self.charset.start(declared, Sniff::Never);
                self.opening = Some(Vec::new());
            }
        }
    }

    /// Begins a body that nobody declared as text and whose first bytes show `shape`, perhaps in wide characters.
    pub(super) fn start_found(&mut self, shape: Shape, wide: Option<Wide>) {
        self.reset();
        self.is_found = true;
        self.first.is_form = !self.first.value.start_found(shape, Place::Body);
        if let Some(wide) = wide {
            self.charset.start_wide(wide);
        }
    }

    /// Begins a sequence of JSON documents, perhaps in wide characters.
    pub(super) fn start_sequence(&mut self, wide: Option<Wide>) {
        self.start_found(Shape::Json, wide);
        self.first.value.start_sequence();
    }

    /// Begins the content of a file of markup in the part `name`, perhaps in wide characters.
    pub(super) fn start_markup(&mut self, name: &[u8], wide: Option<Wide>) {
        self.reset();
        self.is_found = true;
        self.first.value.start_markup(name);
        if let Some(wide) = wide {
            self.charset.start_wide(wide);
        }
    }

    /// Bytes that wait for the end to be judged.
    pub(super) fn pending(&self) -> usize {
        let opening = self.opening.as_ref().map_or(0, Vec::len);
        let second = self.second.as_ref().map_or(0, |second| second.block.len() + second.reading.pending());
        self.first.pending() + opening + second
    }

    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let Some(mut opening) = self.opening.take() else { return self.read(chunk, sink) };
        if opening.is_empty() && chunk.len() >= OPENING_BYTES {
            self.open(chunk.get(..OPENING_BYTES).unwrap_or(chunk));
            return self.read(chunk, sink);
        }
        let room = OPENING_BYTES.saturating_sub(opening.len());
        let (taken, rest) = chunk.split_at_checked(room).unwrap_or((chunk, &[]));
        opening.extend_from_slice(taken);
        if opening.len() < OPENING_BYTES {
            self.opening = Some(opening);
            return;
        }
        self.open(&opening);
        self.read(&opening, sink);
        self.read(rest, sink);
    }

    pub(super) fn finish(&mut self, completeness: Completeness, sink: &mut impl Sink) {
        if let Some(opening) = self.opening.take() {
            self.open(&opening);
            self.read(&opening, sink);
        }
        decode(&mut self.charset, &mut self.first, b"", Some(completeness), sink);
        self.first.end(!self.is_found, completeness, sink);
        if let Some(mut second) = self.second.take() {
            second.read(Some(completeness), sink);
            second.reading.end(second.is_declared, completeness, sink);
        }
    }

    /// Looks for wide characters in the first bytes.
    fn open(&mut self, head: &[u8]) {
        let mark = wide::mark(head);
        if mark.is_none() && memchr::memchr(0, head).is_none() {
            return;
        }
        let Some(wide) = mark.or_else(|| wide::first(head)).or_else(|| wide::mostly(head)) else { return };
        let mut charset = Charset::default();
        charset.start_wide(wide);
        self.also(charset, false);
    }

    /// Adds a second reading of the same kind.
    fn also(&mut self, charset: Charset, is_declared: bool) {
        let value = &self.first.value;
        let mut reading = Reading::default();
        if let Some(limits) = value.limits() {
            reading.value.limit(limits);
        }
        let kind = if self.first.is_form { BodyKind::Form } else { BodyKind::Raw };
        let (place, name) = value.place();
        reading.start(kind, place, name);
        self.second = Some(Box::new(Second { charset, is_declared, reading, block: Vec::new() }));
    }

    fn read(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let mut rest = bytes;
        while !rest.is_empty() && !sink.is_over() {
            let room = self.second.as_ref().map_or(rest.len(), |second| second.room());
            let (piece, left) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            decode(&mut self.charset, &mut self.first, piece, None, sink);
            if let Some(second) = &mut self.second {
                second.block.extend_from_slice(piece);
                if second.room() == 0 {
                    second.read(None, sink);
                }
            }
            rest = left;
        }
    }
}

impl Second {
    fn room(&self) -> usize {
        BLOCK_BYTES.saturating_sub(self.block.len())
    }

    fn read(&mut self, end: Option<Completeness>, sink: &mut impl Sink) {
        decode(&mut self.charset, &mut self.reading, &self.block, end, sink);
        self.block.clear();
    }
}

/// Hands bytes to a reading as text; with `end` they are the last.
fn decode(
    charset: &mut Charset,
    reading: &mut Reading,
    bytes: &[u8],
    end: Option<Completeness>,
    sink: &mut impl Sink,
) {
    if charset.is_idle() {
        return reading.feed(bytes, sink);
    }
    let step = charset.decode(bytes, end.is_some(), |text| reading.feed(text, sink));
    // A text that is cut off may end within a character.
    reading.is_undecodable |= step.is_err() && end != Some(Completeness::CutOff);
}

impl Reading {
    fn reset(&mut self) {
        self.is_form = false;
        self.form.reset();
        self.value.reset();
        self.is_undecodable = false;
    }

    /// Ends the text, whose character set may be declared.
    fn end(&mut self, is_declared: bool, completeness: Completeness, sink: &mut impl Sink) {
        if self.is_undecodable && is_declared {
            sink.violation(
                Leaf::HttpComplianceMalformedBody,
                "the body is not written in the character set that it declares",
            );
        }
        self.finish(completeness, sink);
    }

    fn start(&mut self, kind: BodyKind, place: Place, name: &[u8]) {
        self.reset();
        self.is_form = kind == BodyKind::Form;
        self.value.start(kind, place, name);
    }

    fn pending(&self) -> usize {
        self.form.pending() + self.value.pending()
    }

    fn feed(&mut self, text: &[u8], sink: &mut impl Sink) {
        if !self.is_form {
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

    fn finish(&mut self, completeness: Completeness, sink: &mut impl Sink) {
        if self.is_form {
            self.form.finish(sink);
        }
        self.value.finish(completeness, sink);
    }
}
