//! True if the worker takes more memory than it was given. The system would kill it at some point, with all that is in
//! flight; before that, bodies wait on disk and most new requests are refused. Some are served all the same:
//! memory that was freed is not always given back, and a worker that served nobody could stay short of it for ever.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::param::page_size;
use tracing::{info, warn};
use waf_shared::limits::{REQUESTS_WHEN_SHORT, SHORT_OF_MEMORY_MILLISECONDS};

/// File in which a process finds how much memory it takes, in pages.
const STATM: &str = "/proc/self/statm";

/// Gauge of the memory that is taken, read from a file that was opened before the worker was confined.
#[derive(Debug)]
pub struct Gauge {
    statm: File,
    page_bytes: u64,
    budget_bytes: u64,
}

impl Gauge {
    /// Of this process, which is to take no more than `budget_bytes`.
    pub fn open(budget_bytes: u64) -> io::Result<Gauge> {
        Ok(Gauge { statm: File::open(STATM)?, page_bytes: page_size() as u64, budget_bytes })
    }

    fn own_bytes(&self) -> io::Result<u64> {
        let mut text = [0; 128];
        let read = self.statm.read_at(&mut text, 0)?;
        let text = std::str::from_utf8(text.get(..read).unwrap_or_default()).unwrap_or_default();
        let mut fields = text.split(' ').skip(1).map(|pages| pages.parse::<u64>().ok());
        let (Some(Some(resident)), Some(Some(shared))) = (fields.next(), fields.next()) else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        // Memory of rate limits, and of the program's file, is nobody's own.
        let pages = resident.saturating_sub(shared);
        Ok(pages.saturating_mul(self.page_bytes))
    }
}

/// Known everywhere in a worker.
#[derive(Debug, Clone, Default)]
pub struct Overload {
    is_short: Arc<AtomicBool>,
    /// Requests that may begin before the next look, though memory is short.
    left: Arc<AtomicUsize>,
}

impl Overload {
    /// Looks at the gauge for as long as the worker lives.
    pub(crate) async fn watch(self, gauge: Gauge) {
        let mut due = tokio::time::interval(Duration::from_millis(SHORT_OF_MEMORY_MILLISECONDS));
        loop {
            due.tick().await;
            let Ok(taken) = gauge.own_bytes() else {
                return warn!("the memory that is taken cannot be read: no request is refused for it");
            };
            self.left.store(REQUESTS_WHEN_SHORT, Ordering::Relaxed);
            let is_short = taken > gauge.budget_bytes;
            if self.is_short.swap(is_short, Ordering::Relaxed) == is_short {
                continue;
            }
            let (taken_mb, budget_mb) = (taken >> 20, gauge.budget_bytes >> 20);
            if is_short {
                warn!(
                    taken_mb,
                    budget_mb, "memory is short: bodies wait on disk, most new requests are refused"
                );
            } else {
                info!(taken_mb, budget_mb, "memory suffices again");
            }
        }
    }

    pub(crate) fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    /// Reports whether a request may begin.
    pub(crate) fn admits(&self) -> bool {
        let take = |left: usize| left.checked_sub(1);
        !self.is_short() || self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn some_are_served_whatever_memory_is_taken() {
        let overload = Overload::default();
        assert!((0..100).all(|_| overload.admits()));
        let watching = tokio::spawn(overload.clone().watch(Gauge::open(0).unwrap()));
        let look = Duration::from_millis(SHORT_OF_MEMORY_MILLISECONDS);
        for _ in 0..3 {
            tokio::time::sleep(look).await;
            assert_eq!((0..100).filter(|_| overload.admits()).count(), REQUESTS_WHEN_SHORT);
            assert!(overload.is_short());
        }
        watching.abort();
    }

    #[test]
    fn what_is_taken_can_be_seen() {
        let gauge = Gauge::open(0).unwrap();
        let before = gauge.own_bytes().unwrap();
        let taken = vec![1u8; 64 << 20];
        let after = gauge.own_bytes().unwrap();
        assert!(before > 1 << 20 && after > before + (32 << 20), "{before} {after} {}", taken.len());
    }
}
