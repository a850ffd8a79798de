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
use waf_shared::plan::Route;

use super::admit::Admitted;
use super::body::{BodyFault, body_refusal};
use super::connection_fate::{self, ConnectionFate, RequestState};
use super::context::RequestContext;
use super::findings::Findings;
use super::findings::ResponseFindings;
use super::inspect::Cleared;
use super::rejection::Rejection;
use super::relay::{self, By, Relayed};
use super::tunnel::{self, Side};
use super::{forward, spans, upgrade};
use crate::head::ResponseHead;
use crate::http1::framing::{self, Framing};
use crate::http1::head::Malformed;
use crate::http2;
use crate::message::{Client, Delimited};
use crate::proxy::Proxy;
use crate::trace::Call;
use crate::upstream::{
    Granted, Holder, HttpVersionPreference, Link, Outbound, Pool, Share, TunnelSlot, UpstreamError,
};
use head::{Progress, Waiting, await_head};
use upload::{SendFault, upload};

/// A request that was answered with the upstream's response.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) fate: ConnectionFate,
    /// Addition to the status in the event.
    pub(super) detail: Option<&'static str>,
}

/// The parts of an exchange that a transfer reads and appends to.
#[derive(Debug)]
pub(super) struct Notes<'e> {
    pub(super) context: &'e RequestContext,
    pub(super) findings: &'e mut Findings,
    /// The call of the upstream, while tracing is on.
    pub(super) call: &'e mut Option<Call>,
}

/// The reason why an attempt failed.
enum Failed {
    /// The connection closed before a byte of the answer came: the request may never have been read.
    Unanswered(io::Error),
    Rejected(Rejection),
}

impl From<UpstreamError> for Failed {
    fn from(error: UpstreamError) -> Failed {
        Failed::Rejected(Rejection::Upstream(error))
    }
}

/// Forwards the request and relays the answer. A client that breaks its request off ends both.
pub(super) async fn transfer(
    cleared: &mut Cleared,
    client: &mut Client<'_>,
    proxy: &Proxy,
    mut notes: Notes<'_>,
) -> Result<Answered, Rejection> {
    let context = notes.context;
    if context.settings().leaves.contains(Leaf::RequestValidationSlowClients) {
        client.writer.keep_min_rate(context.active_plan.plan().protocol.slow_request_min_rate_bps);
    }
    let gone = client.writer.gone();
    let answered = tokio::select! {
        biased;
        answered = attempts(cleared, client, proxy, &mut notes) => answered,
        () = gone => Err(Rejection::Gone),
    };
    if let Some(call) = notes.call {
        call.ended = Some(std::time::Instant::now());
        if let Err(Rejection::Upstream(error)) = &answered {
            call.failure = Some(error.word());
        }
    }
    answered
}

/// Tries once, and once more where that is safe.
async fn attempts(
    cleared: &mut Cleared,
    client: &mut Client<'_>,
    proxy: &Proxy,
    notes: &mut Notes<'_>,
) -> Result<Answered, Rejection> {
    let context = notes.context;
    let admitted = &cleared.contracted.admitted;
    let Some((route, pool)) = context.active_plan.route(admitted.route) else {
        return Err(Rejection::Upstream(UpstreamError::Busy));
    };
    let patience = route.upstream_timeout.duration();
    let repeatable = is_idempotent(admitted.head.method()) && !admitted.carries_body();
    let holder = Holder::new(context.client().ip(), proxy.client_share(context.active_plan.plan()));
    let (request, preference) = outbound(admitted, route, pool, notes);
    let asks_upgrade = !upgrade::asked(admitted).is_empty();
    let tunnel = asks_upgrade.then(|| pool.tunnel(holder)).transpose().map_err(Rejection::Upstream)?;
    let Granted { mut link, share } = tokio::select! {
        biased;
        granted = pool.acquire(holder, preference, repeatable, patience) => granted.map_err(Rejection::Upstream)?,
        // A client that has not sent everything is noticed when the rest is read.
        () = client.reader.gone(), if cleared.body.has_come() => return Err(Rejection::Gone),
    };
    let mut held = Held { share: Some(share), _tunnel: tunnel };
    let mut attempt = Attempt { request: &request, pool, held: &mut held, proxy, patience };
    let first_was_reused = link.is_reused();
    match attempt.run(link, cleared, client, notes).await {
        Ok(answered) => return Ok(answered),
        Err(Failed::Rejected(rejection)) => return Err(rejection),
        Err(Failed::Unanswered(error)) if !(first_was_reused && repeatable) => {
            return Err(Rejection::Upstream(UpstreamError::Reset(error)));
        }
        Err(Failed::Unanswered(_)) => {
            link = pool.connect(preference, patience).await.map_err(Rejection::Upstream)?;
        }
    }
    match attempt.run(link, cleared, client, notes).await {
        Ok(answered) => Ok(answered),
        Err(Failed::Rejected(rejection)) => Err(rejection),
        Err(Failed::Unanswered(error)) => Err(Rejection::Upstream(UpstreamError::Reset(error))),
    }
}

