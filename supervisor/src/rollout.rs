//! The handover as a pure state machine, `step(event, now) -> actions`: who is offered what, when all have prepared,
//! who is replaced. It knows no process, no socket and no clock; a plan is a number here.
//!
//! Boot, reload, a worker's restart and a rollback are the same path. A *vote* offers a candidate to every worker:
//! when all that still live have prepared it, it is committed, and one rejection abandons it in all. A worker that
//! stands apart from the plan in force (it is new, or missed a vote) is offered that plan alone; one that rejects it
//! or does not answer is replaced.
//!
//! Invariant: a generation that a worker rejected is never committed, because a commit is decided only when every
//! worker that was offered the generation and still lives has prepared it.

mod backoff;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
mod vote;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use waf_shared::control::{Generation, ToSupervisor};

use backoff::Backoff;

/// A worker process; numbers are never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u64);

/// A plan that was compiled; numbers are never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanId(pub u64);

/// Input of the machine.
#[derive(Debug)]
pub enum RolloutEvent {
    /// A candidate is ready to be offered. It replaces one that still waits.
    Propose(PlanId),
    /// A worker has answered.
    Said(WorkerId, ToSupervisor),
    /// A worker is dead: it exited, was killed, or never started.
    Gone(WorkerId),
    /// Time has passed.
    Tick,
    /// The service is to end; workers get so long to drain.
    Stop(Duration),
}

/// Output of the machine, in the order in which it is to be carried out.
#[derive(Debug, PartialEq, Eq)]
pub enum Action {
    /// Start this worker. A failure to do so is [`RolloutEvent::Gone`].
    Spawn(WorkerId),
    /// Send an offer.
    Offer {
        /// To whom.
        worker: WorkerId,
        /// Number of the offer.
        generation: Generation,
        /// The plan that is offered.
        plan: PlanId,
    },
    /// Send a commit.
    Commit(WorkerId, Generation),
    /// Withdraw an offer.
    Abandon(WorkerId, Generation),
    /// End a worker at once; it is replaced.
    Kill(WorkerId, String),
    /// Ask a worker to finish and exit.
    Drain(WorkerId),
    /// The candidate is the plan in force from now on.
    InForce(PlanId),
    /// The candidate is in force nowhere and never will be.
    Refused(PlanId, String),
    /// A candidate was replaced by a newer one before it was offered.
    Superseded(PlanId),
    /// Every worker is dead after a stop.
    Ended,
}

/// Time that workers get.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// To answer an offer.
    pub prepare: Duration,
    /// To answer a commit, which is a pointer store.
    pub activate: Duration,
    /// Beyond the drain limit, before the rest is killed.
    pub exit: Duration,
}

/// The machine.
#[derive(Debug)]
pub struct Rollout {
    wanted: usize,
    patience: Patience,
    members: BTreeMap<WorkerId, Member>,
    /// Killed, and not yet known to be dead.
    dying: BTreeSet<WorkerId>,
    backoff: Backoff,
    current: Option<PlanId>,
    vote: Option<Vote>,
    waiting: Option<PlanId>,
    stopping: Option<Duration>,
    ended: bool,
    next_worker: u64,
    next_generation: u64,
}

#[derive(Debug)]
struct Member {
    step: Step,
    /// The generation that it is known to serve.
    serves: Option<PlanId>,
    since: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Idle,
    Preparing { generation: Generation, plan: PlanId, until: Duration },
    Prepared { generation: Generation },
    Committing { generation: Generation, plan: PlanId, until: Duration },
}

#[derive(Debug, Clone, Copy)]
struct Vote {
    generation: Generation,
    plan: PlanId,
}

impl Rollout {
    /// A machine that wants `workers` workers, none of which exists yet: the first step asks for them.
    pub fn new(workers: usize, patience: Patience) -> Self {
        let mut backoff = Backoff::default();
        backoff.start_now(workers);
        Self {
            wanted: workers,
            patience,
            members: BTreeMap::new(),
            dying: BTreeSet::new(),
            backoff,
            current: None,
            vote: None,
            waiting: None,
            stopping: None,
            ended: false,
            next_worker: 1,
            next_generation: 1,
        }
    }

    /// Takes one event in. `now` never goes back.
    pub fn step(&mut self, event: RolloutEvent, now: Duration) -> Vec<Action> {
        let mut actions = Vec::new();
        match event {
            RolloutEvent::Propose(plan) => self.propose(plan, &mut actions),
            RolloutEvent::Said(worker, answer) => self.said(worker, answer, now, &mut actions),
            RolloutEvent::Gone(worker) => self.gone(worker, now),
            RolloutEvent::Tick => {}
            RolloutEvent::Stop(limit) => self.stop(limit, now, &mut actions),
        }
        if self.stopping.is_some() {
            self.finish(now, &mut actions);
        } else {
            self.advance(now, &mut actions);
        }
        actions
    }

