//! The audit event of an exchange, made from its context and its findings.

use std::borrow::Cow;
use std::fmt::Write as _;

use waf_detection::verdict::{Match, Verdict};
use waf_shared::catalog::Leaf;
use waf_shared::plan::RateLimitSource;

use super::context::RequestContext;
use super::findings::{Effect, EventsOf, Exceeded, Findings, NotInspected, Violation};
use super::spans;
use crate::audit::{self, DECIDES, Disposition, Event, EventFinding, Protection, REMARK, Tls};
use crate::head::RequestHead;
use crate::tls::Secured;
use crate::trace::{self, Action};

impl Exceeded {
    /// The finding; none where this request has no event. The key itself is never reported: it may be a secret, and the
    /// event has the address anyway.
    fn finding(&self) -> Option<EventFinding<'_>> {
        let unreported = match self.events {
            EventsOf::Each => 0,
            EventsOf::Window { unreported } => unreported?,
        };
        let (requests, window) = (self.limit.requests, self.limit.window.duration());
        let mut reason = format!("more than {requests} requests in {window:?}");
        if unreported > 0 {
            let _ = write!(reason, "; {unreported} more since the last event of this client");
        }
        let (place, name) = match &self.limit.source {
            RateLimitSource::Ip => ("REMOTE_ADDR", &[][..]),
            RateLimitSource::Header(name) => ("HEADERS", name.as_bytes()),
        };
        Some(EventFinding {
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

/// The end of an exchange, as its event reports it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending<'v> {
    pub(crate) disposition: Disposition,
    /// Status that the client got.
    pub(crate) status: u16,
    /// Addition to the status.
    pub(crate) detail: Option<&'v str>,
    /// Verdict of rules on the request, where it blocks.
    pub(crate) verdict: Option<&'v Verdict>,
}

/// An audit event and what the span of the exchange says of it.
#[derive(Debug)]
pub(super) struct Composed {
    pub(super) line: Vec<u8>,
    pub(super) action: Action,
}

/// The audit event of an exchange; none when nothing was found.
pub(super) fn compose(
    context: &RequestContext,
    findings: &Findings,
    ending: &Ending<'_>,
) -> Option<Composed> {
    let mut found = ordered(findings, ending.verdict);
    audit::deciding_first(&mut found);
    if found.is_empty() {
        return None;
    }
    let parts = parts_not_inspected(findings, ending);
    let not_inspected: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    let head = context.head().map(AsRef::as_ref);
    let first = |name| head.and_then(|head: &RequestHead| head.fields.first(name));
    let verdicts = [ending.verdict, findings.response()].into_iter().flatten();
    let event = Event {
        time: context.time(),
        disposition: ending.disposition,
        plan: context.active_plan.digest_text(),
        mode: context.settings().mode,
        route_id: context.route_id(),
        request_id: context.request_id(),
        client: context.client(),
        listener: context.local(),
        scheme: context.scheme(),
        tls: context.secured().map(tls),
        method: head.map(RequestHead::method),
        target: head.map(RequestHead::target),
        host: first("host"),
        version: head.map(|head| head.version.as_str()),
        user_agent: first("user-agent"),
        referer: first("referer"),
        status: ending.status,
        status_detail: ending.detail,
        duration: Some(context.elapsed()),
        score: verdicts.map(|verdict| verdict.score).max().unwrap_or(0),
        findings: &found,
        not_inspected: &not_inspected,
        trace: context.trace().map(trace::Context::ids),
    };
    let mut line = Vec::new();
    audit::write(&event, context.active_plan.plan().audit_format, &mut line);
    let action = context.trace().map(|_| spans::action(ending.disposition, &found, event.score));
    Some(Composed { line, action: action.unwrap_or_default() })
}

fn tls(secured: &Secured) -> Tls<'_> {
    Tls { version: secured.version, cipher: secured.cipher, server_name: &secured.server_name }
}

/// Names of all protections that the event lists.
pub(super) fn protections(findings: &Findings, verdict: Option<&Verdict>) -> Vec<&'static str> {
    let verdicts = [verdict, findings.response()].into_iter().flatten();
    let leaves = verdicts.fold(findings.leaves(), |all, verdict| all.union(&verdict.leaves()));
    let limit = findings.exceeded().and_then(Exceeded::finding).map(|found| found.protection.name());
    leaves.iter().map(Leaf::name).chain(limit).collect()
}

