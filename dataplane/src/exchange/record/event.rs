//! What a record comes to when somebody is to be told: the audit event with all that was found.

use std::borrow::Cow;
use std::fmt::Write as _;

use waf_detection::verdict::{Match, Verdict};
use waf_shared::catalog::{Leaf, LeafSet};
use waf_shared::plan::RateLimitSource;

use super::{Effect, EventsOf, Exceeded, NotInspected, Record, Violation, traced};
use crate::audit::{self, DECIDES, Disposition, Event, Finding, Protection, REMARK, Tls};
use crate::http1::head::RequestHead;

impl Exceeded {
    /// What the event says; `None` where none is due. The key itself is never told: it may be a secret, and the event has
    /// the address anyway.
    fn finding(&self) -> Option<Finding<'_>> {
        let untold = match self.events {
            EventsOf::Each => 0,
            EventsOf::Window { untold } => untold?,
        };
        let (requests, window) = (self.limit.requests, self.limit.window.duration());
        let mut reason = format!("more than {requests} requests in {window:?}");
        if untold > 0 {
            let _ = write!(reason, "; {untold} more since the last event of this client");
        }
        let (place, name) = match &self.limit.source {
            RateLimitSource::Ip => ("REMOTE_ADDR", &[][..]),
            RateLimitSource::Header(name) => ("HEADERS", name.as_bytes()),
        };
        Some(Finding {
            protection: Protection::RateLimit { requests },
            rule: None,
            place: Cow::Borrowed(place),
            name: Cow::Borrowed(name),
            view: None,
            offset: None,
            excerpt: Cow::Borrowed(&[]),
            reason: Cow::Owned(reason),
            weight: DECIDES,
        })
    }
}

