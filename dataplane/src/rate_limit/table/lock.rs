//! A lock over words that processes share, and the journal of the change that is made under it. Whoever dies while it
//! has the lock loses it after a moment: the next one finishes the change if it was committed, and none of it
//! otherwise. It knows words, not what they mean.
//!
//! A change is a list of words with their old and their new values. It is written to the journal, committed by a
//! compare-and-swap of the lock's own word, and applied by one compare-and-swap for each word. One that was only slow
//! and lost the lock cannot commit, and what it has yet to apply has been applied: each of its swaps fails. It may
//! still be writing its journal, so there are several, each reserved by one owner at a time.

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

/// Words of a journal before its records: who has reserved it, how many there are, and their checksum.
const JOURNAL_HEAD: usize = 3;

/// Words of a record: place, old value, new value.
const RECORD_WORDS: usize = JOURNAL_RECORD_WORDS;

/// Time that the lock is waited for.
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
    pub(super) journals: &'t [AtomicU64],
}

/// The lock, taken. It is given back by [`Held::commit`], or when it is dropped.
#[derive(Debug)]
pub(super) struct Held<'t> {
    lock: Lock<'t>,
    /// The word while it is ours; zero once it was given back.
    mine: u64,
    /// True if the owner before died in a change that cannot be read: nothing is known of the words.
    pub(super) is_unknown: bool,
}

/// Pending changes, and reads that see them.
#[derive(Debug)]
pub(super) struct Change<'t> {
    words: &'t [AtomicU64],
    records: [(usize, u64, u64); JOURNAL_RECORDS],
    length: usize,
}

impl<'t> Lock<'t> {
    /// Takes the lock; `None` when that takes too long. A change that a dead owner had committed is applied to `words`.
    pub(super) fn take(self, words: &[AtomicU64], patience: Patience) -> Option<Held<'t>> {
        let mine = owner();
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
                // Should this one die too, the next one finds the same journal.
                let mine = owner();
                let taken = if seen & COMMITTED == 0 { mine } else { mine | seen & ((1 << OWNER_SHIFT) - 1) };
                if swap(self.word, seen, taken)
                    && let Some(held) = self.inherit(mine, taken, words)
                {
                    return Some(held);
                }
            }
            if began.elapsed() >= patience.total {
                return None;
            }
            yield_now();
        }
    }

    /// Finishes what the owner before has committed; `None` when the lock was lost meanwhile.
    fn inherit(self, mine: u64, taken: u64, words: &[AtomicU64]) -> Option<Held<'t>> {
        if taken == mine {
            return Some(Held { lock: self, mine, is_unknown: false });
        }
        let is_unknown = self.replay(taken, words).is_none();
        swap(self.word, taken, mine).then_some(Held { lock: self, mine, is_unknown })
    }

    /// The journal of that number.
    fn journal(&self, number: usize) -> Option<&'t [AtomicU64]> {
        self.journals.get(number * JOURNAL_WORDS..(number + 1) * JOURNAL_WORDS)
    }

    /// Applies the journal that a word of the lock names; `None` when it is not one.
    fn replay(&self, taken: u64, words: &[AtomicU64]) -> Option<()> {
        let number = (taken >> 1) as usize % JOURNALS;
        let [reserved, length, checksum, written @ ..] = self.journal(number)? else { return None };
        let owner = load(reserved);
        let (length, checksum) = (load(length), load(checksum));
        let length = usize::try_from(length).ok().filter(|length| *length <= JOURNAL_RECORDS)?;
        // Read once: whoever takes the lock from this one may write another journal here.
        let mut records = [(0, 0, 0); JOURNAL_RECORDS];
        let mut sum = Checksum::of(length as u64);
        let written = written.chunks_exact(RECORD_WORDS);
        for (record, words) in records.iter_mut().zip(written).take(length) {
            let [place, old, new] = words else { return None };
            *record = (load(place), load(old), load(new));
            for value in [record.0, record.1, record.2] {
                sum.add(value);
            }
        }
        // While the lock is this one's, nobody else has reserved the journal.
        if sum.total != checksum || load(self.word) != taken {
            return None;
        }
        for (place, old, new) in records.iter().take(length) {
            swap(words.get(usize::try_from(*place).ok()?)?, *old, *new);
        }
        if owner != 0 {
            swap(reserved, owner, 0);
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
        let Some((number, reserved)) = self.reserve(mine) else { return false };
        let committed = mine | (number as u64) << 1 | COMMITTED;
        let is_made = self.write(number, records).is_some() && swap(self.lock.word, mine, committed);
        for (place, old, new) in records.iter().filter(|_| is_made) {
            if let Some(word) = change.words.get(*place) {
                swap(word, *old, *new);
            }
        }
        if load(reserved) == mine {
            reserved.store(0, Ordering::Release);
        }
        swap(self.lock.word, if is_made { committed } else { mine }, 0);
        is_made
    }

    /// Reserves a journal. Those of the dead stay reserved: when none is free, one of them is taken.
    fn reserve(&self, mine: u64) -> Option<(usize, &AtomicU64)> {
        let first = (mine >> OWNER_SHIFT) as usize;
        let all = (0..JOURNALS).map(|next| first.wrapping_add(next) % JOURNALS);
        let mut all = all.filter_map(|number| Some((number, self.lock.journal(number)?.first()?)));
        let free = all.clone().find(|(_, reserved)| load(reserved) == 0);
        let (number, reserved) = free.or_else(|| all.next())?;
        reserved.store(mine, Ordering::Release);
        Some((number, reserved))
    }

    /// Writes a journal.
    fn write(&self, number: usize, records: &[(usize, u64, u64)]) -> Option<()> {
        let journal = self.lock.journal(number)?;
        let mut sum = Checksum::of(records.len() as u64);
        let mut places = journal.get(JOURNAL_HEAD..)?.iter();
        for (place, old, new) in records {
            for value in [*place as u64, *old, *new] {
                places.next()?.store(value, Ordering::Relaxed);
                sum.add(value);
            }
        }
        journal.get(1)?.store(records.len() as u64, Ordering::Relaxed);
        journal.get(2)?.store(sum.total, Ordering::Relaxed);
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

/// A checksum against words of two changes; nobody who could forge it can write here. No step waits for the one before.
struct Checksum {
    total: u64,
    factor: u64,
}

impl Checksum {
    /// Of a journal with so many records.
    fn of(length: u64) -> Checksum {
        Checksum { total: !length, factor: 0x9e37_79b9_7f4a_7c15 }
    }

    fn add(&mut self, value: u64) {
        self.total = self.total.wrapping_add(value.wrapping_add(1).wrapping_mul(self.factor));
        self.factor = self.factor.wrapping_add(0x6a09_e667_f3bc_c908);
    }
}

/// A word that no other owner writes: one that was taken for dead must not be mistaken for a later one.
fn owner() -> u64 {
    use std::cell::Cell;
    thread_local! {
        static NEXT: Cell<u64> = {
            let id = uuid::Uuid::now_v7().as_u64_pair();
            Cell::new(id.1 ^ id.0.rotate_left(32))
        };
    }
    let number = NEXT.with(|next| next.replace(next.get().wrapping_add(1)));
    // Never zero, which is nobody.
    (number << OWNER_SHIFT).max(1 << OWNER_SHIFT)
}

#[cfg(test)]
mod tests;