    /// When [`RolloutEvent::Tick`] is due at the latest.
    pub fn deadline(&self) -> Option<Duration> {
        let answers = self.members.values().filter_map(|member| match member.step {
            Step::Preparing { until, .. } | Step::Committing { until, .. } => Some(until),
            Step::Idle | Step::Prepared { .. } => None,
        });
        match self.stopping {
            Some(until) => (!self.members.is_empty()).then_some(until),
            None => answers.chain(self.backoff.next()).min(),
        }
    }

    /// Workers that serve some plan.
    pub fn serving(&self) -> usize {
        self.members.values().filter(|member| member.serves.is_some()).count()
    }

    /// The plan in force.
    pub fn current(&self) -> Option<PlanId> {
        self.current
    }

    /// True if every worker that is wanted serves the plan in force and nothing is under way.
    pub fn settled(&self) -> bool {
        self.vote.is_none()
            && self.waiting.is_none()
            && self.members.len() == self.wanted
            && self.members.values().all(|member| {
                member.step == Step::Idle && member.serves.is_some() && member.serves == self.current
            })
    }

    /// The next death is one of a row, however long that worker lived: the same request is suspected of several.
    pub fn suspect(&mut self) {
        self.backoff.suspect();
    }

    fn propose(&mut self, plan: PlanId, actions: &mut Vec<Action>) {
        if self.stopping.is_some() {
            actions.push(Action::Superseded(plan));
        } else if let Some(older) = self.waiting.replace(plan) {
            actions.push(Action::Superseded(older));
        }
    }

    fn said(&mut self, worker: WorkerId, answer: ToSupervisor, now: Duration, actions: &mut Vec<Action>) {
        let voting = self.vote.map(|vote| vote.generation);
        let Some(member) = self.members.get_mut(&worker) else { return };
        match (answer, member.step) {
            (ToSupervisor::Prepared(said), Step::Preparing { generation, plan, .. })
                if said == generation =>
            {
                if voting == Some(generation) {
                    member.step = Step::Prepared { generation };
                } else {
                    // It stands alone: the plan is in force already.
                    let until = now + self.patience.activate;
                    member.step = Step::Committing { generation, plan, until };
                    actions.push(Action::Commit(worker, generation));
                }
            }
            (ToSupervisor::Rejected { generation: said, why }, Step::Preparing { generation, .. })
                if said == generation =>
            {
                if voting == Some(generation) {
                    self.refuse(&format!("worker {} rejects it: {why}", worker.0), Some(worker), actions);
                } else {
                    self.kill(worker, format!("it rejects the plan in force: {why}"), now, actions);
                }
            }
            (ToSupervisor::Active(said), Step::Committing { generation, plan, .. }) if said == generation => {
                member.step = Step::Idle;
                member.serves = Some(plan);
            }
            // Late answers to offers that were replaced or withdrawn.
            _ => {}
        }
    }

    fn gone(&mut self, worker: WorkerId, now: Duration) {
        if let Some(member) = self.members.remove(&worker) {
            self.backoff.died(now.saturating_sub(member.since), now);
        }
        self.dying.remove(&worker);
    }

    fn kill(&mut self, worker: WorkerId, why: String, now: Duration, actions: &mut Vec<Action>) {
        self.gone(worker, now);
        self.dying.insert(worker);
        actions.push(Action::Kill(worker, why));
    }

    fn stop(&mut self, limit: Duration, now: Duration, actions: &mut Vec<Action>) {
        if self.stopping.is_some() {
            return;
        }
        self.stopping = Some(now + limit + self.patience.exit);
        self.vote = None;
        if let Some(plan) = self.waiting.take() {
            actions.push(Action::Superseded(plan));
        }
        actions.extend(self.members.keys().map(|worker| Action::Drain(*worker)));
    }

    /// After a stop: wait for exits, kill what is late, say once that all is over.
    fn finish(&mut self, now: Duration, actions: &mut Vec<Action>) {
        if self.stopping.is_some_and(|until| until <= now) {
            let late: Vec<_> = self.members.keys().copied().collect();
            for worker in late {
                self.kill(worker, "it did not finish in time".into(), now, actions);
            }
        }
        if self.members.is_empty() && self.dying.is_empty() && !self.ended {
            self.ended = true;
            actions.push(Action::Ended);
        }
    }

    fn advance(&mut self, now: Duration, actions: &mut Vec<Action>) {
        self.expire(now, actions);
        self.count(now, actions);
        while self.members.len() < self.wanted && self.backoff.take_due(now) {
            let worker = WorkerId(self.next_worker);
            self.next_worker += 1;
            self.members.insert(worker, Member { step: Step::Idle, serves: None, since: now });
            actions.push(Action::Spawn(worker));
        }
        self.call_vote(now, actions);
        self.catch_up(now, actions);
    }

    /// Silence is an answer: such a worker is replaced.
    fn expire(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let silent: Vec<_> = self
            .members
            .iter()
            .filter_map(|(worker, member)| match member.step {
                Step::Preparing { until, .. } if until <= now => {
                    Some((*worker, "it did not answer an offer"))
                }
                Step::Committing { until, .. } if until <= now => {
                    Some((*worker, "it did not answer a commit"))
                }
                _ => None,
            })
            .collect();
        for (worker, why) in silent {
            self.kill(worker, why.into(), now, actions);
        }
    }
}
