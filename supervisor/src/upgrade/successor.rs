//! The old side of an upgrade: starts the new program, hands over, and waits for it to serve. A new one that ends,
//! hangs or says nothing is killed, and nothing has changed. It knows a process and the line to it, nothing of what is
//! handed over.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::handover::{GREETING, HandoverError, HandoverSource};
use super::packet;
use super::program::Program;
use crate::cli;

/// The new one serves.
pub const READY: &[u8] = b"ready";

/// The old one has let go.
pub const GO: &[u8] = b"go";

/// Between the end of the line and the end of the process.
const HANGING_UP: Duration = Duration::from_secs(1);

/// Outcome of a successor.
#[derive(Debug)]
pub enum Outcome {
    /// It serves.
    Ready,
    /// It came to nothing, and why.
    Failed(String),
}

/// The outcome of one successor, by its process.
#[derive(Debug)]
pub struct SuccessorReport {
    /// The process.
    pub process: u32,
    /// Its outcome.
    pub outcome: Outcome,
}

/// A fault that keeps a successor from starting.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program cannot be executed.
    #[error("{path} cannot be started: {source}")]
    Program {
        /// Which one.
        path: String,
        /// Error of the system.
        source: io::Error,
    },
    /// No line to it.
    #[error("no line to a new supervisor can be had: {0}")]
    Line(#[from] io::Error),
    /// The handover cannot be described.
    #[error(transparent)]
    UpgradeHandover(#[from] HandoverError),
}

/// A new supervisor that gets ready. Dropping it kills the process, unless it was let go.
#[derive(Debug)]
pub struct Successor {
    process: u32,
    /// The process itself, whatever its number stands for by then. None once it was let go.
    leash: Option<OwnedFd>,
    line: Arc<UnixStream>,
    watch: AbortHandle,
}

impl Successor {
    /// Starts the program and hands over. One [`SuccessorReport`] is sent, within `patience`.
    pub fn start<E: From<SuccessorReport> + Send + 'static>(
        program: &Program,
        source: &HandoverSource<'_>,
        patience: Duration,
        events: mpsc::Sender<E>,
    ) -> Result<Successor, StartError> {
        let (line, theirs) = packet::pair()?;
        let manifest = source.describe()?;
        let descriptors: Vec<BorrowedFd<'_>> =
            std::iter::once(manifest.as_fd()).chain(source.descriptors()).collect();
        // It waits in the line until the new one takes it.
        packet::send(&line, GREETING, &descriptors)?;
        let line = Arc::new(UnixStream::from_std(StdStream::from(line))?);
        let child = command(program, theirs).spawn();
        let mut child = child
            .map_err(|source| StartError::Program { path: program.path.display().to_string(), source })?;
        let process = child.id().unwrap_or_default();
        let leash = match hold(process) {
            Ok(leash) => leash,
            Err(error) => {
                // It fails only when the process is dead already.
                let _ = child.start_kill();
                return Err(error.into());
            }
        };
        let watch = tokio::spawn(watch(child, line.clone(), patience, events)).abort_handle();
        Ok(Successor { process, leash: Some(leash), line, watch })
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.process
    }

    /// Puts it in charge. An error means that it is gone, and nothing has changed.
    pub fn let_go(mut self) -> io::Result<()> {
        packet::send(&*self.line, GO, &[])?;
        self.leash = None;
        Ok(())
    }
}

impl Drop for Successor {
    fn drop(&mut self) {
        self.watch.abort();
        if let Some(leash) = &self.leash {
            // It fails only when the process is dead already.
            let _ = pidfd_send_signal(leash, Signal::KILL);
        }
    }
}

/// A descriptor of our own child: nobody has waited for it yet, so the number is its own.
fn hold(process: u32) -> io::Result<OwnedFd> {
    let pid = i32::try_from(process).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}

async fn watch<E: From<SuccessorReport>>(
    mut child: Child,
    line: Arc<UnixStream>,
    patience: Duration,
    events: mpsc::Sender<E>,
) {
    let process = child.id().unwrap_or_default();
    let outcome = tokio::select! {
        biased;
        outcome = hear(&line) => outcome,
        status = child.wait() => {
            let how = status.map_or_else(|error| error.to_string(), |status| status.to_string());
            Outcome::Failed(format!("it ended before it was ready ({how})"))
        }
        () = tokio::time::sleep(patience) => {
            Outcome::Failed(format!("it was not ready within {} s", patience.as_secs()))
        }
    };
    // The receiver is gone only when the supervisor ends.
    let _ = events.send(SuccessorReport { process, outcome }.into()).await;
    // Nobody else waits for it, until the system does after our end.
    let _ = child.wait().await;
}

async fn hear(line: &UnixStream) -> Outcome {
    loop {
        match line.async_io(Interest::READABLE, || packet::receive(line)).await {
            Ok(Some(packet)) if packet.bytes == READY => return Outcome::Ready,
            // What a newer program may say beside.
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => {
                // How it ends says more than that it hung up, if it ends.
                tokio::time::sleep(HANGING_UP).await;
                return Outcome::Failed("it closed the line to this process before it was ready".to_owned());
            }
        }
    }
}

fn command(program: &Program, line: OwnedFd) -> Command {
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).stdin(line).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    // They are about this process, by its number.
    for name in cli::LISTEN.iter().chain(&[cli::WATCHDOG_PID]) {
        command.env_remove(name);
    }
    command.env(cli::HANDOVER, "stdin");
    command
}
