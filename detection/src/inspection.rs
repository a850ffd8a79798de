//! The inspection of one request: head and body in, verdict out. It knows no routes, sockets or modes beyond [`OnHit`].
//! Calls are synchronous; between them the caller may wait for bytes as long as it likes.

use std::sync::Arc;

use waf_shared::catalog::{Leaf, LeafSet};

use crate::body::{Body, Completeness, Encoded};
use crate::budget::Budget;
use crate::cost::Cost;
use crate::engine::Engine;
use crate::exceptions::Exceptions;
use crate::field::{Field, Place};
use crate::request::{Facts, Head};
use crate::verdict::Verdict;

mod arguments;
mod documents;
mod graphql;
mod headers;
mod joined;
mod judging;
mod message;
mod nested;
mod on_hit;
mod repeated;
mod sink;
mod split;

use headers::Kind;
use repeated::{Names, Source, folded};

pub use crate::body::{BodyKind, Progress};
pub use crate::bounds::{Bounds, Files, Parsers};
pub(crate) use judging::Judging;
pub use message::MessageKind;
pub use on_hit::OnHit;

/// The inspection of one request. It keeps its buffers, so a pool of them serves benign requests without allocating.
#[derive(Debug)]
pub struct Inspection {
    judging: Judging,
    bounds: Bounds,
    body: Body,
    /// The bytes of a coded body before each coding is taken off.
    encoded: Vec<Encoded>,
    /// The first bytes of the content of a coded body, and whether the beginnings were compared with them.
    beginning: Vec<u8>,
    is_compared: bool,
    /// The first bytes of a message, until it is known where its content begins.
    opening: message::Opening,
}

/// Bytes of content with which the beginnings of coded bytes are compared.
const BEGINNING_BYTES: usize = 24;

impl Inspection {
    /// An inspection that judges by `leaves`.
    pub fn new(
        engine: Arc<Engine>,
        leaves: LeafSet,
        bounds: Bounds,
        on_hit: OnHit,
        budget: Budget,
    ) -> Inspection {
        let judging = Judging::new(engine, leaves, on_hit, budget);
        Inspection {
            judging,
            bounds,
            body: Body::default(),
            encoded: Vec::new(),
            beginning: Vec::new(),
            is_compared: false,
            opening: message::Opening::default(),
        }
    }

    /// Forgets the request and keeps the buffers: for the next request of any route.
    pub fn reset(&mut self, leaves: LeafSet, bounds: Bounds, on_hit: OnHit, budget: Budget) {
        self.judging.reset(leaves, on_hit, budget);
        self.bounds = bounds;
        self.body.reset();
        self.encoded.clear();
        self.opening.reset();
    }

    /// Takes the exceptions of the route, before anything is judged. [`Inspection::reset`] forgets them.
    pub fn except(&mut self, exceptions: Option<&Arc<Exceptions>>) {
        self.judging.exceptions.set(exceptions.cloned());
    }

    /// Names of the exceptions without which the request would be refused or reported, and is not.
    pub fn spared(&self) -> impl Iterator<Item = &Arc<str>> {
        self.judging.exceptions.spared(self.judging.verdict())
    }

