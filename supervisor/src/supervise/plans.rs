//! Plans on their way into force: found in the files, prepared with sockets and certificates, proposed, and what the
//! rollout made of them.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{error, info, warn};
use waf_certificates::manager::Wanted;
use waf_compiler::{Compiled, Severity};
use waf_shared::plan::Digest;

use super::error::SuperviseError;
use super::reporting::warn_all;
use super::rollback::Arrival;
use super::{ACTIVATE, Supervisor};
use crate::candidate::{Candidate, CandidateError, PlanToOffer};
use crate::changes;
use crate::rate_limit_memory::HeldTables;
use crate::rollout::{PlanId, RolloutEvent};
use crate::source::SourceUpdate;

/// Folder for bodies, in `data_dir`.
const SPOOL_FOLDER: &str = "spool";

/// At the start, for a port in use to become free, and between two tries.
const PORT_PATIENCE: Duration = Duration::from_secs(1);
const PORT_PAUSE: Duration = Duration::from_millis(10);

impl Supervisor {
    /// Has the files looked at, whether or not they changed.
    pub(super) fn reload(&mut self) {
        self.reporting.notifier.reloading();
        match &self.force {
            Some(force) if !self.life.is_stopping() => force.notify_one(),
            _ => {
                info!("there is nothing to reload");
                let summary = self.reporting.summary();
                self.reporting.notifier.reloaded(&summary);
            }
        }
    }

    pub(super) fn found(&mut self, found: SourceUpdate) {
        match found {
            _ if self.life.is_stopping() => {}
            // A new supervisor reads the same file; if it comes to nothing, this is what is in the file.
            _ if self.upgrade.is_under_way() => self.upgrade.defer(found),
            SourceUpdate::Compiled { compiled, is_forced: false, .. }
                if self.rollback.was_rolled_back(compiled.digest) =>
            {
                warn!(plan = %compiled.digest, "this configuration was rolled back: only SIGHUP applies it again");
            }
            SourceUpdate::Compiled { compiled, began, .. } => {
                self.reporting.notifier.reloading();
                warn_all(&compiled.warnings);
                self.prepare((*compiled).into(), began);
            }
            SourceUpdate::Invalid(diagnostics) => {
                self.close_gate();
                if diagnostics.iter().any(|found| found.code == waf_compiler::code::POLICY_TEST) {
                    self.reporting.tests_failed();
                } else {
                    self.reporting.not_applied();
                }
                for diagnostic in &diagnostics {
                    match diagnostic.severity {
                        Severity::Error => error!(code = diagnostic.code, "{diagnostic}"),
                        Severity::Warning => warn!(code = diagnostic.code, "{diagnostic}"),
                    }
                }
                error!("the new configuration is not valid; the old plan serves on");
            }
            SourceUpdate::Missing(file) => {
                self.reporting
                    .notifier
                    .reloaded("a file of the configuration is missing; the plan serves on");
                warn!(file = %file.display(), "a file of the configuration is missing; the old plan serves on");
            }
        }
    }

    fn prepare(&mut self, offered: PlanToOffer, began: Instant) {
        let digest = offered.digest;
        if let Err(error) = self.tls.prepare(offered, began) {
            self.refuse(digest, &error);
        }
    }

    /// Looks at how the plan in force does, if it is new, and offers the one before it again if it does badly.
    pub(super) fn watch_plan(&mut self) {
        let now = self.began.elapsed();
        self.rollback.counted(self.reporting.metrics.internal_errors(), now);
        if self.life.is_stopping() || self.upgrade.is_under_way() {
            return;
        }
        let Some(rollback) = self.rollback.look(now) else { return };
        let (plan, previous) = (rollback.plan, rollback.previous);
        error!(
            %plan, previous = %previous.digest, failures = rollback.failures, after_ms = rollback.after.as_millis() as u64,
            "workers die or fail under the new plan: it is rolled back to the one before it; SIGHUP applies the file again"
        );
        self.rollback.returns(previous.digest);
        self.prepare(previous, Instant::now());
    }

    /// Everything that a plan needs beside sockets is there.
    pub(super) fn certified(&mut self, offered: PlanToOffer, began: Instant) {
        if !self.life.is_stopping()
            && let Some(offered) = self.hold(offered, began)
        {
            self.apply(offered, began);
        }
    }

