//! State of an upgrade: the process that owns the service, the successor that gets ready, and the status that others
//! read. It knows states, nothing of sockets or workers.

use crate::source::SourceUpdate;
use crate::upgrade::predecessor::Predecessor;
use crate::upgrade::status::{Phase, UpgradeStatus};
use crate::upgrade::successor::Successor;

/// The process that owns the service.
#[derive(Debug)]
pub(super) enum Ownership {
    /// This process.
    Ours,
    /// An older one, until this one serves.
    Predecessors(Predecessor),
    /// A newer one: this one finishes.
    Successors,
}

impl Ownership {
    pub(super) fn is_ours(&self) -> bool {
        matches!(self, Ownership::Ours)
    }
}

/// The upgrade, from either side.
pub(super) struct UpgradeState {
    pub(super) ownership: Ownership,
    /// A new supervisor that gets ready.
    successor: Option<Successor>,
    /// The result of a look at the files meanwhile.
    deferred: Option<SourceUpdate>,
    status: UpgradeStatus,
}

impl UpgradeState {
    pub(super) fn new(ownership: Ownership) -> Self {
        Self { ownership, successor: None, deferred: None, status: UpgradeStatus::create() }
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.successor.is_some()
    }

    /// The reason against an upgrade of the process with the number `process`.
    pub(super) fn refusal(&self, is_stopping: bool, is_starting: bool, process: u32) -> Option<&'static str> {
        match &self.ownership {
            Ownership::Successors => Some("this process has handed over already"),
            Ownership::Predecessors(_) => Some("this process is itself still taking over from another"),
            Ownership::Ours if is_stopping => Some("the service is stopping"),
            Ownership::Ours if self.is_under_way() => Some("an upgrade is under way already"),
            Ownership::Ours if is_starting => Some("the service is still starting"),
            Ownership::Ours if process == 1 => {
                Some("this is process 1 of its container, which ends with it: replace the container instead")
            }
            Ownership::Ours => None,
        }
    }

    /// A successor was started.
    pub(super) fn begin(&mut self, successor: Successor) {
        self.successor = Some(successor);
        self.status.change(|report| {
            report.phase = Phase::Upgrading;
            report.asked += 1;
        });
    }

    /// An upgrade came to nothing, or did not even begin.
    pub(super) fn fail(&mut self, why: String) {
        self.status.change(|report| {
            if report.phase == Phase::Upgrading {
                report.phase = Phase::Serving;
            } else {
                report.asked += 1;
            }
            report.why = Some(why);
        });
    }

    /// Takes the successor with that process; `None` for one that was given up before.
    pub(super) fn take_successor(&mut self, process: u32) -> Option<Successor> {
        self.successor.take_if(|successor| successor.process() == process)
    }

    /// Gives up a successor, which ends it; false when there is none.
    pub(super) fn give_up(&mut self) -> bool {
        self.successor.take().is_some()
    }

    /// The process `process` owns the service from here on.
    pub(super) fn hand_over(&mut self, process: u32) {
        self.ownership = Ownership::Successors;
        self.status.change(|report| {
            report.phase = Phase::Replaced;
            report.successor = Some(process);
            report.why = None;
        });
    }

    /// This process owns the service and serves.
    pub(super) fn serve(&mut self) {
        self.status.change(|report| {
            // Workers that all came back during an upgrade change nothing about it.
            if report.phase == Phase::Starting {
                report.phase = Phase::Serving;
            }
        });
    }

    /// The service stops.
    pub(super) fn stop(&mut self) {
        self.status.change(|report| report.phase = Phase::Stopping);
    }

    /// Keeps what was found in the files until the successor is ready or gone: it reads the same files.
    pub(super) fn defer(&mut self, found: SourceUpdate) {
        self.deferred = Some(found);
    }

    pub(super) fn take_deferred(&mut self) -> Option<SourceUpdate> {
        self.deferred.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_is_refused_where_it_cannot_work() {
        let mut state = UpgradeState::new(Ownership::Ours);
        assert_eq!(state.refusal(false, false, 7), None);
        let refused = |state: &UpgradeState, stopping, starting, process, word: &str| {
            state.refusal(stopping, starting, process).is_some_and(|why| why.contains(word))
        };
        assert!(refused(&state, true, false, 7, "stopping"));
        assert!(refused(&state, false, true, 7, "still starting"));
        assert!(refused(&state, false, false, 1, "process 1"));
        state.hand_over(8);
        assert!(refused(&state, false, false, 7, "handed over already"));
        assert!(!state.ownership.is_ours());
    }

    #[test]
    fn the_status_follows_the_phases_and_counts_requests() {
        let mut state = UpgradeState::new(Ownership::Ours);
        let phase = |state: &UpgradeState| state.status.report().phase;
        assert_eq!(phase(&state), Phase::Starting);
        state.fail("the service is still starting".into());
        assert_eq!((phase(&state), state.status.report().asked), (Phase::Starting, 1));
        state.serve();
        assert_eq!(phase(&state), Phase::Serving);
        state.fail("no program".into());
        assert_eq!(state.status.report().asked, 2);
        assert_eq!(state.status.report().why.as_deref(), Some("no program"));
        state.hand_over(9);
        let report = state.status.report();
        assert_eq!((report.phase, report.successor, report.why.clone()), (Phase::Replaced, Some(9), None));
        state.serve();
        assert_eq!(phase(&state), Phase::Replaced, "workers that come back do not take the service back");
        state.stop();
        assert_eq!(phase(&state), Phase::Stopping);
        assert!(!state.give_up() && state.take_successor(9).is_none() && state.take_deferred().is_none());
    }
}
