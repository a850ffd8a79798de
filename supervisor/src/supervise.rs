//! The supervisor's one loop: a wake comes in, the rollout decides, and what it decides is done. Everything that can
//! wait or fail slowly lives in tasks that report back; nothing here blocks.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{error, info, warn};
use waf_compiler::{Compiled, Diagnostic, Severity};
use waf_shared::control::{FrameError, Generation, ToSupervisor, ToWorker, encode};
use waf_shared::limits::{AUDIT_WAIT_SECONDS, PREPARE_SECONDS};
use waf_shared::metrics::Degraded;
use waf_shared::plan::{Digest, Millis};

use crate::acme;
use crate::audit;
use crate::candidate::{Candidate, CandidateError};
use crate::changes;
use crate::counters::Counters;
use crate::counts::{self, Registry};
use crate::crashes::{self, Crashes, Memory};
use crate::health;
use crate::listener::Listener;
use crate::metrics::{self, Metrics};
use crate::readiness::{NotReady, Readiness, Status};
use crate::rollout::{Action, Event, Patience, PlanId, Rollout, WorkerId};
use crate::sockets::{Sockets, TlsPorts};
use crate::source::{Found, Source};
use crate::tls::keeper::{Keeper, Wanted};
use crate::tls::states::States;
use crate::wake::{Signal, Wake};
use crate::workers::{self, Luggage, Worker};

/// Wakes that wait for the loop; senders wait when it is full.
const WAKES_WAITING: usize = 256;

/// A commit is a pointer store; its answer is not long in coming.
const ACTIVATE: Duration = Duration::from_secs(5);

/// Beyond the drain limit, for a worker to end.
const EXIT: Duration = Duration::from_secs(2);

/// Folder for bodies, in `data_dir`.
const SPOOL_FOLDER: &str = "spool";

/// At the start, for a port in use to become free, and between two tries.
const PORT_PATIENCE: Duration = Duration::from_millis(300);
const PORT_PAUSE: Duration = Duration::from_millis(10);

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
    began: Instant,
) -> Result<(), SuperviseError> {
    let (wake, mut wakes) = mpsc::channel(WAKES_WAITING);
    crate::signals::listen(wake.clone()).map_err(SuperviseError::Signals)?;
    let counters = Arc::new(Counters::default());
    let metrics = Metrics::new(counters.clone());
    let (audit, writer) = audit::Queue::start(counters.clone()).map_err(SuperviseError::Audit)?;
    let states = Arc::new(States::default());
    let wanted = Wanted::by(&first.plan);
    let directory_url = settings.acme.directory.clone();
    let (keeper, orders) = Keeper::start(wanted, directory_url, states.clone(), wake.clone()).await;
    acme::start(settings.acme.clone(), orders, counters.certificates.clone())?;
    let mut supervisor =
        Supervisor::new(settings, wake.clone(), keeper, states, audit, counters.clone(), metrics);
    warn_all(&first.warnings);
    supervisor.propose_first(first, began).await?;
    let following = source.map(|source| {
        let force = Arc::new(Notify::new());
        supervisor.force = Some(force.clone());
        tokio::spawn(source.follow(wake, force))
    });
    let outcome = supervisor.run(&mut wakes).await;
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
    wake: mpsc::Sender<Wake>,
    force: Option<Arc<Notify>>,
    began: Instant,
    machine: Rollout,
    workers: BTreeMap<WorkerId, Worker>,
    /// Tasks that read the workers' audit streams; they outlive the workers.
    readers: JoinSet<()>,
    candidates: BTreeMap<PlanId, Candidate>,
    keeper: Keeper,
    states: Arc<States>,
    last_plan: u64,
    /// The plan in force; its candidate is kept until the next one is.
    serving: Option<PlanId>,
    sockets: Sockets,
    /// Memory of rate limits, by what it belongs to.
    counts: Registry,
    health: Option<Listener>,
    exposing: Option<Listener>,
    metrics: Arc<Metrics>,
    readiness: Readiness,
    status: watch::Sender<Status>,
    audit: audit::Queue,
    counters: Arc<Counters>,
    stopping: bool,
    /// Where bodies wait on disk, under the plan in force.
    spool: watch::Sender<PathBuf>,
    crashes: Crashes,
    /// Workers that were started first; later ones are restarts.
    spawned: usize,
    end: Option<Result<(), SuperviseError>>,
}

