//! An upgrade as the loop sees it, from either side: who is in ownership, a successor that gets ready, and the moment at which
//! one supervisor lets go and the other one takes over.

use std::sync::Arc;

use tokio::sync::mpsc;
use tracing::{error, info, warn};

use super::{Inherited, SuperviseError, Supervisor};
use crate::audit::WriterLock;
use crate::event::Event;
use crate::notify::Notifier;
use crate::rate_limit_memory::RateLimitRegistry;
use crate::sockets::Sockets;
use crate::upgrade::handover::HandoverSource;
use crate::upgrade::predecessor::{Predecessor, PredecessorMessage};
use crate::upgrade::status::Phase;
use crate::upgrade::successor::{Outcome, Successor};
use waf_certificates::manager::CertificateManager;
use waf_certificates::tickets::TicketHandover;

/// Who answers for the service.
#[derive(Debug)]
pub(super) enum Ownership {
    /// This process.
    Ours,
    /// An older one, until this one serves.
    Predecessors(Predecessor),
    /// A newer one: this one finishes.
    Successors,
}

/// What a supervisor begins with.
pub(super) struct Beginning {
    pub(super) ownership: Ownership,
    pub(super) sockets: Sockets,
    pub(super) counts: RateLimitRegistry,
    pub(super) tickets: Option<TicketHandover>,
    pub(super) writer_lock: Arc<WriterLock>,
    pub(super) notifier: Notifier,
}

impl Beginning {
    /// With what others prepared, and anew where they did not.
    pub(super) fn of(origins: Inherited, events: &mpsc::Sender<Event>) -> Result<Beginning, SuperviseError> {
        let Inherited { sockets: activated, predecessor, notifier } = origins;
        let (mut sockets, mut counts) = (Sockets::default(), RateLimitRegistry::default());
        sockets.adopt(activated);
        let (ownership, tickets, writer_lock) = match predecessor {
            None => (Ownership::Ours, None, WriterLock::create().map_err(SuperviseError::Audit)?),
            Some((predecessor, handover)) => {
                predecessor.listen(events.clone()).map_err(SuperviseError::Line)?;
                sockets.adopt(handover.sockets);
                if let Some((memory, laid_out)) = handover.counts {
                    counts.inherit(memory, &laid_out)?;
                }
                (Ownership::Predecessors(predecessor), handover.tickets, handover.writer_lock)
            }
        };
        Ok(Beginning { ownership, sockets, counts, tickets, writer_lock: Arc::new(writer_lock), notifier })
    }
}

impl Ownership {
    pub(super) fn is_ours(&self) -> bool {
        matches!(self, Ownership::Ours)
    }
}

impl Supervisor {
    /// Starts the program that lies on disk now, unless something speaks against it.
    pub(super) fn upgrade(&mut self) {
        let refusal = match &self.ownership {
            Ownership::Successors => Some("this process has handed over already"),
            Ownership::Predecessors(_) => Some("this process is itself still taking over from another"),
            Ownership::Ours if self.stopping => Some("the service is stopping"),
            Ownership::Ours if self.successor.is_some() => Some("an upgrade is under way already"),
            Ownership::Ours if self.readiness.is_starting() => Some("the service is still starting"),
            Ownership::Ours if std::process::id() == 1 => {
                Some("this is process 1 of its container, which ends with it: replace the container instead")
            }
            Ownership::Ours => None,
        };
        if let Some(why) = refusal {
            warn!(why, "no upgrade");
            // One that is under way goes on, and says by itself how it ends.
            if self.successor.is_none() {
                self.not_upgraded(why.to_owned());
            }
            return;
        }
        let sockets = self.sockets.all();
        let source = HandoverSource {
            sockets: &sockets,
            counts: self.counts.bequeath(),
            tickets: self.manager.as_ref().and_then(CertificateManager::bequeath),
            writer_lock: &self.writer_lock,
        };
        let (program, patience) = (&self.settings.program, self.settings.upgrade_patience);
        match Successor::start(program, &source, patience, self.events.clone()) {
            Ok(successor) => {
                let process = successor.process();
                info!(process, program = %program.path.display(), "upgrading: a new process gets ready");
                self.upgrade_status.change(|report| {
                    report.phase = Phase::Upgrading;
                    report.asked += 1;
                });
                self.successor = Some(successor);
            }
            Err(error) => {
                error!(%error, "not upgraded: this process serves on");
                self.not_upgraded(error.to_string());
            }
        }
    }