    /// Judges a request head: path, query and header fields one by one, and what they say together.
    pub fn head<'a, F>(&mut self, head: &Head<'a, F>)
    where
        F: Iterator<Item = (&'a [u8], &'a [u8])> + Clone,
    {
        let began = self.judging.watch();
        let facts = Facts::gather(head);
        self.judging.begin(&facts);
        if self.judging.exceptions.is_any() {
            let other_method = head.fields.clone().find(|(name, _)| is_method_override(name));
            self.judging.exceptions.begin(head.method, head.path, other_method.map(|(_, value)| value));
        }
        self.path_of(head.method, head.path);
        if let Some(query) = head.query {
            self.query(query);
        }
        let mut names = Names::default();
        for (name, value) in head.fields.clone() {
            self.header(name, value);
            names.note(name);
        }
        if names.may_repeat() {
            self.judging.timed(0, |judging| {
                judging.repeated_headers(head.fields.clone(), |judging, name, value| {
                    header(judging, Kind::of(name), name, value);
                });
            });
        }
        let is_form =
            |value: &[u8]| value.array_windows().any(|four: &[u8; 4]| four.eq_ignore_ascii_case(b"form"));
        let takes_form = head.carries_body && facts.content_type.first.is_some_and(is_form);
        if self.judging.names.may_repeat() || takes_form {
            let query = head.query.unwrap_or_default();
            self.judging.timed(query.len(), |judging| judging.join_head(query, head.fields.clone()));
        }
        self.judging.whole(&facts);
        self.judging.took(began);
    }

    /// Judges the path of a request. Files are read with GET, HEAD and, from some servers, POST: with other methods their
    /// names say what a client stores, moves or removes.
    fn path_of(&mut self, method: &[u8], path: &[u8]) {
        if matches!(
            method,
            b"PUT" | b"DELETE" | b"PROPFIND" | b"PROPPATCH" | b"MOVE" | b"COPY" | b"LOCK" | b"UNLOCK"
        ) {
            let bytes = path.len();
            self.judging.timed(bytes, |judging| judging.without(FILES_READ, |judging| paths(judging, path)));
        } else {
            self.path(path);
        }
    }

    /// Judges the path as sent, whole and segment by segment.
    pub fn path(&mut self, raw_path: &[u8]) {
        self.judging.timed(raw_path.len(), |judging| paths(judging, raw_path));
    }

    /// Judges the query as sent, without its `?`: every name, every value.
    pub fn query(&mut self, raw_query: &[u8]) {
        self.judging.timed(raw_query.len(), |judging| judging.query(raw_query));
    }

    /// Judges one request header. Cookies are judged by name and value.
    pub fn header(&mut self, name: &[u8], value: &[u8]) {
        if value.is_empty() {
            return;
        }
        // Most values are dismissed here.
        let kind = Kind::of(name);
        if let Kind::Structured(grammar) = kind
            && headers::is_plain(grammar, value)
        {
            return;
        }
        self.judging.timed(value.len(), |judging| header(judging, kind, name, value));
    }

    /// Judges one field that a parser elsewhere has found (multipart, XML, a response).
    pub fn field(&mut self, field: &Field<'_>) {
        self.judging.timed(field.value.len(), |judging| judging.field(field));
    }

    /// Chooses how the body is read by the raw value of `Content-Type`, which may be empty.
    pub fn body(&mut self, media_type: &[u8]) -> BodyKind {
        let (body, bounds) = (&mut self.body, &self.bounds);
        body.start(media_type, bounds, &mut self.judging)
    }

    /// Returns `true` if the body is evaluated: not if there is none, nor if its type and its first bytes are of no text.
    pub fn reads_body(&self) -> bool {
        self.body.is_read()
    }

    /// Judges the next bytes of the body. How a body is cut into chunks makes no difference to the verdict.
    pub fn feed(&mut self, chunk: &[u8]) {
        let body = &mut self.body;
        let began = self.judging.watch();
        self.judging.timed(chunk.len(), |judging| body.feed(chunk, judging));
        if !self.encoded.is_empty() && !self.is_compared {
            let room = BEGINNING_BYTES.saturating_sub(self.beginning.len());
            self.beginning.extend(chunk.iter().take(room));
            if self.beginning.len() == BEGINNING_BYTES {
                self.compare_beginnings();
            }
        }
        self.judging.took(began);
    }

    /// Progress of the judging of the body.
    pub fn progress(&self) -> Progress {
        self.body.progress()
    }

    /// Bytes that were fed and not evaluated because `max_inspect_size` was used up. File content does not count.
    pub fn uninspected(&self) -> u64 {
        self.body.uninspected()
    }

    /// Bytes of uploaded files behind the first ones of each: they are counted, and no rule looks at them.
    pub fn file_rest(&self) -> u64 {
        self.body.file_rest()
    }

    /// Judges what the body's end makes complete.
    pub fn finish_body(&mut self, completeness: Completeness) {
        let body = &mut self.body;
        let began = self.judging.watch();
        self.judging.timed(body.pending(), |judging| {
            body.finish(completeness, judging);
            judging.join(Source::Form);
        });
        self.judging.took(began);
    }

    /// Begins to judge a body of the type `media_type`, to which `codings` codings were applied, also as an application
    /// reads it that does not take them off.
    pub fn encoded_body(&mut self, media_type: &[u8], codings: usize) {
        self.encoded.clear();
        self.encoded.resize_with(codings, Encoded::default);
        self.beginning.clear();
        self.is_compared = false;
        for body in &mut self.encoded {
            body.start(media_type, &self.bounds, &mut self.judging);
        }
    }

    /// Judges the next bytes of the body before the coding `stage` is taken off: 0 is the one that was applied last.
    pub fn feed_encoded(&mut self, stage: usize, chunk: &[u8]) {
        let Some(encoded) = self.encoded.get_mut(stage) else { return };
        let began = self.judging.watch();
        self.judging.timed(chunk.len(), |judging| {
            judging.without(encoded.noise(), |judging| encoded.feed(chunk, judging));
        });
        self.judging.took(began);
    }

    /// Judges the beginnings of coded bytes, once that of the content is known.
    fn compare_beginnings(&mut self) {
        self.is_compared = true;
        for encoded in &mut self.encoded {
            encoded.begins(&self.beginning, &mut self.judging);
        }
    }

    /// Judges what the end of the coded bytes makes complete.
    pub fn finish_encoded(&mut self, completeness: Completeness) {
        let began = self.judging.watch();
        if !self.is_compared {
            self.compare_beginnings();
        }
        for encoded in &mut self.encoded {
            self.judging.timed(encoded.pending(), |judging| {
                judging.without(encoded.noise(), |judging| encoded.finish(completeness, judging));
            });
        }
        self.judging.took(began);
    }

    /// Returns `true` if something may still be found in the coded bytes that were fed.
    pub fn is_encoded_open(&self) -> bool {
        self.encoded.iter().any(|encoded| encoded.progress() == Progress::Open)
    }

    /// Time that [`Inspection::head`], [`Inspection::feed`] and [`Inspection::finish_body`] took so far.
    pub fn cost(&self) -> &Cost {
        self.judging.cost()
    }

    /// The conclusion so far.
    pub fn verdict(&self) -> &Verdict {
        self.judging.verdict()
    }
}

