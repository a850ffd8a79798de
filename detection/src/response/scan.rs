//! Finds the signs in a body with one pass over its bytes. A sign is judged on the bytes around it, the same whatever the
//! pieces in which they came: what has too little behind it waits for more.

use std::mem;

use aho_corasick::automaton::StateID;
use waf_shared::catalog::LeafSet;

use crate::engine::{ANCHOR_BYTES_MAX, ResponsePatterns};
use crate::response_pattern::{AHEAD_BYTES, BEHIND_BYTES, Kind, MatchContext, PageContext};
use crate::rule::Rule;

/// Judged bytes that are kept before they are dropped in one go.
const KEPT_BYTES_MAX: usize = 16 << 10;

/// A rule that shows in the body.
pub(super) struct Hit<'a> {
    pub(super) rule: &'static Rule,
    /// Offset in the judged text.
    pub(super) offset: u64,
    pub(super) excerpt: &'a [u8],
}

/// The scan of one body.
#[derive(Debug)]
pub(super) struct Scanner {
    kind: Kind,
    status: u16,
    path: Vec<u8>,
    leaves: LeafSet,
    /// The last judged bytes and those that wait.
    window: Vec<u8>,
    /// Offset of the window in the text.
    base: u64,
    at: Progress,
    found: usize,
    is_done: bool,
}

/// How far the scan has come.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// Index in the window of the next byte.
    next: usize,
    state: StateID,
    context: PageContext,
}

impl Scanner {
    pub(super) fn new(patterns: &ResponsePatterns) -> Scanner {
        Scanner {
            kind: Kind::default(),
            status: 200,
            path: Vec::new(),
            leaves: LeafSet::EMPTY,
            window: Vec::new(),
            base: 0,
            at: Progress { next: 0, state: patterns.start(), context: PageContext::default() },
            found: 0,
            is_done: false,
        }
    }

    pub(super) fn begin(&mut self, kind: Kind, status: u16, path: &[u8], leaves: &LeafSet) {
        self.kind = kind;
        self.status = status;
        self.path = path.to_vec();
        self.leaves = *leaves;
    }

    /// The kind of an undeclared body, once it shows.
    pub(super) fn decide(&mut self, kind: Kind) {
        self.kind = kind;
    }

    pub(super) fn room(&mut self, bytes: usize) {
        self.drop_judged();
        self.window.reserve(bytes);
    }

    pub(super) fn push(&mut self, byte: u8) {
        self.window.push(byte);
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.drop_judged();
        self.window.extend_from_slice(bytes);
    }

    /// Bytes that wait to be judged.
    pub(super) fn pending(&self) -> usize {
        self.window.len() - self.at.next
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Patterns that stood so far, repeated ones too.
    pub(super) fn found_count(&self) -> usize {
        self.found
    }

    /// Judges what has enough behind it.
    pub(super) fn advance(&mut self, patterns: &ResponsePatterns, note: &mut dyn FnMut(Hit<'_>)) {
        let until = self.window.len().saturating_sub(AHEAD_BYTES);
        self.run(until, patterns, note);
    }

    /// Judges everything, and goes on later as if it had not.
    pub(super) fn probe(&mut self, patterns: &ResponsePatterns, note: &mut dyn FnMut(Hit<'_>)) {
        let at = self.at;
        self.run(self.window.len(), patterns, note);
        self.at = at;
    }

    /// Judges everything: nothing follows.
    pub(super) fn finish(&mut self, patterns: &ResponsePatterns, note: &mut dyn FnMut(Hit<'_>)) {
        self.run(self.window.len(), patterns, note);
        self.is_done = true;
    }

    fn run(&mut self, until: usize, patterns: &ResponsePatterns, note: &mut dyn FnMut(Hit<'_>)) {
        let window = mem::take(&mut self.window);
        let mut state = self.at.state;
        let mut index = self.at.next;
        for &byte in window.get(index..until.max(index)).unwrap_or_default() {
            state = patterns.next(state, byte);
            index += 1;
            if patterns.is_match(state) {
                self.meet(patterns, state, index, &window, note);
            }
        }
        self.at.state = state;
        self.at.next = index;
        self.window = window;
    }

    /// Judges what ends before `end`.
    fn meet(
        &mut self,
        patterns: &ResponsePatterns,
        state: StateID,
        end: usize,
        window: &[u8],
        note: &mut dyn FnMut(Hit<'_>),
    ) {
        let mut found = 0;
        for anchor in patterns.anchors(state) {
            if let Some(mark) = anchor.mark {
                self.at.context.pass(mark, self.kind, window.get(end));
            }
            let start = end - anchor.length.min(end);
            for (rule, pattern) in &anchor.patterns {
                if !self.leaves.contains(rule.leaf) {
                    continue;
                }
                let context = self.context(window, start);
                if pattern.stands(&context) {
                    found += 1;
                    let excerpt = context.after();
                    note(Hit { rule, offset: self.base + start as u64, excerpt });
                }
            }
        }
        self.found += found;
    }

    fn context<'a>(&'a self, window: &'a [u8], start: usize) -> MatchContext<'a> {
        let behind = start.saturating_sub(BEHIND_BYTES);
        let ahead = start.saturating_add(AHEAD_BYTES).min(window.len());
        MatchContext {
            before: window.get(behind..start).unwrap_or_default(),
            after: window.get(start..ahead).unwrap_or_default(),
            offset: self.base + start as u64,
            kind: self.kind,
            status: self.status,
            path: &self.path,
            context: self.at.context,
        }
    }

    /// Forgets judged bytes that no later judging reads.
    fn drop_judged(&mut self) {
        let unread = self.at.next.saturating_sub(BEHIND_BYTES + ANCHOR_BYTES_MAX);
        if unread >= KEPT_BYTES_MAX {
            self.window.drain(..unread);
            self.at.next -= unread;
            self.base += unread as u64;
        }
    }
}
