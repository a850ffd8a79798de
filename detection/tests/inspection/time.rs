//! Budgets of time and the cost of inspections.

use super::*;

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// A clock that runs a millisecond with each look.
fn ticking() -> Duration {
    NOW.with(|now| {
        now.set(now.get() + 1);
        Duration::from_millis(now.get())
    })
}

#[test]
fn running_out_of_budget_is_a_violation() {
    let run = |limit, leaves| {
        let budget = Budget { limit: Duration::from_millis(limit), clock: ticking, ..Budget::UNLIMITED };
        let mut inspection = Inspection::new(engine(), leaves, BOUNDS, OnHit::GoOn, budget);
        inspection.body(b"text/plain");
        inspection.feed("../ ".repeat(30_000).as_bytes());
        inspection.finish_body(Completeness::Whole);
        inspection.verdict().clone()
    };
    let short = run(3, leaves());
    assert!(
        short.timed_out && short.leaves().contains(Leaf::ResourceLimitsEvaluationTimeout) && short.blocks()
    );
    let long = run(100_000, leaves());
    assert!(!long.timed_out);
    let mut unenforced = leaves();
    unenforced.remove(Leaf::ResourceLimitsEvaluationTimeout);
    assert!(!run(3, unenforced).timed_out);
}

#[test]
fn file_contents_that_pass_by_take_no_time() {
    let budget = Budget { limit: Duration::from_millis(10), clock: ticking, ..Budget::UNLIMITED };
    let bounds = Bounds { files: Files { bytes: u64::MAX, ..BOUNDS.files }, ..BOUNDS };
    let mut inspection = Inspection::new(engine(), leaves(), bounds, OnHit::GoOn, budget);
    inspection.body(b"multipart/form-data; boundary=b");
    inspection.feed(b"--b\r\nContent-Disposition: form-data; name=f; filename=a.raw\r\n\r\n");
    for _ in 0..200 {
        inspection.feed(&[b'x'; 16 << 10]);
    }
    assert!(!inspection.verdict().timed_out);
    // What follows the file is evaluated, and that counts.
    inspection.feed(b"\r\n--b\r\nContent-Disposition: form-data; name=t\r\n\r\n");
    inspection.feed("../ ".repeat(30_000).as_bytes());
    inspection.finish_body(Completeness::CutOff);
    assert!(inspection.verdict().timed_out);
}

#[test]
fn small_heads_never_look_at_the_clock() {
    let budget = Budget {
        limit: Duration::from_millis(50),
        clock: || unreachable!("a small head needs no clock"),
        ..Budget::UNLIMITED
    };
    let mut inspection = Inspection::new(engine(), leaves(), BOUNDS, OnHit::Stop, budget);
    inspection.path(b"/products/42");
    inspection.query(b"page=2&sort=price");
    inspection.header(b"User-Agent", b"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36");
    inspection.header(b"Cookie", "session=0123456789abcdef; ".repeat(16).as_bytes());
    assert!(!inspection.verdict().blocks());
}

#[test]
fn the_cost_is_counted_and_proofs_are_told_apart_by_family() {
    let budget = Budget { watch: ticking, ..Budget::UNLIMITED };
    let mut inspection = Inspection::new(engine(), leaves(), BOUNDS, OnHit::GoOn, budget);
    let place = |name| catalog::families().iter().position(|family| *family == name).expect("a family");
    let proofs = |inspection: &Inspection| inspection.cost().families().map(|(at, _)| at).collect::<Vec<_>>();
    inspection.body(b"text/plain");
    inspection.feed(b"an ordinary sentence");
    inspection.finish_body(Completeness::Whole);
    assert!(proofs(&inspection).is_empty());
    let plain = inspection.cost().total();
    assert!(plain > Duration::ZERO);
    inspection.reset(leaves(), BOUNDS, OnHit::GoOn, budget);
    assert_eq!(inspection.cost().total(), Duration::ZERO);
    inspection.body(b"text/plain");
    inspection.feed(b"../../../../etc/passwd");
    inspection.finish_body(Completeness::Whole);
    assert!(proofs(&inspection).contains(&place("local-file-access")), "{:?}", inspection.cost());
    let proven: Duration = inspection.cost().families().map(|(_, time)| time).sum();
    assert!(inspection.cost().total() > proven, "what is shared counts too: {:?}", inspection.cost());
    inspection.reset(leaves(), BOUNDS, OnHit::GoOn, budget);
    assert!(proofs(&inspection).is_empty());
}
