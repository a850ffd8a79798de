//! One request over a connection to an upstream, whichever version of HTTP it speaks: opened with a head, written to,
//! read from.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::Poll;
use std::time::Duration;

use h2::RecvStream;
use h2::client::ResponseFuture;
use http::Request;
use tokio::io::ReadHalf;
use waf_shared::limits;

use super::connection::Connection;
use super::error::UpstreamError;
use super::multiplexed::Multiplexed;
use crate::head::{Hop, OutgoingHead, ResponseHead};
use crate::http1::reader::{HeadError, Reader};
use crate::http2::{Incoming, Outgoing, response_head};
use crate::message::{Sink, Source};
use crate::stream::Stream;

/// A connection that is ready for one request.
#[derive(Debug)]
pub(crate) enum Link {
    /// All of a connection.
    Http1(Box<Connection>),
    /// One stream of a connection.
    Http2(Multiplexed),
}

/// A request as it goes over a link: its head, and that as HTTP/2 where it may go that way.
#[derive(Debug)]
pub(crate) struct Outbound {
    pub(crate) head: OutgoingHead,
    pub(crate) http2: Option<Request<()>>,
    pub(crate) hop: Hop,
    /// True if no body follows.
    pub(crate) is_whole: bool,
}

/// Source of the answer: first its heads, then its body.
#[derive(Debug)]
pub(crate) enum Answering<'c> {
    Http1(&'c mut Reader<ReadHalf<Stream>>),
    Http2 { response: ResponseFuture, body: Option<RecvStream>, begun: bool },
}

impl Link {
    /// Reports whether a request went over it before.
    pub(crate) fn is_reused(&self) -> bool {
        match self {
            Link::Http1(connection) => connection.reused,
            Link::Http2(connection) => connection.is_reused(),
        }
    }

    /// Address of the upstream.
    pub(crate) fn peer(&self) -> SocketAddr {
        match self {
            Link::Http1(connection) => connection.chosen.address,
            Link::Http2(connection) => connection.peer(),
        }
    }

    /// Begins a request. Its head is queued or sent; a peer that takes nothing for `patience` is given up.
    pub(crate) async fn open(
        &mut self,
        request: &Outbound,
        patience: Duration,
    ) -> Result<(Sink<'_>, Answering<'_>), UpstreamError> {
        match self {
            Link::Http1(connection) => {
                let Connection { reader, writer, .. } = &mut **connection;
                let mut sink = Sink::http1(writer, patience);
                sink.head(&request.head, &request.hop);
                Ok((sink, Answering::Http1(reader)))
            }
            Link::Http2(connection) => {
                let head = request.http2.as_ref().ok_or(UpstreamError::Busy)?;
                let (response, stream) = connection.send(head, request.is_whole, patience).await?;
                let sink = Sink::to_upstream(Outgoing::request(stream, request.is_whole), patience);
                Ok((sink, Answering::Http2 { response, body: None, begun: false }))
            }
        }
    }
}

impl<'c> Answering<'c> {
    /// Reports whether a byte of an answer has come.
    pub(crate) fn has_begun(&self) -> bool {
        match self {
            Answering::Http1(reader) => reader.has_buffered(),
            Answering::Http2 { begun, .. } => *begun,
        }
    }

    /// The next head, interim or final. A wait that is given up loses nothing.
    pub(crate) async fn head(&mut self) -> Result<ResponseHead, HeadError> {
        match self {
            Answering::Http1(reader) => {
                let bytes = reader.head(limits::RESPONSE_HEAD_BYTES_MAX).await?;
                ResponseHead::parse(bytes).map_err(HeadError::Malformed)
            }
            Answering::Http2 { response, body, begun } => {
                let next = poll_fn(|cx| {
                    if let Poll::Ready(Some(interim)) = response.poll_informational(cx) {
                        return Poll::Ready(interim.map(|head| (head, None)));
                    }
                    let response = std::pin::Pin::new(&mut *response);
                    response.poll(cx).map_ok(|response| {
                        let (parts, body) = response.into_parts();
                        (http::Response::from_parts(parts, ()), Some(body))
                    })
                });
                let (head, stream) = next.await.map_err(|error| HeadError::Io(io::Error::other(error)))?;
                *begun = true;
                *body = stream;
                response_head(&head).map_err(HeadError::Malformed)
            }
        }
    }

    /// The body of the answer whose head came last. `length` is what it declared, where a body follows at all.
    pub(crate) fn into_body(self, length: Option<u64>) -> Source<'c> {
        match self {
            Answering::Http1(reader) => Source::http1(reader),
            Answering::Http2 { body: Some(body), .. } => Source::http2(Incoming::from_upstream(body, length)),
            Answering::Http2 { .. } => Source::empty(),
        }
    }
}
