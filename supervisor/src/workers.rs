//! Worker processes: starting one, what is said to it and by it, its end. It knows processes and sockets, nothing of
//! when which plan is offered.

mod spool;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tracing::warn;
use waf_certificates::states::StateReceiver;
use waf_dataplane::confinement::identity::User;
use waf_dataplane::proxy::Peers;
use waf_dataplane::proxy_protocol::ProxyProtocol;
use waf_dataplane::worker::channel::{self, ChannelError, Received, Receiver, Sender};
use waf_shared::control::{ToSupervisor, ToWorker, encode};
use waf_shared::limits::SPOOL_WAITING;

use crate::access_log::AccessLog;
use crate::audit;
use crate::cli;
use crate::crashes::Memory;
use crate::metrics::Metrics;
use crate::rate_limit_memory::MemoryObject;
use crate::recording::Recording;
use crate::rollout::WorkerId;
use crate::sockets::Bound;

/// This program, also after its file was replaced.
const PROGRAM: &str = "/proc/self/exe";

/// Frames that wait for a worker: an offer, its end, and a drain.
const FRAMES_WAITING: usize = 16;

/// Between the end of a worker's control stream and the end of its process.
const EXIT_TIME: Duration = Duration::from_secs(2);

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// Threads of each.
    pub threads: usize,
    /// Time for requests in flight at a stop.
    pub drain: Duration,
    /// Least level of their log lines.
    pub log_level: tracing::Level,
    /// Who they go on as; without one they stay who the supervisor is.
    pub user: Option<User>,
    /// Memory that each of them may take, in bytes.
    pub memory_bytes: Option<u64>,
    /// Their knowledge of the peers that connect.
    pub peers: Peers,
    /// Destination of the lines of their requests.
    pub access_log: AccessLog,
    /// Destination of what a second plan decides differently.
    pub shadow_log: AccessLog,
    /// Recordings of their requests.
    pub recording: Option<Recording>,
}

/// A message about a worker.
pub enum WorkerReport {
    /// An answer of it.
    Said(WorkerId, ToSupervisor),
    /// The end of its process, and its exit status for people.
    Gone(WorkerId, String),
}

/// Receivers of a worker's output.
pub struct WorkerOutputs<E> {
    /// Its answers and its end.
    pub events: mpsc::Sender<E>,
    /// Its events.
    pub audit: audit::Queue,
    /// Receiver of its counts.
    pub metrics: Arc<Metrics>,
    /// Folder in which bodies wait on disk.
    pub spool: watch::Receiver<PathBuf>,
}

/// A frame and what travels with it.
struct Outgoing {
    frame: Arc<[u8]>,
    payload: FdPayload,
}

/// Descriptors of a frame, in this order.
#[derive(Default)]
pub struct FdPayload {
    /// Listening sockets.
    pub sockets: Vec<Arc<Bound>>,
    /// Memory of rate limits.
    pub counts: Option<Arc<MemoryObject>>,
    /// A journal, a file for a body, or the access log.
    pub file: Option<OwnedFd>,
}

impl FdPayload {
    /// Their number.
    pub fn descriptors(&self) -> usize {
        self.sockets.len() + usize::from(self.counts.is_some()) + usize::from(self.file.is_some())
    }
}

/// A running worker. Dropping it kills the process.
pub struct Worker {
    outgoing: mpsc::Sender<Outgoing>,
    /// Its requests in flight, readable also when it is dead.
    pub journal: Option<Memory>,
    kill: Arc<Notify>,
    _tasks: JoinSet<()>,
}

/// The worker takes nothing any more.
#[derive(Debug, thiserror::Error)]
#[error("the worker takes no frames")]
pub struct QueueFull;

