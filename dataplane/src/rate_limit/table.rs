//! One table of counts: for each key the times of its latest admissions, in memory that worker processes share. No
//! step of any of them is waited for, so that one that dies or stalls anywhere blocks nobody and lets nobody through.
//! It knows words and times, nothing of requests.
//!
//! A key lives in one set, in one way of it. Its *head* is a single word: who it is and how many admissions it has
//! had, the *sequence*. Admission number `s` may come when number `s - requests` is a window old, and is made by one
//! compare-and-swap of the head. Times are remembered in a ring of groups, each by its last admission: what is
//! waited for may be up to a group too late, and never too early. The time is written before the head, so
//! that a worker that dies in between leaves a time without an admission and never an admission without a time.

mod set;

use std::sync::atomic::{AtomicU64, Ordering};

use waf_shared::limits::RATE_LIMIT_TRIES_MAX;
use waf_shared::plan::RateLimit;
use waf_shared::rate_limit::Geometry;

use super::mapping::Mapping;
use set::{Entry, Set, USE_STEP};

/// Marks the head of a way that holds a key. Others are empty (0) or being claimed.
const IS_KEY: u64 = 1 << 63;

/// A key, hashed with the supervisor's secret: half of it chooses the set, the other half tells keys apart there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Chooses the set.
    pub place: u64,
    /// Tells the keys of a set apart.
    pub name: u64,
}

/// What a check says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was counted.
    Admitted,
    /// It was not: the window is full.
    Exceeded {
        /// Nanoseconds until a request of that key would be admitted.
        wait: u64,
        /// For the first refusal of a key in a window: how many were refused since the last one that was told.
        untold: Option<u64>,
    },
}

/// Where the words are.
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
            // A key is not idle while a request of its window counts; the last use is known to a step.
            ttl: limit.ttl.0.saturating_mul(NANOS).max(window.saturating_add(USE_STEP)),
            memory,
        }
    }

    /// Counts a request of `key` at `now`, in nanoseconds of a clock that never goes back, unless the window is full.
    pub fn check(&self, key: Key, now: u64) -> Outcome {
        let set = self.set(key.place);
        let tag = IS_KEY | key.name & !self.sequence;
        for _ in 0..RATE_LIMIT_TRIES_MAX {
            let entry = match set.find(tag, self.sequence) {
                Some(entry) => entry,
                None => match set.claim(tag, self.sequence, now, self.ttl) {
                    Some(entry) => entry,
                    None => continue,
                },
            };
            if let Some(outcome) = self.ask(&entry, now) {
                return outcome;
            }
        }
        Outcome::Exceeded { wait: self.window, untold: None }
    }

    /// Keys that were used in the last `ttl` before `now`. It looks at the whole table.
    pub fn keys(&self, now: u64) -> usize {
        let sets = (0..self.geometry.sets).map(|at| self.set_at(at));
        sets.map(|set| set.keys(now, self.ttl)).sum()
    }

    /// Bytes of the table.
    pub fn bytes(&self) -> usize {
        size_of_val(self.words())
    }

    /// One attempt; `None` when somebody else changed the head meanwhile.
    fn ask(&self, entry: &Entry<'_>, now: u64) -> Option<Outcome> {
        // First of all, so that nobody takes a key for idle that is about to be counted.
        entry.touch(now);
        let at = entry.head & self.sequence;
        // Times in a history never go back, whichever worker writes them.
        let now = match at.checked_sub(1) {
            Some(last) => now.max(self.time(entry, last)?.load(Ordering::SeqCst)),
            None => now,
        };
        if let Some(oldest) = at.checked_sub(self.geometry.requests) {
            let until = self.time(entry, oldest)?.load(Ordering::SeqCst).saturating_add(self.window);
            if until > now {
                return Some(Outcome::Exceeded { wait: until - now, untold: entry.tell(now, self.window) });
            }
        }
        self.time(entry, at)?.fetch_max(now, Ordering::SeqCst);
        let next = if at + 1 == self.geometry.requests + self.period { at + 1 - self.period } else { at + 1 };
        entry.advance(entry.head & !self.sequence | next).then_some(Outcome::Admitted)
    }

    /// The time of the group that an admission belongs to.
    fn time<'t>(&self, entry: &Entry<'t>, sequence: u64) -> Option<&'t AtomicU64> {
        let group = (sequence % self.period) / self.geometry.group;
        entry.history(group as usize)
    }

    fn set(&self, place: u64) -> Set<'_> {
        let at = (u128::from(place) * self.geometry.sets as u128) >> 64;
        self.set_at(at as usize)
    }

    /// A set by its number.
    fn set_at(&self, at: usize) -> Set<'_> {
        let words = self.geometry.set_words();
        let from = at * words;
        Set::new(self.words().get(from..from + words).unwrap_or_default(), &self.geometry)
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
