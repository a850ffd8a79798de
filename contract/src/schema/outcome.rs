//! Outcomes of judgements, of which there are three.

use Outcome::{Fails, Holds, Unknown};

/// Result of one judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Holds,
    Fails,
    /// It depends on what was cut off.
    Unknown,
}

impl From<bool> for Outcome {
    fn from(holds: bool) -> Outcome {
        if holds { Holds } else { Fails }
    }
}

impl Outcome {
    /// Holds where both do.
    pub(super) fn and(self, other: Outcome) -> Outcome {
        match (self, other) {
            (Fails, _) | (_, Fails) => Fails,
            (Unknown, _) | (_, Unknown) => Unknown,
            _ => Holds,
        }
    }
}