impl Worker {
    /// Starts a process. It receives `states` before anything else, and whenever they change. Its events are read by a
    /// task of `readers`.
    pub fn spawn<E: From<WorkerReport> + Send + 'static>(
        id: WorkerId,
        settings: &WorkerSettings,
        outputs: WorkerOutputs<E>,
        states: StateReceiver,
        readers: &mut JoinSet<()>,
    ) -> io::Result<Self> {
        let WorkerOutputs { events: reports, audit, metrics, spool } = outputs;
        let (control, control_theirs) = UnixStream::pair()?;
        let (events, events_theirs) = UnixStream::pair()?;
        let (sender, receiver) = channel::split(control)?;
        let child = command(id, settings)
            .stdin(OwnedFd::from(control_theirs))
            .stdout(OwnedFd::from(events_theirs))
            .spawn()?;
        let kill = Arc::new(Notify::new());
        let (outgoing, frames) = mpsc::channel(FRAMES_WAITING);
        let mut tasks = JoinSet::new();
        tasks.spawn(reap(id, child, kill.clone(), reports.clone()));
        let (tickets, asked) = mpsc::channel(SPOOL_WAITING);
        tasks.spawn(listen(id, receiver, kill.clone(), (reports, metrics, tickets)));
        tasks.spawn(spool::give(asked, spool, outgoing.clone()));
        tasks.spawn(speak(id, sender, states, frames, kill.clone()));
        readers.spawn(audit.drain(id, events));
        let journal = journal(&outgoing);
        let worker = Self { outgoing, journal, kill, _tasks: tasks };
        worker.hand_over_logs(settings, id);
        worker.record(settings, id);
        Ok(worker)
    }

    /// Queues a frame.
    pub fn send(&self, frame: Arc<[u8]>, payload: FdPayload) -> Result<(), QueueFull> {
        self.outgoing.try_send(Outgoing { frame, payload }).map_err(|_| QueueFull)
    }

    /// Hands its logs over, opened anew.
    pub fn hand_over_logs(&self, settings: &WorkerSettings, id: WorkerId) {
        self.hand_over(&settings.access_log, &ToWorker::AccessLog, id);
        self.hand_over(&settings.shadow_log, &ToWorker::ShadowLog, id);
    }

    /// Hands a fresh file for recordings over, where there are any.
    pub fn record(&self, settings: &WorkerSettings, id: WorkerId) {
        let Some(recording) = &settings.recording else { return };
        self.hand_file_over(|| recording.open().map(Some), &recording.message(), id);
    }

    /// Hands a log over, opened anew. What the worker has serves on if that fails.
    fn hand_over(&self, log: &AccessLog, message: &ToWorker, id: WorkerId) {
        self.hand_file_over(|| log.open().map_err(io::Error::other), message, id);
    }

    fn hand_file_over(
        &self,
        open: impl FnOnce() -> io::Result<Option<OwnedFd>>,
        message: &ToWorker,
        id: WorkerId,
    ) {
        let handed = || -> io::Result<()> {
            let Some(file) = open()? else { return Ok(()) };
            let payload = FdPayload { file: Some(file), ..FdPayload::default() };
            let frame = encode(message, payload.descriptors()).map_err(io::Error::other)?;
            self.send(frame.into(), payload).map_err(io::Error::other)
        };
        if let Err(error) = handed() {
            warn!(worker = id.0, %error, "a file for lines is not opened for a worker");
        }
    }

    /// Ends the process at once.
    pub fn kill(&self) {
        self.kill.notify_one();
    }
}

/// Makes a worker's journal and hands it over, first of all. Without one its death only leaves less to compare.
fn journal(outgoing: &mpsc::Sender<Outgoing>) -> Option<Memory> {
    let hand_over = || -> io::Result<Memory> {
        let memory = Memory::create()?;
        let payload = FdPayload { file: Some(memory.descriptor()?), ..FdPayload::default() };
        let frame = encode(&ToWorker::Journal, payload.descriptors()).map_err(io::Error::other)?;
        outgoing
            .try_send(Outgoing { frame: frame.into(), payload })
            .map_err(|_| io::Error::other(QueueFull))?;
        Ok(memory)
    };
    hand_over().inspect_err(|error| warn!(%error, "no journal is kept of what a worker has in flight")).ok()
}

