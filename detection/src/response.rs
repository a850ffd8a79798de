//! The inspection of one response: status, header fields and body in, verdict out. What matters here is not only what is
//! said but who says it: an error that the server itself reports is a leak, the same words in an article are its subject.
//! It knows no sockets and no compression; a caller hands it decoded bytes, in whatever pieces they come.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use waf_shared::catalog::{Leaf, LeafSet, TABLE};
use waf_shared::limits;

use crate::budget::Budget;
use crate::engine::{Engine, ResponsePatterns};
use crate::exceptions::{Exceptions, RequestExceptions};
use crate::field::Place;
use crate::inspection::OnHit;
use crate::response_pattern;
use crate::rule::Rule;
use crate::verdict::{Match, Verdict};
use crate::view::View;

mod redirect;
mod scan;
mod text;

pub use crate::response_pattern::ResponseKind;

use scan::Scanner;
use text::Text;

/// Body bytes that are judged between two looks at the clock.
const SLICE_BYTES: usize = 16 << 10;

/// The parts of a request that a response is judged by.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Host as sent, possibly with a port.
    pub host: &'a [u8],
    /// Path as sent.
    pub path: &'a [u8],
    /// Query as sent, without its `?`.
    pub query: &'a [u8],
    /// The beginning of a form or JSON body, for the parameters in it; empty when there is none.
    pub body: &'a [u8],
}

/// The parts of a response's head that rules ask about.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head<'a> {
    /// Status code.
    pub status: u16,
    /// `Content-Type`; empty when there is none.
    pub content_type: &'a [u8],
    /// `Location`, if any.
    pub location: Option<&'a [u8]>,
}

/// The inspection of one response.
#[derive(Debug)]
pub struct ResponseInspection {
    engine: Arc<Engine>,
    leaves: LeafSet,
    on_hit: OnHit,
    meter: Meter,
    verdict: Verdict,
    /// Rules found in the body: weak ones add up over the page, which is one value.
    found: Vec<&'static Rule>,
    exceptions: RequestExceptions,
    scanner: Scanner,
    text: Text,
    bytes_left: u64,
    took: Duration,
}

impl ResponseInspection {
    /// An inspection that judges by `leaves` and evaluates at most `bytes_max` of a body.
    pub fn new(
        engine: Arc<Engine>,
        leaves: LeafSet,
        on_hit: OnHit,
        budget: Budget,
        bytes_max: u64,
    ) -> ResponseInspection {
        ResponseInspection {
            meter: Meter::new(budget, &leaves),
            scanner: Scanner::new(engine.response_patterns()),
            engine,
            leaves,
            on_hit,
            verdict: Verdict::default(),
            found: Vec::new(),
            exceptions: RequestExceptions::default(),
            text: Text::default(),
            bytes_left: bytes_max,
            took: Duration::ZERO,
        }
    }

    /// Takes the exceptions of the route and what they ask of the request.
    pub fn except(&mut self, exceptions: Option<&Arc<Exceptions>>, (method, path): (&[u8], &[u8])) {
        self.exceptions.set(exceptions.cloned());
        self.exceptions.begin(method, path, None);
    }

    /// Names of the exceptions without which the response would be refused or reported, and is not.
    pub fn spared(&self) -> impl Iterator<Item = &Arc<str>> {
        self.exceptions.spared(&self.verdict)
    }

    /// Returns `true` if any of `leaves` looks at responses.
    pub fn is_wanted(leaves: &LeafSet) -> bool {
        static OURS: LazyLock<LeafSet> =
            LazyLock::new(|| TABLE.iter().map(|row| row.leaf).filter(|leaf| concerns(*leaf)).collect());
        !leaves.intersection(&OURS).is_empty()
    }

    /// Judges the head, and says how the body is read; `None` when nothing looks at such a body.
    pub fn head(&mut self, asked: &Asked<'_>, head: &Head<'_>) -> Option<ResponseKind> {
        if self.leaves.contains(Leaf::ResponseInspectionOpenRedirects)
            && let Some(location) = head.location.filter(|_| (300..400).contains(&head.status))
            && redirect::is_open(asked, location)
        {
            self.head_found(&crate::rules::response_inspection::FOREIGN_HOST, b"location", location);
        }
        if (500..600).contains(&head.status) && self.leaves.contains(Leaf::ServerDataLeakage5xxBodies) {
            let status = [b'5', digit(head.status / 10), digit(head.status)];
            self.head_found(&crate::rules::server_data_leakage::SERVER_ERROR, b":status", &status);
        }
        let kind = response_pattern::of(head.content_type)?;
        self.scanner.begin(kind, head.status, asked.path, &self.leaves);
        self.text.begin(kind);
        Some(kind)
    }

    /// Judges the next bytes of the body. How a body is cut into pieces makes no difference to the verdict: what needs
    /// the bytes after it is judged when they are here.
    pub fn feed(&mut self, bytes: &[u8]) {
        let began = (self.meter.budget.watch)();
        self.judge(bytes);
        self.took(began);
    }

    fn judge(&mut self, bytes: &[u8]) {
        let room = usize::try_from(self.bytes_left).unwrap_or(usize::MAX);
        let bytes = bytes.get(..bytes.len().min(room)).unwrap_or_default();
        self.bytes_left -= bytes.len() as u64;
        for slice in bytes.chunks(SLICE_BYTES) {
            if self.is_over() {
                return;
            }
            self.meter.begin(slice.len());
            self.text.push(slice, &mut self.scanner);
            self.scan(Scanner::advance);
            self.meter.end();
            self.note_timeout();
        }
    }

