//! Which key has which node, and which was used last: an index of chains and a list in the order of use, both in shared
//! words. It knows tags and places, nothing of requests and their times.
//!
//! Every change of either is made under the [`Lock`], as one. The key that was used last needs none: who asks again and
//! again reads three words and changes none of these.
//!
//! Memory that is all zero is an empty table. Nodes are numbered from 1; 0 stands for none. Words that link nodes
//! carry a count of their changes, so that a value that comes back is another word.

use std::sync::atomic::{AtomicU64, Ordering};

use waf_shared::rate_limit::{Geometry, HEADER_WORDS, KEY_WORDS, LOCK_WORDS};

use super::lock::{Change, Held, Lock, Patience};
use super::{IS_KEY, Key, Node};

/// Nodes of one chain that are looked at. There are as many chains as nodes, and the hash is secret: a longer one is
/// not met before the memory fails.
const CHAIN_MAX: usize = 64;

/// Words that are cleared before the lock is looked at again.
const CLEARED_WORDS: usize = 4096;

/// Words of the header: the ends of the list, and the nodes that were ever in use.
const ENDS: usize = 0;
const IN_USE: usize = 1;

/// A word of two nodes or places, and of a count in its highest bits.
#[derive(Debug, Clone, Copy)]
struct Pair {
    count: u64,
    first: usize,
    second: usize,
}

const INDEX_BITS: u32 = 24;
const INDEX: u64 = (1 << INDEX_BITS) - 1;

impl Pair {
    fn of(word: u64) -> Pair {
        Pair {
            count: word >> (2 * INDEX_BITS),
            first: (word >> INDEX_BITS & INDEX) as usize,
            second: (word & INDEX) as usize,
        }
    }

    /// The word that follows this one, for `first` and `second`.
    fn next(self, first: usize, second: usize) -> u64 {
        (self.count + 1) << (2 * INDEX_BITS) | (first as u64 & INDEX) << INDEX_BITS | second as u64 & INDEX
    }
}

/// The reason why a key got no node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// Somebody else was faster, or the table had to be emptied: try again.
    Retry,
    /// The lock could not be had.
    Busy,
}

/// The words of one table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recency<'t> {
    words: &'t [AtomicU64],
    keys: usize,
    node_words: usize,
    patience: Patience,
}

impl<'t> Recency<'t> {
    pub(super) fn new(words: &'t [AtomicU64], geometry: &Geometry, patience: Patience) -> Recency<'t> {
        Recency { words, keys: geometry.keys, node_words: KEY_WORDS + geometry.ring, patience }
    }

    /// The node of `key`, now the one that was used last; one that was not used for `ttl` begins anew. `sequence` are
    /// the bits of a head that are not part of `tag`.
    pub(super) fn touch(
        &self,
        key: Key,
        (tag, sequence): (u64, u64),
        (now, ttl): (u64, u64),
    ) -> Result<Node<'t>, Missed> {
        let chain = ((u128::from(key.place) * self.keys as u128) >> 64) as usize;
        if let Some(node) = self.front(chain, (tag, sequence)).filter(|node| !node.is_idle(now, ttl)) {
            node.touch(now);
            return Ok(node);
        }
        let (word, rest) = self.words.split_first().ok_or(Missed::Busy)?;
        let journals = rest.get(HEADER_WORDS - 1..LOCK_WORDS - 1).ok_or(Missed::Busy)?;
        let held = Lock { word, journals }.take(self.words, self.patience).ok_or(Missed::Busy)?;
        if held.is_unknown {
            self.clear(held);
            return Err(Missed::Retry);
        }
        let mut change = Change::of(self.words);
        let Some(at) = self.place(&mut change, chain, (tag, sequence), (now, ttl)) else {
            // The words are not what this program wrote.
            self.clear(held);
            return Err(Missed::Retry);
        };
        if held.commit(&change) { self.node(at).ok_or(Missed::Retry) } else { Err(Missed::Retry) }
    }

