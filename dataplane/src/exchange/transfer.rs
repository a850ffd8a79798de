//! Last stages: send the cleared request to the upstream, take its answer, relay it. Both directions run at once, so
//! that neither side can hold up the other.

mod head;

mod upload;

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use waf_shared::catalog::Leaf;
use waf_shared::metrics::RouteCounter;

use super::admit::Admitted;
use super::body::{BodyFault, body_refusal};
use super::inspect::Cleared;
use super::record::Record;
use super::relay::{self, By, Relayed};
use super::response_inspection::ResponseFindings;
use super::tunnel::{self, Side};
use super::{Client, Rejection, forward, keeps_alive, upgrade};
use crate::http1::framing::{self, Framing};
use crate::http1::head::{Malformed, ResponseHead};
use crate::http2;
use crate::message::{Delimited, Source};
use crate::proxy::Proxy;
use crate::refusal::After;
use crate::upstream::{
    Granted, Holder, HttpVersionPreference, Link, Outbound, Pool, Share, TunnelSlot, UpstreamError,
};
use head::{Progress, Waiting, await_head};
use upload::{SendFault, upload};

/// An answer that went to the client.
pub(crate) struct Sent {
    pub(crate) status: u16,
    pub(crate) after: After,
}

/// Why an attempt failed.
enum Failed {
    /// The connection closed before a byte of the answer came: the request may never have been read.
    Unanswered(io::Error),
    Rejection(Rejection),
}

impl From<UpstreamError> for Failed {
    fn from(error: UpstreamError) -> Failed {
        Failed::Rejection(Rejection::Upstream(error))
    }
}

/// Forwards the request and relays the answer. A client that breaks its request off ends both.
pub(crate) async fn transfer(
    cleared: &mut Cleared,
    client: &mut Client<'_>,
    proxy: &Proxy,
    record: &mut Record,
) -> Result<Sent, Rejection> {
    if record.settings().leaves.contains(Leaf::RequestValidationSlowClients) {
        client.writer.keep_min_rate(record.active_plan.plan().protocol.slow_request_min_rate_bps);
    }
    let gone = client.writer.gone();
    let sent = tokio::select! {
        biased;
        sent = attempts(cleared, client, proxy, record) => sent,
        () = gone => Err(Rejection::Gone),
    };
    record.call_ends(match &sent {
        Err(Rejection::Upstream(error)) => Some(error.word()),
        _ => None,
    });
    sent
}

/// Tries once, and once more where that is safe.
async fn attempts(
    cleared: &mut Cleared,
    client: &mut Client<'_>,
    proxy: &Proxy,
    record: &mut Record,
) -> Result<Sent, Rejection> {
    let active_plan = std::sync::Arc::clone(&record.active_plan);
    let Some((route, pool)) = active_plan.route(cleared.admitted.route) else {
        return Err(Rejection::Upstream(UpstreamError::Busy));
    };
    let patience = route.upstream_timeout.duration();
    let repeatable = is_idempotent(cleared.admitted.head.method()) && !cleared.admitted.carries_body();
    let mut head = Vec::with_capacity(2048);
    forward::write_head(&cleared.admitted, route, record, &mut head);
    record.call_begins(&route.upstream, &head);

    let holder = Holder::new(record.client.ip(), proxy.client_share(active_plan.plan()));
    let asks_upgrade = !upgrade::asked(&cleared.admitted).is_empty();
    let tunnel = asks_upgrade.then(|| pool.tunnel(holder)).transpose().map_err(Rejection::Upstream)?;
    let want = if asks_upgrade {
        // HTTP/2 has no such switch.
        HttpVersionPreference::Http1
    } else if cleared.admitted.is_grpc() {
        HttpVersionPreference::Http2
    } else {
        HttpVersionPreference::Any
    };
    let http2 = if pool.may_speak_http2(want) { http2::request(&head, pool.scheme()) } else { None };
    // What HTTP/2 cannot say goes over a connection that was not offered it.
    let want =
        if pool.may_speak_http2(want) && http2.is_none() { HttpVersionPreference::Http1 } else { want };
    let delimited = match cleared.admitted.framing {
        Framing::Chunked => Delimited::Message,
        _ => Delimited::Head,
    };
    let is_whole = !cleared.admitted.carries_body();
    let request = Outbound { text: head, http2, delimited, is_whole };

    let Granted { mut link, share } = tokio::select! {
        biased;
        granted = pool.acquire(holder, want, repeatable, patience) => granted.map_err(Rejection::Upstream)?,
        // Who has not sent everything is heard of when the rest is read.
        () = client.reader.gone(), if cleared.body.has_come() => return Err(Rejection::Gone),
    };
    let mut held = Held { share: Some(share), _tunnel: tunnel };
    let first_was_reused = link.is_reused();
    match attempt(&request, cleared, client, proxy, record, (link, pool, &mut held), patience).await {
        Ok(sent) => return Ok(sent),
        Err(Failed::Rejection(rejection)) => return Err(rejection),
        Err(Failed::Unanswered(error)) if !(first_was_reused && repeatable) => {
            return Err(Rejection::Upstream(UpstreamError::Reset(error)));
        }
        Err(Failed::Unanswered(_)) => {
            link = pool.connect(want, patience).await.map_err(Rejection::Upstream)?
        }
    }
    match attempt(&request, cleared, client, proxy, record, (link, pool, &mut held), patience).await {
        Ok(sent) => Ok(sent),
        Err(Failed::Rejection(rejection)) => Err(rejection),
        Err(Failed::Unanswered(error)) => Err(Rejection::Upstream(UpstreamError::Reset(error))),
    }
}

