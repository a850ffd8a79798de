//! The worker's one loop: control frames, ready plans, signals. It turns the steps of [`Member`] into calls of the proxy.

mod ending;
mod shadow;

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior};
use tracing::{error, info, warn};
use waf_shared::control::{Certificates, Generation, Offer, SocketId, ToSupervisor, ToWorker, encode};
use waf_shared::limits::{
    ACCESS_FLUSH_SECONDS, ORPHAN_DRAIN_SECONDS, REPORT_SECONDS, TRACE_FLUSH_SECONDS, UNSERVED_NAMES_MAX,
};
use waf_shared::metrics::WorkerCounter;

use super::channel::{self, ChannelError, Received, Receiver, Sender};
use super::member::{Member, Offered};
use super::ready::{Ready, build};
use super::signals::Signals;
use super::unserved::Unserved;
use super::{Options, WorkerError, panics};
use crate::accept::{self, Listening};
use crate::access_log::AccessLog;
use crate::active_plan::ActivePlan;
use crate::audit::sink::Sink;
use crate::journal::Journal;
use crate::metrics::Metrics;
use crate::overload::{Gauge, Overload};
use crate::proxy::Proxy;
use crate::spool::{Pending, Reply, Spool};
use crate::tls::{NotTaken, Tls};
use crate::trace;
use shadow::ShadowBuilder;

/// Control frames that wait for the loop; the supervisor has at most an offer and its end under way.
const FRAMES_WAITING: usize = 4;

/// Event that wakes the loop.
enum Event {
    Frame(Option<Result<Received<ToWorker>, ChannelError>>),
    Built(Generation, Result<Ready, String>),
    Report,
    Unserved(String),
    Spool(Reply),
    Terminate,
}

/// Continuation of the loop.
enum Next {
    Continue,
    Drain(Duration),
}

struct Worker {
    proxy: Arc<Proxy>,
    metrics: Arc<Metrics>,
    /// Dropped spans that were reported.
    spans_reported: AtomicU64,
    sender: Sender,
    member: Member<Ready>,
    current: Option<Arc<ActivePlan>>,
    listening: Vec<(SocketId, Listening)>,
    built: mpsc::Sender<(Generation, Result<Ready, String>)>,
    unserved: Unserved,
    spool: Spool,
    files: Pending,
    shadow: ShadowBuilder,
}

/// Serves until a drain is over.
pub(super) async fn serve(
    control: UnixStream,
    audit: UnixStream,
    options: &Options,
    gauge: Option<Gauge>,
) -> Result<(), WorkerError> {
    let overload = Overload::default();
    if let Some(gauge) = gauge {
        tokio::spawn(overload.clone().watch(gauge));
    }
    let mut signals = Signals::install().map_err(WorkerError::Signals)?;
    let (sender, receiver) = channel::split(control).map_err(ChannelError::from)?;
    let mut frames = receive(receiver);
    let (built, mut ready) = mpsc::channel(FRAMES_WAITING);
    let mut report = tokio::time::interval(Duration::from_secs(REPORT_SECONDS));
    report.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (unserved, mut names) = mpsc::channel(UNSERVED_NAMES_MAX);
    let (spool, mut asked) = Spool::new(overload.clone());
    let tls = Tls::new(unserved).map_err(WorkerError::Tls)?;
    let sink = Sink::new(audit).map_err(WorkerError::NotAWorker)?;
    let proxy = Proxy::new(sink, tls, overload, options.peers);
    let mut worker = Worker::new(proxy, options.threads, sender, built, spool);
    panics::count(&worker.metrics);
    let limit = loop {
        let wake = tokio::select! {
            frame = frames.recv() => Event::Frame(frame),
            Some((generation, outcome)) = ready.recv() => Event::Built(generation, outcome),
            Some(name) = names.recv() => Event::Unserved(name),
            Some(reply) = asked.recv() => Event::Spool(reply),
            () = signals.terminate() => Event::Terminate,
            _ = report.tick() => Event::Report,
        };
        match worker.wake(wake, options.drain).await? {
            Next::Continue => {}
            Next::Drain(limit) => break limit,
        }
    };
    // Every copy of a listening socket, those of a plan that was never committed too: while one is open, connections
    // wait in it for somebody who does not accept any more, and no other process can have the port.
    worker.listening.clear();
    worker.member = Member::default();
    drop(ready);
    worker.drain(&mut frames, &mut asked, &mut report, limit).await;
    worker.log_end();
    Ok(())
}

