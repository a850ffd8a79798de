//! Last stages: send the cleared request to the upstream, take its answer, relay it. Both directions run at once, so
//! that neither side can hold up the other.

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep_until, timeout};
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::inspect::{Body, BodyFault, Cleared, Next, body_refusal};
use super::record::Record;
use super::relay::{self, Relayed};
use super::{Client, Turned, forward, keeps_alive};
use crate::http1::framing::Framing;
use crate::http1::head::ResponseHead;
use crate::http1::reader::{HeadError, Reader};
use crate::proxy::Proxy;
use crate::refusal::After;
use crate::upstream::{Connection, Pool, UpstreamError};
use crate::wire;

/// Bytes of head and held body that are written at once.
const COALESCE_BYTES_MAX: usize = 64 << 10;

/// How long an upstream that stopped reading may take to say why.
const EARLY_ANSWER: Duration = Duration::from_secs(1);

/// An answer that went to the client.
pub(crate) struct Sent {
    pub(crate) status: u16,
    pub(crate) after: After,
}

/// Why an attempt failed.
enum Failed {
    /// The connection closed before a byte of the answer came: the request may never have been read.
    Unanswered(io::Error),
    Turned(Turned),
}

impl From<UpstreamError> for Failed {
    fn from(error: UpstreamError) -> Failed {
        Failed::Turned(Turned::Upstream(error))
    }
}

/// Forwards the request and relays the answer.
pub(crate) async fn transfer<R, W>(
    cleared: &mut Cleared,
    client: &mut Client<R, W>,
    proxy: &Proxy,
    record: &mut Record,
) -> Result<Sent, Turned>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let serving = std::sync::Arc::clone(&record.serving);
    let Some((route, pool)) = serving.route(cleared.admitted.route) else {
        return Err(Turned::Upstream(UpstreamError::Busy));
    };
    let patience = route.upstream_timeout.duration();
    let repeatable = is_idempotent(cleared.admitted.head.method()) && !cleared.admitted.carries_body();
    let mut head = Vec::with_capacity(2048);
    forward::write_head(&cleared.admitted, route, record, &mut head);

    let mut connection = pool.acquire(repeatable, patience).await.map_err(Turned::Upstream)?;
    let first_was_reused = connection.reused;
    match attempt(&head, cleared, client, proxy, record, (connection, pool), patience).await {
        Ok(sent) => return Ok(sent),
        Err(Failed::Turned(turned)) => return Err(turned),
        Err(Failed::Unanswered(error)) if !(first_was_reused && repeatable) => {
            return Err(Turned::Upstream(UpstreamError::Reset(error)));
        }
        Err(Failed::Unanswered(_)) => connection = pool.connect(patience).await.map_err(Turned::Upstream)?,
    }
    match attempt(&head, cleared, client, proxy, record, (connection, pool), patience).await {
        Ok(sent) => Ok(sent),
        Err(Failed::Turned(turned)) => Err(turned),
        Err(Failed::Unanswered(error)) => Err(Turned::Upstream(UpstreamError::Reset(error))),
    }
}

/// RFC 9110 section 9.2.2.
fn is_idempotent(method: &[u8]) -> bool {
    matches!(method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE" | b"PUT" | b"DELETE")
}

async fn attempt<R, W>(
    head: &[u8],
    cleared: &mut Cleared,
    client: &mut Client<R, W>,
    proxy: &Proxy,
    record: &mut Record,
    (mut connection, pool): (Connection, &Pool),
    patience: Duration,
) -> Result<Sent, Failed>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let chunked = cleared.admitted.framing == Framing::Chunked;
    let (status, relayed, sent_all, keep_alive) = {
        let mut send = pin!(send(
            head,
            &mut cleared.body,
            &mut client.reader,
            &mut connection.writer,
            patience,
            chunked
        ));
        let mut progress = Progress { sending: true, deadline: Instant::now() + patience, fault: None };
        let response =
            await_head(send.as_mut(), &mut progress, &mut connection.reader, patience, record).await?;
        // Decided as late as can be: a stop that began while the upstream worked is told to the client.
        // An answer that comes before the request is whole ends the connection: the rest may never be read.
        let keep_alive = keeps_alive(record) && !proxy.is_stopping() && progress.sent_all();
        let answer = relay::Answer::new(&response, &cleared.admitted, record, keep_alive)?;
        let mut relay = pin!(answer.relay(&mut connection.reader, &mut client.writer, patience));
        let relayed = loop {
            tokio::select! {
                biased;
                relayed = relay.as_mut() => break relayed,
                result = send.as_mut(), if progress.sending => {
                    progress.sending = false;
                    progress.fault = result.err();
                    // An upstream that stops reading may still be answering; a client that breaks off is gone.
                    if matches!(progress.fault, Some(SendFault::Client(_))) {
                        break Relayed::Cut;
                    }
                }
            }
        };
        if let Some(SendFault::Client(BodyFault::TooLarge)) = &progress.fault {
            record.detail("response cut");
        }
        (response.status, relayed, progress.sent_all(), keep_alive)
    };
    // A length that was declared was noted at the head.
    if chunked && cleared.body.is_over_size() {
        // Refused already where the mode says so; here it is only noted.
        let _ = record.violate(Leaf::RequestValidationMaxBodySize, "BODY", "a body over max_body_size");
    }
    let after = match relayed {
        Relayed::Whole { reusable } => {
            if reusable && sent_all {
                pool.release(connection);
            }
            if keep_alive && sent_all { After::KeepAlive } else { After::Close }
        }
        Relayed::ByClose => After::Close,
        Relayed::Cut => After::Abort,
    };
    Ok(Sent { status, after })
}

