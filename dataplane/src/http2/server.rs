//! One HTTP/2 connection of a client: streams in, an exchange for each, and an end for connections that are idle, stuck
//! or guilty.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use h2::server::{Builder, Connection, SendResponse};
use h2::{Reason, RecvStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Interval, MissedTickBehavior, timeout};
use waf_shared::catalog::Leaf;
use waf_shared::limits;
use waf_shared::plan::Protocol;

use super::frame_filter::Bounds;
use super::gate::Gate;
use super::incoming::{Incoming, LengthMismatch};
use super::outgoing::{Outgoing, ToClient};
use super::stream_table::{ConnectionFault, Opening, Progress, SharedStreamTable};
use crate::audit::Disposition;
use crate::exchange::{self, ConnectionFate, ConnectionInfo, Ending, Exchange, Findings, Rejection};
use crate::head::RequestHead;
use crate::http1::framing::{self, Framing};
use crate::http1::head::Malformed;
use crate::http1::reader::{BodyError, Piece};
use crate::message::{Client, Sink, Source};
use crate::proxy::Proxy;
use crate::stream::Stream;

/// Time that a connection that ends may take to send its last frames.
const FAREWELL: Duration = Duration::from_secs(limits::LINGER_SECONDS);

/// Interval at which a busy connection is looked over.
const LOOK_OVER: Duration = Duration::from_secs(1);

/// Event on a connection.
enum Turn {
    Stream(RecvStream, SendResponse<Bytes>),
    Ended(Option<h2::Error>),
    Guilty(ConnectionFault),
    LookOver,
    Stop,
    Finished(Then),
}

/// Serves a connection whose first bytes, `begun`, are the preface.
pub(crate) async fn serve(proxy: Arc<Proxy>, stream: Stream, begun: BytesMut, info: ConnectionInfo) {
    let Some(active_plan) = proxy.active_plan() else { return };
    let protocol = &active_plan.plan().protocol;
    let stream_table = SharedStreamTable::new(Instant::now());
    let gate = Gate::new(stream, &begun, bounds(protocol), stream_table.clone());
    let patience = protocol.slow_request_header_timeout.duration();
    let handshake = builder(protocol).handshake(gate);
    let Ok(Ok(connection)) = timeout(patience, handshake).await else { return };
    drop(active_plan);
    let mut served = Served {
        proxy,
        info,
        stream_table,
        patience,
        exchanges: JoinSet::new(),
        quiet_since: Instant::now(),
        closing_since: None,
    };
    served.run(connection).await;
    served.stream_table.lock().end();
    // Nobody waits for the answers any more; exchanges end as soon as they notice, and write their events.
    while served.exchanges.join_next().await.is_some() {}
}

fn bounds(protocol: &Protocol) -> Bounds {
    Bounds {
        streams: protocol.http2_max_concurrent_streams as usize,
        continuations: protocol.http2_max_continuation_frames,
        decoded_bytes: usize::try_from(protocol.http2_max_decoded_header_bytes).unwrap_or(usize::MAX),
    }
}

/// The library's own bounds lie beyond the gate's, so that these decide.
fn builder(protocol: &Protocol) -> Builder {
    let mut builder = Builder::new();
    builder
        .initial_window_size(limits::HTTP2_STREAM_WINDOW_BYTES)
        .initial_connection_window_size(limits::HTTP2_CONNECTION_WINDOW_BYTES)
        .max_concurrent_streams(protocol.http2_max_concurrent_streams)
        .max_header_list_size(u32::try_from(protocol.http2_max_decoded_header_bytes).unwrap_or(u32::MAX))
        .max_send_buffer_size(limits::HTTP2_SEND_BUFFER_BYTES)
        .max_concurrent_reset_streams(512)
        .max_local_error_reset_streams(None)
        .max_pending_accept_reset_streams(4_096);
    builder
}

struct Served {
    proxy: Arc<Proxy>,
    info: ConnectionInfo,
    stream_table: SharedStreamTable,
    /// For a header block that has begun.
    patience: Duration,
    exchanges: JoinSet<Then>,
    /// Since when no stream has been open.
    quiet_since: Instant,
    /// Since when the client has known that the connection ends.
    closing_since: Option<Instant>,
}

