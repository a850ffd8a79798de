//! Multipart bodies in fields. Text values are judged like other values; of files only names, types, sizes and first bytes
//! are looked at, and of markup its first pages. Other content passes by. What two readers may understand differently is a violation.

use waf_bodies::multipart::{Boundary, Doubt, Events, Flavor, Side, Tokenizer};
use waf_shared::limits;

use super::media_type;
use super::text::Text;
use crate::body::sink::{Completeness, Progress, Sink};
use crate::bounds::Bounds;
use crate::field::Place;

mod content;
mod file_name;
mod finding;
mod markup;
mod outside;
mod parts;
pub(super) mod signature;
#[cfg(test)]
mod tests;
mod unnamed;

use finding::{BOUNDARIES, finding};
use parts::{FaultyFiles, Parts, Reading};

/// The reader.
#[derive(Debug, Default)]
pub(super) struct Multipart {
    /// Not started where the body's type names no boundary; then the body is one text.
    tokenizer: Tokenizer,
    parts: Parts,
}

/// Makes fields of events.
struct Fields<'a, S> {
    parts: &'a mut Parts,
    value: &'a mut Text,
    sink: &'a mut S,
}

impl Multipart {
    pub(super) fn reset(&mut self) {
        self.tokenizer.reset();
        self.parts.reset();
    }

    /// Begins a body of the type `value`, which may not name a usable boundary.
    pub(super) fn start(&mut self, value: &[u8], bounds: &Bounds, sink: &mut impl Sink) {
        self.reset();
        self.parts.flavor = if media_type::is_form_data(value) { Flavor::Form } else { Flavor::Other };
        self.parts.files = Some(bounds.files.clone());
        self.parts.room = bounds.max_inspect_size;
        self.parts.markup_room = bounds.max_inspect_size;
        match Boundary::of(value) {
            Ok(boundary) => self.tokenizer.start(boundary, limits::PART_HEAD_BYTES_MAX),
            Err(fault) => sink.violation(BOUNDARIES, fault.reason()),
        }
    }

    /// Reads files with a fault in their head as fields from now on.
    pub(super) fn read_faulty_files(&mut self) {
        self.parts.faulty_files = FaultyFiles::Fields;
    }

    pub(super) fn pending(&self) -> usize {
        self.tokenizer.pending() + self.parts.file_head.len()
    }

    pub(super) fn progress(&self) -> Progress {
        let parts = &self.parts;
        let sniffed =
            parts.file_head.len() >= signature::HEAD_BYTES && parts.unnamed.is_none() && !parts.is_markup;
        match parts.reading {
            Reading::Text => Progress::Open,
            _ if parts.room == 0 => Progress::Cleared,
            Reading::File if sniffed => Progress::InFile,
            _ => Progress::Open,
        }
    }

    pub(super) fn uninspected(&self) -> u64 {
        self.parts.uninspected
    }

    /// Bytes of files behind the first ones of each, which are only counted.
    pub(super) fn file_rest(&self) -> u64 {
        self.parts.file_rest
    }

    pub(super) fn feed(&mut self, chunk: &[u8], value: &mut Text, sink: &mut impl Sink) {
        if !self.tokenizer.is_started() {
            return self.parts.unbounded(chunk, value, sink);
        }
        self.tokenizer.feed(chunk, &mut Fields { parts: &mut self.parts, value, sink });
    }

    pub(super) fn finish(&mut self, completeness: Completeness, value: &mut Text, sink: &mut impl Sink) {
        self.tokenizer.finish(completeness, &mut Fields { parts: &mut self.parts, value, sink });
    }
}

impl<S: Sink> Events for Fields<'_, S> {
    fn outside(&mut self, bytes: &[u8], side: Side) {
        self.parts.outside(bytes, side, self.value, self.sink);
    }

    fn delimiter(&mut self) {
        self.end(Completeness::Whole);
    }

    fn framing(&mut self, bytes: usize) {
        self.parts.count(bytes);
    }

    fn head(&mut self, block: &[u8], bytes: usize) {
        let spent = self.parts.room == 0;
        self.parts.count(bytes);
        self.parts.head(block, spent, self.value, self.sink);
    }

    fn unreadable_head(&mut self, head: &[u8], doubt: Doubt) {
        self.doubt(doubt);
        let spent = self.parts.room == 0;
        self.parts.count(head.len());
        if !spent {
            self.sink.field(Place::PartHeader, b"", head);
        }
        self.parts.reading = Reading::Skipped;
    }

    fn content(&mut self, bytes: &[u8]) {
        self.parts.content(bytes, self.value, self.sink);
    }

    fn end(&mut self, completeness: Completeness) {
        self.parts.end_outside(completeness, self.value, self.sink);
        self.parts.end_part(completeness, self.value, self.sink);
    }

    fn doubt(&mut self, doubt: Doubt) {
        let (leaf, reason) = finding(doubt);
        self.sink.violation(leaf, reason);
    }

    fn is_over(&self) -> bool {
        self.sink.is_over()
    }
}
