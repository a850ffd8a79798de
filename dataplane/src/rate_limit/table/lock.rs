//! A lock over words that processes share, and the journal of the change that is made under it. Whoever dies while it has
//! the lock loses it after a moment: the next one finishes the change if it was committed, and none of it otherwise. It
//! knows words, not what they mean.
//!
//! A change is a list of words with their old and their new values. It is written to the journal, committed by a
//! compare-and-swap of the lock's own word, and applied by one compare-and-swap for each word. One that was only slow and
//! lost the lock cannot commit, and what it has yet to apply has been applied: each of its swaps fails.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::yield_now;
use std::time::{Duration, Instant};

use waf_shared::rate_limit::{JOURNAL_RECORD_WORDS, JOURNAL_RECORDS, JOURNAL_WORDS, JOURNALS};

/// Bit of the lock's word: the journal is to be applied. The rest names the owner; zero is nobody.
const COMMITTED: u64 = 1;

/// Bits of the lock's word below the owner's number: [`COMMITTED`], and the number of its journal.
const OWNER_SHIFT: u32 = 1 + JOURNALS.trailing_zeros();

/// Looks at a lock that is taken before other threads get the processor.
const LOOKS: usize = 256;

/// Words of a journal before its records: how many there are, and their checksum.
const JOURNAL_HEAD: usize = 2;

/// Words of a record: place, old value, new value.
const RECORD_WORDS: usize = JOURNAL_RECORD_WORDS;

/// How long the lock is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// One owner may have it for so long before it is taken for dead.
    pub(super) lease: Duration,
    /// All owners together.
    pub(super) total: Duration,
}

/// The words of the lock and of its journal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lock<'t> {
    pub(super) word: &'t AtomicU64,
    /// Several, of which each owner has one: one that lost the lock and does not know it writes into another one than its
    /// successor, mostly, and into one that is needed hardly ever. What a checksum does not fit is not applied.
    pub(super) journals: &'t [AtomicU64],
}

/// The lock, taken. It is given back by [`Held::commit`], or when it is dropped.
#[derive(Debug)]
pub(super) struct Held<'t> {
    lock: Lock<'t>,
    /// The word while it is ours; zero once it was given back.
    mine: u64,
    /// Whether the owner before died in a change that cannot be read: nothing is known of the words.
    pub(super) is_unknown: bool,
}

/// What is to be changed, and reads that see it.
#[derive(Debug)]
pub(super) struct Change<'t> {
    words: &'t [AtomicU64],
    records: [(usize, u64, u64); JOURNAL_RECORDS],
    length: usize,
}

impl<'t> Lock<'t> {
    /// Takes the lock; `None` when that takes too long. A change that a dead owner had committed is applied to `words`.
    pub(super) fn take(self, words: &[AtomicU64], patience: Patience) -> Option<Held<'t>> {
        let mut mine = owner();
        if swap(self.word, 0, mine) {
            return Some(Held { lock: self, mine, is_unknown: false });
        }
        let began = Instant::now();
        let (mut known, mut since) = (0, began);
        loop {
            for _ in 0..LOOKS {
                if self.word.load(Ordering::SeqCst) == 0 {
                    break;
                }
                spin_loop();
            }
            let seen = self.word.load(Ordering::SeqCst);
            if seen == 0 && swap(self.word, 0, mine) {
                return Some(Held { lock: self, mine, is_unknown: false });
            }
            if seen != known {
                (known, since) = (seen, Instant::now());
            } else if seen != 0 && since.elapsed() >= patience.lease {
                // Should this one die too, the next one must find the same journal.
                mine = if seen & COMMITTED == 0 { mine } else { same_journal(mine, seen) };
                if swap(self.word, seen, mine | seen & COMMITTED) {
                    return Some(self.inherit(mine, seen, words));
                }
            }
            if began.elapsed() >= patience.total {
                return None;
            }
            yield_now();
        }
    }

    /// Finishes what the owner before has committed.
    fn inherit(self, mine: u64, before: u64, words: &[AtomicU64]) -> Held<'t> {
        let mut is_unknown = false;
        if before & COMMITTED != 0 {
            is_unknown = self.replay(before, words).is_none();
            swap(self.word, mine | COMMITTED, mine);
        }
        Held { lock: self, mine, is_unknown }
    }

    /// The journal of an owner.
    fn journal(&self, owner: u64) -> Option<&'t [AtomicU64]> {
        let number = (owner >> 1) as usize % JOURNALS;
        self.journals.get(number * JOURNAL_WORDS..(number + 1) * JOURNAL_WORDS)
    }

    /// Applies the journal of an owner; `None` when it is not one.
    fn replay(&self, owner: u64, words: &[AtomicU64]) -> Option<()> {
        let journal = self.journal(owner)?;
        let (length, checksum) = (load(journal.first()?), load(journal.get(1)?));
        let length = usize::try_from(length).ok().filter(|length| *length <= JOURNAL_RECORDS)?;
        let records = journal.get(JOURNAL_HEAD..)?.get(..length * RECORD_WORDS)?;
        let sum = records.iter().map(load).fold(length as u64, mix);
        if sum != checksum {
            return None;
        }
        for record in records.chunks_exact(RECORD_WORDS) {
            let [place, old, new] = record else { return None };
            let word = words.get(usize::try_from(load(place)).ok()?)?;
            swap(word, load(old), load(new));
        }
        Some(())
    }
}

