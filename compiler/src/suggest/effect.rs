//! Requests that an exception would have spared, derived from the findings of events.

use std::collections::BTreeSet;
use std::sync::Arc;

use waf_detection::exceptions::Exceptions;
use waf_shared::plan::Plan;

use super::event::{Event, Finding};
use super::group::{Group, deciding};

/// Requests that would have had no event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Effect {
    /// With the exception alone.
    pub(super) spared: usize,
    /// Of these, requests of clients that look like attackers.
    pub(super) of_attackers: usize,
    /// Their clients.
    pub(super) clients: usize,
    /// True if the exceptions of the configuration already take the findings away.
    pub(super) is_there: bool,
}

/// The effect of the exception for `group`.
pub(super) fn effect(
    plan: &Plan,
    group: &Group,
    events: &[Event],
    is_attacker: &dyn Fn(&Event) -> bool,
) -> Effect {
    let of_route = || events.iter().filter(|event| event.route == group.route);
    let route = plan.routes.iter().find(|route| route.id.0 == group.route);
    let there = route.and_then(|route| Exceptions::of(plan.exceptions_of(route)).ok().flatten());
    let Some(planned) = group.planned() else { return Effect::default() };
    let new = Exceptions::of([&planned]).ok().flatten();
    let Some(new) = new else { return Effect::default() };
    // Most events have nothing to do with most groups.
    let kind = group.place.split(':').next().unwrap_or_default();
    let concerns = |event: &&Event| {
        event.findings.iter().any(|found| found.place == kind && group.rules.contains_key(found.rule.id))
    };
    let of_group: Vec<&Event> = of_route().filter(concerns).filter(|event| touches(&new, event)).collect();
    let mut effect = Effect::default();
    let mut clients = BTreeSet::new();
    for event in of_group.iter().filter(|event| is_spared(&new, event)) {
        effect.spared += 1;
        effect.of_attackers += usize::from(is_attacker(event));
        clients.insert(event.client.as_str());
    }
    effect.clients = clients.len();
    effect.is_there = there.is_some_and(|there| of_group.iter().all(|event| is_spared(&there, event)))
        && !of_group.is_empty();
    effect
}

/// True if nothing that decides is left of the event.
fn is_spared(exceptions: &Arc<Exceptions>, event: &Event) -> bool {
    let left: Vec<Finding> =
        event.findings.iter().filter(|finding| !takes(exceptions, event, finding)).cloned().collect();
    event.checks.is_empty() && left.len() < event.findings.len() && deciding(&left).is_empty()
}

fn touches(exceptions: &Arc<Exceptions>, event: &Event) -> bool {
    event.findings.iter().any(|finding| takes(exceptions, event, finding))
}

fn takes(exceptions: &Arc<Exceptions>, event: &Event, finding: &Finding) -> bool {
    let place = (finding.place.as_str(), finding.name.as_bytes());
    exceptions.takes(finding.rule, place, (event.method.as_bytes(), event.path.as_bytes()))
}
