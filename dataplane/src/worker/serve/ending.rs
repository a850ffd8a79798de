//! The end of a worker: what its log says of the time that it served.

use tracing::{error, info};

use super::Worker;
use crate::access_log::AccessLog;

impl Worker {
    /// Everything that lines of requests are written to.
    pub(super) fn logs(&self) -> [&AccessLog; 3] {
        [self.proxy.access_log(), self.proxy.shadow_log(), self.proxy.recording().log()]
    }

    /// Logs the end of the worker.
    pub(super) fn log_end(&self) {
        let events_lost = self.proxy.audit().undelivered();
        if events_lost > 0 {
            error!(events_lost, "audit events are lost with the supervisor");
        }
        let handshakes = self.proxy.tls().counters();
        info!(
            tls_full = handshakes.full.value(),
            tls_resumed = handshakes.resumed.value(),
            tls_challenges = handshakes.challenges.value(),
            tls_no_certificate = handshakes.no_certificate.value(),
            tls_failed = handshakes.failed.value(),
            tls_slow = handshakes.slow.value(),
            "drained"
        );
    }
}