impl Held<'_> {
    /// Begins the lease anew; false when the lock was lost.
    pub(super) fn renew(&mut self) -> bool {
        let next = owner();
        let is_ours = swap(self.lock.word, self.mine, next);
        self.mine = if is_ours { next } else { 0 };
        is_ours
    }

    /// Makes `change`, whole, and gives the lock back; false when the lock was lost before, and nothing is changed.
    pub(super) fn commit(mut self, change: &Change<'_>) -> bool {
        let mine = std::mem::take(&mut self.mine);
        let records = change.records.get(..change.length).unwrap_or_default();
        if records.is_empty() {
            return swap(self.lock.word, mine, 0);
        }
        if self.write(mine, records).is_none() || !swap(self.lock.word, mine, mine | COMMITTED) {
            swap(self.lock.word, mine, 0);
            return false;
        }
        for (place, old, new) in records {
            if let Some(word) = change.words.get(*place) {
                swap(word, *old, *new);
            }
        }
        swap(self.lock.word, mine | COMMITTED, 0);
        true
    }

    /// Writes the journal of the owner `mine`, who should still be one.
    fn write(&self, mine: u64, records: &[(usize, u64, u64)]) -> Option<()> {
        let journal = self.lock.journal(mine).filter(|_| load(self.lock.word) == mine)?;
        let mut sum = records.len() as u64;
        let mut places = journal.get(JOURNAL_HEAD..)?.iter();
        for (place, old, new) in records {
            for value in [*place as u64, *old, *new] {
                places.next()?.store(value, Ordering::Relaxed);
                sum = mix(sum, value);
            }
        }
        journal.first()?.store(records.len() as u64, Ordering::Relaxed);
        journal.get(1)?.store(sum, Ordering::Relaxed);
        Some(())
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // When it was lost, the word is another one.
        if self.mine != 0 {
            swap(self.lock.word, self.mine, 0);
        }
    }
}

impl<'t> Change<'t> {
    /// No change of `words`.
    pub(super) fn of(words: &'t [AtomicU64]) -> Change<'t> {
        Change { words, records: [(0, 0, 0); JOURNAL_RECORDS], length: 0 }
    }

    /// A word as it will be; `None` beyond the words.
    pub(super) fn read(&self, place: usize) -> Option<u64> {
        let known = self.records.iter().take(self.length).find(|record| record.0 == place);
        match known {
            Some((.., new)) => Some(*new),
            None => self.words.get(place).map(load),
        }
    }

    /// Changes a word; `None` beyond the words, or when it is one change too many.
    pub(super) fn write(&mut self, place: usize, value: u64) -> Option<()> {
        if let Some(record) = self.records.iter_mut().take(self.length).find(|record| record.0 == place) {
            record.2 = value;
            return Some(());
        }
        let old = load(self.words.get(place)?);
        if old == value {
            return Some(());
        }
        *self.records.get_mut(self.length)? = (place, old, value);
        self.length += 1;
        Some(())
    }
}

fn load(word: &AtomicU64) -> u64 {
    word.load(Ordering::SeqCst)
}

fn swap(word: &AtomicU64, old: u64, new: u64) -> bool {
    word.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

/// One step of a checksum against words of two changes; nobody who could forge it can write here.
fn mix(sum: u64, value: u64) -> u64 {
    (sum ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// A word that no other owner writes: one that was taken for dead must not be mistaken for a later one.
fn owner() -> u64 {
    use std::sync::LazyLock;
    static NEXT: LazyLock<AtomicU64> = LazyLock::new(|| {
        let id = uuid::Uuid::now_v7().as_u64_pair();
        AtomicU64::new(id.1 ^ id.0.rotate_left(32))
    });
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // The bits of the journal are beside the number, so that an heir that takes them over stays unmistakable.
    (number << OWNER_SHIFT).max(1 << OWNER_SHIFT) | number % JOURNALS as u64 * 2
}

/// An owner like `owner` with the journal of another one.
fn same_journal(owner: u64, other: u64) -> u64 {
    let journal = 2 * (JOURNALS as u64 - 1);
    owner & !journal | other & journal
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)] // a failing test may panic
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience { lease: Duration::from_millis(1), total: Duration::from_secs(30) };

    /// The lock, its journals, and ten words behind them.
    const WORDS: usize = A + 10;
    const A: usize = 1 + JOURNALS * JOURNAL_WORDS;

    struct Shared(Vec<AtomicU64>);

    impl Shared {
        fn new() -> Shared {
            Shared((0..WORDS).map(|_| AtomicU64::new(0)).collect())
        }

        fn lock(&self) -> Lock<'_> {
            Lock { word: &self.0[0], journals: &self.0[1..=JOURNALS * JOURNAL_WORDS] }
        }

        fn take(&self) -> Held<'_> {
            self.lock().take(&self.0, PATIENCE).unwrap()
        }

        /// A change of two words, from what is there now.
        fn change(&self, values: [u64; 2]) -> Change<'_> {
            let mut change = Change::of(&self.0);
            change.write(A, values[0]).unwrap();
            change.write(A + 1, values[1]).unwrap();
            change
        }

