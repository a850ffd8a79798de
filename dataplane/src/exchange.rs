//! One request and its response, from head to last byte. The stages are called in [`pipeline`] in the order in which they
//! run; each consumes the state that the one before returned. They read the context of the exchange and append to its
//! findings; event, spans and metrics are made of both when the exchange ends.

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

mod quota;

mod redirect;

mod rejection;

mod relay;

mod response_contract;

mod response_inspection;

mod response_relay;

mod spans;

mod transfer;

mod tunnel;

mod upgrade;

#[cfg(test)]
mod testing;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use waf_detection::inspection::Inspection;
use waf_shared::catalog::Leaf;
use waf_shared::metrics::{RouteCounter, WorkerCounter};

pub(crate) use connection_fate::ConnectionFate;
pub(crate) use context::{Arrival, ConnectionInfo, RequestContext};
pub(crate) use event::Ending;
pub(crate) use findings::Findings;
pub(crate) use inspect::InspectionPool;
pub(crate) use rejection::{Rejection, reject};

use crate::active_plan::ActivePlan;
use crate::audit::sink::AuditUnavailable;
use crate::head::RequestHead;
use crate::http1::head::Malformed;
use crate::journal::Entry;
use crate::message::{Sink, Source};
use crate::proxy::Proxy;
use crate::refusal::UNAVAILABLE;
use crate::trace;
use inspect::Cleared;
use transfer::{Answered, Notes};

/// A client as an exchange uses it: one request comes, one answer goes.
#[derive(Debug)]
pub(crate) struct Client<'c> {
    /// Where the request's body comes from.
    pub(crate) reader: Source<'c>,
    /// Where the answer goes.
    pub(crate) writer: Sink<'c>,
}

/// One exchange: its context, its findings, and what is counted and traced when it ends, however it ends.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) context: RequestContext,
    pub(crate) findings: Findings,
    /// The counter of what was done with the request; none while there is no request yet.
    action: Option<RouteCounter>,
    /// What its spans will say, while tracing is on.
    trace: Option<Box<trace::Exchange>>,
}

impl Exchange {
    /// An exchange that begins now.
    pub(crate) fn new(active_plan: Arc<ActivePlan>, connection: ConnectionInfo) -> Exchange {
        active_plan.metrics().entered();
        let now = (Instant::now(), SystemTime::now());
        Exchange {
            context: RequestContext::new(active_plan, connection, now),
            findings: Findings::default(),
            action: None,
            trace: None,
        }
    }

    /// Counts the exchange as a request: allowed, unless it is blocked or detected later.
    fn mark_request(&mut self) {
        self.action.get_or_insert(RouteCounter::Allowed);
    }

    /// Counts the request as blocked.
    pub(crate) fn set_blocked(&mut self) {
        self.action = Some(RouteCounter::Blocked);
    }

    fn begin_trace(&mut self, head: Option<&RequestHead>) {
        if self.trace.is_none() {
            self.trace = spans::begin(&mut self.context, head);
        }
    }

    fn stage(&mut self, name: &'static str) {
        if let Some(trace) = &mut self.trace {
            trace.stage(name, Instant::now());
        }
    }

    fn set_status(&mut self, status: u16) {
        if let Some(trace) = &mut self.trace {
            trace.status = status;
        }
    }

    /// Sends the audit event, if the exchange has one.
    pub(crate) async fn send_event(
        &mut self,
        ending: Ending<'_>,
        proxy: &Proxy,
    ) -> Result<(), AuditUnavailable> {
        self.context.ensure_request_id();
        let Some(composed) = event::compose(&self.context, &self.findings, &ending) else { return Ok(()) };
        if let Some(trace) = &mut self.trace {
            trace.action = composed.action;
        }
        let began = Instant::now();
        let sent = proxy.audit().send(composed.line).await;
        let waited = began.elapsed();
        if waited > exchange_metrics::HANDED_OVER {
            let nanoseconds = crate::metrics::nanoseconds(waited);
            let metrics = self.context.active_plan.metrics();
            metrics.add(WorkerCounter::AuditBackpressureNanoseconds, nanoseconds);
        }
        if let Err(error) = sent {
            exchange_metrics::count_refused_event(&self.context);
            tracing::warn!(request_id = self.context.request_id(), %error, "an event could not be sent");
            return Err(error);
        }
        let Ending { disposition, verdict, .. } = ending;
        exchange_metrics::count_event(&self.context, &self.findings, disposition, verdict);
        if disposition == crate::audit::Disposition::Detected {
            self.action = Some(RouteCounter::Detected);
        }
        Ok(())
    }

