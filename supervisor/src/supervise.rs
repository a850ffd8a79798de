//! The supervisor's one loop: an event comes in, the rollout decides, and its actions are carried out. Everything
//! that can wait or fail slowly lives in tasks that report back; nothing here blocks.

mod actions;
mod endpoints;
mod plans;
mod shutdown;
mod upgrading;
mod worker_exit;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{info, warn};
use waf_compiler::Compiled;
use waf_shared::control::ToSupervisor;
use waf_shared::limits::PREPARE_SECONDS;

use crate::audit::{self, WriterLock};
use crate::candidate::{Candidate, CandidateError};
use crate::counters::Counters;
use crate::crashes::Crashes;
use crate::event::Event;
use crate::metrics::Metrics;
use crate::notify::Notifier;
use crate::rate_limit_memory::{InvalidHandover, RateLimitRegistry};
use crate::readiness::{NotReady, Readiness, Status};
use crate::rollout::{Patience, PlanId, Rollout, RolloutEvent, WorkerId};
use crate::signals::Signal;
use crate::sockets::adopted::{AdoptError, Adopted};
use crate::sockets::{Sockets, TlsPorts};
use crate::source::{Found, Source};
use crate::upgrade::handover::UpgradeHandover;
use crate::upgrade::predecessor::{Predecessor, SuccessionError};
use crate::upgrade::program::Program;
use crate::upgrade::status::UpgradeStatus;
use crate::upgrade::successor::Successor;
use crate::workers::{self, Worker};
use endpoints::Endpoints;
use upgrading::{Beginning, Ownership};
use waf_certificates::acme;
use waf_certificates::manager::{CertificateManager, Wanted};
use waf_certificates::states::States;

/// Events that wait for the loop; senders wait when it is full.
const EVENTS_WAITING: usize = 256;

/// A commit is a pointer store; its answer is not long in coming.
const ACTIVATE: Duration = Duration::from_secs(5);

/// Beyond the drain limit, for a worker to end.
const EXIT: Duration = Duration::from_secs(2);

/// How the service runs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Number of workers.
    pub workers: usize,
    /// How each of them runs.
    pub worker: workers::Settings,
    /// Where modes 1 and 2 listen.
    pub ports: TlsPorts,
    /// How certificates are had.
    pub acme: acme::Settings,
    /// Printed to stderr once the service is ready.
    pub greeting: Option<String>,
    /// What an upgrade starts.
    pub program: Program,
    /// What the new program gets to become ready at an upgrade.
    pub upgrade_patience: Duration,
}

/// What others prepared before this process began.
#[derive(Debug, Default)]
pub struct Inherited {
    /// Sockets of a service manager.
    pub sockets: Vec<Adopted>,
    /// The older supervisor that started this one, and what it hands over.
    pub predecessor: Option<(Predecessor, UpgradeHandover)>,
    /// The line to a service manager.
    pub notifier: Notifier,
}