    fn not_upgraded(&mut self, why: String) {
        self.upgrade_status.change(|report| {
            if report.phase == Phase::Upgrading {
                report.phase = Phase::Serving;
            } else {
                report.asked += 1;
            }
            report.why = Some(why);
        });
    }

    /// What came of the new process.
    pub(super) fn outcome(&mut self, process: u32, outcome: Outcome) {
        // One that was given up may have had a last word under way.
        let Some(successor) = self.successor.take_if(|successor| successor.process() == process) else {
            return;
        };
        let why = match outcome {
            Outcome::Ready => {
                // In this order: a service manager hears nobody but the process that it was told of.
                self.notifier.hand_over(process);
                match successor.let_go() {
                    Ok(()) => return self.hand_over(process),
                    Err(error) => {
                        self.notifier.speak();
                        format!("it ended when it was ready: {error}")
                    }
                }
            }
            Outcome::Failed(why) => why,
        };
        error!(
            process,
            why, "not upgraded: this process serves on; what the new one said stands beside this line"
        );
        self.not_upgraded(format!("new process {process}: {why}"));
        if let Some(found) = self.deferred.take() {
            self.found(found);
        }
    }

    /// The new one serves and knows that it is in ownership: from here on everything is its own.
    fn hand_over(&mut self, process: u32) {
        info!(process, "handed over: finishing what is in flight");
        self.endpoints.retire();
        self.counts.own(false);
        // Orders for certificates end here, and their lock is let go.
        self.manager = None;
        self.ownership = Ownership::Successors;
        self.upgrade_status.change(|report| {
            report.phase = Phase::Replaced;
            report.successor = Some(process);
            report.why = None;
        });
        self.wind_down();
    }

    /// Every worker serves for the first time: that is said to whoever waits for it.
    pub(super) fn serves(&mut self) {
        // Before the word of it: the old process stops to answer probes when it hears.
        self.open_endpoints();
        match &self.ownership {
            Ownership::Ours => self.take_charge(),
            Ownership::Successors => {}
            Ownership::Predecessors(predecessor) => {
                if let Err(error) = predecessor.ready() {
                    warn!(%error, "the old process does not hear that this one serves");
                }
            }
        }
    }

    /// The old process has let go, or is gone.
    pub(super) fn predecessor(&mut self, word: PredecessorMessage) {
        if !matches!(self.ownership, Ownership::Predecessors(_)) {
            return;
        }
        match word {
            PredecessorMessage::Go => info!("took over from the old process"),
            PredecessorMessage::Gone => warn!("the old process is gone without a word: this one takes over"),
        }
        self.ownership = Ownership::Ours;
        self.counts.own(true);
        self.notifier.speak();
        self.open_endpoints();
        if !self.readiness.is_starting() {
            self.take_charge();
        }
    }

    fn take_charge(&mut self) {
        if !self.stopping {
            self.upgrade_status.change(|report| {
                // Workers that all came back during an upgrade change nothing about it.
                if report.phase == Phase::Starting {
                    report.phase = Phase::Serving;
                }
            });
            self.notifier.ready(&self.standing());
        }
    }

    fn open_endpoints(&mut self) {
        let Some(candidate) = self.serving.and_then(|plan| self.candidates.get(&plan)) else { return };
        self.endpoints.follow_health(candidate.health.as_ref(), &self.status);
        self.endpoints.follow_metrics(candidate.metrics.as_ref(), &self.metrics);
    }

    /// For people, in one line.
    pub(super) fn standing(&self) -> String {
        match self.status.borrow().plan {
            Some(plan) => format!("plan {plan} is in force"),
            None => "starting".to_owned(),
        }
    }
}
