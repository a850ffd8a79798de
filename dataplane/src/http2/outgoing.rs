//! The message that goes on one HTTP/2 stream, whichever side of it we are.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::{Reason, SendStream};
use http::{HeaderMap, Response};
use tokio::sync::watch;
use tokio::time::timeout;
use waf_shared::limits;

use super::incoming::LengthMismatch;
use super::stream_table::{Progress, SharedStreamTable};
use super::translate;
use crate::head::OutgoingHead;
use crate::min_rate::Patience;

/// Who starts the message that goes.
#[derive(Debug)]
enum Start {
    /// A response, whose stream opens with its head.
    Response(h2::server::SendResponse<Bytes>),
    /// A request, which was sent with its head.
    Request,
}

/// The message that goes on a stream. Calls queue; [`Outgoing::flush`] sends within the windows of the receiver.
#[derive(Debug)]
pub(crate) struct Outgoing {
    start: Start,
    stream: Option<SendStream<Bytes>>,
    head: Option<Response<()>>,
    data: VecDeque<Bytes>,
    queued: usize,
    end: Option<HeaderMap>,
    /// A head that HTTP/2 cannot carry.
    is_unsendable: bool,
    client: Option<ToClient>,
}

/// Dependencies of the answer to a client.
#[derive(Debug)]
pub(super) struct ToClient {
    pub(super) stream_table: SharedStreamTable,
    pub(super) progress: watch::Receiver<Progress>,
    pub(super) mismatch: LengthMismatch,
}

impl Outgoing {
    /// The response to a client.
    pub(super) fn response(respond: h2::server::SendResponse<Bytes>, client: ToClient) -> Outgoing {
        Outgoing::new(Start::Response(respond), None, Some(client))
    }

    /// A request whose head was sent.
    pub(crate) fn request(stream: SendStream<Bytes>, is_whole: bool) -> Outgoing {
        // Nothing may follow a head that ended its stream.
        Outgoing::new(Start::Request, Some(stream).filter(|_| !is_whole), None)
    }

    fn new(start: Start, stream: Option<SendStream<Bytes>>, client: Option<ToClient>) -> Outgoing {
        Outgoing {
            start,
            stream,
            head: None,
            data: VecDeque::new(),
            queued: 0,
            end: None,
            is_unsendable: false,
            client,
        }
    }

    /// Queues the head of a response. That of a request has been sent.
    pub(crate) fn head(&mut self, head: &OutgoingHead) {
        if matches!(self.start, Start::Response(_)) {
            self.queued += head.http1_lines().len();
            self.head = translate::response(head);
            self.is_unsendable |= self.head.is_none();
        }
    }

    pub(crate) fn data(&mut self, data: Bytes) {
        if !data.is_empty() {
            self.queued += data.len();
            self.data.push_back(data);
        }
    }

    /// Queues the end with its trailer lines.
    pub(crate) fn end(&mut self, trailers: &[u8]) {
        self.end = Some(translate::trailers(trailers));
    }

    /// Bytes that are queued.
    pub(crate) fn pending(&self) -> usize {
        self.queued
    }

