//! What an exchange adds to the metrics: most of it as it ends, once, whichever way it ends. It knows the record and the
//! counters, nothing of how either is shown.

use std::time::{Duration, Instant};

use waf_detection::inspection::Inspection;
use waf_detection::verdict::Verdict;
use waf_shared::catalog::Leaf;
use waf_shared::metrics::{RouteCounter, WorkerCounter};

use super::record::Record;
use super::response_inspection::ResponseFindings;
use crate::audit::Disposition;
use crate::audit::sink::AuditUnavailable;
use crate::metrics::Series;
use crate::proxy::Proxy;
use crate::upstream::UpstreamError;

/// Handing a line over takes less than this while the audit stream has room.
const HANDED_OVER: Duration = Duration::from_millis(1);

/// What is known for the metrics of an exchange while it runs.
#[derive(Debug, Default)]
pub(crate) struct Measurements {
    /// What was done with it; none while it is no request yet.
    action: Option<RouteCounter>,
    is_upgraded: bool,
    inspection: Option<Duration>,
}

impl Record {
    /// The numbers of its route.
    pub(super) fn series(&self) -> &Series {
        self.active_plan.series(self.route)
    }

    /// A whole head came: the exchange counts as a request, allowed unless more is said.
    pub(super) fn mark_request(&mut self) {
        self.exchange_metrics.action.get_or_insert(RouteCounter::Allowed);
    }

    /// It was refused.
    pub(crate) fn set_blocked(&mut self) {
        self.exchange_metrics.action = Some(RouteCounter::Blocked);
    }

    /// It became a tunnel: how long that lives says nothing about requests.
    pub(super) fn set_upgraded(&mut self) {
        self.exchange_metrics.is_upgraded = true;
    }

    /// Its upstream failed.
    pub(super) fn upstream_failed(&self, error: &UpstreamError) {
        self.series().add(kind(error), 1);
    }

    /// Rules have looked at the request, for so long.
    pub(super) fn inspected(&mut self, inspection: &Inspection) {
        self.active_plan.metrics().inspected(inspection.cost());
        self.took(inspection.cost().total(), inspection.verdict().timed_out);
    }

    /// The contract was compared with the request or with its answer, for so long.
    pub(super) fn compared(&self, time: Duration) {
        self.active_plan.metrics().inspected_by(Leaf::OpenapiBodyMismatch.row().family, time);
    }

    /// Rules have looked at the answer.
    pub(super) fn response_relay(&mut self, judged: &ResponseFindings) {
        self.compared(judged.contract_time);
        self.active_plan.metrics().inspected_by_all(judged.time);
        self.took(judged.time, judged.timed_out);
        if let Some(why) = judged.unread {
            self.series().add(why, 1);
        }
    }

    fn took(&mut self, time: Duration, timed_out: bool) {
        let sum = self.exchange_metrics.inspection.get_or_insert(Duration::ZERO);
        *sum = sum.saturating_add(time);
        if timed_out {
            self.series().add(RouteCounter::EvaluationTimeout, 1);
        }
    }

    /// The event that names what was found is on its way.
    fn told(&mut self, disposition: Disposition, verdict: Option<&Verdict>) {
        let names = self.protections(verdict).into_iter();
        match disposition {
            Disposition::Blocked => self.series().blocked(names),
            Disposition::Detected => {
                self.series().detected(names);
                self.exchange_metrics.action = Some(RouteCounter::Detected);
            }
            Disposition::Logged => {}
        }
    }
}

impl Record {
    /// Adds the exchange to the metrics, as it ends.
    pub(super) fn count(&self) {
        self.active_plan.metrics().left();
        let Some(action) = self.exchange_metrics.action else { return };
        let series = self.series();
        if self.exceeded.is_some() {
            series.add(RouteCounter::RateLimited, 1);
        }
        series.add(action, 1);
        if !self.exchange_metrics.is_upgraded {
            series.request(self.elapsed());
        }
        if let Some(time) = self.exchange_metrics.inspection {
            series.inspection(time);
        }
    }
}

/// Sends the audit event of an exchange, if it has one.
pub(crate) async fn tell(
    disposition: Disposition,
    status: u16,
    verdict: Option<&Verdict>,
    proxy: &Proxy,
    record: &mut Record,
) -> Result<(), AuditUnavailable> {
    let Some(line) = record.event(disposition, status, verdict) else { return Ok(()) };
    let began = Instant::now();
    let sent = proxy.audit().send(line).await;
    let (waited, metrics) = (began.elapsed(), record.active_plan.metrics());
    if waited > HANDED_OVER {
        let nanoseconds = crate::metrics::nanoseconds(waited);
        metrics.add(WorkerCounter::AuditBackpressureNanoseconds, nanoseconds);
    }
    match sent {
        Ok(()) => record.told(disposition, verdict),
        Err(_) => metrics.add(WorkerCounter::AuditRefused, 1),
    }
    if let Err(error) = sent {
        tracing::warn!(request_id = record.request_id.as_str(), %error, "an event could not be told");
    }
    sent
}

/// Whether an event of `record` would find room now; waits for it as long as the event would.
pub(crate) async fn room(proxy: &Proxy, record: &Record) -> Result<(), AuditUnavailable> {
    let found = proxy.audit().room().await;
    if let Err(error) = found {
        record.active_plan.metrics().add(WorkerCounter::AuditRefused, 1);
        let request_id = record.request_id.as_str();
        tracing::warn!(request_id, %error, "a request is refused because its event could not be told");
    }
    found
}

fn kind(error: &UpstreamError) -> RouteCounter {
    match error {
        UpstreamError::Resolve(_)
        | UpstreamError::Connect(_)
        | UpstreamError::Busy
        | UpstreamError::Share => RouteCounter::UpstreamConnect,
        UpstreamError::Tls(_) => RouteCounter::UpstreamTls,
        UpstreamError::Timeout => RouteCounter::UpstreamTimeout,
        UpstreamError::Reset(_) | UpstreamError::Malformed(_) | UpstreamError::HeadTooLong => {
            RouteCounter::UpstreamReset
        }
    }
}