/// Why the service did not start, or could not go on.
#[derive(Debug, thiserror::Error)]
pub enum SuperviseError {
    /// The plan cannot be offered.
    #[error(transparent)]
    Candidate(#[from] CandidateError),
    /// The certificate authority's root cannot be read.
    #[error(transparent)]
    Acme(#[from] acme::ClientError),
    /// No worker made the plan ready.
    #[error("the plan cannot be served: {0}")]
    Refused(String),
    /// Signal handlers cannot be set.
    #[error("signals cannot be handled: {0}")]
    Signals(#[source] io::Error),
    /// The thread that writes stdout cannot be had.
    #[error("the audit writer does not start: {0}")]
    Audit(#[source] io::Error),
    /// Sockets of a service manager cannot be taken.
    #[error(transparent)]
    Adopt(#[from] AdoptError),
    /// Nothing can be taken over from the older supervisor.
    #[error(transparent)]
    Succession(#[from] SuccessionError),
    /// The older supervisor's memory of rate limits.
    #[error(transparent)]
    Counts(#[from] InvalidHandover),
    /// The line to the older supervisor.
    #[error("the line to the old supervisor is broken: {0}")]
    Line(#[source] io::Error),
    /// The demo's upstream cannot be had.
    #[error("the demo's shop does not open: {0}")]
    Demo(#[source] io::Error),
    /// The configuration does not compile; its list of errors has been printed.
    #[error("the configuration is not valid")]
    Invalid,
    /// A second signal asked for an end at once.
    #[error("ended at once by a second signal")]
    Cut,
}

/// Serves until a stop. The first plan is compiled already; `source` gives later ones.
pub async fn supervise(
    first: Compiled,
    source: Option<Source>,
    settings: Settings,
    origins: Inherited,
    began: Instant,
) -> Result<(), SuperviseError> {
    let (events, mut queue) = mpsc::channel(EVENTS_WAITING);
    crate::signals::listen(events.clone()).map_err(SuperviseError::Signals)?;
    let Beginning { ownership, sockets, counts, tickets, writer_lock, notifier } =
        Beginning::of(origins, &events)?;
    let counters = Arc::new(Counters::default());
    let metrics = Metrics::new(counters.clone());
    let (audit, writer) =
        audit::Queue::start(counters.clone(), writer_lock.clone()).map_err(SuperviseError::Audit)?;
    let states = Arc::new(States::default());
    let wanted = Wanted::by(&first.plan);
    let directory_url = settings.acme.directory.clone();
    let (manager, orders) =
        CertificateManager::start(wanted, directory_url, tickets, states.clone(), events.clone()).await;
    acme::start(settings.acme.clone(), orders, counters.certificates.clone())?;
    let patience = Patience { prepare: Duration::from_secs(PREPARE_SECONDS), activate: ACTIVATE, exit: EXIT };
    let status = Status { ready: Err(NotReady::Starting), plan: None, missing: Arc::default() };
    let mut supervisor = Supervisor {
        machine: Rollout::new(settings.workers, patience),
        settings,
        events: events.clone(),
        force: None,
        began: Instant::now(),
        workers: BTreeMap::new(),
        readers: JoinSet::new(),
        candidates: BTreeMap::new(),
        manager: Some(manager),
        states,
        last_plan: 0,
        serving: None,
        sockets,
        counts,
        endpoints: Endpoints::default(),
        metrics,
        readiness: Readiness::default(),
        status: watch::Sender::new(status),
        audit,
        counters: counters.clone(),
        stopping: false,
        stop_asked: false,
        ownership,
        successor: None,
        deferred: None,
        upgrade_status: UpgradeStatus::create(),
        writer_lock,
        notifier,
        spool: watch::Sender::new(PathBuf::new()),
        crashes: Crashes::default(),
        spawned: 0,
        end: None,
    };
    plans::warn_all(&first.warnings);
    supervisor.propose_first(first, began).await?;
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

struct Supervisor {
    settings: Settings,
    events: mpsc::Sender<Event>,
    force: Option<Arc<Notify>>,
    began: Instant,
    machine: Rollout,
    workers: BTreeMap<WorkerId, Worker>,
    /// Tasks that read the workers' audit streams; they outlive the workers.
    readers: JoinSet<()>,
    candidates: BTreeMap<PlanId, Candidate>,
    /// None once a successor has taken over.
    manager: Option<CertificateManager<Event>>,
    states: Arc<States>,
    last_plan: u64,
    /// The plan in force; its candidate is kept until the next one is.
    serving: Option<PlanId>,
    sockets: Sockets,
    /// Memory of rate limits, by what it belongs to.
    counts: RateLimitRegistry,
    endpoints: Endpoints,
    metrics: Arc<Metrics>,
    readiness: Readiness,
    status: watch::Sender<Status>,
    audit: audit::Queue,
    counters: Arc<Counters>,
    stopping: bool,
    /// Whether somebody asked for it: a process that was replaced finishes by itself.
    stop_asked: bool,
    ownership: Ownership,
    /// A new supervisor that gets ready.
    successor: Option<Successor>,
    /// What was found in the files meanwhile.
    deferred: Option<Found>,
    upgrade_status: UpgradeStatus,
    writer_lock: Arc<WriterLock>,
    notifier: Notifier,
    /// Where bodies wait on disk, under the plan in force.
    spool: watch::Sender<PathBuf>,
    crashes: Crashes,
    /// Workers that were started first; later ones are restarts.
    spawned: usize,
    end: Option<Result<(), SuperviseError>>,
}

impl Supervisor {
    async fn run(&mut self, queue: &mut mpsc::Receiver<Event>) -> Result<(), SuperviseError> {
        loop {
            if let Some(end) = self.end.take() {
                return end;
            }
            let due = self.machine.deadline().map(|due| self.began + due);
            let sign = self.notifier.due();
            let event = tokio::select! {
                // From this loop and no other task: a loop that hangs is to be noticed.
                () = sleep_until(sign), if sign.is_some() => {
                    self.notifier.act();
                    continue;
                }
                event = queue.recv() => event.unwrap_or(Event::Due),
                () = sleep_until(due), if due.is_some() => Event::Due,
                Some(_) = self.readers.join_next(), if !self.readers.is_empty() => continue,
            };
            self.act_on(event);
        }
    }

    fn act_on(&mut self, event: Event) {
        match event {
            Event::Signal(Signal::Stop) if self.stop_asked => self.end = Some(Err(SuperviseError::Cut)),
            Event::Signal(Signal::Stop) => {
                self.stop_asked = true;
                if self.stopping {
                    info!("stopping already: a second signal ends at once");
                } else {
                    self.stop();
                }
            }
            Event::Signal(Signal::Reload) => self.reload(),
            Event::Signal(Signal::Upgrade) => self.upgrade(),
            Event::Successor(process, outcome) => self.outcome(process, outcome),
            Event::Predecessor(word) => self.predecessor(word),
            Event::Source(found) => self.found(found),
            Event::Certified(compiled, began) => self.certified(*compiled, began),
            Event::Missing(hosts) => self.status.send_modify(|status| status.missing = hosts.into()),
            Event::Said(worker, ToSupervisor::Challenged(revision)) => {
                if let Some(running) = self.workers.get_mut(&worker) {
                    running.challenged = Some(revision);
                }
                self.challenged();
            }
            Event::Said(_, ToSupervisor::Unserved(names)) => {
                if let Some(manager) = &self.manager {
                    manager.unserved(names);
                }
            }
            Event::Said(worker, answer) => self.step(RolloutEvent::Said(worker, answer)),
            Event::Gone(worker, how) => {
                if let Some(gone) = self.workers.remove(&worker)
                    && !self.stopping
                {
                    self.compare(worker, gone.journal.as_ref());
                }
                self.metrics.gone(worker);
                self.challenged();
                if !self.stopping {
                    warn!(worker = worker.0, how, "a worker is dead");
                }
                self.step(RolloutEvent::Gone(worker));
            }
            Event::Due => self.step(RolloutEvent::Tick),
        }
    }

    /// Tells which revision of the challenges is answered everywhere. A worker that has not said any does not serve yet.
    fn challenged(&self) {
        let everywhere = self.workers.values().filter_map(|worker| worker.challenged).min();
        if let Some(manager) = &self.manager {
            manager.answered(everywhere.unwrap_or(0));
        }
    }

    /// Tells the health listener how things stand.
    pub(super) fn observe(&mut self) {
        if matches!(self.ownership, Ownership::Successors) {
            // Readiness is the successor's to tell.
            return;
        }
        let (is_complete, serving) = (self.machine.settled(), self.machine.serving());
        self.metrics.serving(serving, is_complete);
        let ready = self.readiness.observe(is_complete, serving);
        let before = self.status.borrow().ready;
        if ready == before {
            return;
        }
        self.status.send_modify(|status| status.ready = ready);
        match ready {
            Ok(()) => {
                info!("ready");
                if let Some(greeting) = self.settings.greeting.take() {
                    anstream::eprintln!("{greeting}");
                }
                self.serves();
            }
            Err(NotReady::Stopping) => {}
            Err(why) => warn!(%why, "not ready"),
        }
    }
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}
