//! Remembers header values that were judged and found clean. A handful of browsers send nearly all `User-Agent`s and lists
//! of brands; judging each of them again for every request would cost more than everything else in a benign head.
//!
//! A slot holds a fingerprint under a key that is drawn for each process, so nobody can craft a value that is taken for a
//! clean one; the odds of an accident are one in 2^64 for each look.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use waf_shared::catalog::LeafSet;

/// Values remembered, 8 bytes each; a newer one takes the slot of an older.
const SLOTS: usize = 8192;
/// Longer values are not worth their hash.
const VALUE_BYTES_MAX: usize = 512;

/// The memory. Reading and writing it needs no lock: a torn picture is a value judged again.
pub(crate) struct Clean {
    keys: RandomState,
    slots: Box<[AtomicU64]>,
}

impl Clean {
    pub(super) fn new() -> Clean {
        Clean { keys: RandomState::new(), slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }

    /// The part of a fingerprint that `leaves` give.
    pub(crate) fn key(&self, leaves: &LeafSet) -> u64 {
        self.keys.hash_one(leaves)
    }

    /// The fingerprint of the value of a header as judged by the leaves of `key`; `None` when it is too long to be
    /// remembered.
    pub(crate) fn fingerprint(&self, key: u64, name: &[u8], value: &[u8]) -> Option<u64> {
        // Zero marks an empty slot.
        (value.len() <= VALUE_BYTES_MAX).then(|| self.keys.hash_one((key, name, value)).max(1))
    }

    /// Returns `true` if a value of that fingerprint was found clean.
    pub(crate) fn knows(&self, fingerprint: u64) -> bool {
        self.slot(fingerprint).is_some_and(|slot| slot.load(Ordering::Relaxed) == fingerprint)
    }

    /// Remembers a value that was judged in full and held nothing.
    pub(crate) fn remember(&self, fingerprint: u64) {
        if let Some(slot) = self.slot(fingerprint) {
            slot.store(fingerprint, Ordering::Relaxed);
        }
    }

    fn slot(&self, fingerprint: u64) -> Option<&AtomicU64> {
        self.slots.get((fingerprint >> 32) as usize % SLOTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_remembered_is_known() {
        let clean = Clean::new();
        let of =
            |leaves: &LeafSet, name: &[u8], value: &[u8]| clean.fingerprint(clean.key(leaves), name, value);
        let leaves = LeafSet::defaults();
        let one = of(&leaves, b"User-Agent", b"curl/8.5.0").expect("short");
        let other = of(&LeafSet::EMPTY, b"User-Agent", b"curl/8.5.0").expect("short");
        assert!(!clean.knows(one) && one != other);
        clean.remember(one);
        assert!(clean.knows(one) && !clean.knows(other));
        assert_ne!(of(&leaves, b"Origin", b"curl/8.5.0"), Some(one));
        assert_eq!(of(&leaves, b"User-Agent", &[b'x'; 600]), None);
    }
}
