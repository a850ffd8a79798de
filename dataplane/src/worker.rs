//! The worker's side of the handover: one process that prepares, commits and serves plans as the supervisor says. It
//! knows the control protocol and the proxy, nothing of the operator's files and nothing of other workers.
//!
//! The control socket is the process's standard input, the audit stream its standard output, so that no descriptor
//! numbers are passed around. A worker that loses its supervisor finishes what is in flight and exits.

pub mod channel;
pub mod member;

mod panics;
mod ready;
mod serve;
mod signals;
mod unserved;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use channel::ChannelError;
use tracing::{info, warn};

use crate::confinement::identity::User;
use crate::confinement::{self, ConfinementError};
use crate::overload::Gauge;
use crate::proxy::Peers;

/// Settings of a worker; the supervisor sets them on the command line.
#[derive(Debug, Clone)]
pub struct Options {
    /// Threads that serve: the worker's share of the cores.
    pub threads: usize,
    /// Time that requests in flight get when the supervisor is gone.
    pub drain: Duration,
    /// Who a worker that is started as root goes on as.
    pub user: Option<User>,
    /// Memory that it may take; no bound of its own without one.
    pub memory_bytes: Option<u64>,
    /// Statements of the operator about the peers that connect.
    pub peers: Peers,
    /// Files and folders of trust anchors that the operator names in place of the system's.
    pub anchors: Vec<PathBuf>,
}

/// The reason why a worker ended other than by a drain.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// Started by hand, or under a supervisor of another version.
    #[error("a worker is started by the supervisor, with sockets as its standard input and output")]
    NotAWorker(#[source] io::Error),
    /// It would have more rights than it should.
    #[error("the worker cannot be confined")]
    Confinement(#[from] ConfinementError),
    /// No runtime could be had.
    #[error("the runtime does not start")]
    Runtime(#[source] io::Error),
    /// Signal handlers cannot be set.
    #[error("signals cannot be handled")]
    Signals(#[source] io::Error),
    /// TLS cannot be configured.
    #[error("TLS cannot be configured")]
    Tls(#[source] rustls::Error),
    /// The control socket broke in the middle of a frame, or carried something else.
    #[error("the control socket is broken")]
    Channel(#[from] ChannelError),
    /// The supervisor asked for something that the protocol rules out.
    #[error("the supervisor broke the protocol: {0}")]
    Protocol(String),
    /// A committed socket cannot be served on.
    #[error("port {port} cannot be served")]
    Listen {
        /// Which port.
        port: u16,
        /// Error of the system.
        #[source]
        source: io::Error,
    },
}

/// Serves until the supervisor says or goes away.
pub fn run(options: &Options) -> Result<(), WorkerError> {
    confinement::descriptors::close_inherited();
    let control = inherited(io::stdin().as_fd())?;
    let audit = inherited(io::stdout().as_fd())?;
    let gauge = options.memory_bytes.map(Gauge::open).transpose();
    confine(options)?;
    let gauge = gauge.unwrap_or_else(|error| {
        warn!(%error, "the memory that is taken cannot be read: no request is refused for it");
        None
    });
    let mut builder = if options.threads <= 1 {
        tokio::runtime::Builder::new_current_thread()
    } else {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(options.threads);
        builder
    };
    let runtime = builder.enable_all().build().map_err(WorkerError::Runtime)?;
    let outcome = runtime.block_on(serve::serve(control, audit, options, gauge));
    // What is still running after the drain's limit is cut: the process is about to end.
    runtime.shutdown_background();
    outcome
}

/// Before any thread exists: what is given up here is given up by every thread.
fn confine(options: &Options) -> Result<(), ConfinementError> {
    if options.user.is_some() {
        // What is open to root alone would be out of reach of the user that comes after.
        crate::upstream::remember_anchors();
    }
    let in_force = confinement::apply(options.user, &options.anchors)?;
    if in_force.lacking.is_empty() {
        info!("{in_force}");
    } else {
        warn!("{in_force}");
    }
    Ok(())
}

/// The socket behind a standard stream.
fn inherited(stream: std::os::fd::BorrowedFd<'_>) -> Result<UnixStream, WorkerError> {
    let socket: OwnedFd = stream.try_clone_to_owned().map_err(WorkerError::NotAWorker)?;
    let socket = UnixStream::from(socket);
    socket.peer_addr().map_err(WorkerError::NotAWorker)?;
    socket.set_nonblocking(true).map_err(WorkerError::NotAWorker)?;
    Ok(socket)
}
