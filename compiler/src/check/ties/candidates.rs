//! An index of patterns of equal rank and equal literal front: for a pattern it finds the earlier ones that may share a
//! request with it, without a look at all of them. Patterns are compared by the literals at positions that both have,
//! counted from either end, and routes by their hosts; the shorter list of the two is walked.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use waf_shared::plan::{HostPattern, Segment};

use crate::pattern::PathText;
use crate::resolve::Route;

/// Shapes of one group that are indexed; patterns of further shapes are candidates for every pattern.
const SHAPES_MAX: usize = 64;

/// The positions of a pattern's literals: from the front up to the first wildcard of any length, and from the back.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Shape {
    /// True if each segment is a literal, from the front.
    front: Vec<bool>,
    /// The same from the back.
    back: Vec<bool>,
    /// Number of segments; `None` with a wildcard of any length.
    length: Option<usize>,
}

impl Shape {
    fn of(pattern: &PathText) -> Shape {
        let is_bounded = |segment: &&Segment| !matches!(segment, Segment::AnyNumber);
        let is_literal = |segment: &Segment| matches!(segment, Segment::Literal(_));
        let segments = &pattern.segments;
        let front: Vec<bool> = segments.iter().take_while(is_bounded).map(is_literal).collect();
        let back = segments.iter().rev().take_while(is_bounded).map(is_literal).collect();
        let length = (front.len() == segments.len()).then_some(front.len());
        Shape { front, back, length }
    }

    fn fits(&self, other: &Shape) -> bool {
        self.length.is_none() || other.length.is_none() || self.length == other.length
    }

    /// The literals of `pattern`, which has this shape, at the positions at which `other` has literals too.
    fn key<'a>(&self, other: &Shape, pattern: &'a PathText) -> Vec<&'a str> {
        let both = |(own, other): (&bool, &bool)| *own && *other;
        let front = self.front.iter().zip(&other.front).map(both);
        let back = self.back.iter().zip(&other.back).map(both);
        let texts = |(segment, is_common): (&'a Segment, bool)| match segment {
            Segment::Literal(text) if is_common => Some(text.as_str()),
            _ => None,
        };
        let front = pattern.segments.iter().zip(front).filter_map(texts);
        front.chain(pattern.segments.iter().rev().zip(back).filter_map(texts)).collect()
    }
}

