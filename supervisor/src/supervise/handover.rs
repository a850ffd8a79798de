//! An upgrade as the loop sees it, from either side: who is in charge, a successor that gets ready, and the moment at which
//! one supervisor lets go and the other one takes over.

use std::sync::Arc;

use tokio::sync::mpsc;
use tracing::{error, info, warn};

use super::{Origins, SuperviseError, Supervisor};
use crate::audit::Baton;
use crate::counts::Registry;
use crate::notify::Notifier;
use crate::sockets::Sockets;
use crate::tls::keeper::Keeper;
use crate::tls::tickets;
use crate::upgrade::board::Phase;
use crate::upgrade::estate::Bequest;
use crate::upgrade::predecessor::{Predecessor, Word};
use crate::upgrade::successor::{Fate, Successor};
use crate::wake::Wake;

/// Who answers for the service.
#[derive(Debug)]
pub(super) enum Charge {
    /// This process.
    Ours,
    /// An older one, until this one serves.
    Predecessors(Predecessor),
    /// A newer one: this one finishes.
    Successors,
}

/// What a supervisor begins with.
pub(super) struct Beginning {
    pub(super) charge: Charge,
    pub(super) sockets: Sockets,
    pub(super) counts: Registry,
    pub(super) tickets: Option<tickets::Estate>,
    pub(super) baton: Arc<Baton>,
    pub(super) notifier: Notifier,
}

impl Beginning {
    /// With what others prepared, and anew where they did not.
    pub(super) fn of(origins: Origins, wake: &mpsc::Sender<Wake>) -> Result<Beginning, SuperviseError> {
        let Origins { sockets: activated, predecessor, notifier } = origins;
        let (mut sockets, mut counts) = (Sockets::default(), Registry::default());
        sockets.adopt(activated);
        let (charge, tickets, baton) = match predecessor {
            None => (Charge::Ours, None, Baton::create().map_err(SuperviseError::Audit)?),
            Some((predecessor, estate)) => {
                predecessor.listen(wake.clone()).map_err(SuperviseError::Line)?;
                sockets.adopt(estate.sockets);
                if let Some((memory, laid_out)) = estate.counts {
                    counts.inherit(memory, &laid_out)?;
                }
                (Charge::Predecessors(predecessor), estate.tickets, estate.baton)
            }
        };
        Ok(Beginning { charge, sockets, counts, tickets, baton: Arc::new(baton), notifier })
    }
}

impl Charge {
    pub(super) fn is_ours(&self) -> bool {
        matches!(self, Charge::Ours)
    }
}

impl Supervisor {
    /// Starts the program that lies on disk now, unless something speaks against it.
    pub(super) fn upgrade(&mut self) {
        let refusal = match &self.charge {
            Charge::Successors => Some("this process has handed over already"),
            Charge::Predecessors(_) => Some("this process is itself still taking over from another"),
            Charge::Ours if self.stopping => Some("the service is stopping"),
            Charge::Ours if self.successor.is_some() => Some("an upgrade is under way already"),
            Charge::Ours if self.readiness.is_starting() => Some("the service is still starting"),
            Charge::Ours if std::process::id() == 1 => {
                Some("this is process 1 of its container, which ends with it: replace the container instead")
            }
            Charge::Ours => None,
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
        let bequest = Bequest {
            sockets: &sockets,
            counts: self.counts.bequeath(),
            tickets: self.keeper.as_ref().and_then(Keeper::bequeath),
            baton: &self.baton,
        };
        let (program, patience) = (&self.settings.program, self.settings.upgrade_patience);
        match Successor::start(program, &bequest, patience, self.wake.clone()) {
            Ok(successor) => {
                let process = successor.process();
                info!(process, program = %program.path.display(), "upgrading: a new process gets ready");
                self.board.change(|posted| {
                    posted.phase = Phase::Upgrading;
                    posted.asked += 1;
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
        self.board.change(|posted| {
            if posted.phase == Phase::Upgrading {
                posted.phase = Phase::Serving;
            } else {
                posted.asked += 1;
            }
            posted.why = Some(why);
        });
    }

    /// What came of the new process.
    pub(super) fn fate(&mut self, process: u32, fate: Fate) {
        // One that was given up may have had a last word under way.
        let Some(successor) = self.successor.take_if(|successor| successor.process() == process) else {
            return;
        };
        let why = match fate {
            Fate::Ready => {
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
            Fate::Failed(why) => why,
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

    /// The new one serves and knows that it is in charge: from here on everything is its own.
    fn hand_over(&mut self, process: u32) {
        info!(process, "handed over: finishing what is in flight");
        self.endpoints.retire();
        self.counts.own(false);
        // Orders for certificates end here, and their lock is let go.
        self.keeper = None;
        self.charge = Charge::Successors;
        self.board.change(|posted| {
            posted.phase = Phase::Replaced;
            posted.successor = Some(process);
            posted.why = None;
        });
        self.wind_down();
    }

    /// Every worker serves for the first time: that is said to whoever waits for it.
    pub(super) fn serves(&mut self) {
        // Before the word of it: the old process stops to answer probes when it hears.
        self.open_endpoints();
        match &self.charge {
            Charge::Ours => self.take_charge(),
            Charge::Successors => {}
            Charge::Predecessors(predecessor) => {
                if let Err(error) = predecessor.ready() {
                    warn!(%error, "the old process does not hear that this one serves");
                }
            }
        }
    }

    /// The old process has let go, or is gone.
    pub(super) fn predecessor(&mut self, word: Word) {
        if !matches!(self.charge, Charge::Predecessors(_)) {
            return;
        }
        match word {
            Word::Go => info!("took over from the old process"),
            Word::Gone => warn!("the old process is gone without a word: this one takes over"),
        }
        self.charge = Charge::Ours;
        self.counts.own(true);
        self.notifier.speak();
        self.open_endpoints();
        if !self.readiness.is_starting() {
            self.take_charge();
        }
    }

    fn take_charge(&mut self) {
        if !self.stopping {
            self.board.change(|posted| {
                // Workers that all came back during an upgrade change nothing about it.
                if posted.phase == Phase::Starting {
                    posted.phase = Phase::Serving;
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
