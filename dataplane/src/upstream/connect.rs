//! Opening a connection: the addresses of a name, TCP to one of them, TLS where the scheme asks for it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use waf_shared::limits::{UPSTREAM_ADDRESSES_MAX, UPSTREAM_ATTEMPTS_MAX};
use waf_shared::plan::Upstream;

use super::error::{Awaited, UpstreamError, UpstreamFailure};
use super::tls;
use super::version::HttpVersionPreference;
use crate::stream::Stream;

/// The addresses of an upstream's name, in the order of the resolver.
pub(super) async fn resolve(
    upstream: &Upstream,
    deadline: Instant,
) -> Result<impl Iterator<Item = SocketAddr> + use<>, UpstreamError> {
    let lookup = tokio::net::lookup_host((upstream.host.as_str(), upstream.port));
    match timeout_at(deadline, lookup).await {
        Ok(Ok(found)) => Ok(found.take(UPSTREAM_ADDRESSES_MAX).collect::<Vec<_>>().into_iter()),
        Ok(Err(error)) => Err(UpstreamError::Resolve(error)),
        Err(_) => Err(UpstreamError::Timeout(Awaited::Name)),
    }
}

/// A connection to one address, TLS included.
pub(super) async fn to(
    address: SocketAddr,
    tls: Option<&tls::Connector>,
    want: HttpVersionPreference,
    deadline: Instant,
) -> Result<Stream, UpstreamError> {
    let stream = match timeout_at(deadline, TcpStream::connect(address)).await {
        Ok(connected) => connected.map_err(UpstreamError::Connect)?,
        Err(_) => return Err(UpstreamError::Timeout(Awaited::Connection)),
    };
    stream.set_nodelay(true).map_err(UpstreamError::Connect)?;
    let Some(tls) = tls else { return Ok(Stream::Plain(stream)) };
    match timeout_at(deadline, tls.handshake(stream, want)).await {
        Ok(Ok(stream)) => Ok(Stream::Tls(Box::new(stream.into()))),
        Ok(Err(error)) => Err(UpstreamError::of_handshake(error)),
        Err(_) => Err(UpstreamError::Timeout(Awaited::Tls)),
    }
}

/// A connection to the first address that takes one, within `limit`.
pub(super) async fn to_any(
    upstream: &Upstream,
    tls: Option<&tls::Connector>,
    want: HttpVersionPreference,
    limit: Duration,
) -> Result<Stream, UpstreamFailure> {
    let deadline = Instant::now() + limit;
    let addresses: Vec<_> = resolve(upstream, deadline).await?.take(UPSTREAM_ATTEMPTS_MAX).collect();
    let mut last = no_address();
    for (tried, address) in addresses.iter().enumerate() {
        match to(*address, tls, want, part(deadline, addresses.len() - tried)).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error.at(Some(*address)),
        }
    }
    Err(last)
}

/// The failure of a name without addresses.
pub(super) fn no_address() -> UpstreamFailure {
    UpstreamError::Connect(io::ErrorKind::AddrNotAvailable.into()).into()
}

/// Deadline of one attempt: an equal part of the time for each that may follow, so that an address that is silent
/// leaves time for the others.
pub(super) fn part(deadline: Instant, attempts: usize) -> Instant {
    let now = Instant::now();
    let attempts = u32::try_from(attempts).unwrap_or(u32::MAX).max(1);
    now + deadline.saturating_duration_since(now) / attempts
}
