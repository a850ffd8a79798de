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

/// What can happen.
#[derive(Debug)]
pub enum Event {
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

/// What is to be done, in this order.
#[derive(Debug, PartialEq, Eq)]
pub enum Action {
    /// Start this worker. A failure to do so is [`Event::Gone`].
    Spawn(WorkerId),
    /// Send an offer.
    Offer {
        /// To whom.
        worker: WorkerId,
        /// Number of the offer.
        generation: Generation,
        /// What is offered.
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
    /// What it is known to serve.
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
    pub fn step(&mut self, event: Event, now: Duration) -> Vec<Action> {
        let mut actions = Vec::new();
        match event {
            Event::Propose(plan) => self.propose(plan, &mut actions),
            Event::Said(worker, answer) => self.said(worker, answer, now, &mut actions),
            Event::Gone(worker) => self.gone(worker, now),
            Event::Tick => {}
            Event::Stop(limit) => self.stop(limit, now, &mut actions),
        }
        if self.stopping.is_some() {
            self.finish(now, &mut actions);
        } else {
            self.advance(now, &mut actions);
        }
        actions
    }

    /// When [`Event::Tick`] is due at the latest.
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

    /// Whether every worker that is wanted serves the plan in force and nothing is under way.
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

    /// Decides the vote when nobody is left to wait for.
    fn count(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let Some(vote) = self.vote else { return };
        let mut prepared = Vec::new();
        for (worker, member) in &self.members {
            match member.step {
                Step::Preparing { generation, .. } if generation == vote.generation => return,
                Step::Prepared { generation } if generation == vote.generation => prepared.push(*worker),
                _ => {}
            }
        }
        if prepared.is_empty() {
            self.refuse("no worker that it was offered to lived to prepare it", None, actions);
            return;
        }
        self.vote = None;
        self.current = Some(vote.plan);
        actions.push(Action::InForce(vote.plan));
        let until = now + self.patience.activate;
        for worker in prepared {
            if let Some(member) = self.members.get_mut(&worker) {
                member.step = Step::Committing { generation: vote.generation, plan: vote.plan, until };
                actions.push(Action::Commit(worker, vote.generation));
            }
        }
    }

    /// Ends the vote: all that were offered the candidate go back to what they had. The one that rejected it has
    /// forgotten it already.
    fn refuse(&mut self, why: &str, rejected_by: Option<WorkerId>, actions: &mut Vec<Action>) {
        let Some(vote) = self.vote.take() else { return };
        for (worker, member) in &mut self.members {
            if let Step::Preparing { generation, .. } | Step::Prepared { generation } = member.step
                && generation == vote.generation
            {
                member.step = Step::Idle;
                if rejected_by != Some(*worker) {
                    actions.push(Action::Abandon(*worker, generation));
                }
            }
        }
        actions.push(Action::Refused(vote.plan, why.to_owned()));
    }

    /// Offers a waiting candidate to every worker. A vote begins only when no commit is under way, so that a worker
    /// never has two steps to answer for.
    fn call_vote(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let busy = self.members.values().any(|member| matches!(member.step, Step::Committing { .. }));
        if self.vote.is_some() || busy || self.members.is_empty() {
            return;
        }
        let Some(plan) = self.waiting.take() else { return };
        let generation = self.generation();
        self.vote = Some(Vote { generation, plan });
        let until = now + self.patience.prepare;
        for (worker, member) in &mut self.members {
            member.step = Step::Preparing { generation, plan, until };
            actions.push(Action::Offer { worker: *worker, generation, plan });
        }
    }

    /// Offers the plan in force to every worker that stands apart from it.
    fn catch_up(&mut self, now: Duration, actions: &mut Vec<Action>) {
        let Some(plan) = self.current else { return };
        let until = now + self.patience.prepare;
        let apart: Vec<_> = self
            .members
            .iter()
            .filter(|(_, member)| member.step == Step::Idle && member.serves != Some(plan))
            .map(|(worker, _)| *worker)
            .collect();
        for worker in apart {
            let generation = self.generation();
            if let Some(member) = self.members.get_mut(&worker) {
                member.step = Step::Preparing { generation, plan, until };
                actions.push(Action::Offer { worker, generation, plan });
            }
        }
    }

    fn generation(&mut self) -> Generation {
        let generation = Generation(self.next_generation);
        self.next_generation += 1;
        generation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience {
        prepare: Duration::from_secs(10),
        activate: Duration::from_secs(5),
        exit: Duration::from_secs(2),
    };
    const A: WorkerId = WorkerId(1);
    const B: WorkerId = WorkerId(2);
    const C: WorkerId = WorkerId(3);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Two workers that serve plan 1, at second 0.
    fn booted() -> Rollout {
        let mut machine = Rollout::new(2, PATIENCE);
        let offers = machine.step(Event::Propose(PlanId(1)), at(0));
        assert_eq!(offers.iter().filter(|action| matches!(action, Action::Offer { .. })).count(), 2);
        let one = Generation(1);
        assert_eq!(machine.step(Event::Said(A, ToSupervisor::Prepared(one)), at(0)), []);
        assert_eq!(
            machine.step(Event::Said(B, ToSupervisor::Prepared(one)), at(0)),
            [Action::InForce(PlanId(1)), Action::Commit(A, one), Action::Commit(B, one)]
        );
        machine.step(Event::Said(A, ToSupervisor::Active(one)), at(0));
        assert!(!machine.settled());
        machine.step(Event::Said(B, ToSupervisor::Active(one)), at(0));
        assert!(machine.settled());
        machine
    }

    #[test]
    fn one_rejection_abandons_the_candidate_in_all() {
        let mut machine = booted();
        machine.step(Event::Propose(PlanId(2)), at(1));
        let two = Generation(2);
        machine.step(Event::Said(A, ToSupervisor::Prepared(two)), at(1));
        let rejected = ToSupervisor::Rejected { generation: two, why: "no".into() };
        assert_eq!(
            machine.step(Event::Said(B, rejected), at(1)),
            [Action::Abandon(A, two), Action::Refused(PlanId(2), "worker 2 rejects it: no".into())]
        );
        assert!(machine.settled());
        assert_eq!(machine.current(), Some(PlanId(1)));
    }

    #[test]
    fn a_silent_worker_is_replaced_and_its_vote_does_not_count() {
        let mut machine = booted();
        machine.step(Event::Propose(PlanId(2)), at(1));
        let two = Generation(2);
        machine.step(Event::Said(A, ToSupervisor::Prepared(two)), at(1));
        assert_eq!(machine.deadline(), Some(at(11)));
        assert_eq!(
            machine.step(Event::Tick, at(11)),
            [
                Action::Kill(B, "it did not answer an offer".into()),
                Action::InForce(PlanId(2)),
                Action::Commit(A, two),
                Action::Spawn(C),
                Action::Offer { worker: C, generation: Generation(3), plan: PlanId(2) },
            ]
        );
    }

    #[test]
    fn a_candidate_that_no_worker_survives_is_refused() {
        let mut machine = booted();
        machine.step(Event::Propose(PlanId(2)), at(60));
        machine.step(Event::Gone(A), at(60));
        let actions = machine.step(Event::Gone(B), at(60));
        assert!(matches!(actions.first(), Some(Action::Refused(PlanId(2), _))), "{actions:?}");
        let fourth = Action::Offer { worker: WorkerId(4), generation: Generation(4), plan: PlanId(1) };
        assert!(actions.contains(&fourth), "{actions:?}");
    }

    #[test]
    fn a_dead_worker_is_replaced_at_once_with_the_plan_in_force() {
        let mut machine = booted();
        assert_eq!(
            machine.step(Event::Gone(A), at(60)),
            [Action::Spawn(C), Action::Offer { worker: C, generation: Generation(2), plan: PlanId(1) }]
        );
        let prepared = ToSupervisor::Prepared(Generation(2));
        assert_eq!(machine.step(Event::Said(C, prepared), at(60)), [Action::Commit(C, Generation(2))]);
        assert_eq!(machine.serving(), 1);
        machine.step(Event::Said(C, ToSupervisor::Active(Generation(2))), at(60));
        assert!(machine.settled());
    }

    #[test]
    fn a_worker_that_rejects_the_plan_in_force_is_replaced() {
        let mut machine = booted();
        machine.step(Event::Gone(A), at(60));
        let rejected = ToSupervisor::Rejected { generation: Generation(2), why: "memory".into() };
        let actions = machine.step(Event::Said(C, rejected), at(60));
        assert!(matches!(actions.first(), Some(Action::Kill(C, _))), "{actions:?}");
        assert_eq!(machine.serving(), 1);
        assert!(machine.deadline().is_some());
    }

    #[test]
    fn the_latest_candidate_wins_while_a_vote_is_under_way() {
        let mut machine = booted();
        machine.step(Event::Propose(PlanId(2)), at(1));
        assert_eq!(machine.step(Event::Propose(PlanId(3)), at(1)), []);
        assert_eq!(machine.step(Event::Propose(PlanId(4)), at(1)), [Action::Superseded(PlanId(3))]);
    }

    #[test]
    fn a_stop_drains_then_kills_then_ends() {
        let mut machine = booted();
        assert_eq!(machine.step(Event::Stop(at(30)), at(1)), [Action::Drain(A), Action::Drain(B)]);
        assert_eq!(machine.step(Event::Gone(A), at(2)), []);
        assert_eq!(machine.deadline(), Some(at(33)));
        assert_eq!(machine.step(Event::Tick, at(33)), [Action::Kill(B, "it did not finish in time".into())]);
        assert_eq!(machine.step(Event::Gone(B), at(33)), [Action::Ended]);
        assert_eq!(machine.step(Event::Tick, at(34)), []);
    }
}
