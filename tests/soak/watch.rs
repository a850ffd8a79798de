//! Resources that the services take while they run.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use waf_tests::running::{Waf, resident_kib};

use super::record::Record;
use super::services::Services;

/// A look at everything.
pub(super) struct Sample {
    /// Since the start.
    pub(super) at: Duration,
    /// Of the supervisors.
    pub(super) supervisors: Taken,
    /// Of the workers that are never killed.
    pub(super) elders: Taken,
    /// Bytes of the metrics pages.
    pub(super) metrics: usize,
    /// Answers so far.
    pub(super) answers: u64,
    /// Failures so far.
    pub(super) failures: usize,
    /// Since the last sample, in microseconds and in order.
    pub(super) latencies: Vec<u32>,
}

/// Of some processes together.
#[derive(Default, Clone, Copy)]
pub(super) struct Taken {
    pub(super) resident_kib: u64,
    pub(super) descriptors: usize,
}

impl Taken {
    fn of(pids: impl Iterator<Item = i32>) -> Taken {
        pids.fold(Taken::default(), |sum, pid| Taken {
            resident_kib: sum.resident_kib + resident_kib(pid),
            descriptors: sum.descriptors + descriptors(pid),
        })
    }
}

pub(super) fn sample(services: &Services, record: &Record, start: Instant) -> Sample {
    let both = [&services.plain, &services.tls];
    Sample {
        at: start.elapsed(),
        supervisors: Taken::of(both.iter().map(|waf| waf.pid())),
        elders: Taken::of(both.iter().filter_map(|waf| elder(waf))),
        metrics: services.scrape(),
        answers: record.answers.load(Ordering::Relaxed),
        failures: record.failure_count(),
        latencies: record.take_latencies(),
    }
}

/// The worker that was there first: process numbers grow.
fn elder(waf: &Waf) -> Option<i32> {
    waf.workers().first().copied()
}

fn descriptors(pid: i32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}