/// What the client holds of the origin's connections while its request runs; given back however that ends.
struct Held {
    share: Option<Share>,
    /// For a request that asks for an upgrade.
    _tunnel: Option<TunnelSlot>,
}

/// RFC 9110 section 9.2.2.
fn is_idempotent(method: &[u8]) -> bool {
    matches!(method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE" | b"PUT" | b"DELETE")
}

async fn attempt(
    request: &Outbound,
    cleared: &mut Cleared,
    client: &mut Client<'_>,
    proxy: &Proxy,
    record: &mut Record,
    (mut link, pool, held): (Link, &Pool, &mut Held),
    patience: Duration,
) -> Result<Sent, Failed> {
    let exchanged = 'exchanged: {
        let (upstream, mut answering) = link.open(request, patience).await.map_err(unopened)?;
        let (done, sent) = oneshot::channel();
        let mut upload = pin!(upload(upstream, &mut cleared.body, &mut client.reader, done));
        let mut progress = Progress { sent, sending: true, deadline: Instant::now() + patience, fault: None };
        let mut waiting = Waiting { progress: &mut progress, patience, client: &mut client.writer };
        let response =
            await_head(upload.as_mut(), &mut waiting, &mut answering, &cleared.admitted, record).await?;
        record.call_answered(response.status);
        if response.status == 101 {
            break 'exchanged Exchanged::Switched(response);
        }
        if response.status >= 500 {
            record.series().add(RouteCounter::Upstream5xx, 1);
        }
        // Decided as late as can be: a stop that began while the upstream worked is told to the client.
        // An answer that comes before the request is whole ends the connection: the rest may never be read.
        let keep_alive = keeps_alive(record) && !proxy.is_stopping() && progress.sent_all();
        let answer = relay::Answer::new(&response, &cleared.admitted, record, keep_alive)?;
        let mut source = answering.into_body(declared_length(&response, cleared.admitted.head.method()));
        let mut relay = pin!(answer.relay(&mut source, &mut client.writer, patience));
        let relayed = loop {
            tokio::select! {
                biased;
                relayed = relay.as_mut() => break relayed,
                () = upload.as_mut() => return Err(Failed::Rejection(Rejection::Gone)),
                result = &mut progress.sent, if progress.sending => {
                    progress.sending = false;
                    progress.fault = result.unwrap_or(Ok(())).err();
                    // An upstream that stops reading may still be answering; a client that breaks off is gone.
                    if matches!(progress.fault, Some(SendFault::Client(_))) {
                        break (Relayed::Cut(By::Client), ResponseFindings::default());
                    }
                }
            }
        };
        let status = response.status;
        Exchanged::Answered {
            status,
            relayed,
            sent_all: progress.sent_all(),
            keep_alive,
            fault: progress.fault,
        }
    };
    let (status, (relayed, judged), sent_all, keep_alive, fault) = match exchanged {
        Exchanged::Switched(response) => {
            held.share = None;
            return switch(&response, &cleared.admitted, client, link, record).await;
        }
        Exchanged::Answered { status, relayed, sent_all, keep_alive, fault } => {
            (status, relayed, sent_all, keep_alive, fault)
        }
    };
    record.judged(judged);
    if let Some(SendFault::Client(fault)) = &fault {
        // An answer that is still held back has not begun: the client learns why.
        if !client.writer.has_begun() {
            return Err(Failed::Rejection(body_refusal(fault, record)));
        }
        if matches!(fault, BodyFault::Refused(_)) {
            record.detail("response cut");
        }
    }
    let after = match relayed {
        // The rest of the request may still be on its way.
        Relayed::Refused(refusal) if sent_all => return Err(Failed::Rejection(refusal.into())),
        Relayed::Refused(refusal) => return Err(Failed::Rejection(refusal.closing().into())),
        Relayed::Stopped => {
            record.detail("response cut");
            After::Abort
        }
        Relayed::Whole { reusable } => {
            if reusable && sent_all {
                pool.release(link);
            }
            if keep_alive && sent_all { After::KeepAlive } else { After::Close }
        }
        Relayed::ByClose => After::Close,
        Relayed::Cut(by) => {
            match by {
                By::Client => {}
                By::Upstream => record.series().add(RouteCounter::UpstreamReset, 1),
                By::Silence => record.series().add(RouteCounter::UpstreamTimeout, 1),
            }
            After::Abort
        }
    };
    Ok(Sent { status, after })
}

