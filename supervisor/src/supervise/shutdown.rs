//! The end of the service: what is in flight is finished, what was said is written.

use std::time::Duration;

use tracing::{error, info, warn};
use waf_shared::limits::AUDIT_WAIT_SECONDS;

use super::Supervisor;
use crate::audit;
use crate::rollout::RolloutEvent;

impl Supervisor {
    /// Not ready at once, then no new connections, then the end of what is in flight.
    pub(super) fn stop(&mut self) {
        info!(drain_s = self.settings.worker.drain.as_secs(), "stopping");
        if self.upgrade.give_up() {
            warn!("the upgrade is given up: the new process is ended");
        }
        self.upgrade.stop();
        self.reporting.stop();
        self.observe();
        self.wind_down();
    }

    /// No new connections here any more, then the end of what is in flight.
    pub(super) fn wind_down(&mut self) {
        self.life.wind_down();
        self.step(RolloutEvent::Stop(self.settings.worker.drain));
        // Workers close theirs; with ours gone too, connections are refused and not left waiting, unless somebody else
        // holds the socket.
        for candidate in self.plans.all_mut() {
            candidate.traffic.clear();
        }
        self.sockets.release();
    }

    /// Every line that workers wrote goes out before the end, as far as the consumer takes it.
    pub(super) async fn flush(mut self, writer: audit::Writer) {
        let limit = Duration::from_secs(AUDIT_WAIT_SECONDS);
        self.fleet.clear();
        let read =
            tokio::time::timeout(limit, async { while self.fleet.readers.join_next().await.is_some() {} });
        let complete = read.await.is_ok();
        self.fleet.readers.abort_all();
        drop(self);
        if !writer.finish(limit).await || !complete {
            error!("audit events are lost: stdout does not take them");
        }
    }
}