/// Protections of files that a request reads.
const FILES_READ: &[Leaf] = &[
    Leaf::HttpComplianceBlockedExtensions,
    Leaf::HttpComplianceBackupFileProbes,
    Leaf::LocalFileAccessDotfiles,
];

/// Returns `true` for a field that asks for another method than that of the request line.
fn is_method_override(name: &[u8]) -> bool {
    [&b"x-http-method-override"[..], b"x-http-method", b"x-method-override"]
        .iter()
        .any(|known| known.len() == name.len() && folded(name).eq(known.iter().copied()))
}

fn paths(judging: &mut Judging, path: &[u8]) {
    judging.field(&Field { place: Place::Path, name: b"", value: path });
    for segment in split::segments(path) {
        judging.field(&Field { place: Place::PathSegment, name: b"", value: segment });
    }
}

/// Judges one header line, or the lines of one header joined.
fn header(judging: &mut Judging, kind: Kind, name: &[u8], value: &[u8]) {
    let field = Field { place: Place::Header, name, value };
    match kind {
        Kind::Cookie => judging.cookies(value),
        Kind::Structured(grammar) if headers::is_plain(grammar, value) => {}
        Kind::Recurring(grammar) => judging.recurring(&field, |value| headers::is_plain(grammar, value)),
        Kind::Structured(_) | Kind::Free => {
            if name.eq_ignore_ascii_case(b"referer") {
                judging.referer(&field);
            } else {
                judging.field(&field);
            }
        }
    }
}
