//! Workers that died, and the request that may have killed them.

use tracing::{error, warn};

use super::Supervisor;
use crate::crashes::{self, Memory};
use crate::rollout::WorkerId;

impl Supervisor {
    /// Looks for the request that killed a worker: one that was in flight at another death a moment ago. Workers are then
    /// started more slowly; the request is judged as any other, because its shape proves nothing.
    pub(super) fn compare(&mut self, worker: WorkerId, journal: Option<&Memory>) {
        let in_flight = match journal.map_or_else(|| Ok(Vec::new()), Memory::read) {
            Ok(in_flight) => in_flight,
            Err(error) => return warn!(worker = worker.0, %error, "its journal cannot be read"),
        };
        let suspects = self.crashes.died(self.began.elapsed(), in_flight);
        if !suspects.is_empty() {
            self.machine.suspect();
        }
        for shape in suspects {
            let routes = self.serving.and_then(|plan| Some(&self.candidates.get(&plan)?.plan.routes));
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