impl Supervisor {
    fn new(
        settings: Settings,
        wake: mpsc::Sender<Wake>,
        keeper: Keeper,
        states: Arc<States>,
        audit: audit::Queue,
        counters: Arc<Counters>,
        metrics: Arc<Metrics>,
    ) -> Self {
        let patience =
            Patience { prepare: Duration::from_secs(PREPARE_SECONDS), activate: ACTIVATE, exit: EXIT };
        let status = Status { ready: Err(NotReady::Starting), plan: None, missing: Arc::default() };
        Self {
            machine: Rollout::new(settings.workers, patience),
            settings,
            wake,
            force: None,
            began: Instant::now(),
            workers: BTreeMap::new(),
            readers: JoinSet::new(),
            candidates: BTreeMap::new(),
            keeper,
            states,
            last_plan: 0,
            serving: None,
            sockets: Sockets::default(),
            counts: Registry::default(),
            health: None,
            exposing: None,
            metrics,
            readiness: Readiness::default(),
            status: watch::Sender::new(status),
            audit,
            counters,
            stopping: false,
            spool: watch::Sender::new(PathBuf::new()),
            crashes: Crashes::default(),
            spawned: 0,
            end: None,
        }
    }

    async fn run(&mut self, wakes: &mut mpsc::Receiver<Wake>) -> Result<(), SuperviseError> {
        loop {
            if let Some(end) = self.end.take() {
                return end;
            }
            let due = self.machine.deadline().map(|due| self.began + due);
            let wake = tokio::select! {
                wake = wakes.recv() => wake.unwrap_or(Wake::Due),
                () = sleep_until(due), if due.is_some() => Wake::Due,
                Some(_) = self.readers.join_next(), if !self.readers.is_empty() => continue,
            };
            self.act_on(wake);
        }
    }

    fn act_on(&mut self, wake: Wake) {
        match wake {
            Wake::Signal(Signal::Stop) if self.stopping => self.end = Some(Err(SuperviseError::Cut)),
            Wake::Signal(Signal::Stop) => self.stop(),
            Wake::Signal(Signal::Reload) => match &self.force {
                Some(force) if !self.stopping => force.notify_one(),
                _ => info!("there is nothing to reload"),
            },
            Wake::Source(found) => self.found(found),
            Wake::Certified(compiled, began) => self.certified(*compiled, began),
            Wake::Missing(hosts) => self.status.send_modify(|status| status.missing = hosts.into()),
            Wake::Said(worker, ToSupervisor::Challenged(revision)) => {
                if let Some(running) = self.workers.get_mut(&worker) {
                    running.challenged = Some(revision);
                }
                self.challenged();
            }
            Wake::Said(_, ToSupervisor::Unserved(names)) => self.keeper.unserved(names),
            Wake::Said(worker, answer) => self.step(Event::Said(worker, answer)),
            Wake::Gone(worker, how) => {
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
                self.step(Event::Gone(worker));
            }
            Wake::Due => self.step(Event::Tick),
        }
    }

    /// Looks for the request that killed a worker: one that was in flight at another death a moment ago. Workers are then
    /// started more slowly; the request is judged as any other, because its shape proves nothing.
    fn compare(&mut self, worker: WorkerId, journal: Option<&Memory>) {
        let in_flight = match journal.map_or_else(|| Ok(Vec::new()), Memory::read) {
            Ok(in_flight) => in_flight,
            Err(error) => return warn!(worker = worker.0, %error, "its journal cannot be read"),
        };
        let suspects = self.crashes.died(self.began.elapsed(), in_flight);
        if !suspects.is_empty() {
            self.machine.suspect();
        }
        for shape in suspects {
            let routes = self.serving.and_then(|plan| Some(&self.candidates.get(&plan)?.plan.routes));
            let route = shape.route.and_then(|route| routes?.get(usize::try_from(route).ok()?));
            let route = route.map_or("-", |route| &route.id.0);
            let request = crashes::described(&shape);
            error!(
                worker = worker.0,
                route,
                request,
                "a request of this shape was in flight when two workers died: it may be what kills them"
            );
        }
    }

    /// Not ready at once, then no new connections, then the end of what is in flight.
    fn stop(&mut self) {
        info!(drain_s = self.settings.worker.drain.as_secs(), "stopping");
        self.stopping = true;
        self.readiness.stop();
        self.observe();
        self.step(Event::Stop(self.settings.worker.drain));
        // Workers close theirs; with ours gone too, connections are refused and not left waiting.
        for candidate in self.candidates.values_mut() {
            candidate.traffic.clear();
        }
    }

