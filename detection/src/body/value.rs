//! A text value: a whole body, or the value of a multipart field. It is read as the type that it declares, as plain text
//! and beside that as the JSON or XML that it turns out to be, or as what its first bytes show.

use waf_shared::catalog::Leaf;

use super::json::Json;
use super::raw::Raw;
use super::shape::{Shape, is_padding};
use super::xml::Xml;
use crate::body::kind::BodyKind;
use crate::body::sink::{Completeness, LenientSink, Sink};
use crate::bounds::{Bounds, Parsers};
use crate::field::Place;

/// Reads one value after the other.
#[derive(Debug, Default)]
pub(super) struct Value {
    raw: Raw,
    json: Json,
    xml: Xml,
    limits: Option<Limits>,
    document: Document,
    /// True if what the document's parser cannot read is a violation.
    strict: bool,
    /// True if first bytes alone say that it is this document, so that nothing else is read until it ends to be one.
    alone: bool,
    /// True if documents follow each other, so that what stands between them counts.
    is_sequence: bool,
    /// True if the bytes are judged as text.
    text: bool,
    /// The first bytes of a text that may be a document.
    mark: Vec<u8>,
}

/// Bounds of documents in the configuration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    json_depth: u32,
    json_keys: u32,
    xml_depth: u32,
    xml_entities: u32,
    parsers: Parsers,
}

impl Limits {
    pub(super) fn of(bounds: &Bounds) -> Limits {
        Limits {
            json_depth: bounds.json_depth,
            json_keys: bounds.json_keys,
            xml_depth: bounds.xml_depth,
            xml_entities: bounds.xml_entities,
            parsers: bounds.parsers,
        }
    }
}

/// The mark between documents in a sequence (RFC 7464), which protocols of messages also write behind each.
const RECORD_SEPARATOR: u8 = 0x1e;

/// Which document's parser takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Document {
    /// None, or none any more.
    #[default]
    None,
    /// The text may turn out to be a document.
    Unknown,
    Json,
    Xml,
}

impl Value {
    pub(super) fn limit(&mut self, limits: Limits) {
        self.limits = Some(limits);
        self.json.limits(limits.json_depth, limits.json_keys);
        self.xml.limits(limits.xml_depth, limits.xml_entities);
    }

    pub(super) fn limits(&self) -> Option<Limits> {
        self.limits
    }

    /// The place and the name of the value.
    pub(super) fn place(&self) -> (Place, &[u8]) {
        self.raw.place()
    }

    fn has(&self, parser: impl Fn(Parsers) -> bool) -> bool {
        self.limits.is_some_and(|limits| parser(limits.parsers))
    }

    pub(super) fn reset(&mut self) {
        self.raw.reset();
        self.json.reset();
        self.xml.reset();
        self.mark.clear();
        self.document = Document::None;
        self.strict = false;
        self.alone = false;
        self.is_sequence = false;
        self.text = false;
    }

    /// Begins a sequence of JSON documents.
    pub(super) fn start_sequence(&mut self) {
        self.start_found(Shape::Json, Place::Body);
        self.is_sequence = true;
    }

    /// Begins a body that nobody declared as text and whose first bytes show `shape`. A form takes the bytes elsewhere, where
    /// the route has a parser of forms; `false` says so.
    pub(super) fn start_found(&mut self, shape: Shape, place: Place) -> bool {
        self.reset();
        self.raw.start(place, b"");
        self.document = match shape {
            Shape::Json if self.has(|parsers| parsers.json) => Document::Json,
            Shape::Markup if self.has(|parsers| parsers.xml) => Document::Xml,
            Shape::Form if self.has(|parsers| parsers.form) => return false,
            _ => Document::None,
        };
        self.alone = self.document == Document::Json;
        self.text = !self.alone;
        true
    }

    /// Begins the content of a file of markup in the part `name`.
    pub(super) fn start_markup(&mut self, name: &[u8]) {
        self.reset();
        self.raw.start(Place::File, name);
        self.document = Document::Xml;
        self.text = true;
    }

    /// Begins a value that was declared as `kind`. The text of a form is judged by another parser, pair by pair.
    pub(super) fn start(&mut self, kind: BodyKind, place: Place, name: &[u8]) {
        self.reset();
        self.raw.start(place, name);
        self.document = match kind {
            BodyKind::Json => Document::Json,
            BodyKind::Xml => Document::Xml,
            BodyKind::Raw | BodyKind::Form => Document::Unknown,
            BodyKind::Multipart | BodyKind::Binary | BodyKind::None => Document::None,
        };
        self.strict = matches!(self.document, Document::Json | Document::Xml);
        self.text = kind == BodyKind::Raw;
    }

    pub(super) fn pending(&self) -> usize {
        self.raw.pending() + self.json.pending() + self.xml.pending()
    }

