//! Signals, turned into wakes. SIGPIPE is ignored by the language's runtime already.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use crate::wake::{Signal, Wake};

/// Listens until the receiver is gone.
pub fn listen(wake: mpsc::Sender<Wake>) -> io::Result<()> {
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
            if wake.send(Wake::Signal(came)).await.is_err() {
                return;
            }
        }
    });
    Ok(())
}
