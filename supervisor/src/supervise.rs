//! The supervisor's one loop: an event comes in, the rollout decides, and its actions are carried out. Everything
//! that can wait or fail slowly lives in tasks that report back; nothing here blocks.

mod actions;
mod beginning;
mod endpoints;
mod error;
mod fleet;
mod gate;
mod lifecycle;
mod plan_store;
mod plans;
mod reporting;
mod rollback;
mod shadow;
mod shutdown;
mod tls;
mod upgrade_state;
mod upgrading;
mod worker_exit;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;
use tracing::{info, warn};
use waf_certificates::acme;
use waf_certificates::manager::{CertificateManager, Wanted};
use waf_certificates::states::States;
use waf_compiler::Compiled;
use waf_shared::control::ToSupervisor;
use waf_shared::limits::PREPARE_SECONDS;

use crate::audit::{self, WriterLock};
use crate::candidate::{Candidate, PlanToOffer};
use crate::counters::Counters;
use crate::event::Event;
use crate::rate_limit_memory::RateLimitRegistry;
use crate::readiness::NotReady;
use crate::rollout::{Patience, Rollout, RolloutEvent};
use crate::signals::Signal;
use crate::sockets::{Sockets, TlsPorts};
use crate::source::Source;
use crate::upgrade::program::Program;
use crate::workers::{self, Worker};
use beginning::Beginning;
pub use beginning::Inherited;
pub use error::SuperviseError;
use fleet::Fleet;
use lifecycle::{Lifecycle, StopRequest};
use plan_store::PlanStore;
use reporting::Reporting;
use rollback::RollbackWatch;
pub use shadow::ShadowSettings;
use shadow::ShadowState;
use tls::Tls;
use upgrade_state::{Ownership, UpgradeState};

/// Events that wait for the loop; senders wait when it is full.
const EVENTS_WAITING: usize = 256;

/// A commit is a pointer store; its answer is not long in coming.
const ACTIVATE: Duration = Duration::from_secs(5);

/// Beyond the drain limit, for a worker to end.
const EXIT: Duration = Duration::from_secs(2);

/// Settings of the service.
#[derive(Debug, Clone)]
pub struct ServiceSettings {
    /// Number of workers.
    pub workers: usize,
    /// Settings of each of them.
    pub worker: workers::WorkerSettings,
    /// Ports of modes 1 and 2.
    pub ports: TlsPorts,
    /// Settings of the certificate authority.
    pub acme: acme::AcmeSettings,
    /// Printed to stderr once the service is ready.
    pub greeting: Option<String>,
    /// Program that an upgrade starts.
    pub program: Program,
    /// Time for the new program to become ready at an upgrade.
    pub upgrade_patience: Duration,
    /// True if a plan under which workers die or fail is replaced by the one before it.
    pub rollback: bool,
    /// The second plan, and the gate of reloads.
    pub shadow: ShadowSettings,
}

/// Serves until a stop. The first plan is compiled already; `source` gives later ones.
pub async fn supervise(
    first: Compiled,
    source: Option<Source>,
    settings: ServiceSettings,
    inherited: Inherited,
    began: Instant,
) -> Result<(), SuperviseError> {
    let (events, mut queue) = mpsc::channel(EVENTS_WAITING);
    crate::signals::listen(events.clone()).map_err(SuperviseError::Signals)?;
    let beginning = Beginning::of(inherited, &events)?;
    let counters = Arc::new(Counters::default());
    let (mut supervisor, writer) =
        Supervisor::create(&first, settings, beginning, &counters, events.clone()).await?;
    reporting::warn_all(&first.warnings);
    supervisor.propose_first(first, began).await?;
    supervisor.follow_shadow();
    let following = source.map(|source| {
        let force = Arc::new(Notify::new());
        supervisor.force = Some(force.clone());
        tokio::spawn(source.follow(events, force))
    });
    let outcome = supervisor.run(&mut queue).await;
    if let Some(following) = following {
        following.abort();
    }
    if outcome.is_ok() {
        supervisor.flush(writer).await;
    }
    let (lines, lost) = (counters.audit_lines.value(), counters.audit_lines_lost.value());
    info!(audit_lines = lines, audit_lines_lost = lost, "stopped");
    outcome
}

/// The loop's state, in parts that own theirs.
struct Supervisor {
    settings: ServiceSettings,
    events: mpsc::Sender<Event>,
    /// Makes the source look at once.
    force: Option<Arc<Notify>>,
    began: Instant,
    rollout: Rollout,
    fleet: Fleet<Worker>,
    plans: PlanStore<Candidate>,
    rollback: RollbackWatch<PlanToOffer>,
    sockets: Sockets,
    rate_limits: RateLimitRegistry,
    tls: Tls,
    upgrade: UpgradeState,
    audit: AuditOutput,
    reporting: Reporting,
    life: Lifecycle,
    /// Folder in which bodies wait on disk, under the plan in force.
    spool: watch::Sender<PathBuf>,
    shadow: ShadowState,
}

/// The queue to the writer of standard output, and the lock that two supervisors share.
struct AuditOutput {
    queue: audit::Queue,
    writer_lock: Arc<WriterLock>,
}