        fn words(&self) -> [u64; 2] {
            [load(&self.0[A]), load(&self.0[A + 1])]
        }
    }

    #[test]
    fn a_change_is_seen_by_its_own_reads_and_made_whole() {
        let shared = Shared::new();
        let mut change = shared.change([1, 2]);
        change.write(A + 1, 3).unwrap();
        assert_eq!((change.read(A + 1), change.read(A + 2), change.read(WORDS)), (Some(3), Some(0), None));
        assert_eq!(shared.words(), [0, 0]);
        assert!(shared.take().commit(&change));
        assert_eq!((shared.words(), load(&shared.0[0])), ([1, 3], 0));
        assert!(change.write(WORDS, 1).is_none());
    }

    #[test]
    fn what_a_dead_owner_did_not_commit_is_not_made_and_what_it_did_is() {
        let shared = Shared::new();
        let dead = shared.take();
        dead.write(dead.mine, &shared.change([1, 2]).records[..2]).unwrap();
        std::mem::forget(dead);
        let next = shared.take();
        assert!(!next.is_unknown && shared.words() == [0, 0]);
        drop(next);
        for applied in 0..=2 {
            let shared = Shared::new();
            let (dead, change) = (shared.take(), shared.change([1, 2]));
            dead.write(dead.mine, &change.records[..2]).unwrap();
            assert!(swap(dead.lock.word, dead.mine, dead.mine | COMMITTED));
            for (place, old, new) in &change.records[..applied] {
                assert!(swap(&shared.0[*place], *old, *new));
            }
            std::mem::forget(dead);
            let next = shared.take();
            assert!(!next.is_unknown && shared.words() == [1, 2], "after {applied}");
        }
    }

    #[test]
    fn a_change_is_finished_although_its_heirs_die_too() {
        for heirs in 1..20 {
            let shared = Shared::new();
            let (dead, change) = (shared.take(), shared.change([1, 2]));
            dead.write(dead.mine, &change.records[..2]).unwrap();
            assert!(swap(dead.lock.word, dead.mine, dead.mine | COMMITTED));
            std::mem::forget(dead);
            for _ in 0..heirs {
                let seen = load(&shared.0[0]);
                let heir = same_journal(owner(), seen);
                assert!(swap(&shared.0[0], seen, heir | COMMITTED));
            }
            assert!(!shared.take().is_unknown && shared.words() == [1, 2], "{heirs}");
        }
    }

    #[test]
    fn one_that_was_only_slow_can_change_nothing_any_more() {
        let shared = Shared::new();
        let (slow, change) = (shared.take(), shared.change([1, 2]));
        let next = shared.take();
        assert!(next.commit(&shared.change([5, 6])));
        assert!(!slow.commit(&change));
        assert_eq!((shared.words(), load(&shared.0[0])), ([5, 6], 0));
        // The same after its commit: the next one has applied it, and goes on from there.
        let (slow, change) = (shared.take(), shared.change([7, 8]));
        slow.write(slow.mine, &change.records[..2]).unwrap();
        assert!(swap(slow.lock.word, slow.mine, slow.mine | COMMITTED));
        let next = shared.take();
        assert!(next.commit(&shared.change([9, 10])));
        for (place, old, new) in &change.records[..2] {
            assert!(!swap(&shared.0[*place], *old, *new));
        }
        drop(slow);
        assert_eq!((shared.words(), load(&shared.0[0])), ([9, 10], 0));
    }

    #[test]
    fn a_journal_that_is_none_is_not_applied_and_waiting_has_an_end() {
        let shared = Shared::new();
        for length in [0, 1, 9, u64::MAX] {
            shared.0[0].store(77, Ordering::SeqCst);
            for journal in 0..JOURNALS {
                shared.0[1 + journal * JOURNAL_WORDS].store(length, Ordering::SeqCst);
                shared.0[2 + journal * JOURNAL_WORDS].store(5, Ordering::SeqCst);
            }
            assert!(shared.take().is_unknown, "{length}");
        }
        let held = shared.take();
        let never = Patience { lease: Duration::from_secs(60), total: Duration::from_millis(1) };
        assert!(shared.lock().take(&shared.0, never).is_none());
        drop(held);
        assert!(shared.lock().take(&shared.0, never).is_some());
    }
}
