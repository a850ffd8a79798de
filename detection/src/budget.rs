//! How long a request may be evaluated. The crate has no clock of its own: the caller lends one.

use std::time::Duration;

/// CPU time for one request. It is summed over the calls of an inspection, so time spent waiting for bytes is free.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// What may be spent.
    pub limit: Duration,
    /// CPU time that the current thread has used. Read in pairs on one thread, never once for each byte.
    pub clock: fn() -> Duration,
}

impl Budget {
    /// No limit, for tools and tests.
    pub const UNLIMITED: Budget = Budget { limit: Duration::MAX, clock: || Duration::ZERO };
}