/// Where sending stands.
struct Progress {
    sending: bool,
    deadline: Instant,
    fault: Option<SendFault>,
}

impl Progress {
    /// Whether the upstream has the whole request: nothing is under way, and nothing broke off.
    fn sent_all(&self) -> bool {
        !self.sending && self.fault.is_none()
    }
}

/// Drives sending until the final response head is here.
async fn await_head<R: AsyncRead + Unpin>(
    mut send: std::pin::Pin<&mut impl Future<Output = Result<(), SendFault>>>,
    progress: &mut Progress,
    upstream: &mut Reader<R>,
    patience: Duration,
    record: &mut Record,
) -> Result<ResponseHead, Failed> {
    let mut interim = 0;
    loop {
        tokio::select! {
            biased;
            result = send.as_mut(), if progress.sending => {
                progress.sending = false;
                progress.deadline = Instant::now() + patience;
                match result {
                    Ok(()) => {}
                    Err(SendFault::Client(fault)) => return Err(Failed::Turned(body_refusal(&fault, record))),
                    Err(fault @ SendFault::Upstream(_)) => {
                        progress.deadline = Instant::now() + EARLY_ANSWER.min(patience);
                        progress.fault = Some(fault);
                    }
                }
            }
            bytes = upstream.head(limits::RESPONSE_HEAD_BYTES_MAX) => {
                let begun = interim > 0 || upstream.has_buffered();
                let bytes = bytes.map_err(|error| head_failure(error, begun))?;
                let response = ResponseHead::parse(bytes).map_err(UpstreamError::Malformed)?;
                match response.status {
                    // Switching was never asked for: `Upgrade` is not forwarded.
                    101 => return Err(UpstreamError::Malformed(crate::http1::head::Malformed::StartLine).into()),
                    100..=199 if interim < limits::INTERIM_RESPONSES_MAX => interim += 1,
                    100..=199 => return Err(UpstreamError::HeadTooLong.into()),
                    _ => return Ok(response),
                }
            }
            () = sleep_until(progress.deadline), if !progress.sending => {
                return Err(match progress.fault.take() {
                    Some(SendFault::Upstream(error)) => Failed::Unanswered(error),
                    _ => UpstreamError::Timeout.into(),
                });
            }
        }
    }
}

/// Once a byte of an answer came, interim ones included, the request was acted on and is not tried again.
fn head_failure(error: HeadError, begun: bool) -> Failed {
    match error {
        HeadError::Closed if begun => UpstreamError::Reset(io::ErrorKind::UnexpectedEof.into()).into(),
        HeadError::Io(error) if begun => UpstreamError::Reset(error).into(),
        HeadError::Closed => Failed::Unanswered(io::ErrorKind::UnexpectedEof.into()),
        HeadError::Io(error) => Failed::Unanswered(error),
        HeadError::Truncated => UpstreamError::Reset(io::ErrorKind::UnexpectedEof.into()).into(),
        HeadError::TooLong => UpstreamError::HeadTooLong.into(),
        HeadError::Malformed(why) => UpstreamError::Malformed(why).into(),
    }
}

/// Why sending stopped.
enum SendFault {
    Client(BodyFault),
    Upstream(io::Error),
}

/// Writes head and body; the upstream sees the message complete only if the client completed it.
async fn send<R, W>(
    head: &[u8],
    body: &mut Body,
    client: &mut Reader<R>,
    upstream: &mut W,
    patience: Duration,
    chunked: bool,
) -> Result<(), SendFault>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let push = |out: &mut Vec<u8>, data: &[u8]| {
        if chunked { wire::push_chunk(out, data) } else { out.extend_from_slice(data) }
    };
    let mut out = head.to_vec();
    loop {
        while out.len() < COALESCE_BYTES_MAX
            && let Some(data) = body.pop_held()
        {
            push(&mut out, &data);
        }
        if let Some(trailers) = body.at_end() {
            if chunked {
                wire::push_last_chunk(&mut out, trailers);
            }
            return wire::write_all_within(upstream, &out, patience).await.map_err(SendFault::Upstream);
        }
        wire::write_all_within(upstream, &out, patience).await.map_err(SendFault::Upstream)?;
        out.clear();
        match body.next(client).await.map_err(SendFault::Client)? {
            Next::Data(data) => push(&mut out, &data),
            Next::End(_) => {}
        }
    }
}

/// Waits for `work` for at most `patience`.
pub(super) async fn within<T>(patience: Duration, work: impl Future<Output = T>) -> Option<T> {
    timeout(patience, work).await.ok()
}
