//! Signals, turned into events. SIGPIPE is ignored by the language's runtime already.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// The request that a signal stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    Reload,
    /// SIGUSR2.
    Upgrade,
}

/// Listens until the receiver is gone.
pub fn listen<E: From<Signal> + Send + 'static>(events: mpsc::Sender<E>) -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut upgrade = signal(SignalKind::user_defined2())?;
    let mut reopen = signal(SignalKind::user_defined1())?;
    tokio::spawn(async move {
        loop {
            let came = tokio::select! {
                Some(()) = reopen.recv() => {
                    // What rotates logs sends it to other servers; unheard it would end this one.
                    tracing::info!("SIGUSR1 does nothing here: there is no log file to open again");
                    continue;
                }
                Some(()) = terminate.recv() => Signal::Stop,
                Some(()) = interrupt.recv() => Signal::Stop,
                Some(()) = hangup.recv() => Signal::Reload,
                Some(()) = upgrade.recv() => Signal::Upgrade,
                else => return,
            };
            if events.send(came.into()).await.is_err() {
                return;
            }
        }
    });
    Ok(())
}
