//! Which keys are kept: against a plain list in the order of use, under concurrency, and after deaths at any step.

use std::collections::HashMap;

use waf_shared::rate_limit::{HEADER_WORDS, JOURNAL_WORDS, JOURNALS, LOCK_WORDS};

use super::*;

/// A table whose lock is taken from the dead at once.
fn table(limit: &RateLimit) -> Table {
    let mut table = Table::own(limit);
    table.patience.lease = Duration::from_millis(1);
    table
}

/// Tags of the keys that are kept, sorted.
fn tags(table: &Table) -> Vec<u64> {
    let nodes = table.recency().nodes().filter(Node::is_key);
    let mut tags: Vec<u64> = nodes.map(|node| node.head & !table.sequence).collect();
    tags.sort_unstable();
    tags
}

#[test]
fn churn_by_many_threads_keeps_the_table_in_order() {
    // Owners of the lock that are taken for dead at once, too.
    for lease in [Duration::from_millis(20), Duration::ZERO] {
        let mut table = Table::own(&limit(2, SECOND, 64));
        table.patience.lease = lease;
        together(8, |thread| {
            for number in 0..20_000 {
                table.check(key((number * 7 + thread) % 500), START + number);
            }
        });
        assert!(tags(&table).len() <= 64);
        // The order is whole: new keys displace every one of them, one by one.
        for number in 1_000..1_064 {
            table.check(key(number), START + SECOND);
        }
        let mut expected: Vec<u64> = (1_000..1_064).map(|n| IS_KEY | key(n).name & !table.sequence).collect();
        expected.sort_unstable();
        assert_eq!(tags(&table), expected);
    }
}

#[test]
fn exactly_the_keys_that_were_used_last_are_kept() {
    for keys in [1, 2, 16, 17, 100, 1_000, 10_000] {
        let table = Table::own(&limit(1, 1_000 * SECOND, keys));
        for number in 0..keys {
            assert_eq!(table.check(key(number), START + number), Outcome::Admitted);
        }
        let lost = (0..keys).filter(|n| table.check(key(*n), START + SECOND) == Outcome::Admitted).count();
        assert_eq!(lost, 0, "of {keys} keys in use");
        // Half of as many new ones displace the half that was used before the rest.
        let new = keys / 2;
        for number in 0..new {
            table.check(key(keys + number), START + 2 * SECOND);
        }
        let mut kept: Vec<u64> = (new..keys + new).map(|n| IS_KEY | key(n).name & !table.sequence).collect();
        kept.sort_unstable();
        assert_eq!(tags(&table), kept, "{keys} keys");
    }
}

/// The promise as a list: keys in the order of their use, each with the times of its admissions.
struct Model {
    limit: RateLimit,
    /// The key that was used last is the last one.
    keys: Vec<u64>,
    counts: HashMap<u64, (u64, Log)>,
}

impl Model {
    fn check(&mut self, number: u64, now: u64) -> bool {
        let (window, ttl) = (self.limit.window.0 * NANOS, self.limit.ttl.0 * NANOS);
        self.keys.retain(|known| *known != number);
        self.keys.push(number);
        if self.keys.len() as u64 > self.limit.max_keys {
            let lost = self.keys.remove(0);
            self.counts.remove(&lost);
        }
        let (used, log) = self.counts.entry(number).or_default();
        if now - *used >= ttl {
            *log = Log::default();
        }
        *used = now;
        let is_admitted = log.within(now, window) < self.limit.requests;
        if is_admitted {
            log.0.push_back(now);
        }
        is_admitted
    }
}

proptest! {
    #[test]
    fn any_use_of_keys_is_as_a_plain_list_says(
        requests in 1u64..6,
        max_keys in 1u64..40,
        ttl in prop_oneof![Just(300u64), Just(1_000), Just(2_500), Just(60_000)],
        uses in proptest::collection::vec(
            (0u64..60, prop_oneof![20 => 0..SECOND / 100, 3 => 0..SECOND, 1 => 0..4 * SECOND]),
            1..600,
        ),
    ) {
        let limit = RateLimit { ttl: Millis(ttl), ..limit(requests, SECOND, max_keys) };
        let table = Table::own(&limit);
        let mut model = Model { limit, keys: Vec::new(), counts: HashMap::new() };
        let mut now = START;
        for (number, gap) in uses {
            now += gap;
            let outcome = table.check(key(number), now);
            prop_assert_eq!(outcome == Outcome::Admitted, model.check(number, now), "{} at {}", number, now);
        }
        let mut kept: Vec<u64> =
            model.keys.iter().map(|n| IS_KEY | key(*n).name & !table.sequence).collect();
        kept.sort_unstable();
        prop_assert_eq!(tags(&table), kept);
    }
}

