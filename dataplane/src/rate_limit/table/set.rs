//! One set of a table: finding a key among its ways, and giving a way to a new one. It knows heads, not what a
//! sequence means.
//!
//! No two ways may ever hold the same key, or a client would have two quotas. A new key therefore first puts a *claim*
//! in the place of the head that gives way, then looks at all ways again, and becomes a key only when it saw neither
//! itself nor another claim. Of two that claim at once, whichever looks later sees the other: both cannot pass. A claim
//! that stands in the way is removed after a moment, whether its owner is slow or dead: the owner's last
//! compare-and-swap then fails, and it begins anew.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};

use waf_shared::rate_limit::{Geometry, KEY_WORDS};

use super::IS_KEY;

/// Looks at somebody else's claim before it is removed: some microseconds, many times what a claim takes.
const LOOKS: u64 = 256;

/// The words of a set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set<'t> {
    heads: &'t [AtomicU64],
    used: &'t [AtomicU64],
    told: &'t [AtomicU64],
    refused: &'t [AtomicU64],
    histories: &'t [AtomicU64],
    ring: usize,
}

/// A key in its way, with the head as it was read.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    pub(super) head: u64,
    slot: &'t AtomicU64,
    used: &'t AtomicU64,
    told: &'t AtomicU64,
    refused: &'t AtomicU64,
    history: &'t [AtomicU64],
}

/// What a way may be lost to.
enum Way {
    Free(usize, u64),
    /// Somebody else is claiming one.
    Contested(usize, u64),
}

/// Nanoseconds between two notes of the last use: workers would otherwise pass one cache line around for nothing.
pub(super) const USE_STEP: u64 = 1_000_000;

impl<'t> Set<'t> {
    pub(super) fn new(words: &'t [AtomicU64], geometry: &Geometry) -> Set<'t> {
        let ways = geometry.ways.min(words.len() / (KEY_WORDS + geometry.ring));
        let (heads, words) = words.split_at(ways);
        let (used, words) = words.split_at(ways);
        let (told, words) = words.split_at(ways);
        let (refused, histories) = words.split_at(ways);
        Set { heads, used, told, refused, histories, ring: geometry.ring }
    }

    /// The way that holds `tag`; `sequence` are the bits of a head that are not part of it.
    pub(super) fn find(&self, tag: u64, sequence: u64) -> Option<Entry<'t>> {
        let heads = self.heads.iter().map(|head| head.load(Ordering::SeqCst));
        let (way, head) = heads.enumerate().find(|(_, head)| head & !sequence == tag)?;
        self.entry(way, head)
    }

