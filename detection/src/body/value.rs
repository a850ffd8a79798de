//! A text value: a whole body, or the value of a multipart field. It is read as the type that it declares, or as plain
//! text and beside that as the JSON or XML that it turns out to be.

use waf_shared::catalog::Leaf;

use super::json::Json;
use super::raw::Raw;
use super::xml::Xml;
use super::{BodyKind, Cut, Sink, Tolerant};
use crate::field::Place;
use crate::inspection::{Bounds, Parsers};

/// Reads one value after the other.
#[derive(Debug, Default)]
pub(super) struct Value {
    raw: Raw,
    json: Json,
    xml: Xml,
    parsers: Option<Parsers>,
    document: Document,
    /// Whether what the document's parser cannot read is a violation.
    strict: bool,
    /// Whether the bytes are judged as text.
    text: bool,
    /// The first bytes of a text that may be a document.
    mark: Vec<u8>,
}

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
    pub(super) fn limits(&mut self, bounds: &Bounds) {
        self.parsers = Some(bounds.parsers);
        self.json.limits(bounds.json_depth, bounds.json_keys);
        self.xml.limits(bounds.xml_depth, bounds.xml_entities);
    }

    pub(super) fn reset(&mut self) {
        self.raw.reset();
        self.json.reset();
        self.xml.reset();
        self.mark.clear();
        self.document = Document::None;
        self.strict = false;
        self.text = false;
    }

    /// Begins a value that was declared as `kind`. The text of a form is judged by another parser, pair by pair.
    pub(super) fn start(&mut self, kind: BodyKind, place: Place, name: &[u8]) {
        self.reset();
        self.raw.start(place, name);
        self.document = match kind {
            BodyKind::Json => Document::Json,
            BodyKind::Xml => Document::Xml,
            BodyKind::Raw | BodyKind::Form => Document::Unknown,
            BodyKind::Multipart | BodyKind::None => Document::None,
        };
        self.strict = matches!(self.document, Document::Json | Document::Xml);
        self.text = kind == BodyKind::Raw;
    }

    pub(super) fn pending(&self) -> usize {
        self.raw.pending() + self.json.pending() + self.xml.pending()
    }

    /// Whether anything is read at all.
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

    pub(super) fn finish(&mut self, cut: Cut, sink: &mut impl Sink) {
        let faults = match (self.document, self.strict) {
            (Document::Json, true) => self.json.finish(cut, sink).err().map(|_| self.json.fault()),
            (Document::Xml, true) => self.xml.finish(cut, sink).err().map(|_| self.xml.fault()),
            // Documents that nobody declared need not be whole: what their fields hold has been judged.
            (Document::Json, false) => {
                let _ = self.json.finish(Cut::CutOff, &mut Tolerant(sink));
                None
            }
            (Document::Xml, false) => {
                let _ = self.xml.finish(Cut::CutOff, &mut Tolerant(sink));
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

    /// Whether the first bytes begin a document.
    fn look(&mut self, piece: &[u8], sink: &mut impl Sink) {
        for (at, &byte) in piece.iter().enumerate() {
            let mark_of_order = matches!(byte, 0xef | 0xbb | 0xbf);
            if self.mark.is_empty() && (byte.is_ascii_whitespace() || mark_of_order) {
                continue;
            }
            self.mark.push(byte);
            self.document = match begins(&self.mark) {
                Document::Json if !self.parsers.is_some_and(|parsers| parsers.json) => Document::None,
                Document::Xml if !self.parsers.is_some_and(|parsers| parsers.xml) => Document::None,
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
        let step = match (self.document, self.strict) {
            (Document::Json, true) => self.json.feed(piece, sink),
            (Document::Json, false) => self.json.feed(piece, &mut Tolerant(sink)),
            (Document::Xml, true) => self.xml.feed(piece, sink),
            (Document::Xml, false) => self.xml.feed(piece, &mut Tolerant(sink)),
            (Document::None | Document::Unknown, _) => Ok(()),
        };
        let Err(left) = step else { return };
        if self.strict {
            let fault = if self.document == Document::Json { self.json.fault() } else { self.xml.fault() };
            sink.violation(Leaf::HttpComplianceMalformedBody, fault);
            // What follows the place at which a document ends to be one is judged as text: a lenient reader may read on.
            self.text = true;
            let rest = piece.get(piece.len() - left.min(piece.len())..).unwrap_or_default();
            self.raw.feed(rest, sink);
        }
        self.document = Document::None;
    }
}

/// What a text is that begins with `mark`, which is not empty.
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