    /// Sends what is queued, to a receiver that opens windows within `patience`.
    pub(crate) async fn flush(&mut self, patience: &mut Patience) -> io::Result<()> {
        if self.is_unsendable {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if self.client.as_ref().is_some_and(|client| client.mismatch.is_set()) {
            // RFC 9113 section 8.1.1: a stream error, and what the upstream said meanwhile is no answer to it.
            self.reset(Reason::PROTOCOL_ERROR);
            return Err(io::ErrorKind::InvalidData.into());
        }
        let ends_without = |data: &VecDeque<Bytes>, end: &Option<HeaderMap>| {
            data.is_empty() && end.as_ref().is_some_and(HeaderMap::is_empty)
        };
        if let (Start::Response(respond), Some(head)) = (&mut self.start, self.head.take()) {
            let is_all = ends_without(&self.data, &self.end);
            self.stream = Some(respond.send_response(head, is_all).map_err(io::Error::other)?);
            if is_all {
                self.end = None;
            }
        }
        let Some(stream) = &mut self.stream else { return Ok(()) };
        let connection = self.client.as_ref().map(|client| &client.stream_table);
        while let Some(data) = self.data.pop_front() {
            let is_last = ends_without(&self.data, &self.end);
            send_data(stream, data, is_last, patience, connection).await?;
            if is_last {
                self.end = None;
            }
        }
        self.queued = 0;
        match self.end.take() {
            None => Ok(()),
            Some(trailers) if trailers.is_empty() => {
                stream.send_data(Bytes::new(), true).map_err(io::Error::other)
            }
            Some(trailers) => stream.send_trailers(trailers).map_err(io::Error::other),
        }
    }

    /// Sends an interim response at once.
    pub(crate) fn interim(&mut self, head: &OutgoingHead) -> io::Result<()> {
        match (&mut self.start, translate::response(head)) {
            (Start::Response(respond), Some(head)) => {
                respond.send_informational(head).map_err(io::Error::other)
            }
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Ends the stream without its message's end.
    pub(crate) fn reset(&mut self, reason: Reason) {
        match (&mut self.stream, &mut self.start) {
            (Some(stream), _) => stream.send_reset(reason),
            (None, Start::Response(respond)) => respond.send_reset(reason),
            (None, Start::Request) => {}
        }
    }

    /// Ends once the receiver has broken the stream off; never for one that cannot tell.
    pub(crate) fn gone(&self) -> impl Future<Output = ()> + Send + use<> {
        let progress = self.client.as_ref().map(|client| client.progress.clone());
        async move {
            match progress {
                // A ledger that is gone means a connection that is.
                Some(mut progress) => {
                    let _ = progress.wait_for(|p| *p == Progress::Gone).await;
                }
                None => std::future::pending().await,
            }
        }
    }
}

async fn send_data(
    stream: &mut SendStream<Bytes>,
    mut data: Bytes,
    is_last: bool,
    patience: &mut Patience,
    connection: Option<&SharedStreamTable>,
) -> io::Result<()> {
    while !data.is_empty() {
        stream.reserve_capacity(data.len());
        let window = window(stream, patience, connection).await?;
        let part = data.split_to(window.min(data.len()));
        patience.took(Duration::ZERO, part.len());
        stream.send_data(part, is_last && data.is_empty()).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Waits for a window. A stream whose own window is open waits for its turn while others of its connection move: that
/// time does not count against it, to a bound. One that the client keeps shut has no such excuse.
async fn window(
    stream: &mut SendStream<Bytes>,
    patience: &mut Patience,
    connection: Option<&SharedStreamTable>,
) -> io::Result<usize> {
    let began = Instant::now();
    let turn = Duration::from_secs(limits::HTTP2_TURN_SECONDS);
    loop {
        let round = Instant::now();
        let id = stream.stream_id().as_u32();
        let before =
            connection.map(|stream_table| stream_table.lock()).map(|l| (l.is_shut(id), l.data_bytes));
        let outcome = timeout(patience.left(), capacity(stream)).await;
        let waited = round.elapsed();
        let moved = connection.map_or(0, |stream_table| stream_table.lock().data_bytes);
        let waits_for_others = before.is_some_and(|(is_shut, before)| {
            !is_shut && began.elapsed() < turn && moved.saturating_sub(before) >= patience.least(waited)
        });
        if !waits_for_others {
            patience.took(waited, 0);
        }
        match outcome {
            Ok(Some(Ok(window))) => return Ok(window),
            Ok(Some(Err(error))) => return Err(io::Error::other(error)),
            Ok(None) => return Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) if waits_for_others => {}
            Err(_) => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// The window of a stream once it is open.
async fn capacity(stream: &mut SendStream<Bytes>) -> Option<Result<usize, h2::Error>> {
    // A window may be open already, and one that opened may have shut again; only a poll that pends is woken.
    poll_fn(|cx| {
        if stream.capacity() > 0 {
            return Poll::Ready(Some(Ok(stream.capacity())));
        }
        loop {
            match stream.poll_capacity(cx) {
                Poll::Ready(Some(Ok(0))) => {}
                other => return other,
            }
        }
    })
    .await
}
