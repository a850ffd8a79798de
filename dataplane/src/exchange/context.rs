//! The constants of one exchange: the plan that serves it, its connection, its clock, and what its head and its route
//! say. Stages read it; the exchange alone extends it, once when a head came and once when a route was chosen.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use waf_shared::plan::{Cidr, Mode, RateLimitSource, Settings, Upstream};

use super::tap::PieceTap;
use crate::active_plan::{ActivePlan, RouteIndex};
use crate::head::RequestHead;
use crate::metrics::Series;
use crate::tls::Secured;
use crate::trace;
use crate::{client_address, request_id};

/// The way by which a connection arrived.
#[derive(Debug, Clone)]
pub(crate) enum Arrival {
    /// Without TLS, to be proxied.
    Plain,
    /// Over TLS.
    Tls(Arc<Secured>),
    /// Without TLS, to be redirected to HTTPS.
    Redirect,
}

/// Addresses and arrival of a connection.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionInfo {
    /// The TCP peer, or whom its PROXY protocol header names.
    pub(crate) peer: SocketAddr,
    /// Who stands behind the peer.
    pub(crate) behind: Behind,
    /// Our own address.
    pub(crate) local: SocketAddr,
    pub(crate) arrival: Arrival,
}

/// Who stands behind the address of a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// The peer itself.
    Itself,
    /// A client that a proxy does not name, so that nothing which it says of itself is believed.
    Somebody,
}

/// Everything constant about one exchange.
#[derive(Debug)]
pub(crate) struct RequestContext {
    pub(crate) active_plan: Arc<ActivePlan>,
    connection: ConnectionInfo,
    started: Instant,
    time: SystemTime,
    head: Option<Arc<RequestHead>>,
    request_id: String,
    client: SocketAddr,
    route: Option<RouteIndex>,
    trace: Option<trace::Context>,
    tap: Option<Arc<PieceTap>>,
}

impl RequestContext {
    /// Context of an exchange that begins now; nothing was read yet.
    pub(crate) fn new(
        active_plan: Arc<ActivePlan>,
        connection: ConnectionInfo,
        now: (Instant, SystemTime),
    ) -> RequestContext {
        RequestContext {
            active_plan,
            client: connection.peer,
            connection,
            started: now.0,
            time: now.1,
            head: None,
            request_id: String::new(),
            route: None,
            trace: None,
            tap: None,
        }
    }

    /// Context of the same exchange under another plan; nothing was read yet.
    pub(super) fn under(&self, active_plan: Arc<ActivePlan>) -> RequestContext {
        RequestContext::new(active_plan, self.connection.clone(), (self.started, self.time))
    }

    /// Adds a receiver of the pieces of the body.
    pub(super) fn add_tap(&mut self, tap: PieceTap) {
        self.tap = Some(Arc::new(tap));
    }

    /// The receiver of the pieces of the body, where there is one.
    pub(super) fn tap(&self) -> Option<&Arc<PieceTap>> {
        self.tap.as_ref()
    }

    /// Adds the head of the request, and what it says of its client.
    pub(super) fn add_head(&mut self, head: Arc<RequestHead>) {
        self.request_id = request_id::choose(head.fields.all("x-request-id"), self.time);
        let trusted = self.trusted();
        if !trusted.is_empty() {
            let sent = |name| head.fields.all(name).collect::<Vec<_>>();
            let peer = self.connection.peer.ip();
            let address =
                client_address::client_address(peer, trusted, &sent("x-forwarded-for"), &sent("forwarded"));
            self.client.set_ip(address);
        }
        self.head = Some(head);
    }

    /// Adds the chosen route.
    pub(super) fn add_route(&mut self, route: RouteIndex) {
        self.route = Some(route);
    }

    /// Adds the place in a trace.
    pub(super) fn add_trace(&mut self, trace: trace::Context) {
        self.trace = Some(trace);
    }

    /// Makes an id for an exchange that ends before its head was read.
    pub(super) fn ensure_request_id(&mut self) {
        if self.request_id.is_empty() {
            self.request_id = request_id::fresh(self.time);
        }
    }

    /// Head of the request, once it was read.
    pub(crate) fn head(&self) -> Option<&Arc<RequestHead>> {
        self.head.as_ref()
    }

    /// The chosen route; none before one is chosen.
    pub(crate) fn route(&self) -> Option<RouteIndex> {
        self.route
    }

    /// Name of the chosen route.
    pub(crate) fn route_id(&self) -> Option<&str> {
        self.active_plan.route(self.route?).map(|(route, _)| route.id.0.as_str())
    }

    /// The upstream of the chosen route.
    pub(crate) fn upstream(&self) -> Option<&Upstream> {
        self.active_plan.route(self.route?).map(|(route, _)| &route.upstream)
    }

    /// Settings in force: those of the route or, before one is chosen, the global ones.
    pub(crate) fn settings(&self) -> &Settings {
        self.active_plan.settings(self.route)
    }

