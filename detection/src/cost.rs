//! What an inspection took, for those who watch the service: all of it, and the matchers of each family. It knows no clock;
//! the one that [`crate::budget::Budget`] lends is read by whoever does the work.

use std::time::Duration;

use waf_shared::catalog;

/// The cost of one inspection so far.
#[derive(Debug, Clone, Default)]
pub struct Cost {
    total: Duration,
    /// By place of the family in the catalog; empty while nothing was matched.
    families: Vec<Duration>,
}

impl Cost {
    /// All of the time, that of matchers included.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// Time of the matchers of each family that had any, by its place in [`catalog::families`].
    pub fn families(&self) -> impl Iterator<Item = (usize, Duration)> + '_ {
        self.families.iter().copied().enumerate().filter(|(_, time)| !time.is_zero())
    }

    pub(crate) fn add(&mut self, time: Duration) {
        self.total = self.total.saturating_add(time);
    }

    pub(crate) fn add_matchers(&mut self, family: usize, time: Duration) {
        if self.families.is_empty() {
            self.families.resize(catalog::families().len(), Duration::ZERO);
        }
        if let Some(sum) = self.families.get_mut(family) {
            *sum = sum.saturating_add(time);
        }
    }

    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.total = Duration::ZERO;
        self.families.clear();
    }
}
