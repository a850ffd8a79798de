//! The pace of a peer: it has to move enough bytes in every window of waiting for it. Time spent on anything else,
//! such as an upstream that takes no more or has nothing to say, does not count. No clock here: callers say how long
//! they waited.

use std::collections::VecDeque;
use std::time::Duration;

use waf_shared::limits;

/// The window over which a body is judged.
const BODY_WINDOW: Duration = Duration::from_secs(5);

/// Before this no window of a body begins: clients and networks need time to get going.
const BODY_GRACE: Duration = Duration::from_secs(5);

/// The window over which the taking of an answer is judged.
const ANSWER_WINDOW: Duration = Duration::from_secs(limits::CLIENT_STALL_SECONDS);

/// Bytes that come this close to each other are counted as one.
const SLOT: Duration = Duration::from_millis(250);

/// A peer that has been waited for so long is slow.
const SLOW: Duration = Duration::from_secs(1);

/// Bytes that a slow peer is offered at once.
const PIECE_BYTES: usize = 4 << 10;

/// The wait for a peer that takes bytes: until it has taken none for the stall, or too few for its rate.
#[derive(Debug)]
pub(crate) struct Patience {
    stall: Duration,
    bytes_per_second: u64,
    min_rate: Option<MinRate>,
}

impl Patience {
    /// For a peer that may take no byte for as long as `stall`.
    pub(crate) fn new(stall: Duration) -> Patience {
        Patience { stall, bytes_per_second: 0, min_rate: None }
    }

    /// Asks for so many bytes a second from now on; 0 is off.
    pub(crate) fn keep_min_rate(&mut self, bytes_per_second: u64) {
        self.bytes_per_second = bytes_per_second;
        self.min_rate = MinRate::of_answer(bytes_per_second);
    }

    /// Time that the peer may be waited for now.
    pub(crate) fn left(&self) -> Duration {
        self.min_rate.as_ref().map_or(self.stall, |min_rate| min_rate.patience().min(self.stall))
    }

    /// After waiting for `waited`, the peer took so many bytes.
    pub(crate) fn took(&mut self, waited: Duration, bytes: usize) {
        if let Some(min_rate) = &mut self.min_rate {
            min_rate.came(waited, bytes);
        }
    }

    /// Bytes to offer the peer at once. One that has let bytes wait gets few: the kernel takes all of a small piece or
    /// none, and what the peer takes is seen in steps of pieces.
    pub(crate) fn piece(&self) -> usize {
        let is_slow = self.min_rate.as_ref().is_some_and(|min_rate| min_rate.waited >= SLOW);
        if is_slow { PIECE_BYTES } else { usize::MAX }
    }

    /// Bytes that a connection has to move in `time` for its streams to wait for each other.
    pub(crate) fn least(&self, time: Duration) -> u64 {
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        (self.bytes_per_second.saturating_mul(milliseconds) / 1000).max(1)
    }
}

/// The pace of one body or answer.
#[derive(Debug)]
pub(crate) struct MinRate {
    /// Bytes of one window.
    bytes_min: u64,
    window: Duration,
    /// When the first window is over.
    first: Duration,
    waited: Duration,
    /// When bytes came, on the clock of waiting, and how many; a bounded number, since slots are merged.
    recent: VecDeque<(Duration, u64)>,
}

impl MinRate {
    /// Of a body that comes: at least so many bytes a second; `None` when that is none.
    pub(crate) fn of_body(bytes_per_second: u64) -> Option<MinRate> {
        MinRate::new(bytes_per_second, BODY_WINDOW, BODY_GRACE + BODY_WINDOW)
    }

    /// Of an answer that is taken.
    pub(crate) fn of_answer(bytes_per_second: u64) -> Option<MinRate> {
        MinRate::new(bytes_per_second, ANSWER_WINDOW, ANSWER_WINDOW)
    }

    fn new(bytes_per_second: u64, window: Duration, first: Duration) -> Option<MinRate> {
        let bytes_min = bytes_per_second.saturating_mul(window.as_secs());
        (bytes_min > 0).then(|| MinRate {
            bytes_min,
            window,
            first,
            waited: Duration::ZERO,
            recent: VecDeque::new(),
        })
    }

    /// After waiting for `waited`, so many bytes came.
    pub(crate) fn came(&mut self, waited: Duration, bytes: usize) {
        self.waited = self.waited.saturating_add(waited);
        match self.recent.back_mut() {
            Some((last, sum)) if self.waited.saturating_sub(*last) < SLOT => {
                *sum = sum.saturating_add(bytes as u64);
            }
            _ => self.recent.push_back((self.waited, bytes as u64)),
        }
        while self.recent.front().is_some_and(|(at, _)| *at + self.window <= self.waited) {
            self.recent.pop_front();
        }
    }