impl Served {
    async fn run(&mut self, mut connection: Connection<Gate, Bytes>) {
        let mut stop = self.proxy.stopping();
        let mut is_stopping = false;
        let mut has_reported_streams = false;
        let mut look_over = tokio::time::interval(LOOK_OVER);
        look_over.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            match self.turn(&mut connection, &mut look_over, &mut stop, is_stopping).await {
                Turn::Stream(body, respond) => self.begin(body, respond),
                Turn::Finished(Then::GoOn) => {}
                Turn::Finished(Then::Close) => self.close(&mut connection),
                Turn::Stop => {
                    is_stopping = true;
                    self.close(&mut connection);
                }
                Turn::LookOver => match self.verdict(Instant::now()) {
                    Verdict::GoOn => {}
                    Verdict::Guilty(fault) => return self.condemn(connection, fault).await,
                    Verdict::Stuck => return,
                    Verdict::Idle => {
                        connection.graceful_shutdown();
                        let _ = timeout(FAREWELL, poll_fn(|cx| connection.poll_closed(cx))).await;
                        return;
                    }
                },
                Turn::Guilty(fault) => return self.condemn(connection, fault).await,
                Turn::Ended(error) => {
                    if let Some(error) = error.filter(|e| e.is_go_away() && e.is_library()) {
                        self.report(library_fault(&error)).await;
                    }
                    return;
                }
            }
            if !has_reported_streams && self.stream_table.lock().is_over_streams {
                has_reported_streams = true;
                let text = "more streams open than protocol.http2_max_concurrent_streams";
                let reason = Reason::REFUSED_STREAM;
                self.report(ConnectionFault { reason, leaf: Leaf::Http2MaxStreams, text }).await;
            }
        }
    }

    async fn turn(
        &mut self,
        connection: &mut Connection<Gate, Bytes>,
        look_over: &mut Interval,
        stop: &mut watch::Receiver<bool>,
        is_stopping: bool,
    ) -> Turn {
        let stream_table = &self.stream_table;
        let next = poll_fn(|cx| {
            let polled = connection.poll_accept(cx);
            if let Some(fault) = stream_table.lock().fault() {
                return Poll::Ready(Turn::Guilty(fault));
            }
            polled.map(|accepted| match accepted {
                Some(Ok((request, respond))) => Turn::Stream(request.into_body(), respond),
                Some(Err(error)) => Turn::Ended(Some(error)),
                None => Turn::Ended(None),
            })
        });
        tokio::select! {
            biased;
            turn = next => turn,
            Some(then) = self.exchanges.join_next(), if !self.exchanges.is_empty() => {
                self.quiet_since = Instant::now();
                Turn::Finished(then.unwrap_or(Then::Close))
            }
            // The sender lives as long as the proxy, which this connection holds.
            _ = stop.wait_for(|stopping| *stopping), if !is_stopping => Turn::Stop,
            _ = look_over.tick() => Turn::LookOver,
        }
    }

    /// Announces to the client that no new stream is taken; those that are open are finished.
    fn close(&mut self, connection: &mut Connection<Gate, Bytes>) {
        connection.graceful_shutdown();
        self.closing_since.get_or_insert_with(Instant::now);
    }

    /// The verdict on a connection by the time that it has waited.
    fn verdict(&self, now: Instant) -> Verdict {
        let stream_table = self.stream_table.lock();
        let over = |since: Option<Instant>, limit: Duration| {
            since.is_some_and(|since| now.saturating_duration_since(since) >= limit)
        };
        if over(stream_table.block_since, self.patience) {
            return Verdict::Guilty(ConnectionFault {
                reason: Reason::ENHANCE_YOUR_CALM,
                leaf: Leaf::RequestValidationSlowClients,
                text: "the header block was not complete within slow_request_header_timeout",
            });
        }
        if over(stream_table.blocked_since, Duration::from_secs(limits::CLIENT_STALL_SECONDS)) {
            return Verdict::Stuck;
        }
        let is_quiet = self.exchanges.is_empty() && stream_table.open() == 0;
        // The library waits for an answer to its last PING, which not every client sends.
        if is_quiet && over(self.closing_since, FAREWELL) && over(Some(self.quiet_since), FAREWELL) {
            return Verdict::Stuck;
        }
        if is_quiet && over(Some(self.quiet_since), Duration::from_secs(limits::KEEP_ALIVE_SECONDS)) {
            return Verdict::Idle;
        }
        Verdict::GoOn
    }

    /// Starts the exchange of a stream.
    fn begin(&mut self, body: RecvStream, mut respond: SendResponse<Bytes>) {
        let stream = respond.stream_id().as_u32();
        let Some((opening, progress)) = self.stream_table.lock().take_opening(stream) else {
            respond.send_reset(Reason::REFUSED_STREAM);
            return;
        };
        if matches!(opening, Opening::Refused) {
            respond.send_reset(Reason::REFUSED_STREAM);
            return;
        }
        let (proxy, stream_table, info) =
            (Arc::clone(&self.proxy), self.stream_table.clone(), self.info.clone());
        self.exchanges.spawn(async move {
            let forget = Forget { stream_table: stream_table.clone(), stream };
            let length = declared_length(&opening);
            let mismatch = LengthMismatch::default();
            let incoming = Incoming::from_client(body, stream_table.clone(), length, mismatch.clone());
            let to_client = ToClient { stream_table, progress: progress.clone(), mismatch };
            let outgoing = Outgoing::response(respond, to_client);
            let client = Client { reader: Source::http2(incoming), writer: Sink::to_stream(outgoing) };
            let then = exchange(opening, client, progress, &proxy, info).await;
            drop(forget);
            then
        });
    }

    /// Ends a guilty connection: the event first, then GOAWAY.
    async fn condemn(&mut self, mut connection: Connection<Gate, Bytes>, fault: ConnectionFault) {
        self.report(fault).await;
        connection.abrupt_shutdown(fault.reason);
        let _ = timeout(FAREWELL, poll_fn(|cx| connection.poll_closed(cx))).await;
    }

    /// Sends the event about a connection.
    async fn report(&self, fault: ConnectionFault) {
        let Some(active_plan) = self.proxy.active_plan() else { return };
        let mut exchange = Exchange::new(active_plan, self.info.clone());
        let status = if fault.leaf == Leaf::HttpComplianceMalformedRequestLine {
            400
        } else {
            fault.leaf.row().status
        };
        let _ = exchange.findings.refuse_unread(status, fault.leaf, fault.text.to_owned(), &[]);
        exchange.set_blocked();
        let ending = Ending { disposition: Disposition::Blocked, status, detail: None, verdict: None };
        let _ = exchange.send_event(ending, &self.proxy).await;
    }
}