#[test]
fn a_full_table_loses_the_key_that_was_idle_for_longest() {
    let table = Table::own(&limit(1, 100 * SECOND, 10));
    for number in 0..10 {
        table.check(key(number), START + number * SECOND);
    }
    // All are full; the first one is asked for again and again, and stays though it is refused.
    let is_known = |number, now| table.check(key(number), now) != Outcome::Admitted;
    for number in 20..25 {
        assert!(is_known(0, START + number * SECOND));
        assert!(!is_known(number, START + number * SECOND));
    }
    assert!(is_known(0, START + 30 * SECOND) && is_known(9, START + 30 * SECOND));
    assert!(!is_known(1, START + 31 * SECOND), "it was forgotten");
}

#[test]
fn a_million_keys_take_the_memory_of_max_keys() {
    let limit = limit(1_000, SECOND, 100_000);
    let table = Table::own(&limit);
    let bytes = table.bytes();
    assert!(bytes <= 100_000 * 512 + 4096, "{bytes} bytes");
    for number in 0..1_000_000 {
        assert_eq!(table.check(key(number), START + number * 1_000), Outcome::Admitted);
    }
    assert_eq!((table.keys(START + SECOND), table.bytes()), (100_000, bytes));
    // What is in use is not lost to the flood: these come by turns with hundreds of others.
    let busy = |n: u64| key(2_000_000 + n);
    for round in 0..30 {
        for n in 0..100 {
            table.check(busy(n), START + 2 * SECOND + round * 10 * NANOS);
        }
        for n in 0..10_000 {
            table.check(key(3_000_000 + round * 10_000 + n), START + 2 * SECOND + round * 10 * NANOS);
        }
    }
    let admitted = |n| {
        (0..1_000)
            .filter(|_| table.check(busy(n), START + 2 * SECOND + 400 * NANOS) == Outcome::Admitted)
            .count()
    };
    assert!((0..100).all(|n| admitted(n) == 970), "a count was lost");
}

#[test]
fn a_key_is_forgotten_after_ttl_without_a_request() {
    let of = |ttl| Table::own(&RateLimit { ttl: Millis(ttl), ..limit(1, 10 * SECOND, 4) });
    for (ttl, gap, is_forgotten) in [
        (1_000, SECOND - 1, false),
        (1_000, SECOND, true),
        (1_000, 9 * SECOND, true),
        (1, NANOS, true),
        (9_999, 9_999 * NANOS, true),
        (10_000, 9_999 * NANOS, false),
        (60_000, 9_999 * NANOS, false),
        (60_000, 10 * SECOND, true),
    ] {
        let table = of(ttl);
        assert_eq!(table.check(key(1), START), Outcome::Admitted);
        let outcome = table.check(key(1), START + gap);
        assert_eq!(outcome == Outcome::Admitted, is_forgotten, "ttl {ttl}, {gap} later");
        assert_ne!(table.check(key(1), START + gap), Outcome::Admitted, "it counts again");
    }
    // A refusal is a use too: who never pauses is never forgotten.
    let table = of(1_000);
    assert_eq!(table.check(key(1), START), Outcome::Admitted);
    for step in 1..100 {
        assert_ne!(table.check(key(1), START + step * SECOND / 11), Outcome::Admitted, "{step}");
    }
    assert_eq!((table.keys(START + 9 * SECOND), table.keys(START + 11 * SECOND)), (1, 0));
}