    /// Nodes that have a key.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        let this = *self;
        let used = this.words.get(1 + IN_USE).map_or(0, |word| word.load(Ordering::SeqCst));
        let used = usize::try_from(used).unwrap_or(usize::MAX).min(this.keys);
        (1..=used).filter_map(move |at| this.node(at))
    }

    /// The key that was used last, if it is this one.
    fn front(&self, chain: usize, (tag, sequence): (u64, u64)) -> Option<Node<'t>> {
        let at = Pair::of(self.words.get(1 + ENDS)?.load(Ordering::SeqCst)).first;
        let link = Pair::of(self.words.get(self.chained(at)?)?.load(Ordering::SeqCst));
        let node = self.node(at)?;
        (link.first == chain && node.head & !sequence == tag).then_some(node)
    }

    /// Finds the key, or makes room for it, and puts it in front. `None` when the words make no sense.
    fn place(
        &self,
        change: &mut Change<'_>,
        chain: usize,
        (tag, sequence): (u64, u64),
        (now, ttl): (u64, u64),
    ) -> Option<usize> {
        let at = self.find(change, chain, tag, sequence)?;
        if let Some(node) = self.node(at) {
            if node.is_idle(now, ttl) {
                self.begin(change, at, tag, now)?;
            } else {
                node.touch(now);
            }
            if Pair::of(change.read(1 + ENDS)?).first != at {
                self.unlink(change, at)?;
                self.push(change, at)?;
            }
            return Some(at);
        }
        let in_use = usize::try_from(change.read(1 + IN_USE)?).ok()?;
        let at = if in_use < self.keys {
            change.write(1 + IN_USE, in_use as u64 + 1)?;
            in_use + 1
        } else {
            let last = Pair::of(change.read(1 + ENDS)?).second;
            self.unlink(change, last)?;
            self.unchain(change, last)?;
            last
        };
        let first = self.chain(chain)?;
        let link = self.chained(at)?;
        let next = Pair::of(change.read(first)?);
        change.write(link, Pair::of(change.read(link)?).next(chain, next.second))?;
        change.write(first, next.next(0, at))?;
        self.push(change, at)?;
        self.begin(change, at, tag, now)?;
        Some(at)
    }

    /// Begins the count of a key. Whoever counts in the node at this moment makes the change of its head fail: the node
    /// stays without a key that is found, and is the next to go in its turn.
    fn begin(&self, change: &mut Change<'_>, at: usize, tag: u64, now: u64) -> Option<()> {
        let place = self.node_place(at)?;
        for (word, value) in (place..).zip([tag, now, 0, 0]) {
            change.write(word, value)?;
        }
        Some(())
    }

    /// The node that has the key; 0 when none has, and `None` when the words make no sense.
    fn find(&self, change: &Change<'_>, chain: usize, tag: u64, sequence: u64) -> Option<usize> {
        let mut at = Pair::of(change.read(self.chain(chain)?)?).second;
        for _ in 0..CHAIN_MAX {
            if at == 0 {
                return Some(0);
            }
            let node = self.node(at)?;
            if node.head & !sequence == tag {
                return Some(at);
            }
            at = Pair::of(change.read(self.chained(at)?)?).second;
        }
        None
    }

    /// Takes a node out of its chain.
    fn unchain(&self, change: &mut Change<'_>, at: usize) -> Option<()> {
        let link = Pair::of(change.read(self.chained(at)?)?);
        let mut before = self.chain(link.first)?;
        for _ in 0..CHAIN_MAX {
            let pair = Pair::of(change.read(before)?);
            if pair.second == at {
                return change.write(before, pair.next(pair.first, link.second));
            }
            before = self.chained(pair.second)?;
        }
        None
    }

    /// Takes a node out of the list.
    fn unlink(&self, change: &mut Change<'_>, at: usize) -> Option<()> {
        let link = Pair::of(change.read(self.linked(at)?)?);
        let info = Pair::of(change.read(1 + ENDS)?);
        let (mut front, mut back) = (info.first, info.second);
        if link.first == 0 {
            front = Some(link.second).filter(|_| front == at)?;
        } else {
            let place = self.linked(link.first)?;
            let before = Some(Pair::of(change.read(place)?)).filter(|before| before.second == at)?;
            change.write(place, before.next(before.first, link.second))?;
        }
        if link.second == 0 {
            back = Some(link.first).filter(|_| back == at)?;
        } else {
            let place = self.linked(link.second)?;
            let behind = Some(Pair::of(change.read(place)?)).filter(|behind| behind.first == at)?;
            change.write(place, behind.next(link.first, behind.second))?;
        }
        change.write(1 + ENDS, info.next(front, back))
    }

    /// Puts a node in front of the list.
    fn push(&self, change: &mut Change<'_>, at: usize) -> Option<()> {
        let info = Pair::of(change.read(1 + ENDS)?);
        if info.first != 0 {
            let place = self.linked(info.first)?;
            let behind = Pair::of(change.read(place)?);
            change.write(place, behind.next(at, behind.second))?;
        }
        let place = self.linked(at)?;
        change.write(place, Pair::of(change.read(place)?).next(0, info.first))?;
        let back = if info.second == 0 { at } else { info.second };
        change.write(1 + ENDS, info.next(at, back))
    }

    /// Forgets all keys: the only way on from words that make no sense. One that dies here leaves such words. To one
    /// that lost the lock, words make no sense that do.
    fn clear(&self, mut held: Held<'_>) {
        let links = self.words.get(LOCK_WORDS..).and_then(|words| words.get(..3 * self.keys));
        let header = self.words.get(1..3).unwrap_or_default();
        for words in std::iter::once(header).chain(links.unwrap_or_default().chunks(CLEARED_WORDS)) {
            if !held.renew() {
                return;
            }
            for word in words {
                word.store(0, Ordering::SeqCst);
            }
        }
    }

    /// Place of the word that begins a chain.
    fn chain(&self, chain: usize) -> Option<usize> {
        (chain < self.keys).then_some(LOCK_WORDS + chain)
    }

    /// Place of a node's word in its chain: the chain, and the next node.
    fn chained(&self, at: usize) -> Option<usize> {
        (1..=self.keys).contains(&at).then_some(LOCK_WORDS + self.keys + at - 1)
    }

    /// Place of a node's word in the list: the one that was used after it, and the one before it.
    fn linked(&self, at: usize) -> Option<usize> {
        (1..=self.keys).contains(&at).then_some(LOCK_WORDS + 2 * self.keys + at - 1)
    }

    /// Place of the words of a node.
    fn node_place(&self, at: usize) -> Option<usize> {
        let from = LOCK_WORDS + 3 * self.keys;
        (1..=self.keys).contains(&at).then(|| from + (at - 1) * self.node_words)
    }

    fn node(&self, at: usize) -> Option<Node<'t>> {
        let from = self.node_place(at)?;
        let words = self.words.get(from..from + self.node_words)?;
        let [slot, used, reported, refused, history @ ..] = words else { return None };
        Some(Node { head: slot.load(Ordering::SeqCst), slot, used, reported, refused, history })
    }
}

impl Node<'_> {
    /// Reports whether it has a key.
    pub(super) fn is_key(&self) -> bool {
        self.head & IS_KEY != 0
    }
}
