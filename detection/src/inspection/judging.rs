//! Judging one field after the other: views, candidates, proofs, score, time. The parsers hand it fields; it knows none of them.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use waf_shared::catalog::{Leaf, LeafSet};
use waf_shared::limits;

use super::documents;
use super::on_hit::OnHit;
use super::repeated::{Arrived, Names};
use crate::body::is_json;
use crate::budget::{Budget, Meter};
use crate::cost::Cost;
use crate::engine::{Candidates, Engine};
use crate::evidence::{Found, Subject};
use crate::exceptions::RequestExceptions;
use crate::field::{Field, Place};
use crate::request::arguments::Arguments;
use crate::request::{self, Facts};
use crate::rule::Rule;
use crate::rules::NESTED_CODINGS;
use crate::verdict::{Match, Verdict};
use crate::view::{View, Views, classes};

/// A view longer than this is judged in windows, so that the clock is read between pieces of bounded work.
const WINDOW_BYTES: usize = 16 << 10;
/// Bytes that two windows share: longer than any attack needs to be recognised.
const WINDOW_OVERLAP_BYTES: usize = 2 << 10;
/// Cost of a field besides its bytes.
const FIELD_WORK_BYTES: usize = 16;

/// The state that outlives a field.
#[derive(Debug)]
pub(crate) struct Judging {
    engine: Arc<Engine>,
    pub(super) leaves: LeafSet,
    /// Stands for the leaves in fingerprints.
    leaves_key: u64,
    active: Candidates,
    /// Of the active ones, those that look at how a value is coded.
    codings: Candidates,
    on_hit: OnHit,
    pub(super) meter: Meter,
    cost: Cost,
    verdict: Verdict,
    pub(super) exceptions: RequestExceptions,
    pub(super) arguments: usize,
    /// The context that the head gives the arguments.
    pub(super) context: Arguments,
    /// The arguments and cookies that came, for names that come again.
    pub(super) arrived: Arrived,
    /// Their names, to be compared with what comes.
    pub(super) names: Names,
    found: Vec<Found>,
    field_rules: Vec<&'static Rule>,
    views: Views,
    /// An argument of a URL in a header, its plus signs read as spaces.
    pub(super) spaced: Vec<u8>,
    /// Documents that the value in hand turned out to be.
    documents: Vec<Vec<u8>>,
    /// Depth of the field in hand in documents inside values.
    pub(super) level: u8,
    /// True if the fields are values of a message.
    pub(super) is_message: bool,
    /// Documents of GraphQL so far.
    pub(super) graphql_documents: u32,
}

/// The matchers that are to look at a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    /// Findings about the coding.
    Codings,
}

impl Judging {
    pub(super) fn new(engine: Arc<Engine>, leaves: LeafSet, on_hit: OnHit, budget: Budget) -> Judging {
        let active = engine.active(&leaves);
        Judging {
            codings: engine.of_codings(&active),
            leaves_key: engine.clean().key(&leaves),
            active,
            engine,
            leaves,
            on_hit,
            meter: Meter::new(budget, leaves.contains(Leaf::ResourceLimitsEvaluationTimeout)),
            cost: Cost::default(),
            verdict: Verdict::default(),
            exceptions: RequestExceptions::default(),
            arguments: 0,
            context: Arguments::default(),
            arrived: Arrived::default(),
            names: Names::default(),
            found: Vec::new(),
            field_rules: Vec::new(),
            views: Views::default(),
            spaced: Vec::new(),
            documents: Vec::new(),
            level: 0,
            is_message: false,
            graphql_documents: 0,
        }
    }

    pub(super) fn reset(&mut self, leaves: LeafSet, on_hit: OnHit, budget: Budget) {
        if self.leaves != leaves {
            self.active = self.engine.active(&leaves);
            self.codings = self.engine.of_codings(&self.active);
            self.leaves_key = self.engine.clean().key(&leaves);
            self.leaves = leaves;
        }
        self.on_hit = on_hit;
        self.meter = Meter::new(budget, leaves.contains(Leaf::ResourceLimitsEvaluationTimeout));
        self.verdict.clear();
        self.exceptions.set(None);
        self.cost.clear();
        self.arguments = 0;
        self.context.reset();
        self.arrived.reset();
        self.names = Names::default();
        self.is_message = false;
        self.graphql_documents = 0;
    }

    pub(super) fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    pub(super) fn cost(&self) -> &Cost {
        &self.cost
    }

    /// When a piece of work begins, for [`Judging::took`].
    pub(super) fn watch(&self) -> Duration {
        self.meter.watch()
    }

