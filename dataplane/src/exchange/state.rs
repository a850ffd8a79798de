//! The state of one exchange: its context and its findings, and the one place that makes event, spans and metrics of
//! them.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use waf_detection::inspection::Inspection;
use waf_shared::metrics::{RouteCounter, WorkerCounter};

use super::access::AccessNotes;
use super::context::{ConnectionInfo, RequestContext};
use super::event::{self, Ending};
use super::findings::Findings;
use super::observers::Observers;
use super::tap::PieceTap;
use super::{exchange_metrics, spans};
use crate::active_plan::ActivePlan;
use crate::audit::Disposition;
use crate::audit::sink::AuditUnavailable;
use crate::head::RequestHead;
use crate::message::Client;
use crate::proxy::Proxy;
use crate::refusal::Refusal;
use crate::trace;

/// One exchange: its context, its findings, and what is counted and traced when it ends, however it ends.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) context: RequestContext,
    pub(crate) findings: Findings,
    /// The counter of what was done with the request; none while there is no request yet.
    action: Option<RouteCounter>,
    /// Notes for its spans, while tracing is on.
    trace: Option<Box<trace::Exchange>>,
    /// Notes for its line in the access log, while that is on.
    access: Option<Box<AccessNotes>>,
    /// Those who see the request beside the stages.
    observers: Option<Arc<Observers>>,
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
            access: None,
            observers: None,
        }
    }

    /// Counts the exchange as a request: allowed, unless it is blocked or detected later.
    pub(super) fn mark_request(&mut self) {
        self.action.get_or_insert(RouteCounter::Allowed);
    }

    /// Counts the request as blocked.
    pub(crate) fn set_blocked(&mut self) {
        self.action = Some(RouteCounter::Blocked);
    }

    /// Counts the request by what was found in messages of its WebSocket.
    pub(super) fn add_messages(&mut self) {
        match self.findings.measured.messages {
            Some(Disposition::Blocked) => self.set_blocked(),
            Some(Disposition::Detected) => self.action = Some(RouteCounter::Detected),
            Some(Disposition::Logged) | None => {}
        }
    }

    pub(super) fn begin_trace(&mut self, head: Option<&RequestHead>) {
        if self.trace.is_none() {
            self.trace = spans::begin(&mut self.context, head);
        }
    }

    pub(super) fn stage(&mut self, name: &'static str) {
        if let Some(trace) = &mut self.trace {
            trace.stage(name, Instant::now());
        }
    }

    /// Has the exchange with `client` in the access log, while that is on.
    pub(super) fn log_access(&mut self, client: &mut Client<'_>, proxy: &Proxy) {
        if self.access.is_none()
            && let Some(notes) = AccessNotes::new(proxy.access_log())
        {
            client.writer.count(notes.counter());
            self.access = Some(Box::new(notes));
        }
    }

    /// Shows the request to those who see it beside the stages.
    pub(super) fn observe(&mut self, proxy: &Proxy) {
        self.observers = Observers::begin(proxy, &self.context);
        if let Some(observers) = self.observers.clone() {
            self.context.add_tap(PieceTap::new(move |piece| observers.piece(piece)));
        }
    }

    /// The head has passed the stages before the body.
    pub(super) fn show_head(&self) {
        if let (Some(observers), Some(head)) = (&self.observers, self.context.head()) {
            observers.head(head);
        }
    }

    /// The request is refused.
    pub(super) fn show_refusal(&self, refusal: Refusal) {
        if let Some(observers) = &self.observers {
            observers.refuse(refusal);
        }
    }

    pub(super) fn set_status(&mut self, status: u16) {
        if let Some(access) = &mut self.access {
            access.status = Some(status);
        }
        if let Some(trace) = &mut self.trace {
            trace.status = status;
        }
    }

    /// Adds the call of the upstream to the trace.
    pub(super) fn add_call(&mut self, call: Option<trace::Call>) {
        if let (Some(trace), Some(call)) = (&mut self.trace, call) {
            if let Some(at) = call.answered {
                trace.stage("upstream answered", at);
            }
            trace.call = Some(call);
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
        if let Some(observers) = &self.observers {
            observers.note(&self.findings, ending.verdict);
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
        if disposition == Disposition::Detected {
            self.action = Some(RouteCounter::Detected);
        }
        Ok(())
    }

    /// Waits until an event would find room, as long as the event would.
    pub(super) async fn await_event_room(&self, proxy: &Proxy) -> Result<(), AuditUnavailable> {
        let room = proxy.audit().room().await;
        if let Err(error) = room {
            exchange_metrics::count_refused_event(&self.context);
            let request_id = self.context.request_id();
            tracing::warn!(request_id, %error, "a request is refused because its event could not be sent");
        }
        room
    }

    /// Counts the cost of an inspection that is over, and keeps its buffers for another request.
    pub(super) fn give_back(&self, inspection: Box<Inspection>, proxy: &Proxy) {
        exchange_metrics::count_cost(&self.context, &inspection);
        proxy.inspections().put(inspection);
    }
}

/// However an exchange ends, it is counted, and its spans and its line are sent once: also when its task is given up with its stream.
impl Drop for Exchange {
    fn drop(&mut self) {
        exchange_metrics::count(&self.context, &self.findings, self.action);
        if let Some(observers) = self.observers.take() {
            observers.finish(&self.context, &self.findings, self.action);
        }
        if let (Some(access), Some(action)) = (self.access.take(), self.action) {
            access.finish(&self.context, action);
        }
        if let Some(trace) = self.trace.take() {
            spans::finish(trace, &self.context);
        }
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::catalog::Leaf;
    use waf_shared::plan::Mode;

    use super::super::testing::{exchange, proxy};
    use super::*;

    /// The counter of an exchange that ended with this disposition, after a violation that the mode allows or not.
    async fn ended(disposition: Disposition, has_violation: bool) -> Option<RouteCounter> {
        let mut exchange = exchange(|plan, route| {
            plan.global.mode = Mode::DetectOnly;
            route.settings.mode = Mode::DetectOnly;
        });
        exchange.mark_request();
        if has_violation {
            let Exchange { context, findings, .. } = &mut exchange;
            let found = findings.violate(context, Leaf::RequestValidationMaxUrlLength, "TARGET", "too long");
            assert!(found.is_ok(), "detection alone refuses nothing");
        }
        let ending = Ending { disposition, status: 200, detail: None, verdict: None };
        exchange.send_event(ending, &proxy()).await.expect("the event finds room");
        exchange.action
    }

    #[tokio::test]
    async fn an_exchange_is_counted_by_what_was_done_with_it() {
        for (disposition, has_violation, expected) in [
            (Disposition::Logged, false, RouteCounter::Allowed),
            // An event that has nothing to report is not sent.
            (Disposition::Detected, false, RouteCounter::Allowed),
            (Disposition::Detected, true, RouteCounter::Detected),
            (Disposition::Logged, true, RouteCounter::Allowed),
        ] {
            assert_eq!(ended(disposition, has_violation).await, Some(expected), "{disposition:?}");
        }
        let mut exchange = exchange(|_, _| {});
        assert_eq!(exchange.action, None, "there is no request yet");
        exchange.set_blocked();
        exchange.mark_request();
        assert_eq!(exchange.action, Some(RouteCounter::Blocked), "a request that was blocked stays so");
    }

    #[tokio::test]
    async fn every_exchange_has_an_id_by_the_time_its_event_is_due() {
        let mut exchange = exchange(|_, _| {});
        let ending = Ending { disposition: Disposition::Logged, status: 400, detail: None, verdict: None };
        exchange.send_event(ending, &proxy()).await.expect("there is nothing to send");
        assert!(exchange.context.request_id().len() >= 8, "{}", exchange.context.request_id());
    }
}
