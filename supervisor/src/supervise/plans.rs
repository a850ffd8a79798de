//! Plans on their way into force: found in the files, prepared with sockets and certificates, proposed, and what the rollout
//! made of them.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;
use tracing::{error, info, warn};
use waf_compiler::{Compiled, Diagnostic, Severity};
use waf_shared::metrics::Degraded;
use waf_shared::plan::Digest;

use super::{ACTIVATE, SuperviseError, Supervisor};
use crate::candidate::{Candidate, CandidateError};
use crate::changes;
use crate::event::Event;
use crate::rollout::{PlanId, RolloutEvent};
use crate::source::Found;
use waf_certificates::manager::{ManagerBusy, Wanted};

/// Folder for bodies, in `data_dir`.
const SPOOL_FOLDER: &str = "spool";

/// At the start, for a port in use to become free, and between two tries.
const PORT_PATIENCE: Duration = Duration::from_secs(1);
const PORT_PAUSE: Duration = Duration::from_millis(10);

impl Supervisor {
    /// Has the files looked at, whether or not they changed.
    pub(super) fn reload(&mut self) {
        self.notifier.reloading();
        match &self.force {
            Some(force) if !self.stopping => force.notify_one(),
            _ => {
                info!("there is nothing to reload");
                let standing = self.standing();
                self.notifier.reloaded(&standing);
            }
        }
    }

    pub(super) fn found(&mut self, found: Found) {
        match found {
            _ if self.stopping => {}
            // A new supervisor reads the same file; if it comes to nothing, this is what is in the file.
            _ if self.successor.is_some() => self.deferred = Some(found),
            Found::Compiled { compiled, began } => {
                self.notifier.reloading();
                warn_all(&compiled.warnings);
                let digest = compiled.digest;
                if let Some(Err(error)) = self.prepare_certificates(compiled, began) {
                    self.refuse(digest, &error);
                }
            }
            Found::Invalid(diagnostics) => {
                self.not_applied();
                for diagnostic in &diagnostics {
                    match diagnostic.severity {
                        Severity::Error => error!(code = diagnostic.code, "{diagnostic}"),
                        Severity::Warning => warn!(code = diagnostic.code, "{diagnostic}"),
                    }
                }
                error!("the new configuration is not valid; the old plan serves on");
            }
            Found::Missing(file) => {
                self.notifier.reloaded("a file of the configuration is missing; the plan serves on");
                warn!(file = %file.display(), "a file of the configuration is missing; the old plan serves on");
            }
        }
    }

    /// Everything that a plan needs beside sockets is there.
    pub(super) fn certified(&mut self, compiled: Compiled, began: Instant) {
        let digest = compiled.digest;
        if !self.stopping
            && let Err(error) = self.propose(compiled, began)
        {
            self.refuse(digest, &error);
        }
    }

    /// Requests the certificates of a plan. None after a successor took over.
    fn prepare_certificates(
        &self,
        compiled: Box<Compiled>,
        began: Instant,
    ) -> Option<Result<(), ManagerBusy>> {
        let wanted = Wanted::by(&compiled.plan);
        self.manager.as_ref().map(|manager| manager.prepare(wanted, Event::Certified(compiled, began)))
    }

    pub(super) fn refuse(&mut self, new: Digest, error: &dyn std::error::Error) {
        self.not_applied();
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
        self.propose(compiled, began)
    }

    fn propose(&mut self, compiled: Compiled, began: Instant) -> Result<(), SuperviseError> {
        let (sockets, counts) = (&mut self.sockets, &mut self.counts);
        let candidate = Candidate::prepare(compiled, sockets, counts, self.settings.ports, began)?;
        if self.ownership.is_ours() && self.machine.current().is_none() {
            // Liveness is answered while the first plan is still being made ready.
            self.endpoints.follow_health(candidate.health.as_ref(), &self.status);
        }
        self.last_plan += 1;
        let plan = PlanId(self.last_plan);
        self.candidates.insert(plan, candidate);
        self.step(RolloutEvent::Propose(plan));
        Ok(())
    }

    pub(super) fn in_force(&mut self, plan: PlanId) {
        let Some(candidate) = self.candidates.get(&plan) else { return };
        let old = self.status.borrow().plan;
        self.status.send_modify(|status| status.plan = Some(candidate.digest));
        if self.ownership.is_ours() {
            self.endpoints.follow_health(candidate.health.as_ref(), &self.status);
            self.endpoints.follow_metrics(candidate.metrics.as_ref(), &self.metrics);
        }
        self.metrics.in_force(candidate.digest, &candidate.routes, SystemTime::now());
        self.metrics.degrade(Degraded::Configuration, false);
        self.spool.send_replace(candidate.data_dir.join(SPOOL_FOLDER));
        let took_ms = candidate.began.elapsed().as_millis() as u64;
        let port = candidate.traffic.first().map(|socket| socket.port);
        let wanted = Wanted { hosts: candidate.hosts.clone(), data_dir: candidate.data_dir.clone() };
        if let Some(Err(error)) = self.manager.as_ref().map(|manager| manager.in_force(wanted)) {
            warn!(%error, "certificates stay as they are");
        }
        if let Some(old) = old {
            self.counters.reloads.add(1);
            let changed = self.serving.and_then(|serving| self.candidates.get(&serving));
            let changed = changed.map(|before| changes::changes(&before.plan, &candidate.plan).join("; "));
            info!(%old, new = %candidate.digest, changed, took_ms, port, "reloaded");
        } else {
            info!(plan = %candidate.digest, took_ms, port, "started");
        }
        candidate.announce();
        let standing = self.standing();
        self.notifier.reloaded(&standing);
        self.sockets.settle();
        self.counts.settle();
        self.serving = Some(plan);
        // What came before is served nowhere any more once the commits arrive; its sockets are closed with it.
        let current = self.candidates.split_off(&plan);
        let replaced = std::mem::replace(&mut self.candidates, current);
        // Except for their counts: a worker that has not got its commit yet goes on counting in them.
        let counts: Vec<_> = replaced.into_values().filter_map(|candidate| candidate.counts).collect();
        if !counts.is_empty() {
            tokio::spawn(async move {
                tokio::time::sleep(ACTIVATE).await;
                drop(counts);
            });
        }
    }

    pub(super) fn refused(&mut self, plan: PlanId, why: String) {
        let Some(candidate) = self.candidates.remove(&plan) else { return };
        if self.machine.current().is_none() {
            self.end = Some(Err(SuperviseError::Refused(why)));
            return;
        }
        self.not_applied();
        let took_ms = candidate.began.elapsed().as_millis() as u64;
        error!(new = %candidate.digest, why, took_ms, "the new plan is not applied; the old plan serves on");
    }

    /// A change of the configuration came to nothing.
    fn not_applied(&mut self) {
        self.notifier.reloaded("the last change is not applied; the plan before it serves");
        self.counters.reloads_refused.add(1);
        self.metrics.degrade(Degraded::Configuration, true);
    }
}

pub(super) fn warn_all(warnings: &[Diagnostic]) {
    for warning in warnings {
        warn!(code = warning.code, "{warning}");
    }
}
