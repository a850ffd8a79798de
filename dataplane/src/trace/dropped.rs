//! The count of spans that were lost.

use std::sync::atomic::{AtomicU64, Ordering};

/// Spans that this process made and no collector took.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Spans that this process made and no collector took: the queue was full, or an export failed.
pub fn spans_dropped() -> u64 {
    DROPPED.load(Ordering::Relaxed)
}

/// Adds `count` to them.
pub(super) fn drop_spans(count: usize) {
    DROPPED.fetch_add(count as u64, Ordering::Relaxed);
}
