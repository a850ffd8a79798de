//! The findings of one exchange: violations of its checks, its rate limit, the verdict on its response, and
//! measurements for the metrics. Stages append; event, spans and metrics are made from it when the exchange ends.

use std::borrow::Cow;
use std::time::Duration;

use waf_detection::inspection::Inspection;
use waf_detection::verdict::Verdict;
use waf_shared::catalog::{Leaf, LeafSet};
use waf_shared::limits;
use waf_shared::metrics::RouteCounter;
use waf_shared::plan::{Mode, RateLimit};

use super::context::RequestContext;
use crate::audit::Disposition;
use crate::refusal::Refusal;

/// A violation that is not a rule's match.
#[derive(Debug)]
pub(super) struct Violation {
    pub(super) leaf: Leaf,
    pub(super) place: &'static str,
    pub(super) reason: Cow<'static, str>,
    pub(super) excerpt: Vec<u8>,
    pub(super) effect: Effect,
}

/// Consequence of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It refuses the request in blocking mode.
    Refuses,
    /// It is reported as a violation in every mode: the contract is only watched.
    Watched,
    /// It is reported and is no violation.
    Remark,
}

/// A rate limit whose window is full.
#[derive(Debug)]
pub(crate) struct Exceeded {
    pub(crate) limit: RateLimit,
    /// Time until a request of this client would be allowed.
    pub(crate) wait: Duration,
    /// Which requests over the limit have an event.
    pub(crate) events: EventsOf,
}

/// The requests over a rate limit that have an event.
#[derive(Debug, Clone, Copy)]
pub(crate) enum EventsOf {
    /// Each: it is refused.
    Each,
    /// The first of a key and window.
    Window {
        /// Requests without an event since the last one; none unless this request has one.
        unreported: Option<u64>,
    },
}

impl Exceeded {
    /// Reports whether this request has an event for it.
    fn is_reported(&self) -> bool {
        !matches!(self.events, EventsOf::Window { unreported: None })
    }
}

/// Bytes of a request's body that were forwarded without inspection, by the reason.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NotInspected {
    /// Beyond `max_inspect_size`, or behind what could be decoded or judged in time.
    pub(crate) rest: u64,
    /// Content of uploaded files behind the first bytes of each.
    pub(crate) files: u64,
    /// Of a body of a type that is not read.
    pub(crate) body: u64,
}

/// The findings of one response; empty when nothing looked at it.
#[derive(Debug, Default)]
pub(super) struct ResponseFindings {
    /// Verdict of rules, where it blocks.
    pub(super) verdict: Option<Box<Verdict>>,
    /// Exceptions that kept a verdict from blocking.
    pub(super) spared: Vec<std::sync::Arc<str>>,
    /// The breach of the contract.
    pub(super) breach: Option<String>,
    /// Time that rules took.
    pub(super) time: Duration,
    /// Time that comparing with the contract took.
    pub(super) contract_time: Duration,
    /// True if rules ran out of time.
    pub(super) timed_out: bool,
    /// The counter of a body that rules did not read, or not to its end.
    pub(super) unread: Option<RouteCounter>,
}

/// Measurements for the metrics of the exchange.
#[derive(Debug, Default)]
pub(crate) struct Measurements {
    /// Counters of the route that go up by one.
    pub(super) counted: Vec<RouteCounter>,
    /// Time that rules took; none while no rule has looked at the exchange.
    pub(super) inspection: Option<Duration>,
    /// Time that rules took on the response.
    pub(super) response: Duration,
    /// Time that comparing with the contract took.
    pub(super) contract: Duration,
    /// True if a part of the body was spooled to disk.
    pub(super) has_spooled: bool,
    /// True if the body needed the disk and could not get it.
    pub(super) cannot_spool: bool,
    /// True if the connection became a tunnel, whose duration says nothing about requests.
    pub(super) is_upgraded: bool,
    /// The most severe disposition of a message of a WebSocket.
    pub(super) messages: Option<Disposition>,
}

impl Measurements {
    /// Adds one to a counter of the route.
    pub(super) fn count(&mut self, counter: RouteCounter) {
        self.counted.push(counter);
    }

    /// Adds time that rules took, and whether they ran out of it.
    pub(super) fn add_inspection(&mut self, time: Duration, timed_out: bool) {
        let sum = self.inspection.get_or_insert(Duration::ZERO);
        *sum = sum.saturating_add(time);
        if timed_out {
            self.count(RouteCounter::EvaluationTimeout);
        }
    }