fn command(id: WorkerId, settings: &WorkerSettings) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .arg0("waf")
        .arg("worker")
        .args(["--id", &id.0.to_string()])
        .args(["--threads", &settings.threads.to_string()])
        .args(["--drain", &settings.drain.as_secs().to_string()])
        .args(["--log-level", &settings.log_level.as_str().to_ascii_lowercase()])
        .args(settings.memory_bytes.iter().flat_map(|bytes| ["--memory".to_owned(), bytes.to_string()]))
        .args(
            settings
                .peers
                .client_share
                .iter()
                .flat_map(|percent| ["--client-share".to_owned(), percent.to_string()]),
        )
        .args((settings.peers.proxy_protocol != ProxyProtocol::Off).then_some("--proxy-protocol"))
        .args(settings.user.iter().flat_map(|user| ["--become".to_owned(), user.to_string()]))
        .stderr(Stdio::inherit())
        // The supervisor's environment may hold keys, and variables that libraries read behind the plan's back.
        .env_clear()
        .envs(cli::for_workers())
        .kill_on_drop(true);
    command
}

/// Waits for the end of a process, and brings it about when asked to.
async fn reap<E: From<WorkerReport>>(
    id: WorkerId,
    mut child: Child,
    kill: Arc<Notify>,
    reports: mpsc::Sender<E>,
) {
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            () = kill.notified() => {
                // It fails only when the process is dead already.
                let _ = child.start_kill();
            }
        }
    };
    let how = status.map_or_else(|error| error.to_string(), |status| status.to_string());
    // The receiver is gone only when the supervisor ends.
    let _ = reports.send(WorkerReport::Gone(id, how).into()).await;
}

async fn listen<E: From<WorkerReport>>(
    id: WorkerId,
    mut receiver: Receiver,
    kill: Arc<Notify>,
    (reports, metrics, tickets): (mpsc::Sender<E>, Arc<Metrics>, mpsc::Sender<u64>),
) {
    loop {
        match receiver.recv::<ToSupervisor>().await {
            // Of no interest to the handover.
            Ok(Some(Received { message: ToSupervisor::Counted(report), .. })) => metrics.counted(id, &report),
            // A worker asks for no more files than the queue has room for; one beyond them is not answered.
            Ok(Some(Received { message: ToSupervisor::Spool(ticket), .. })) => {
                let _ = tickets.try_send(ticket);
            }
            Ok(Some(received)) => {
                if reports.send(WorkerReport::Said(id, received.message).into()).await.is_err() {
                    return;
                }
            }
            Ok(None) | Err(ChannelError::Io(_)) => {
                // It is ending by itself; one that only closed its socket is of no use.
                tokio::time::sleep(EXIT_TIME).await;
                kill.notify_one();
                return;
            }
            Err(error) => {
                warn!(worker = id.0, %error, "a worker's control socket is broken: it is replaced");
                kill.notify_one();
                return;
            }
        }
    }
}

async fn speak(
    id: WorkerId,
    sender: Sender,
    mut states: StateReceiver,
    mut frames: mpsc::Receiver<Outgoing>,
    kill: Arc<Notify>,
) {
    loop {
        let next = tokio::select! {
            biased;
            // What an offer needs goes before it.
            frame = states.next() => Some(Outgoing { frame, payload: FdPayload::default() }),
            next = frames.recv() => next,
        };
        let Some(Outgoing { frame, payload }) = next else { return };
        let sockets = payload.sockets.iter().map(|socket| socket.listener.as_fd());
        let memory = payload.counts.as_ref().map(|object| object.as_fd());
        let file = payload.file.as_ref().map(|file| file.as_fd());
        let descriptors: Vec<_> = sockets.chain(memory).chain(file).collect();
        if let Err(error) = sender.send(&frame, &descriptors).await {
            warn!(worker = id.0, %error, "a worker takes no messages: it is replaced");
            kill.notify_one();
            return;
        }
    }
}