/// Everything that the event lists, in the order in which it was found.
fn ordered<'f>(findings: &'f Findings, verdict: Option<&'f Verdict>) -> Vec<EventFinding<'f>> {
    let (before, meanwhile) = findings.violations();
    let response = findings.response();
    let engine = verdict.map(|verdict| verdict.violations.as_slice()).unwrap_or_default();
    let engine = engine.iter().filter(|violation| !findings.blames(violation.leaf));
    let of_response = response.map(|verdict| verdict.violations.as_slice()).unwrap_or_default();
    let mut found: Vec<EventFinding<'_>> =
        findings.exceeded().and_then(Exceeded::finding).into_iter().collect();
    found.extend(before.iter().map(of_check));
    found.extend(verdict.iter().flat_map(|verdict| &verdict.matches).map(of_rule));
    found.extend(meanwhile.iter().map(of_check));
    found.extend(engine.map(|violation| refusing(violation.leaf, findings.place(), &violation.reason)));
    found.extend(response.iter().flat_map(|verdict| &verdict.matches).map(of_rule));
    found.extend(of_response.iter().map(|found| refusing(found.leaf, "RESPONSE_BODY", &found.reason)));
    found
}

/// The parts of the exchange that no rule looked at, in words.
fn parts_not_inspected(findings: &Findings, ending: &Ending<'_>) -> Vec<Cow<'static, str>> {
    let NotInspected { rest, files, body } = findings.not_inspected();
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
    if ending.verdict.is_some_and(|verdict| verdict.timed_out) {
        parts.push("what came after evaluation_timeout had run out".into());
    }
    if findings.is_tunnel() {
        parts.push("the connection after its upgrade".into());
    }
    parts
}

/// A match of a rule.
fn of_rule(found: &Match) -> EventFinding<'_> {
    EventFinding {
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
fn of_check(violation: &Violation) -> EventFinding<'_> {
    EventFinding {
        excerpt: Cow::Borrowed(&violation.excerpt),
        weight: if violation.effect == Effect::Refuses { DECIDES } else { REMARK },
        ..refusing(violation.leaf, violation.place, &violation.reason)
    }
}

/// A violation that refuses by itself.
fn refusing<'r>(leaf: Leaf, place: &'static str, reason: &'r str) -> EventFinding<'r> {
    EventFinding {
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

#[cfg(test)]
mod tests {
    use super::super::testing::exchange;
    use super::*;

    fn ending(status: u16) -> Ending<'static> {
        Ending { disposition: Disposition::Detected, status, detail: None, verdict: None }
    }

    #[test]
    fn an_exchange_without_findings_has_no_event() {
        let exchange = exchange(|_, _| {});
        assert!(compose(&exchange.context, &exchange.findings, &ending(200)).is_none());
        assert!(protections(&exchange.findings, None).is_empty());
    }

    #[test]
    fn violations_are_listed_in_their_order_and_named_once() {
        let mut exchange = exchange(|_, _| {});
        let (context, findings) = (&exchange.context, &mut exchange.findings);
        let leaves = [
            Leaf::RequestValidationMaxUrlLength,
            Leaf::RequestValidationAllowedMethods,
            Leaf::RequestValidationMaxBodySize,
        ];
        for (leaf, place) in leaves.into_iter().zip(["TARGET", "METHOD", "BODY"]) {
            let _ = findings.violate(context, leaf, place, "reason");
            let _ = findings.violate(context, leaf, place, "another reason");
            findings.begin_rules();
        }
        let names: Vec<_> = ordered(findings, None).iter().map(|found| found.protection.name()).collect();
        assert_eq!(names, leaves.map(Leaf::name));
        let event = compose(context, findings, &ending(403)).expect("it has an event");
        let text = String::from_utf8_lossy(&event.line).into_owned();
        assert!(text.ends_with('\n') && names.iter().all(|name| text.contains(name)), "{text}");
        let mut named = protections(findings, None);
        named.sort_unstable();
        let mut expected = names;
        expected.sort_unstable();
        assert_eq!(named, expected);
    }

    #[test]
    fn parts_without_inspection_are_named() {
        let mut findings = Findings::default();
        findings.add_not_inspected(NotInspected { rest: 3, files: 0, body: 5 });
        findings.set_tunnel();
        let expected = [
            "3 bytes of the body",
            "5 bytes of a body of a type that is not read",
            "the connection after its upgrade",
        ];
        assert_eq!(parts_not_inspected(&findings, &ending(101)), expected);
        assert!(parts_not_inspected(&Findings::default(), &ending(101)).is_empty());
    }
}