impl Worker {
    /// A worker that serves no plan yet.
    fn new(
        proxy: Arc<Proxy>,
        threads: usize,
        sender: Sender,
        built: mpsc::Sender<(Generation, Result<Ready, String>)>,
        spool: Spool,
    ) -> Worker {
        Worker {
            metrics: Metrics::new(threads),
            spans_reported: AtomicU64::new(0),
            proxy,
            sender,
            member: Member::default(),
            current: None,
            listening: Vec::new(),
            built,
            unserved: Unserved::default(),
            spool,
            files: Pending::default(),
            shadow: ShadowBuilder::default(),
        }
    }

    /// Finishes what is in flight, for at most `limit`, then sends the last spans and reports.
    async fn drain(
        &mut self,
        frames: &mut mpsc::Receiver<Result<Received<ToWorker>, ChannelError>>,
        asked: &mut mpsc::Receiver<Reply>,
        report: &mut Interval,
        limit: Duration,
    ) {
        let began = Instant::now();
        let proxy = Arc::clone(&self.proxy);
        let mut drained = pin!(proxy.drain(limit));
        let mut has_supervisor = true;
        loop {
            tokio::select! {
                () = drained.as_mut() => break,
                _ = report.tick() => self.last_reports().await,
                // Bodies still need files; any other message comes too late.
                Some(reply) = asked.recv() => self.last_file(reply).await,
                frame = frames.recv(), if has_supervisor => match frame {
                    Some(Ok(Received { message: ToWorker::Spool { ticket, refused }, descriptors })) => {
                        self.files.answered(ticket, file(refused, descriptors));
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => {
                        has_supervisor = false;
                        self.files = Pending::default();
                    }
                },
            }
        }
        if let Some(tracer) = self.current.as_ref().and_then(|active_plan| active_plan.tracer()) {
            let left = limit.saturating_sub(began.elapsed());
            tracer.finish(left.min(Duration::from_secs(TRACE_FLUSH_SECONDS))).await;
        }
        for log in self.logs() {
            log.flush(Duration::from_secs(ACCESS_FLUSH_SECONDS)).await;
        }
        self.last_reports().await;
    }

    async fn wake(&mut self, wake: Event, drain: Duration) -> Result<Next, WorkerError> {
        match wake {
            Event::Frame(Some(Ok(Received { message, descriptors }))) => {
                return self.frame(message, descriptors).await;
            }
            Event::Frame(Some(Err(error))) => return Err(error.into()),
            Event::Frame(None) => {
                let limit = drain.min(Duration::from_secs(ORPHAN_DRAIN_SECONDS));
                warn!(limit_s = limit.as_secs(), "the supervisor is gone: finishing what is in flight");
                return Ok(Next::Drain(limit));
            }
            Event::Built(generation, outcome) => {
                if let Some(answer) = self.member.built(generation, outcome) {
                    self.answer(&answer).await?;
                }
            }
            Event::Report => self.report().await?,
            Event::Unserved(name) => {
                if let Some(name) = self.unserved.first_time(name, Instant::now()) {
                    self.answer(&ToSupervisor::Unserved(vec![name])).await?;
                }
            }
            Event::Spool(reply) => {
                let ticket = self.files.asked(reply);
                self.answer(&ToSupervisor::Spool(ticket)).await?;
            }
            Event::Terminate => return Ok(Next::Drain(drain)),
        }
        Ok(Next::Continue)
    }

    async fn frame(&mut self, message: ToWorker, descriptors: Vec<OwnedFd>) -> Result<Next, WorkerError> {
        match message {
            ToWorker::Offer(offer) => self.offered(offer, descriptors)?,
            ToWorker::Commit(generation) => self.committed(generation).await?,
            ToWorker::Abandon(generation) => self.member.abandoned(generation),
            ToWorker::Drain(limit) => return Ok(Next::Drain(limit.duration())),
            ToWorker::Certificates(certificates) => self.certificates(certificates).await,
            ToWorker::Tickets(tickets) => taken("ticket keys", self.proxy.tls().install_tickets(&tickets)),
            ToWorker::Challenges(challenges) => {
                let revision = challenges.revision;
                taken("challenges", self.proxy.tls().install_challenges(challenges));
                self.answer(&ToSupervisor::Challenged(revision)).await?;
            }
            ToWorker::Journal => self.journal(&descriptors),
            ToWorker::AccessLog => install(self.proxy.access_log(), descriptors),
            ToWorker::Shadow(offered) => self.shadow.offered(offered, self.current.as_ref(), &self.proxy),
            ToWorker::ShadowLog => install(self.proxy.shadow_log(), descriptors),
            ToWorker::Record { share, bytes_max } => {
                for file in descriptors {
                    self.proxy.recording().install(file, share, bytes_max);
                }
            }
            ToWorker::Spool { ticket, refused } => self.files.answered(ticket, file(refused, descriptors)),
        }
        Ok(Next::Continue)
    }

    /// A worker without a journal serves as well; less is known of its death.
    fn journal(&self, descriptors: &[OwnedFd]) {
        match descriptors.first().map(Journal::open) {
            Some(Ok(journal)) => self.proxy.keep(journal),
            Some(Err(error)) => warn!(%error, "no journal is kept of what is in flight"),
            None => warn!("no journal is kept of what is in flight: no memory came for it"),
        }
    }

    /// At a drain the supervisor may be gone; then nobody gives a file, and the body that needs one is refused.
    async fn last_file(&mut self, reply: Reply) {
        let ticket = self.files.asked(reply);
        if self.answer(&ToSupervisor::Spool(ticket)).await.is_err() {
            self.files.answered(ticket, Err(io::Error::other("the supervisor is gone")));
        }
    }

    /// Checks keys away from the threads that serve, and before the next frame: what is offered after certificates is
    /// served with them.
    async fn certificates(&mut self, certificates: Certificates) {
        let proxy = Arc::clone(&self.proxy);
        let install = move || proxy.tls().install_certificates(&certificates);
        match tokio::task::spawn_blocking(install).await {
            Ok(Ok(names)) => info!(names, "certificates are served"),
            Ok(Err(error)) => taken("certificates", Err(error)),
            Err(panic) => error!(%panic, "certificates cannot be read: the ones before serve on"),
        }
    }

    /// Starts to build, away from the threads that serve.
    fn offered(&mut self, offer: Offer, descriptors: Vec<OwnedFd>) -> Result<(), WorkerError> {
        let named = offer.listeners.len() + usize::from(offer.counts.is_some());
        if named != descriptors.len() {
            return Err(WorkerError::Protocol(format!(
                "an offer names {named} descriptors and carries {}",
                descriptors.len()
            )));
        }
        let generation = offer.generation;
        match self.member.offered(generation) {
            Offered::Late => return Ok(()),
            Offered::Build => {}
        }
        let (previous, metrics) = (self.current.clone(), Arc::clone(&self.metrics));
        let spool = self.spool.clone();
        let built = self.built.clone();
        tokio::spawn(async move {
            let outcome = tokio::task::spawn_blocking(move || {
                build(offer, descriptors, previous.as_ref(), &metrics, &spool)
            })
            .await
            .unwrap_or_else(|panic| Err(format!("building the plan failed: {panic}")));
            // The loop is gone only when the process ends.
            let _ = built.send((generation, outcome)).await;
        });
        Ok(())
    }

    /// One pointer store, then the sockets: new ones are served before old ones are let go.
    async fn committed(&mut self, generation: Generation) -> Result<(), WorkerError> {
        let ready = self.member.committed(generation).map_err(|error| {
            error!(%error, "the handover is out of step");
            WorkerError::Protocol(error.to_string())
        })?;
        self.proxy.commit(ready.active_plan.clone());
        let mut listening = Vec::with_capacity(ready.sockets.len());
        for (listener, socket) in ready.sockets {
            let held = self.listening.iter().position(|(id, _)| *id == listener.socket);
            let served = match held {
                Some(at) => self.listening.swap_remove(at).1,
                None => accept::listen(&self.proxy, socket, listener.role)
                    .map_err(|source| WorkerError::Listen { port: listener.port, source })?,
            };
            listening.push((listener.socket, served));
        }
        self.listening = listening;
        self.shadow.committed(&ready.active_plan, &self.proxy);
        self.current = Some(ready.active_plan);
        self.answer(&ToSupervisor::Active(generation)).await
    }

    /// Reports the counts since the last time.
    async fn report(&self) -> Result<(), WorkerError> {
        if let Some(active_plan) = &self.current {
            active_plan.count_contracts();
            self.metrics.set_upstreams(active_plan.pools().endpoint_counts());
        }
        let dropped = trace::spans_dropped();
        let reported = self.spans_reported.swap(dropped, Ordering::Relaxed);
        self.metrics.add(WorkerCounter::TraceSpansDropped, dropped.saturating_sub(reported));
        let dropped = self.logs().iter().map(|log| log.take_dropped()).sum();
        self.metrics.add(WorkerCounter::AccessLogDropped, dropped);
        for report in self.metrics.report() {
            self.answer(&ToSupervisor::Counted(report)).await?;
        }
        if self.proxy.recording().log().take_exceeded() {
            self.answer(&ToSupervisor::RecordFull).await?;
        }
        if let Some(report) = self.proxy.shadow().and_then(|shadow| shadow.counts().take_report()) {
            self.answer(&ToSupervisor::Shadowed(report)).await?;
        }
        Ok(())
    }

    /// The same at the end, when the supervisor may be gone: nothing more can be done about that.
    async fn last_reports(&self) {
        let _ = self.report().await;
    }

    async fn answer(&self, answer: &ToSupervisor) -> Result<(), WorkerError> {
        let frame = encode(answer, 0).map_err(ChannelError::from)?;
        Ok(self.sender.send(&frame, &[]).await?)
    }
}

/// The last file is the one that lines go to.
fn install(log: &AccessLog, descriptors: Vec<OwnedFd>) {
    for file in descriptors {
        log.install(file);
    }
}

/// Answer of the supervisor to a question for a file.
fn file(refused: Option<String>, mut descriptors: Vec<OwnedFd>) -> io::Result<File> {
    match (refused, descriptors.pop()) {
        (None, Some(file)) => Ok(File::from(file)),
        (refused, _) => Err(io::Error::other(refused.unwrap_or_else(|| "no file came".to_owned()))),
    }
}

/// A state that breaks its bounds is the supervisor's fault and costs nobody a connection.
fn taken(what: &str, outcome: Result<(), NotTaken>) {
    if let Err(error) = outcome {
        error!(%error, what, "a state is not taken: the one before holds");
    }
}

/// Reads frames in a task of its own: a read must not be cancelled half way.
fn receive(mut receiver: Receiver) -> mpsc::Receiver<Result<Received<ToWorker>, ChannelError>> {
    let (frames, waiting) = mpsc::channel(FRAMES_WAITING);
    tokio::spawn(async move {
        loop {
            let frame = receiver.recv().await;
            let last = frame.is_err();
            let Some(frame) = frame.transpose() else { break };
            if frames.send(frame).await.is_err() || last {
                break;
            }
        }
    });
    waiting
}