    /// Returns `true` if anything is read at all.
    pub(super) fn is_reading(&self) -> bool {
        self.text || self.document != Document::None
    }

    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        let mut rest = chunk;
        while !rest.is_empty() && !sink.is_over() {
            // The document's fields up to the end of a piece of text come before that piece, however the bytes arrive.
            let (piece, left) = rest.split_at_checked(self.raw.room()).unwrap_or((rest, &[]));
            let was_text = self.text;
            self.document(piece, sink);
            if was_text {
                self.raw.feed(piece, sink);
            }
            rest = left;
        }
    }

    pub(super) fn finish(&mut self, completeness: Completeness, sink: &mut impl Sink) {
        let faults = match (self.document, self.strict) {
            (Document::Json, true) => self.json.finish(completeness, sink).err().map(|_| self.json.fault()),
            (Document::Xml, true) => self.xml.finish(completeness, sink).err().map(|_| self.xml.fault()),
            // Documents that nobody declared need not be whole: what their fields hold has been judged.
            (Document::Json, false) => {
                let _ = self.json.finish(Completeness::CutOff, &mut LenientSink(sink));
                None
            }
            (Document::Xml, false) => {
                let _ = self.xml.finish(Completeness::CutOff, &mut LenientSink(sink));
                None
            }
            (Document::None | Document::Unknown, _) => None,
        };
        if let Some(fault) = faults {
            sink.violation(Leaf::HttpComplianceMalformedBody, fault);
        }
        self.raw.finish(sink);
        self.reset();
    }

    fn document(&mut self, piece: &[u8], sink: &mut impl Sink) {
        match self.document {
            Document::None => {}
            Document::Json | Document::Xml => self.parse(piece, sink),
            Document::Unknown => self.look(piece, sink),
        }
    }

    /// Looks for the beginning of a document in the first bytes.
    fn look(&mut self, piece: &[u8], sink: &mut impl Sink) {
        for (at, &byte) in piece.iter().enumerate() {
            let mark_of_order = matches!(byte, 0xef | 0xbb | 0xbf);
            if self.mark.is_empty() && (is_padding(byte) || mark_of_order) {
                continue;
            }
            self.mark.push(byte);
            self.document = match begins(&self.mark) {
                Document::Json if !self.has(|parsers| parsers.json) => Document::None,
                Document::Xml if !self.has(|parsers| parsers.xml) => Document::None,
                document => document,
            };
            if self.document == Document::None {
                return;
            }
            if self.document != Document::Unknown {
                let mark = std::mem::take(&mut self.mark);
                self.parse(&mark, sink);
                return self.document(piece.get(at + 1..).unwrap_or_default(), sink);
            }
        }
    }

    fn parse(&mut self, piece: &[u8], sink: &mut impl Sink) {
        let mut piece = piece;
        while let Some(rest) = self.parse_one(piece, sink) {
            piece = rest;
        }
    }

    /// Parses up to the end of the piece, or to the next of several JSON documents in a row, which it gives back.
    fn parse_one<'c>(&mut self, piece: &'c [u8], sink: &mut impl Sink) -> Option<&'c [u8]> {
        let step = match (self.document, self.strict) {
            (Document::Json, true) => self.json.feed(piece, sink),
            (Document::Json, false) => self.json.feed(piece, &mut LenientSink(sink)),
            (Document::Xml, true) => self.xml.feed(piece, sink),
            (Document::Xml, false) => self.xml.feed(piece, &mut LenientSink(sink)),
            (Document::None | Document::Unknown, _) => Ok(()),
        };
        let left = step.err()?;
        let rest = piece.get(piece.len() - left.min(piece.len())..).unwrap_or_default();
        let is_behind = self.alone && self.json.is_at_end();
        if is_behind && matches!(rest, [b'{' | b'[', ..]) {
            self.json.reset();
            return Some(rest);
        }
        if let [RECORD_SEPARATOR, next @ ..] = rest
            && (is_behind || self.is_sequence && self.json.is_at_start())
        {
            self.json.reset();
            return Some(next);
        }
        if self.strict {
            let fault = if self.document == Document::Json { self.json.fault() } else { self.xml.fault() };
            sink.violation(Leaf::HttpComplianceMalformedBody, fault);
        }
        self.document = Document::None;
        // What follows the place at which a document ends to be one is judged as text: a lenient reader may read on. Behind a
        // whole document none does, but the document may be the first name of a form.
        if self.strict || self.is_sequence || self.alone && (!is_behind || matches!(rest, [b'&' | b'=', ..]))
        {
            self.text = true;
            self.raw.feed(rest, sink);
        }
        None
    }
}

/// The kind of a text that begins with `mark`, which is not empty.
fn begins(mark: &[u8]) -> Document {
    const MARKS: [&[u8]; 2] = [b"<?xml", b"<!doctype"];
    if matches!(mark, [b'{' | b'[', ..]) {
        return Document::Json;
    }
    for known in MARKS {
        let length = known.len().min(mark.len());
        let same = mark.get(..length).unwrap_or_default();
        if same.eq_ignore_ascii_case(known.get(..length).unwrap_or_default()) {
            return if mark.len() >= known.len() { Document::Xml } else { Document::Unknown };
        }
    }
    Document::None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_decide() {
        for (mark, expected) in [
            ("{", Document::Json),
            ("[1", Document::Json),
            ("<", Document::Unknown),
            ("<?xm", Document::Unknown),
            ("<?xml", Document::Xml),
            ("<!DOCTYPE", Document::Xml),
            ("<!--", Document::None),
            ("<p>", Document::None),
            ("a", Document::None),
        ] {
            assert_eq!(begins(mark.as_bytes()), expected, "{mark}");
        }
    }
}
