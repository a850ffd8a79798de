//! One plan's verdict about one request, with the findings that decided.

use waf_detection::inspection::Inspection;
use waf_detection::recorded::Recorded;
use waf_detection::rule::STRONG;
use waf_detection::verdict::Verdict;
use waf_shared::catalog::Leaf;
use waf_shared::plan::{HostPattern, Listen, Mode, Plan};
use waf_shared::route::{Choice, HostSet};

use super::request::is_method;
use crate::check_request::head;
use crate::inspector::Inspector;

/// The fate of a request, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fate {
    Passes,
    /// It goes to its upstream and has an event (`detect_only`).
    Detected,
    Refused,
}

/// A decisive finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// A rule, the protection of a check, or a reason of routing.
    pub(super) rule: &'static str,
    /// As in events, `ARGS:q`; empty for what concerns the whole message.
    pub(super) place: String,
}

/// A verdict.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) fate: Fate,
    /// Index of the route.
    pub(super) route: Option<usize>,
    pub(super) findings: Vec<Finding>,
}

/// A plan that judges request by request.
pub(super) struct Judge<'p> {
    plan: &'p Plan,
    inspector: &'p Inspector<'p>,
    inspection: Inspection,
    /// Hosts that have certificates; `None` where any host is served.
    hosts: Option<HostSet>,
}

impl<'p> Judge<'p> {
    pub(super) fn new(plan: &'p Plan, inspector: &'p Inspector<'p>) -> Judge<'p> {
        let hosts = match &plan.listen {
            Listen::Tls { hosts } => Some(HostSet::new(hosts)),
            Listen::Plain { .. } => None,
        };
        Judge { plan, inspector, inspection: inspector.inspection(), hosts }
    }

    /// Judges as the service does: the request line, host and route, the settings of the route, the rules.
    pub(super) fn judge(&mut self, request: &Recorded<'_>) -> Judged {
        let refused = |rule| Judged {
            fate: Fate::Refused,
            route: None,
            findings: vec![Finding { rule, place: String::new() }],
        };
        if request.method == b"CONNECT" {
            return refused("connect");
        }
        if !is_well_formed(request) {
            return refused("malformed-request");
        }
        let host = head::host(request);
        if let (Some(hosts), Some(host)) = (&self.hosts, host)
            && !hosts.contains(host)
        {
            return refused("unknown-host");
        }
        let index = match self.inspector.choose(host, request) {
            Choice::Route(index) => index,
            Choice::None => return refused("no-route"),
            Choice::Ambiguous => return refused("ambiguous-path"),
        };
        let Some(route) = self.plan.routes.get(index) else { return refused("no-route") };
        let settings = &route.settings;
        let is_blocking = settings.mode == Mode::Blocking;
        let checks = head::violations(request, settings);
        let mut findings: Vec<Finding> = checks.iter().map(|check| whole_message(check.leaf)).collect();
        // In blocking mode nothing behind the head is evaluated once it is refused.
        if checks.is_empty() || !is_blocking {
            let verdict = self.inspector.judge(&mut self.inspection, (index, settings.leaves), request);
            if verdict.blocks() {
                findings.extend(deciding(verdict));
            }
        }
        let fate = match (findings.is_empty(), is_blocking) {
            (true, _) => Fate::Passes,
            (false, false) => Fate::Detected,
            (false, true) => Fate::Refused,
        };
        Judged { fate, route: Some(index), findings }
    }
}

/// A host that the plan serves, for recordings that name none.
pub(super) fn default_host(plan: &Plan) -> String {
    let named = match &plan.listen {
        Listen::Tls { hosts } => hosts.iter().find(|host| !host.starts_with('*')).cloned(),
        Listen::Plain { .. } => None,
    };
    let routed = || {
        plan.routes.iter().flat_map(|route| &route.hosts).find_map(|host| match host {
            HostPattern::Exact(name) => Some(name.clone()),
            HostPattern::Subdomains(_) => None,
        })
    };
    named.or_else(routed).unwrap_or_else(|| "replay.example".to_owned())
}

/// True for a request line that the service reads (RFC 9112 section 3).
fn is_well_formed(request: &Recorded<'_>) -> bool {
    let target = request.target;
    let has_form = target.starts_with(b"/")
        || (target == b"*" && request.method == b"OPTIONS")
        || [&b"http://"[..], b"https://"]
            .iter()
            .any(|scheme| target.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    has_form
        && is_method(request.method)
        && target.iter().all(|byte| *byte > b' ' && *byte != 0x7f)
        && request.fields.iter().all(|(name, _)| is_method(name))
}

fn whole_message(leaf: Leaf) -> Finding {
    Finding { rule: leaf.name(), place: String::new() }
}

/// Limits that were broken, and the rules of fields whose weights reach the threshold.
fn deciding(verdict: &Verdict) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        verdict.violations.iter().map(|violation| whole_message(violation.leaf)).collect();
    let place = |name: &[u8], place: &str| {
        if name.is_empty() { place.to_owned() } else { format!("{place}:{}", String::from_utf8_lossy(name)) }
    };
    for this in &verdict.matches {
        let of_field =
            verdict.matches.iter().filter(|other| other.place == this.place && other.name == this.name);
        let mut rules: Vec<(&str, u8)> = of_field.map(|found| (found.rule.id, found.rule.weight)).collect();
        rules.sort_unstable();
        rules.dedup();
        if rules.iter().map(|(_, weight)| u32::from(*weight)).sum::<u32>() >= u32::from(STRONG) {
            let finding = Finding { rule: this.rule.id, place: place(&this.name, this.place.as_str()) };
            if !found.contains(&finding) {
                found.push(finding);
            }
        }
    }
    // Of many findings not all are kept: the leaves that fired are known all the same.
    if found.is_empty() {
        found.extend(verdict.leaves().iter().map(whole_message));
    }
    found
}
