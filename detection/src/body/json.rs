//! JSON in fields: names and strings with the path of keys to them, and the limits of the configuration.

use waf_bodies::json::{Container, Events, Fault, Scalar, Text, Tokenizer, Unfinished};
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use crate::body::sink::{Completeness, Sink};
use crate::field::Place;

mod strict;
#[cfg(test)]
mod tests;

pub(crate) use strict::is_strict;

/// A number this long is judged like a string; shorter ones hold nothing.
const NUMBER_BYTES_JUDGED: usize = 15;

/// The reader.
#[derive(Debug, Default)]
pub(super) struct Json {
    tokenizer: Tokenizer,
    position: Position,
    fault: &'static str,
}

/// Position in a document.
#[derive(Debug, Default)]
struct Position {
    depth_max: u32,
    keys_max: u32,
    open: Vec<Open>,
    /// Path of the value in hand: keys joined by dots, bounded.
    path: Vec<u8>,
}

/// An open container.
#[derive(Debug, Clone, Copy)]
struct Open {
    container: Container,
    path_bytes: usize,
}

/// Makes fields of events.
struct Fields<'a, S> {
    position: &'a mut Position,
    sink: &'a mut S,
}

impl Json {
    pub(super) fn limits(&mut self, depth: u32, keys: u32) {
        self.position.depth_max = depth;
        self.position.keys_max = keys;
        self.tokenizer.compare_keys(keys);
    }

    pub(super) fn reset(&mut self) {
        self.tokenizer.reset();
        self.position.open.clear();
        self.position.path.clear();
        self.fault = "";
    }

    pub(super) fn pending(&self) -> usize {
        self.tokenizer.pending()
    }

    /// The reason for which the document is not JSON.
    pub(super) fn fault(&self) -> &'static str {
        self.fault
    }

    /// Returns `true` if nothing of a document has come yet.
    pub(super) fn is_at_start(&self) -> bool {
        self.tokenizer.is_at_start()
    }

    /// Returns `true` if the document is complete.
    pub(super) fn is_at_end(&self) -> bool {
        self.tokenizer.is_at_end()
    }

    /// Takes the next bytes. On a fault: how many of them follow the place where it was found, and the reader is done.
    pub(super) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) -> Result<(), usize> {
        let mut fields = Fields { position: &mut self.position, sink };
        self.tokenizer.feed(chunk, &mut fields).map_err(|fault| {
            self.fault = fault.reason;
            fault.bytes_after
        })
    }

    /// Judges what the end makes complete.
    pub(super) fn finish(&mut self, completeness: Completeness, sink: &mut impl Sink) -> Result<(), Fault> {
        let mut fields = Fields { position: &mut self.position, sink };
        let end = self.tokenizer.finish(completeness, &mut fields);
        self.fault = end.err().map_or("", |fault| fault.reason);
        end
    }
}

impl<S: Sink> Fields<'_, S> {
    /// A value begins. In an array it takes the place of the one before.
    #[inline]
    fn begin(&mut self) {
        if let Some(open) = self.position.open.last().filter(|open| open.container == Container::Array) {
            self.position.path.truncate(open.path_bytes);
        }
    }

    #[inline]
    fn value(&mut self, text: &[u8]) {
        self.begin();
        self.sink.field(Place::Json, &self.position.path, text);
    }

    /// A name, whose path is that of its object.
    #[inline]
    fn name(&mut self, text: &[u8]) {
        let path_bytes = self.position.open.last().map_or(0, |open| open.path_bytes);
        self.position.path.truncate(path_bytes);
        self.sink.field(Place::JsonKey, &self.position.path, text);
    }
}

impl<'c, S: Sink> Events<'c> for Fields<'_, S> {
    fn byte_order_mark(&mut self) {
        self.sink.violation(Leaf::HttpComplianceMalformedBody, "a byte order mark stands before JSON");
    }

    #[inline]
    fn open(&mut self, container: Container) {
        self.begin();
        let position = &mut *self.position;
        position.open.push(Open { container, path_bytes: position.path.len() });
        if position.open.len() > position.depth_max as usize {
            self.sink.violation(Leaf::JsonParsingMaxDepth, "JSON is nested deeper than json_depth");
        }
    }

    #[inline]
    fn close(&mut self, _: Completeness) {
        self.position.open.pop();
    }

    #[inline]
    fn key(&mut self, key: Text<'c, '_>, number: u32) {
        self.name(key.bytes());
        if number > self.position.keys_max {
            self.sink.violation(Leaf::JsonParsingMaxKeys, "a JSON object has more keys than json_keys");
        }
        let path = &mut self.position.path;
        if !path.is_empty() {
            path.push(b'.');
        }
        path.extend_from_slice(key.bytes());
        path.truncate(limits::FIELD_NAME_BYTES_MAX);
    }

    fn repeated_key(&mut self) {
        self.sink.violation(Leaf::HttpComplianceMalformedBody, "a JSON object has a key twice");
    }

    #[inline]
    fn string(&mut self, text: Text<'c, '_>) {
        self.value(text.bytes());
    }

    #[inline]
    fn scalar(&mut self, scalar: Scalar<'_>) {
        if let Scalar::Number(number) = scalar
            && number.len() > NUMBER_BYTES_JUDGED
        {
            self.value(number);
        }
    }

    fn unfinished(&mut self, unfinished: Unfinished<'_>) {
        match unfinished {
            Unfinished::Key(text) => self.name(text),
            Unfinished::String(text) | Unfinished::Scalar(text) => self.value(text),
            Unfinished::Missing => {}
        }
    }

    fn is_over(&self) -> bool {
        self.sink.is_over()
    }
}