impl Supervisor {
    async fn create(
        first: &Compiled,
        settings: ServiceSettings,
        beginning: Beginning,
        counters: &Arc<Counters>,
        events: mpsc::Sender<Event>,
    ) -> Result<(Supervisor, audit::Writer), SuperviseError> {
        let Beginning { ownership, sockets, rate_limits, tickets, writer_lock, notifier } = beginning;
        let (queue, writer) =
            audit::Queue::start(counters.clone(), writer_lock.clone()).map_err(SuperviseError::Audit)?;
        let (states, wanted) = (Arc::new(States::default()), Wanted::by(&first.plan));
        let directory_url = settings.acme.directory.clone();
        let (manager, orders) =
            CertificateManager::start(wanted, directory_url, tickets, states.clone(), events.clone()).await;
        acme::start(settings.acme.clone(), orders, counters.certificates.clone())?;
        let prepare = Duration::from_secs(PREPARE_SECONDS);
        let patience = Patience { prepare, activate: ACTIVATE, exit: EXIT };
        let supervisor = Supervisor {
            rollout: Rollout::new(settings.workers, patience),
            fleet: Fleet::new(settings.workers),
            rollback: RollbackWatch::new(settings.rollback),
            shadow: ShadowState::new(settings.shadow.clone()),
            settings,
            events,
            force: None,
            began: Instant::now(),
            plans: PlanStore::default(),
            sockets,
            rate_limits,
            tls: Tls::new(manager, states),
            upgrade: UpgradeState::new(ownership),
            audit: AuditOutput { queue, writer_lock },
            reporting: Reporting::new(counters.clone(), notifier),
            life: Lifecycle::default(),
            spool: watch::Sender::new(PathBuf::new()),
        };
        Ok((supervisor, writer))
    }

    async fn run(&mut self, queue: &mut mpsc::Receiver<Event>) -> Result<(), SuperviseError> {
        loop {
            if let Some(end) = self.life.take_end() {
                return end;
            }
            let deadlines = [self.rollout.deadline(), self.rollback.due()];
            let due = deadlines.into_iter().flatten().map(|due| self.began + due);
            let due = due.chain(self.shadow.due()).min();
            let sign = self.reporting.notifier.due();
            let event = tokio::select! {
                // From this loop and no other task: a loop that hangs is to be noticed.
                () = sleep_until(sign), if sign.is_some() => {
                    self.reporting.notifier.act();
                    continue;
                }
                event = queue.recv() => event.unwrap_or(Event::Due),
                () = sleep_until(due), if due.is_some() => Event::Due,
                Some(_) = self.fleet.readers.join_next(), if !self.fleet.readers.is_empty() => continue,
            };
            self.act_on(event);
        }
    }

    fn act_on(&mut self, event: Event) {
        match event {
            Event::Signal(Signal::Stop) => match self.life.request_stop() {
                StopRequest::Begins => self.stop(),
                StopRequest::UnderWay => info!("stopping already: a second signal ends at once"),
                StopRequest::AtOnce => {}
            },
            Event::Signal(Signal::Reload) => {
                self.reopen_logs();
                self.shadow.force();
                self.reload();
            }
            Event::Signal(Signal::Upgrade) => self.upgrade(),
            Event::Successor(process, outcome) => self.outcome(process, outcome),
            Event::Predecessor(message) => self.predecessor(message),
            Event::Source(found) => self.found(found),
            Event::Shadow(found) => self.shadow_found(found),
            Event::Certified(compiled, began) => self.certified(*compiled, began),
            Event::Missing(hosts) => self.reporting.show_missing(hosts),
            Event::Said(worker, ToSupervisor::Challenged(revision)) => {
                self.fleet.set_challenged(worker, revision);
                self.tls.report_challenged(self.fleet.challenged_everywhere());
            }
            Event::Said(_, ToSupervisor::Unserved(names)) => self.tls.report_unserved(names),
            Event::Said(_, ToSupervisor::Shadowed(report)) => self.shadowed(&report),
            Event::Said(worker, ToSupervisor::RecordFull) => self.record_on(worker),
            Event::Said(worker, answer) => self.step(RolloutEvent::Said(worker, answer)),
            Event::Gone(worker, status) => {
                self.gone(worker, &status);
                self.watch_plan();
            }
            Event::Due => {
                self.watch_plan();
                self.judge_gate();
                self.step(RolloutEvent::Tick);
            }
        }
    }

    /// Brings what others see up to date.
    fn observe(&mut self) {
        if matches!(self.upgrade.ownership, Ownership::Successors) {
            // Readiness is the successor's to report.
            return;
        }
        match self.reporting.observe(self.rollout.settled(), self.rollout.serving()) {
            None | Some(Err(NotReady::Stopping)) => {}
            Some(Ok(())) => {
                info!("ready");
                if let Some(greeting) = self.settings.greeting.take() {
                    anstream::eprintln!("{greeting}");
                }
                self.serves();
            }
            Some(Err(why)) => warn!(%why, "not ready"),
        }
    }
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
