//! Which route a request takes: host and path against the plan's patterns. It knows nothing of connections, upstreams
//! or what a route enforces, and it never changes the bytes that are forwarded.

mod host;
mod path;
mod path_sets;
mod readings;
mod trie;

use crate::plan::{HostPattern, PathPattern, Plan};

pub use host::{HostSet, name_of};
pub use path_sets::PathSets;

use host::Hosts;
use trie::{Outcome, Steps, Trie};

/// The plan's routes, ready to be chosen from. Choosing costs the path's length, not the number of routes.
#[derive(Debug)]
pub struct Router {
    hosts: Hosts,
    trie: Trie,
}

/// Result of [`Router::choose`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Index into [`Plan::routes`].
    Route(usize),
    /// No route serves this host and path (404).
    None,
    /// Two readings of the path choose differently, so what is inspected might not be what is served (400).
    Ambiguous,
}

impl Router {
    /// Builds the tables for every route of `plan`.
    pub fn new(plan: &Plan) -> Router {
        Router::of(plan.routes.iter().map(|route| (route.hosts.as_slice(), route.paths.as_slice())))
    }

    fn of<'p>(routes: impl Iterator<Item = (&'p [HostPattern], &'p [PathPattern])>) -> Router {
        let mut hosts = Hosts::default();
        let mut trie = Trie::default();
        for (index, (served, paths)) in routes.enumerate() {
            let served = hosts.register(served);
            for pattern in paths {
                trie.insert(&pattern.segments, &served, pattern.rank, index);
            }
        }
        hosts.seal();
        trie.seal();
        Router { hosts, trie }
    }

    /// The route of lowest rank that serves `host` (a Host field value or an authority, port allowed) and `raw_path`
    /// (as sent, without the query).
    pub fn choose(&self, host: Option<&[u8]>, raw_path: &[u8]) -> Choice {
        let served = self.hosts.serving(host);
        let mut steps = Steps::default();
        if path::is_plain(raw_path) {
            return self.trie.find(&served, path::segments(raw_path), &mut steps).into();
        }
        let Some(readings) = readings::all(raw_path) else { return Choice::Ambiguous };
        let mut outcomes =
            readings.iter().map(|reading| self.trie.find(&served, reading.segments(), &mut steps));
        let first = outcomes.next().unwrap_or(Outcome::Nothing);
        if outcomes.all(|outcome| outcome == first) { first.into() } else { Choice::Ambiguous }
    }

    /// True if a reader that drops an authority from the front of `rest`, which the upstream gets without the `prefix`
    /// that the client sent before it, stays on `route`.
    pub fn stays(&self, host: Option<&[u8]>, route: usize, prefix: &[u8], rest: &[u8]) -> bool {
        if path::is_plain(rest) {
            return true;
        }
        let served = self.hosts.serving(host);
        let mut steps = Steps::default();
        readings::all(rest).is_some_and(|readings| {
            readings.iter().filter(|reading| reading.lost_authority).all(|reading| {
                let segments = path::resolved(prefix).into_iter().chain(reading.segments());
                self.trie.find(&served, segments, &mut steps) == Outcome::Route(route)
            })
        })
    }
}

/// True if `rest`, which is put behind a prefix, leads above that prefix in any reading.
pub fn climbs(rest: &[u8]) -> bool {
    !path::is_plain(rest)
        && readings::all(rest).is_none_or(|readings| readings.iter().any(readings::Reading::climbs))
}

/// The path with unreserved characters decoded, dot segments resolved, and no trailing slash.
pub fn normalize(raw_path: &[u8]) -> Vec<u8> {
    let segments = path::resolved(raw_path);
    if segments.is_empty() {
        return b"/".to_vec();
    }
    segments.iter().flat_map(|segment| std::iter::once(b'/').chain(segment.iter().copied())).collect()
}

/// One segment of a path in the form in which [`normalize`] leaves it.
pub fn normalize_segment(segment: &[u8]) -> Vec<u8> {
    path::canonical(segment).into_owned()
}

impl From<Outcome> for Choice {
    fn from(outcome: Outcome) -> Choice {
        match outcome {
            Outcome::Route(index) => Choice::Route(index),
            Outcome::Nothing => Choice::None,
            // A path that costs more than any honest one is not worth telling apart.
            Outcome::TooCostly => Choice::Ambiguous,
        }
    }
}

#[cfg(test)]
mod tests;
