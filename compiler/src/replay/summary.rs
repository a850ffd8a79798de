//! The counts of a whole replay: each plan's verdicts, and the requests about which two plans differ.

use std::sync::Arc;

use super::judge::Judged;
use super::tally::{Seen, Tally};

/// Lines that could not be read of which the report names the place.
const UNREADABLE_NAMED_MAX: usize = 5;

/// Counts of one thread, or of all.
#[derive(Debug, Default)]
pub(super) struct Summary {
    pub(super) requests: u64,
    /// Lines whose request is not HTTP.
    pub(super) not_http: u64,
    pub(super) unreadable: u64,
    /// The first of these: input, line and reason.
    pub(super) named: Vec<(Arc<str>, u64, String)>,
    pub(super) new: Tally,
    pub(super) old: Tally,
    /// Requests that the new plan treats worse than the old one.
    pub(super) worse: Tally,
    /// Requests that the old plan treated worse.
    pub(super) better: Tally,
    /// Requests of the same fate with other findings.
    pub(super) otherwise: u64,
}

/// A finished replay.
#[derive(Debug)]
pub struct Replay {
    pub(super) summary: Summary,
    /// Names of routes.
    pub(super) routes: Vec<String>,
    pub(super) old_routes: Option<Vec<String>>,
}

impl Replay {
    /// True if the plans differ about a request.
    pub fn differs(&self) -> bool {
        self.summary.worse.found() + self.summary.better.found() > 0
    }

    /// Requests that were replayed.
    pub fn requests(&self) -> u64 {
        self.summary.requests
    }
}

impl Summary {
    pub(super) fn add(&mut self, seen: &Seen<'_>, new: &Judged, old: Option<&Judged>) {
        self.requests += 1;
        self.new.add(seen, new);
        let Some(old) = old else { return };
        self.old.add(seen, old);
        match new.fate.cmp(&old.fate) {
            std::cmp::Ordering::Greater => self.worse.add(seen, new),
            std::cmp::Ordering::Less => self.better.add(seen, old),
            std::cmp::Ordering::Equal => self.otherwise += u64::from(new.findings != old.findings),
        }
    }

    pub(super) fn unreadable(&mut self, input: &Arc<str>, line: u64, reason: &str) {
        self.unreadable += 1;
        if self.named.len() < UNREADABLE_NAMED_MAX {
            self.named.push((Arc::clone(input), line, reason.to_owned()));
        }
    }

    /// Adds what another thread has counted.
    pub(super) fn merge(&mut self, other: Summary) {
        self.requests += other.requests;
        self.not_http += other.not_http;
        self.unreadable += other.unreadable;
        self.otherwise += other.otherwise;
        self.named.extend(other.named);
        self.named.sort();
        self.named.truncate(UNREADABLE_NAMED_MAX);
        self.new.merge(other.new);
        self.old.merge(other.old);
        self.worse.merge(other.worse);
        self.better.merge(other.better);
    }
}