    /// Waits until an event would find room, as long as the event would.
    async fn await_event_room(&self, proxy: &Proxy) -> Result<(), AuditUnavailable> {
        let room = proxy.audit().room().await;
        if let Err(error) = room {
            exchange_metrics::count_refused_event(&self.context);
            let request_id = self.context.request_id();
            tracing::warn!(request_id, %error, "a request is refused because its event could not be sent");
        }
        room
    }

    /// Counts the cost of an inspection that is over, and keeps its buffers for another request.
    fn give_back(&self, inspection: Box<Inspection>, proxy: &Proxy) {
        exchange_metrics::count_cost(&self.context, &inspection);
        proxy.inspections().put(inspection);
    }
}

/// However an exchange ends, it is counted and its spans are sent once: also when its task is given up with its stream.
impl Drop for Exchange {
    fn drop(&mut self) {
        exchange_metrics::count(&self.context, &self.findings, self.action);
        if let Some(trace) = self.trace.take() {
            spans::finish(trace, &self.context);
        }
    }
}

/// Serves one request.
pub(crate) async fn run(
    head: RequestHead,
    client: &mut Client<'_>,
    proxy: &Proxy,
    exchange: &mut Exchange,
) -> ConnectionFate {
    exchange.begin_trace(Some(&head));
    exchange.mark_request();
    if !proxy.overload().admits() {
        return reject(UNAVAILABLE.into(), client, proxy, exchange).await;
    }
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

/// The stages from the upstream to the end. What `detect_only` found is reported once, with the status that the client got.
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
    let (status, detail, outcome) = match answered {
        Ok(Answered { status, fate, detail }) => (status, detail, Ok(fate)),
        // A request that is refused late has its event where one that is refused early has it.
        Err(Rejection::Refused(refusal))
            if rejection::is_reported_as_blocked(refusal, &exchange.findings) =>
        {
            return Err(Rejection::Found(refusal, cleared.body.into_inspection()));
        }
        Err(rejection) => (rejection.status(), rejection.detail(), Err(rejection)),
    };
    exchange.set_status(status);
    exchange.stage("answered");
    let verdict = cleared.body.verdict();
    let disposition = exchange.findings.disposition(verdict);
    let ending = Ending { disposition, status, detail, verdict };
    if exchange.send_event(ending, proxy).await.is_err() {
        return Ok(ConnectionFate::Abort);
    }
    exchange.give_back(cleared.body.into_inspection(), proxy);
    outcome
}

impl Exchange {
    /// Adds the call of the upstream to the trace.
    fn add_call(&mut self, call: Option<trace::Call>) {
        if let (Some(trace), Some(call)) = (&mut self.trace, call) {
            if let Some(at) = call.answered {
                trace.stage("upstream answered", at);
            }
            trace.call = Some(call);
        }
    }
}

/// The rejection of a head that is not HTTP.
pub(crate) fn malformed(why: Malformed, raw: &[u8], findings: &mut Findings) -> Rejection {
    findings.refuse_unread(400, admit::leaf_of(why), why.to_string(), raw).into()
}

/// Whether an upstream broke the contract: its client gets the answer of a failed upstream, with an event of a block.
fn breaks_contract(findings: &Findings) -> bool {
    findings.blames(Leaf::ResponseInspectionOpenapiValidation)
}
