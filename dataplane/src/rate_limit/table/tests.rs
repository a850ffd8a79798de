//! The bounds that are promised, against an exact log of admissions, in simulated time and under real concurrency.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a failing test may panic

use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use proptest::prelude::*;
use waf_shared::plan::{Millis, RateLimitSource};

use super::*;

mod order;

const SECOND: u64 = 1_000 * NANOS;

/// Beyond zero, which stands for never.
const START: u64 = 1_000 * SECOND;

fn limit(requests: u64, window: u64, max_keys: u64) -> RateLimit {
    RateLimit {
        requests,
        window: Millis(window / NANOS),
        source: RateLimitSource::Ip,
        max_keys,
        ttl: Millis(600_000),
        inherited: false,
    }
}

/// Spread as a hash would.
fn key(number: u64) -> Key {
    let mix = |seed: u64| {
        let mut x = number.wrapping_add(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    Key { place: mix(1), name: mix(1 << 40) }
}

/// The exact sliding window: a log of what was admitted.
#[derive(Default)]
struct Log(VecDeque<u64>);

impl Log {
    /// Admissions in the window that ends at `now`.
    fn within(&mut self, now: u64, window: u64) -> u64 {
        while self.0.front().is_some_and(|at| now - at >= window) {
            self.0.pop_front();
        }
        self.0.len() as u64
    }
}

/// Runs requests at these times and holds every answer against the log. Returns how many were admitted.
fn follow(requests: u64, window: u64, times: impl Iterator<Item = u64>) -> u64 {
    let table = Table::own(&limit(requests, window, 10));
    let (mut log, mut admitted) = (Log::default(), 0);
    let mut promised = None;
    for now in times {
        let before = log.within(now, window);
        match table.check(key(1), now) {
            Outcome::Admitted => {
                assert!(before < requests, "over the limit: {before} of {requests} before");
                log.0.push_back(now);
                admitted += 1;
                promised = None;
            }
            Outcome::Exceeded { wait, .. } => {
                // At most 2 % under, and with few requests not at all.
                let least = requests - requests.div_ceil(56) + 1;
                assert!(
                    before >= least && before * 100 >= requests * 98,
                    "refused after {before} of {requests}"
                );
                assert!(wait > 0 && wait <= window);
                assert!(promised.is_none_or(|at| now < at && now + wait == at), "a promise was broken");
                promised = Some(now + wait);
            }
        }
    }
    admitted
}

#[test]
fn a_minute_of_a_thousand_is_kept_in_every_sliding_minute() {
    let window = 60 * SECOND;
    // 8 clients that never stop asking: 400 requests a second for five minutes, evenly and in bursts.
    let even = (0..120_000).map(|n| START + n * SECOND / 400);
    assert!((4_900..=5_000).contains(&follow(1_000, window, even)));
    let bursts = (0..120_000).map(|n| START + n / 4_000 * 10 * SECOND + n % 4_000);
    assert!((4_900..=5_000).contains(&follow(1_000, window, bursts)));
    // Who keeps to 98 % of it is never refused.
    let slow = (0..10_000).map(|n| START + n * window / 980);
    assert_eq!(follow(1_000, window, slow), 10_000);
    // Who asks for a little more than all of it gets at least as much.
    let faster = (0..10_000).map(|n| START + n * window / 1_001);
    assert!(follow(1_000, window, faster) >= 9_790);
}

#[test]
fn a_client_that_waits_as_told_is_admitted() {
    for requests in [1, 2, 7, 56, 57, 1_000] {
        let table = Table::own(&limit(requests, SECOND, 10));
        let mut now = START;
        for _ in 0..4 * requests {
            now += 100_000;
            if let Outcome::Exceeded { wait, .. } = table.check(key(1), now) {
                let early = table.check(key(1), now + wait - 1);
                assert!(matches!(early, Outcome::Exceeded { wait: 1, .. }), "{requests}: {early:?}");
                now += wait;
                assert_eq!(table.check(key(1), now), Outcome::Admitted, "{requests}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_arrivals_keep_the_bounds(
        requests in prop_oneof![1u64..8, 50u64..70, 100u64..400],
        gaps in proptest::collection::vec(prop_oneof![
            20 => 0..SECOND / 1_000,
            10 => 0..SECOND / 50,
            2 => 0..SECOND,
            1 => 0..SECOND * 3,
        ], 1..3_000),
    ) {
        let times = gaps.into_iter().scan(START, |now, gap| { *now += gap; Some(*now) });
        follow(requests, SECOND, times);
    }
}

#[test]
fn keys_are_counted_each_by_itself() {
    let table = Table::own(&limit(3, SECOND, 1_000));
    for round in 0..4 {
        for number in 0..500 {
            let outcome = table.check(key(number), START);
            assert_eq!(outcome == Outcome::Admitted, round < 3, "key {number}, round {round}: {outcome:?}");
        }
    }
}

#[test]
fn one_refusal_a_window_is_told_and_the_rest_is_counted() {
    let table = Table::own(&limit(1, SECOND, 10));
    assert_eq!(table.check(key(1), START), Outcome::Admitted);
    let mut reported = Vec::new();
    for n in 1..2_000 {
        let now = START + n * SECOND / 1_000;
        if let Outcome::Exceeded { untold: Some(before), .. } = table.check(key(1), now) {
            reported.push((n, before));
        }
    }
    // 1,000 is admitted, so that the second window's refusals are those from 1 to 999 but the first.
    assert_eq!(reported, [(1, 0), (1_001, 998)]);
}

/// Threads that run `work` at once.
fn together(threads: u64, work: impl Fn(u64) + Sync) {
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let work = &work;
            scope.spawn(move || work(thread));
        }
    });
}

#[test]
fn a_key_that_many_meet_for_the_first_time_has_one_quota() {
    // An owner of the lock that is stopped for longer than that loses it, and nothing else.
    for lease in [Duration::from_millis(20), Duration::from_millis(1)] {
        let mut table = Table::own(&limit(5, SECOND, 4 * FIRST_MET));
        table.patience.lease = lease;
        each_key_has_one_quota(&table);
    }
}

/// Keys that are met for the first time.
const FIRST_MET: u64 = 30_000;

fn each_key_has_one_quota(table: &Table) {
    const KEYS: u64 = FIRST_MET;
    let admitted: Vec<AtomicUsize> = (0..KEYS).map(|_| AtomicUsize::new(0)).collect();
    together(8, |_| {
        for (number, admitted) in (0..).zip(&admitted) {
            for _ in 0..2 {
                if table.check(key(number), START) == Outcome::Admitted {
                    admitted.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    let wrong = admitted.iter().filter(|count| count.load(Ordering::Relaxed) != 5).count();
    assert_eq!(wrong, 0, "of {KEYS} keys");
}

#[test]
fn eight_workers_on_one_key_keep_the_limit() {
    let (requests, window) = (1_000, SECOND);
    let table = Table::own(&limit(requests, window, 100));
    // One clock for all, on which every check takes ten microseconds: each window sees 100,000 requests.
    let clock = AtomicU64::new(START);
    let admitted: Vec<std::sync::Mutex<Vec<u64>>> = (0..8).map(|_| std::sync::Mutex::default()).collect();
    together(8, |thread| {
        let mut mine = admitted[thread as usize].lock().unwrap();
        for _ in 0..50_000 {
            let now = clock.fetch_add(10_000, Ordering::SeqCst);
            if table.check(key(1), now) == Outcome::Admitted {
                mine.push(now);
            }
        }
    });
    let mut times: Vec<u64> = admitted.into_iter().flat_map(|times| times.into_inner().unwrap()).collect();
    times.sort_unstable();
    let mut oldest = 0;
    let mut most = 0;
    for newest in 0..times.len() {
        while times[newest] - times[oldest] >= window {
            oldest += 1;
        }
        most = most.max(newest - oldest + 1);
    }
    // A thread that was stopped between the clock and the check may differ from its place by one admission.
    assert!(most as u64 <= requests + 8, "{most} in one window");
    let windows = (clock.load(Ordering::SeqCst) - START) as f64 / window as f64;
    assert!(
        times.len() as f64 >= (windows - 1.0) * requests as f64 * 0.98,
        "{} in {windows} windows",
        times.len()
    );
}
