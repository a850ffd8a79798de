//! Whether the worker takes more memory than it was given. The system would kill it at some point, with all that is in
//! flight; before that, bodies wait on disk and new requests are turned away. A few are served all the same: memory that
//! was freed is not always given back, and a worker that served nobody would never learn that there is room.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::param::page_size;
use tracing::{info, warn};
use waf_shared::limits::{REQUESTS_AT_ANY_TIME, SHORT_OF_MEMORY_MILLISECONDS};

/// Where a process finds how much memory it takes, in pages.
const STATM: &str = "/proc/self/statm";

/// What memory is taken, looked at through a file that was opened before the worker was confined.
#[derive(Debug)]
pub struct Gauge {
    statm: File,
    budget_bytes: u64,
}

impl Gauge {
    /// Of this process, which is to take no more than `budget_bytes`.
    pub fn open(budget_bytes: u64) -> io::Result<Gauge> {
        Ok(Gauge { statm: File::open(STATM)?, budget_bytes })
    }

    fn resident_bytes(&self) -> io::Result<u64> {
        let mut text = [0; 128];
        let read = self.statm.read_at(&mut text, 0)?;
        let text = std::str::from_utf8(text.get(..read).unwrap_or_default()).unwrap_or_default();
        let pages: u64 =
            text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        Ok(pages.saturating_mul(page_size() as u64))
    }
}

/// Known everywhere in a worker.
#[derive(Debug, Clone, Default)]
pub struct Pressure {
    is_short: Arc<AtomicBool>,
    in_flight: Arc<AtomicUsize>,
}

impl Pressure {
    /// Looks at the gauge for as long as the worker lives.
    pub(crate) async fn watch(self, gauge: Gauge) {
        let mut due = tokio::time::interval(Duration::from_millis(SHORT_OF_MEMORY_MILLISECONDS));
        loop {
            due.tick().await;
            let Ok(taken) = gauge.resident_bytes() else {
                return warn!("what memory is taken cannot be seen: no request is turned away for it");
            };
            let is_short = taken > gauge.budget_bytes;
            if self.is_short.swap(is_short, Ordering::Relaxed) == is_short {
                continue;
            }
            let (taken_mb, budget_mb) = (taken >> 20, gauge.budget_bytes >> 20);
            if is_short {
                warn!(
                    taken_mb,
                    budget_mb, "memory is short: bodies wait on disk, most new requests are turned away"
                );
            } else {
                info!(taken_mb, budget_mb, "memory suffices again");
            }
        }
    }

    pub(crate) fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    /// A request begins. `None` when there is no memory for another one.
    pub(crate) fn enter(&self) -> Option<InFlight> {
        let others = self.in_flight.fetch_add(1, Ordering::Relaxed);
        let entered = InFlight(Arc::clone(&self.in_flight));
        (!self.is_short() || others < REQUESTS_AT_ANY_TIME).then_some(entered)
    }
}

/// A request in flight.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<AtomicUsize>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn a_few_are_served_whatever_memory_is_taken() {
        let pressure = Pressure::default();
        let many: Vec<_> = (0..100).map(|_| pressure.enter().unwrap()).collect();
        pressure.is_short.store(true, Ordering::Relaxed);
        assert!(pressure.enter().is_none());
        drop(many);
        let few: Vec<_> = (0..REQUESTS_AT_ANY_TIME).map(|_| pressure.enter().unwrap()).collect();
        assert!(pressure.enter().is_none());
        drop(few);
        assert!(pressure.enter().is_some());
        assert_eq!(pressure.in_flight.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_is_taken_can_be_seen() {
        let gauge = Gauge::open(0).unwrap();
        let before = gauge.resident_bytes().unwrap();
        let taken = vec![1u8; 64 << 20];
        let after = gauge.resident_bytes().unwrap();
        assert!(before > 1 << 20 && after > before + (32 << 20), "{before} {after} {}", taken.len());
    }
}
