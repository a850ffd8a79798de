//! Ties between routes, and routes and paths that can never be chosen. Patterns of equal rank that share a path begin
//! with the same literal segments, so only those are compared.

use std::collections::HashMap;

use waf_shared::plan::{HostPattern, Segment};

use crate::code;
use crate::diagnostic::{Sink, quoted};
use crate::pattern::{PathText, Rank};
use crate::read::At;
use crate::resolve::{Resolved, Route};

/// What is known of one pattern beside the earlier ones.
enum Standing<'a> {
    /// Chosen for some request, as far as can be seen.
    Free,
    /// An earlier route takes part of its requests.
    Tied(&'a Route),
    /// An earlier route takes all of them.
    Shadowed(&'a Route),
    /// It stands in the same route already.
    Repeated,
}

type Rivals<'a> = HashMap<(Rank, Vec<&'a str>), Group<'a>>;

pub(super) fn check(resolved: &Resolved, sink: &mut Sink) {
    let mut rivals: Rivals<'_> = HashMap::new();
    for route in &resolved.routes {
        let standings: Vec<(&At<PathText>, Standing<'_>)> =
            route.patterns.iter().map(|pattern| (pattern, standing(route, pattern, &mut rivals))).collect();
        let all_shadowed = standings
            .iter()
            .all(|(_, standing)| matches!(standing, Standing::Shadowed(_) | Standing::Repeated));
        if all_shadowed && let Some(by) = standings.iter().find_map(|(_, standing)| standing.shadow()) {
            let line = standings.first().map_or(route.line, |(pattern, _)| pattern.line);
            let message = format!(
                "route {} can never match: route {} stands before it with the same paths and hosts",
                quoted(&route.plan.id.0),
                quoted(&by.plan.id.0)
            );
            sink.warning(code::NEVER_MATCHES, line, message);
            continue;
        }
        for (pattern, standing) in &standings {
            report(route, pattern, standing, sink);
        }
    }
}

impl<'a> Standing<'a> {
    fn shadow(&self) -> Option<&'a Route> {
        match self {
            Standing::Shadowed(by) => Some(by),
            _ => None,
        }
    }
}

fn standing<'a>(route: &'a Route, pattern: &'a At<PathText>, rivals: &mut Rivals<'a>) -> Standing<'a> {
    let pattern = &pattern.value;
    let group = rivals.entry((pattern.rank, pattern.literals())).or_default();
    let keys = Keys::of(route, pattern);
    let mut found = Standing::Free;
    for (other, rival) in group.candidates(&keys) {
        let same = rival.segments == pattern.segments;
        if std::ptr::eq(other, route) {
            if same {
                found = Standing::Repeated;
                break;
            }
            continue;
        }
        if same && covers(&other.plan.hosts, &route.plan.hosts) {
            found = Standing::Shadowed(other);
            break;
        }
        if matches!(found, Standing::Free)
            && share_host(&other.plan.hosts, &route.plan.hosts)
            && rival.overlaps(pattern)
        {
            found = Standing::Tied(other);
        }
    }
    group.add(route, pattern, &keys);
    found
}

/// A part of a pattern or of a route's hosts, as the index of a [`Group`] sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part<'a> {
    /// This text.
    Is(&'a str),
    /// A wildcard, or no restriction.
    Wild,
    /// Either: every pattern is found under it.
    Whatever,
}

/// What two patterns of a group must agree on to share a request: the last segment, and a host.
struct Keys<'a> {
    last: Part<'a>,
    hosts: Vec<Part<'a>>,
}

impl<'a> Keys<'a> {
    fn of(route: &'a Route, pattern: &'a PathText) -> Keys<'a> {
        let last = match pattern.segments.last() {
            Some(Segment::Literal(text)) => Part::Is(text),
            _ => Part::Wild,
        };
        let part = |host: &'a HostPattern| match host {
            HostPattern::Exact(name) => Part::Is(name),
            HostPattern::Subdomains(_) => Part::Wild,
        };
        let mut hosts: Vec<Part<'_>> = route.plan.hosts.iter().map(part).collect();
        if hosts.is_empty() || hosts.contains(&Part::Wild) {
            hosts = vec![Part::Wild];
        }
        Keys { last, hosts }
    }
}

/// Patterns of equal rank and equal first segments, found by what else they say literally, so that many hosts with the
/// same paths, or many paths that differ at their end, stay cheap.
#[derive(Default)]
struct Group<'a> {
    all: Vec<(&'a Route, &'a PathText)>,
    index: HashMap<(Part<'a>, Part<'a>), Vec<usize>>,
}

impl<'a> Group<'a> {
    /// Earlier patterns that may share a request with this one, in the order of the file.
    fn candidates(&self, keys: &Keys<'a>) -> Vec<(&'a Route, &'a PathText)> {
        let agreeing = |part: Part<'a>| match part {
            Part::Is(_) => vec![part, Part::Wild],
            Part::Wild | Part::Whatever => vec![Part::Whatever],
        };
        let mut found: Vec<usize> = Vec::new();
        for last in agreeing(keys.last) {
            for host in keys.hosts.iter().flat_map(|host| agreeing(*host)) {
                found.extend(self.index.get(&(last, host)).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(|at| self.all.get(at).copied()).collect()
    }

    fn add(&mut self, route: &'a Route, pattern: &'a PathText, keys: &Keys<'a>) {
        for last in [keys.last, Part::Whatever] {
            for host in keys.hosts.iter().copied().chain([Part::Whatever]) {
                self.index.entry((last, host)).or_default().push(self.all.len());
            }
        }
        self.all.push((route, pattern));
    }
}

fn report(route: &Route, pattern: &At<PathText>, standing: &Standing<'_>, sink: &mut Sink) {
    let id = quoted(&route.plan.id.0);
    let path = match pattern.value.text.as_str() {
        "" => "every path".to_owned(),
        text => quoted(text),
    };
    match standing {
        Standing::Free => {}
        Standing::Repeated => {
            let message = format!("route {id} lists {path} more than once");
            sink.warning(code::NO_EFFECT, pattern.line, message);
        }
        Standing::Tied(other) | Standing::Shadowed(other) => {
            let other = quoted(&other.plan.id.0);
            let message =
                format!("routes {other} and {id} tie on {path}: the earlier one, {other}, is chosen");
            sink.warning(code::TIE, pattern.line, message);
        }
    }
}

/// Whether every host that `later` serves is served by `earlier`; none is any.
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

/// Whether some host is served by both.
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

/// Whether `name` (with its leading dot for a wildcard) ends in `.suffix` below it.
fn is_below(name: &str, suffix: &str) -> bool {
    name.len() > suffix.len() && name.ends_with(suffix)
}