    /// Gives a way to `tag`. `None` when that has to be tried again.
    pub(super) fn claim(&self, tag: u64, sequence: u64, now: u64, ttl: u64) -> Option<Entry<'t>> {
        let (way, held) = match self.choose()? {
            Way::Free(way, held) => (way, held),
            Way::Contested(way, claim) => {
                self.settle(way, claim);
                return None;
            }
        };
        let claim = claim();
        let slot = self.heads.get(way)?;
        slot.compare_exchange(held, claim, Ordering::SeqCst, Ordering::SeqCst).ok()?;
        for (other, head) in self.heads.iter().enumerate().filter(|(other, _)| *other != way) {
            let head = head.load(Ordering::SeqCst);
            let is_contested = is_claim(head);
            if is_contested || head & !sequence == tag {
                let _ = slot.compare_exchange(claim, 0, Ordering::SeqCst, Ordering::SeqCst);
                if is_contested {
                    self.settle(other, head);
                }
                return None;
            }
        }
        let entry = self.entry(way, tag)?;
        entry.used.store(now, Ordering::SeqCst);
        entry.told.store(0, Ordering::SeqCst);
        entry.refused.store(0, Ordering::SeqCst);
        slot.compare_exchange(claim, tag, Ordering::SeqCst, Ordering::SeqCst).ok()?;
        self.forget_idle(way, now, ttl);
        Some(entry)
    }

    /// Keys that were used in the last `ttl`.
    pub(super) fn keys(&self, now: u64, ttl: u64) -> usize {
        let ways = self.heads.iter().zip(self.used);
        ways.filter(|(head, used)| head.load(Ordering::SeqCst) & IS_KEY != 0 && !is_idle(used, now, ttl))
            .count()
    }

    fn entry(&self, way: usize, head: u64) -> Option<Entry<'t>> {
        Some(Entry {
            head,
            slot: self.heads.get(way)?,
            used: self.used.get(way)?,
            told: self.told.get(way)?,
            refused: self.refused.get(way)?,
            history: self.histories.get(way * self.ring..(way + 1) * self.ring)?,
        })
    }

    /// An empty way, else the one whose key was not used for longest.
    fn choose(&self) -> Option<Way> {
        let mut oldest: Option<(u64, usize, u64)> = None;
        for (way, head) in self.heads.iter().enumerate() {
            let head = head.load(Ordering::SeqCst);
            if is_claim(head) {
                return Some(Way::Contested(way, head));
            }
            let used = match head {
                0 => 0,
                _ => self.used.get(way)?.load(Ordering::SeqCst),
            };
            if oldest.is_none_or(|(least, ..)| used < least) {
                oldest = Some((used, way, head));
            }
        }
        oldest.map(|(_, way, head)| Way::Free(way, head))
    }

    /// Waits a moment for somebody else's claim to become a key, then removes it.
    fn settle(&self, way: usize, claim: u64) {
        let Some(slot) = self.heads.get(way) else { return };
        // Two that hinder each other should not do so again and again, so each looks for another time.
        for _ in 0..LOOKS + claim % LOOKS {
            if slot.load(Ordering::SeqCst) != claim {
                return;
            }
            spin_loop();
        }
        let _ = slot.compare_exchange(claim, 0, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Empties the ways whose keys are idle. A key that is used at this very moment has another head by then.
    fn forget_idle(&self, except: usize, now: u64, ttl: u64) {
        for (way, (slot, used)) in self.heads.iter().zip(self.used).enumerate() {
            let head = slot.load(Ordering::SeqCst);
            if way != except && head & IS_KEY != 0 && is_idle(used, now, ttl) {
                let _ = slot.compare_exchange(head, 0, Ordering::SeqCst, Ordering::SeqCst);
            }
        }
    }
}

impl<'t> Entry<'t> {
    /// Notes the last use.
    pub(super) fn touch(&self, now: u64) {
        if now.saturating_sub(self.used.load(Ordering::SeqCst)) >= USE_STEP {
            self.used.store(now, Ordering::SeqCst);
        }
    }

    /// The time of a group.
    pub(super) fn history(&self, group: usize) -> Option<&'t AtomicU64> {
        self.history.get(group)
    }

    /// Puts `next` in the place of the head, if that is still as it was read.
    pub(super) fn advance(&self, next: u64) -> bool {
        self.slot.compare_exchange(self.head, next, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Whether this refusal is to be told, and then how many were not told since the last one that was.
    pub(super) fn tell(&self, now: u64, window: u64) -> Option<u64> {
        let told = self.told.load(Ordering::SeqCst);
        let is_due = told == 0 || now.saturating_sub(told) >= window;
        if is_due && self.told.compare_exchange(told, now.max(1), Ordering::SeqCst, Ordering::SeqCst).is_ok()
        {
            return Some(self.refused.swap(0, Ordering::SeqCst));
        }
        self.refused.fetch_add(1, Ordering::SeqCst);
        None
    }
}

fn is_claim(head: u64) -> bool {
    head != 0 && head & IS_KEY == 0
}

fn is_idle(used: &AtomicU64, now: u64, ttl: u64) -> bool {
    now.saturating_sub(used.load(Ordering::SeqCst)) >= ttl
}

/// A head that nobody else writes: a claim whose owner was taken for dead must not be mistaken for a later one.
fn claim() -> u64 {
    use std::sync::LazyLock;
    static NEXT: LazyLock<AtomicU64> = LazyLock::new(|| {
        let id = uuid::Uuid::now_v7().as_u64_pair();
        AtomicU64::new(id.1 ^ id.0.rotate_left(32))
    });
    (NEXT.fetch_add(1, Ordering::Relaxed) & !IS_KEY).max(1)
}