    /// Adds what was done since `began` to the cost.
    pub(super) fn took(&mut self, began: Duration) {
        self.cost.add(self.meter.watch().saturating_sub(began));
    }

    /// Runs `work` with all protections that are in force but those. Arguments that it counts are not counted.
    pub(super) fn without(&mut self, leaves: &[Leaf], work: impl FnOnce(&mut Judging)) {
        let remaining = self.leaves.without(&leaves.iter().copied().collect());
        let leaves = std::mem::replace(&mut self.leaves, remaining);
        let active = std::mem::replace(&mut self.active, self.engine.active(&self.leaves));
        let codings = std::mem::replace(&mut self.codings, self.engine.of_codings(&self.active));
        let arguments = self.arguments;
        work(self);
        (self.leaves, self.active, self.codings, self.arguments) = (leaves, active, codings, arguments);
    }

    /// Keeps what a head says about the arguments to come.
    pub(super) fn begin(&mut self, facts: &Facts<'_>) {
        self.context.begin(facts);
    }

    /// Judges what the parts of a head say together.
    pub(super) fn whole(&mut self, facts: &Facts<'_>) {
        for finding in request::check(facts) {
            self.report(finding.rule, Place::Header, finding.field, finding.value);
        }
        if let Some(rule) = self.context.judge_path(facts.path) {
            self.report(rule, Place::Path, b"", facts.path);
        }
    }

    /// Records a rule that no view of a field shows.
    pub(super) fn report(&mut self, rule: &'static Rule, place: Place, name: &[u8], value: &[u8]) {
        if self.leaves.contains(rule.leaf) && !self.is_over() {
            let found = Found { rule, offset: 0, length: value.len() };
            if self.exceptions.take(rule, place, name) {
                return self.exceptions.field_done(&[]);
            }
            self.verdict.matched(Match::quoting(&Field { place, name, value }, View::Raw, (value, 0), found));
            self.verdict.field_done(&[rule]);
            self.exceptions.field_done(&[rule]);
        }
    }

    /// Runs `work` on the budget. Small calls go untimed until they add up.
    pub(super) fn timed(&mut self, bytes: usize, work: impl FnOnce(&mut Judging)) {
        if self.is_over() {
            return;
        }
        self.meter.begin(bytes);
        work(self);
        self.meter.end();
        self.note_timeout();
    }

    /// Judges one field in all its views.
    pub(crate) fn field(&mut self, field: &Field<'_>) {
        if field.value.is_empty() || self.is_over() || self.graphql(field) {
            return;
        }
        // Where no rule is in force there is nothing to derive views for; reading the field out of a body was work.
        if self.active.is_empty() {
            self.meter.spend(FIELD_WORK_BYTES + field.value.len());
            return;
        }
        let raw = classes::of(field.value);
        if Views::apply(field.place, raw, field.value) {
            self.views(field, raw);
        } else {
            let wanted = self.keep_document(field.place, field.value);
            self.view(field, View::Raw, wanted, raw, field.value);
        }
        self.exceptions.field_done(&self.field_rules);
        if !self.field_rules.is_empty() {
            self.verdict.field_done(&self.field_rules);
            self.field_rules.clear();
        }
        if !self.documents.is_empty() {
            self.documents_of(field);
        }
    }

    /// Judges the strings of the documents that the value of `field` turned out to be.
    fn documents_of(&mut self, field: &Field<'_>) {
        self.level += 1;
        for document in std::mem::take(&mut self.documents) {
            self.document(field, &document);
        }
        self.level -= 1;
    }

    /// Keeps `bytes`, a value at `place` or what it was decoded to, if they are a document. Of one that everybody reads alike
    /// only the strings say anything more.
    fn keep_document(&mut self, place: Place, bytes: &[u8]) -> Wanted {
        let is_kept = documents::is_one(bytes)
            && documents::may_stand_at(place)
            && self.level < documents::LEVELS_MAX
            && self.documents.len() < documents::DOCUMENTS_MAX;
        if is_kept {
            self.documents.push(bytes.to_vec());
        }
        if is_kept && is_json(bytes) { Wanted::Codings } else { Wanted::All }
    }

