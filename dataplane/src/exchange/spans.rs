//! The spans of an exchange, made from its context when it ends; all of it does nothing while tracing is off.

use std::sync::Arc;
use std::time::Instant;

use waf_shared::limits;
use waf_shared::plan::Upstream;

use super::context::RequestContext;
use crate::audit::{Disposition, EventFinding};
use crate::head::RequestHead;
use crate::trace::{self, Action, Call};
use crate::upstream::scheme_name;

/// Begins the trace of an exchange, in the place that a readable head may name.
pub(super) fn begin(
    context: &mut RequestContext,
    head: Option<&RequestHead>,
) -> Option<Box<trace::Exchange>> {
    let tracer = Arc::clone(context.active_plan.tracer()?);
    let place = trace::Context::of(head);
    context.add_trace(place.clone());
    Some(Box::new(trace::Exchange::new(tracer, place)))
}

/// The call of an upstream with a request for `target` that begins now.
pub(super) fn call(upstream: &Upstream, target: &[u8]) -> Call {
    let scheme = scheme_name(upstream.scheme).as_bytes();
    Call {
        host: upstream.host.clone(),
        port: upstream.port,
        url: [scheme, b"://", upstream.authority.as_bytes(), &trace::bounded(target)].concat(),
        began: Instant::now(),
        answered: None,
        status: None,
        ended: None,
        failure: None,
    }
}

/// Hands the spans of an exchange that is over to the export.
pub(super) fn finish(mut trace: Box<trace::Exchange>, context: &RequestContext) {
    if !trace.context.is_sampled {
        return;
    }
    let request = context.head().map(|head| trace::TracedRequest {
        method: trace::bounded(head.method()),
        target: trace::bounded(head.target()),
        host: head.fields.first("host").map(trace::bounded),
        user_agent: head.fields.first("user-agent").map(trace::bounded),
        version: head.version.as_str(),
    });
    let stages = trace.take_stages();
    trace.tracer.submit(trace::Finished {
        context: trace.context,
        began: (context.started(), context.time()),
        took: context.elapsed(),
        stages,
        action: trace.action,
        status: trace.status,
        call: trace.call,
        request_id: context.request_id().to_owned(),
        route_id: context.route_id().map(str::to_owned),
        plan: context.active_plan.digest_text().to_owned(),
        client: context.client(),
        scheme: context.scheme(),
        peer: context.peer(),
        listener: context.local(),
        request,
    });
}

/// The findings as a span names them: names once each, the deciding one first.
pub(super) fn action(disposition: Disposition, findings: &[EventFinding<'_>], score: u32) -> Action {
    let (mut protections, mut rules) = (Vec::new(), Vec::new());
    for finding in findings.iter().take(limits::MATCHES_MAX) {
        let name = finding.protection.name();
        if !protections.contains(&name) {
            protections.push(name);
        }
        if let Some(rule) = finding.rule.map(str::to_owned)
            && !rules.contains(&rule)
        {
            rules.push(rule);
        }
    }
    Action::Found { is_blocked: disposition == Disposition::Blocked, protections, rules, score }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use waf_shared::catalog::Leaf;

    use super::*;
    use crate::audit::Protection;

    #[test]
    fn names_are_listed_once_in_their_order() {
        let finding = |leaf, rule| EventFinding {
            protection: Protection::Leaf(leaf),
            rule,
            place: Cow::Borrowed("ARGS"),
            name: Cow::Borrowed(b"q"),
            view: None,
            offset: None,
            excerpt: Cow::Borrowed(b""),
            reason: Cow::Borrowed(""),
            weight: 5,
        };
        let (first, second) = (Leaf::RequestValidationMaxUrlLength, Leaf::RequestValidationMaxBodySize);
        let found = [finding(first, Some("a/b")), finding(second, None), finding(first, Some("a/b"))];
        let Action::Found { is_blocked, protections, rules, score } = action(Disposition::Blocked, &found, 7)
        else {
            panic!("something was found");
        };
        assert!(is_blocked && score == 7);
        assert_eq!((protections, rules), (vec![first.name(), second.name()], vec!["a/b".to_owned()]));
    }
}
