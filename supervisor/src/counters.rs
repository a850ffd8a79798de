//! Counters of the supervisor. Plain numbers that a metrics listener can read; it knows no names and no labels.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use waf_certificates::acme::Figures;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to it.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// Reads it.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Those that wait for something now.
#[derive(Debug, Default)]
pub struct Waiting(AtomicU64);

/// One that waits, until it is dropped.
#[derive(Debug)]
pub struct Waits<'w>(&'w Waiting);

impl Waiting {
    /// One more waits.
    pub fn begin(&self) -> Waits<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Waits(self)
    }

    /// True if anybody waits.
    pub fn is_any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// True if something holds.
#[derive(Debug, Default)]
pub struct Flag(AtomicBool);

impl Flag {
    /// Says so.
    pub fn set(&self, holds: bool) {
        self.0.store(holds, Ordering::Relaxed);
    }

    /// Reads it.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// All of them.
#[derive(Debug, Default)]
pub struct Counters {
    /// Metrics of certificates, by configured host.
    pub certificates: Arc<Figures>,
    /// Reloads that are in force.
    pub reloads: Counter,
    /// Reloads that changed nothing: invalid, rejected, or a port that cannot be had.
    pub reloads_refused: Counter,
    /// Reloads that changed nothing because policy tests failed.
    pub reloads_failed_tests: Counter,
    /// Reloads that changed nothing because they would have refused too much of what passes.
    pub reloads_failed_gate: Counter,
    /// Reloads that were in force and rolled back.
    pub reloads_rolled_back: Counter,
    /// Workers started in place of dead ones.
    pub worker_restarts: Counter,
    /// Lines written to stdout.
    pub audit_lines: Counter,
    /// Lines that were read from workers and could not be written.
    pub audit_lines_lost: Counter,
    /// Lines of workers that were cut short by a death, over the bound, or no JSON document.
    pub audit_lines_broken: Counter,
    /// True if the last lines could not be written.
    pub audit_is_broken: Flag,
    /// Audit streams of workers that wait for room in the queue.
    pub audit_waiting: Waiting,
}
