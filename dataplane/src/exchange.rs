//! One request and its response, from head to last byte. The stages stand in [`pipeline`] in the order in which they run;
//! each consumes the proof of the one before.

mod admit;

mod response_contract;

mod quota;

mod method_override;

mod contract;

mod cors;

mod grpc;

mod inspect;

mod body;

mod forward;

mod transfer;

mod upgrade;

mod tunnel;

mod relay;

mod response_inspection;

mod response_relay;

mod record;

mod exchange_metrics;

mod redirect;

use std::sync::Arc;

use waf_detection::inspection::Inspection;
use waf_shared::catalog::Leaf;

pub(crate) use exchange_metrics::tell;
pub(crate) use grpc::status as grpc_status;
pub(crate) use inspect::InspectionPool;
pub(crate) use record::{Arrival, ConnectionInfo, Exceeded, Record, Reply};

use crate::answer;
use crate::audit::Disposition;
use crate::http1::framing::{self, Framing};
use crate::http1::head::{Malformed, RequestHead, Version};
use crate::journal::Entry;
use crate::message::{Delimited, Sink, Source};
use crate::proxy::Proxy;
use crate::refusal::{After, BAD_GATEWAY, GATEWAY_TIMEOUT, Kind, Refusal, UNAVAILABLE};
use crate::upstream::UpstreamError;

/// A client as an exchange uses it: one request comes, one answer goes.
#[derive(Debug)]
pub(crate) struct Client<'c> {
    /// Where the request's body comes from.
    pub(crate) reader: Source<'c>,
    /// Where the answer goes.
    pub(crate) writer: Sink<'c>,
}

/// Why a request did not get its upstream's answer.
#[derive(Debug)]
pub(crate) enum Rejection {
    /// A check refused it.
    Refused(Refusal),
    /// The engine refused it; the verdict goes into the event.
    Found(Refusal, Box<Inspection>),
    /// The upstream failed before its answer began.
    Upstream(UpstreamError),
    /// The client went away.
    Gone,
    /// It went away while its request was read; what was found until then is still to be told.
    Left(Box<Inspection>),
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Rejection {
        Rejection::Refused(refusal)
    }
}

/// Serves one request.
pub(crate) async fn run(
    head: RequestHead,
    client: &mut Client<'_>,
    proxy: &Proxy,
    record: &mut Record,
) -> After {
    record.begin_trace(Some(&head));
    record.mark_request();
    if !proxy.overload().admits() {
        return reject(unread(UNAVAILABLE.closing().into(), record), client, proxy, record).await;
    }
    let entry = proxy.journal().and_then(|journal| journal.enter(&head));
    let outcome = pipeline(head, client, proxy, record, entry.as_ref()).await;
    match outcome {
        Ok(after) => after,
        Err(rejection) => reject(rejection, client, proxy, record).await,
    }
}

async fn pipeline(
    head: RequestHead,
    client: &mut Client<'_>,
    proxy: &Proxy,
    record: &mut Record,
    entry: Option<&Entry>,
) -> Result<After, Rejection> {
    let arrived = admit::arrive(Arc::new(head), record).map_err(|refusal| unread(refusal.into(), record))?;
    if let Arrival::Redirect = record.arrival() {
        return Err(unread(redirect::answer(&arrived, proxy.tls(), record).into(), record));
    }
    let admitted = admit::admit(arrived, record).map_err(|refusal| unread(refusal.into(), record))?;
    if let (Some(entry), Some(route)) = (entry, record.route) {
        entry.routed(route);
    }
    contract::head(&admitted, record).map_err(|refusal| unread(refusal.into(), record))?;
    record.stage("admitted");
    let inspected = inspect::head(admitted, proxy.inspections(), record)
        .map_err(|rejection| unread(rejection, record))?;
    record.stage("head inspected");
    let mut cleared = inspect::body(inspected, &mut client.reader, &mut client.writer, record).await?;
    record.stage("cleared");
    if record.is_found(cleared.body.verdict()) && exchange_metrics::room(proxy, record).await.is_err() {
        // In `detect_only` the event is told at the end, when nothing can be refused any more.
        return Err(unread(UNAVAILABLE.into(), record));
    }
    if let Some(entry) = entry {
        entry.forwarding();
    }
    record.parameters = response_inspection::parameters(&cleared, record.settings());
    let sent = transfer::transfer(&mut cleared, client, proxy, record).await;
    cleared.body.report(record);
    let (status, after) = match sent {
        Ok(sent) => (sent.status, Ok(sent.after)),
        // What is refused late reports itself as what is refused early does.
        Err(Rejection::Refused(refusal)) if is_blocking(refusal, record) => {
            return Err(Rejection::Found(refusal, cleared.body.into_inspection()));
        }
        Err(rejection) => (status_of(&rejection), Err(rejection)),
    };
    record.answered(status);
    if status == 499 {
        record.detail(CLIENT_LEFT);
    }
    record.stage("answered");
    // What `detect_only` found is reported once, with the status that the client got.
    let verdict = cleared.body.verdict();
    if tell(record.disposition(verdict), status, verdict, proxy, record).await.is_err() {
        return Ok(After::Abort);
    }
    proxy.inspections().put(cleared.body.into_inspection());
    after
}