impl Record {
    /// Every protection that the event names.
    pub(in crate::exchange) fn protections(&self, verdict: Option<&Verdict>) -> Vec<&'static str> {
        let own: LeafSet = self.violations.iter().map(|violation| violation.leaf).collect();
        let found = [verdict, self.answer.as_deref()].into_iter().flatten();
        let leaves = found.fold(own, |all, verdict| all.union(&verdict.leaves()));
        let quota = self.exceeded.iter().filter_map(Exceeded::finding).map(|found| found.protection.name());
        leaves.iter().map(Leaf::name).chain(quota).collect()
    }

    /// The audit event for an answer of `status`; `None` when nothing was found.
    pub(crate) fn event(
        &mut self,
        disposition: Disposition,
        status: u16,
        verdict: Option<&Verdict>,
    ) -> Option<Vec<u8>> {
        let mut findings = self.findings(verdict);
        audit::deciding_first(&mut findings);
        if findings.is_empty() {
            return None;
        }
        let not_inspected = self.parts_not_inspected(status, verdict);
        let not_inspected: Vec<&str> = not_inspected.iter().map(AsRef::as_ref).collect();
        let head = self.head.as_deref();
        let first = |name| head.and_then(|h| h.fields.first(name));
        let event = Event {
            time: self.time,
            disposition,
            plan: self.active_plan.digest_text(),
            mode: self.settings().mode,
            route_id: self
                .route
                .and_then(|r| self.active_plan.route(r))
                .map(|(route, _)| route.id.0.as_str()),
            request_id: &self.request_id,
            client: self.client,
            listener: self.info.local,
            scheme: self.scheme(),
            tls: self.secured().map(|secured| Tls {
                version: secured.version,
                cipher: secured.cipher,
                server_name: &secured.server_name,
            }),
            method: head.map(RequestHead::method),
            target: head.map(RequestHead::target),
            host: first("host"),
            version: head.map(|h| h.version.as_str()),
            user_agent: first("user-agent"),
            referer: first("referer"),
            status,
            status_detail: self.status_detail,
            duration: Some(self.elapsed()),
            score: [verdict, self.answer.as_deref()]
                .into_iter()
                .flatten()
                .map(|v| v.score)
                .max()
                .unwrap_or(0),
            findings: &findings,
            not_inspected: &not_inspected,
            trace: self.trace.as_ref().map(|trace| trace.context.ids()),
        };
        let mut line = Vec::new();
        audit::write(&event, self.active_plan.plan().audit_format, &mut line);
        if self.trace.is_some() {
            let action = traced::action(disposition, &findings, event.score);
            self.traced(|trace| trace.action = action);
        }
        Some(line)
    }

    /// Everything that the event names, in the order in which it was found.
    fn findings<'r>(&'r self, verdict: Option<&'r Verdict>) -> Vec<Finding<'r>> {
        let (before, meanwhile) =
            self.violations.split_at_checked(self.before_rules).unwrap_or((&self.violations, &[]));
        let answer = self.answer.as_deref();
        let is_own = |leaf| self.violations.iter().any(|v| v.leaf == leaf);
        let engine = verdict.map(|v| v.violations.as_slice()).unwrap_or_default();
        let engine = engine.iter().filter(|v| !is_own(v.leaf));
        let answered = answer.map(|v| v.violations.as_slice()).unwrap_or_default();
        let mut findings: Vec<Finding<'_>> = self.exceeded.iter().filter_map(Exceeded::finding).collect();
        findings.extend(before.iter().map(of_check));
        findings.extend(verdict.iter().flat_map(|verdict| &verdict.matches).map(of_rule));
        findings.extend(meanwhile.iter().map(of_check));
        findings.extend(engine.map(|v| refusing(v.leaf, "BODY", &v.reason)));
        findings.extend(answer.iter().flat_map(|verdict| &verdict.matches).map(of_rule));
        findings.extend(answered.iter().map(|v| refusing(v.leaf, "RESPONSE_BODY", &v.reason)));
        findings
    }

    /// What no rule looked at, in words.
    fn parts_not_inspected(&self, status: u16, verdict: Option<&Verdict>) -> Vec<Cow<'static, str>> {
        let NotInspected { rest, files, body } = self.not_inspected;
        let mut parts: Vec<Cow<'static, str>> = Vec::new();
        for (bytes, of) in [
            (rest, "bytes of the body"),
            (files, "bytes of file contents"),
            (body, "bytes of a body of a type that is not read"),
        ] {
            if bytes > 0 {
                parts.push(format!("{bytes} {of}").into());
            }
        }
        if verdict.is_some_and(|verdict| verdict.timed_out) {
            parts.push("what came after evaluation_timeout had run out".into());
        }
        if status == 101 {
            parts.push("the connection after its upgrade".into());
        }
        parts
    }
}

/// A match of a rule.
fn of_rule(found: &Match) -> Finding<'_> {
    Finding {
        protection: Protection::Leaf(found.rule.leaf),
        rule: Some(found.rule.id),
        place: Cow::Borrowed(found.place.as_str()),
        name: Cow::Borrowed(found.name.as_ref()),
        view: Some(found.view.as_str()),
        offset: Some(found.offset),
        excerpt: Cow::Borrowed(found.excerpt.as_ref()),
        reason: Cow::Borrowed(found.rule.summary),
        weight: found.weight,
    }
}

/// A violation of a check of the exchange.
fn of_check(violation: &Violation) -> Finding<'_> {
    Finding {
        excerpt: Cow::Borrowed(&violation.excerpt),
        weight: if violation.effect == Effect::Refuses { DECIDES } else { REMARK },
        ..refusing(violation.leaf, violation.place, &violation.reason)
    }
}

/// A violation that refuses by itself.
fn refusing<'r>(leaf: Leaf, place: &'static str, reason: &'r str) -> Finding<'r> {
    Finding {
        protection: Protection::Leaf(leaf),
        rule: None,
        place: Cow::Borrowed(place),
        name: Cow::Borrowed(&[]),
        view: None,
        offset: None,
        excerpt: Cow::Borrowed(&[]),
        reason: Cow::Borrowed(reason),
        weight: DECIDES,
    }
}
