//! The endpoints that the supervisor answers itself, health and metrics, each on the socket of the plan in force.

use std::sync::Arc;

use tokio::sync::watch;
use tracing::error;

use crate::health;
use crate::listener::Listener;
use crate::metrics::{self, Metrics};
use crate::readiness::HealthStatus;
use crate::sockets::Bound;

/// The running listeners.
#[derive(Debug, Default)]
pub(super) struct Endpoints {
    health: Option<Listener>,
    metrics: Option<Listener>,
}

impl Endpoints {
    /// Answers for health on `socket`, or nowhere.
    pub(super) fn follow_health(
        &mut self,
        socket: Option<&Arc<Bound>>,
        status: &watch::Sender<HealthStatus>,
    ) {
        follow(&mut self.health, socket, "health", |socket| health::serve(socket, status.subscribe()));
    }

    /// Shows metrics on `socket`, or nowhere.
    pub(super) fn follow_metrics(&mut self, socket: Option<&Arc<Bound>>, metrics: &Arc<Metrics>) {
        follow(&mut self.metrics, socket, "metrics", |socket| {
            metrics::endpoint::serve(socket, metrics.clone())
        });
    }

    /// Leaves the sockets to a successor.
    pub(super) fn retire(&self) {
        for listener in self.health.iter().chain(&self.metrics) {
            listener.retire();
        }
    }
}

fn follow(
    listener: &mut Option<Listener>,
    socket: Option<&Arc<Bound>>,
    what: &str,
    serve: impl FnOnce(Arc<Bound>) -> std::io::Result<Listener>,
) {
    match socket {
        Some(socket) if listener.as_ref().is_some_and(|running| running.socket() == socket.id) => {}
        Some(socket) => {
            let port = socket.port;
            *listener = serve(socket.clone())
                .inspect_err(|error| error!(%error, port, "the {what} endpoint cannot be served"))
                .ok();
        }
        None => *listener = None,
    }
}
