//! The second plan: followed in a file of its own, or a reload that passes its gate, handed to every worker, and what they
//! count. While a gate is open, the reload judges in place of the file.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tracing::{error, info, warn};
use waf_compiler::Options;
use waf_shared::control::{ShadowPlan, ShadowReport, Share, ToWorker, encode};
use waf_shared::plan::Digest;

use super::Supervisor;
use super::gate::{Gate, Tally};
use super::reporting::warn_all;
use crate::candidate::PlanToOffer;
use crate::event::Event;
use crate::source::{Source, SourceUpdate};
use crate::workers::{FdPayload, Worker};

/// Updates of the file that wait.
const UPDATES_WAITING: usize = 4;

/// Pause after which an upgrade under way is asked for again.
const UPGRADE_PAUSE: Duration = Duration::from_secs(1);

/// Settings of the second plan and of the gate.
#[derive(Debug, Clone)]
pub struct ShadowSettings {
    /// File to follow, and how it is compiled.
    pub file: Option<(PathBuf, Options)>,
    /// Share of the requests that are judged.
    pub share: Share,
    /// Time that each reload judges before it is applied.
    pub gate: Option<Duration>,
    /// Share of what passes now that a reload may refuse.
    pub gate_share: Share,
}

impl Default for ShadowSettings {
    fn default() -> ShadowSettings {
        ShadowSettings { file: None, share: Share(100_000), gate: None, gate_share: Share(1_000) }
    }
}

/// State of the second plan.
#[derive(Default)]
pub(super) struct ShadowState {
    settings: ShadowSettings,
    last: u64,
    /// The plan of the file, as workers read it.
    followed: Option<Arc<[u8]>>,
    gate: Option<Gate>,
    /// The plan that the gate refused last.
    refused: Option<Digest>,
    /// The plan that is applied without a gate.
    forced: Option<Digest>,
    /// Makes the source of the file look at once.
    look: Option<Arc<Notify>>,
}

impl ShadowState {
    pub(super) fn new(settings: ShadowSettings) -> ShadowState {
        ShadowState { settings, ..ShadowState::default() }
    }

    /// When the open gate is judged.
    pub(super) fn due(&self) -> Option<Instant> {
        self.gate.as_ref().map(|gate| gate.until)
    }

    /// An operator asks for a reload: the plan that the gate refused last is applied if it is still in the file.
    pub(super) fn force(&mut self) {
        self.forced = self.refused.take();
        if let Some(look) = &self.look {
            look.notify_one();
        }
    }

    /// The frame of a plan that judges.
    fn frame(&mut self, digest: Digest, bytes: &[u8]) -> Result<Arc<[u8]>, String> {
        self.last += 1;
        let (number, share) = (self.last, self.settings.share);
        let plan = ShadowPlan { number, digest, plan: bytes.to_vec(), share };
        let frame = encode(&ToWorker::Shadow(Some(plan)), 0).map_err(|error| error.to_string())?;
        Ok(frame.into())
    }
}

impl Supervisor {
    /// Follows the file of the second plan. It is compiled for the first time here: one that is not valid keeps no
    /// service from its start.
    pub(super) fn follow_shadow(&mut self) {
        let Some((file, options)) = self.shadow.settings.file.clone() else { return };
        let look = Arc::new(Notify::new());
        look.notify_one();
        self.shadow.look = Some(look.clone());
        let (updates, mut found) = mpsc::channel(UPDATES_WAITING);
        let events = self.events.clone();
        tokio::spawn(Source::unread(file, options).follow(updates, look));
        tokio::spawn(async move {
            while let Some(update) = found.recv().await {
                if events.send(Event::Shadow(update)).await.is_err() {
                    return;
                }
            }
        });
    }

    /// The file of the second plan was looked at.
    pub(super) fn shadow_found(&mut self, found: SourceUpdate) {
        match found {
            SourceUpdate::Compiled { compiled, .. } => {
                warn_all(&compiled.warnings);
                match self.shadow.frame(compiled.digest, &compiled.bytes) {
                    Ok(frame) => {
                        info!(plan = %compiled.digest, share = %self.shadow.settings.share, "the shadow plan is read");
                        self.shadow.followed = Some(frame);
                        self.show_shadow();
                    }
                    Err(error) => error!(error, "the shadow plan is not used; the one before it judges on"),
                }
            }
            SourceUpdate::Invalid(diagnostics) => {
                for diagnostic in &diagnostics {
                    warn!(code = diagnostic.code, "{diagnostic}");
                }
                error!("the shadow configuration is not valid; the one before it judges on");
            }
            SourceUpdate::Missing(file) => {
                warn!(file = %file.display(), "a file of the shadow configuration is missing; the one before it judges on");
            }
        }
    }