    /// Adds time that comparing with the contract took.
    pub(super) fn add_contract(&mut self, time: Duration) {
        self.contract = self.contract.saturating_add(time);
    }
}

/// Everything that was found in one exchange.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    violations: Vec<Violation>,
    /// Number of violations that were found before rules looked at the request.
    before_rules: usize,
    exceeded: Option<Exceeded>,
    not_inspected: NotInspected,
    /// Matches of rules in the upstream's response.
    response: Option<Box<Verdict>>,
    /// True if the message is one that no mode forwards.
    is_unforwardable: bool,
    /// True if the connection left HTTP and no rule looks at it.
    is_tunnel: bool,
    /// True if these are the findings of a message of a WebSocket.
    is_message: bool,
    pub(super) measured: Measurements,
}

impl Findings {
    /// Findings of one message of a WebSocket.
    pub(super) fn of_message() -> Findings {
        Findings { is_message: true, ..Findings::default() }
    }

    /// Place of violations of what rules looked at.
    pub(super) fn place(&self) -> &'static str {
        if self.is_message { "WS_MESSAGE" } else { "BODY" }
    }

    /// Marks a connection that left HTTP, and that no rule looks at from now on.
    pub(super) fn set_tunnel(&mut self) {
        self.is_tunnel = true;
        self.measured.count(RouteCounter::TunnelsUninspected);
    }

    /// Reports whether the connection left HTTP and no rule looks at it.
    pub(super) fn is_tunnel(&self) -> bool {
        self.is_tunnel
    }

    /// Adds a violation of `leaf`, if that is enabled; the error refuses the request, where the mode says so.
    pub(crate) fn violate(
        &mut self,
        context: &RequestContext,
        leaf: Leaf,
        place: &'static str,
        reason: impl Into<Cow<'static, str>>,
    ) -> Result<(), Refusal> {
        let settings = context.settings();
        if !settings.leaves.contains(leaf) {
            return Ok(());
        }
        self.add(leaf, place, reason.into(), Effect::Refuses);
        if settings.mode == Mode::Blocking { Err(Refusal::blocked(leaf.row().status)) } else { Ok(()) }
    }

    /// Adds a breach of the contract, if its leaf is enabled; the error refuses the request, where the contract is
    /// enforced.
    pub(crate) fn breach(
        &mut self,
        context: &RequestContext,
        leaf: Leaf,
        place: &'static str,
        reason: impl Into<Cow<'static, str>>,
    ) -> Result<(), Refusal> {
        if !context.settings().leaves.contains(leaf) {
            return Ok(());
        }
        self.add(leaf, place, reason.into(), effect_of_breach(context));
        if context.refuses_breaches() { Err(Refusal::blocked(leaf.row().status)) } else { Ok(()) }
    }

    /// Adds a remark, which is reported and never refuses.
    pub(crate) fn remark(&mut self, leaf: Leaf, place: &'static str, reason: &'static str) {
        self.add(leaf, place, reason.into(), Effect::Remark);
    }

    /// Adds a fault for which the message is refused in every mode, whatever is disabled.
    pub(crate) fn refuse(
        &mut self,
        status: u16,
        leaf: Leaf,
        place: &'static str,
        reason: impl Into<Cow<'static, str>>,
    ) -> Refusal {
        self.is_unforwardable = true;
        self.add(leaf, place, reason.into(), Effect::Refuses);
        Refusal::blocked(status)
    }

    /// Adds a fault of a head that could not be read; the event quotes its beginning.
    pub(crate) fn refuse_unread(&mut self, status: u16, leaf: Leaf, reason: String, raw: &[u8]) -> Refusal {
        self.is_unforwardable = true;
        let excerpt = raw.get(..raw.len().min(EXCERPT_BYTES_MAX)).unwrap_or_default();
        self.add_violation(Violation {
            leaf,
            place: "HEAD",
            reason: reason.into(),
            excerpt: excerpt.to_vec(),
            effect: Effect::Refuses,
        });
        Refusal::blocked(status)
    }

    /// Adds a violation that the body has judged already.
    pub(super) fn add_of_body(&mut self, context: &RequestContext, leaf: Leaf, reason: Cow<'static, str>) {
        let effect = match leaf {
            Leaf::ResourceLimitsMaxInspectionSize => Effect::Remark,
            Leaf::OpenapiBodyMismatch => effect_of_breach(context),
            _ => Effect::Refuses,
        };
        self.add(leaf, "BODY", reason, effect);
    }

    /// Adds the rate limit that the request exceeds.
    pub(super) fn exceed(&mut self, exceeded: Exceeded) {
        self.exceeded = Some(exceeded);
    }

    /// Adds the bytes of the body that were not inspected.
    pub(super) fn add_not_inspected(&mut self, bytes: NotInspected) {
        self.not_inspected = bytes;
    }

    /// Marks the point at which rules begin to look at the request.
    pub(super) fn begin_rules(&mut self) {
        self.before_rules = self.violations.len();
    }

    /// Adds the time that rules took on the request.
    pub(super) fn measure(&mut self, inspection: &Inspection) {
        self.measured.add_inspection(inspection.cost().total(), inspection.verdict().timed_out);
    }

    /// Adds what was found in the upstream's response.
    pub(super) fn add_response(&mut self, context: &RequestContext, response: ResponseFindings) {
        self.measured.add_contract(response.contract_time);
        self.measured.response = self.measured.response.saturating_add(response.time);
        self.measured.add_inspection(response.time, response.timed_out);
        if let Some(why) = response.unread {
            self.measured.count(why);
        }
        context.series().spared(response.spared.iter());
        self.response = response.verdict;
        if let Some(breach) = response.breach {
            let effect = effect_of_breach(context);
            self.add(Leaf::ResponseInspectionOpenapiValidation, "RESPONSE_BODY", breach.into(), effect);
        }
    }

    /// Reports whether an exchange that goes on has an event.
    pub(crate) fn has_event(&self, verdict: Option<&Verdict>) -> bool {
        verdict.is_some() || !self.violations.is_empty() || self.is_over_limit_reported()
    }

    /// Disposition of an exchange that went on.
    pub(crate) fn disposition(&self, verdict: Option<&Verdict>) -> Disposition {
        if verdict.is_none()
            && self.response.is_none()
            && !self.is_over_limit_reported()
            && self.violations.iter().all(|violation| violation.effect == Effect::Remark)
        {
            Disposition::Logged
        } else {
            Disposition::Detected
        }
    }

    /// Reports whether `leaf` was violated.
    pub(crate) fn blames(&self, leaf: Leaf) -> bool {
        self.violations.iter().any(|violation| violation.leaf == leaf)
    }

    /// Leaves of all violations of checks.
    pub(super) fn leaves(&self) -> LeafSet {
        self.violations.iter().map(|violation| violation.leaf).collect()
    }

    /// Violations of checks: those found before rules looked at the request, and the others.
    pub(super) fn violations(&self) -> (&[Violation], &[Violation]) {
        self.violations.split_at_checked(self.before_rules).unwrap_or((&self.violations, &[]))
    }

    /// The rate limit that the request exceeds.
    pub(crate) fn exceeded(&self) -> Option<&Exceeded> {
        self.exceeded.as_ref()
    }

    /// Bytes of the body that were not inspected.
    pub(super) fn not_inspected(&self) -> NotInspected {
        self.not_inspected
    }

    /// Verdict of rules on the response.
    pub(super) fn response(&self) -> Option<&Verdict> {
        self.response.as_deref()
    }

    /// Reports whether the message is one that no mode forwards: nothing behind it on its connection is trusted.
    pub(super) fn is_unforwardable(&self) -> bool {
        self.is_unforwardable
    }

    fn is_over_limit_reported(&self) -> bool {
        self.exceeded.as_ref().is_some_and(Exceeded::is_reported)
    }

    fn add(&mut self, leaf: Leaf, place: &'static str, reason: Cow<'static, str>, effect: Effect) {
        self.add_violation(Violation { leaf, place, reason, excerpt: Vec::new(), effect });
    }

    /// A leaf is reported once, with its first reason.
    fn add_violation(&mut self, violation: Violation) {
        if !self.blames(violation.leaf) && self.violations.len() < limits::MATCHES_MAX {
            self.violations.push(violation);
        }
    }
}

/// Bytes of an unreadable head that its event quotes.
const EXCERPT_BYTES_MAX: usize = 256;

fn effect_of_breach(context: &RequestContext) -> Effect {
    if context.is_contract_strict() { Effect::Refuses } else { Effect::Watched }
}

#[cfg(test)]
mod tests;
