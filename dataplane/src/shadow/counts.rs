//! Requests that a second plan judges, and counts of its decisions. It knows decisions and names, no plan.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use waf_shared::control::{Decision, ShadowDifference, ShadowReport, ShadowResult, Share};
use waf_shared::limits::SHADOW_DIFFERENCES_MAX;
use waf_shared::metrics::NONE;

use crate::turns::Turns;

/// Counts of one second plan.
#[derive(Debug)]
pub(crate) struct ShadowCounts {
    number: u64,
    turns: Turns,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    results: [u64; ShadowResult::ALL.len()],
    passed: u64,
    refused: u64,
    differences: BTreeMap<(String, &'static str, Decision), u64>,
}

/// Decisions of both plans about one request.
#[derive(Debug)]
pub(crate) struct Compared<'c> {
    pub(crate) route: Option<&'c str>,
    pub(crate) in_force: Decision,
    pub(crate) shadow: Decision,
    /// Rules of the stricter decision.
    pub(crate) rules: &'c [&'static str],
}

impl ShadowCounts {
    /// Counts of the plan with this number, which judges this share.
    pub(crate) fn new(number: u64, share: Share) -> ShadowCounts {
        ShadowCounts { number, turns: Turns::new(share), counts: Mutex::default() }
    }

    /// Turns of the requests.
    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Counts a request for which only one plan, or none, has decided.
    pub(crate) fn count(&self, result: ShadowResult) {
        self.lock().add(result);
    }

    /// Counts a request for which both plans have decided; true if they differ.
    pub(crate) fn compare(&self, compared: &Compared<'_>) -> bool {
        let Compared { route, in_force, shadow, rules } = *compared;
        let mut counts = self.lock();
        if in_force != Decision::Blocked {
            counts.passed += 1;
            counts.refused += u64::from(shadow == Decision::Blocked);
        }
        if in_force == shadow {
            counts.add(ShadowResult::Same);
            return false;
        }
        counts.add(ShadowResult::Different);
        for rule in if rules.is_empty() { &[NONE] } else { rules } {
            counts.differ(route.unwrap_or(NONE), rule, shadow);
        }
        true
    }

    /// The counts since the last time; none when nothing was counted.
    pub(crate) fn take_report(&self) -> Option<ShadowReport> {
        let Counts { results, passed, refused, differences } = mem::take(&mut *self.lock());
        if results.iter().all(|count| *count == 0) {
            return None;
        }
        let differences = differences.into_iter().map(|((route, rule, decision), requests)| {
            ShadowDifference { route, rule: rule.to_owned(), decision, requests }
        });
        let differences = differences.collect();
        Some(ShadowReport { number: self.number, results, passed, refused, differences })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn add(&mut self, result: ShadowResult) {
        if let Some(count) = self.results.get_mut(result as usize) {
            *count += 1;
        }
    }

    fn differ(&mut self, route: &str, rule: &'static str, decision: Decision) {
        let is_full = self.differences.len() >= SHADOW_DIFFERENCES_MAX;
        let key = (route.to_owned(), rule, decision);
        let key = if is_full && !self.differences.contains_key(&key) {
            (NONE.to_owned(), NONE, decision)
        } else {
            key
        };
        *self.differences.entry(key).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shadow(share: u32) -> ShadowCounts {
        ShadowCounts::new(1, Share(share))
    }

    #[test]
    fn decisions_are_counted_by_route_and_rule() {
        let shadow = shadow(1_000_000);
        let compare = |in_force, other, rules: &[&'static str]| {
            shadow.compare(&Compared { route: Some("shop"), in_force, shadow: other, rules })
        };
        assert!(!compare(Decision::Allowed, Decision::Allowed, &[]));
        assert!(!compare(Decision::Blocked, Decision::Blocked, &["a"]));
        assert!(compare(Decision::Allowed, Decision::Blocked, &["a", "b"]));
        assert!(compare(Decision::Detected, Decision::Blocked, &["a"]));
        assert!(compare(Decision::Blocked, Decision::Allowed, &[]));
        shadow.count(ShadowResult::Error);
        let report = shadow.take_report().expect("something was counted");
        assert_eq!((report.number, report.results), (1, [2, 3, 0, 1]));
        assert_eq!((report.passed, report.refused), (3, 2));
        let difference = |rule: &str, decision, requests| ShadowDifference {
            route: "shop".to_owned(),
            rule: rule.to_owned(),
            decision,
            requests,
        };
        let expected = [
            difference("-", Decision::Allowed, 1),
            difference("a", Decision::Blocked, 2),
            difference("b", Decision::Blocked, 1),
        ];
        assert_eq!(report.differences, expected);
        assert_eq!(shadow.take_report(), None, "nothing is reported twice");
    }

    #[test]
    fn kinds_of_differences_are_bounded() {
        let shadow = shadow(1_000_000);
        for n in 0..2 * SHADOW_DIFFERENCES_MAX {
            let route = n.to_string();
            let (in_force, other) = (Decision::Allowed, Decision::Blocked);
            shadow.compare(&Compared { route: Some(&route), in_force, shadow: other, rules: &["a"] });
        }
        let report = shadow.take_report().expect("something was counted");
        assert_eq!(report.differences.len(), SHADOW_DIFFERENCES_MAX + 1);
        assert_eq!(report.differences.iter().map(|one| one.requests).sum::<u64>(), report.refused);
    }
}
