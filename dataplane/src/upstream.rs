//! Connections to upstreams: a pool for each origin, shared by all routes and plans that name it. It knows bytes and
//! deadlines; what is written on a connection is the exchange's business.

mod connect;

mod connection;

mod dialer;

mod endpoints;

mod error;

mod link;

mod multiplexed;

mod opening;

mod origin;

mod share;

mod tls;

mod version;

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use waf_shared::limits;
use waf_shared::metrics::EndpointCounts;
use waf_shared::plan::{Scheme, Upstream};

use self::endpoints::{Candidates, Endpoints};
use self::multiplexed::{Kept, Multiplexed};
use self::share::Shares;
use crate::stream::Stream;
pub use connection::Connection;
pub(crate) use dialer::Dialer;
pub use error::{Awaited, UpstreamError, UpstreamFailure};
pub(crate) use link::{Answering, Link, Outbound};
pub(crate) use origin::{origin, scheme_name};
pub(crate) use share::{Holder, Share};
pub use tls::TlsSetupError;
pub(crate) use version::HttpVersionPreference;

#[derive(Debug)]
struct Idle {
    stream: Stream,
    peer: SocketAddr,
    slot: OwnedSemaphorePermit,
    since: Instant,
}

/// A place among the tunnels of an origin, and the client's share of them.
#[derive(Debug)]
pub(crate) struct TunnelSlot {
    _slot: OwnedSemaphorePermit,
    _share: Share,
}

/// A connection for a request, and the client's share that it takes.
#[derive(Debug)]
pub(crate) struct Granted {
    pub(crate) link: Link,
    pub(crate) share: Share,
}

/// The connections to one origin.
#[derive(Debug)]
pub struct Pool {
    upstream: Upstream,
    tls: Option<tls::Connector>,
    slots: Arc<Semaphore>,
    shares: Arc<Shares>,
    tunnel_slots: Arc<Semaphore>,
    tunnel_shares: Arc<Shares>,
    idle: Mutex<Vec<Idle>>,
    multiplexed: Mutex<Vec<Kept>>,
    endpoints: Arc<Endpoints>,
    /// Name of the origin in metrics.
    name: String,
}

impl Pool {
    /// An empty pool; an `https` origin needs the system's trust anchors.
    fn new(upstream: Upstream, anchors: &mut tls::Anchors) -> Result<Pool, TlsSetupError> {
        let tls = match upstream.scheme {
            Scheme::Http => None,
            Scheme::Https => Some(tls::Connector::new(&upstream.host, anchors)?),
        };
        Ok(Pool {
            name: origin(&upstream),
            endpoints: Arc::default(),
            upstream,
            tls,
            slots: Arc::new(Semaphore::new(limits::UPSTREAM_CONNECTIONS_MAX)),
            shares: Shares::new(limits::UPSTREAM_CONNECTIONS_MAX),
            tunnel_slots: Arc::new(Semaphore::new(limits::UPSTREAM_TUNNELS_MAX)),
            tunnel_shares: Shares::new(limits::UPSTREAM_TUNNELS_MAX),
            idle: Mutex::new(Vec::new()),
            multiplexed: Mutex::new(Vec::new()),
        })
    }

