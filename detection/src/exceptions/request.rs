//! The exceptions of a route while one request is judged: which of them apply to it, which took a finding away, and
//! what the score would be without them.

use std::sync::Arc;

use waf_shared::limits::EXCEPTIONS_MAX;

use super::{Exception, Exceptions};
use crate::field::Place;
use crate::rule::Rule;
use crate::verdict::Verdict;

/// A set of exceptions of one route.
#[derive(Debug, Clone, Copy, Default)]
struct Set([u64; EXCEPTIONS_MAX / 64]);

impl Set {
    fn insert(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    fn contains(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word & 1 << (index % 64) != 0)
    }
}

/// The exceptions of one request. Empty for a route without exceptions, where asking costs one comparison.
#[derive(Debug, Default)]
pub struct RequestExceptions {
    exceptions: Option<Arc<Exceptions>>,
    method: Vec<u8>,
    /// The method that a field asks for instead.
    other_method: Option<Vec<u8>>,
    path: Vec<u8>,
    /// Path sets that cover the path, once one was asked for.
    covered: Option<Vec<bool>>,
    used: Set,
    /// Findings that were taken away so far.
    taken: u64,
    /// Rules that were taken away from the field in hand.
    field_rules: Vec<&'static Rule>,
    /// The score with what was taken away.
    without: Verdict,
}

impl RequestExceptions {
    /// Takes the exceptions of the next request's route.
    pub fn set(&mut self, exceptions: Option<Arc<Exceptions>>) {
        self.exceptions = exceptions;
        self.used = Set::default();
        self.taken = 0;
        self.covered = None;
        self.other_method = None;
        self.method.clear();
        self.path.clear();
        self.field_rules.clear();
        self.without.clear();
    }

    /// Takes what exceptions ask of a head.
    pub fn begin(&mut self, method: &[u8], path: &[u8], other_method: Option<&[u8]>) {
        if self.exceptions.is_some() {
            self.method.extend_from_slice(method);
            self.path.extend_from_slice(path);
            self.other_method = other_method.map(<[u8]>::to_ascii_uppercase);
        }
    }

    /// Returns `true` if the route has exceptions.
    pub fn is_any(&self) -> bool {
        self.exceptions.is_some()
    }

    /// Returns `true` if an exception takes a finding of `rule` at `place` away.
    pub(crate) fn take(&mut self, rule: &'static Rule, place: Place, name: &[u8]) -> bool {
        let Some(exceptions) = self.exceptions.clone() else { return false };
        let mut found = false;
        for (index, exception) in exceptions.list.iter().enumerate() {
            if exception.covers(rule, place, name) && self.applies(&exceptions, exception) {
                self.used.insert(index);
                found = true;
            }
        }
        if found {
            self.taken = self.taken.saturating_add(1);
            if self.field_rules.iter().all(|known| !std::ptr::eq(*known, rule)) {
                self.field_rules.push(rule);
            }
        }
        found
    }

    /// Counts what one field value held besides: `kept` are the rules that no exception took away.
    pub(crate) fn field_done(&mut self, kept: &[&'static Rule]) {
        if self.exceptions.is_none() {
            return;
        }
        self.field_rules.extend_from_slice(kept);
        self.without.field_done(&self.field_rules);
        self.field_rules.clear();
    }

    /// Counts what a response held: it is one value. `kept` are the rules that no exception took away.
    pub(crate) fn response_done(&mut self, kept: &[&'static Rule]) {
        if self.exceptions.is_some() {
            let all: Vec<&'static Rule> = self.field_rules.iter().chain(kept).copied().collect();
            self.without.response_found(&all);
        }
    }

    /// Number of findings that were taken away so far.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Names of the exceptions without which a request with that verdict would be refused or reported, and is not.
    pub fn spared(&self, verdict: &Verdict) -> impl Iterator<Item = &Arc<str>> {
        let is_spared = self.taken > 0 && self.without.blocks() && !verdict.blocks();
        let list = self.exceptions.iter().filter(move |_| is_spared).flat_map(|exceptions| &exceptions.list);
        list.enumerate().filter(|(index, _)| self.used.contains(*index)).map(|(_, exception)| &exception.name)
    }

    fn applies(&mut self, exceptions: &Exceptions, exception: &Exception) -> bool {
        let is_listed = |method: &[u8]| exception.methods.iter().any(|known| known.as_bytes() == method);
        // Frameworks obey a field that replaces the method: then both have to be listed.
        let is_method = exception.methods.is_empty()
            || is_listed(&self.method) && self.other_method.as_deref().is_none_or(is_listed);
        is_method
            && exception.path_set.is_none_or(|set| {
                let path = &self.path;
                let covered = self.covered.get_or_insert_with(|| exceptions.paths.covering(path));
                covered.get(set).copied().unwrap_or(false)
            })
    }
}
