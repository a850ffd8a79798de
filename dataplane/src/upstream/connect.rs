//! Opening a connection: resolve, connect to one address after the other, TLS where the scheme asks for it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use waf_shared::plan::Upstream;

use super::error::{Awaited, UpstreamError, UpstreamFailure};
use super::tls;
use super::version::HttpVersionPreference;
use crate::stream::Stream;

/// Addresses of one name that are tried; a name with more is balanced by its resolver anyway.
const ADDRESSES_MAX: usize = 8;

/// A connection and the address that it leads to, within `limit`. The name is resolved anew each time, so that a moved upstream is found.
pub(super) async fn connect(
    upstream: &Upstream,
    tls: Option<&tls::Connector>,
    want: HttpVersionPreference,
    limit: Duration,
) -> Result<(Stream, SocketAddr), UpstreamFailure> {
    let deadline = Instant::now() + limit;
    let lookup = tokio::net::lookup_host((upstream.host.as_str(), upstream.port));
    let addresses: Vec<_> = match timeout_at(deadline, lookup).await {
        Ok(found) => found.map_err(UpstreamError::Resolve)?.take(ADDRESSES_MAX).collect(),
        Err(_) => return Err(UpstreamError::Timeout(Awaited::Name).into()),
    };
    let mut last = UpstreamError::Connect(io::ErrorKind::AddrNotAvailable.into()).into();
    for address in addresses {
        match timeout_at(deadline, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                let finished = finish(stream, tls, want, deadline).await;
                return match finished {
                    Ok(stream) => Ok((stream, address)),
                    Err(error) => Err(error.at(Some(address))),
                };
            }
            Ok(Err(error)) => last = UpstreamError::Connect(error).at(Some(address)),
            Err(_) => return Err(UpstreamError::Timeout(Awaited::Connection).at(Some(address))),
        }
    }
    Err(last)
}

async fn finish(
    stream: TcpStream,
    tls: Option<&tls::Connector>,
    want: HttpVersionPreference,
    deadline: Instant,
) -> Result<Stream, UpstreamError> {
    stream.set_nodelay(true).map_err(UpstreamError::Connect)?;
    let Some(tls) = tls else { return Ok(Stream::Plain(stream)) };
    match timeout_at(deadline, tls.handshake(stream, want)).await {
        Ok(Ok(stream)) => Ok(Stream::Tls(Box::new(stream.into()))),
        Ok(Err(error)) => Err(UpstreamError::of_handshake(error)),
        Err(_) => Err(UpstreamError::Timeout(Awaited::Tls)),
    }
}