    /// The scheme of its URL.
    pub(crate) fn scheme(&self) -> &'static str {
        scheme_name(self.upstream.scheme)
    }

    /// Reports whether a request may come to go over HTTP/2.
    pub(crate) fn may_speak_http2(&self, want: HttpVersionPreference) -> bool {
        match want {
            HttpVersionPreference::Any => self.tls.is_some(),
            HttpVersionPreference::Http1 => false,
            HttpVersionPreference::Http2 => true,
        }
    }

    /// A connection that is ready for a request of `holder`, within `timeout`. `repeatable` says whether the request
    /// may be tried again: others never take a connection that the upstream may be about to close.
    pub(crate) async fn acquire(
        &self,
        holder: Holder,
        want: HttpVersionPreference,
        repeatable: bool,
        timeout: Duration,
    ) -> Result<Granted, UpstreamFailure> {
        let began = Instant::now();
        // The client's share first: who is beyond it must not wait in line before everybody else.
        let share = tokio::time::timeout(timeout, self.shares.take(holder)).await;
        let mut share = share.ok().flatten().ok_or(UpstreamError::Share)?;
        let link = self.link(want, repeatable, timeout.saturating_sub(began.elapsed())).await?;
        if let Link::Http2(place) = &link {
            share.shrink(place.units());
        }
        Ok(Granted { link, share })
    }

    /// A place for a connection of `holder` that may become a tunnel. Never waits: tunnels last.
    pub(crate) fn tunnel(&self, holder: Holder) -> Result<TunnelSlot, UpstreamError> {
        let share = self.tunnel_shares.try_take(holder).ok_or(UpstreamError::Share)?;
        let slot = Arc::clone(&self.tunnel_slots).try_acquire_owned().map_err(|_| UpstreamError::Busy)?;
        Ok(TunnelSlot { _slot: slot, _share: share })
    }

    async fn link(
        &self,
        want: HttpVersionPreference,
        repeatable: bool,
        timeout: Duration,
    ) -> Result<Link, UpstreamFailure> {
        self.refresh();
        let Some(chosen) = self.endpoints.choose(Candidates::Known, &[], Instant::now()) else {
            return self.connect(want, timeout).await;
        };
        if self.may_speak_http2(want)
            && let Some(mut place) = self.place(chosen.address)
        {
            place.count_on(chosen);
            return Ok(Link::Http2(place));
        }
        if want == HttpVersionPreference::Http2 {
            return self.open(Some(chosen), want, timeout).await;
        }
        while let Some(mut idle) = self.pop(chosen.address) {
            let fresh = idle.since.elapsed() < Duration::from_secs(limits::UPSTREAM_FRESH_SECONDS);
            // What came while nobody had asked for anything answers no request.
            if (fresh || repeatable) && idle.stream.is_quiet() {
                return Ok(Link::Http1(Box::new(Connection::new(idle.stream, true, chosen, idle.slot))));
            }
        }
        self.open(Some(chosen), want, timeout).await
    }

    /// A new connection, whatever is idle.
    pub(crate) async fn connect(
        &self,
        want: HttpVersionPreference,
        timeout: Duration,
    ) -> Result<Link, UpstreamFailure> {
        self.open(None, want, timeout).await
    }

    /// A place on a connection to `peer` that is open and not full.
    fn place(&self, peer: SocketAddr) -> Option<Multiplexed> {
        let mut kept = self.multiplexed();
        kept.retain(|entry| !entry.connection.is_closed());
        kept.iter_mut().filter(|entry| entry.connection.peer() == peer).find_map(|entry| {
            let place = entry.connection.take(true)?;
            entry.used = Instant::now();
            Some(place)
        })
    }

    fn multiplexed(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.multiplexed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes back a connection whose last exchange is complete in both directions.
    pub(crate) fn release(&self, link: Link) {
        // A place on a shared connection is given back by being dropped.
        let Link::Http1(connection) = link else { return };
        let Connection { reader, writer, chosen, slot: Some(slot), .. } = *connection else { return };
        let (reader, unread) = reader.into_parts();
        if !unread.is_empty() {
            // Bytes behind the answer belong to no request: nothing that follows could be distinguished from them.
            return;
        }
        let stream = reader.unsplit(writer);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < limits::UPSTREAM_IDLE_MAX {
            idle.push(Idle { stream, peer: chosen.address, slot, since: Instant::now() });
        }
    }

    /// Closes what has been idle too long. Returns how many are left.
    pub fn prune(&self, now: Instant) -> usize {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let keep = Duration::from_secs(limits::UPSTREAM_IDLE_SECONDS);
        self.multiplexed().retain(|entry| {
            let is_recent = now.saturating_duration_since(entry.used) < keep;
            !entry.connection.is_closed() && (is_recent || !entry.connection.is_idle())
        });
        idle.retain(|entry| now.saturating_duration_since(entry.since) < keep);
        idle.len()
    }

    /// The most recently used one to `peer`: the others may grow old and be closed.
    fn pop(&self, peer: SocketAddr) -> Option<Idle> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle.iter().rposition(|entry| entry.peer == peer)?;
        Some(idle.remove(place))
    }
}

/// The pools of one plan, by origin.
#[derive(Debug, Default)]
pub struct Pools {
    pools: HashMap<Origin, Arc<Pool>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Origin {
    scheme: Scheme,
    host: String,
    port: u16,
}

/// Reads the system's trust anchors for later, when they may be out of reach.
pub fn remember_anchors() {
    tls::remember();
}

impl Pools {
    /// Pools for `upstreams`, in their order; those of `previous` are kept with their connections.
    pub fn build<'u>(
        upstreams: impl Iterator<Item = &'u Upstream>,
        previous: Option<&Pools>,
    ) -> Result<(Pools, Vec<Arc<Pool>>), TlsSetupError> {
        let (mut pools, mut in_order, mut anchors) = (HashMap::new(), Vec::new(), tls::Anchors::default());
        for upstream in upstreams {
            let origin = Origin { scheme: upstream.scheme, host: upstream.host.clone(), port: upstream.port };
            let known = pools.get(&origin).or_else(|| previous.and_then(|p| p.pools.get(&origin))).cloned();
            let pool = match known {
                Some(pool) => pool,
                None => Arc::new(Pool::new(upstream.clone(), &mut anchors)?),
            };
            pools.insert(origin, Arc::clone(&pool));
            in_order.push(pool);
        }
        Ok((Pools { pools }, in_order))
    }

    /// Addresses by state of every origin whose name has been resolved.
    pub(crate) fn endpoint_counts(&self) -> BTreeMap<String, EndpointCounts> {
        let counts = self.pools.values().map(|pool| (pool.name.clone(), pool.endpoints.counts()));
        counts.filter(|(_, counts)| *counts != EndpointCounts::default()).collect()
    }

    /// Closes idle connections of every pool.
    pub fn prune(&self, now: Instant) {
        for pool in self.pools.values() {
            pool.prune(now);
        }
    }
}
