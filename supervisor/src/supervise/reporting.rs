//! The service as others see it: readiness, metrics, the health and metrics endpoints, the line to a service manager.
//! It knows states and numbers, nothing of how they came about.

use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::watch;
use tracing::warn;
use waf_compiler::Diagnostic;
use waf_shared::metrics::Degraded;
use waf_shared::plan::Digest;

use super::endpoints::Endpoints;
use crate::candidate::Candidate;
use crate::counters::Counters;
use crate::metrics::Metrics;
use crate::notify::Notifier;
use crate::readiness::{HealthStatus, NotReady, Readiness};

/// Readiness, metrics and endpoints.
pub(super) struct Reporting {
    pub(super) endpoints: Endpoints,
    pub(super) metrics: Arc<Metrics>,
    pub(super) counters: Arc<Counters>,
    pub(super) notifier: Notifier,
    readiness: Readiness,
    status: watch::Sender<HealthStatus>,
}

impl Reporting {
    pub(super) fn new(counters: Arc<Counters>, notifier: Notifier) -> Self {
        let status = HealthStatus {
            ready: Err(NotReady::Starting),
            plan: None,
            rolled_back: None,
            missing: Arc::default(),
        };
        Self {
            endpoints: Endpoints::default(),
            metrics: Metrics::new(counters.clone()),
            counters,
            notifier,
            readiness: Readiness::default(),
            status: watch::Sender::new(status),
        }
    }

    /// True if no plan has served in every worker yet.
    pub(super) fn is_starting(&self) -> bool {
        self.readiness.is_starting()
    }

    /// Takes the state of the workers; the result is the readiness when it changed.
    pub(super) fn observe(&mut self, is_complete: bool, serving: usize) -> Option<Result<(), NotReady>> {
        self.metrics.serving(serving, is_complete);
        let ready = self.readiness.observe(is_complete, serving);
        let is_changed = |status: &mut HealthStatus| std::mem::replace(&mut status.ready, ready) != ready;
        self.status.send_if_modified(is_changed).then_some(ready)
    }

    /// Not ready from the next [`Reporting::observe`] on, for good.
    pub(super) fn stop(&mut self) {
        self.notifier.stopping();
        self.readiness.stop();
    }

    /// Shows the hosts without a certificate.
    pub(super) fn show_missing(&self, hosts: Vec<String>) {
        self.status.send_modify(|status| status.missing = hosts.into());
    }

    /// Shows a plan that is in force; the result is the plan before it.
    pub(super) fn show_plan(&mut self, candidate: &Candidate) -> Option<Digest> {
        let plan = &candidate.plan;
        let names = |route| plan.exceptions_of(route).map(|exception| exception.name.as_str()).collect();
        let routes = plan.routes.iter().map(|route| (route.id.0.as_str(), names(route))).collect();
        self.metrics.in_force(candidate.digest, &routes, SystemTime::now());
        self.replace_plan(candidate.digest)
    }

    fn replace_plan(&mut self, digest: Digest) -> Option<Digest> {
        let old = self.status.borrow().plan;
        self.status.send_modify(|status| status.plan = Some(digest));
        self.metrics.degrade(Degraded::Configuration, false);
        old
    }

    /// A plan came into force: the one before a change that was rolled back, or a change (`is_reload`), or the first one.
    pub(super) fn arrived(&mut self, has_returned: bool, is_reload: bool, rolled_back: Option<Digest>) {
        self.status.send_modify(|status| status.rolled_back = rolled_back);
        if has_returned {
            self.counters.reloads_rolled_back.add(1);
            self.metrics.degrade(Degraded::Configuration, true);
        } else if is_reload {
            self.counters.reloads.add(1);
        }
    }

    /// A change of the configuration that is not applied.
    pub(super) fn not_applied(&mut self) {
        self.counters.reloads_refused.add(1);
        self.plan_stays();
    }

    /// A change of the configuration that does not pass the policy tests.
    pub(super) fn tests_failed(&mut self) {
        self.counters.reloads_failed_tests.add(1);
        self.plan_stays();
    }

    /// A change of the configuration that would refuse too much of what passes.
    pub(super) fn gate_failed(&mut self) {
        self.counters.reloads_failed_gate.add(1);
        self.plan_stays();
    }

    fn plan_stays(&mut self) {
        self.notifier.reloaded("the last change is not applied; the plan before it serves");
        self.metrics.degrade(Degraded::Configuration, true);
    }

    /// Answers for health on the candidate's socket, or nowhere.
    pub(super) fn open_health(&mut self, candidate: &Candidate) {
        self.endpoints.follow_health(candidate.health.as_ref(), &self.status);
    }

    /// The same, and metrics.
    pub(super) fn open_endpoints(&mut self, candidate: &Candidate) {
        self.open_health(candidate);
        self.endpoints.follow_metrics(candidate.metrics.as_ref(), &self.metrics);
    }

    /// The state for people, in one line.
    pub(super) fn summary(&self) -> String {
        match self.status.borrow().plan {
            Some(plan) => format!("plan {plan} is in force"),
            None => "starting".to_owned(),
        }
    }
}

/// Logs the warnings of a compiled configuration.
pub(super) fn warn_all(warnings: &[Diagnostic]) {
    for warning in warnings {
        warn!(code = warning.code, "{warning}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reporting() -> Reporting {
        Reporting::new(Arc::default(), Notifier::default())
    }

    #[test]
    fn readiness_is_reported_when_it_changes() {
        let mut reporting = reporting();
        assert!(reporting.is_starting());
        assert_eq!(reporting.observe(false, 1), None, "starting as before");
        assert_eq!(reporting.observe(true, 2), Some(Ok(())));
        assert!(!reporting.is_starting());
        assert_eq!(reporting.observe(true, 2), None);
        assert_eq!(reporting.observe(false, 1), None, "one worker of two serves");
        assert_eq!(reporting.observe(false, 0), Some(Err(NotReady::NoWorker)));
        assert_eq!(reporting.observe(true, 2), Some(Ok(())));
        reporting.stop();
        assert_eq!(reporting.observe(true, 2), Some(Err(NotReady::Stopping)));
        assert_eq!(reporting.status.borrow().ready, Err(NotReady::Stopping));
    }

    #[test]
    fn the_summary_names_the_plan_in_force() {
        let mut reporting = reporting();
        assert_eq!(reporting.summary(), "starting");
        let (one, two) = (Digest([1; 32]), Digest([2; 32]));
        assert_eq!(reporting.replace_plan(one), None);
        assert_eq!(reporting.replace_plan(two), Some(one));
        assert_eq!(reporting.summary(), format!("plan {two} is in force"));
        reporting.not_applied();
        assert_eq!(reporting.counters.reloads_refused.value(), 1);
        assert_eq!(reporting.summary(), format!("plan {two} is in force"));
        reporting.show_missing(vec!["a.example".into()]);
        assert_eq!(reporting.status.borrow().missing.len(), 1);
    }
}
