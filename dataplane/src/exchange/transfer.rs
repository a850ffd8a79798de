//! Last stages: send the cleared request to the upstream, take its answer, relay it. Both directions run at once, so
//! that neither side can hold up the other.

mod attempt;

mod head;

mod outcome;

mod upload;

use waf_shared::catalog::Leaf;
use waf_shared::plan::Route;

use super::admit::Admitted;
use super::inspect::Cleared;
use super::rejection::Rejection;
use super::{forward, spans, upgrade};
use crate::http2;
use crate::message::Client;
use crate::proxy::Proxy;
use crate::upstream::{Granted, Holder, HttpVersionPreference, Outbound, Pool, UpstreamError};
use attempt::{Attempt, Held};
use outcome::Failed;
pub(super) use outcome::{Answered, Notes};

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
        if let Err(Rejection::Upstream(failure)) = &answered {
            call.failure = Some(failure.error.word());
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
        return Err(Rejection::Upstream(UpstreamError::Busy.into()));
    };
    let patience = route.upstream_timeout.duration();
    let repeatable = is_idempotent(admitted.head.method()) && !admitted.carries_body();
    let holder = Holder::new(context.client().ip(), proxy.client_share(context.active_plan.plan()));
    let (request, preference) = outbound(admitted, route, pool, notes);
    let asks_upgrade = !upgrade::asked(admitted).is_empty();
    let tunnel = asks_upgrade.then(|| pool.tunnel(holder)).transpose();
    let tunnel = tunnel.map_err(|error| Rejection::Upstream(error.into()))?;
    let Granted { mut link, share } = tokio::select! {
        biased;
        granted = pool.acquire(holder, preference, repeatable, patience) => granted.map_err(Rejection::Upstream)?,
        // A client that has not sent everything is noticed when the rest is read.
        () = client.reader.gone(), if cleared.body.has_come() => return Err(Rejection::Gone),
    };
    let mut held = Held { share: Some(share), _tunnel: tunnel };
    let mut attempt = Attempt { request: &request, pool, held: &mut held, proxy, patience };
    let first_was_reused = link.is_reused();
    let mut peer = link.peer();
    match attempt.run(link, cleared, client, notes).await {
        Ok(answered) => return Ok(answered),
        Err(Failed::Rejected(rejection)) => return Err(rejection),
        Err(Failed::Unanswered(error)) if !(first_was_reused && repeatable) => {
            return Err(Rejection::Upstream(UpstreamError::Reset(error).at(Some(peer))));
        }
        Err(Failed::Unanswered(_)) => {
            link = pool.connect(preference, patience).await.map_err(Rejection::Upstream)?;
            peer = link.peer();
        }
    }
    match attempt.run(link, cleared, client, notes).await {
        Ok(answered) => Ok(answered),
        Err(Failed::Rejected(rejection)) => Err(rejection),
        Err(Failed::Unanswered(error)) => {
            Err(Rejection::Upstream(UpstreamError::Reset(error).at(Some(peer))))
        }
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
    let hop = forward::hop(admitted);
    (Outbound { head, http2, hop, is_whole: !admitted.carries_body() }, preference)
}

/// RFC 9110 section 9.2.2.
fn is_idempotent(method: &[u8]) -> bool {
    matches!(method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE" | b"PUT" | b"DELETE")
}

#[cfg(test)]
mod tests {
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
}
