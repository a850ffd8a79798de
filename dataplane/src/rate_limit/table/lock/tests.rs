//! Changes by owners that die or stall at any step of it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a failing test may panic

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

/// Commits a change of two words and applies none of it. Returns the journal.
fn commit(held: &Held<'_>, change: &Change<'_>) -> usize {
    let (number, _) = held.reserve(held.mine).unwrap();
    held.write(number, &change.records[..2]).unwrap();
    assert!(swap(held.lock.word, held.mine, held.mine | (number as u64) << 1 | COMMITTED));
    number
}

#[test]
fn journals_of_the_dead_and_of_the_slow_are_left_alone_while_others_are_free() {
    let shared = Shared::new();
    let slow: Vec<_> = (0..2 * JOURNALS)
        .map(|_| {
            let held = shared.take();
            let (number, _) = held.reserve(held.mine).unwrap();
            std::mem::forget(held);
            number
        })
        .collect();
    let mut first: Vec<_> = slow[..JOURNALS].to_vec();
    first.sort_unstable();
    assert_eq!(first, (0..JOURNALS).collect::<Vec<_>>());
    assert!(shared.take().commit(&shared.change([1, 2])), "and one is found when none is");
    // What was finished for a dead one is free again.
    let shared = Shared::new();
    let dead = shared.take();
    let number = commit(&dead, &shared.change([3, 4]));
    std::mem::forget(dead);
    drop(shared.take());
    assert_eq!((shared.words(), load(&shared.0[1 + number * JOURNAL_WORDS])), ([3, 4], 0));
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
    dead.write(0, &shared.change([1, 2]).records[..2]).unwrap();
    std::mem::forget(dead);
    let next = shared.take();
    assert!(!next.is_unknown && shared.words() == [0, 0]);
    drop(next);
    for applied in 0..=2 {
        let shared = Shared::new();
        let (dead, change) = (shared.take(), shared.change([1, 2]));
        commit(&dead, &change);
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
        commit(&dead, &change);
        std::mem::forget(dead);
        for _ in 0..heirs {
            let seen = load(&shared.0[0]);
            let heir = owner() | seen & ((1 << OWNER_SHIFT) - 1);
            assert!(swap(&shared.0[0], seen, heir));
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
    commit(&slow, &change);
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
            shared.0[2 + journal * JOURNAL_WORDS].store(length, Ordering::SeqCst);
            shared.0[3 + journal * JOURNAL_WORDS].store(5, Ordering::SeqCst);
        }
        assert!(shared.take().is_unknown, "{length}");
    }
    let held = shared.take();
    let never = Patience { lease: Duration::from_mins(1), total: Duration::from_millis(1) };
    assert!(shared.lock().take(&shared.0, never).is_none());
    drop(held);
    assert!(shared.lock().take(&shared.0, never).is_some());
}
