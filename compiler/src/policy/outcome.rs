//! Outcome of one request under a configuration.

use waf_detection::recorded::Recorded;
use waf_shared::catalog::Leaf;
use waf_shared::plan::{Mode, Plan};
use waf_shared::route::Choice;

use crate::check_request::head;
use crate::inspector::Inspector;

/// The fate of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It goes to its upstream without an event.
    Passes,
    /// It goes to its upstream and has an event (`detect_only`).
    Detected,
    Refused,
}

impl Verdict {
    pub(super) fn word(self) -> &'static str {
        match self {
            Verdict::Passes => "passes",
            Verdict::Detected => "detected",
            Verdict::Refused => "refused",
        }
    }
}

/// The verdict with all that tests ask for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) verdict: Verdict,
    /// Of a refusal.
    pub(super) status: Option<u16>,
    pub(super) route: Option<String>,
    /// Ids of rules that were found.
    pub(super) rules: Vec<&'static str>,
    pub(super) leaves: Vec<Leaf>,
}

impl Outcome {
    pub(super) fn of(plan: &Plan, inspector: &Inspector<'_>, request: &Recorded<'_>) -> Outcome {
        let refused = |status| Outcome {
            verdict: Verdict::Refused,
            status: Some(status),
            route: None,
            rules: Vec::new(),
            leaves: Vec::new(),
        };
        if request.target.is_empty() {
            return refused(400);
        }
        let index = match inspector.choose(head::host(request), request) {
            Choice::Route(index) => index,
            Choice::None => return refused(404),
            Choice::Ambiguous => return refused(400),
        };
        let Some(route) = plan.routes.get(index) else { return refused(404) };
        let on_head = head::violations(request, &route.settings).first().map(|violation| violation.leaf);
        let is_blocking = route.settings.mode == Mode::Blocking;
        let verdict = inspector.inspect(index, route.settings.leaves, request).verdict;
        // In blocking mode nothing behind the head is looked at once it is refused.
        let is_over = on_head.is_some() && is_blocking;
        let mut leaves: Vec<Leaf> = on_head.into_iter().collect();
        let mut rules = Vec::new();
        if !is_over {
            leaves.extend(verdict.violations.iter().map(|violation| violation.leaf));
            leaves.extend(verdict.matches.iter().map(|found| found.rule.leaf));
            rules.extend(verdict.matches.iter().map(|found| found.rule.id));
        }
        let is_found = on_head.is_some() || verdict.blocks();
        let first = on_head.or_else(|| verdict.violations.first().map(|violation| violation.leaf));
        Outcome {
            verdict: match (is_found, is_blocking) {
                (false, _) => Verdict::Passes,
                (true, true) => Verdict::Refused,
                (true, false) => Verdict::Detected,
            },
            status: (is_found && is_blocking).then(|| first.map_or(403, |leaf| leaf.row().status)),
            route: Some(route.id.0.clone()),
            rules,
            leaves,
        }
    }
}