    fn found(&mut self, found: Found) {
        match found {
            _ if self.stopping => {}
            Found::Compiled { compiled, began } => {
                warn_all(&compiled.warnings);
                let digest = compiled.digest;
                if let Err(error) = self.keeper.prepare(compiled, began) {
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
                warn!(file = %file.display(), "a file of the configuration is missing; the old plan serves on");
            }
        }
    }

    /// Everything that a plan needs beside sockets is there.
    fn certified(&mut self, compiled: Compiled, began: Instant) {
        let digest = compiled.digest;
        if !self.stopping
            && let Err(error) = self.propose(compiled, began)
        {
            self.refuse(digest, &error);
        }
    }

    fn refuse(&mut self, new: Digest, error: &dyn std::error::Error) {
        self.not_applied();
        error!(%error, %new, "the new configuration is not applied; the old plan serves on");
    }

    /// Tells which revision of the challenges is answered everywhere. A worker that has not said any does not serve yet.
    fn challenged(&self) {
        let everywhere = self.workers.values().filter_map(|worker| worker.challenged).min();
        self.keeper.answered(everywhere.unwrap_or(0));
    }

    /// At the start a port may still be held by the workers of a supervisor that was killed a moment ago: they let
    /// it go as soon as they notice.
    async fn propose_first(&mut self, compiled: Compiled, began: Instant) -> Result<(), SuperviseError> {
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
        if self.health.is_none()
            && self.machine.current().is_none()
            && let Some(socket) = &candidate.health
        {
            // Liveness is answered while the first plan is still being made ready.
            self.health = serve_health(socket.clone(), &self.status);
        }
        self.last_plan += 1;
        let plan = PlanId(self.last_plan);
        self.candidates.insert(plan, candidate);
        self.step(Event::Propose(plan));
        Ok(())
    }

    fn step(&mut self, event: Event) {
        let mut events = vec![event];
        // A worker that cannot be started or told anything is an event again; each such event takes a worker away,
        // and the rollout's pauses bound how many come in one go.
        while let Some(event) = events.pop() {
            let actions = self.machine.step(event, self.began.elapsed());
            let mut offer = None;
            for action in actions {
                if let Some(event) = self.act(action, &mut offer) {
                    events.push(event);
                }
            }
        }
        self.observe();
    }

    fn act(&mut self, action: Action, offer: &mut Option<(Generation, Arc<[u8]>)>) -> Option<Event> {
        match action {
            Action::Spawn(worker) => return self.spawn(worker),
            Action::Offer { worker, generation, plan } => self.offer(worker, generation, plan, offer),
            Action::Commit(worker, generation) => self.tell(worker, &ToWorker::Commit(generation)),
            Action::Abandon(worker, generation) => self.tell(worker, &ToWorker::Abandon(generation)),
            Action::Drain(worker) => {
                let limit = Millis(self.settings.worker.drain.as_millis() as u64);
                self.tell(worker, &ToWorker::Drain(limit));
            }
            Action::Kill(worker, why) => {
                warn!(worker = worker.0, why, "a worker is replaced");
                self.kill(worker);
            }
            Action::InForce(plan) => self.in_force(plan),
            Action::Refused(plan, why) => self.refused(plan, why),
            Action::Superseded(plan) => {
                self.candidates.remove(&plan);
            }
            Action::Ended => self.end = Some(Ok(())),
        }
        None
    }

    fn spawn(&mut self, worker: WorkerId) -> Option<Event> {
        self.spawned += 1;
        if self.spawned > self.settings.workers {
            self.counters.worker_restarts.add(1);
            info!(
                worker = worker.0,
                restarts = self.counters.worker_restarts.value(),
                "a worker is started anew"
            );
        }
        let ends = workers::Ends {
            wake: self.wake.clone(),
            audit: self.audit.clone(),
            metrics: self.metrics.clone(),
            spool: self.spool.subscribe(),
        };
        let told = self.states.subscribe();
        let spawned = Worker::spawn(worker, &self.settings.worker, ends, told, &mut self.readers);
        match spawned {
            Ok(running) => {
                self.workers.insert(worker, running);
                None
            }
            Err(error) => {
                error!(%error, "a worker cannot be started");
                Some(Event::Gone(worker))
            }
        }
    }

    /// Offers to several workers in a row share one frame.
    fn offer(
        &mut self,
        worker: WorkerId,
        generation: Generation,
        plan: PlanId,
        last: &mut Option<(Generation, Arc<[u8]>)>,
    ) {
        let Some(candidate) = self.candidates.get(&plan) else { return };
        let luggage = Luggage {
            sockets: candidate.traffic.clone(),
            counts: candidate.counts.as_ref().map(counts::Held::object),
            file: None,
        };
        let frame = match last {
            Some((of, frame)) if *of == generation => Ok(frame.clone()),
            _ => encode(&ToWorker::Offer(candidate.offer(generation)), luggage.descriptors())
                .map(Arc::<[u8]>::from),
        };
        match frame {
            Ok(frame) => {
                *last = Some((generation, frame.clone()));
                let sent = self.workers.get(&worker).map(|running| running.send(frame, luggage));
                self.sent(worker, sent.transpose().map(|_| ()).map_err(|error| error.to_string()));
            }
            Err(error) => self.sent(worker, Err(error.to_string())),
        }
    }

    fn tell(&mut self, worker: WorkerId, message: &ToWorker) {
        let sent = match (encode(message, 0), self.workers.get(&worker)) {
            (Ok(frame), Some(running)) => {
                running.send(frame.into(), Luggage::default()).map_err(|error| error.to_string())
            }
            (Err(error), _) => Err(FrameError::to_string(&error)),
            // It is dead, and its end is on the way.
            (Ok(_), None) => Ok(()),
        };
        self.sent(worker, sent);
    }

    /// A worker that takes no frame is killed; its end then wakes the loop like any other.
    fn sent(&mut self, worker: WorkerId, sent: Result<(), String>) {
        if let Err(error) = sent {
            error!(worker = worker.0, error, "a worker cannot be told anything: it is replaced");
            self.kill(worker);
        }
    }

    fn kill(&self, worker: WorkerId) {
        if let Some(running) = self.workers.get(&worker) {
            running.kill();
        }
    }

    fn in_force(&mut self, plan: PlanId) {
        let Some(candidate) = self.candidates.get(&plan) else { return };
        let old = self.status.borrow().plan;
        self.status.send_modify(|status| status.plan = Some(candidate.digest));
        match &candidate.health {
            Some(socket) if self.health.as_ref().is_some_and(|health| health.socket() == socket.id) => {}
            Some(socket) => self.health = serve_health(socket.clone(), &self.status),
            None => self.health = None,
        }
        match &candidate.metrics {
            Some(socket) if self.exposing.as_ref().is_some_and(|on| on.socket() == socket.id) => {}
            Some(socket) => self.exposing = serve_metrics(socket.clone(), &self.metrics),
            None => self.exposing = None,
        }
        self.metrics.in_force(candidate.digest, &candidate.routes, SystemTime::now());
        self.metrics.degrade(Degraded::Configuration, false);
        self.spool.send_replace(candidate.data_dir.join(SPOOL_FOLDER));
        let took_ms = candidate.began.elapsed().as_millis() as u64;
        let port = candidate.traffic.first().map(|socket| socket.port);
        let wanted = Wanted { hosts: candidate.hosts.clone(), data_dir: candidate.data_dir.clone() };
        if let Err(error) = self.keeper.in_force(wanted) {
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

    fn refused(&mut self, plan: PlanId, why: String) {
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
    fn not_applied(&self) {
        self.counters.reloads_refused.add(1);
        self.metrics.degrade(Degraded::Configuration, true);
    }

    /// Tells the health listener how things stand.
    fn observe(&mut self) {
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
            }
            Err(NotReady::Stopping) => {}
            Err(why) => warn!(%why, "not ready"),
        }
    }

    /// Every line that workers wrote goes out before the end, as far as the consumer takes it.
    async fn flush(mut self, writer: audit::Writer) {
        let limit = Duration::from_secs(AUDIT_WAIT_SECONDS);
        self.workers.clear();
        let read = tokio::time::timeout(limit, async { while self.readers.join_next().await.is_some() {} });
        let complete = read.await.is_ok();
        self.readers.abort_all();
        drop(self);
        if !writer.finish(limit).await || !complete {
            error!("audit events are lost: stdout does not take them");
        }
    }
}

fn serve_health(socket: Arc<crate::sockets::Bound>, status: &watch::Sender<Status>) -> Option<Listener> {
    let port = socket.port;
    health::serve(socket, status.subscribe())
        .inspect_err(|error| error!(%error, port, "the health endpoint cannot be served"))
        .ok()
}

fn serve_metrics(socket: Arc<crate::sockets::Bound>, metrics: &Arc<Metrics>) -> Option<Listener> {
    let port = socket.port;
    metrics::endpoint::serve(socket, metrics.clone())
        .inspect_err(|error| error!(%error, port, "the metrics endpoint cannot be served"))
        .ok()
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

fn warn_all(warnings: &[Diagnostic]) {
    for warning in warnings {
        warn!(code = warning.code, "{warning}");
    }
}
