//! Lifetimes, failures and clocks that are wrong.

use std::sync::Arc;

use super::*;
use crate::disk::Pair;

const DAY: u64 = 24 * 3600;

/// A certificate that began `before` and ends `after` seconds from `wall`.
fn pair(wall: SystemTime, before: u64, after: u64) -> Pair {
    Pair {
        names: vec!["a.example".into()],
        chain_pem: b"chain".to_vec(),
        key_pem: Vec::new(),
        not_before: wall - Duration::from_secs(before),
        not_after: wall + Duration::from_secs(after),
        issuer: "test".into(),
        provenance: Provenance::Acme,
    }
}

fn holding(pair: &Pair) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.pairs.insert("a.example".into(), Arc::new(pair.clone()));
    snapshot
}

#[test]
fn renewal_is_at_two_thirds_and_at_half_of_a_short_life() {
    let wall = SystemTime::now();
    for (days, fraction) in [(90, 2.0 / 3.0), (45, 2.0 / 3.0), (6, 0.5), (1, 0.5)] {
        let pair = pair(wall, 0, days * DAY);
        let share =
            renewal(&pair).duration_since(wall).unwrap().as_secs_f64() / pair.lifetime().as_secs_f64();
        assert!(share <= fraction && share > fraction - 1.0 / 59.0, "{days} days: {share}");
    }
}

#[test]
fn a_good_certificate_needs_no_order() {
    let (wall, now) = (SystemTime::now(), Instant::now());
    let schedule = Schedule::default();
    let due = |snapshot: &Snapshot, wall: SystemTime| {
        schedule.due(["a.example", "localhost"].into_iter(), snapshot, wall, now)
    };
    assert_eq!(due(&Snapshot::default(), wall), ["a.example"], "no authority takes one label");
    let fresh = holding(&pair(wall, 0, 90 * DAY));
    assert!(due(&fresh, wall).is_empty());
    assert!(due(&fresh, wall + Duration::from_secs(58 * DAY)).is_empty());
    assert_eq!(due(&fresh, wall + Duration::from_secs(60 * DAY)), ["a.example"]);
    let own = Pair { provenance: Provenance::Own, ..pair(wall, 90 * DAY, 1) };
    assert!(due(&holding(&own), wall).is_empty(), "the operator renews what is the operator's");
    assert!(schedule.due_at("a.example", &fresh, wall, now).unwrap() > now);
}

#[test]
fn a_clock_that_is_a_day_off_neither_orders_without_end_nor_too_late() {
    let now = Instant::now();
    let truth = SystemTime::now();
    let day = Duration::from_secs(DAY);
    for (here, what) in [(truth + day, "ahead"), (truth - day, "behind")] {
        for days in [1, 6, 90] {
            let issued = pair(truth, 3600, days * DAY - 3600);
            let mut schedule = Schedule::default();
            schedule.begin("a.example");
            schedule.succeeded("a.example", &issued, now);
            let at = schedule.due_at("a.example", &holding(&issued), here, now).unwrap();
            let wait = at.duration_since(now);
            assert!(wait >= issued.lifetime() / FLOOR_FRACTION, "{what}, {days} days: again after {wait:?}");
            if days > 1 {
                let end = issued.not_after.duration_since(truth).unwrap();
                assert!(wait < end, "{what}, {days} days: only after {wait:?}");
            }
        }
    }
}

#[test]
fn pauses_grow_and_are_never_shorter_than_the_authority_asks() {
    let seconds = |why, failures| pause(why, failures, None, 0.0).as_secs();
    assert_eq!([1, 2, 3, 20].map(|n| seconds(Why::Unreachable, n)), [2, 4, 8, 300]);
    assert_eq!([1, 2, 3, 4, 99].map(|n| seconds(Why::Unproven, n)), [60, 240, 960, 3600, 3600]);
    assert_eq!(seconds(Why::RateLimited, 1), 3600);
    assert_eq!(seconds(Why::Rejected, 1), 6 * 3600);
    let asked = Some(Duration::from_hours(2));
    for why in [Why::Unreachable, Why::Unproven, Why::RateLimited, Why::Local, Why::NotReplaceable] {
        assert_eq!(pause(why, 1, asked, 0.5), Duration::from_hours(2), "{why:?}");
    }
    assert_eq!(pause(Why::RateLimited, 1, Some(Duration::from_secs(3)), 0.0), Duration::from_secs(3));
    assert_eq!(pause(Why::Unproven, 1, Some(Duration::MAX), 0.0), RETRY_AFTER_LONGEST);
    assert_eq!(pause(Why::Unproven, 1, None, 1.0), Duration::from_secs(72));
}

#[test]
fn five_failed_proofs_an_hour_are_not_exceeded() {
    let (mut at, mut tries) = (Duration::ZERO, Vec::new());
    for failures in 1..40 {
        tries.push(at);
        at += pause(Why::Unproven, failures, None, 0.0);
    }
    for (index, first) in tries.iter().enumerate() {
        let hour = tries[index..].iter().filter(|at| **at < *first + Duration::from_hours(1)).count();
        assert!(hour <= 5, "{hour} tries within an hour from {first:?}");
    }
}