/// The request as it is sent, and the version of HTTP that it needs.
fn outbound(
    admitted: &Admitted,
    route: &Route,
    pool: &Pool,
    notes: &mut Notes<'_>,
) -> (Outbound, HttpVersionPreference) {
    let head = forward::head(admitted, route, notes.context);
    if notes.context.trace().is_some() {
        let (_, target) = head.request_line().unwrap_or_default();
        *notes.call = Some(spans::call(&route.upstream, target));
    }
    let preference = if !upgrade::asked(admitted).is_empty() {
        // HTTP/2 has no such switch.
        HttpVersionPreference::Http1
    } else if admitted.is_grpc() {
        HttpVersionPreference::Http2
    } else {
        HttpVersionPreference::Any
    };
    let may_speak_http2 = pool.may_speak_http2(preference);
    let http2 = if may_speak_http2 { http2::request(&head, pool.scheme()) } else { None };
    // A request that HTTP/2 cannot express goes over a connection that was not offered it.
    let is_inexpressible = may_speak_http2 && http2.is_none();
    let preference = if is_inexpressible { HttpVersionPreference::Http1 } else { preference };
    let delimited = match admitted.framing {
        Framing::Chunked => Delimited::Message,
        _ => Delimited::Head,
    };
    (Outbound { head, http2, delimited, is_whole: !admitted.carries_body() }, preference)
}

/// The client's share of the connections of the origin while its request runs; given back however that ends.
struct Held {
    share: Option<Share>,
    /// For a request that asks for an upgrade.
    _tunnel: Option<TunnelSlot>,
}

/// RFC 9110 section 9.2.2.
fn is_idempotent(method: &[u8]) -> bool {
    matches!(method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE" | b"PUT" | b"DELETE")
}

/// An attempt to get a response over one link.
struct Attempt<'a> {
    request: &'a Outbound,
    pool: &'a Pool,
    held: &'a mut Held,
    proxy: &'a Proxy,
    patience: Duration,
}

