//! Ties between routes, and routes and paths that can never be chosen. Patterns of equal rank that share a path begin
//! with the same literal segments, so only those are compared, and of those the ones that [`candidates`] finds.

mod candidates;

use std::collections::HashMap;

use waf_shared::plan::HostPattern;

use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::pattern::{PathText, Rank};
use crate::read::At;
use crate::resolve::{Resolved, Route};
use candidates::Group;

/// Relation of one pattern to the earlier ones.
enum Overlap<'a> {
    /// Chosen for some request, as far as can be seen.
    Free,
    /// An earlier route takes part of its requests.
    Tied(&'a Route),
    /// An earlier route takes all of them.
    Shadowed(&'a Route),
    /// The same route lists it already.
    Repeated,
}

/// Earlier patterns by rank and literal front.
type Rivals<'a> = HashMap<(Rank, Vec<&'a str>), Group<'a>>;

pub(super) fn check(resolved: &Resolved, sink: &mut Sink) {
    let mut rivals: Rivals<'_> = HashMap::new();
    for route in &resolved.routes {
        let overlaps: Vec<(&At<PathText>, Overlap<'_>)> =
            route.patterns.iter().map(|pattern| (pattern, overlap(route, pattern, &mut rivals))).collect();
        let all_shadowed =
            overlaps.iter().all(|(_, overlap)| matches!(overlap, Overlap::Shadowed(_) | Overlap::Repeated));
        if all_shadowed && let Some(by) = overlaps.iter().find_map(|(_, overlap)| overlap.shadow()) {
            let line = overlaps.first().map_or(route.line, |(pattern, _)| pattern.line);
            let message = format!(
                "route {} can never match: route {} stands before it with the same paths and hosts",
                quoted(&route.plan.id.0),
                quoted(&by.plan.id.0)
            );
            sink.warning(code::NEVER_MATCHES, line, message);
            continue;
        }
        for (pattern, overlap) in &overlaps {
            report(route, pattern, overlap, sink);
        }
    }
}

impl<'a> Overlap<'a> {
    fn shadow(&self) -> Option<&'a Route> {
        match self {
            Overlap::Shadowed(by) => Some(by),
            _ => None,
        }
    }
}

fn overlap<'a>(route: &'a Route, pattern: &'a At<PathText>, rivals: &mut Rivals<'a>) -> Overlap<'a> {
    let pattern = &pattern.value;
    let group = rivals.entry((pattern.rank, pattern.literals())).or_default();
    let hosts = &route.plan.hosts;
    let same = group.same(pattern).find_map(|other| match other {
        other if std::ptr::eq(other, route) => Some(Overlap::Repeated),
        other if covers(&other.plan.hosts, hosts) => Some(Overlap::Shadowed(other)),
        _ => None,
    });
    let found = same.unwrap_or_else(|| {
        let ties = |other: &Route, rival: &PathText| {
            !std::ptr::eq(other, route) && share_host(&other.plan.hosts, hosts) && rival.overlaps(pattern)
        };
        let tied = group.candidates(pattern, hosts).find(|(other, rival)| ties(other, rival));
        tied.map_or(Overlap::Free, |(other, _)| Overlap::Tied(other))
    });
    group.add(route, pattern);
    found
}

fn report(route: &Route, pattern: &At<PathText>, overlap: &Overlap<'_>, sink: &mut Sink) {
    let id = quoted(&route.plan.id.0);
    let path = match pattern.value.text.as_str() {
        "" => "every path".to_owned(),
        text => quoted(text),
    };
    match overlap {
        Overlap::Free => {}
        Overlap::Repeated => {
            let message = format!("route {id} lists {path} more than once");
            sink.warning(code::NO_EFFECT, pattern.line, message);
        }
        Overlap::Tied(other) | Overlap::Shadowed(other) => {
            let other = quoted(&other.plan.id.0);
            let message =
                format!("routes {other} and {id} tie on {path}: the earlier one, {other}, is chosen");
            sink.warning(code::TIE, pattern.line, message);
        }
    }
}

/// True if every host that `later` serves is served by `earlier`; none is any.
fn covers(earlier: &[HostPattern], later: &[HostPattern]) -> bool {
    let covered = |host: &HostPattern| {
        earlier.iter().any(|other| match (other, host) {
            (HostPattern::Exact(a), HostPattern::Exact(b)) => a == b,
            (HostPattern::Subdomains(suffix), HostPattern::Exact(name) | HostPattern::Subdomains(name)) => {
                is_below(name, suffix) || other == host
            }
            (HostPattern::Exact(_), HostPattern::Subdomains(_)) => false,
        })
    };
    earlier.is_empty() || (!later.is_empty() && later.iter().all(covered))
}

/// True if some host is served by both.
pub(super) fn share_host(a: &[HostPattern], b: &[HostPattern]) -> bool {
    if a.is_empty() || b.is_empty() {
        return true;
    }
    a.iter().any(|x| {
        b.iter().any(|y| {
            covers(std::slice::from_ref(x), std::slice::from_ref(y))
                || covers(std::slice::from_ref(y), std::slice::from_ref(x))
        })
    })
}

/// True if `name` (with its leading dot for a wildcard) ends in `.suffix` below it.
fn is_below(name: &str, suffix: &str) -> bool {
    name.len() > suffix.len() && name.ends_with(suffix)
}
