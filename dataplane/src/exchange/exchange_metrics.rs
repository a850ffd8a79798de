//! Metrics of an exchange, added once, when it ends. They are made from its context and its findings; nothing here
//! knows in which form they are shown.

use std::time::Duration;

use waf_detection::inspection::Inspection;
use waf_detection::verdict::Verdict;
use waf_shared::catalog::Leaf;
use waf_shared::metrics::{Degraded, RouteCounter, WorkerCounter};

use super::context::RequestContext;
use super::event;
use super::findings::Findings;
use crate::audit::Disposition;
use crate::upstream::UpstreamError;

/// Handing an event over takes less than this while the audit stream has room.
pub(super) const HANDED_OVER: Duration = Duration::from_millis(1);

/// Adds an exchange that is over. One without an `action` was no request.
pub(super) fn count(context: &RequestContext, findings: &Findings, action: Option<RouteCounter>) {
    let (metrics, series, measured) = (context.active_plan.metrics(), context.series(), &findings.measured);
    metrics.left();
    if !measured.contract.is_zero() {
        metrics.inspected_by(Leaf::OpenapiBodyMismatch.row().family, measured.contract);
    }
    if !measured.response.is_zero() {
        metrics.inspected_by_all(measured.response);
    }
    for counter in &measured.counted {
        series.add(*counter, 1);
    }
    if findings.blames(Leaf::ResourceLimitsDecompressionRatio) {
        series.add(RouteCounter::DecompressionRejected, 1);
    }
    if findings.not_inspected().rest > 0 {
        series.add(RouteCounter::BodyUninspectedBytes, findings.not_inspected().rest);
    }
    if measured.has_spooled {
        series.add(RouteCounter::BodySpooled, 1);
    }
    if measured.has_spooled || measured.cannot_spool {
        metrics.degrade(Degraded::Spooling, measured.cannot_spool);
    }
    let Some(action) = action else { return };
    if findings.exceeded().is_some() {
        series.add(RouteCounter::RateLimited, 1);
    }
    series.add(action, 1);
    if !measured.is_upgraded {
        series.request(context.elapsed());
    }
    if let Some(time) = measured.inspection {
        series.inspection(time);
    }
}

/// Adds what each family of rules cost on a request, and the exceptions without which it would have had an event.
pub(super) fn count_cost(context: &RequestContext, inspection: &Inspection) {
    context.series().spared(inspection.spared());
    context.active_plan.metrics().inspected(inspection.cost());
}

/// Adds the protections of an event that was sent.
pub(super) fn count_event(
    context: &RequestContext,
    findings: &Findings,
    disposition: Disposition,
    verdict: Option<&Verdict>,
) {
    match disposition {
        Disposition::Blocked => {
            context.series().blocked(event::protections(findings, verdict).into_iter());
        }
        Disposition::Detected => {
            context.series().detected(event::protections(findings, verdict).into_iter());
        }
        Disposition::Logged => {}
    }
}

/// Adds an event that could not be sent.
pub(super) fn count_refused_event(context: &RequestContext) {
    context.active_plan.metrics().add(WorkerCounter::AuditRefused, 1);
}

/// The counter of a failure of an upstream.
pub(super) fn of_failure(error: &UpstreamError) -> RouteCounter {
    match error {
        UpstreamError::Resolve(_)
        | UpstreamError::Connect(_)
        | UpstreamError::Busy
        | UpstreamError::Share => RouteCounter::UpstreamConnect,
        UpstreamError::Certificate(_) | UpstreamError::Tls(_) => RouteCounter::UpstreamTls,
        UpstreamError::Timeout(_) => RouteCounter::UpstreamTimeout,
        UpstreamError::Reset(_) | UpstreamError::Malformed(_) | UpstreamError::HeadTooLong => {
            RouteCounter::UpstreamReset
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;
    use crate::upstream::Awaited;

    #[test]
    fn failures_are_counted_by_their_kind() {
        let io = || ErrorKind::Other.into();
        for (error, counter) in [
            (UpstreamError::Resolve(io()), RouteCounter::UpstreamConnect),
            (UpstreamError::Connect(io()), RouteCounter::UpstreamConnect),
            (UpstreamError::Busy, RouteCounter::UpstreamConnect),
            (UpstreamError::Share, RouteCounter::UpstreamConnect),
            (UpstreamError::Tls(io()), RouteCounter::UpstreamTls),
            (UpstreamError::Certificate(io()), RouteCounter::UpstreamTls),
            (UpstreamError::Timeout(Awaited::Name), RouteCounter::UpstreamTimeout),
            (UpstreamError::Reset(io()), RouteCounter::UpstreamReset),
            (UpstreamError::HeadTooLong, RouteCounter::UpstreamReset),
        ] {
            assert_eq!(of_failure(&error), counter, "{error:?}");
        }
    }
}
