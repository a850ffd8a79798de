//! The machine, step by step.

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
    let offers = machine.step(RolloutEvent::Propose(PlanId(1)), at(0));
    assert_eq!(offers.iter().filter(|action| matches!(action, Action::Offer { .. })).count(), 2);
    let one = Generation(1);
    assert_eq!(machine.step(RolloutEvent::Said(A, ToSupervisor::Prepared(one)), at(0)), []);
    assert_eq!(
        machine.step(RolloutEvent::Said(B, ToSupervisor::Prepared(one)), at(0)),
        [Action::InForce(PlanId(1)), Action::Commit(A, one), Action::Commit(B, one)]
    );
    machine.step(RolloutEvent::Said(A, ToSupervisor::Active(one)), at(0));
    assert!(!machine.settled());
    machine.step(RolloutEvent::Said(B, ToSupervisor::Active(one)), at(0));
    assert!(machine.settled());
    machine
}

#[test]
fn one_rejection_abandons_the_candidate_in_all() {
    let mut machine = booted();
    machine.step(RolloutEvent::Propose(PlanId(2)), at(1));
    let two = Generation(2);
    machine.step(RolloutEvent::Said(A, ToSupervisor::Prepared(two)), at(1));
    let rejected = ToSupervisor::Rejected { generation: two, why: "no".into() };
    assert_eq!(
        machine.step(RolloutEvent::Said(B, rejected), at(1)),
        [Action::Abandon(A, two), Action::Refused(PlanId(2), "worker 2 rejects it: no".into())]
    );
    assert!(machine.settled());
    assert_eq!(machine.current(), Some(PlanId(1)));
}

#[test]
fn a_silent_worker_is_replaced_and_its_vote_does_not_count() {
    let mut machine = booted();
    machine.step(RolloutEvent::Propose(PlanId(2)), at(1));
    let two = Generation(2);
    machine.step(RolloutEvent::Said(A, ToSupervisor::Prepared(two)), at(1));
    assert_eq!(machine.deadline(), Some(at(11)));
    assert_eq!(
        machine.step(RolloutEvent::Tick, at(11)),
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
    machine.step(RolloutEvent::Propose(PlanId(2)), at(60));
    machine.step(RolloutEvent::Gone(A), at(60));
    let actions = machine.step(RolloutEvent::Gone(B), at(60));
    assert!(matches!(actions.first(), Some(Action::Refused(PlanId(2), _))), "{actions:?}");
    let fourth = Action::Offer { worker: WorkerId(4), generation: Generation(4), plan: PlanId(1) };
    assert!(actions.contains(&fourth), "{actions:?}");
}

#[test]
fn a_dead_worker_is_replaced_at_once_with_the_plan_in_force() {
    let mut machine = booted();
    assert_eq!(
        machine.step(RolloutEvent::Gone(A), at(60)),
        [Action::Spawn(C), Action::Offer { worker: C, generation: Generation(2), plan: PlanId(1) }]
    );
    let prepared = ToSupervisor::Prepared(Generation(2));
    assert_eq!(machine.step(RolloutEvent::Said(C, prepared), at(60)), [Action::Commit(C, Generation(2))]);
    assert_eq!(machine.serving(), 1);
    machine.step(RolloutEvent::Said(C, ToSupervisor::Active(Generation(2))), at(60));
    assert!(machine.settled());
}

#[test]
fn a_worker_that_rejects_the_plan_in_force_is_replaced() {
    let mut machine = booted();
    machine.step(RolloutEvent::Gone(A), at(60));
    let rejected = ToSupervisor::Rejected { generation: Generation(2), why: "memory".into() };
    let actions = machine.step(RolloutEvent::Said(C, rejected), at(60));
    assert!(matches!(actions.first(), Some(Action::Kill(C, _))), "{actions:?}");
    assert_eq!(machine.serving(), 1);
    assert!(machine.deadline().is_some());
}

#[test]
fn the_latest_candidate_wins_while_a_vote_is_under_way() {
    let mut machine = booted();
    machine.step(RolloutEvent::Propose(PlanId(2)), at(1));
    assert_eq!(machine.step(RolloutEvent::Propose(PlanId(3)), at(1)), []);
    assert_eq!(machine.step(RolloutEvent::Propose(PlanId(4)), at(1)), [Action::Superseded(PlanId(3))]);
}

#[test]
fn a_stop_drains_then_kills_then_ends() {
    let mut machine = booted();
    assert_eq!(machine.step(RolloutEvent::Stop(at(30)), at(1)), [Action::Drain(A), Action::Drain(B)]);
    assert_eq!(machine.step(RolloutEvent::Gone(A), at(2)), []);
    assert_eq!(machine.deadline(), Some(at(33)));
    assert_eq!(
        machine.step(RolloutEvent::Tick, at(33)),
        [Action::Kill(B, "it did not finish in time".into())]
    );
    assert_eq!(machine.step(RolloutEvent::Gone(B), at(33)), [Action::Ended]);
    assert_eq!(machine.step(RolloutEvent::Tick, at(34)), []);
}