/// How an exchange with the upstream went.
enum Exchanged {
    /// It answered.
    Answered {
        status: u16,
        relayed: (Relayed, ResponseFindings),
        sent_all: bool,
        keep_alive: bool,
        fault: Option<SendFault>,
    },
    /// It switches to what it was asked for.
    Switched(ResponseHead),
}

/// Tells the client that the upstream switched, and carries bytes from then on.
async fn switch(
    response: &ResponseHead,
    admitted: &Admitted,
    client: &mut Client<'_>,
    mut link: Link,
    record: &mut Record,
) -> Result<Sent, Failed> {
    let crooked = || UpstreamError::Malformed(Malformed::StartLine);
    let Link::Http1(connection) = &mut link else { return Err(crooked().into()) };
    if !upgrade::is_agreed(response, &upgrade::asked(admitted)) {
        return Err(crooked().into());
    }
    connection.becomes_tunnel();
    record.set_upgraded();
    client.writer.head(&relay::switching_head(response, record), Delimited::Head);
    client.writer.flush().await.map_err(|_| Failed::Rejection(Rejection::Gone))?;
    let (Source::Http1(reader), Some(writer)) = (&mut client.reader, client.writer.connection()) else {
        return Err(crooked().into());
    };
    let upstream = Side { reader: &mut connection.reader, writer: &mut connection.writer };
    tunnel::run(Side { reader, writer }, upstream).await;
    Ok(Sent { status: 101, after: After::Abort })
}

/// A connection that ended before it took the request.
fn unopened(error: UpstreamError) -> Failed {
    match error {
        UpstreamError::Reset(error) => Failed::Unanswered(error),
        error => error.into(),
    }
}

fn declared_length(response: &ResponseHead, method: &[u8]) -> Option<u64> {
    match framing::of_response(response, method) {
        Ok(Framing::Length(length)) => Some(length),
        _ => None,
    }
}

/// Waits for `work` for at most `patience`.
pub(super) async fn within<T>(patience: Duration, work: impl Future<Output = T>) -> Option<T> {
    timeout(patience, work).await.ok()
}
