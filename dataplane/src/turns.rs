//! A share of the requests, evenly spread. It knows numbers alone.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use waf_shared::control::Share;

/// Turns of the requests.
#[derive(Debug)]
pub(crate) struct Turns {
    /// In millionths.
    share: AtomicU32,
    /// Millionths of requests so far; each whole one is taken.
    offered: AtomicU64,
}

impl Turns {
    /// Turns of which this share is taken.
    pub(crate) fn new(share: Share) -> Turns {
        Turns { share: AtomicU32::new(share.0), offered: AtomicU64::new(0) }
    }

    /// Takes another share from now on.
    pub(crate) fn set(&self, share: Share) {
        self.share.store(share.0, Ordering::Relaxed);
    }

    /// Reports whether the next request is taken.
    pub(crate) fn takes_next(&self) -> bool {
        let (share, all) = (u64::from(self.share.load(Ordering::Relaxed)), u64::from(Share::ALL.0));
        let before = self.offered.fetch_add(share, Ordering::Relaxed);
        before / all != before.wrapping_add(share) / all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_requests_is_taken() {
        for (share, expected) in
            [(0, 0), (1_000_000, 1_000), (100_000, 100), (500_000, 500), (1_000, 1), (333_333, 333)]
        {
            let turns = Turns::new(Share(share));
            let taken = (0..1_000).filter(|_| turns.takes_next()).count();
            assert!(taken.abs_diff(expected) <= 1, "{share}: {taken}");
        }
        let turns = Turns::new(Share(0));
        turns.set(Share::ALL);
        assert!(turns.takes_next() && turns.takes_next());
    }
}
