//! One audit event, as far as suggestions ask for it.

use waf_detection::rule::Rule;
use waf_shared::catalog::Leaf;

use crate::audit_event::{AuditEvent, Disposition, field};
use crate::names::{RuleId, Word as _};

/// The parts of an event.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) route: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) client: String,
    /// The day, `YYYY-MM-DD` or what stands for it.
    pub(super) day: String,
    /// Status of an upstream that got the request; `None` for a refused one.
    pub(super) answer: Option<u64>,
    /// True if a page of the same host made the request.
    pub(super) is_from_own_page: bool,
    /// Findings of rules.
    pub(super) findings: Vec<Finding>,
    /// Findings of checks that are no rules: no exception takes them away.
    pub(super) checks: Vec<Leaf>,
}

/// A finding of a rule.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) rule: &'static Rule,
    pub(super) place: String,
    pub(super) name: String,
}

impl Event {
    /// The parts of an event; `None` if it is none of a blocked or detected request on a route.
    pub(super) fn of(event: &AuditEvent<'_>) -> Option<Event> {
        let is_blocked = match event.disposition {
            Disposition::Blocked => true,
            Disposition::Detected => false,
            Disposition::Logged => return None,
        };
        let (mut findings, mut checks) = (Vec::new(), Vec::new());
        for found in event.matches() {
            match RuleId::parse(field(found, "rule")) {
                Ok(RuleId(rule)) => findings.push(Finding {
                    rule,
                    place: field(found, "place").to_owned(),
                    name: field(found, "name").to_owned(),
                }),
                Err(_) => checks.extend(Leaf::named(field(found, "protection"))),
            }
        }
        let host = event.host();
        Some(Event {
            route: event.route()?.to_owned(),
            method: event.method().to_owned(),
            path: event.path().to_owned(),
            client: event.client().to_owned(),
            day: event.day(),
            answer: event.status().filter(|_| !is_blocked),
            is_from_own_page: !host.is_empty() && host_of(event.referer()) == Some(host),
            findings,
            checks,
        })
    }
}

/// The host of a URL, without its port.
fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    Some(authority.rsplit_once(':').map_or(authority, |(host, _)| host))
}
