//! One request and its response, from head to last byte. The stages are called in [`pipeline`] in the order in which
//! they run; each consumes the state that the one before returned. They read the context of the exchange and append to
//! its findings; event, spans and metrics are made of both when the exchange ends.

mod access;

mod admit;

mod body;

mod connection_fate;

mod context;

mod contract;

mod cors;

mod event;

mod exchange_metrics;

mod findings;

mod forward;

mod inspect;

mod method_override;

mod observers;

mod quota;

mod record;

mod redirect;

mod rejection;

mod own_answer;

mod relay;

mod response_contract;

mod response_inspection;

mod response_relay;

mod shadow;

mod spans;

mod state;

mod tap;

mod transfer;

mod rewrite;

mod trusted_peers;

mod tunnel;

mod upgrade;

mod websocket;

#[cfg(test)]
mod testing;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

pub(crate) use connection_fate::ConnectionFate;
pub(crate) use context::{Arrival, Behind, ConnectionInfo};
pub(crate) use event::Ending;
pub(crate) use findings::Findings;
pub(crate) use own_answer::reject;
pub(crate) use rejection::Rejection;
pub(crate) use state::Exchange;

use crate::head::RequestHead;
use crate::http1::head::Malformed;
use crate::journal::Entry;
use crate::message::Client;
use crate::proxy::Proxy;
use crate::refusal::UNAVAILABLE;
use inspect::Cleared;
use transfer::{Answered, Notes};

/// Serves one request.
pub(crate) async fn run(
    head: RequestHead,
    client: &mut Client<'_>,
    proxy: &Proxy,
    exchange: &mut Exchange,
) -> ConnectionFate {
    client.writer.speak(head.version);
    exchange.log_access(client, proxy);
    exchange.begin_trace(Some(&head));
    exchange.mark_request();
    if !proxy.overload().admits() {
        return reject(UNAVAILABLE.into(), client, proxy, exchange).await;
    }
    exchange.observe(proxy);
    let entry = proxy.journal().and_then(|journal| journal.enter(&head));
    let cleared = match pipeline(head, client, proxy, exchange, entry.as_ref()).await {
        Ok(cleared) => cleared,
        Err(rejection) => return reject(rejection, client, proxy, exchange).await,
    };
    if let Some(entry) = &entry {
        entry.mark_forwarding();
    }
    match forward(cleared, client, proxy, exchange).await {
        Ok(fate) => fate,
        Err(rejection) => reject(rejection, client, proxy, exchange).await,
    }
}

/// The stages before the upstream.
async fn pipeline(
    head: RequestHead,
    client: &mut Client<'_>,
    proxy: &Proxy,
    exchange: &mut Exchange,
    entry: Option<&Entry>,
) -> Result<Cleared, Rejection> {
    let head = Arc::new(head);
    exchange.context.add_head(Arc::clone(&head));
    let arrived = admit::arrive(head, &mut exchange.findings)?;
    client.reader.delimit(arrived.framing);
    let Exchange { context, findings, .. } = exchange;
    if let Arrival::Redirect = context.arrival() {
        return Err(redirect::answer(&arrived, proxy.tls(), context, findings));
    }
    let route = admit::route(&arrived, context, findings)?;
    context.add_route(route);
    let admitted = admit::admit(arrived, route, context, findings)?;
    if let Some(entry) = entry {
        entry.set_route(route);
    }
    let contracted = contract::head(admitted, context, findings)?;
    exchange.stage("admitted");
    let Exchange { context, findings, .. } = exchange;
    let inspected = inspect::head(contracted, proxy.inspections(), context, findings)?;
    exchange.stage("head inspected");
    exchange.show_head();
    let Exchange { context, findings, .. } = exchange;
    let cleared = inspect::body(inspected, client, context, findings).await?;
    exchange.stage("cleared");
    if exchange.findings.has_event(cleared.body.verdict()) && exchange.await_event_room(proxy).await.is_err()
    {
        // In `detect_only` the event is sent at the end, when nothing can be refused any more.
        return Err(UNAVAILABLE.into());
    }
    Ok(cleared)
}

/// The stages from the upstream to the end. What `detect_only` found is reported once, with the status that the client
/// got.
async fn forward(
    mut cleared: Cleared,
    client: &mut Client<'_>,
    proxy: &Proxy,
    exchange: &mut Exchange,
) -> Result<ConnectionFate, Rejection> {
    let mut call = None;
    let Exchange { context, findings, .. } = exchange;
    let notes = Notes { context, findings, call: &mut call };
    let answered = transfer::transfer(&mut cleared, client, proxy, notes).await;
    cleared.body.report(&exchange.context, &mut exchange.findings);
    exchange.add_call(call);
    exchange.add_messages();
    let (status, detail, outcome) = match answered {
        Ok(Answered { status, fate, detail }) => (status, detail.map(Cow::Borrowed), Ok(fate)),
        // A request that is refused late has its event where one that is refused early has it.
        Err(Rejection::Refused(refusal))
            if own_answer::is_reported_as_blocked(refusal, &exchange.findings) =>
        {
            return Err(Rejection::Found(refusal, cleared.body.into_inspection()));
        }
        Err(rejection) => {
            let detail = rejection.detail(exchange.context.upstream());
            (rejection.status(), detail, Err(rejection))
        }
    };
    exchange.set_status(status);
    exchange.stage("answered");
    let verdict = cleared.body.verdict();
    let disposition = exchange.findings.disposition(verdict);
    let ending = Ending { disposition, status, detail: detail.as_deref(), verdict };
    if exchange.send_event(ending, proxy).await.is_err() {
        return Ok(ConnectionFate::Abort);
    }
    exchange.give_back(cleared.body.into_inspection(), proxy);
    outcome
}

/// The rejection of a head that is not HTTP.
pub(crate) fn malformed(why: Malformed, raw: &[u8], findings: &mut Findings) -> Rejection {
    findings.refuse_unread(400, admit::leaf_of(why), why.to_string(), raw).into()
}
