//! Events and metrics of the messages of one WebSocket.

use waf_detection::inspection::Inspection;
use waf_detection::verdict::Verdict;
use waf_shared::catalog::Leaf;
use waf_shared::limits::WEBSOCKET_EVENTS_MAX;
use waf_shared::metrics::RouteCounter;

use super::super::event::{self, Ending};
use super::super::exchange_metrics;
use super::super::findings::Findings;
use super::message::Message;
use super::session::{Session, Stop};
use crate::audit::Disposition;
use crate::websocket::{Code, Fault};

/// Composes events while bytes are taken, and sends them afterwards.
#[derive(Debug)]
pub(super) struct Reporter<'s> {
    session: Session<'s>,
    /// Number of the message in hand, from 1 on.
    number: u64,
    events: u32,
    /// Events that are not yet sent.
    lines: Vec<Vec<u8>>,
    worst: Option<Disposition>,
}

/// Status of the exchange that became the WebSocket.
const STATUS: u16 = 101;

impl<'s> Reporter<'s> {
    pub(super) fn new(session: Session<'s>) -> Reporter<'s> {
        Reporter { session, number: 0, events: 0, lines: Vec::new(), worst: None }
    }

    pub(super) fn worst(&self) -> Option<Disposition> {
        self.worst
    }

    pub(super) fn begin_message(&mut self) {
        self.number = self.number.saturating_add(1);
    }

    /// A message that was forwarded.
    pub(super) fn end_message(&mut self, message: Message) {
        let verdict = Some(message.inspection().verdict()).filter(|verdict| verdict.blocks());
        let counter = match verdict {
            Some(_) => RouteCounter::WebsocketDetected,
            None if is_unread(message.inspection()) => RouteCounter::WebsocketUnread,
            None => RouteCounter::WebsocketClean,
        };
        self.count(counter);
        if verdict.is_some() {
            self.worst = Some(Disposition::Detected);
            if self.events < WEBSOCKET_EVENTS_MAX {
                let detail = format!("message {}", self.number);
                self.compose(&Findings::of_message(), verdict, (Disposition::Detected, &detail));
            }
        }
        self.give_back(message);
    }

    /// A message that closes the connection.
    pub(super) fn refused(&mut self, message: Message) {
        self.count(RouteCounter::WebsocketBlocked);
        self.worst = Some(Disposition::Blocked);
        let detail = format!("message {}, closed with {}", self.number, Code::POLICY.0);
        let verdict = Some(message.inspection().verdict());
        self.compose(&Findings::of_message(), verdict, (Disposition::Blocked, &detail));
        self.give_back(message);
    }

    /// A break of the protocol, which closes the connection.
    pub(super) fn fault(&mut self, fault: Fault) {
        self.worst = Some(Disposition::Blocked);
        let mut findings = Findings::of_message();
        let _ = findings.refuse(403, Leaf::WebsocketMessages, "WS_MESSAGE", fault.reason);
        let detail = format!("message {}, closed with {}", self.number, fault.code.0);
        self.compose(&findings, None, (Disposition::Blocked, &detail));
    }

    /// Sends the events so far.
    pub(super) async fn send(&mut self) -> Result<(), Stop> {
        for line in self.lines.drain(..) {
            if let Err(error) = self.session.proxy.audit().send(line).await {
                exchange_metrics::count_refused_event(self.session.context);
                let request_id = self.session.context.request_id();
                tracing::warn!(request_id, %error, "an event of a message could not be sent");
                return Err(Stop::Cut);
            }
        }
        Ok(())
    }

    fn compose(
        &mut self,
        findings: &Findings,
        verdict: Option<&Verdict>,
        (disposition, detail): (Disposition, &str),
    ) {
        let context = self.session.context;
        let ending = Ending { disposition, status: STATUS, detail: Some(detail), verdict };
        if let Some(composed) = event::compose(context, findings, &ending) {
            self.events += 1;
            self.lines.push(composed.line);
            exchange_metrics::count_event(context, findings, disposition, verdict);
        }
    }

    fn count(&self, counter: RouteCounter) {
        self.session.context.series().add(counter, 1);
    }

    /// Counts the cost of a message that is over, and keeps its buffers for another one.
    pub(super) fn give_back(&self, message: Message) {
        let inspection = message.into_inspection();
        exchange_metrics::count_cost(self.session.context, &inspection);
        self.session.proxy.inspections().put(inspection);
    }
}

/// Returns `true` if a part of the message was not judged.
fn is_unread(inspection: &Inspection) -> bool {
    !inspection.reads_body() || inspection.uninspected() > 0 || inspection.verdict().timed_out
}
