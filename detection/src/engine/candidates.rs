//! Sets of what one engine can run: a bit for each detector, prefilter and pattern rule.

/// Candidates (detectors and pattern rules) that one engine can hold.
pub(super) const CANDIDATES_MAX: usize = 1024;
const WORDS: usize = CANDIDATES_MAX / 64;

/// A set of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidates([u64; WORDS]);

impl Candidates {
    pub(crate) const NONE: Candidates = Candidates([0; WORDS]);

    /// The candidates among `matchers` of which `is_member` returns `true`.
    pub(super) fn of<T>(matchers: &[T], is_member: impl Fn(&T) -> bool) -> Candidates {
        let mut set = Candidates::NONE;
        for (index, _) in matchers.iter().enumerate().filter(|(_, matcher)| is_member(matcher)) {
            set.insert(index);
        }
        set
    }

    pub(super) fn insert(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word & 1 << (index % 64) != 0)
    }

    pub(super) fn both(&self, other: &Candidates) -> Candidates {
        Candidates(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    pub(super) fn either(&self, other: &Candidates) -> Candidates {
        Candidates(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(i, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(i * 64 + bit)
            })
        })
    }
}
