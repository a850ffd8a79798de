//! The workers that run: by number, with the revision of the challenges that each answers, and the tasks that read
//! their audit streams. It knows which there are, nothing of when one is started or what it is sent.

use std::collections::BTreeMap;

use tokio::task::JoinSet;

use crate::crashes::Crashes;
use crate::rollout::WorkerId;

/// The workers.
pub(super) struct Fleet<W> {
    /// Number of workers that are wanted; those that were started first. Later ones are restarts.
    size: usize,
    started: usize,
    workers: BTreeMap<WorkerId, Member<W>>,
    /// Tasks that read the workers' audit streams; they outlive the workers.
    pub(super) readers: JoinSet<()>,
    /// Requests that were in flight when workers died.
    pub(super) crashes: Crashes,
}

struct Member<W> {
    worker: W,
    /// The revision of the challenges that it answers; `None` before it has answered any.
    challenged: Option<u64>,
}

impl<W> Fleet<W> {
    pub(super) fn new(size: usize) -> Self {
        let (readers, crashes) = (JoinSet::new(), Crashes::default());
        Self { size, started: 0, workers: BTreeMap::new(), readers, crashes }
    }

    /// Counts a start; true for one in place of a dead worker.
    pub(super) fn count_start(&mut self) -> bool {
        self.started += 1;
        self.started > self.size
    }

    pub(super) fn add(&mut self, id: WorkerId, worker: W) {
        self.workers.insert(id, Member { worker, challenged: None });
    }

    pub(super) fn get(&self, id: WorkerId) -> Option<&W> {
        self.workers.get(&id).map(|member| &member.worker)
    }

    /// Every worker and its number.
    pub(super) fn iter(&self) -> impl Iterator<Item = (WorkerId, &W)> {
        self.workers.iter().map(|(id, member)| (*id, &member.worker))
    }

    pub(super) fn remove(&mut self, id: WorkerId) -> Option<W> {
        self.workers.remove(&id).map(|member| member.worker)
    }

    /// Drops every worker, which ends the processes.
    pub(super) fn clear(&mut self) {
        self.workers.clear();
    }

    /// Records the revision of the challenges that a worker answers.
    pub(super) fn set_challenged(&mut self, id: WorkerId, revision: u64) {
        if let Some(member) = self.workers.get_mut(&id) {
            member.challenged = Some(revision);
        }
    }

    /// The revision of the challenges that is answered everywhere. A worker that has reported none does not serve yet
    /// and is not counted.
    pub(super) fn challenged_everywhere(&self) -> u64 {
        self.workers.values().filter_map(|member| member.challenged).min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_beyond_the_first_ones_are_restarts() {
        let mut fleet = Fleet::<()>::new(2);
        assert_eq!([(); 4].map(|()| fleet.count_start()), [false, false, true, true]);
    }

    #[test]
    fn a_challenge_is_answered_once_every_serving_worker_answers_it() {
        let mut fleet = Fleet::new(2);
        assert_eq!(fleet.challenged_everywhere(), 0);
        let [one, two, gone] = [1, 2, 3].map(WorkerId);
        fleet.add(one, "one");
        fleet.add(two, "two");
        fleet.set_challenged(one, 7);
        assert_eq!(fleet.challenged_everywhere(), 7, "the second does not serve yet");
        fleet.set_challenged(two, 6);
        fleet.set_challenged(gone, 1);
        assert_eq!(fleet.challenged_everywhere(), 6);
        assert_eq!(fleet.remove(two), Some("two"));
        assert_eq!((fleet.challenged_everywhere(), fleet.get(two), fleet.get(one)), (7, None, Some(&"one")));
        fleet.clear();
        assert_eq!(fleet.challenged_everywhere(), 0);
    }
}
