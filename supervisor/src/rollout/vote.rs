//! Offers of plans: a candidate to every worker, in one vote, and the plan in force to whoever stands apart from it.

use std::time::Duration;

use waf_shared::control::Generation;

use super::{Action, Rollout, Step, Vote, WorkerId};

impl Rollout {
    /// Decides the vote when nobody is left to wait for.
    pub(super) fn count(&mut self, now: Duration, actions: &mut Vec<Action>) {
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
    pub(super) fn refuse(&mut self, why: &str, rejected_by: Option<WorkerId>, actions: &mut Vec<Action>) {
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
    pub(super) fn call_vote(&mut self, now: Duration, actions: &mut Vec<Action>) {
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
    pub(super) fn catch_up(&mut self, now: Duration, actions: &mut Vec<Action>) {
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
