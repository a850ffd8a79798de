//! Everything that can wake the supervisor, as one closed set.

use tokio::time::Instant;
use waf_compiler::Compiled;
use waf_shared::control::ToSupervisor;

use crate::rollout::WorkerId;
use crate::source::Found;
use crate::upgrade::predecessor::Word;
use crate::upgrade::successor::Fate;

/// A reason to act.
pub enum Wake {
    /// An operator's or an orchestrator's signal.
    Signal(Signal),
    /// The configuration was looked at.
    Source(Found),
    /// The certificates of a plan have been read: it can be offered.
    Certified(Box<Compiled>, Instant),
    /// Hosts that have no certificate, all of them.
    Missing(Vec<String>),
    /// A worker has answered.
    Said(WorkerId, ToSupervisor),
    /// A worker is dead, and how it ended.
    Gone(WorkerId, String),
    /// A new supervisor that was started, its process, and what came of it.
    Successor(u32, Fate),
    /// The old supervisor that started this one.
    Predecessor(Word),
    /// A deadline of the rollout has passed.
    Due,
}

/// What signals ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    Reload,
    /// SIGUSR2.
    Upgrade,
}
