//! A reload that judges requests before it is applied: what it would refuse of what passes now. It knows counts and
//! times, nothing of workers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tokio::time::Instant;
use waf_shared::control::{Decision, ShadowReport, Share};

use crate::candidate::PlanToOffer;

/// Rules that the log names.
const RULES_NAMED: usize = 10;

/// Rules that are counted apart.
const RULES_COUNTED: usize = 8192;

/// A reload in its gate.
pub(super) struct Gate {
    /// Number of the plan that judges.
    pub(super) number: u64,
    pub(super) offered: PlanToOffer,
    /// When the look at the files began.
    pub(super) began: Instant,
    pub(super) until: Instant,
    pub(super) tally: Tally,
}

/// Counts of the workers in the gate.
#[derive(Debug, Default)]
pub(super) struct Tally {
    passed: u64,
    refused: u64,
    /// Refused requests by route and rule.
    by: BTreeMap<(String, String), u64>,
}

impl Tally {
    pub(super) fn add(&mut self, report: &ShadowReport) {
        self.passed = self.passed.saturating_add(report.passed);
        self.refused = self.refused.saturating_add(report.refused);
        for found in report.differences.iter().filter(|found| found.decision == Decision::Blocked) {
            let key = (found.route.clone(), found.rule.clone());
            if self.by.len() < RULES_COUNTED || self.by.contains_key(&key) {
                let sum = self.by.entry(key).or_default();
                *sum = sum.saturating_add(found.requests);
            }
        }
    }

    /// Requests that pass now and were judged.
    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    /// Those of them that would be refused.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// True if more of what passes now would be refused than `share` allows.
    pub(super) fn exceeds(&self, share: Share) -> bool {
        share.is_exceeded(self.refused, self.passed)
    }

    /// Routes and rules that would refuse most, with their shares.
    pub(super) fn summary(&self) -> String {
        let mut rules: Vec<_> = self.by.iter().collect();
        rules.sort_by_key(|(_, requests)| std::cmp::Reverse(**requests));
        let mut text = String::new();
        for ((route, rule), requests) in rules.iter().take(RULES_NAMED) {
            let parted = if text.is_empty() { "" } else { "; " };
            let _ = write!(text, "{parted}route {route}: {rule} {requests} ({})", self.percent(**requests));
        }
        if rules.len() > RULES_NAMED {
            let _ = write!(text, "; {} more", rules.len() - RULES_NAMED);
        }
        text
    }

    /// A part of what passes now, for people.
    pub(super) fn percent(&self, requests: u64) -> String {
        if self.passed == 0 {
            return "0%".to_owned();
        }
        format!("{:.3}%", requests as f64 * 100.0 / self.passed as f64)
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::control::ShadowDifference;

    use super::*;

    fn report(passed: u64, refused: u64, differences: &[(&str, &str, Decision, u64)]) -> ShadowReport {
        let differences = differences.iter().map(|(route, rule, decision, requests)| ShadowDifference {
            route: (*route).to_owned(),
            rule: (*rule).to_owned(),
            decision: *decision,
            requests: *requests,
        });
        ShadowReport { passed, refused, differences: differences.collect(), ..ShadowReport::default() }
    }

    #[test]
    fn reports_of_all_workers_add_up() {
        let mut tally = Tally::default();
        assert!(!tally.exceeds(Share(1_000)), "nothing came");
        tally.add(&report(990, 1, &[("shop", "a", Decision::Blocked, 1)]));
        assert!(tally.exceeds(Share(1_000)));
        tally.add(&report(10, 0, &[("shop", "b", Decision::Allowed, 5)]));
        assert!(!tally.exceeds(Share(1_000)), "one of a thousand is the share");
        tally.add(&report(0, 1, &[("shop", "a", Decision::Blocked, 1), ("api", "c", Decision::Blocked, 1)]));
        assert!(tally.exceeds(Share(1_000)) && !tally.exceeds(Share(2_000)));
        assert_eq!((tally.passed(), tally.refused()), (1_000, 2));
        assert_eq!(tally.summary(), "route shop: a 2 (0.200%); route api: c 1 (0.100%)");
    }

    #[test]
    fn a_summary_is_bounded() {
        let mut tally = Tally::default();
        for n in 0..2 * RULES_COUNTED {
            tally.add(&report(1, 1, &[("shop", &n.to_string(), Decision::Blocked, 1)]));
        }
        assert_eq!(tally.by.len(), RULES_COUNTED);
        let summary = tally.summary();
        assert!(summary.len() < 1_000 && summary.ends_with("; 8182 more"), "{summary}");
    }
}
