//! A compiled plan with the sockets that it needs: everything that an offer carries, had before anything is offered.
//! It knows plans and ports, nothing of workers.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::time::Instant;
use tracing::{info, warn};
use waf_compiler::Compiled;
use waf_shared::control::{Generation, Listener, Offer, Role};
use waf_shared::plan::{Digest, Listen, Mode, Plan};

use crate::rate_limit_memory::{HeldTables, RateLimitMemoryError, RateLimitRegistry};
use crate::sockets::{BindError, Bound, Sockets, TlsPorts};

/// A plan, its name, and its form for workers.
#[derive(Debug)]
pub struct PlanToOffer {
    /// The plan.
    pub plan: Plan,
    /// The plan as workers read it.
    pub bytes: Vec<u8>,
    /// The plan's name.
    pub digest: Digest,
}

impl From<Compiled> for PlanToOffer {
    fn from(compiled: Compiled) -> Self {
        Self { plan: compiled.plan, bytes: compiled.bytes, digest: compiled.digest }
    }
}

/// Ready to be offered.
pub struct Candidate {
    /// The plan's name.
    pub digest: Digest,
    /// Sockets for traffic.
    pub traffic: Vec<Arc<Bound>>,
    /// Protocol of each of them, in the same order.
    roles: Vec<Role>,
    /// Names that are served over TLS; none in mode 3.
    pub hosts: Vec<String>,
    /// Folder of its certificates and of waiting bodies.
    pub data_dir: PathBuf,
    /// Socket of the health listener.
    pub health: Option<Arc<Bound>>,
    /// Memory of its rate limits.
    pub counts: Option<HeldTables>,
    /// Socket of the metrics listener.
    pub metrics: Option<Arc<Bound>>,
    /// When its making began.
    pub began: Instant,
    /// The plan itself, for comparisons.
    pub plan: Plan,
    bytes: Vec<u8>,
    notices: Notices,
}

/// The sockets of a plan, held.
pub struct BoundSockets {
    traffic: Vec<Arc<Bound>>,
    roles: Vec<Role>,
    health: Option<Arc<Bound>>,
    metrics: Option<Arc<Bound>>,
}

/// Notices for the operator once the plan is in force.
struct Notices {
    health_off: bool,
    metrics_off: bool,
    detect_only: Vec<String>,
}

/// A fault that keeps a valid plan from being offered.
#[derive(Debug, thiserror::Error)]
pub enum CandidateError {
    /// Two listeners would have the same port. The configuration's own ports are judged where it is compiled.
    #[error("{field} and {other} are both {port}: they must differ")]
    SamePort {
        /// One of them.
        field: &'static str,
        /// The other.
        other: &'static str,
        /// The port.
        port: u16,
    },
    /// A port cannot be had.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// Rate limits have nowhere to count.
    #[error(transparent)]
    Counts(#[from] RateLimitMemoryError),
}

impl Candidate {
    /// Binds and reserves what the plan needs and does not have yet.
    pub fn prepare(
        offered: PlanToOffer,
        sockets: &mut Sockets,
        registry: &mut RateLimitRegistry,
        ports: TlsPorts,
        began: Instant,
    ) -> Result<Self, CandidateError> {
        let PlanToOffer { plan, bytes, digest } = offered;
        let BoundSockets { traffic, roles, health, metrics } = Self::bind(&plan, sockets, ports)?;
        let counts = registry.reserve(&plan)?;
        let detecting = plan.routes.iter().filter(|route| route.settings.mode == Mode::DetectOnly);
        let notices = Notices {
            health_off: plan.health_port.is_none(),
            metrics_off: plan.metrics_port.is_none(),
            detect_only: detecting.map(|route| route.id.0.clone()).collect(),
        };
        Ok(Self {
            digest,
            traffic,
            roles,
            hosts: plan.listen.hosts().to_vec(),
            data_dir: plan.data_dir.clone().into(),
            health,
            metrics,
            counts,
            began,
            plan,
            bytes,
            notices,
        })
    }

    /// The plan alone, to be offered again; the sockets are let go.
    pub fn into_plan(self) -> PlanToOffer {
        PlanToOffer { plan: self.plan, bytes: self.bytes, digest: self.digest }
    }

    /// Binds the sockets of a plan.
    pub fn bind(plan: &Plan, sockets: &mut Sockets, ports: TlsPorts) -> Result<BoundSockets, CandidateError> {
        let wanted = match plan.listen {
            Listen::Plain { port } => vec![("port", port, Role::Plain)],
            Listen::Tls { .. } => {
                vec![("--https-port", ports.https, Role::Https), ("--http-port", ports.http, Role::Redirect)]
            }
        };
        differ(plan, &wanted)?;
        let mut traffic = Vec::with_capacity(wanted.len());
        for (field, port, _) in &wanted {
            traffic.push(sockets.bind(field, *port)?);
        }
        let health = plan.health_port.map(|port| sockets.bind("health_port", port)).transpose()?;
        let metrics = plan.metrics_port.map(|port| sockets.bind("metrics_port", port)).transpose()?;
        let roles = wanted.into_iter().map(|(_, _, role)| role).collect();
        Ok(BoundSockets { traffic, roles, health, metrics })
    }

    /// The offer of it; the sockets travel beside, in the same order, and the memory of rate limits behind them.
    pub fn offer(&self, generation: Generation) -> Offer {
        let listener = |(socket, role): (&Arc<Bound>, &Role)| Listener {
            socket: socket.id,
            port: socket.port,
            role: *role,
        };
        Offer {
            generation,
            digest: self.digest,
            plan: self.bytes.clone(),
            counts: self.counts.as_ref().map(HeldTables::counts),
            listeners: self.traffic.iter().zip(&self.roles).map(listener).collect(),
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

/// Ports of the command line are beside those of the configuration.
fn differ(plan: &Plan, wanted: &[(&'static str, u16, Role)]) -> Result<(), CandidateError> {
    let configured = [("health_port", plan.health_port), ("metrics_port", plan.metrics_port)];
    let mut taken: Vec<(&'static str, u16)> =
        configured.into_iter().filter_map(|(field, port)| Some((field, port?))).collect();
    for (field, port, _) in wanted {
        if let Some((other, _)) = taken.iter().find(|(_, other)| other == port) {
            return Err(CandidateError::SamePort { field, other, port: *port });
        }
        taken.push((field, *port));
    }
    Ok(())
}
