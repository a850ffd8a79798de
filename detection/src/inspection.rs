//! The inspection of one request: fields in, verdict out. It knows no routes, sockets or modes beyond [`OnHit`].

use std::sync::Arc;

use waf_shared::catalog::LeafSet;
use waf_shared::limits;

use crate::budget::Budget;
use crate::engine::{Candidates, Engine};
use crate::evidence::{Found, Subject};
use crate::field::{Field, Place};
use crate::rule::Rule;
use crate::verdict::{Match, Verdict};
use crate::view::{View, classes};

/// Bounds of one inspection that the configuration sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Nesting of JSON.
    pub json_depth: u32,
    /// Keys of one JSON object.
    pub json_keys: u32,
    /// Bytes of body that are evaluated.
    pub max_inspect_size: u64,
}

/// What happens after evidence that blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnHit {
    /// Nothing more is judged (mode `blocking`).
    Stop,
    /// Everything is judged (mode `detect_only`).
    GoOn,
}

/// The inspection of one request.
#[derive(Debug)]
pub struct Inspection {
    engine: Arc<Engine>,
    leaves: LeafSet,
    active: Candidates,
    on_hit: OnHit,
    verdict: Verdict,
    found: Vec<Found>,
    field_rules: Vec<&'static Rule>,
}

impl Inspection {
    /// An inspection by `leaves`.
    pub fn new(
        engine: Arc<Engine>,
        leaves: LeafSet,
        _bounds: Bounds,
        on_hit: OnHit,
        _budget: Budget,
    ) -> Inspection {
        let active = engine.active(&leaves);
        Inspection {
            engine,
            leaves,
            active,
            on_hit,
            verdict: Verdict::default(),
            found: Vec::new(),
            field_rules: Vec::new(),
        }
    }

    /// Judges one field that a parser elsewhere has found.
    pub fn field(&mut self, field: &Field<'_>) {
        if self.stopped() {
            return;
        }
        self.view(field, View::Raw, field.value);
        self.verdict.field_done(&self.field_rules);
        self.field_rules.clear();
    }

    /// The conclusion so far.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    fn stopped(&self) -> bool {
        self.on_hit == OnHit::Stop && self.verdict.blocks()
    }

    fn view(&mut self, field: &Field<'_>, view: View, bytes: &[u8]) {
        let classes = classes::of(bytes);
        let candidates = self.engine.candidates(&self.active, field.place, classes, bytes);
        if candidates.is_empty() {
            return;
        }
        let subject = Subject { place: field.place, name: field.name, view, bytes };
        self.engine.prove(&candidates, &self.leaves, &subject, &mut self.found, |_| true);
        for found in self.found.drain(..) {
            if self.field_rules.iter().any(|rule| std::ptr::eq(*rule, found.rule)) {
                continue;
            }
            self.field_rules.push(found.rule);
            self.verdict.matched(quote(field, view, bytes, found));
        }
    }
}

fn quote(field: &Field<'_>, view: View, bytes: &[u8], found: Found) -> Match {
    let end = found.offset.saturating_add(found.length.min(limits::EXCERPT_BYTES_MAX)).min(bytes.len());
    Match {
        rule: found.rule,
        place: field.place,
        name: field.name.iter().take(limits::ARGUMENT_NAME_BYTES_MAX).copied().collect(),
        view,
        offset: u32::try_from(found.offset).unwrap_or(u32::MAX),
        excerpt: bytes.get(found.offset..end).unwrap_or_default().to_vec(),
        weight: found.rule.weight,
    }
}

/// Whether a value can stand at `place` without being percent-encoded.
#[allow(dead_code, reason = "the splitters use it")]
fn plain(place: Place) -> bool {
    matches!(place, Place::Json | Place::Header)
}
