//! Toggle lists and injected headers: contradictions, old names, names without effect.

use std::collections::{HashMap, HashSet};

use waf_shared::catalog::{Leaf, LeafSet};

use super::sections::{global_of, routes_of};
use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::names::Protection;
use crate::raw::{self, Document};
use crate::read::At;
use crate::resolve::{Resolved, global_lists, route_lists};
use crate::toggles::{Lists, effective, effective_of};

/// Faults and remarks of each section by itself.
pub(super) fn check(document: &Document, sink: &mut Sink) {
    let global = global_of(document).map(|global| (&global.place, global_lists(global)));
    let routes = routes_of(document).map(|route| (&route.place, route_lists(route)));
    for (place, lists) in global.into_iter().chain(routes) {
        contradictions(place, &lists, sink);
        for (name, list) in [("enable", lists.enable), ("disable", lists.disable)] {
            for entry in list {
                old_name(&format!("{place}.{name}"), entry, sink);
            }
        }
        for entry in lists.disable {
            always_on(place, entry, sink);
        }
    }
}

fn contradictions(place: &str, lists: &Lists<'_>, sink: &mut Sink) {
    let mut enabled: HashMap<&str, u32> = HashMap::new();
    for entry in lists.enable {
        enabled.entry(entry.value.name).or_insert(entry.line);
    }
    for entry in lists.disable {
        if let Some(line) = enabled.remove(entry.value.name) {
            let name = quoted(entry.value.name);
            let message = format!("{name} is listed in both {place}.enable and {place}.disable");
            sink.error(code::CONTRADICTION, entry.line.max(line), message);
        }
    }
}

/// A name that stands for nothing that could be disabled.
fn always_on(place: &str, entry: &At<Protection>, sink: &mut Sink) {
    let Some(reason) = reason_to_stay(entry.value.leaves) else { return };
    let name = quoted(entry.value.name);
    sink.warning(code::NO_EFFECT, entry.line, format!("{place}.disable: {name} has no effect: {reason}"));
}

/// The reason why none of `leaves` can be disabled; `None` if one can be.
fn reason_to_stay(leaves: LeafSet) -> Option<&'static str> {
    let reasons: Option<Vec<&str>> = leaves.iter().map(Leaf::always_on).collect();
    reasons.and_then(|reasons| reasons.first().copied())
}

/// A name that was replaced.
pub(super) fn old_name(place: &str, entry: &At<Protection>, sink: &mut Sink) {
    if let Some(old) = entry.value.old_name {
        let message = format!("{place}: {} is now called {}", quoted(old), quoted(entry.value.name));
        sink.warning(code::OLD_NAME, entry.line, message);
    }
}

/// Entries that change nothing, so that all of them can be deleted together and everything stays as it is.
pub(super) fn check_effect(document: &Document, resolved: &Resolved, sink: &mut Sink) {
    let none = raw::Global::default();
    let global = global_of(document).unwrap_or(&none);
    let shared = global_lists(global);
    let routes: Vec<&raw::Route> = routes_of(document).collect();
    // Many routes say the same, or nothing.
    let mut said = HashSet::new();
    let listed: Vec<Lists<'_>> =
        routes.iter().map(|route| route_lists(route)).filter(|lists| said.insert(names_in(lists))).collect();
    let mut idle = Idle::default();
    idle.look(&global.place, shared, sink, |idle| {
        let with_routes = listed.iter().map(|lists| idle.holds(&[shared, *lists]));
        std::iter::once(idle.holds(&[shared])).chain(with_routes).collect::<Vec<_>>()
    });
    for route in &routes {
        let lists = route_lists(route);
        idle.look(&route.place, lists, sink, |idle| idle.holds(&[shared, lists]));
    }
    injected(global, &routes, resolved, sink);
}

fn names_in(lists: &Lists<'_>) -> [Vec<&'static str>; 3] {
    let names = |list: &[At<Protection>]| list.iter().map(|entry| entry.value.name).collect();
    let skipped = lists.skipped.iter().map(|entry| entry.value.0.name()).collect();
    [names(lists.enable), names(lists.disable), skipped]
}

/// Entries that were found to change nothing, by where they lie.
#[derive(Default)]
struct Idle(HashSet<*const At<Protection>>);

impl Idle {
    fn holds(&self, sections: &[Lists<'_>]) -> LeafSet {
        effective_of(sections, &|entry| !self.0.contains(&std::ptr::from_ref(entry)))
    }

    /// Reports the entries of `lists` without which `outcome` stays the same, the broad names kept rather than the
    /// narrow ones below them, and of equal names the first.
    fn look<T: PartialEq>(
        &mut self,
        place: &str,
        lists: Lists<'_>,
        sink: &mut Sink,
        outcome: impl Fn(&Idle) -> T,
    ) {
        // What is left out changes nothing, so this stays true throughout.
        let before = outcome(self);
        for (list, entries, opposite) in
            [("disable", lists.disable, lists.enable), ("enable", lists.enable, lists.disable)]
        {
            let mut seen = HashSet::new();
            let repeated: Vec<bool> = entries.iter().map(|entry| !seen.insert(entry.value.name)).collect();
            let mut order: Vec<(&At<Protection>, bool)> = entries.iter().zip(repeated).collect();
            // Repetitions first, then leaves before buckets before families, the later of a level before the earlier.
            order.reverse();
            order.sort_by_key(|(entry, repeated)| (!repeated, std::cmp::Reverse(entry.value.level)));
            let contradicted: HashSet<&str> = opposite.iter().map(|entry| entry.value.name).collect();
            for (entry, is_repeated) in order {
                self.0.insert(std::ptr::from_ref(entry));
                if !is_repeated && outcome(self) != before {
                    self.0.remove(&std::ptr::from_ref(entry));
                } else if list == "disable" && reason_to_stay(entry.value.leaves).is_some() {
                    // That is reported with its reason already.
                } else if !contradicted.contains(entry.value.name) {
                    let name = quoted(entry.value.name);
                    sink.warning(
                        code::NO_EFFECT,
                        entry.line,
                        format!("{place}.{list}: {name} has no effect"),
                    );
                }
            }
        }
    }
}

/// Values for headers that are not added.
fn injected(global: &raw::Global, routes: &[&raw::Route], resolved: &Resolved, sink: &mut Sink) {
    let off = |headers: Option<&At<raw::ResponseHeaders>>, on: &dyn Fn(Leaf) -> bool, sink: &mut Sink| {
        let Some(headers) = headers.map(|at| &at.value) else { return };
        for (key, _) in headers.inject.iter().flat_map(|at| &at.value.0) {
            let leaf = key.value.0;
            if !on(leaf) {
                let message = format!(
                    "{}.inject: {} is off, so its value does nothing; name it in `enable`",
                    headers.place,
                    quoted(leaf.name())
                );
                sink.warning(code::NO_EFFECT, key.line, message);
            }
        }
    };
    let anywhere = |leaf: Leaf| {
        resolved.global.leaves.contains(leaf)
            || resolved.routes.iter().any(|route| route.plan.settings.leaves.contains(leaf))
    };
    off(global.response_headers.as_ref(), &anywhere, sink);
    for route in routes {
        let holds = effective(&[global_lists(global), route_lists(route)]);
        off(route.response_headers.as_ref(), &|leaf| holds.contains(leaf), sink);
    }
}
