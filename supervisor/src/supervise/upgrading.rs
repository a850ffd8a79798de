//! An upgrade as the loop sees it, from either side: a successor that gets ready, and the moment at which
//! one supervisor lets go and the other one takes over.

use tracing::{error, info, warn};

use super::Supervisor;
use super::upgrade_state::Ownership;
use crate::upgrade::handover::HandoverSource;
use crate::upgrade::predecessor::PredecessorMessage;
use crate::upgrade::successor::{Outcome, Successor};

impl Supervisor {
    /// Starts the program that lies on disk now, unless something speaks against it.
    pub(super) fn upgrade(&mut self) {
        let (is_stopping, is_starting) = (self.life.is_stopping(), self.reporting.is_starting());
        let refusal = self.upgrade.refusal(is_stopping, is_starting, std::process::id());
        if let Some(why) = refusal {
            warn!(why, "no upgrade");
            // One that is under way goes on, and says by itself how it ends.
            if !self.upgrade.is_under_way() {
                self.upgrade.fail(why.to_owned());
            }
            return;
        }
        let sockets = self.sockets.all();
        let source = HandoverSource {
            sockets: &sockets,
            counts: self.rate_limits.hand_over(),
            tickets: self.tls.tickets(),
            writer_lock: &self.audit.writer_lock,
        };
        let (program, patience) = (&self.settings.program, self.settings.upgrade_patience);
        match Successor::start(program, &source, patience, self.events.clone()) {
            Ok(successor) => {
                let process = successor.process();
                info!(process, program = %program.path.display(), "upgrading: a new process gets ready");
                self.upgrade.begin(successor);
            }
            Err(error) => {
                error!(%error, "not upgraded: this process serves on");
                self.upgrade.fail(error.to_string());
            }
        }
    }

    /// The new process has reported its outcome, or has ended.
    pub(super) fn outcome(&mut self, process: u32, outcome: Outcome) {
        // One that was given up may have had a last word under way.
        let Some(successor) = self.upgrade.take_successor(process) else {
            return;
        };
        let why = match outcome {
            Outcome::Ready => {
                // In this order: a service manager hears nobody but the process that was named to it.
                self.reporting.notifier.hand_over(process);
                match successor.let_go() {
                    Ok(()) => return self.hand_over(process),
                    Err(error) => {
                        self.reporting.notifier.speak();
                        format!("it ended when it was ready: {error}")
                    }
                }
            }
            Outcome::Failed(why) => why,
        };
        error!(
            process,
            why, "not upgraded: this process serves on; the messages of the new one are beside this line"
        );
        self.upgrade.fail(format!("new process {process}: {why}"));
        if let Some(found) = self.upgrade.take_deferred() {
            self.found(found);
        }
    }

    /// The new one serves and knows that it owns the service: from here on everything is its own.
    fn hand_over(&mut self, process: u32) {
        info!(process, "handed over: finishing what is in flight");
        self.reporting.endpoints.retire();
        self.rate_limits.own(false);
        self.tls.end();
        self.upgrade.hand_over(process);
        self.wind_down();
    }

    /// Every worker serves for the first time: that is said to whoever waits for it.
    pub(super) fn serves(&mut self) {
        // Before the word of it: the old process stops to answer probes when it hears.
        self.open_endpoints();
        match &self.upgrade.ownership {
            Ownership::Ours => self.take_over(),
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
        if !matches!(self.upgrade.ownership, Ownership::Predecessors(_)) {
            return;
        }
        match word {
            PredecessorMessage::Go => info!("took over from the old process"),
            PredecessorMessage::Gone => warn!("the old process is gone without a word: this one takes over"),
        }
        self.upgrade.ownership = Ownership::Ours;
        self.rate_limits.own(true);
        self.reporting.notifier.speak();
        self.open_endpoints();
        if !self.reporting.is_starting() {
            self.take_over();
        }
    }

    fn take_over(&mut self) {
        if !self.life.is_stopping() {
            self.upgrade.serve();
            let summary = self.reporting.summary();
            self.reporting.notifier.ready(&summary);
        }
    }

    fn open_endpoints(&mut self) {
        if let Some(candidate) = self.plans.in_force() {
            self.reporting.open_endpoints(candidate);
        }
    }
}
