//! Sums of what a second plan would have decided differently. It knows names and numbers alone.

use std::collections::BTreeMap;

use waf_shared::control::{Decision, ShadowReport, ShadowResult};
use waf_shared::metrics::NONE;

/// Kinds of differences that are shown apart. Routes and rules are of this program and its configuration; the bound is
/// for a configuration of very many routes.
const KINDS_MAX: usize = 8192;

/// The sums.
#[derive(Debug, Default)]
pub(super) struct ShadowSums {
    /// By [`ShadowResult`].
    results: [u64; ShadowResult::ALL.len()],
    /// By route, rule and decision of the second plan.
    differences: BTreeMap<(String, String, Decision), u64>,
}

impl ShadowSums {
    /// Adds what a worker counted.
    pub(super) fn add(&mut self, report: &ShadowReport) {
        super::add(&mut self.results, &report.results);
        for found in &report.differences {
            let mut key = (found.route.clone(), found.rule.clone(), found.decision);
            if self.differences.len() >= KINDS_MAX && !self.differences.contains_key(&key) {
                key = (NONE.to_owned(), NONE.to_owned(), found.decision);
            }
            let sum = self.differences.entry(key).or_default();
            *sum = sum.saturating_add(found.requests);
        }
    }

    /// Keeps the routes that a plan has, and what has none.
    pub(super) fn keep(&mut self, has: impl Fn(&str) -> bool) {
        self.differences.retain(|(route, ..), _| route == NONE || has(route));
    }

    /// Judged requests by result.
    pub(super) fn results(&self) -> impl Iterator<Item = (&'static str, u64)> {
        ShadowResult::ALL.iter().zip(self.results).map(|((_, text), requests)| (*text, requests))
    }

    /// Requests by route, rule and decision.
    pub(super) fn differences(&self) -> impl Iterator<Item = ([&str; 3], u64)> {
        self.differences.iter().map(|((route, rule, decision), requests)| {
            ([route.as_str(), rule.as_str(), decision.as_str()], *requests)
        })
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::control::ShadowDifference;

    use super::*;

    fn report(route: &str, rule: &str) -> ShadowReport {
        let (route, rule) = (route.to_owned(), rule.to_owned());
        let difference = ShadowDifference { route, rule, decision: Decision::Blocked, requests: 2 };
        ShadowReport { results: [3, 2, 1, 0], differences: vec![difference], ..ShadowReport::default() }
    }

    #[test]
    fn reports_add_up_and_routes_go_with_their_plan() {
        let mut sums = ShadowSums::default();
        for (route, rule) in [("shop", "a"), ("shop", "a"), ("api", "b"), ("-", "-")] {
            sums.add(&report(route, rule));
        }
        let results: Vec<_> = sums.results().collect();
        assert_eq!(results, [("same", 12), ("different", 8), ("unfinished", 4), ("error", 0)]);
        sums.keep(|route| route == "shop");
        let differences: Vec<_> = sums.differences().collect();
        assert_eq!(differences, [(["-", "-", "blocked"], 2), (["shop", "a", "blocked"], 4)]);
    }

    #[test]
    fn kinds_are_bounded() {
        let mut sums = ShadowSums::default();
        for n in 0..2 * KINDS_MAX {
            sums.add(&report("shop", &n.to_string()));
        }
        assert_eq!(sums.differences().count(), KINDS_MAX + 1);
    }
}
