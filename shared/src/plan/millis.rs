//! Times of the plan.

use bincode::{Decode, Encode};

/// Milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Encode, Decode)]
pub struct Millis(pub u64);

impl Millis {
    /// As a standard duration.
    pub const fn duration(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0)
    }
}
