//! The pace of a client: it has to send enough bytes in every window of waiting for it. Time spent on anything else, such
//! as an upstream that takes no more, does not count. No clock here: callers say how long they waited.

use std::collections::VecDeque;
use std::time::Duration;

/// The window that slides.
const WINDOW: Duration = Duration::from_secs(5);

/// Before this a window does not begin: clients and networks need time to get going.
const GRACE: Duration = Duration::from_secs(5);

/// Bytes that come this close to each other are counted as one.
const SLOT: Duration = Duration::from_millis(250);

/// The pace of one body.
#[derive(Debug)]
pub(super) struct Pace {
    bytes_min: u64,
    waited: Duration,
    /// When bytes came, on the clock of waiting, and how many; a bounded number, since slots are merged.
    recent: VecDeque<(Duration, u64)>,
}

impl Pace {
    /// At least so many bytes a second; `None` when that is none.
    pub(super) fn new(bytes_per_second: u64) -> Option<Pace> {
        let bytes_min = bytes_per_second.saturating_mul(WINDOW.as_secs());
        (bytes_min > 0).then(|| Pace { bytes_min, waited: Duration::ZERO, recent: VecDeque::new() })
    }

    /// After waiting for `waited`, so many bytes came.
    pub(super) fn came(&mut self, waited: Duration, bytes: usize) {
        self.waited = self.waited.saturating_add(waited);
        match self.recent.back_mut() {
            Some((last, sum)) if self.waited.saturating_sub(*last) < SLOT => {
                *sum = sum.saturating_add(bytes as u64);
            }
            _ => self.recent.push_back((self.waited, bytes as u64)),
        }
        while self.recent.front().is_some_and(|(at, _)| *at + WINDOW <= self.waited) {
            self.recent.pop_front();
        }
    }

    /// How long the client may be waited for now until its window holds too little.
    pub(super) fn patience(&self) -> Duration {
        // No window is judged before the first whole one after the grace.
        let mut at = self.waited.max(GRACE + WINDOW);
        let inside = |at: Duration| self.recent.iter().filter(move |(came, _)| *came + WINDOW > at);
        let mut held = inside(at).map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
        for (came, bytes) in inside(at) {
            if held < self.bytes_min {
                break;
            }
            held = held.saturating_sub(*bytes);
            at = *came + WINDOW;
        }
        at.saturating_sub(self.waited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn no_rate_has_no_pace() {
        assert!(Pace::new(0).is_none());
    }

    #[test]
    fn a_silent_client_has_the_grace_and_one_window() {
        let pace = Pace::new(1024).expect("a rate");
        assert_eq!(pace.patience(), seconds(10));
    }

    #[test]
    fn a_dribble_ends_with_the_first_window() {
        let mut pace = Pace::new(1024).expect("a rate");
        for second in 1..10 {
            pace.came(seconds(1), 1);
            assert_eq!(pace.patience(), seconds(10 - second));
        }
        pace.came(seconds(1), 1);
        assert_eq!(pace.patience(), Duration::ZERO);
    }

    #[test]
    fn a_steady_client_goes_on_for_ever() {
        let mut pace = Pace::new(1024).expect("a rate");
        for _ in 0..100 {
            pace.came(seconds(1), 1024);
            assert!(pace.patience() >= seconds(1), "{pace:?}");
            assert!(pace.recent.len() <= 20);
        }
    }

    #[test]
    fn just_under_the_rate_is_too_slow() {
        let mut pace = Pace::new(1024).expect("a rate");
        for _ in 0..10 {
            pace.came(seconds(1), 1023);
        }
        assert_eq!(pace.patience(), Duration::ZERO);
    }

    #[test]
    fn a_burst_buys_one_window() {
        let mut pace = Pace::new(1000).expect("a rate");
        for _ in 0..20 {
            pace.came(seconds(1), 1000);
        }
        pace.came(Duration::ZERO, 1_000_000);
        assert_eq!(pace.patience(), seconds(5));
        // Early bytes have left the first window that is judged.
        let mut early = Pace::new(1000).expect("a rate");
        early.came(seconds(1), 1_000_000);
        assert_eq!(early.patience(), seconds(9));
    }

    #[test]
    fn many_small_pieces_take_little_memory() {
        let mut pace = Pace::new(1).expect("a rate");
        for _ in 0..100_000 {
            pace.came(Duration::from_micros(100), 1);
        }
        assert!(pace.recent.len() <= 21, "{}", pace.recent.len());
    }
}
