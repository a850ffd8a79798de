//! State of upstreams, as far as the supervisor does not know it yet. It knows names and numbers.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use waf_shared::metrics::{EndpointCounts, UpstreamReport};

/// The state of every upstream, now and as it was reported.
#[derive(Debug, Default)]
pub(super) struct Upstreams(Mutex<States>);

#[derive(Debug, Default)]
struct States {
    now: BTreeMap<String, EndpointCounts>,
    reported: BTreeMap<String, EndpointCounts>,
}

impl Upstreams {
    /// Replaces the state.
    pub(super) fn set(&self, now: BTreeMap<String, EndpointCounts>) {
        self.lock().now = now;
    }

    /// The changes since the last time. An upstream that is gone has no addresses.
    pub(super) fn take(&self) -> Vec<UpstreamReport> {
        let mut states = self.lock();
        let States { now, reported } = &mut *states;
        let gone = reported.keys().filter(|upstream| !now.contains_key(*upstream));
        let gone = gone.map(|upstream| (upstream, EndpointCounts::default()));
        let changed = now.iter().filter(|(upstream, counts)| reported.get(*upstream) != Some(counts));
        let changes = gone.chain(changed.map(|(upstream, counts)| (upstream, *counts)));
        let changes: Vec<_> = changes
            .map(|(upstream, endpoints)| UpstreamReport { upstream: upstream.clone(), endpoints })
            .collect();
        if !changes.is_empty() {
            reported.clone_from(now);
        }
        changes
    }

    fn lock(&self) -> MutexGuard<'_, States> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(upstreams: &[(&str, u32, u32)]) -> BTreeMap<String, EndpointCounts> {
        let counts = |available, left_out| EndpointCounts { available, left_out };
        upstreams
            .iter()
            .map(|(name, available, left_out)| ((*name).to_owned(), counts(*available, *left_out)))
            .collect()
    }

    #[test]
    fn changes_are_reported_once() {
        let upstreams = Upstreams::default();
        for (now, changes) in [
            (state(&[]), state(&[])),
            (state(&[("a", 3, 0), ("b", 1, 0)]), state(&[("a", 3, 0), ("b", 1, 0)])),
            (state(&[("a", 3, 0), ("b", 1, 0)]), state(&[])),
            (state(&[("a", 2, 1), ("b", 1, 0)]), state(&[("a", 2, 1)])),
            (state(&[("a", 2, 1), ("c", 1, 0)]), state(&[("b", 0, 0), ("c", 1, 0)])),
            (state(&[("a", 3, 0), ("b", 1, 0)]), state(&[("a", 3, 0), ("b", 1, 0), ("c", 0, 0)])),
        ] {
            upstreams.set(now);
            let reported = upstreams.take().into_iter().map(|report| (report.upstream, report.endpoints));
            assert_eq!(reported.collect::<BTreeMap<_, _>>(), changes);
        }
    }
}
