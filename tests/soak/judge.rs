//! Criteria of a good soak, and its table: a row for each tenth of the time.

use std::fmt::Write as _;
use std::time::Duration;

use super::record::Record;
use super::services::Services;
use super::watch::Sample;

/// Growth of memory from the second tenth to the last that is allowed: what an allocator keeps is not the same twice.
const GROWTH_PERCENT: u64 = 5;
const GROWTH_KIB: u64 = 2048;

/// The same of descriptors: connections come and go.
const GROWTH_DESCRIPTORS: usize = 24;

struct Tenth {
    supervisors_kib: u64,
    elders_kib: u64,
    descriptors: usize,
    metrics: usize,
    answers: u64,
    failures: usize,
    /// In microseconds.
    median: u32,
    p99: u32,
}

fn tenth(time: Duration, samples: &[Sample], number: u32) -> Tenth {
    let within = |sample: &&Sample| {
        sample.at > time / 10 * number && (sample.at <= time / 10 * (number + 1) || number == 9)
    };
    let of: Vec<&Sample> = samples.iter().filter(within).collect();
    let median = |value: &dyn Fn(&Sample) -> u64| {
        let mut values: Vec<u64> = of.iter().map(|sample| value(sample)).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let mut latencies: Vec<u32> = of.iter().flat_map(|sample| sample.latencies.iter().copied()).collect();
    latencies.sort_unstable();
    let quantile = |part: f64| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        // a rank
        let rank = (latencies.len() as f64 * part) as usize;
        latencies.get(rank.min(latencies.len().saturating_sub(1))).copied().unwrap_or_default()
    };
    let usize_of = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    Tenth {
        supervisors_kib: median(&|sample| sample.supervisors.resident_kib),
        elders_kib: median(&|sample| sample.elders.resident_kib),
        descriptors: usize_of(median(&|s| (s.supervisors.descriptors + s.elders.descriptors) as u64)),
        metrics: usize_of(median(&|sample| sample.metrics as u64)),
        answers: of.last().map_or(0, |sample| sample.answers),
        failures: of.last().map_or(0, |sample| sample.failures),
        median: quantile(0.5),
        p99: quantile(0.99),
    }
}

/// Rows in Markdown.
pub(super) fn table(time: Duration, samples: &[Sample], record: &Record) -> String {
    let mut text = String::from(
        "| tenth | answers so far | failed so far | median ms | 99th ms | supervisors MiB | oldest workers MiB | descriptors |\n\
         |---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let ms = |us: u32| f64::from(us) / 1000.0;
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    let mib = |kib: u64| kib as f64 / 1024.0;
    for number in 0..10 {
        let t = tenth(time, samples, number);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {} |",
            number + 1,
            t.answers,
            t.failures,
            ms(t.median),
            ms(t.p99),
            mib(t.supervisors_kib),
            mib(t.elders_kib),
            t.descriptors
        );
    }
    let _ = write!(
        text,
        "{} workers killed, {} failures unexplained",
        record.kill_count(),
        record.unexplained().len()
    );
    text
}

/// Conditions that must not occur.
pub(super) fn wrong(time: Duration, samples: &[Sample], record: &Record, services: &Services) -> Vec<String> {
    let mut wrong = record.unexplained();
    let (early, late) = (tenth(time, samples, 1), tenth(time, samples, 9));
    let mut grown = |what: &str, before: u64, after: u64, spare: u64| {
        if before == 0 || after > before + before * GROWTH_PERCENT / 100 + spare {
            wrong.push(format!("{what} went from {before} to {after}"));
        }
    };
    grown("memory of the supervisors (KiB)", early.supervisors_kib, late.supervisors_kib, GROWTH_KIB);
    grown("memory of the oldest workers (KiB)", early.elders_kib, late.elders_kib, GROWTH_KIB);
    grown("descriptors", early.descriptors as u64, late.descriptors as u64, GROWTH_DESCRIPTORS as u64);
    grown("the metrics pages (bytes)", early.metrics as u64, late.metrics as u64, 4096);
    grown("the median latency (µs)", early.median.into(), late.median.into(), early.median.max(2_000).into());
    if late.answers == 0 || record.kill_count() == 0 {
        wrong.push("there was no load, or nobody was killed".to_owned());
    }
    for waf in [&services.plain, &services.tls] {
        if waf.workers().len() != 2 {
            wrong.push(format!("workers at the end: {:?}", waf.workers()));
        }
    }
    wrong
}
