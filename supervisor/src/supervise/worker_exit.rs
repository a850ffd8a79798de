//! Workers that died, and the request that may have killed them.

use tracing::{error, warn};

use super::Supervisor;
use crate::crashes::{self, Memory};
use crate::rollout::{RolloutEvent, WorkerId};

impl Supervisor {
    /// The process of a worker has ended.
    pub(super) fn gone(&mut self, worker: WorkerId, status: &str) {
        if let Some(gone) = self.fleet.remove(worker)
            && !self.life.is_stopping()
        {
            self.compare(worker, gone.journal.as_ref());
        }
        self.reporting.metrics.gone(worker);
        self.tls.report_challenged(self.fleet.challenged_everywhere());
        if !self.life.is_stopping() {
            warn!(worker = worker.0, how = status, "a worker is dead");
            self.rollback.died(self.began.elapsed());
        }
        self.step(RolloutEvent::Gone(worker));
    }

    /// Looks for the request that killed a worker: one that was in flight at another death a moment ago. Workers are
    /// then started more slowly; the request is judged as any other, because its shape proves nothing.
    fn compare(&mut self, worker: WorkerId, journal: Option<&Memory>) {
        let in_flight = match journal.map_or_else(|| Ok(Vec::new()), Memory::read) {
            Ok(in_flight) => in_flight,
            Err(error) => return warn!(worker = worker.0, %error, "its journal cannot be read"),
        };
        let suspects = self.fleet.crashes.died(self.began.elapsed(), in_flight);
        if !suspects.is_empty() {
            self.rollout.suspect();
        }
        for shape in suspects {
            let routes = self.plans.in_force().map(|candidate| &candidate.plan.routes);
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
}
