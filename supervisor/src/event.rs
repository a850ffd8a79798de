//! Events that the supervisor's loop acts on, as one closed set. Each source of events knows its own type alone; the
//! conversions below are the one place that knows them all.

use tokio::time::Instant;
use waf_certificates::manager::MissingHosts;
use waf_shared::control::ToSupervisor;

use crate::candidate::PlanToOffer;
use crate::rollout::WorkerId;
use crate::signals::Signal;
use crate::source::SourceUpdate;
use crate::upgrade::predecessor::PredecessorMessage;
use crate::upgrade::successor::{Outcome, SuccessorReport};
use crate::workers::WorkerReport;

/// An event.
pub enum Event {
    /// An operator's or an orchestrator's signal.
    Signal(Signal),
    /// Result of a look at the configuration.
    Source(SourceUpdate),
    /// Result of a look at the configuration of the second plan.
    Shadow(SourceUpdate),
    /// A plan whose certificates were read: it can be offered.
    Certified(Box<PlanToOffer>, Instant),
    /// All hosts without a certificate.
    Missing(Vec<String>),
    /// An answer of a worker.
    Said(WorkerId, ToSupervisor),
    /// The end of a worker's process, and its exit status for people.
    Gone(WorkerId, String),
    /// The outcome of a new supervisor's start, with its process.
    Successor(u32, Outcome),
    /// A message of the old supervisor that started this one.
    Predecessor(PredecessorMessage),
    /// A deadline of the rollout, or of the watch over a new plan, has passed.
    Due,
}

impl From<Signal> for Event {
    fn from(signal: Signal) -> Self {
        Self::Signal(signal)
    }
}

impl From<SourceUpdate> for Event {
    fn from(found: SourceUpdate) -> Self {
        Self::Source(found)
    }
}

impl From<MissingHosts> for Event {
    fn from(MissingHosts(hosts): MissingHosts) -> Self {
        Self::Missing(hosts)
    }
}

impl From<WorkerReport> for Event {
    fn from(report: WorkerReport) -> Self {
        match report {
            WorkerReport::Said(worker, message) => Self::Said(worker, message),
            WorkerReport::Gone(worker, status) => Self::Gone(worker, status),
        }
    }
}

impl From<SuccessorReport> for Event {
    fn from(SuccessorReport { process, outcome }: SuccessorReport) -> Self {
        Self::Successor(process, outcome)
    }
}

impl From<PredecessorMessage> for Event {
    fn from(message: PredecessorMessage) -> Self {
        Self::Predecessor(message)
    }
}
