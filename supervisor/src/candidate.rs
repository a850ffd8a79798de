//! A compiled plan with the sockets that it needs: everything that an offer carries, had before anything is offered.
//! It knows plans and ports, nothing of workers.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::{info, warn};
use waf_compiler::Compiled;
use waf_shared::control::{Generation, Listener, Offer};
use waf_shared::plan::{Digest, Listen, Mode, Plan};

use crate::counts::{self, CountsError, Registry};
use crate::sockets::{BindError, Bound, Sockets};

/// Ready to be offered.
pub struct Candidate {
    /// The plan's name.
    pub digest: Digest,
    /// Sockets for traffic.
    pub traffic: Vec<Arc<Bound>>,
    /// Socket of the health listener.
    pub health: Option<Arc<Bound>>,
    /// Memory of its rate limits.
    pub counts: Option<counts::Held>,
    /// Socket of the metrics listener.
    pub metrics: Option<Arc<Bound>>,
    /// Ids of its routes.
    pub routes: Vec<String>,
    /// When its making began.
    pub began: Instant,
    /// What it says, for whoever compares it with another.
    pub plan: Plan,
    bytes: Vec<u8>,
    notices: Notices,
}

/// The sockets of a plan, held.
pub struct Held {
    traffic: Vec<Arc<Bound>>,
    health: Option<Arc<Bound>>,
    metrics: Option<Arc<Bound>>,
}

/// What the operator is told once the plan is in force.
struct Notices {
    health_off: bool,
    metrics_off: bool,
    detect_only: Vec<String>,
}

/// Why a plan that compiles cannot be offered.
#[derive(Debug, thiserror::Error)]
pub enum CandidateError {
    /// The configuration asks for what is not built yet.
    #[error(
        "automatic TLS (`host`, or `match.hosts` on routes) is not available in this version: use `port` behind a TLS terminator"
    )]
    Tls,
    /// A port cannot be had.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// Rate limits have nowhere to count.
    #[error(transparent)]
    Counts(#[from] CountsError),
}

impl Candidate {
    /// Binds and reserves what the plan needs and does not have yet.
    pub fn prepare(
        compiled: Compiled,
        sockets: &mut Sockets,
        registry: &mut Registry,
        began: Instant,
    ) -> Result<Self, CandidateError> {
        let Held { traffic, health, metrics } = Self::bind(&compiled.plan, sockets)?;
        let counts = registry.reserve(&compiled.plan)?;
        let detecting = compiled.plan.routes.iter().filter(|route| route.settings.mode == Mode::DetectOnly);
        let notices = Notices {
            health_off: compiled.plan.health_port.is_none(),
            metrics_off: compiled.plan.metrics_port.is_none(),
            detect_only: detecting.map(|route| route.id.0.clone()).collect(),
        };
        let routes = compiled.plan.routes.iter().map(|route| route.id.0.clone()).collect();
        Ok(Self {
            digest: compiled.digest,
            traffic,
            health,
            metrics,
            routes,
            counts,
            began,
            plan: compiled.plan,
            bytes: compiled.bytes,
            notices,
        })
    }

    /// Binds the sockets of a plan.
    pub fn bind(plan: &Plan, sockets: &mut Sockets) -> Result<Held, CandidateError> {
        let Listen::Plain { port } = plan.listen else { return Err(CandidateError::Tls) };
        let traffic = vec![sockets.bind("port", port)?];
        let health = plan.health_port.map(|port| sockets.bind("health_port", port)).transpose()?;
        let metrics = plan.metrics_port.map(|port| sockets.bind("metrics_port", port)).transpose()?;
        Ok(Held { traffic, health, metrics })
    }

    /// The offer of it; the sockets travel beside, in the same order, and the memory of rate limits behind them.
    pub fn offer(&self, generation: Generation) -> Offer {
        let listener = |socket: &Arc<Bound>| Listener { socket: socket.id, port: socket.port };
        Offer {
            generation,
            digest: self.digest,
            plan: self.bytes.clone(),
            listeners: self.traffic.iter().map(listener).collect(),
            counts: self.counts.as_ref().map(counts::Held::counts),
        }
    }

    /// Says what an operator may not expect.
    pub fn announce(&self) {
        if self.notices.health_off {
            info!("the health endpoint is disabled: set `health_port` to serve /healthz and /readyz");
        }
        if self.notices.metrics_off {
            info!("the metrics endpoint is disabled: set `metrics_port` to serve /metrics");
        }
        for route in &self.notices.detect_only {
            warn!(route, "route is in detect_only: violations are logged and not blocked");
        }
    }
}
