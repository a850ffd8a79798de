//! Numbers of events by disposition.

use crate::audit_event::Disposition;

/// Events by disposition.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) blocked: u64,
    pub(super) detected: u64,
    pub(super) logged: u64,
}

impl Counts {
    pub(super) fn one(disposition: Disposition) -> Counts {
        let mut counts = Counts::default();
        match disposition {
            Disposition::Blocked => counts.blocked = 1,
            Disposition::Detected => counts.detected = 1,
            Disposition::Logged => counts.logged = 1,
        }
        counts
    }

    pub(super) fn add(&mut self, other: Counts) {
        self.blocked += other.blocked;
        self.detected += other.detected;
        self.logged += other.logged;
    }

    pub(super) fn all(&self) -> u64 {
        self.blocked + self.detected + self.logged
    }
}