    /// Time that the client may be waited for now until its window holds too little.
    pub(crate) fn patience(&self) -> Duration {
        // No window is judged before the first whole one after the grace.
        let window = self.window;
        let mut at = self.waited.max(self.first);
        let inside = |at: Duration| self.recent.iter().filter(move |(came, _)| *came + window > at);
        let mut held = inside(at).map(|(_, bytes)| *bytes).fold(0, u64::saturating_add);
        for (came, bytes) in inside(at) {
            if held < self.bytes_min {
                break;
            }
            held = held.saturating_sub(*bytes);
            at = *came + window;
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
        assert!(MinRate::of_body(0).is_none());
    }

    #[test]
    fn a_silent_client_has_the_grace_and_one_window() {
        let min_rate = MinRate::of_body(1024).expect("a rate");
        assert_eq!(min_rate.patience(), seconds(10));
    }

    #[test]
    fn a_dribble_ends_with_the_first_window() {
        let mut min_rate = MinRate::of_body(1024).expect("a rate");
        for second in 1..10 {
            min_rate.came(seconds(1), 1);
            assert_eq!(min_rate.patience(), seconds(10 - second));
        }
        min_rate.came(seconds(1), 1);
        assert_eq!(min_rate.patience(), Duration::ZERO);
    }

    #[test]
    fn a_steady_client_goes_on_for_ever() {
        let mut min_rate = MinRate::of_body(1024).expect("a rate");
        for _ in 0..100 {
            min_rate.came(seconds(1), 1024);
            assert!(min_rate.patience() >= seconds(1), "{min_rate:?}");
            assert!(min_rate.recent.len() <= 20);
        }
    }

    #[test]
    fn just_under_the_rate_is_too_slow() {
        let mut min_rate = MinRate::of_body(1024).expect("a rate");
        for _ in 0..10 {
            min_rate.came(seconds(1), 1023);
        }
        assert_eq!(min_rate.patience(), Duration::ZERO);
    }

    #[test]
    fn a_burst_buys_one_window() {
        let mut min_rate = MinRate::of_body(1000).expect("a rate");
        for _ in 0..20 {
            min_rate.came(seconds(1), 1000);
        }
        min_rate.came(Duration::ZERO, 1_000_000);
        assert_eq!(min_rate.patience(), seconds(5));
        // Early bytes have left the first window that is judged.
        let mut early = MinRate::of_body(1000).expect("a rate");
        early.came(seconds(1), 1_000_000);
        assert_eq!(early.patience(), seconds(9));
    }

    #[test]
    fn many_small_pieces_take_little_memory() {
        let mut min_rate = MinRate::of_body(1).expect("a rate");
        for _ in 0..100_000 {
            min_rate.came(Duration::from_micros(100), 1);
        }
        assert!(min_rate.recent.len() <= 21, "{}", min_rate.recent.len());
    }

    #[test]
    fn an_answer_is_taken_at_the_rate_or_given_up_within_ten_seconds_of_waiting() {
        let ten = seconds(10);
        // Per step: seconds of waiting, bytes taken at its end; and whether the peer is still waited for.
        for (what, steps, goes_on) in [
            ("nothing", &[(10, 0)][..], false),
            ("a byte a second", &[(1, 1); 10], false),
            ("a byte now and then", &[(9, 1), (1, 1)], false),
            ("just too little", &[(1, 1023); 10], false),
            ("a burst, then nothing", &[(0, 5_000_000), (10, 0)], false),
            ("a burst, then a trickle", &[(0, 5_000_000), (5, 100), (5, 100)], false),
            ("enough, then a trickle", &[(5, 50_000), (5, 100), (5, 100), (5, 100)], false),
            ("the rate", &[(1, 1024); 30], true),
            ("the rate in steps of nine seconds", &[(9, 10_240); 10], true),
            ("no waiting at all", &[(0, 10); 1000], true),
            ("little, and little waiting", &[(0, 10), (3, 10), (3, 10)], true),
        ] {
            let mut patience = Patience::new(ten);
            patience.keep_min_rate(1024);
            for (waited, bytes) in steps {
                patience.took(seconds(*waited), *bytes);
            }
            assert_eq!(!patience.left().is_zero(), goes_on, "{what}: {patience:?}");
        }
        let mut without = Patience::new(ten);
        without.keep_min_rate(0);
        without.took(seconds(100), 1);
        assert_eq!(without.left(), ten, "no rate: only silence ends the wait");
    }
}