impl Attempt<'_> {
    async fn run(
        &mut self,
        mut link: Link,
        cleared: &mut Cleared,
        client: &mut Client<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<Answered, Failed> {
        match self.exchange(&mut link, cleared, client, notes).await? {
            Exchanged::Answered(response) => self.finish(response, link, client, notes),
            Exchanged::Switched(response) => {
                self.held.share = None;
                switch(&response, &cleared.contracted.admitted, client, link, notes).await
            }
        }
    }

    /// Sends the request and relays the response, both at once.
    async fn exchange(
        &self,
        link: &mut Link,
        cleared: &mut Cleared,
        client: &mut Client<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<Exchanged, Failed> {
        let Cleared { contracted, body, parameters, .. } = cleared;
        let admitted = &contracted.admitted;
        let patience = self.patience;
        let (upstream, mut answering) = link.open(self.request, patience).await.map_err(unopened)?;
        let (done, sent) = oneshot::channel();
        let mut upload = pin!(upload(upstream, body, &mut client.reader, done));
        let mut progress = Progress { sent, sending: true, deadline: Instant::now() + patience, fault: None };
        let mut waiting = Waiting { progress: &mut progress, patience, client: &mut client.writer };
        let response = await_head(upload.as_mut(), &mut waiting, &mut answering, admitted, notes).await?;
        if let Some(call) = notes.call {
            (call.answered, call.status) = (Some(std::time::Instant::now()), Some(response.status));
        }
        if response.status == 101 {
            return Ok(Exchanged::Switched(response));
        }
        if response.status >= 500 {
            notes.findings.measured.count(RouteCounter::Upstream5xx);
        }
        // Decided as late as possible: the client learns of a stop that began while the upstream worked. A response that
        // comes before the request is whole ends the connection: the rest may never be read.
        let state = if progress.sent_all() { RequestState::Drained } else { RequestState::Undrained };
        let fate = connection_fate::derive(state, Some(&admitted.head), self.proxy.is_stopping());
        let cleared = (&*contracted, parameters.as_slice());
        let answer = relay::Answer::new(&response, cleared, fate, notes.context, notes.findings)?;
        let mut source = answering.into_body(declared_length(&response, admitted.head.method()));
        let mut relay = pin!(answer.relay(&mut source, &mut client.writer, patience));
        let (relayed, found) = loop {
            tokio::select! {
                biased;
                relayed = relay.as_mut() => break relayed,
                () = upload.as_mut() => return Err(Failed::Rejected(Rejection::Gone)),
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
        notes.findings.add_response(notes.context, found);
        let sent_all = progress.sent_all();
        Ok(Exchanged::Answered(Response {
            status: response.status,
            relayed,
            sent_all,
            fate,
            fault: progress.fault,
        }))
    }

    /// Decides what a response that was relayed comes to.
    fn finish(
        &self,
        response: Response,
        link: Link,
        client: &Client<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<Answered, Failed> {
        let Response { status, relayed, sent_all, fate, fault } = response;
        let mut detail = None;
        if let Some(SendFault::Client(fault)) = &fault {
            // A response that is still held back has not begun: the client learns the reason.
            if !client.writer.has_begun() {
                return Err(Failed::Rejected(body_refusal(fault, notes.findings)));
            }
            if matches!(fault, BodyFault::Refused(_)) {
                detail = Some(CUT);
            }
        }
        let fate = match relayed {
            Relayed::Refused(refusal) => return Err(Failed::Rejected(refusal.into())),
            Relayed::Stopped => {
                detail = Some(CUT);
                ConnectionFate::Abort
            }
            Relayed::Whole { reusable } => {
                if reusable && sent_all {
                    self.pool.release(link);
                }
                fate
            }
            Relayed::ByClose => ConnectionFate::Close,
            Relayed::Cut(by) => {
                match by {
                    By::Client => {}
                    By::Upstream => notes.findings.measured.count(RouteCounter::UpstreamReset),
                    By::Silence => notes.findings.measured.count(RouteCounter::UpstreamTimeout),
                }
                ConnectionFate::Abort
            }
        };
        Ok(Answered { status, fate, detail })
    }
}

/// The detail of a response that was ended after parts of it were sent.
const CUT: &str = "response cut";

/// The outcome of an exchange with the upstream.
enum Exchanged {
    Answered(Response),
    /// The upstream switches to the protocol that it was asked for.
    Switched(ResponseHead),
}

/// A response that was relayed as far as it went.
struct Response {
    status: u16,
    relayed: Relayed,
    sent_all: bool,
    /// The fate that the head announced to the client.
    fate: ConnectionFate,
    fault: Option<SendFault>,
}

/// Relays the switch to the client, and carries bytes from then on.
async fn switch(
    response: &ResponseHead,
    admitted: &Admitted,
    client: &mut Client<'_>,
    mut link: Link,
    notes: &mut Notes<'_>,
) -> Result<Answered, Failed> {
    let malformed = || UpstreamError::Malformed(Malformed::StartLine);
    let Link::Http1(connection) = &mut link else { return Err(malformed().into()) };
    if !upgrade::is_agreed(response, &upgrade::asked(admitted)) {
        return Err(malformed().into());
    }
    connection.leave_slot();
    notes.findings.measured.is_upgraded = true;
    client.writer.head(&relay::switching_head(response, notes.context), Delimited::Head);
    client.writer.flush().await.map_err(|_| Failed::Rejected(Rejection::Gone))?;
    let (Some(reader), Some(writer)) = (client.reader.connection(), client.writer.connection()) else {
        return Err(malformed().into());
    };
    let upstream = Side { reader: &mut connection.reader, writer: &mut connection.writer };
    tunnel::run(Side { reader, writer }, upstream).await;
    Ok(Answered { status: 101, fate: ConnectionFate::Abort, detail: None })
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

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::testing::{contracted, exchange, head};
    use super::*;

    #[test]
    fn only_idempotent_methods_are_repeated() {
        for (method, expected) in [
            ("GET", true),
            ("PUT", true),
            ("DELETE", true),
            ("POST", false),
            ("PATCH", false),
            ("get", false),
        ] {
            assert_eq!(is_idempotent(method.as_bytes()), expected, "{method}");
        }
    }

    #[test]
    fn the_length_of_a_response_is_the_one_that_frames_it() {
        for (lines, method, expected) in [
            ("HTTP/1.1 200 OK\nContent-Length: 7", "GET", Some(7)),
            ("HTTP/1.1 200 OK\nContent-Length: 7", "HEAD", None),
            ("HTTP/1.1 304 N\nContent-Length: 7", "GET", None),
            ("HTTP/1.1 200 OK", "GET", None),
        ] {
            let text = lines.replace('\n', "\r\n") + "\r\n\r\n";
            let response = ResponseHead::parse(Bytes::from(text)).expect("a valid head");
            assert_eq!(declared_length(&response, method.as_bytes()), expected, "{method} {lines:?}");
        }
    }

    #[test]
    fn the_upstream_gets_the_bytes_of_the_client_and_our_fields() {
        let mut exchange = exchange(|_, _| {});
        let lines = "GET /A%2fb?q=%20 HTTP/1.1\nHOST: a\nx-B: 1\nConnection: x-hop\nX-Hop: 2\nX-b: 3\n\
                     X-Request-Id: 0123456789\nX-Forwarded-For: 203.0.113.9\nKeep-Alive: 5";
        let contracted = contracted(head(lines), &mut exchange);
        let context = &exchange.context;
        let (route, _) = context.active_plan.route(contracted.admitted.route).expect("the route");
        let out = forward::head(&contracted.admitted, route, context);
        assert_eq!(
            String::from_utf8_lossy(out.http1_lines()),
            "GET /A%2fb?q=%20 HTTP/1.1\r\nHost: a\r\nx-B: 1\r\nX-b: 3\r\nX-Forwarded-For: 192.0.2.1\r\n\
             X-Forwarded-Proto: http\r\nX-Forwarded-Host: a\r\nX-Request-Id: 0123456789\r\n"
        );
    }
}