#[test]
fn a_worker_that_dies_at_any_step_locks_nothing_and_lets_nobody_through() {
    let limit = limit(2, SECOND, 3);
    let (now, later) = (START + 1, START + SECOND / 2);
    // With the lock: before a change, and with a change that cannot be read.
    for word in [12_346, 12_347] {
        let table = table(&limit);
        table.check(key(9), START);
        table.words()[0].store(word, Ordering::SeqCst);
        for number in 0..3 {
            assert_eq!(table.check(key(number), now), Outcome::Admitted, "the lock was taken over");
        }
        assert_eq!(table.keys(now), 3);
    }
    // Between the time and the admission: the time stands, and nobody was counted.
    let table = table(&limit);
    table.check(key(1), START);
    let node = table.recency().nodes().next().unwrap();
    node.history(1).unwrap().store(later, Ordering::SeqCst);
    assert_eq!(table.check(key(1), now), Outcome::Admitted);
    assert!(matches!(table.check(key(1), later), Outcome::Exceeded { .. }));
    assert_eq!(table.check(key(1), START + SECOND), Outcome::Admitted, "the first is over");
    assert!(matches!(table.check(key(1), START + SECOND + 1), Outcome::Exceeded { .. }), "fewer, not more");
}

#[test]
fn a_worker_that_dies_between_any_two_words_leaves_the_order_whole() {
    let limit = limit(1, 1_000 * SECOND, 8);
    let fill = || {
        let table = table(&limit);
        for number in 0..8 {
            table.check(key(number), START);
        }
        table
    };
    // The words that one more key changes, from a table on which it came, with no journal but its own.
    let (before, after) = (fill(), fill());
    let value = |table: &Table, at: usize| table.words()[at].load(Ordering::SeqCst);
    let journals = HEADER_WORDS..LOCK_WORDS;
    journals.clone().for_each(|at| after.words()[at].store(0, Ordering::SeqCst));
    after.check(key(100), START);
    let written = journals.clone().find(|at| value(&after, *at) != 0).unwrap();
    let changed: Vec<usize> = (1..before.words().len())
        .filter(|at| !journals.contains(at) && value(&before, *at) != value(&after, *at))
        .collect();
    let is_head = |at: usize| value(&after, at) & IS_KEY != 0 && value(&after, at) & after.sequence == 1;
    assert_eq!(changed.iter().filter(|at| is_head(**at)).count(), 1);
    for (stop, is_committed) in (0..=changed.len()).map(|stop| (stop, true)).chain([(0, false)]) {
        let table = fill();
        let set = |at: usize, value: u64| table.words()[at].store(value, Ordering::SeqCst);
        // Of the owner whose journal it is.
        let journal = (written - HEADER_WORDS) / JOURNAL_WORDS;
        set(0, (2 * (99 * JOURNALS + journal) as u64) | u64::from(is_committed));
        journals.clone().for_each(|at| set(at, value(&after, at)));
        for at in changed.iter().take(stop) {
            set(*at, if is_head(*at) { value(&after, *at) & !table.sequence } else { value(&after, *at) });
        }
        // The next one finishes the change, or sees none of it.
        // Not the key in front, which needs no lock.
        assert_ne!(table.check(key(6), START + 1), Outcome::Admitted, "{stop}");
        let expected = tags(&after);
        let kept = tags(&table);
        if is_committed {
            assert_eq!(kept, expected, "after {stop} words");
        } else {
            assert_eq!(kept, tags(&before), "nothing was changed");
        }
        assert_whole(&table, stop);
    }
}

/// Asserts that eight new keys replace the eight of `table`, in which `stop` words of a change were written.
fn assert_whole(table: &Table, stop: usize) {
    for round in 0..2 {
        for number in 200..208 {
            let outcome = table.check(key(number), START + 2);
            assert_eq!(outcome == Outcome::Admitted, round == 0, "{number} after {stop} words");
        }
    }
    assert_eq!(tags(table).len(), 8, "after {stop} words");
}

#[test]
fn memory_of_garbage_is_survived() {
    let mut seed = 0;
    for _ in 0..200 {
        let table = table(&limit(60, SECOND, 40));
        for word in table.words() {
            seed += 1;
            word.store(key(seed).name, Ordering::SeqCst);
        }
        for number in 0..50 {
            table.check(key(number), START + number);
        }
        assert!(tags(&table).len() <= 40);
    }
}
