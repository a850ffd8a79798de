//! The watch over a plan that a reload has just brought into force. If workers die or fail more than before, the plan before
//! it is to be offered again. It knows numbers and times, nothing of workers or files.

use std::collections::VecDeque;
use std::time::Duration;

use waf_shared::plan::Digest;

/// Time that a new plan is watched, and the time before it that it is compared with.
const WATCH: Duration = Duration::from_secs(10);
/// Failures beyond those of the time before that are not chance.
const FAILURES_MIN: u64 = 2;
/// Pause between two looks at the counters.
const LOOK: Duration = Duration::from_secs(1);
/// Times of failures that are kept; more of them than this are as telling as this many.
const FAILURES_KEPT: usize = 1024;

/// The watch. `P` is what it takes to offer a plan again.
#[derive(Debug)]
pub(super) struct RollbackWatch<P> {
    is_on: bool,
    /// Times of deaths of workers and of internal errors.
    failures: VecDeque<Duration>,
    /// Internal errors that were counted so far.
    errors: u64,
    watched: Option<Watched<P>>,
    /// The plan that was rolled back last. Only a forced reload applies it again, and then for good.
    rolled_back: Option<Digest>,
    /// The plan that is on its way back.
    returning: Option<Digest>,
}

#[derive(Debug)]
struct Watched<P> {
    plan: Digest,
    since: Duration,
    /// Time of the next look.
    next: Duration,
    failures_before: u64,
    previous: P,
}

/// A plan that is to be replaced by the one before it.
#[derive(Debug)]
pub(super) struct Rollback<P> {
    /// The plan in force.
    pub(super) plan: Digest,
    /// Failures since it came into force.
    pub(super) failures: u64,
    /// The time since then.
    pub(super) after: Duration,
    /// The plan before it.
    pub(super) previous: P,
}

/// Effect of a plan that came into force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// A change of the configuration.
    New,
    /// The plan before a change that was rolled back.
    Returned,
}

impl<P> RollbackWatch<P> {
    pub(super) fn new(is_on: bool) -> Self {
        Self {
            is_on,
            failures: VecDeque::new(),
            errors: 0,
            watched: None,
            rolled_back: None,
            returning: None,
        }
    }

    /// The plan that was rolled back, while the one before it serves.
    pub(super) fn rolled_back(&self) -> Option<Digest> {
        self.rolled_back
    }

    /// A worker has died.
    pub(super) fn died(&mut self, now: Duration) {
        self.fail(now);
    }

    /// Takes the count of internal errors of all workers so far.
    pub(super) fn counted(&mut self, errors: u64, now: Duration) {
        let more = errors.saturating_sub(self.errors).min(FAILURES_KEPT as u64);
        self.errors = errors;
        for _ in 0..more {
            self.fail(now);
        }
    }

    fn fail(&mut self, now: Duration) {
        if self.failures.len() >= FAILURES_KEPT {
            self.failures.pop_front();
        }
        self.failures.push_back(now);
    }

    /// A plan came into force in place of another; there is none at the start.
    pub(super) fn in_force(&mut self, plan: Digest, replaced: Option<(Digest, P)>, now: Duration) -> Arrival {
        self.watched = None;
        if self.returning.take() == Some(plan) {
            return Arrival::Returned;
        }
        let Some((_, previous)) = replaced.filter(|(digest, _)| *digest != plan) else { return Arrival::New };
        let was_rolled_back = self.rolled_back.take() == Some(plan);
        if self.is_on && !was_rolled_back {
            let failures_before = self.failures_between(now.saturating_sub(WATCH), now);
            self.watched = Some(Watched { plan, since: now, next: now + LOOK, failures_before, previous });
        }
        Arrival::New
    }

    /// Time of the next [`RollbackWatch::look`], while a plan is watched.
    pub(super) fn due(&self) -> Option<Duration> {
        self.watched.as_ref().map(|watched| watched.next)
    }

