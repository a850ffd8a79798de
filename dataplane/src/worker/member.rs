//! The worker's side of the handover, as a pure state machine: which offer it prepares, which one is ready, which
//! one serves. It knows no socket, no runtime and no plan; `S` stands for whatever was made ready.

use waf_shared::control::{Generation, ToSupervisor};

/// A worker's place in the handover.
#[derive(Debug)]
pub struct Member<S> {
    /// Highest offer seen: older ones are late and count for nothing.
    seen: Option<Generation>,
    pending: Pending<S>,
    active: Option<Generation>,
}

#[derive(Debug)]
enum Pending<S> {
    Nothing,
    Building(Generation),
    Ready(Generation, S),
}

/// Action that an offer asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Offered {
    /// Make the plan ready and report to [`Member::built`].
    Build,
    /// The offer is older than another one: nothing.
    Late,
}

/// A commit of an offer that is not ready.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("generation {0} was committed and is not prepared here")]
pub struct NotPrepared(pub Generation);

impl<S> Default for Member<S> {
    fn default() -> Self {
        Self { seen: None, pending: Pending::Nothing, active: None }
    }
}

impl<S> Member<S> {
    /// An offer came. It replaces what was pending: only the latest offer can be committed.
    pub fn offered(&mut self, generation: Generation) -> Offered {
        if self.seen.is_some_and(|seen| generation <= seen) {
            return Offered::Late;
        }
        self.seen = Some(generation);
        self.pending = Pending::Building(generation);
        Offered::Build
    }

    /// A plan is ready or cannot be. `None` when the offer was replaced or abandoned meanwhile.
    pub fn built(&mut self, generation: Generation, built: Result<S, String>) -> Option<ToSupervisor> {
        if !matches!(self.pending, Pending::Building(pending) if pending == generation) {
            return None;
        }
        match built {
            Ok(ready) => {
                self.pending = Pending::Ready(generation, ready);
                Some(ToSupervisor::Prepared(generation))
            }
            Err(why) => {
                self.pending = Pending::Nothing;
                Some(ToSupervisor::Rejected { generation, why })
            }
        }
    }

    /// A commit came: what was made ready is handed out to be served. Anything else than the prepared offer means
    /// that the two sides disagree, and a worker that disagrees must not go on.
    pub fn committed(&mut self, generation: Generation) -> Result<S, NotPrepared> {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Ready(ready, prepared) if ready == generation => {
                self.active = Some(generation);
                Ok(prepared)
            }
            _ => Err(NotPrepared(generation)),
        }
    }

    /// An offer was withdrawn; what serves goes on.
    pub fn abandoned(&mut self, generation: Generation) {
        if let Pending::Building(pending) | Pending::Ready(pending, _) = &self.pending
            && *pending == generation
        {
            self.pending = Pending::Nothing;
        }
    }

    /// The offer that serves.
    pub fn active(&self) -> Option<Generation> {
        self.active
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    const ONE: Generation = Generation(1);
    const TWO: Generation = Generation(2);

    #[test]
    fn an_offer_becomes_active_by_its_commit_alone() {
        let mut member = Member::default();
        assert_eq!(member.offered(ONE), Offered::Build);
        assert_eq!(member.active(), None);
        assert_eq!(member.built(ONE, Ok("plan")), Some(ToSupervisor::Prepared(ONE)));
        assert_eq!(member.active(), None);
        assert_eq!(member.committed(ONE), Ok("plan"));
        assert_eq!(member.active(), Some(ONE));
    }

    #[test]
    fn what_was_replaced_abandoned_or_never_offered_cannot_be_committed() {
        let mut member = Member::<&str>::default();
        assert_eq!(member.committed(ONE), Err(NotPrepared(ONE)));
        member.offered(ONE);
        member.offered(TWO);
        assert_eq!(member.built(ONE, Ok("old")), None);
        assert_eq!(member.offered(ONE), Offered::Late);
        member.built(TWO, Ok("new"));
        member.abandoned(ONE);
        member.abandoned(TWO);
        assert_eq!(member.committed(TWO), Err(NotPrepared(TWO)));
        assert_eq!(member.active(), None);
    }

    #[test]
    fn a_rejected_offer_leaves_what_serves() {
        let mut member = Member::default();
        member.offered(ONE);
        member.built(ONE, Ok("plan"));
        member.committed(ONE).unwrap();
        member.offered(TWO);
        let answer = member.built(TWO, Err("broken".into()));
        assert_eq!(answer, Some(ToSupervisor::Rejected { generation: TWO, why: "broken".into() }));
        assert_eq!(member.active(), Some(ONE));
        assert_eq!(member.committed(TWO), Err(NotPrepared(TWO)));
    }
}
