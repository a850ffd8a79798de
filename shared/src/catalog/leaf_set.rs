//! A set of leaves as a bitset: what a plan carries and what a request is judged by.

use std::fmt;

use bincode::{Decode, Encode};

use super::row::Default as OnOff;
use super::table::{Leaf, TABLE};

const WORDS: usize = 4;
const _: () = assert!(TABLE.len() <= WORDS * 64, "the catalog outgrew the bitset");

/// A set of [`Leaf`]s, 32 bytes, in table order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Encode, Decode)]
pub struct LeafSet([u64; WORDS]);

impl LeafSet {
    /// No leaf.
    pub const EMPTY: LeafSet = LeafSet([0; WORDS]);

    /// The leaves that are in force when nothing is configured.
    pub fn defaults() -> LeafSet {
        TABLE.iter().filter(|row| row.default == OnOff::On).map(|row| row.leaf).collect()
    }

    /// True if `leaf` is in the set.
    #[inline]
    pub const fn contains(&self, leaf: Leaf) -> bool {
        self.0[leaf as usize / 64] & (1 << (leaf as usize % 64)) != 0
    }

    /// Adds `leaf`.
    pub const fn insert(&mut self, leaf: Leaf) {
        self.0[leaf as usize / 64] |= 1 << (leaf as usize % 64);
    }

    /// Takes `leaf` out.
    pub const fn remove(&mut self, leaf: Leaf) {
        self.0[leaf as usize / 64] &= !(1 << (leaf as usize % 64));
    }

    /// True if no leaf is in the set.
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// Leaves in both sets.
    #[must_use]
    pub fn intersection(&self, other: &LeafSet) -> LeafSet {
        LeafSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// Leaves in either set.
    #[must_use]
    pub fn union(&self, other: &LeafSet) -> LeafSet {
        LeafSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// Leaves that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &LeafSet) -> LeafSet {
        LeafSet(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// The leaves, in table order. Bits beyond the table (a foreign plan) are passed over.
    pub fn iter(&self) -> impl Iterator<Item = Leaf> + '_ {
        TABLE.iter().map(|row| row.leaf).filter(|leaf| self.contains(*leaf))
    }
}

/// Against the defaults: `LeafSet(defaults +added -removed)`.
impl fmt::Debug for LeafSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let defaults = LeafSet::defaults();
        f.write_str("LeafSet(defaults")?;
        self.without(&defaults).iter().try_for_each(|leaf| write!(f, " +{}", leaf.name()))?;
        defaults.without(self).iter().try_for_each(|leaf| write!(f, " -{}", leaf.name()))?;
        f.write_str(")")
    }
}

impl FromIterator<Leaf> for LeafSet {
    fn from_iter<I: IntoIterator<Item = Leaf>>(leaves: I) -> LeafSet {
        let mut set = LeafSet::EMPTY;
        for leaf in leaves {
            set.insert(leaf);
        }
        set
    }
}
