//! Pauses before dead workers are replaced: none at first, then longer while they keep dying young. It knows times,
//! nothing of processes.

use std::time::Duration;

/// A worker that lived so long dies of something new.
const SETTLED: Duration = Duration::from_secs(10);

/// First pause; the first death after a quiet time is answered at once.
const FIRST: Duration = Duration::from_millis(100);

/// Longest pause: a host that recovers should not wait longer for its workers.
const LONGEST: Duration = Duration::from_secs(5);

/// Deaths in a row that came early, and when the next workers may start.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    early_deaths: u32,
    /// The next death has the same cause as the one before.
    is_suspicious: bool,
    due: Vec<Duration>,
}

impl Backoff {
    /// The first workers start at once.
    pub(super) fn start_now(&mut self, workers: usize) {
        self.due.extend(std::iter::repeat_n(Duration::ZERO, workers));
    }

    /// A worker that lived for `lived` has died: when its successor starts. One death is always answered at once;
    /// each further early one doubles the pause.
    pub(super) fn died(&mut self, lived: Duration, now: Duration) {
        if lived >= SETTLED && !std::mem::take(&mut self.is_suspicious) {
            self.early_deaths = 0;
        }
        let pause = match self.early_deaths {
            0 => Duration::ZERO,
            again => FIRST.saturating_mul(1u32.checked_shl(again - 1).unwrap_or(u32::MAX)).min(LONGEST),
        };
        self.early_deaths = self.early_deaths.saturating_add(1).min(16);
        self.due.push(now + pause);
    }

    /// Makes the next death count as an early one.
    pub(super) fn suspect(&mut self) {
        self.is_suspicious = true;
    }

    /// Takes one successor that may start now.
    pub(super) fn take_due(&mut self, now: Duration) -> bool {
        match self.due.iter().position(|due| *due <= now) {
            Some(at) => {
                self.due.swap_remove(at);
                true
            }
            None => false,
        }
    }

    /// When the next successor may start.
    pub(super) fn next(&self) -> Option<Duration> {
        self.due.iter().min().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pauses after a row of deaths at the given ages.
    fn pauses(ages: &[u64]) -> Vec<u64> {
        let mut backoff = Backoff::default();
        ages.iter()
            .map(|age| {
                backoff.died(Duration::from_secs(*age), Duration::from_secs(100));
                let due = backoff.next().unwrap_or_default().saturating_sub(Duration::from_secs(100));
                assert!(backoff.take_due(Duration::from_secs(200)));
                u64::try_from(due.as_millis()).unwrap_or(u64::MAX)
            })
            .collect()
    }

    #[test]
    fn pauses_grow_to_a_bound_and_a_long_life_resets_them() {
        assert_eq!(pauses(&[60, 60, 60]), [0, 0, 0]);
        assert_eq!(pauses(&[60, 0, 1, 9, 60, 0]), [0, 100, 200, 400, 0, 100]);
        assert_eq!(pauses(&[0; 9])[6..], [3200, 5000, 5000]);
        assert_eq!(pauses(&[0; 40])[39], 5000);
    }

    #[test]
    fn a_suspicious_death_is_an_early_one_at_any_age() {
        let mut backoff = Backoff::default();
        let minute = Duration::from_mins(1);
        let mut pause = || {
            backoff.died(minute, minute);
            let due = backoff.next().unwrap_or_default().saturating_sub(minute);
            assert!(backoff.take_due(minute + LONGEST));
            backoff.suspect();
            due.as_millis()
        };
        assert_eq!([pause(), pause(), pause()], [0, 100, 200]);
        backoff.is_suspicious = false;
        backoff.died(minute, minute);
        assert_eq!(backoff.next(), Some(minute));
    }
}