fn is_blocking(refusal: Refusal, record: &Record) -> bool {
    // An upstream that breaks the contract is answered for like one that fails, and told like what is blocked.
    let breaks_contract = || record.blames(Leaf::ResponseInspectionOpenapiValidation);
    matches!(refusal.kind, Kind::Blocked | Kind::Timeout)
        || (refusal.kind == Kind::BadGateway && breaks_contract())
}

/// What an event says of it beside the status.
const CLIENT_LEFT: &str = "client closed request";

/// 499 is what a log says when the client did not wait.
fn status_of(rejection: &Rejection) -> u16 {
    match rejection {
        Rejection::Refused(refusal) | Rejection::Found(refusal, _) => refusal.status,
        Rejection::Upstream(error) => upstream_refusal(error).status,
        Rejection::Gone | Rejection::Left(_) => 499,
    }
}

/// A body that is still on its way ends the connection: it must never be read as the next request.
fn unread(rejection: Rejection, record: &Record) -> Rejection {
    let framing = record.head.as_deref().map(framing::of_request);
    let has_body = !matches!(framing, Some(Ok(Framing::None | Framing::Length(0))));
    match rejection {
        Rejection::Refused(refusal) if has_body => Rejection::Refused(refusal.closing()),
        Rejection::Found(refusal, inspection) if has_body => Rejection::Found(refusal.closing(), inspection),
        other => other,
    }
}

fn upstream_refusal(error: &UpstreamError) -> Refusal {
    match error {
        UpstreamError::Timeout => GATEWAY_TIMEOUT,
        UpstreamError::Busy | UpstreamError::Share => UNAVAILABLE,
        _ => BAD_GATEWAY,
    }
}

