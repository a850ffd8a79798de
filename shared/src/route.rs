//! Which route a request takes: host and path against the plan's patterns. It knows nothing of connections, upstreams
//! or what a route enforces, and it never changes the bytes that are forwarded.

mod host;
mod path;
mod trie;

use crate::plan::{HostPattern, PathPattern, Plan};

pub use host::{HostSet, name_of};

use host::Hosts;
use path::Readings;
use trie::{Outcome, Trie};

/// The plan's routes, ready to be chosen from. Choosing costs the path's length, not the number of routes.
#[derive(Debug)]
pub struct Router {
    hosts: Hosts,
    trie: Trie,
}

/// What [`Router::choose`] found.
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
        if path::is_plain(raw_path) {
            return self.trie.find(&served, path::segments(raw_path)).into();
        }
        let mut readings = Readings::new(raw_path);
        let mut agreed: Option<Outcome> = None;
        while let Some(segments) = readings.next() {
            let outcome = self.trie.find(&served, segments.iter().map(Vec::as_slice));
            match agreed {
                None => agreed = Some(outcome),
                Some(first) if first == outcome => {}
                Some(_) => return Choice::Ambiguous,
            }
        }
        agreed.map_or(Choice::None, Choice::from)
    }
}

/// The path in the form in which it was matched as sent: unreserved characters decoded, dot segments resolved, no
/// trailing slash.
pub fn normalize(raw_path: &[u8]) -> Vec<u8> {
    let segments = Readings::new(raw_path).next().unwrap_or_default();
    if segments.is_empty() {
        return b"/".to_vec();
    }
    segments.iter().flat_map(|segment| std::iter::once(b'/').chain(segment.iter().copied())).collect()
}

/// One segment of a path in the form in which [`normalize`] leaves it.
pub fn normalize_segment(segment: &[u8]) -> Vec<u8> {
    path::canonical(segment)
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
