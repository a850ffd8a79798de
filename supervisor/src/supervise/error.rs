//! Faults that keep the service from starting or going on.

use std::io;

use waf_certificates::acme;

use crate::candidate::CandidateError;
use crate::rate_limit_memory::InvalidHandover;
use crate::sockets::adopted::AdoptError;
use crate::upgrade::predecessor::SuccessionError;

/// A fault that keeps the service from starting or going on.
#[derive(Debug, thiserror::Error)]
pub enum SuperviseError {
    /// The plan cannot be offered.
    #[error(transparent)]
    Candidate(#[from] CandidateError),
    /// The certificate authority's root cannot be read.
    #[error(transparent)]
    Acme(#[from] acme::ClientError),
    /// No worker made the plan ready.
    #[error("the plan cannot be served: {0}")]
    Refused(String),
    /// Signal handlers cannot be set.
    #[error("signals cannot be handled: {0}")]
    Signals(#[source] io::Error),
    /// The thread that writes stdout cannot be had.
    #[error("the audit writer does not start: {0}")]
    Audit(#[source] io::Error),
    /// Sockets of a service manager cannot be taken.
    #[error(transparent)]
    Adopt(#[from] AdoptError),
    /// Nothing can be taken over from the older supervisor.
    #[error(transparent)]
    Succession(#[from] SuccessionError),
    /// The older supervisor's memory of rate limits.
    #[error(transparent)]
    Counts(#[from] InvalidHandover),
    /// The line to the older supervisor.
    #[error("the line to the old supervisor is broken: {0}")]
    Line(#[source] io::Error),
    /// The demo's upstream cannot be had.
    #[error("the demo's shop does not open: {0}")]
    Demo(#[source] io::Error),
    /// The configuration does not compile; its list of errors has been printed.
    #[error("the configuration is not valid")]
    Invalid,
    /// A second signal asked for an end at once.
    #[error("ended at once by a second signal")]
    Cut,
}
