//! When a burst of changes is over. It knows times alone.

use std::time::Duration;

use tokio::time::Instant;

/// Silence after which a change has settled: an editor's write in two steps is one change.
const QUIET: Duration = Duration::from_millis(100);

/// A file that never comes to rest is looked at all the same.
const LONGEST: Duration = Duration::from_secs(2);

/// A burst under way.
#[derive(Debug, Default)]
pub(super) struct Settle {
    burst: Option<(Instant, Instant)>,
}

impl Settle {
    /// Something changed.
    pub(super) fn touch(&mut self, now: Instant) {
        let first = self.burst.map_or(now, |(first, _)| first);
        self.burst = Some((first, now));
    }

    /// When to look.
    pub(super) fn due(&self) -> Option<Instant> {
        self.burst.map(|(first, last)| (last + QUIET).min(first + LONGEST))
    }

    /// It was looked at.
    pub(super) fn clear(&mut self) {
        self.burst = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_due_after_silence_or_when_it_does_not_end() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut settle = Settle::default();
        assert_eq!(settle.due(), None);
        settle.touch(at(0));
        settle.touch(at(50));
        assert_eq!(settle.due(), Some(at(150)));
        for millis in (100..3_000).step_by(50) {
            settle.touch(at(millis));
        }
        assert_eq!(settle.due(), Some(at(2_000)));
        settle.clear();
        assert_eq!(settle.due(), None);
    }
}
