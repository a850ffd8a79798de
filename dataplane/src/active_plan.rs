//! A plan made ready to serve: routes, pools, header rules and the engine. Built off the request path; everything that
//! can fail fails here, before what runs is touched.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use waf_detection::engine::Engine;
use waf_detection::exceptions::{ExceptionError, Exceptions};
use waf_detection::inspection::Bounds;
use waf_shared::catalog::Leaf;
use waf_shared::limits;
use waf_shared::metrics::RouteCounter;
use waf_shared::plan::{self, AddHeader, Digest, Listen, Mode, Plan, ResponseHeaders, Settings};

use crate::contracts::Contracts;
use crate::metrics::{Metrics, Series};
use crate::rate_limit::{self, Quota, Quotas};
use crate::spool::Spool;
use crate::trace::{TraceSetupError, Tracer};
use crate::upstream::{Pool, Pools, TlsSetupError};
use waf_shared::route::{HostSet, Router};

/// The reason why a plan cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The bytes are not a plan.
    #[error("the plan cannot be read: {0}")]
    Decode(#[from] plan::DecodeError),
    /// A contract cannot be used.
    #[error("the contract cannot be used: {0}")]
    Contract(#[from] waf_contract::BuildError),
    /// Exceptions name what this program does not know.
    #[error("the exceptions cannot be used: {0}")]
    Exceptions(#[from] ExceptionError),
    /// An `https://` upstream cannot be reached safely.
    #[error("TLS to upstreams cannot be set up: {0}")]
    Tls(#[from] TlsSetupError),
    /// Rate limits cannot be kept.
    #[error("rate limits cannot be kept: {0}")]
    RateLimit(#[from] rate_limit::MemoryError),
    /// Spans cannot be sent to the collector.
    #[error("tracing cannot be set up")]
    Trace(#[from] TraceSetupError),
}

/// A plan made ready. A request sees exactly one from its first byte to its last.
#[derive(Debug)]
pub struct ActivePlan {
    plan: Plan,
    digest: Digest,
    digest_text: String,
    router: Router,
    /// In modes 1 and 2.
    hosts: Option<HostSet>,
    engine: Arc<Engine>,
    global_bounds: Bounds,
    route_bounds: Vec<Bounds>,
    route_exceptions: Vec<Option<Arc<Exceptions>>>,
    quotas: Quotas,
    contracts: Contracts,
    pools: Pools,
    route_pools: Vec<Arc<Pool>>,
    route_headers: Vec<Arc<HeaderRules>>,
    global_headers: Arc<HeaderRules>,
    head_bytes_max: usize,
    tracer: Option<Arc<Tracer>>,
    metrics: Arc<Metrics>,
    spool: Spool,
    route_series: Vec<Arc<Series>>,
}

/// Parts of a plan made ready that do not follow from its bytes.
struct Beside {
    engine: Arc<Engine>,
    quotas: Quotas,
    tracer: Option<Arc<Tracer>>,
    metrics: Arc<Metrics>,
    spool: Spool,
}

impl ActivePlan {
    /// Decodes, verifies and builds. The engine and the upstream connections of `previous` are kept; what rate limits
    /// count lies in `memory`, requests are counted in `metrics`, and
    /// files for bodies come from `spool`.
    pub fn build(
        plan_bytes: &[u8],
        memory: Option<rate_limit::Memory>,
        previous: Option<&Arc<ActivePlan>>,
        metrics: &Arc<Metrics>,
        spool: &Spool,
    ) -> Result<Arc<ActivePlan>, BuildError> {
        let (plan, digest) = plan::decode(plan_bytes)?;
        let engine =
            previous.map_or_else(|| Arc::new(waf_detection::rules::engine()), |p| Arc::clone(&p.engine));
        let quotas = Quotas::build(&plan, memory, previous.map(|p| (&p.plan, &p.quotas)))?;
        let known = previous.and_then(|p| p.tracer.as_ref());
        let tracer = plan.tracing.as_ref().map(|settings| Tracer::build(settings, known)).transpose()?;
        let beside = Beside { engine, quotas, tracer, metrics: Arc::clone(metrics), spool: spool.clone() };
        let known = (previous.map(|p| &p.pools), previous.map(|p| &p.contracts));
        Self::of((plan, digest), beside, known)
    }

    /// Builds a plan that judges requests beside `in_force` and serves none. It shares the engine and the upstream pools;
    /// it counts by no rate limit, sends no spans, and its counters are nobody's.
    pub(crate) fn build_shadow(
        plan_bytes: &[u8],
        in_force: &Arc<ActivePlan>,
    ) -> Result<Arc<ActivePlan>, BuildError> {
        let beside = Beside {
            engine: Arc::clone(&in_force.engine),
            quotas: Quotas::default(),
            tracer: None,
            metrics: Metrics::new(1),
            spool: in_force.spool.clone(),
        };
        Self::of(plan::decode(plan_bytes)?, beside, (Some(&in_force.pools), None))
    }

    fn of(
        (mut plan, digest): (Plan, Digest),
        beside: Beside,
        (pools, contracts): (Option<&Pools>, Option<&Contracts>),
    ) -> Result<Arc<ActivePlan>, BuildError> {
        let Beside { engine, quotas, tracer, metrics, spool } = beside;
        let upstreams = plan.routes.iter().map(|route| &route.upstream);
        let (pools, route_pools) = Pools::build(upstreams, pools)?;
        let contracts = Contracts::build(&mut plan, contracts)?;
        let (global_headers, route_headers) = header_rules(&mut plan);
        let route_exceptions: Result<_, _> =
            plan.routes.iter().map(|route| Exceptions::of(plan.exceptions_of(route))).collect();
        let route_exceptions = route_exceptions?;
        Ok(Arc::new(ActivePlan {
            router: Router::new(&plan),
            global_bounds: Bounds::of(&plan.global),
            route_bounds: plan.routes.iter().map(|route| Bounds::of(&route.settings)).collect(),
            route_exceptions,
            route_series: plan.routes.iter().map(|route| metrics.series(&route.id.0)).collect(),
            metrics,
            spool,
            hosts: match &plan.listen {
                Listen::Plain { .. } => None,
                Listen::Tls { hosts } => Some(HostSet::new(hosts)),
            },
            digest_text: digest.to_string(),
            global_headers,
            head_bytes_max: head_bytes_max(&plan),
            plan,
            digest,
            engine,
            quotas,
            contracts,
            pools,
            route_pools,
            route_headers,
            tracer,
        }))
    }

    /// Name of the plan.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Name of the plan in 64 hex digits.
    pub(crate) fn digest_text(&self) -> &str {
        &self.digest_text
    }

    /// The plan.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(crate) fn router(&self) -> &Router {
        &self.router
    }

    /// The configured hosts; `None` where any host is served.
    pub(crate) fn hosts(&self) -> Option<&HostSet> {
        self.hosts.as_ref()
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The rate limit of a route.
    pub(crate) fn quota(&self, route: RouteIndex) -> Option<(&plan::RateLimit, &Quota)> {
        self.plan.routes.get(route.0)?.rate_limit.as_ref().zip(self.quotas.of(route.0))
    }

    /// Receiver of spans, while tracing is on.
    pub(crate) fn tracer(&self) -> Option<&Arc<Tracer>> {
        self.tracer.as_ref()
    }

    pub(crate) fn contracts(&self) -> &Contracts {
        &self.contracts
    }

    /// Moves what was counted about contracts to the series of their routes.
    pub(crate) fn count_contracts(&self) {
        for (route, counted) in self.contracts.counters() {
            let series = self.metrics.series(&route.0);
            for (counter, count) in [
                (RouteCounter::OpenapiValid, &counted.valid),
                (RouteCounter::OpenapiInvalid, &counted.invalid),
                (RouteCounter::OpenapiPartial, &counted.partial),
                (RouteCounter::OpenapiShadow, &counted.shadow),
            ] {
                match count.swap(0, Ordering::Relaxed) {
                    0 => {}
                    more => series.add(counter, more),
                }
            }
        }
    }

    pub(crate) fn pools(&self) -> &Pools {
        &self.pools
    }

    /// Source of files for bodies.
    pub(crate) fn spool(&self) -> &Spool {
        &self.spool
    }

    /// The worker's counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The numbers of a route, or those of what has none.
    pub(crate) fn series(&self, route: Option<RouteIndex>) -> &Series {
        route.and_then(|r| self.route_series.get(r.0)).unwrap_or_else(|| self.metrics.no_route())
    }

    /// Bytes of a head under the largest limit of any route.
    pub(crate) fn head_bytes_max(&self) -> usize {
        self.head_bytes_max
    }

    /// Settings of a route or, before one is chosen, the global ones.
    pub(crate) fn settings(&self, route: Option<RouteIndex>) -> &Settings {
        route.and_then(|r| self.plan.routes.get(r.0)).map_or(&self.plan.global, |r| &r.settings)
    }

    /// The bounds of inspection on a route, as [`ActivePlan::settings`] has them.
    pub(crate) fn bounds(&self, route: Option<RouteIndex>) -> &Bounds {
        route.and_then(|r| self.route_bounds.get(r.0)).unwrap_or(&self.global_bounds)
    }

    /// The exceptions of a route; none before one is chosen.
    pub(crate) fn exceptions(&self, route: Option<RouteIndex>) -> Option<&Arc<Exceptions>> {
        route.and_then(|r| self.route_exceptions.get(r.0))?.as_ref()
    }

    pub(crate) fn header_rules(&self, route: Option<RouteIndex>) -> &HeaderRules {
        route.and_then(|r| self.route_headers.get(r.0)).unwrap_or(&self.global_headers)
    }

    /// A route of the plan and its pool.
    pub(crate) fn route(&self, route: RouteIndex) -> Option<(&plan::Route, &Arc<Pool>)> {
        self.plan.routes.get(route.0).zip(self.route_pools.get(route.0))
    }
}

/// Index of a route in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RouteIndex(pub(crate) usize);

/// Rules for the headers of a response, as bytes on the wire.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HeaderRules {
    pub(crate) add: Vec<AddHeader>,
    strip: Vec<String>,
}

/// Takes the header rules out of the plan; routes with the same rules share them, as most routes of a plan do.
fn header_rules(plan: &mut Plan) -> (Arc<HeaderRules>, Vec<Arc<HeaderRules>>) {
    let mut known: Vec<Arc<HeaderRules>> = Vec::new();
    let mut share = |headers: &mut ResponseHeaders| {
        let rules = HeaderRules { add: mem::take(&mut headers.add), strip: mem::take(&mut headers.strip) };
        let shared = known.iter().find(|k| ***k == rules).cloned();
        shared.unwrap_or_else(|| {
            let rules = Arc::new(rules);
            // Looking through many different sets for each route would cost more than it saves.
            if known.len() < SHARED_RULES_MAX {
                known.push(Arc::clone(&rules));
            }
            rules
        })
    };
    let global = share(&mut plan.global.response_headers);
    let routes = plan.routes.iter_mut().map(|route| share(&mut route.settings.response_headers)).collect();
    (global, routes)
}

/// Sets of header rules that are compared with each route's.
const SHARED_RULES_MAX: usize = 32;

impl HeaderRules {
    /// Reports whether a response field of that name is taken out.
    pub(crate) fn strips(&self, name: &[u8]) -> bool {
        self.strip.iter().any(|s| name.eq_ignore_ascii_case(s.as_bytes()))
            || self.add.iter().any(|a| a.replaces && name.eq_ignore_ascii_case(a.name.as_bytes()))
    }
}

/// The line and separators of a head beside what `max_header_size` counts: `: ` and line ends of every field.
fn head_bytes_max(plan: &Plan) -> usize {
    let one = |settings: &Settings| {
        let accept = &settings.accept;
        // A limit that refuses nothing here must not do so before the head is read either.
        let of = |leaf, limit: usize, most: usize| {
            if settings.mode == Mode::Blocking && settings.leaves.contains(leaf) { limit } else { most }
        };
        of(
            Leaf::RequestValidationMaxHeaderSize,
            usize::try_from(accept.max_header_size).unwrap_or(usize::MAX),
            limits::HEAD_BYTES_MAX,
        )
        .saturating_add(of(
            Leaf::RequestValidationMaxUrlLength,
            accept.max_url_length as usize,
            limits::TARGET_BYTES_MAX,
        ))
        .saturating_add(of(
            Leaf::RequestValidationMaxHeaderCount,
            6 * accept.max_header_count as usize,
            6 * limits::HEAD_FIELDS_MAX,
        ))
    };
    let largest = plan.routes.iter().map(|r| one(&r.settings)).chain([one(&plan.global)]).max().unwrap_or(0);
    // Room beyond the limits, so that a head just over one is judged by its own route and not cut off unread.
    (2_usize.saturating_mul(largest).saturating_add(64 << 10))
        .min(limits::HEAD_BYTES_MAX + limits::TARGET_BYTES_MAX)
}