    /// Reports whether violations refuse the request.
    pub(crate) fn is_blocking(&self) -> bool {
        self.settings().mode == Mode::Blocking
    }

    /// Reports whether the contract of the route is enforced; otherwise it is only watched.
    pub(crate) fn is_contract_strict(&self) -> bool {
        let route = self.route.and_then(|route| self.active_plan.route(route));
        let openapi = route.and_then(|(route, _)| route.openapi.as_ref());
        openapi.is_some_and(|openapi| openapi.strict)
    }

    /// Reports whether a breach of the contract refuses the request.
    pub(crate) fn refuses_breaches(&self) -> bool {
        self.is_blocking() && self.is_contract_strict()
    }

    /// The field that the rate limit of the route counts by, as the configuration spells it.
    pub(crate) fn limit_key(&self) -> Option<&str> {
        match &self.active_plan.route(self.route?)?.0.rate_limit.as_ref()?.source {
            RateLimitSource::Ip => None,
            RateLimitSource::Header(name) => Some(name),
        }
    }

    /// Id of the request; empty until the head came or an id was made.
    pub(crate) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Address of the client: the peer's, or the one that a trusted peer names.
    pub(crate) fn client(&self) -> SocketAddr {
        self.client
    }

    /// The TCP peer, or whom its PROXY protocol header names.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.connection.peer
    }

    /// Ranges of peers whose word on the client counts on this connection.
    pub(crate) fn trusted(&self) -> &[Cidr] {
        match self.connection.behind {
            Behind::Itself => &self.active_plan.plan().trusted_proxies,
            Behind::Somebody => &[],
        }
    }

    /// Our own address.
    pub(crate) fn local(&self) -> SocketAddr {
        self.connection.local
    }

    /// The way by which the connection arrived.
    pub(crate) fn arrival(&self) -> &Arrival {
        &self.connection.arrival
    }

    /// The client's TLS session, if there is one.
    pub(crate) fn secured(&self) -> Option<&Secured> {
        match &self.connection.arrival {
            Arrival::Tls(secured) => Some(secured),
            Arrival::Plain | Arrival::Redirect => None,
        }
    }

    /// Scheme of the client's own hop.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.secured().is_some() { "https" } else { "http" }
    }

    /// Place in a trace, while tracing is on.
    pub(crate) fn trace(&self) -> Option<&trace::Context> {
        self.trace.as_ref()
    }

    /// Metrics of the route.
    pub(super) fn series(&self) -> &Series {
        self.active_plan.series(self.route)
    }

    /// Start of the exchange.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Start of the exchange by the clock on the wall.
    pub(crate) fn time(&self) -> SystemTime {
        self.time
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{exchange, head};
    use super::*;

    #[test]
    fn the_client_is_the_peer_unless_a_trusted_peer_names_another() {
        let peer = Cidr { address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 1], prefix_bits: 128 };
        for (trusted, lines, expected) in [
            (vec![], "GET / HTTP/1.1\nX-Forwarded-For: 198.51.100.7", "192.0.2.1"),
            (vec![peer], "GET / HTTP/1.1", "192.0.2.1"),
            (vec![peer], "GET / HTTP/1.1\nX-Forwarded-For: 198.51.100.7", "198.51.100.7"),
        ] {
            let mut exchange = exchange(|plan, _| plan.trusted_proxies = trusted.clone());
            exchange.context.add_head(Arc::new(head(lines)));
            assert_eq!(exchange.context.client().ip().to_string(), expected, "{lines:?} {trusted:?}");
            assert_eq!(exchange.context.peer().ip().to_string(), "192.0.2.1");
        }
    }

    #[test]
    fn nobody_is_believed_whose_proxy_does_not_name_it() {
        let peer = Cidr { address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 1], prefix_bits: 128 };
        for field in ["X-Forwarded-For: 198.51.100.7", "Forwarded: for=198.51.100.7"] {
            for (behind, expected) in [(Behind::Itself, "198.51.100.7"), (Behind::Somebody, "192.0.2.1")] {
                let mut exchange = exchange(|plan, _| plan.trusted_proxies = vec![peer]);
                exchange.context.connection.behind = behind;
                exchange.context.add_head(Arc::new(head(&format!("GET / HTTP/1.1\n{field}"))));
                assert_eq!(exchange.context.client().ip().to_string(), expected, "{field} {behind:?}");
                assert_eq!(exchange.context.trusted().is_empty(), behind == Behind::Somebody);
            }
        }
    }

    #[test]
    fn every_exchange_has_an_id() {
        let mut exchange = exchange(|_, _| {});
        assert_eq!(exchange.context.request_id(), "");
        exchange.context.ensure_request_id();
        let made = exchange.context.request_id().to_owned();
        exchange.context.ensure_request_id();
        assert!(!made.is_empty() && exchange.context.request_id() == made);
        exchange.context.add_head(Arc::new(head("GET / HTTP/1.1\nX-Request-Id: 0123456789")));
        assert_eq!(exchange.context.request_id(), "0123456789");
    }
}