    /// Proposes a reload, or reports why it cannot be.
    pub(super) fn apply(&mut self, offered: PlanToOffer, began: Instant) {
        let digest = offered.digest;
        if let Err(error) = self.propose(offered, began) {
            self.refuse(digest, &error);
        }
    }

    pub(super) fn refuse(&mut self, new: Digest, error: &dyn std::error::Error) {
        self.reporting.not_applied();
        error!(%error, %new, "the new configuration is not applied; the old plan serves on");
    }

    /// At the start a port may still be held by the workers of a supervisor that was killed a moment ago: they let
    /// it go as soon as they notice.
    pub(super) async fn propose_first(
        &mut self,
        compiled: Compiled,
        began: Instant,
    ) -> Result<(), SuperviseError> {
        let patient_until = Instant::now() + PORT_PATIENCE;
        let _bound = loop {
            match Candidate::bind(&compiled.plan, &mut self.sockets, self.settings.ports) {
                Err(CandidateError::Bind(error)) if error.in_use() && Instant::now() < patient_until => {
                    tokio::time::sleep(PORT_PAUSE).await;
                }
                outcome => break outcome?,
            }
        };
        self.propose(compiled.into(), began)
    }

    fn propose(&mut self, offered: PlanToOffer, began: Instant) -> Result<(), SuperviseError> {
        let (sockets, rate_limits) = (&mut self.sockets, &mut self.rate_limits);
        let candidate = Candidate::prepare(offered, sockets, rate_limits, self.settings.ports, began)?;
        if self.upgrade.ownership.is_ours() && self.rollout.current().is_none() {
            // Liveness is answered while the first plan is still being made ready.
            self.reporting.open_health(&candidate);
        }
        let plan = self.plans.add(candidate);
        self.step(RolloutEvent::Propose(plan));
        Ok(())
    }

    pub(super) fn in_force(&mut self, plan: PlanId) {
        if self.plans.get(plan).is_none() {
            return;
        }
        let replaced = self.plans.put_in_force(plan);
        let Some(candidate) = self.plans.in_force() else { return };
        let old = self.reporting.show_plan(candidate);
        if self.upgrade.ownership.is_ours() {
            self.reporting.open_endpoints(candidate);
        }
        self.spool.send_replace(candidate.data_dir.join(SPOOL_FOLDER));
        let wanted = Wanted { hosts: candidate.hosts.clone(), data_dir: candidate.data_dir.clone() };
        if let Err(error) = self.tls.follow(wanted) {
            warn!(%error, "certificates stay as they are");
        }
        let took_ms = candidate.began.elapsed().as_millis() as u64;
        let port = candidate.traffic.first().map(|socket| socket.port);
        let mut before = replaced.into_iter().rfind(|candidate| Some(candidate.digest) == old);
        if let Some(old) = old {
            let changed =
                before.as_ref().map(|before| changes::changes(&before.plan, &candidate.plan).join("; "));
            info!(%old, new = %candidate.digest, changed, took_ms, port, "reloaded");
        } else {
            info!(plan = %candidate.digest, took_ms, port, "started");
        }
        candidate.announce();
        let digest = candidate.digest;
        self.sockets.settle();
        self.rate_limits.settle();
        // What came before is served nowhere any more once the commits arrive; its sockets are closed with it.
        release_counts_later(before.as_mut().and_then(|before| before.counts.take()));
        let arrival =
            self.rollback.in_force(digest, old.zip(before.map(Candidate::into_plan)), self.began.elapsed());
        self.reporting.arrived(arrival == Arrival::Returned, old.is_some(), self.rollback.rolled_back());
        let summary = self.reporting.summary();
        self.reporting.notifier.reloaded(&summary);
    }

    pub(super) fn refused(&mut self, plan: PlanId, why: String) {
        let Some(candidate) = self.plans.remove(plan) else { return };
        if self.rollout.current().is_none() {
            self.life.end(Err(SuperviseError::Refused(why)));
            return;
        }
        self.reporting.not_applied();
        let took_ms = candidate.began.elapsed().as_millis() as u64;
        error!(new = %candidate.digest, why, took_ms, "the new plan is not applied; the old plan serves on");
    }
}

/// Keeps the counts of a replaced plan for a moment: a worker without its commit still counts in them.
fn release_counts_later(counts: Option<HeldTables>) {
    if let Some(counts) = counts {
        tokio::spawn(async move {
            tokio::time::sleep(ACTIVATE).await;
            drop(counts);
        });
    }
}