/// A key of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum HostKey<'a> {
    /// Any host.
    Any,
    /// This host.
    Exact(&'a str),
    /// Subdomains of a domain, by the wildcard itself.
    Wildcard(&'a str),
    /// Every host and wildcard below a domain, with its wildcard.
    Below(&'a str),
}

/// Patterns of a group, in the order of the file.
#[derive(Default)]
pub(super) struct Group<'a> {
    all: Vec<(&'a Route, &'a PathText)>,
    /// Their indices.
    everything: Vec<usize>,
    same: HashMap<&'a [Segment], Vec<usize>>,
    shapes: Vec<Shape>,
    /// By the shape of the pattern, the shape that it is compared with, and the key of both.
    paths: HashMap<(usize, usize, Vec<&'a str>), Vec<usize>>,
    /// Patterns of shapes that are not indexed.
    other_shapes: Vec<usize>,
    hosts: HashMap<HostKey<'a>, Vec<usize>>,
}

impl<'a> Group<'a> {
    /// Routes of earlier patterns that are the same, in the order of the file.
    pub(super) fn same(&self, pattern: &'a PathText) -> impl Iterator<Item = &'a Route> {
        let same = self.same.get(pattern.segments.as_slice()).into_iter().flatten();
        same.filter_map(|at| self.all.get(*at).map(|(route, _)| *route))
    }

    /// Earlier patterns that may share a request with this one, in the order of the file.
    pub(super) fn candidates(
        &self,
        pattern: &'a PathText,
        hosts: &'a [HostPattern],
    ) -> impl Iterator<Item = (&'a Route, &'a PathText)> {
        let by_path = self.by_path(pattern);
        let by_host = self.by_host(hosts);
        let total = |lists: &[&[usize]]| lists.iter().map(|list| list.len()).sum::<usize>();
        let lists = match by_host {
            Some(by_host) if total(&by_host) < total(&by_path) => by_host,
            _ => by_path,
        };
        Merged::new(lists).filter_map(|at| self.all.get(at).copied())
    }

    fn by_path(&self, pattern: &'a PathText) -> Vec<&[usize]> {
        let own = Shape::of(pattern);
        let Some(number) = self.shapes.iter().position(|shape| *shape == own) else {
            // The first of its shape: every pattern is compared once.
            return vec![&self.everything];
        };
        let fitting = self.shapes.iter().enumerate().filter(|(_, shape)| shape.fits(&own));
        let lists =
            fitting.filter_map(|(other, shape)| self.paths.get(&(other, number, own.key(shape, pattern))));
        lists.chain([&self.other_shapes]).map(Vec::as_slice).collect()
    }

    /// `None` for a route of any host: every route is a candidate.
    fn by_host(&self, hosts: &'a [HostPattern]) -> Option<Vec<&[usize]>> {
        if hosts.is_empty() {
            return None;
        }
        let mut keys = vec![HostKey::Any];
        for host in hosts {
            match host {
                HostPattern::Exact(name) => {
                    keys.push(HostKey::Exact(name));
                    keys.extend(domains(name).map(HostKey::Wildcard));
                }
                HostPattern::Subdomains(domain) => {
                    keys.push(HostKey::Below(domain));
                    keys.extend(domains(domain).map(HostKey::Wildcard));
                }
            }
        }
        Some(keys.iter().filter_map(|key| self.hosts.get(key)).map(Vec::as_slice).collect())
    }

    /// Adds a pattern behind all others.
    pub(super) fn add(&mut self, route: &'a Route, pattern: &'a PathText) {
        let at = self.all.len();
        self.all.push((route, pattern));
        self.everything.push(at);
        self.same.entry(&pattern.segments).or_default().push(at);
        self.add_path(at, pattern);
        self.add_hosts(at, &route.plan.hosts);
    }

    fn add_path(&mut self, at: usize, pattern: &'a PathText) {
        let own = Shape::of(pattern);
        let known = self.shapes.iter().position(|shape| *shape == own);
        if known.is_none() && self.shapes.len() >= SHAPES_MAX {
            self.other_shapes.push(at);
            return;
        }
        let number = known.unwrap_or_else(|| self.add_shape(own.clone()));
        for (other, shape) in self.shapes.iter().enumerate().filter(|(_, shape)| shape.fits(&own)) {
            self.paths.entry((number, other, own.key(shape, pattern))).or_default().push(at);
        }
    }

    /// Numbers a shape, and files the earlier patterns by what they have in common with it.
    fn add_shape(&mut self, new: Shape) -> usize {
        let number = self.shapes.len();
        // The pattern that brought the shape is filed by its caller.
        for (at, (_, pattern)) in self.all.iter().enumerate().take(self.all.len().saturating_sub(1)) {
            let shape = Shape::of(pattern);
            let known = self.shapes.iter().position(|other| *other == shape);
            if let Some(known) = known.filter(|_| shape.fits(&new)) {
                self.paths.entry((known, number, shape.key(&new, pattern))).or_default().push(at);
            }
        }
        self.shapes.push(new);
        number
    }

    fn add_hosts(&mut self, at: usize, hosts: &'a [HostPattern]) {
        let mut keys = Vec::new();
        for host in hosts {
            match host {
                HostPattern::Exact(name) => {
                    keys.push(HostKey::Exact(name));
                    keys.extend(domains(name).map(HostKey::Below));
                }
                HostPattern::Subdomains(domain) => {
                    keys.extend([HostKey::Wildcard(domain), HostKey::Below(domain)]);
                    keys.extend(domains(domain).map(HostKey::Below));
                }
            }
        }
        if keys.is_empty() {
            keys.push(HostKey::Any);
        }
        for key in keys {
            let list = self.hosts.entry(key).or_default();
            if list.last() != Some(&at) {
                list.push(at);
            }
        }
    }
}

/// The domains above a name, each with its leading dot as wildcards have it: `.example.com` and `.com` for
/// `www.example.com`, `.com` for `.example.com`.
fn domains(name: &str) -> impl Iterator<Item = &str> {
    name.char_indices().skip(1).filter(|(_, c)| *c == '.').filter_map(|(at, _)| name.get(at..))
}

/// Sorted lists as one, each number once.
struct Merged<'l> {
    heads: BinaryHeap<Reverse<(usize, usize)>>,
    lists: Vec<std::slice::Iter<'l, usize>>,
    last: Option<usize>,
}

impl<'l> Merged<'l> {
    fn new(lists: Vec<&'l [usize]>) -> Self {
        let mut merged = Merged { heads: BinaryHeap::new(), lists: Vec::new(), last: None };
        for list in lists {
            merged.lists.push(list.iter());
            merged.advance(merged.lists.len() - 1);
        }
        merged
    }

    fn advance(&mut self, list: usize) {
        let next = self.lists.get_mut(list).and_then(Iterator::next);
        self.heads.extend(next.map(|number| Reverse((*number, list))));
    }
}

impl Iterator for Merged<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let Reverse((number, list)) = self.heads.pop()?;
            self.advance(list);
            if self.last.replace(number) != Some(number) {
                return Some(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Word;

    fn pattern(text: &str) -> PathText {
        PathText::parse(text).unwrap_or_else(|_| panic!("{text} is a pattern"))
    }

    #[test]
    fn lists_are_merged_in_order_and_without_repetition() {
        let lists: Vec<&[usize]> = vec![&[1, 4, 6], &[], &[0, 4], &[6, 7]];
        assert_eq!(Merged::new(lists).collect::<Vec<_>>(), [0, 1, 4, 6, 7]);
    }

    #[test]
    fn domains_of_names_and_wildcards() {
        assert_eq!(domains("www.example.com").collect::<Vec<_>>(), [".example.com", ".com"]);
        assert_eq!(domains(".example.com").collect::<Vec<_>>(), [".com"]);
        assert_eq!(domains("localhost").count(), 0);
    }

    /// Keys are a filter: patterns that overlap never differ in them.
    #[test]
    fn patterns_that_overlap_have_the_same_key() {
        let texts = [
            "/*/a",
            "/*/b",
            "/*/a/*",
            "/*/*/a",
            "/*/a/b",
            "/**/a",
            "/**/a/b",
            "/**/a/*",
            "/*/**/a",
            "/*/**/b/**",
            "/*/b/**/a",
            "/*/a/**",
            "/**",
            "/*",
            "/**/a/**/b",
            "/*/x/*/a",
            "/*/y/*/a",
            "/*/x/**/a",
        ];
        let patterns: Vec<PathText> = texts.into_iter().map(pattern).collect();
        for a in &patterns {
            for b in &patterns {
                let (of_a, of_b) = (Shape::of(a), Shape::of(b));
                let agree = of_a.fits(&of_b) && of_a.key(&of_b, a) == of_b.key(&of_a, b);
                assert!(agree || !a.overlaps(b), "{} and {}", a.text, b.text);
            }
        }
        let differ = |a: &str, b: &str| {
            let (a, b) = (pattern(a), pattern(b));
            Shape::of(&a).key(&Shape::of(&b), &a) != Shape::of(&b).key(&Shape::of(&a), &b)
        };
        assert!(differ("/*/r1/*/z", "/*/r2/*/z") && differ("/**/r1/z", "/**/r2/z"));
        assert!(differ("/*/r1/**", "/*/r2/*/z"));
    }

    /// Routes of every combination of a few hosts and patterns, in an order that mixes them.
    fn routes() -> crate::Compiled {
        let hosts =
            ["a.example", "b.example", "'*.example'", "'*.a.example'", "x.a.example", "'*.b.example'"];
        let paths =
            ["/*/a", "/*/b", "/*/*/a", "/*/a/*", "/*/x/*/a", "/*/y/*/a", "/*/**/a", "/*/a/**/b", "/*/x/**/a"];
        let mut text = String::from("version: v1alpha1\nroutes:\n");
        let count = hosts.len() * paths.len();
        for number in 0..count {
            // 7 and the count have no common divisor.
            let at = number * 7 % count;
            let (host, path) = (hosts[at % hosts.len()], paths[at / hosts.len()]);
            let second = if at.is_multiple_of(5) { ", c.example" } else { "" };
            text.extend([
                format!("  - id: r{number}\n    upstream: http://a\n"),
                format!("    match: {{hosts: [{host}{second}], paths: ['{path}']}}\n"),
            ]);
        }
        let options = crate::Options { host_checks: false, ..crate::Options::default() };
        let compiled = crate::compile_text("waf.yaml", &text, std::path::Path::new("/"), &options);
        compiled.unwrap_or_else(|found| panic!("{found:?}"))
    }

    #[test]
    fn every_earlier_pattern_that_shares_a_request_is_a_candidate_in_order() {
        let compiled = routes();
        let mut group = Group::default();
        for (number, route) in compiled.resolved.routes.iter().enumerate() {
            let (pattern, hosts) = (&route.patterns[0].value, &route.plan.hosts);
            let found: Vec<&str> =
                group.candidates(pattern, hosts).map(|(other, _)| other.plan.id.0.as_str()).collect();
            let earlier = compiled.resolved.routes.iter().take(number);
            let shared = earlier.filter(|other| {
                other.patterns[0].value.overlaps(pattern)
                    && super::super::share_host(&other.plan.hosts, hosts)
            });
            let mut rest = found.iter();
            for other in shared {
                let id = other.plan.id.0.as_str();
                assert!(rest.any(|found| *found == id), "{id} for r{number}: {found:?}");
            }
            group.add(route, pattern);
        }
    }
}