/// Answers a client that is turned away. The event is on its way before the answer is: what was blocked is known.
pub(crate) async fn reject(
    rejection: Rejection,
    client: &mut Client<'_>,
    proxy: &Proxy,
    record: &mut Record,
) -> After {
    record.begin_trace(None);
    let mut failed = false;
    let (mut refusal, inspection) = match rejection {
        Rejection::Refused(refusal) => (refusal, None),
        Rejection::Found(refusal, inspection) => (refusal, Some(inspection)),
        Rejection::Upstream(error) => {
            let route =
                record.route.and_then(|r| record.active_plan.route(r)).map_or("-", |(route, _)| &route.id.0);
            let request_id = record.request_id.as_str();
            let error_ref = &error as &dyn std::error::Error;
            tracing::warn!(request_id, route, error = error_ref, "the upstream failed");
            record.upstream_failed(&error);
            failed = true;
            (unread_upstream(upstream_refusal(&error), record), None)
        }
        Rejection::Gone => {
            record.answered(499);
            return After::Abort;
        }
        Rejection::Left(inspection) => {
            let verdict = Some(inspection.verdict()).filter(|verdict| verdict.blocks());
            record.answered(499);
            if record.is_found(verdict) {
                record.detail(CLIENT_LEFT);
                // Nobody is left who could be refused: a failure has been counted and logged.
                let _ = tell(record.disposition(verdict), 499, verdict, proxy, record).await;
            }
            proxy.inspections().put(inspection);
            return After::Abort;
        }
    };
    record.mark_request();
    if !failed && !matches!(refusal.kind, Kind::Preflight | Kind::Redirect | Kind::Challenge) {
        record.set_blocked();
    }
    if refusal.kind == Kind::Preflight {
        // It ends here and was not refused: what `detect_only` found by now is told now.
        if tell(record.disposition(None), refusal.status, None, proxy, record).await.is_err() {
            record.set_blocked();
            refusal = UNAVAILABLE;
        }
    } else if is_blocking(refusal, record) {
        let verdict = inspection.as_ref().map(|i| i.verdict()).filter(|v| v.blocks());
        if tell(Disposition::Blocked, refusal.status, verdict, proxy, record).await.is_err() {
            refusal = Refusal { after: refusal.after, ..UNAVAILABLE };
        }
    }
    if proxy.is_stopping() && refusal.after == After::KeepAlive {
        refusal.after = After::Close;
    }
    if refusal.after == After::KeepAlive && !keeps_alive(record) {
        refusal.after = After::Close;
    }
    record.answered(refusal.status);
    let (head, body) = compose_answer(refusal, record);
    client.writer.head(&head, Delimited::Head);
    client.writer.data(body.into());
    client.writer.end(&[]);
    match client.writer.flush().await {
        Ok(()) => refusal.after,
        Err(_) => After::Abort,
    }
}

/// An upstream that failed while the client was still sending leaves the rest of a body on the connection.
fn unread_upstream(refusal: Refusal, record: &Record) -> Refusal {
    match unread(Rejection::Refused(refusal), record) {
        Rejection::Refused(refusal) => refusal,
        _ => refusal,
    }
}

fn compose_answer(refusal: Refusal, record: &mut Record) -> (Vec<u8>, Vec<u8>) {
    record.ensure_request_id();
    let route = record.route.and_then(|r| record.active_plan.route(r)).map(|(route, _)| route);
    let head = record.head.as_deref();
    let mut cors = Vec::new();
    if let (Some(settings), Some(head)) = (cors::of(record), head) {
        match refusal.kind {
            Kind::Preflight => cors::preflight(settings, head, &mut cors),
            _ => cors::answer(settings, head, None, &mut cors),
        }
    }
    let asked = answer::Asked {
        request_id: &record.request_id,
        now: record.time(),
        is_head: head.is_some_and(|h| h.method() == b"HEAD"),
        is_grpc: head.is_some_and(grpc::is_call),
        is_http10: head.is_some_and(|h| h.version == Version::Http10),
        template: route.and_then(|r| r.error_response.as_ref()),
        quota: record.exceeded.as_ref(),
        allow: record.allow.as_deref().unwrap_or(&record.settings().accept.methods),
        // What holds for HTTPS alone, such as HSTS, is never said on port 80 (RFC 6797 section 7.2).
        headers: match record.arrival() {
            Arrival::Redirect => None,
            Arrival::Plain | Arrival::Tls(_) => Some(record.active_plan.header_rules(record.route)),
        },
        reply: record.reply(),
        cors: &cors,
    };
    answer::compose(refusal, &asked)
}

/// Whether the client lets the connection live (RFC 9112 section 9.3).
pub(crate) fn keeps_alive(record: &Record) -> bool {
    let Some(head) = &record.head else { return false };
    let says = |word: &[u8]| {
        let mut values = head.fields.all("connection");
        values.any(|v| v.split(|b| *b == b',').any(|t| t.trim_ascii().eq_ignore_ascii_case(word)))
    };
    match head.version {
        // What ends is the stream; the connection has its own ways to say that it closes.
        Version::Http2 => true,
        Version::Http11 => !says(b"close"),
        Version::Http10 => says(b"keep-alive") && !says(b"close"),
    }
}

/// Turns away a head that is no HTTP.
pub(crate) fn malformed(why: Malformed, raw: &[u8], record: &mut Record) -> Rejection {
    Rejection::Refused(record.refuse_unread(400, admit::leaf_of(why), why.to_string(), raw))
}
