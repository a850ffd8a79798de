//! Outcomes of a transfer and of its attempts, and the parts of the exchange that they note themselves in.

use std::io;
use std::net::SocketAddr;

use super::super::connection_fate::ConnectionFate;
use super::super::context::RequestContext;
use super::super::findings::Findings;
use super::super::rejection::Rejection;
use crate::trace::Call;
use crate::upstream::{UpstreamError, UpstreamFailure};

/// A request that was answered with the upstream's response.
#[derive(Debug)]
pub(in crate::exchange) struct Answered {
    pub(in crate::exchange) status: u16,
    pub(in crate::exchange) fate: ConnectionFate,
    /// Addition to the status in the event.
    pub(in crate::exchange) detail: Option<&'static str>,
}

/// The parts of an exchange that a transfer reads and appends to.
#[derive(Debug)]
pub(in crate::exchange) struct Notes<'e> {
    pub(in crate::exchange) context: &'e RequestContext,
    pub(in crate::exchange) findings: &'e mut Findings,
    /// The call of the upstream, while tracing is on.
    pub(in crate::exchange) call: &'e mut Option<Call>,
}

/// The reason why an attempt failed.
pub(super) enum Failed {
    /// The connection closed before a byte of the answer came: the request may never have been read.
    Unanswered(io::Error),
    Rejected(Rejection),
}

impl From<UpstreamError> for Failed {
    fn from(error: UpstreamError) -> Failed {
        Failed::Rejected(Rejection::Upstream(error.into()))
    }
}

impl Failed {
    /// The failure on a connection to `peer`.
    pub(super) fn at(self, peer: SocketAddr) -> Failed {
        match self {
            Failed::Rejected(Rejection::Upstream(UpstreamFailure { error, .. })) => {
                Failed::Rejected(Rejection::Upstream(error.at(Some(peer))))
            }
            other => other,
        }
    }
}
