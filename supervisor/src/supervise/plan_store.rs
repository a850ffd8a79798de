//! Plans that were proposed and the one in force, by number. It knows their order, nothing of what a candidate consists
//! of.

use std::collections::BTreeMap;

use crate::rollout::PlanId;

/// Candidates by number; that of the plan in force is kept until the next one is in force.
#[derive(Debug)]
pub(super) struct PlanStore<C> {
    candidates: BTreeMap<PlanId, C>,
    last: u64,
    in_force: Option<PlanId>,
}

impl<C> Default for PlanStore<C> {
    fn default() -> Self {
        Self { candidates: BTreeMap::new(), last: 0, in_force: None }
    }
}

impl<C> PlanStore<C> {
    /// Adds a candidate under the next number.
    pub(super) fn add(&mut self, candidate: C) -> PlanId {
        self.last += 1;
        let plan = PlanId(self.last);
        self.candidates.insert(plan, candidate);
        plan
    }

    pub(super) fn get(&self, plan: PlanId) -> Option<&C> {
        self.candidates.get(&plan)
    }

    /// Forgets a candidate that is not going to be in force.
    pub(super) fn remove(&mut self, plan: PlanId) -> Option<C> {
        self.candidates.remove(&plan)
    }

    /// The candidate of the plan in force.
    pub(super) fn in_force(&self) -> Option<&C> {
        self.candidates.get(&self.in_force?)
    }

    /// Puts a plan in force; the result is every candidate before it. Later ones stay.
    pub(super) fn put_in_force(&mut self, plan: PlanId) -> Vec<C> {
        self.in_force = Some(plan);
        let current = self.candidates.split_off(&plan);
        std::mem::replace(&mut self.candidates, current).into_values().collect()
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut C> {
        self.candidates.values_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_in_force_replaces_what_came_before_and_leaves_what_comes_next() {
        let mut plans = PlanStore::default();
        assert!(plans.in_force().is_none());
        let [first, second, third] = ["first", "second", "third"].map(|name| plans.add(name));
        assert!(first < second && second < third);
        assert!(plans.put_in_force(first).is_empty());
        assert_eq!(plans.in_force(), Some(&"first"));
        assert_eq!(plans.put_in_force(second), ["first"]);
        assert_eq!((plans.in_force(), plans.get(third)), (Some(&"second"), Some(&"third")));
        assert_eq!(plans.remove(third), Some("third"));
        assert_eq!(plans.in_force(), Some(&"second"), "a refused plan changes nothing");
        let later = plans.add("later");
        assert!(later > third, "numbers are not used again");
        assert_eq!(plans.all_mut().count(), 2);
    }
}