#[test]
fn a_failing_name_waits_and_the_others_do_not() {
    let (wall, now) = (SystemTime::now(), Instant::now());
    let mut schedule = Schedule::default();
    let names = ["bad.example", "good.example"];
    schedule.begin("bad.example");
    assert_eq!(schedule.due(names.into_iter(), &Snapshot::default(), wall, now), ["good.example"]);
    let pause = schedule.failed("bad.example", Why::Unproven, None, now, 0.0);
    assert_eq!(schedule.due(names.into_iter(), &Snapshot::default(), wall, now), ["good.example"]);
    let later = now + pause;
    // One that never was tried goes before one that failed.
    assert_eq!(
        schedule.due(names.into_iter(), &Snapshot::default(), wall, later),
        ["good.example", "bad.example"]
    );
    assert_eq!(schedule.failures("bad.example"), 1);
    schedule.succeeded("bad.example", &pair(wall, 0, 90 * DAY), later);
    assert_eq!(schedule.failures("bad.example"), 0);
}

#[test]
fn the_authoritys_suggestion_goes_before_the_lifetime() {
    let (wall, now) = (SystemTime::now(), Instant::now());
    let held = pair(wall, DAY, 89 * DAY);
    let snapshot = holding(&held);
    let mut schedule = Schedule::default();
    assert!(schedule.ask_due("a.example", &held, now));
    schedule.begin("a.example");
    assert!(!schedule.ask_due("a.example", &held, now));
    let hours = |n: u64| wall + Duration::from_secs(n * 3600);
    schedule.suggested("a.example", &held, Some((hours(10), hours(20))), Duration::ZERO, now, 0.5);
    assert_eq!(schedule.renew_at("a.example", &held), hours(15));
    assert!(
        !schedule.ask_due("a.example", &held, now)
            && schedule.ask_due("a.example", &held, now + SUGGESTION_SHORTEST)
    );
    // Drawn once, it stays while it lies within.
    schedule.suggested("a.example", &held, Some((hours(12), hours(30))), Duration::MAX, now, 0.9);
    assert_eq!(schedule.renew_at("a.example", &held), hours(15));
    assert!(schedule.ask_due("a.example", &held, now + SUGGESTION_LONGEST));
    // A window in the past asks for a renewal at once: the certificate is about to be revoked.
    let past = Some((wall - Duration::from_secs(DAY), wall - Duration::from_hours(1)));
    schedule.suggested("a.example", &held, past, Duration::from_hours(6), now, 0.5);
    assert_eq!(schedule.due(["a.example"].into_iter(), &snapshot, wall, now), ["a.example"]);
    // What was said about one certificate says nothing about the next, and silence means the lifetime.
    let next = pair(wall, 0, 90 * DAY);
    assert_eq!(schedule.renew_at("a.example", &next), renewal(&next));
    schedule.suggested("a.example", &held, None, Duration::from_hours(6), now, 0.5);
    assert_eq!(schedule.renew_at("a.example", &held), renewal(&held));
    // Never after its end.
    schedule.suggested("a.example", &held, Some((hours(9_000), hours(9_001))), Duration::ZERO, now, 0.5);
    assert_eq!(schedule.renew_at("a.example", &held), held.not_after);
}

#[test]
fn an_order_that_must_not_replace_is_tried_without() {
    let now = Instant::now();
    let mut schedule = Schedule::default();
    assert!(!schedule.is_plain("a.example"));
    assert_eq!(schedule.failed("a.example", Why::NotReplaceable, None, now, 0.0), UNREACHABLE_FIRST);
    assert!(schedule.is_plain("a.example"));
}

#[test]
fn a_disk_that_cannot_be_written_is_no_failure_of_a_name() {
    let (wall, now) = (SystemTime::now(), Instant::now());
    let mut schedule = Schedule::default();
    schedule.begin("a.example");
    assert_eq!(schedule.failed("a.example", Why::Disk, None, now, 1.0), Duration::ZERO);
    assert_eq!(schedule.failures("a.example"), 0, "the next try uses the same challenge");
    assert_eq!(schedule.due(["a.example"].into_iter(), &Snapshot::default(), wall, now), ["a.example"]);
}

#[test]
fn what_was_just_issued_has_time_to_appear() {
    let (wall, now) = (SystemTime::now(), Instant::now());
    let mut schedule = Schedule::default();
    schedule.begin("a.example");
    let issued = pair(wall, 0, 90 * DAY);
    schedule.succeeded("a.example", &issued, now);
    assert!(schedule.is_under_way("a.example", now) && !schedule.is_under_way("a.example", now + APPEARING));
    // Nobody asks about the one before, which still serves.
    let before = pair(wall, 60 * DAY, 30 * DAY);
    assert!(!schedule.ask_due("a.example", &before, now) && schedule.ask_due("a.example", &issued, now));
    assert!(schedule.ask_due("a.example", &before, now + APPEARING));
    let due = |now| !schedule.due(["a.example"].into_iter(), &Snapshot::default(), wall, now).is_empty();
    assert!(!due(now + Duration::from_secs(5)));
    assert!(due(now + APPEARING), "and is ordered anew when it is gone");
}
