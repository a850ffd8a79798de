//! Paths of two routes that differ by case alone. Paths are compared with regard to case; an upstream that ignores it
//! serves one route's paths to requests that another route has judged.

use std::collections::HashMap;

use super::ties::share_host;
use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::pattern::PathText;
use crate::read::At;
use crate::resolve::{Resolved, Route};

/// Patterns of the same spelling, without regard to case, that one pattern is compared with.
const COMPARED_MAX: usize = 256;

/// A pattern, its route by index, and the literal segments at its front.
struct Entry<'a> {
    index: usize,
    route: &'a Route,
    pattern: &'a At<PathText>,
    literals: Vec<&'a str>,
}

pub(super) fn check(resolved: &Resolved, sink: &mut Sink) {
    let entries: Vec<Entry<'_>> = resolved.routes.iter().enumerate().flat_map(entries).collect();
    let mut known: HashMap<String, Vec<&Entry<'_>>> = HashMap::new();
    for entry in entries.iter().filter(|entry| !entry.literals.is_empty()) {
        known.entry(folded(&entry.literals)).or_default().push(entry);
    }
    for entry in &entries {
        let prefixes = (1..=entry.literals.len()).filter_map(|length| entry.literals.get(..length));
        for prefix in prefixes {
            let others = known.get(&folded(prefix)).into_iter().flatten().take(COMPARED_MAX);
            if let Some(other) = others.copied().find(|other| is_other_case(entry, other, prefix)) {
                report(entry, other, sink);
            }
        }
    }
}

fn entries((index, route): (usize, &Route)) -> impl Iterator<Item = Entry<'_>> {
    route.patterns.iter().map(move |pattern| Entry {
        index,
        route,
        pattern,
        literals: pattern.value.literals(),
    })
}

fn folded(literals: &[&str]) -> String {
    literals.join("/").to_lowercase()
}

/// True if `other` matches what begins with `prefix` when case is ignored, and only then. Of two that match each other
/// so, the later one is reported.
fn is_other_case(entry: &Entry<'_>, other: &Entry<'_>, prefix: &[&str]) -> bool {
    let is_whole = prefix.len() == entry.literals.len();
    let goes_on = other.pattern.value.segments.len() > other.literals.len();
    other.index != entry.index
        && other.literals != prefix
        && (if is_whole { other.index < entry.index } else { goes_on })
        && share_host(&other.route.plan.hosts, &entry.route.plan.hosts)
}

fn report(entry: &Entry<'_>, other: &Entry<'_>, sink: &mut Sink) {
    let message = format!(
        "route {}: an upstream that ignores case takes {} for {} of route {}",
        quoted(&entry.route.plan.id.0),
        quoted(&entry.pattern.value.text),
        quoted(&other.pattern.value.text),
        quoted(&other.route.plan.id.0)
    );
    sink.warning(code::CASE, entry.pattern.line, message);
}
