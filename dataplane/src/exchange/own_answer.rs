//! Answers of our own: the one place that answers requests whose rejection ends them, and reports them.

use waf_detection::inspection::Inspection;
use waf_shared::catalog::Leaf;

use super::connection_fate::{self, ConnectionFate, RequestState};
use super::context::Arrival;
use super::event::Ending;
use super::findings::Findings;
use super::rejection::{CLIENT_LEFT, Rejection, STATUS_LEFT, refusal_of};
use super::state::Exchange;
use super::{cors, exchange_metrics};
use crate::answer::{self, Reply, Representation};
use crate::audit::Disposition;
use crate::grpc;
use crate::head::{Hop, OutgoingHead, RequestHead};
use crate::message::Client;
use crate::proxy::Proxy;
use crate::refusal::{Refusal, RefusalKind, UNAVAILABLE};
use crate::upstream::{self, UpstreamFailure};

/// Reports whether a refusal has an event of a block.
pub(super) fn is_reported_as_blocked(refusal: Refusal, findings: &Findings) -> bool {
    matches!(refusal.kind, RefusalKind::Blocked | RefusalKind::Timeout)
        || (refusal.kind == RefusalKind::BadGateway && breaks_contract(findings))
}

/// Reports whether an upstream broke the contract: its client gets the answer of a failed upstream, with an event of a
/// block.
fn breaks_contract(findings: &Findings) -> bool {
    findings.blames(Leaf::ResponseInspectionOpenapiValidation)
}

/// An answer of our own that is about to be sent.
struct OwnAnswer {
    refusal: Refusal,
    inspection: Option<Box<Inspection>>,
    allow: Option<Vec<String>>,
    reply: Option<Reply>,
    /// True if the upstream failed: such a request counts as allowed.
    is_upstream_failure: bool,
}

impl OwnAnswer {
    fn new(refusal: Refusal) -> OwnAnswer {
        OwnAnswer { refusal, inspection: None, allow: None, reply: None, is_upstream_failure: false }
    }
}

/// Answers a client whose request is rejected. The event is sent before the answer is: it is known what was blocked.
pub(crate) async fn reject(
    rejection: Rejection,
    client: &mut Client<'_>,
    proxy: &Proxy,
    exchange: &mut Exchange,
) -> ConnectionFate {
    exchange.log_access(client, proxy);
    exchange.begin_trace(None);
    exchange.context.ensure_request_id();
    let mut own = match rejection {
        Rejection::Refused(refusal) => OwnAnswer::new(refusal),
        Rejection::MethodNotAllowed(refusal, allow) => {
            OwnAnswer { allow: Some(allow), ..OwnAnswer::new(refusal) }
        }
        Rejection::Answered(refusal, reply) => OwnAnswer { reply: Some(reply), ..OwnAnswer::new(refusal) },
        Rejection::Found(refusal, inspection) => {
            OwnAnswer { inspection: Some(inspection), ..OwnAnswer::new(refusal) }
        }
        Rejection::Upstream(failure) => {
            note_failure(&failure, exchange);
            OwnAnswer { is_upstream_failure: true, ..OwnAnswer::new(refusal_of(&failure.error)) }
        }
        Rejection::Gone => {
            exchange.set_status(STATUS_LEFT);
            return ConnectionFate::Abort;
        }
        Rejection::Left(inspection) => {
            report_left(inspection, proxy, exchange).await;
            return ConnectionFate::Abort;
        }
    };
    exchange.mark_request();
    report(&mut own, proxy, exchange).await;
    exchange.set_status(own.refusal.status);
    let is_drained = client.reader.is_drained() && !exchange.findings.is_unforwardable();
    let state = if is_drained { RequestState::Drained } else { RequestState::Undrained };
    let head = exchange.context.head().map(AsRef::as_ref);
    let fate = connection_fate::derive(state, head, proxy.is_stopping());
    let answer = compose(&own, exchange);
    if let Some(inspection) = own.inspection {
        exchange.give_back(inspection, proxy);
    }
    send(answer, fate, client).await
}

/// Sends a whole answer. The connection has the fate that the head announces, unless the client takes it no more.
async fn send(
    (head, body): (OutgoingHead, Vec<u8>),
    fate: ConnectionFate,
    client: &mut Client<'_>,
) -> ConnectionFate {
    let hop = Hop { closes: fate != ConnectionFate::KeepAlive, ..Hop::default() };
    client.writer.head(&head, &hop);
    client.writer.data(body.into());
    client.writer.end(&[]);
    match client.writer.flush().await {
        Ok(()) => fate,
        Err(_) => ConnectionFate::Abort,
    }
}

