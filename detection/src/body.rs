//! Bodies: which parser reads one, and the push parsers that turn it into fields. They know no rules; what they find goes
//! to a [`Sink`]. Any chunking of a body gives the same fields in the same order.

use waf_shared::catalog::Leaf;

use crate::field::Place;
use crate::inspection::Bounds;

mod form;
mod json;
mod media_type;
mod raw;

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyKind {
    /// `application/x-www-form-urlencoded`.
    Form,
    /// JSON, also by suffix.
    Json,
    /// Text, or of unknown type: one value, read as JSON too when it looks like it.
    Raw,
    /// Multipart or binary: not read here.
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
    /// A broken limit or a malformed document.
    fn violation(&mut self, leaf: Leaf, reason: &'static str);
    /// Whether nothing more is wanted.
    fn is_over(&self) -> bool;
}

/// The body of one request.
#[derive(Debug, Default)]
pub(crate) struct Body {
    kind: BodyKind,
    form: form::Form,
    json: json::Json,
    raw: raw::Raw,
    json_state: JsonState,
}

/// Whether the JSON parser takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum JsonState {
    /// The body is declared as JSON: what does not parse is a violation.
    Declared,
    /// The body may turn out to be JSON; nothing but white space came yet.
    Unknown,
    /// The body looks like JSON; what does not parse is text.
    Sniffed,
    /// Not, or not any more.
    #[default]
    Off,
}

impl Body {
    pub(crate) fn start(&mut self, media_type: &[u8], bounds: &Bounds) -> BodyKind {
        self.reset();
        self.kind = media_type::kind(media_type);
        self.json.limits(bounds.json_depth, bounds.json_keys);
        self.json_state = match self.kind {
            BodyKind::Json => JsonState::Declared,
            BodyKind::Raw => JsonState::Unknown,
            BodyKind::Form | BodyKind::None => JsonState::Off,
        };
        self.kind
    }

    pub(crate) fn reset(&mut self) {
        self.kind = BodyKind::None;
        self.form.reset();
        self.json.reset();
        self.raw.reset();
        self.json_state = JsonState::Off;
    }

    /// Bytes that wait for the end to be judged.
    pub(crate) fn pending(&self) -> usize {
        self.form.pending() + self.raw.pending() + self.json.pending()
    }

    pub(crate) fn feed(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        match self.kind {
            BodyKind::Form => self.form.feed(chunk, sink),
            BodyKind::Json => self.feed_json(chunk, sink),
            BodyKind::Raw => {
                self.raw.feed(chunk, sink);
                if self.json_state == JsonState::Unknown {
                    let first = chunk.iter().find(|byte| !byte.is_ascii_whitespace());
                    self.json_state = match first {
                        None => JsonState::Unknown,
                        Some(b'{' | b'[') => JsonState::Sniffed,
                        Some(_) => JsonState::Off,
                    };
                }
                if self.json_state == JsonState::Sniffed
                    && self.json.feed(chunk, &mut Tolerant(sink)).is_err()
                {
                    self.json_state = JsonState::Off;
                }
            }
            BodyKind::None => {}
        }
    }

    pub(crate) fn finish(&mut self, cut: Cut, sink: &mut impl Sink) {
        match self.kind {
            BodyKind::Form => self.form.finish(sink),
            BodyKind::Json => {
                if self.json_state == JsonState::Declared && self.json.finish(cut, sink).is_err() {
                    self.malformed(sink);
                }
                self.raw.finish(sink);
            }
            BodyKind::Raw => {
                self.raw.finish(sink);
                if self.json_state == JsonState::Sniffed {
                    // Sniffed documents need not be whole: what their fields hold has been judged.
                    let _ = self.json.finish(Cut::CutOff, &mut Tolerant(sink));
                }
            }
            BodyKind::None => {}
        }
        self.reset();
    }

    /// What follows the place at which a document stops being JSON is judged as text: a lenient backend may read on.
    fn feed_json(&mut self, chunk: &[u8], sink: &mut impl Sink) {
        if self.json_state != JsonState::Declared {
            self.raw.feed(chunk, sink);
        } else if let Err(rest) = self.json.feed(chunk, sink) {
            let rest = chunk.get(chunk.len() - rest.min(chunk.len())..).unwrap_or_default();
            self.malformed(sink);
            self.raw.feed(rest, sink);
        }
    }

    fn malformed(&mut self, sink: &mut impl Sink) {
        self.json_state = JsonState::Off;
        sink.violation(Leaf::HttpComplianceMalformedBody, self.json.fault());
    }
}

/// Passes fields on and forgives everything else.
struct Tolerant<'a, S>(&'a mut S);

impl<S: Sink> Sink for Tolerant<'_, S> {
    fn field(&mut self, place: Place, name: &[u8], value: &[u8]) {
        self.0.field(place, name, value);
    }

    fn argument(&mut self, names: Place, values: Place, pair: &[u8]) {
        self.0.argument(names, values, pair);
    }

    fn violation(&mut self, _: Leaf, _: &'static str) {}

    fn is_over(&self) -> bool {
        self.0.is_over()
    }
}