/// Fate of a connection after an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    GoOn,
    /// A client that sent too slowly is not waited for again.
    Close,
}

/// Verdict on a connection.
enum Verdict {
    GoOn,
    Guilty(ConnectionFault),
    /// The client takes nothing.
    Stuck,
    Idle,
}

/// Takes a stream out of the ledger when its exchange is over, however it ends.
struct Forget {
    stream_table: SharedStreamTable,
    stream: u32,
}

impl Drop for Forget {
    fn drop(&mut self) {
        self.stream_table.lock().forget(self.stream);
    }
}

fn declared_length(opening: &Opening) -> Option<u64> {
    match opening {
        Opening::Head(head) => match framing::of_request(head) {
            Ok(Framing::Length(length)) => Some(length),
            _ => None,
        },
        _ => None,
    }
}

async fn exchange(
    opening: Opening,
    mut client: Client<'_>,
    mut progress: watch::Receiver<Progress>,
    proxy: &Proxy,
    info: ConnectionInfo,
) -> Then {
    let Some(active_plan) = proxy.active_plan() else { return Then::Close };
    let mut exchange = Exchange::new(active_plan, info);
    match opening {
        Opening::Head(head) => {
            if let Err(rejection) = empty_body(&head, &mut client, &mut exchange.findings).await {
                exchange::reject(rejection, &mut client, proxy, &mut exchange).await;
                return Then::GoOn;
            }
            if exchange::run(*head, &mut client, proxy, &mut exchange).await == ConnectionFate::Abort {
                client.writer.abort(Reason::INTERNAL_ERROR);
            }
        }
        Opening::Malformed { why, quoted } => {
            let rejection = exchange::malformed(why, &quoted, &mut exchange.findings);
            exchange::reject(rejection, &mut client, proxy, &mut exchange).await;
            // The answer says what is wrong to whoever reads it; the reset says it to the protocol (RFC 9113, 8.1.1).
            let _ = timeout(FAREWELL, progress.wait_for(|p| *p != Progress::Open)).await;
            client.writer.abort(Reason::PROTOCOL_ERROR);
        }
        Opening::Refused => {}
    }
    if exchange.findings.blames(Leaf::RequestValidationSlowClients) { Then::Close } else { Then::GoOn }
}

/// A body that is declared to be empty must turn out so before anything is forwarded: nobody reads it later.
async fn empty_body(
    head: &RequestHead,
    client: &mut Client<'_>,
    findings: &mut Findings,
) -> Result<(), Rejection> {
    if head.is_whole || framing::of_request(head) != Ok(Framing::Length(0)) {
        return Ok(());
    }
    let stall = Duration::from_secs(limits::BODY_STALL_SECONDS);
    match timeout(stall, client.reader.body()).await {
        Ok(Ok(Piece::End(_))) => Ok(()),
        Ok(Ok(Piece::Data(_)) | Err(BodyError::Malformed(_))) => {
            Err(exchange::malformed(Malformed::ContentLength, head.raw(), findings))
        }
        Ok(Err(_)) | Err(_) => Err(Rejection::Gone),
    }
}

fn library_fault(error: &h2::Error) -> ConnectionFault {
    let reason = error.reason().unwrap_or(Reason::PROTOCOL_ERROR);
    let (leaf, text) = match reason {
        Reason::ENHANCE_YOUR_CALM => (Leaf::Http2FrameFlood, "a flood of frames"),
        Reason::FLOW_CONTROL_ERROR => (MALFORMED, "a flow-control window was overrun"),
        Reason::FRAME_SIZE_ERROR => (MALFORMED, "a frame of a size that its type does not have"),
        Reason::STREAM_CLOSED => (MALFORMED, "a frame on a stream that had ended"),
        Reason::SETTINGS_TIMEOUT => (MALFORMED, "SETTINGS were not acknowledged"),
        _ => (MALFORMED, "a frame that the protocol does not allow there"),
    };
    ConnectionFault { reason, leaf, text }
}

const MALFORMED: Leaf = Leaf::HttpComplianceMalformedRequestLine;
