//! Connections to upstreams that carry many requests at once: HTTP/2, by ALPN or by prior knowledge.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::SendStream;
use h2::client::{Builder, ResponseFuture, SendRequest};
use http::Request;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use waf_shared::limits;

use super::endpoints::Chosen;
use super::error::{Awaited, UpstreamError};
use super::share::CONNECTION_UNITS;
use crate::stream::Stream;

/// A connection that every request may share.
#[derive(Debug)]
pub(super) struct Shared {
    sender: SendRequest<Bytes>,
    peer: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    in_flight: AtomicUsize,
    is_closed: AtomicBool,
}

/// A place on a shared connection; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Multiplexed {
    sender: SendRequest<Bytes>,
    peer: SocketAddr,
    state: Arc<State>,
    is_reused: bool,
    /// Units of the connection that it takes.
    units: u32,
    /// Counts the request on the address.
    chosen: Option<Chosen>,
}

impl Shared {
    /// Begins HTTP/2 on a fresh connection. A task drives it until it ends; `slot` is held so long.
    pub(super) async fn begin(
        (stream, peer): (Stream, SocketAddr),
        slot: OwnedSemaphorePermit,
        limit: Duration,
    ) -> Result<Shared, UpstreamError> {
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(limits::HTTP2_STREAM_WINDOW_BYTES)
            .initial_connection_window_size(limits::HTTP2_UPSTREAM_WINDOW_BYTES)
            .max_header_list_size(limits::RESPONSE_HEAD_BYTES_MAX as u32)
            .max_send_buffer_size(limits::HTTP2_SEND_BUFFER_BYTES);
        let handshake = timeout(limit, builder.handshake(stream))
            .await
            .map_err(|_| UpstreamError::Timeout(Awaited::Connection))?;
        let (sender, connection) =
            handshake.map_err(|error| UpstreamError::Reset(io::Error::other(error)))?;
        let state = Arc::new(State { in_flight: AtomicUsize::new(0), is_closed: AtomicBool::new(false) });
        let driven = Arc::clone(&state);
        tokio::spawn(async move {
            // It ends with an error or when the last sender is dropped; requests learn of errors themselves.
            let _ = connection.await;
            driven.is_closed.store(true, Ordering::Release);
            drop(slot);
        });
        Ok(Shared { sender, peer, state })
    }

    /// A place for one more request, unless the connection is closed or full.
    pub(super) fn take(&self, is_reused: bool) -> Option<Multiplexed> {
        let in_flight_max = self.sender.current_max_send_streams().min(limits::HTTP2_UPSTREAM_STREAMS_MAX);
        if self.is_closed() || self.state.in_flight.load(Ordering::Acquire) >= in_flight_max {
            return None;
        }
        self.state.in_flight.fetch_add(1, Ordering::AcqRel);
        let places = u32::try_from(in_flight_max).unwrap_or(u32::MAX).max(1);
        let units = CONNECTION_UNITS.div_ceil(places);
        let (sender, state) = (self.sender.clone(), Arc::clone(&self.state));
        Some(Multiplexed { sender, peer: self.peer, state, is_reused, units, chosen: None })
    }

    /// Address of the upstream.
    pub(super) fn peer(&self) -> SocketAddr {
        self.peer
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state.is_closed.load(Ordering::Acquire)
    }

    pub(super) fn is_idle(&self) -> bool {
        self.state.in_flight.load(Ordering::Acquire) == 0
    }
}

impl Multiplexed {
    pub(super) fn is_reused(&self) -> bool {
        self.is_reused
    }

    /// Address of the upstream.
    pub(super) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Counts its request on `chosen` until it is dropped.
    pub(super) fn count_on(&mut self, chosen: Chosen) {
        self.chosen = Some(chosen);
    }

    /// Units of a whole connection that it takes.
    pub(super) fn units(&self) -> u32 {
        self.units
    }

    /// Sends a request's head. One that the upstream refuses unread may be sent again.
    pub(super) async fn send(
        &mut self,
        head: &Request<()>,
        is_whole: bool,
        patience: Duration,
    ) -> Result<(ResponseFuture, SendStream<Bytes>), UpstreamError> {
        let broken = |error| UpstreamError::Reset(io::Error::other(error));
        let ready = timeout(patience, self.sender.clone().ready())
            .await
            .map_err(|_| UpstreamError::Timeout(Awaited::Answer))?;
        self.sender = ready.map_err(broken)?;
        self.sender.send_request(head.clone(), is_whole).map_err(broken)
    }
}

impl Drop for Multiplexed {
    fn drop(&mut self) {
        self.state.in_flight.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A shared connection in its pool.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) connection: Shared,
    pub(super) used: Instant,
}
