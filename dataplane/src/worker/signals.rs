//! The signals that a worker hears.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A worker ends on SIGTERM and ignores what a terminal or a careless `kill` sends to a whole group: those are for
/// the supervisor, which informs its workers.
pub(super) struct Signals {
    terminate: Signal,
    /// Held because a signal that is listened to no longer ends the process.
    _ignored: [Signal; 4],
}

impl Signals {
    pub(super) fn install() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            _ignored: [
                signal(SignalKind::interrupt())?,
                signal(SignalKind::hangup())?,
                signal(SignalKind::user_defined1())?,
                signal(SignalKind::user_defined2())?,
            ],
        })
    }

    pub(super) async fn terminate(&mut self) {
        // `None` cannot come while the runtime lives; waiting for ever is then the same as no signal.
        if self.terminate.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
