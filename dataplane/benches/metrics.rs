//! Cost of counting for a request: `cargo bench -p waf-dataplane --bench metrics`.

use std::time::{Duration, Instant};

use divan::{Bencher, black_box};
use waf_dataplane::metrics::Metrics;
use waf_detection::cost::Cost;
use waf_shared::metrics::RouteCounter;

fn main() {
    divan::main();
}

/// Times that the clock is read for the metrics of one page view: its end, and around the rules for head and answer.
const CLOCK_READS: usize = 5;

/// Everything that a page view adds, the clock included.
#[divan::bench]
fn request(bencher: Bencher<'_, '_>) {
    let metrics = Metrics::new(1);
    let series = metrics.series("shop");
    let cost = Cost::default();
    bencher.bench_local(|| {
        metrics.entered();
        let began = Instant::now();
        for _ in 1..CLOCK_READS {
            black_box(Instant::now());
        }
        metrics.inspected(black_box(&cost));
        metrics.inspected_by_all(black_box(Duration::from_micros(2)));
        metrics.left();
        series.add(RouteCounter::Allowed, 1);
        series.request(began.elapsed());
        series.inspection(black_box(Duration::from_micros(7)));
    });
}

/// A report of one route with traffic, once a second.
#[divan::bench]
fn report(bencher: Bencher<'_, '_>) {
    let metrics = Metrics::new(1);
    let series = metrics.series("shop");
    bencher.bench_local(|| {
        series.add(RouteCounter::Allowed, 1);
        series.request(Duration::from_micros(300));
        metrics.report()
    });
}
