//! Toggle lists and injected headers: contradictions, old names, names without effect, and what is not detected yet.

use std::collections::HashMap;
use std::sync::LazyLock;

use waf_shared::catalog::{Leaf, LeafSet, resolve};

use super::{global_of, routes_of};
use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::names::Protection;
use crate::raw::{self, Document};
use crate::read::At;
use crate::resolve::{Resolved, global_lists, route_lists};
use crate::toggles::{Lists, effective, effective_without};

/// What the program detects or enforces today; everything else in the catalog is accepted and does nothing yet.
pub(crate) const BUILT: &[&str] = &[
    "sql-injection",
    "cross-site-scripting",
    "command-injection",
    "local-file-access",
    "php-injection",
    "ldap-injection",
    "mail-protocol-injection",
    "outbound-request-forgery",
    "remote-file-fetch",
    "scanner-detection",
    "request-validation",
    "json-parsing",
    "response-headers",
    "java-injection",
    "javascript",
    "ruby-injection",
    "perl-injection-system-calls",
    "template-injection",
    "data-uri-abuse",
    "resource-limits",
    "file-upload-limits",
    "xml-parsing",
    "http-compliance",
    "http-attacks",
    "session-fixation",
    "file-upload-attacks",
    "sql-data-leakage",
    "php-data-leakage",
    "java-data-leakage",
    "ruby-data-leakage",
    "iis-data-leakage",
    "server-data-leakage",
    "web-shell-detection",
    "response-inspection",
    "http2",
    "openapi",
];

static BUILT_LEAVES: LazyLock<LeafSet> = LazyLock::new(|| {
    let sets = BUILT.iter().filter_map(|name| resolve(name)).map(|(_, leaves)| leaves);
    sets.fold(LeafSet::EMPTY, |all, leaves| all.union(&leaves))
});

/// Whether the program acts on `leaf` today.
pub(crate) fn is_built(leaf: Leaf) -> bool {
    BUILT_LEAVES.contains(leaf)
}

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
        for entry in lists.enable {
            if entry.value.leaves.intersection(&BUILT_LEAVES).is_empty() {
                let name = quoted(entry.value.name);
                let message = format!("{place}.enable: {name} is accepted, not enforced yet");
                sink.warning(code::NOT_ENFORCED, entry.line, message);
            }
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
            let message = format!("{name} stands in both {place}.enable and {place}.disable");
            sink.error(code::CONTRADICTION, entry.line.max(line), message);
        }
    }
}

fn old_name(place: &str, entry: &At<Protection>, sink: &mut Sink) {
    if let Some(old) = entry.value.old_name {
        let message = format!("{place}: {} is now called {}", quoted(old), quoted(entry.value.name));
        sink.warning(code::OLD_NAME, entry.line, message);
    }
}

/// Entries that change nothing.
pub(super) fn check_effect(document: &Document, resolved: &Resolved, sink: &mut Sink) {
    let none = raw::Global::default();
    let global = global_of(document).unwrap_or(&none);
    let shared = global_lists(global);
    let routes: Vec<&raw::Route> = routes_of(document).collect();
    for (name, list) in [("disable", shared.disable), ("enable", shared.enable)] {
        for entry in list {
            let changes =
                |sections: &[Lists<'_>]| effective_without(sections, Some(entry)) != effective(sections);
            let matters =
                changes(&[shared]) || routes.iter().any(|route| changes(&[shared, route_lists(route)]));
            if !matters {
                report(&global.place, name, entry, sink);
            }
        }
    }
    for route in &routes {
        let lists = route_lists(route);
        let sections = [shared, lists];
        let holds = effective(&sections);
        for (name, list) in [("disable", lists.disable), ("enable", lists.enable)] {
            for entry in list {
                if effective_without(&sections, Some(entry)) == holds {
                    report(&route.place, name, entry, sink);
                }
            }
        }
    }
    injected(global, &routes, resolved, sink);
}

fn report(place: &str, list: &str, entry: &At<Protection>, sink: &mut Sink) {
    let message = format!("{place}.{list}: {} has no effect", quoted(entry.value.name));
    sink.warning(code::NO_EFFECT, entry.line, message);
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
