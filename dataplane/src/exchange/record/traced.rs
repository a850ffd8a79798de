//! What the spans of an exchange are told while it runs; all of it does nothing while tracing is off.

use std::sync::Arc;
use std::time::Instant;

use waf_shared::limits;
use waf_shared::plan::{Scheme, Upstream};

use super::Record;
use crate::audit::{Disposition, Finding};
use crate::http1::head::RequestHead;
use crate::trace::{self, Action};

impl Record {
    /// Takes the exchange's place in its trace, which a readable head may name.
    pub(crate) fn begin_trace(&mut self, head: Option<&RequestHead>) {
        if self.trace.is_none()
            && let Some(tracer) = self.active_plan.tracer()
        {
            let exchange = trace::Exchange::new(Arc::clone(tracer), trace::Context::of(head));
            self.trace = Some(Box::new(exchange));
        }
    }

    /// The place in the trace, for the request to the upstream.
    pub(crate) fn trace_context(&self) -> Option<&trace::Context> {
        self.trace.as_deref().map(|trace| &trace.context)
    }

    /// A stage is over.
    pub(crate) fn stage(&mut self, name: &'static str) {
        self.traced(|trace| trace.stage(name));
    }

    /// The client gets this status.
    pub(crate) fn answered(&mut self, status: u16) {
        self.traced(|trace| trace.status = status);
    }

    /// The upstream is called with a request that begins with `head`.
    pub(crate) fn call_begins(&mut self, upstream: &Upstream, head: &[u8]) {
        self.traced(|trace| {
            let target = head.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
            let scheme: &[u8] = if upstream.scheme == Scheme::Https { b"https://" } else { b"http://" };
            let url = [scheme, upstream.authority.as_bytes(), &trace::bounded(target)].concat();
            trace.call = Some(trace::Call {
                host: upstream.host.clone(),
                port: upstream.port,
                url,
                began: Instant::now(),
                status: None,
                ended: None,
                failure: None,
            });
        });
    }

    /// The upstream's answer began.
    pub(crate) fn call_answered(&mut self, status: u16) {
        self.stage("upstream answered");
        self.traced(|trace| {
            if let Some(call) = &mut trace.call {
                call.status = Some(status);
            }
        });
    }

    /// The call is over, with a word for its failure.
    pub(crate) fn call_ends(&mut self, failure: Option<&'static str>) {
        self.traced(|trace| {
            if let Some(call) = &mut trace.call {
                call.ended = Some(Instant::now());
                call.failure = failure;
            }
        });
    }

    pub(super) fn traced(&mut self, note: impl FnOnce(&mut trace::Exchange)) {
        if let Some(trace) = &mut self.trace {
            note(trace);
        }
    }

    pub(super) fn finish_trace(&mut self) {
        let Some(mut trace) = self.trace.take().filter(|trace| trace.context.is_sampled) else { return };
        let route =
            self.route.and_then(|route| self.active_plan.route(route)).map(|(route, _)| route.id.0.clone());
        let asked = self.head.as_deref().map(|head| trace::Asked {
            method: trace::bounded(head.method()),
            target: trace::bounded(head.target()),
            host: head.fields.first("host").map(trace::bounded),
            user_agent: head.fields.first("user-agent").map(trace::bounded),
            version: head.version.as_str(),
        });
        let stages = trace.take_stages();
        trace.tracer.submit(trace::Finished {
            context: trace.context,
            began: (self.started, self.time),
            took: self.started.elapsed(),
            stages,
            action: trace.action,
            status: trace.status,
            call: trace.call,
            request_id: std::mem::take(&mut self.request_id),
            route_id: route,
            plan: self.active_plan.digest_text().to_owned(),
            client: self.client,
            scheme: self.scheme(),
            peer: self.info.peer,
            listener: self.info.local,
            asked,
        });
    }
}

/// What a span says of findings: names once each, the deciding one first.
pub(super) fn action(disposition: Disposition, findings: &[Finding<'_>], score: u32) -> Action {
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
