//! The clock that all workers of a machine share.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since the machine started, by `CLOCK_MONOTONIC`: the same in every process, and it never goes back.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec).unwrap_or(0))
}
