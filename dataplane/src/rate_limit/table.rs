//! One table of counts: for each of the keys that were used last the times of its latest admissions, in memory that
//! worker processes share. It knows words and times, nothing of requests.
//!
//! Exactly the `max_keys` keys that were used last are kept ([`recency`]). Their order changes under a lock that no
//! death keeps ([`lock`]); counting takes none. A key's *head* is a single word: who it is and how many admissions it
//! has had, the *sequence*. Admission number `s` may come when number `s - requests` is a window old, and is made by
//! one compare-and-swap of the head. Times are remembered in a ring of groups, each by its last admission: what is
//! waited for may be up to a group too late, and never too early. The time is written before the head, so
//! that a worker that dies in between leaves a time without an admission and never an admission without a time.

mod lock;
mod node;
mod recency;

use std::sync::atomic::{AtomicU64, Ordering};

use waf_shared::limits::{RATE_LIMIT_LEASE, RATE_LIMIT_TRIES_MAX, RATE_LIMIT_WAIT};
use waf_shared::plan::RateLimit;
use waf_shared::rate_limit::Geometry;

use super::mapping::Mapping;
use lock::Patience;
use node::Node;
use recency::{Missed, Recency};

/// Marks the head of a node that has a key; others are 0.
const IS_KEY: u64 = 1 << 63;

/// A key, hashed with the supervisor's secret: half of it chooses the chain, the other half distinguishes keys there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Chooses the chain.
    pub place: u64,
    /// Distinguishes the keys of a chain.
    pub name: u64,
}

/// Outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was counted.
    Admitted,
    /// It was not: the window is full.
    Exceeded {
        /// Nanoseconds until a request of that key would be admitted.
        wait: u64,
        /// For the first refusal of a key in a window: how many were refused since the last one that was reported.
        untold: Option<u64>,
    },
}

/// Memory of the words.
#[derive(Debug)]
enum Memory {
    Own(Box<[AtomicU64]>),
    Shared(Mapping),
}

/// Counts of one limit.
#[derive(Debug)]
pub struct Table {
    geometry: Geometry,
    /// Sequences repeat after so many admissions; the ring then has come round.
    period: u64,
    /// Bits of a head that hold the sequence.
    sequence: u64,
    window: u64,
    ttl: u64,
    patience: Patience,
    memory: Memory,
}

/// Nanoseconds of a millisecond.
const NANOS: u64 = 1_000_000;

impl Table {
    /// In memory of this process alone, for tests and measurements.
    pub fn own(limit: &RateLimit) -> Table {
        let words = Geometry::of(limit).words();
        Table::over(limit, Memory::Own((0..words).map(|_| AtomicU64::new(0)).collect()))
    }

    pub(super) fn shared(limit: &RateLimit, mapping: Mapping) -> Table {
        Table::over(limit, Memory::Shared(mapping))
    }

    fn over(limit: &RateLimit, memory: Memory) -> Table {
        let geometry = Geometry::of(limit);
        let period = geometry.ring as u64 * geometry.group;
        let window = limit.window.0.saturating_mul(NANOS);
        Table {
            geometry,
            period,
            sequence: (geometry.requests + period).next_power_of_two() - 1,
            window,
            ttl: limit.ttl.0.max(1).saturating_mul(NANOS),
            patience: Patience { lease: RATE_LIMIT_LEASE, total: RATE_LIMIT_WAIT },
            memory,
        }
    }

    /// Counts a request of `key` at `now`, in nanoseconds of a clock that never goes back, unless the window is full.
    pub fn check(&self, key: Key, now: u64) -> Outcome {
        let tag = IS_KEY | key.name & !self.sequence;
        let recency = self.recency();
        for _ in 0..RATE_LIMIT_TRIES_MAX {
            let node = match recency.touch(key, (tag, self.sequence), (now, self.ttl)) {
                Ok(node) => node,
                Err(Missed::Retry) => continue,
                Err(Missed::Busy) => break,
            };
            // Another key may have taken the node meanwhile.
            if node.head & !self.sequence != tag {
                continue;
            }
            if let Some(outcome) = self.ask(&node, now) {
                return outcome;
            }
        }
        Outcome::Exceeded { wait: self.window, untold: None }
    }

    /// Keys that were used in the last `ttl` before `now`. It looks at the whole table.
    pub fn keys(&self, now: u64) -> usize {
        self.recency().nodes().filter(|node| node.is_key() && !node.is_idle(now, self.ttl)).count()
    }

    /// Bytes of the table.
    pub fn bytes(&self) -> usize {
        size_of_val(self.words())
    }

    /// One attempt; `None` when somebody else changed the head meanwhile.
    fn ask(&self, node: &Node<'_>, now: u64) -> Option<Outcome> {
        let at = node.head & self.sequence;
        // Times in a history never go back, whichever worker writes them.
        let now = match at.checked_sub(1) {
            Some(last) => now.max(self.time(node, last)?.load(Ordering::SeqCst)),
            None => now,
        };
        if let Some(oldest) = at.checked_sub(self.geometry.requests) {
            let until = self.time(node, oldest)?.load(Ordering::SeqCst).saturating_add(self.window);
            if until > now {
                return Some(Outcome::Exceeded { wait: until - now, untold: node.tell(now, self.window) });
            }
        }
        self.time(node, at)?.fetch_max(now, Ordering::SeqCst);
        let next = if at + 1 == self.geometry.requests + self.period { at + 1 - self.period } else { at + 1 };
        node.swap(node.head & !self.sequence | next).then_some(Outcome::Admitted)
    }

    /// The time of the group that an admission belongs to.
    fn time<'t>(&self, node: &Node<'t>, sequence: u64) -> Option<&'t AtomicU64> {
        let group = (sequence % self.period) / self.geometry.group;
        node.history(group as usize)
    }

    fn recency(&self) -> Recency<'_> {
        Recency::new(self.words(), &self.geometry, self.patience)
    }

    fn words(&self) -> &[AtomicU64] {
        match &self.memory {
            Memory::Own(words) => words,
            Memory::Shared(mapping) => mapping,
        }
    }
}

#[cfg(test)]
mod tests;