    /// The value as sent, and all that it may be decoded to.
    fn views(&mut self, field: &Field<'_>, raw: classes::Classes) {
        let mut views = std::mem::take(&mut self.views);
        views.derive(field.place, raw, field.value);
        // Applications decode these places before they look: of the coded form only its coding says anything more.
        let coded = field.place.is_coded() && views.iter().any(|(view, ..)| view == View::Percent);
        let wanted = if coded { Wanted::Codings } else { self.keep_document(field.place, field.value) };
        self.view(field, View::Raw, wanted, raw, field.value);
        // What is made of a document's text is no document any more; its strings have the same views each for itself.
        let mut is_document = wanted == Wanted::Codings && !coded;
        for (view, classes, bytes) in views.iter() {
            let wanted = if is_document { Wanted::Codings } else { self.keep_document(field.place, bytes) };
            is_document |= wanted == Wanted::Codings;
            self.view(field, view, wanted, classes, bytes);
        }
        if views.is_unsettled() && self.leaves.contains(NESTED_CODINGS.leaf) {
            let found = Found { rule: &NESTED_CODINGS, offset: 0, length: field.value.len() };
            self.note(field, View::Raw, (field.value, 0), found);
        }
        self.views = views;
    }

    /// Judges a header that most clients send alike; a value that `is_plain` or was found clean once is not judged again.
    pub(super) fn recurring(&mut self, field: &Field<'_>, is_plain: impl FnOnce(&[u8]) -> bool) {
        let engine = Arc::clone(&self.engine);
        let Some(fingerprint) = engine.clean().fingerprint(self.leaves_key, field.name, field.value) else {
            return self.field(field);
        };
        if engine.clean().knows(fingerprint) {
            return;
        }
        if is_plain(field.value) {
            return engine.clean().remember(fingerprint);
        }
        // A value whose findings an exception took away is not clean on other routes.
        let seen = |judging: &Judging| {
            (judging.verdict.leaves(), judging.verdict.matches.len(), judging.exceptions.taken())
        };
        let before = seen(self);
        self.field(field);
        let found_nothing = before == seen(self);
        if found_nothing && !self.is_over() && self.verdict.matches.len() < limits::MATCHES_MAX {
            engine.clean().remember(fingerprint);
        }
    }

    fn view(
        &mut self,
        field: &Field<'_>,
        view: View,
        wanted: Wanted,
        classes: classes::Classes,
        bytes: &[u8],
    ) {
        let mut offset = 0;
        while let Some(rest) = bytes.get(offset..) {
            let window = rest.get(..WINDOW_BYTES).unwrap_or(rest);
            if self.meter.is_out() {
                return;
            }
            self.window(field, view, wanted, classes, window, offset);
            if window.len() == rest.len() {
                return;
            }
            offset += WINDOW_BYTES - WINDOW_OVERLAP_BYTES;
        }
    }

    fn window(
        &mut self,
        field: &Field<'_>,
        view: View,
        wanted: Wanted,
        classes: classes::Classes,
        bytes: &[u8],
        offset: usize,
    ) {
        let candidates = match wanted {
            Wanted::All => self.engine.candidates(&self.active, field.place, classes, bytes),
            Wanted::Codings => self.engine.coded_candidates(&self.codings, field.place, classes, bytes),
        };
        let in_time = self.meter.spend(FIELD_WORK_BYTES + bytes.len());
        let Some(candidates) = candidates.filter(|candidates| in_time && !candidates.is_empty()) else {
            return;
        };
        let subject = Subject { place: field.place, name: field.name, view, bytes };
        self.engine.run_matchers(
            &candidates,
            &self.leaves,
            &subject,
            &mut self.found,
            (&self.meter, &mut self.cost),
        );
        let mut all = std::mem::take(&mut self.found);
        for found in all.drain(..) {
            self.note(field, view, (bytes, offset), found);
        }
        self.found = all;
    }

    /// Records a rule that was found in a view of the field in hand: once, and only where no exception takes it away.
    fn note(&mut self, field: &Field<'_>, view: View, (bytes, offset): (&[u8], usize), found: Found) {
        if self.field_rules.iter().all(|rule| !std::ptr::eq(*rule, found.rule))
            && !self.exceptions.take(found.rule, self.shown(field.place), field.name)
        {
            self.field_rules.push(found.rule);
            let shown = Field { place: self.shown(field.place), ..*field };
            self.verdict.matched(Match::quoting(&shown, view, (bytes, offset), found));
        }
    }

    /// The place by which events and exceptions name a value that is judged at `place`.
    fn shown(&self, place: Place) -> Place {
        if self.is_message { Place::Message } else { place }
    }

    pub(super) fn violation(&mut self, leaf: Leaf, reason: Cow<'static, str>) {
        if self.leaves.contains(leaf) {
            self.verdict.violation(leaf, reason);
        }
    }

    fn note_timeout(&mut self) {
        if self.meter.is_out() && !self.verdict.timed_out {
            self.verdict.timed_out = true;
            self.violation(
                Leaf::ResourceLimitsEvaluationTimeout,
                "rules were not evaluated within evaluation_timeout".into(),
            );
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.meter.is_out() || (self.on_hit == OnHit::Stop && self.verdict.blocks())
    }
}
