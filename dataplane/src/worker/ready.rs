//! An offered plan made ready to serve, or the reason why it cannot be.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use waf_shared::control::{Listener, Offer};
use waf_shared::limits::REASON_BYTES_MAX;

use crate::active_plan::ActivePlan;
use crate::error_text;
use crate::metrics::Metrics;
use crate::rate_limit::Memory;
use crate::spool::Spool;

/// A plan made ready, with the sockets that it is to be served on.
pub(super) struct Ready {
    pub(super) active_plan: Arc<ActivePlan>,
    pub(super) sockets: Vec<(Listener, TcpListener)>,
}

/// Everything that can fail about an offer happens here, while the old plan serves.
pub(super) fn build(
    offer: Offer,
    mut descriptors: Vec<OwnedFd>,
    previous: Option<&Arc<ActivePlan>>,
    metrics: &Arc<Metrics>,
    spool: &Spool,
) -> Result<Ready, String> {
    // The memory of rate limits travels behind the sockets.
    let memory = offer.counts.and_then(|counts| Some(Memory { object: descriptors.pop()?, counts }));
    let active_plan = ActivePlan::build(&offer.plan, memory, previous, metrics, spool)
        .map_err(|error| error_text::with_causes(&error, REASON_BYTES_MAX))?;
    if active_plan.digest() != offer.digest {
        return Err(format!(
            "the plan's digest is {}, the offer names {}",
            active_plan.digest(),
            offer.digest
        ));
    }
    let mut sockets = Vec::with_capacity(descriptors.len());
    for (listener, descriptor) in offer.listeners.into_iter().zip(descriptors) {
        let socket = TcpListener::from(descriptor);
        let port = listener.port;
        let bound = socket.local_addr().map_err(|error| format!("port {port} is no socket: {error}"))?;
        if bound.port() != port {
            return Err(format!("the socket offered for port {port} is bound to {bound}"));
        }
        socket.set_nonblocking(true).map_err(|error| format!("port {port} cannot be served: {error}"))?;
        sockets.push((listener, socket));
    }
    Ok(Ready { active_plan, sockets })
}
