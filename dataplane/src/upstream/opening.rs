//! New connections of a pool: to the address with the fewest requests, and to the next one where it accepts none.
//! Nothing of a request has been sent yet, so that the next address can take it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::OwnedSemaphorePermit;
use waf_shared::limits::{CONNECT_SECONDS, UPSTREAM_ATTEMPTS_MAX};

use super::connect;
use super::connection::Connection;
use super::endpoints::{Candidates, Chosen};
use super::error::{UpstreamError, UpstreamFailure};
use super::link::Link;
use super::multiplexed::{Kept, Shared};
use super::version::HttpVersionPreference;
use super::{Pool, origin};
use crate::stream::Stream;

impl Pool {
    /// A new connection, whatever is idle. The name is resolved anew each time, so that a moved upstream is found.
    pub(super) async fn open(
        &self,
        chosen: Option<Chosen>,
        want: HttpVersionPreference,
        timeout: Duration,
    ) -> Result<Link, UpstreamFailure> {
        let slot = tokio::time::timeout(timeout, Arc::clone(&self.slots).acquire_owned());
        let slot = slot.await.map_err(|_| UpstreamError::Busy)?.map_err(|_| UpstreamError::Busy)?;
        let deadline = tokio::time::Instant::now() + timeout.min(Duration::from_secs(CONNECT_SECONDS));
        let addresses = connect::resolve(&self.upstream, deadline).await?;
        self.endpoints.resolved(addresses, Instant::now());
        let mut chosen = chosen.filter(|chosen| self.endpoints.is_current(chosen.address));
        let (mut tried, mut last) = (Vec::new(), connect::no_address());
        while let Some(next) = chosen.take().or_else(|| self.next(&tried)) {
            let attempts = self.endpoints.untried(&tried).min(UPSTREAM_ATTEMPTS_MAX - tried.len());
            let address = next.address;
            match connect::to(address, self.tls.as_ref(), want, connect::part(deadline, attempts)).await {
                Ok(stream) => {
                    self.note_success(address);
                    return self.ready(stream, want, next, slot).await;
                }
                Err(error) => {
                    self.note_failure(address, &error);
                    last = error.at(Some(address));
                }
            }
            tried.push(address);
        }
        Err(last)
    }

    /// The next address that a connection is tried to, within the bound on attempts.
    fn next(&self, tried: &[SocketAddr]) -> Option<Chosen> {
        let is_over = tried.len() >= UPSTREAM_ATTEMPTS_MAX;
        if is_over { None } else { self.endpoints.choose(Candidates::Current, tried, Instant::now()) }
    }

    /// A connection that was opened, ready for a request.
    async fn ready(
        &self,
        stream: Stream,
        want: HttpVersionPreference,
        chosen: Chosen,
        slot: OwnedSemaphorePermit,
    ) -> Result<Link, UpstreamFailure> {
        if stream.is_http2() || (want == HttpVersionPreference::Http2 && self.tls.is_none()) {
            let peer = chosen.address;
            let limit = Duration::from_secs(CONNECT_SECONDS);
            let connection = Shared::begin((stream, peer), slot, limit).await;
            let connection = connection.map_err(|error| error.at(Some(peer)))?;
            let mut place = connection.take(false).ok_or(UpstreamError::Busy)?;
            place.count_on(chosen);
            self.multiplexed().push(Kept { connection, used: Instant::now() });
            return Ok(Link::Http2(place));
        }
        Ok(Link::Http1(Box::new(Connection::new(stream, false, chosen, slot))))
    }

    /// Resolves the name once more in the background when the last answer is old: while every request finds an open
    /// connection, nothing else would ask for addresses that have been added.
    pub(super) fn refresh(&self) {
        if self.upstream.host.parse::<IpAddr>().is_ok() || !self.endpoints.begin_refresh(Instant::now()) {
            return;
        }
        let (upstream, endpoints) = (self.upstream.clone(), Arc::clone(&self.endpoints));
        tokio::spawn(async move {
            let deadline = tokio::time::Instant::now() + Duration::from_secs(CONNECT_SECONDS);
            // A name that does not resolve now is an error once a connection is needed.
            if let Ok(addresses) = connect::resolve(&upstream, deadline).await {
                endpoints.resolved(addresses, Instant::now());
            }
        });
    }

    fn note_success(&self, address: SocketAddr) {
        if self.endpoints.connected(address) {
            let upstream = origin(&self.upstream);
            tracing::info!(upstream, %address, "an address of the upstream accepts connections again");
        }
    }

    fn note_failure(&self, address: SocketAddr, error: &UpstreamError) {
        if self.endpoints.failed(address, Instant::now()) {
            let upstream = origin(&self.upstream);
            tracing::warn!(upstream, %address, %error, "an address of the upstream is left out for a while");
        }
    }
}
