//! Leadership among replicas. While this replica does not order, it is seen to be there and answers the challenges that
//! the elected one has posted. It knows locks and the store of challenges, nothing of orders.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{debug, info};

use super::blocking::blocking;
use super::challenge_store::ChallengeStore;
use super::election::{Elected, Present, appear, elect};
use super::failure::Failure;
use super::shared::{Following, LOOK};
use crate::disk::Layout;

/// Between two tries to be elected.
const ELECTION: Duration = Duration::from_secs(5);

/// Relation of this replica to the others.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It orders.
    Leads,
    /// It orders from now on: what another one did meanwhile has to be read first.
    Elected,
    /// Another one orders.
    Follows,
    /// It is not known yet.
    Waits,
}

/// The state behind it.
#[derive(Debug)]
pub(super) struct Leadership {
    layout: Layout,
    elected: Option<Elected>,
    present: Option<Present>,
    following: Following,
    election_at: Instant,
    look_at: Instant,
    /// True if another one was elected at the last try.
    follows: bool,
    is_told: bool,
}

impl Leadership {
    /// Nobody is elected before the first try.
    pub(super) fn new(layout: Layout) -> Leadership {
        let now = Instant::now();
        Leadership {
            layout,
            elected: None,
            present: None,
            following: Following::default(),
            election_at: now,
            look_at: now,
            follows: false,
            is_told: false,
        }
    }

    /// The relation of this replica. Once elected it stays so.
    pub(super) async fn stand(
        &mut self,
        challenge_store: &ChallengeStore,
        now: Instant,
    ) -> Result<Standing, Failure> {
        if self.elected.is_some() {
            return Ok(Standing::Leads);
        }
        if now >= self.election_at {
            self.election_at = now + ELECTION;
            self.follows = false;
            let path = self.layout.lock.clone();
            if let Some(elected) = blocking(move || elect(&path)).await? {
                self.elected = Some(elected);
                self.present = None;
                challenge_store.lead().await;
                return Ok(Standing::Elected);
            }
            self.follows = true;
            if !std::mem::replace(&mut self.is_told, true) {
                info!("another replica orders certificates; this one takes them from data_dir");
            }
        }
        if !self.follows {
            return Ok(Standing::Waits);
        }
        if now >= self.look_at {
            self.look_at = now + LOOK;
            self.follow(challenge_store, now).await;
        }
        Ok(Standing::Follows)
    }

    /// First seen, then looking: what the elected one posts after it saw this replica, this replica finds.
    async fn follow(&mut self, challenge_store: &ChallengeStore, now: Instant) {
        if self.present.is_none() {
            let path = self.layout.replicas.clone();
            match blocking(move || appear(&path)).await {
                Ok(present) => self.present = present,
                // The elected one does not wait for this replica then; the others lose nothing.
                Err(failure) => debug!(error = failure.text, "this replica is not seen by the others"),
            }
        }
        challenge_store.follow(&mut self.following, now).await;
    }

    /// When to stand again; never once elected.
    pub(super) fn due(&self) -> Option<Instant> {
        match (&self.elected, self.follows) {
            (Some(_), _) => None,
            (None, true) => Some(self.election_at.min(self.look_at)),
            (None, false) => Some(self.election_at),
        }
    }
}