    /// Judges all that was fed as if nothing followed: before the bytes are let go while more may come.
    pub fn probe(&mut self) {
        if !self.is_over() {
            self.settle(Scanner::probe);
        }
    }

    /// Judges what the end of the body makes complete.
    pub fn finish(&mut self) {
        if !self.is_over() {
            self.settle(Scanner::finish);
        }
    }

    fn settle(&mut self, run: fn(&mut Scanner, &ResponsePatterns, &mut dyn FnMut(scan::Hit<'_>))) {
        let began = (self.meter.budget.watch)();
        self.meter.begin(self.scanner.pending());
        self.text.settle(&mut self.scanner);
        self.scan(run);
        self.meter.end();
        self.note_timeout();
        self.took(began);
    }

    fn took(&mut self, began: Duration) {
        self.took = self.took.saturating_add((self.meter.budget.watch)().saturating_sub(began));
    }

    /// Time of judging the body so far, by the watch of the budget.
    pub fn time(&self) -> Duration {
        self.took
    }

    /// From here on bytes have been let go: a budget that runs out ends the inspection, and is no violation any more.
    pub fn release(&mut self) {
        self.meter.released = true;
    }

    /// Returns `true` if more bytes can change anything.
    pub fn is_over(&self) -> bool {
        self.meter.out || self.bytes_left == 0 && self.scanner.is_done() || self.is_decided()
    }

    /// Returns `true` if the bytes of the body that are evaluated have all been fed.
    pub fn is_full(&self) -> bool {
        self.bytes_left == 0 || self.meter.out || self.is_decided()
    }

    /// The conclusion so far.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// The conclusion, taken out.
    pub fn into_verdict(self) -> Verdict {
        self.verdict
    }

    fn is_decided(&self) -> bool {
        self.on_hit == OnHit::Stop && self.verdict.blocks()
    }

    fn scan(&mut self, run: fn(&mut Scanner, &ResponsePatterns, &mut dyn FnMut(scan::Hit<'_>))) {
        let ResponseInspection { engine, verdict, found, exceptions, scanner, text, .. } = self;
        let view = text.view();
        let mut note = |hit: scan::Hit<'_>| {
            if found.iter().any(|rule| std::ptr::eq(*rule, hit.rule)) {
                return;
            }
            if exceptions.take(hit.rule, Place::ResponseBody, b"") {
                return;
            }
            found.push(hit.rule);
            verdict.matched(Match {
                rule: hit.rule,
                place: Place::ResponseBody,
                name: Vec::new(),
                view,
                offset: u32::try_from(hit.offset).unwrap_or(u32::MAX),
                excerpt: hit.excerpt.iter().take(limits::EXCERPT_BYTES_MAX).copied().collect(),
                weight: hit.rule.weight,
            });
        };
        let before = scanner.found_count();
        run(scanner, engine.response_patterns(), &mut note);
        if scanner.found_count() != before {
            verdict.response_found(found);
            exceptions.response_done(found);
        }
    }

    fn head_found(&mut self, rule: &'static Rule, name: &[u8], value: &[u8]) {
        if self.exceptions.take(rule, Place::ResponseHeader, name) {
            return self.exceptions.field_done(&[]);
        }
        self.verdict.matched(Match {
            rule,
            place: Place::ResponseHeader,
            name: name.to_vec(),
            view: View::Raw,
            offset: 0,
            excerpt: value.iter().take(limits::EXCERPT_BYTES_MAX).copied().collect(),
            weight: rule.weight,
        });
        self.verdict.response_found(&[rule]);
    }

    fn note_timeout(&mut self) {
        if self.meter.out && !self.meter.released && !self.verdict.timed_out {
            self.verdict.timed_out = true;
            self.verdict.violation(
                Leaf::ResourceLimitsEvaluationTimeout,
                "response rules were not evaluated within evaluation_timeout",
            );
        }
    }
}

/// Returns `true` if `leaf` looks at responses.
fn concerns(leaf: Leaf) -> bool {
    let row = leaf.row();
    row.bucket.ends_with("-data-leakage")
        || matches!(row.family, "server-data-leakage" | "web-shell-detection")
        || leaf == Leaf::ResponseInspectionOpenRedirects
}

const fn digit(number: u16) -> u8 {
    b'0' + (number % 10) as u8
}

/// CPU time of this response's evaluation.
#[derive(Debug)]
struct Meter {
    budget: Budget,
    enforced: bool,
    released: bool,
    spent: Duration,
    start: Option<Duration>,
    /// Bytes since the clock was last read; small pieces go untimed until they add up.
    bytes: usize,
    out: bool,
}

impl Meter {
    fn new(budget: Budget, leaves: &LeafSet) -> Meter {
        Meter {
            budget,
            enforced: leaves.contains(Leaf::ResourceLimitsEvaluationTimeout) && budget.limit < Duration::MAX,
            released: false,
            spent: Duration::ZERO,
            start: None,
            bytes: 0,
            out: false,
        }
    }

    fn begin(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.enforced && self.bytes >= SLICE_BYTES / 4 {
            self.bytes = 0;
            self.start = Some((self.budget.clock)());
        }
    }

    fn end(&mut self) {
        if let Some(start) = self.start.take() {
            self.spent = self.spent.saturating_add((self.budget.clock)().saturating_sub(start));
            self.out |= self.spent > self.budget.limit;
        }
    }
}

#[cfg(test)]
mod tests;
