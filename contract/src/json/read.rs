//! From text to values: a document is built from the events of the tokenizer, up to a bound on values and depth.

use std::borrow::Cow;

use waf_bodies::Completeness;
use waf_bodies::json::{Container, Events, HalfPairs, Scalar, Text, Tokenizer, Unfinished};
use waf_shared::limits::{CONTRACT_DEPTH_MAX, CONTRACT_VALUES_MAX};

use super::document::{At, Document, Value};
use crate::number::Number;

/// A text is not one that is judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It is not JSON, or nested deeper than any that is judged.
    #[error("the text is not JSON")]
    NotJson,
    /// An object has a name twice: readers take the first value, the last, or both.
    #[error("the object at `{pointer}` has a name twice")]
    RepeatedName {
        /// JSON pointer (RFC 6901) to the object.
        pointer: String,
    },
}

/// Makes a document of events.
#[derive(Debug, Default)]
struct Builder<'t> {
    document: Document<'t>,
    /// Containers that are not closed yet.
    open: Vec<At>,
    /// Name of the member that begins.
    key: Option<Cow<'t, str>>,
    /// The first object that has a name twice.
    repeats: Option<At>,
    stop: Option<Stop>,
}

/// Reason why reading stops early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// The bound on values is reached.
    Full,
    /// The bound on depth is exceeded, or a text is not UTF-8.
    Malformed,
}

impl<'t> Document<'t> {
    /// Reads a JSON text; `is_whole` is false when it was cut off.
    pub fn read(text: &'t [u8], is_whole: bool) -> Result<Document<'t>, Malformed> {
        let completeness = if is_whole { Completeness::Whole } else { Completeness::CutOff };
        let mut tokenizer = Tokenizer::new(CONTRACT_VALUES_MAX as u32, HalfPairs::Replaced);
        let mut builder = Builder::default();
        tokenizer.feed(text, &mut builder).map_err(|_| Malformed::NotJson)?;
        // Behind the last value that is read anything may come.
        let read_to = if builder.stop.is_some() { Completeness::CutOff } else { completeness };
        tokenizer.finish(read_to, &mut builder).map_err(|_| Malformed::NotJson)?;
        builder.end(completeness)
    }
}

impl<'t> Builder<'t> {
    fn end(mut self, completeness: Completeness) -> Result<Document<'t>, Malformed> {
        if self.stop == Some(Stop::Malformed) {
            return Err(Malformed::NotJson);
        }
        if let Some(object) = self.repeats {
            return Err(Malformed::RepeatedName { pointer: self.document.pointer(object) });
        }
        match (self.document.len(), completeness) {
            (0, Completeness::Whole) => return Err(Malformed::NotJson),
            (0, Completeness::CutOff) => self.document.push(None, Value::Unknown),
            _ => {}
        }
        Ok(self.document)
    }

    /// Adds a value; containers last until they are closed.
    fn begin(&mut self, value: Value<'t>) -> Option<At> {
        if self.stop.is_some() || self.document.len() >= CONTRACT_VALUES_MAX {
            self.stop.get_or_insert(Stop::Full);
            return None;
        }
        let key = self.key.take();
        Some(self.document.open(key, value))
    }

    fn add(&mut self, value: Value<'t>) {
        self.begin(value);
    }

    fn text(&mut self, text: Text<'t, '_>) -> Cow<'t, str> {
        let text = match text {
            Text::Chunk(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed),
            Text::Buffer(bytes) => std::str::from_utf8(bytes).map(|text| Cow::Owned(text.to_owned())),
        };
        text.unwrap_or_else(|_| {
            self.stop = Some(Stop::Malformed);
            Cow::Borrowed("")
        })
    }
}

impl<'t> Events<'t> for Builder<'t> {
    /// A reader may skip it (RFC 8259, section 8.1).
    fn byte_order_mark(&mut self) {}

    fn open(&mut self, container: Container) {
        if self.open.len() >= CONTRACT_DEPTH_MAX {
            self.stop = Some(Stop::Malformed);
        }
        let value = match container {
            Container::Object => Value::Object,
            Container::Array => Value::Array,
        };
        let at = self.begin(value);
        self.open.extend(at);
    }

    fn close(&mut self, completeness: Completeness) {
        if let Some(at) = self.open.pop() {
            self.document.close(at, completeness == Completeness::CutOff);
        }
    }

    fn key(&mut self, key: Text<'t, '_>, _: u32) {
        self.key = Some(self.text(key));
    }

    fn repeated_key(&mut self) {
        self.repeats = self.repeats.or(self.open.last().copied());
    }

    fn string(&mut self, text: Text<'t, '_>) {
        let text = self.text(text);
        self.add(Value::Text(text));
    }

    fn scalar(&mut self, scalar: Scalar<'_>) {
        let value = match scalar {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Number(text) => {
                std::str::from_utf8(text).ok().and_then(Number::parse).map_or(Value::Unknown, Value::Number)
            }
        };
        self.add(value);
    }

    fn unfinished(&mut self, unfinished: Unfinished<'_>) {
        match unfinished {
            Unfinished::Key(_) => {}
            // Digits may follow a number; nothing follows a literal name.
            Unfinished::Scalar(token) => match Scalar::of(token) {
                Some(Scalar::Number(_)) | None => self.add(Value::Unknown),
                Some(name) => self.scalar(name),
            },
            Unfinished::String(_) | Unfinished::Missing => self.add(Value::Unknown),
        }
    }

    fn is_over(&self) -> bool {
        self.stop.is_some()
    }
}