    /// Hands every worker the plan that judges now.
    fn show_shadow(&self) {
        // A gate goes first: its frame was sent when it began.
        if self.shadow.gate.is_some() {
            return;
        }
        let none = || encode(&ToWorker::Shadow(None), 0).map(Arc::<[u8]>::from).ok();
        if let Some(frame) = self.shadow.followed.clone().or_else(none) {
            self.send_shadow(&frame);
        }
    }

    fn send_shadow(&self, frame: &Arc<[u8]>) {
        for (id, worker) in self.fleet.iter() {
            if worker.send(frame.clone(), FdPayload::default()).is_err() {
                warn!(worker = id.0, "a worker does not take the second plan");
            }
        }
    }

    /// Hands a new worker the plan of the file. A gate that is open goes on with the workers that it began with.
    pub(super) fn shadow_of_new(&self, worker: &Worker) {
        if let Some(frame) = &self.shadow.followed {
            // A worker that takes nothing is replaced when it takes no offer either.
            let _ = worker.send(frame.clone(), FdPayload::default());
        }
    }

    /// A worker counted what the second plan decides.
    pub(super) fn shadowed(&mut self, report: &ShadowReport) {
        self.reporting.metrics.shadowed(report);
        if let Some(gate) = self.shadow.gate.as_mut().filter(|gate| gate.number == report.number) {
            gate.tally.add(report);
        }
    }

    /// Opens the gate for a reload. The result is the reload, where it needs none.
    pub(super) fn hold(&mut self, offered: PlanToOffer, began: Instant) -> Option<PlanToOffer> {
        let digest = offered.digest;
        let is_forced = self.shadow.forced.take() == Some(digest) || self.rollback.is_returning(digest);
        let in_force = self.plans.in_force().map(|candidate| candidate.digest);
        let time = self.shadow.settings.gate.filter(|_| !is_forced && in_force.is_some());
        let Some(time) = time.filter(|_| in_force != Some(digest)) else {
            self.close_gate();
            return Some(offered);
        };
        if self.shadow.gate.as_ref().is_some_and(|gate| gate.offered.digest == digest) {
            // The same file was looked at again.
            return None;
        }
        match self.shadow.frame(digest, &offered.bytes) {
            Ok(frame) => self.send_shadow(&frame),
            Err(error) => {
                // What cannot be handed to workers cannot be offered either.
                error!(error, "the new configuration cannot be judged");
                return Some(offered);
            }
        }
        let (new, share) = (digest, self.shadow.settings.share);
        info!(%new, time_s = time.as_secs(), %share, "the new configuration judges requests before it is applied");
        self.reporting.notifier.reloaded("a change judges requests before it is applied; the plan serves on");
        let (number, tally) = (self.shadow.last, Tally::default());
        self.shadow.gate = Some(Gate { number, offered, began, until: Instant::now() + time, tally });
        None
    }

    /// Gives up a reload in its gate: the files say something else by now.
    pub(super) fn close_gate(&mut self) {
        if let Some(gate) = self.shadow.gate.take() {
            info!(new = %gate.offered.digest, "its gate is given up: the files have changed again");
            self.show_shadow();
        }
    }

    /// Judges the reload whose time in the gate is over.
    pub(super) fn judge_gate(&mut self) {
        let is_upgrading = self.upgrade.is_under_way();
        if let Some(gate) = self.shadow.gate.as_mut().filter(|_| is_upgrading) {
            // The new supervisor reads the same file. If it comes to nothing, the gate is judged then.
            gate.until = gate.until.max(Instant::now() + UPGRADE_PAUSE);
            return;
        }
        let Some(gate) = self.shadow.gate.take_if(|gate| gate.until <= Instant::now()) else { return };
        self.show_shadow();
        if self.life.is_stopping() {
            return;
        }
        let Gate { offered, began, tally, .. } = gate;
        let (new, passed, refused) = (offered.digest, tally.passed(), tally.refused());
        let share = self.shadow.settings.gate_share;
        if tally.exceeds(share) {
            self.shadow.refused = Some(new);
            self.reporting.gate_failed();
            error!(
                %new,
                passed,
                refused,
                share = tally.percent(refused),
                allowed = %share,
                by = tally.summary(),
                "the new configuration would refuse too much of what passes now: it is not applied; SIGHUP applies it"
            );
            return;
        }
        info!(%new, passed, refused, share = tally.percent(refused), "the new configuration passes its gate");
        self.reporting.notifier.reloading();
        self.apply(offered, began);
    }
}