fn note_failure(failure: &UpstreamFailure, exchange: &mut Exchange) {
    let (request_id, route) = (exchange.context.request_id(), exchange.context.route_id().unwrap_or("-"));
    let cause = failure as &dyn std::error::Error;
    let upstream = exchange.context.upstream().map(upstream::origin);
    tracing::warn!(request_id, route, upstream, error = cause, "the upstream failed");
    exchange.findings.measured.count(exchange_metrics::of_failure(&failure.error));
}

/// Reports what was found in a request whose client left. A failure to do so is counted and logged; there is no client
/// that could be refused.
async fn report_left(inspection: Box<Inspection>, proxy: &Proxy, exchange: &mut Exchange) {
    exchange.set_status(STATUS_LEFT);
    let verdict = Some(inspection.verdict()).filter(|verdict| verdict.blocks());
    if exchange.findings.has_event(verdict) {
        let disposition = exchange.findings.disposition(verdict);
        let ending = Ending { disposition, status: STATUS_LEFT, detail: Some(CLIENT_LEFT), verdict };
        let _ = exchange.send_event(ending, proxy).await;
    }
    exchange.give_back(inspection, proxy);
}

/// Sends the event of a refusal and counts it. One that cannot be sent turns the answer into 503.
async fn report(own: &mut OwnAnswer, proxy: &Proxy, exchange: &mut Exchange) {
    let refusal = own.refusal;
    let is_answer =
        matches!(refusal.kind, RefusalKind::Preflight | RefusalKind::Redirect | RefusalKind::Challenge);
    if !own.is_upstream_failure && !is_answer {
        exchange.set_blocked();
        exchange.show_refusal(refusal);
    }
    let status = refusal.status;
    if refusal.kind == RefusalKind::Preflight {
        // The request ends here and was not refused: findings of `detect_only` are reported now.
        let disposition = exchange.findings.disposition(None);
        let ending = Ending { disposition, status, detail: None, verdict: None };
        if exchange.send_event(ending, proxy).await.is_err() {
            exchange.set_blocked();
            own.refusal = UNAVAILABLE;
        }
    } else if is_reported_as_blocked(refusal, &exchange.findings) {
        let verdict = own.inspection.as_ref().map(|inspection| inspection.verdict());
        let verdict = verdict.filter(|verdict| verdict.blocks());
        let ending = Ending { disposition: Disposition::Blocked, status, detail: None, verdict };
        if exchange.send_event(ending, proxy).await.is_err() {
            own.refusal = UNAVAILABLE;
        }
    }
}

fn compose(own: &OwnAnswer, exchange: &Exchange) -> (OutgoingHead, Vec<u8>) {
    let Exchange { context, findings, .. } = exchange;
    let route = context.route().and_then(|route| context.active_plan.route(route)).map(|(route, _)| route);
    let head: Option<&RequestHead> = context.head().map(AsRef::as_ref);
    let audience = answer::Audience {
        request_id: context.request_id(),
        now: context.time(),
        is_head: head.is_some_and(|head| head.method() == b"HEAD"),
        is_grpc: head.is_some_and(grpc::is_call),
        representation: head
            .map_or(Representation::Json, |head| answer::choose(head.fields.tokens("accept"))),
        // A route has the global one where it has none of its own.
        template: match route {
            Some(route) => route.error_response.as_ref(),
            None => context.active_plan.plan().error_response.as_ref(),
        },
        exceeded: findings.exceeded().map(|exceeded| (&exceeded.limit, exceeded.wait)),
        allow: own.allow.as_deref().unwrap_or(&context.settings().accept.methods),
        // Header rules for HTTPS, such as HSTS, do not apply on port 80 (RFC 6797 section 7.2).
        headers: match context.arrival() {
            Arrival::Redirect => None,
            Arrival::Plain | Arrival::Tls(_) => Some(context.active_plan.header_rules(context.route())),
        },
        reply: own.reply.as_ref(),
    };
    let (mut answer, body) = answer::compose(own.refusal, &audience);
    if let (Some(settings), Some(head)) = (cors::of(context), head) {
        match own.refusal.kind {
            RefusalKind::Preflight => cors::preflight(settings, head, &mut answer),
            _ => cors::answer(settings, head, None, &mut answer),
        }
    }
    (answer, body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::{BAD_GATEWAY, NOT_FOUND, PREFLIGHT, TIMEOUT};

    #[test]
    fn blocks_have_events_and_failures_have_none() {
        let mut findings = Findings::default();
        for (refusal, expected) in [
            (Refusal::blocked(403), true),
            (TIMEOUT, true),
            (NOT_FOUND, false),
            (PREFLIGHT, false),
            (UNAVAILABLE, false),
            (BAD_GATEWAY, false),
        ] {
            assert_eq!(is_reported_as_blocked(refusal, &findings), expected, "{refusal:?}");
        }
        findings.remark(Leaf::ResponseInspectionOpenapiValidation, "RESPONSE_BODY", "broken");
        assert!(is_reported_as_blocked(BAD_GATEWAY, &findings), "an upstream that breaks the contract");
    }
}
