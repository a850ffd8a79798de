//! Words about certificates of the operator's own that run out: nobody but the operator renews them.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;
use tracing::{error, warn};

use super::timestamp::rfc3339;
use crate::disk::{Provenance, Snapshot};

/// Before the end, daily words begin.
const WARNING: Duration = Duration::from_hours(14 * 24);
const DAY: Duration = Duration::from_hours(24);

/// When the last words were.
#[derive(Debug, Default)]
pub(super) struct Reminder {
    reminded_at: Option<Instant>,
}

impl Reminder {
    /// Says which run out, once a day.
    pub(super) fn remind(&mut self, snapshot: &Snapshot, wall: SystemTime, now: Instant) {
        if self.reminded_at.is_some_and(|at| now.saturating_duration_since(at) < DAY) {
            return;
        }
        self.reminded_at = Some(now);
        for (name, pair) in snapshot.pairs.iter().filter(|(_, pair)| pair.provenance == Provenance::Own) {
            let not_after = rfc3339(pair.not_after);
            if pair.expired(wall) {
                error!(host = name, not_after, "the operator's certificate has run out");
            } else if pair.not_after < wall + WARNING {
                warn!(host = name, not_after, "the operator's certificate runs out soon");
            }
        }
    }
}
