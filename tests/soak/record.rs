//! Observations of the clients: how long answers took, what failed and when.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Latencies that are kept between two samples; beyond it only the count goes on.
const LATENCIES_MAX: usize = 200_000;

/// Failures that are kept.
const FAILURES_MAX: usize = 10_000;

pub(super) struct Failure {
    /// When the request began, and when it failed.
    pub(super) began: Instant,
    pub(super) ended: Instant,
    pub(super) client: &'static str,
    pub(super) cause: String,
}

pub(super) struct Record {
    pub(super) stop: AtomicBool,
    pub(super) answers: AtomicU64,
    pub(super) connections: AtomicU64,
    latencies: Mutex<Vec<u32>>,
    failures: Mutex<Vec<Failure>>,
    kills: Mutex<Vec<Instant>>,
}

impl Record {
    pub(super) fn new() -> Record {
        Record {
            stop: AtomicBool::new(false),
            answers: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            latencies: Mutex::default(),
            failures: Mutex::default(),
            kills: Mutex::default(),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn opened(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn answered(&self, took: Duration) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        let mut latencies = self.latencies.lock().expect("nobody panics while holding it");
        if latencies.len() < LATENCIES_MAX {
            latencies.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
        }
    }

    pub(super) fn failed(&self, client: &'static str, began: Instant, cause: String) {
        let mut failures = self.failures.lock().expect("nobody panics while holding it");
        if failures.len() < FAILURES_MAX {
            failures.push(Failure { began, ended: Instant::now(), client, cause });
        }
    }

    pub(super) fn killed(&self) {
        self.kills.lock().expect("nobody panics while holding it").push(Instant::now());
    }

    /// The latencies since the last call, in microseconds and in order.
    pub(super) fn take_latencies(&self) -> Vec<u32> {
        let mut taken = std::mem::take(&mut *self.latencies.lock().expect("nobody panics while holding it"));
        taken.sort_unstable();
        taken
    }

    pub(super) fn failure_count(&self) -> usize {
        self.failures.lock().expect("nobody panics while holding it").len()
    }

    /// Failures that no killed worker explains: those of requests that were not in flight at a kill.
    pub(super) fn unexplained(&self) -> Vec<String> {
        let kills = self.kills.lock().expect("nobody panics while holding it");
        let failures = self.failures.lock().expect("nobody panics while holding it");
        let in_flight = |failure: &Failure| {
            kills.iter().any(|kill| failure.began <= *kill + RACE && *kill <= failure.ended)
        };
        let unexplained = failures.iter().filter(|failure| !in_flight(failure));
        unexplained
            .map(|failure| {
                let after =
                    kills.iter().filter(|kill| **kill <= failure.began).map(|kill| failure.began - *kill);
                format!("{}: {} ({:?} after the last kill)", failure.client, failure.cause, after.min())
            })
            .collect()
    }

    pub(super) fn kill_count(&self) -> usize {
        self.kills.lock().expect("nobody panics while holding it").len()
    }
}

/// From the note of a kill to the end of the process, and until a client can know that its connection is gone.
const RACE: Duration = Duration::from_millis(250);
