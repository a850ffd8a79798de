//! Actions of the rollout, carried out: workers are started, sent messages, and ended. A failure here is an event
//! again.

use std::sync::Arc;

use tracing::{error, info, warn};
use waf_shared::control::{FrameError, Generation, ToWorker, encode};
use waf_shared::plan::Millis;

use super::Supervisor;
use crate::rate_limit_memory::HeldTables;
use crate::rollout::{Action, PlanId, RolloutEvent, WorkerId};
use crate::workers::{FdPayload, Worker, WorkerOutputs};

impl Supervisor {
    pub(super) fn step(&mut self, event: RolloutEvent) {
        let mut events = vec![event];
        // A worker that cannot be started or takes no messages is an event again; each such event takes a worker away,
        // and the rollout's pauses bound how many come in one go.
        while let Some(event) = events.pop() {
            let actions = self.rollout.step(event, self.began.elapsed());
            let mut offer = None;
            for action in actions {
                if let Some(event) = self.act(action, &mut offer) {
                    events.push(event);
                }
            }
        }
        self.observe();
    }

    fn act(&mut self, action: Action, offer: &mut Option<(Generation, Arc<[u8]>)>) -> Option<RolloutEvent> {
        match action {
            Action::Spawn(worker) => return self.spawn(worker),
            Action::Offer { worker, generation, plan } => self.offer(worker, generation, plan, offer),
            Action::Commit(worker, generation) => self.tell(worker, &ToWorker::Commit(generation)),
            Action::Abandon(worker, generation) => self.tell(worker, &ToWorker::Abandon(generation)),
            Action::Drain(worker) => {
                let limit = Millis(self.settings.worker.drain.as_millis() as u64);
                self.tell(worker, &ToWorker::Drain(limit));
            }
            Action::Kill(worker, why) => {
                warn!(worker = worker.0, why, "a worker is replaced");
                self.kill(worker);
            }
            Action::InForce(plan) => self.in_force(plan),
            Action::Refused(plan, why) => self.refused(plan, why),
            Action::Superseded(plan) => {
                self.plans.remove(plan);
            }
            Action::Ended => self.life.end(Ok(())),
        }
        None
    }

    /// Has every worker write to the files that have the names of the logs now.
    pub(super) fn reopen_logs(&self) {
        for (id, worker) in self.fleet.iter() {
            worker.hand_over_logs(&self.settings.worker, id);
        }
    }

    /// A worker's file of recorded requests is full: it gets the next one.
    pub(super) fn record_on(&self, id: WorkerId) {
        if let Some(worker) = self.fleet.get(id) {
            worker.record(&self.settings.worker, id);
        }
    }

    fn spawn(&mut self, worker: WorkerId) -> Option<RolloutEvent> {
        if self.fleet.count_start() {
            let restarts = &self.reporting.counters.worker_restarts;
            restarts.add(1);
            info!(worker = worker.0, restarts = restarts.value(), "a worker is started anew");
        }
        let outputs = WorkerOutputs {
            events: self.events.clone(),
            audit: self.audit.queue.clone(),
            metrics: self.reporting.metrics.clone(),
            spool: self.spool.subscribe(),
        };
        let receiver = self.tls.subscribe();
        let spawned =
            Worker::spawn(worker, &self.settings.worker, outputs, receiver, &mut self.fleet.readers);
        match spawned {
            Ok(running) => {
                self.shadow_of_new(&running);
                self.fleet.add(worker, running);
                None
            }
            Err(error) => {
                error!(%error, "a worker cannot be started");
                Some(RolloutEvent::Gone(worker))
            }
        }
    }

    /// Offers to several workers in a row share one frame.
    fn offer(
        &mut self,
        worker: WorkerId,
        generation: Generation,
        plan: PlanId,
        last: &mut Option<(Generation, Arc<[u8]>)>,
    ) {
        let Some(candidate) = self.plans.get(plan) else { return };
        let payload = FdPayload {
            sockets: candidate.traffic.clone(),
            counts: candidate.counts.as_ref().map(HeldTables::object),
            file: None,
        };
        let frame = match last {
            Some((of, frame)) if *of == generation => Ok(frame.clone()),
            _ => encode(&ToWorker::Offer(candidate.offer(generation)), payload.descriptors())
                .map(Arc::<[u8]>::from),
        };
        match frame {
            Ok(frame) => {
                *last = Some((generation, frame.clone()));
                let sent = self.fleet.get(worker).map(|running| running.send(frame, payload));
                self.sent(worker, sent.transpose().map(|_| ()).map_err(|error| error.to_string()));
            }
            Err(error) => self.sent(worker, Err(error.to_string())),
        }
    }

    fn tell(&mut self, worker: WorkerId, message: &ToWorker) {
        let sent = match (encode(message, 0), self.fleet.get(worker)) {
            (Ok(frame), Some(running)) => {
                running.send(frame.into(), FdPayload::default()).map_err(|error| error.to_string())
            }
            (Err(error), _) => Err(FrameError::to_string(&error)),
            // It is dead, and its end is on the way.
            (Ok(_), None) => Ok(()),
        };
        self.sent(worker, sent);
    }

    /// A worker that takes no frame is killed; its end is then an event like any other.
    fn sent(&mut self, worker: WorkerId, sent: Result<(), String>) {
        if let Err(error) = sent {
            error!(worker = worker.0, error, "a worker takes no messages: it is replaced");
            self.kill(worker);
        }
    }

    pub(super) fn kill(&self, worker: WorkerId) {
        if let Some(running) = self.fleet.get(worker) {
            running.kill();
        }
    }
}
