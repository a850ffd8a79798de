//! The counts of one key: its head, its last use and the times of its admissions. It knows words and times.

use std::sync::atomic::{AtomicU64, Ordering};

/// The words of a key, with the head as it was read.
#[derive(Debug)]
pub(super) struct Node<'t> {
    pub(super) head: u64,
    pub(super) slot: &'t AtomicU64,
    pub(super) used: &'t AtomicU64,
    pub(super) reported: &'t AtomicU64,
    pub(super) refused: &'t AtomicU64,
    pub(super) history: &'t [AtomicU64],
}

impl<'t> Node<'t> {
    /// Notes the last use.
    pub(super) fn touch(&self, now: u64) {
        if now > self.used.load(Ordering::SeqCst) {
            // Nothing else is said by it.
            self.used.store(now, Ordering::Relaxed);
        }
    }

    /// Reports whether it was not used in the `ttl` before `now`.
    pub(super) fn is_idle(&self, now: u64, ttl: u64) -> bool {
        now.saturating_sub(self.used.load(Ordering::SeqCst)) >= ttl
    }

    /// The time of a group.
    pub(super) fn history(&self, group: usize) -> Option<&'t AtomicU64> {
        self.history.get(group)
    }

    /// Puts `next` in the place of the head, if that is still as it was read.
    pub(super) fn swap(&self, next: u64) -> bool {
        self.slot.compare_exchange(self.head, next, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Reports whether this refusal is to be reported, and then how many were not since the last one that was.
    pub(super) fn tell(&self, now: u64, window: u64) -> Option<u64> {
        let reported = self.reported.load(Ordering::SeqCst);
        let is_due = reported == 0 || now.saturating_sub(reported) >= window;
        if is_due
            && self
                .reported
                .compare_exchange(reported, now.max(1), Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        {
            return Some(self.refused.swap(0, Ordering::SeqCst));
        }
        self.refused.fetch_add(1, Ordering::SeqCst);
        None
    }
}