    /// Judges the plan that is watched. What it returns is to be offered again.
    pub(super) fn look(&mut self, now: Duration) -> Option<Rollback<P>> {
        let (since, failures_before) =
            self.watched.as_ref().map(|watched| (watched.since, watched.failures_before))?;
        let failures = self.failures_between(since, since + WATCH);
        if failures >= failures_before.saturating_add(FAILURES_MIN) {
            let Watched { plan, previous, .. } = self.watched.take()?;
            self.rolled_back = Some(plan);
            return Some(Rollback { plan, failures, after: now.saturating_sub(since), previous });
        }
        let is_over = now.saturating_sub(since) > WATCH;
        self.watched =
            self.watched.take().filter(|_| !is_over).map(|watched| Watched { next: now + LOOK, ..watched });
        None
    }

    /// A plan is on its way back.
    pub(super) fn returns(&mut self, plan: Digest) {
        self.returning = Some(plan);
    }

    /// True for the plan that is on its way back.
    pub(super) fn is_returning(&self, plan: Digest) -> bool {
        self.returning == Some(plan)
    }

    /// True for a plan that was rolled back.
    pub(super) fn was_rolled_back(&self, plan: Digest) -> bool {
        self.rolled_back == Some(plan)
    }

    fn failures_between(&self, from: Duration, to: Duration) -> u64 {
        self.failures.iter().filter(|at| (from..=to).contains(*at)).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Digest = Digest([1; 32]);
    const NEW: Digest = Digest([2; 32]);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A watch over `NEW`, which replaced `OLD` at 100 s.
    fn watch(failures_before: &[u64]) -> RollbackWatch<Digest> {
        let mut watch = RollbackWatch::new(true);
        assert_eq!(watch.in_force(OLD, None, at(0)), Arrival::New);
        assert!(watch.due().is_none(), "the first plan has none before it");
        for second in failures_before {
            watch.died(at(*second));
        }
        assert_eq!(watch.in_force(NEW, Some((OLD, OLD)), at(100)), Arrival::New);
        watch
    }

    #[test]
    fn two_failures_more_than_before_roll_back() {
        for (before, after, expected) in [
            (&[][..], &[101][..], false),
            (&[], &[101, 109], true),
            (&[89], &[101, 110], true),
            (&[95], &[101, 102], false),
            (&[95], &[101, 102, 103], true),
            (&[], &[101, 111], false),
        ] {
            let mut watch = watch(before);
            let mut rolled = None;
            for second in 100..120 {
                after.iter().filter(|death| **death == second).for_each(|death| watch.died(at(*death)));
                rolled = rolled.or_else(|| watch.look(at(second)));
            }
            assert_eq!(
                rolled.map(|rollback| rollback.previous),
                expected.then_some(OLD),
                "{before:?} {after:?}"
            );
            assert!(watch.due().is_none());
        }
    }

    #[test]
    fn internal_errors_count_once() {
        let mut watch = watch(&[]);
        watch.counted(1, at(101));
        watch.counted(1, at(102));
        assert!(watch.look(at(102)).is_none());
        watch.counted(2, at(103));
        let rollback = watch.look(at(103)).expect("two errors");
        assert_eq!((rollback.plan, rollback.failures, rollback.after), (NEW, 2, at(3)));
        watch.counted(u64::MAX, at(104));
        assert!(watch.failures.len() <= FAILURES_KEPT);
    }

    #[test]
    fn a_plan_is_rolled_back_once() {
        let mut watch = watch(&[]);
        watch.counted(9, at(101));
        assert!(watch.look(at(101)).is_some());
        watch.returns(OLD);
        assert_eq!(watch.in_force(OLD, Some((NEW, NEW)), at(102)), Arrival::Returned);
        assert!(watch.was_rolled_back(NEW) && watch.due().is_none());
        watch.in_force(OLD, Some((OLD, OLD)), at(103));
        assert!(watch.was_rolled_back(NEW), "the same plan again is no change");
        // Forced, it is applied for good.
        assert_eq!(watch.in_force(NEW, Some((OLD, OLD)), at(130)), Arrival::New);
        assert!(watch.due().is_none() && watch.rolled_back().is_none());
    }

    #[test]
    fn it_can_be_off() {
        let mut watch = RollbackWatch::new(false);
        watch.in_force(NEW, Some((OLD, OLD)), at(100));
        watch.counted(9, at(101));
        assert!(watch.due().is_none() && watch.look(at(101)).is_none());
    }
}
