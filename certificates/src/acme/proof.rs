//! The way in which one order proves its host, and the means for it.

use super::challenge_store::{ChallengeStore, Note};
use super::dns_hook::{DnsHook, Record};
use super::settings::Challenge;

/// A challenge and what answers it.
#[derive(Debug, Clone)]
pub(super) struct Proof {
    pub(super) challenge: Challenge,
    pub(super) challenge_store: ChallengeStore,
    pub(super) dns_hook: Option<DnsHook>,
}

/// An answer to a challenge; it is taken down when this is dropped.
#[derive(Debug)]
pub(super) enum Posted {
    /// By the workers of every replica.
    Note(Note),
    /// By the name servers of the zone.
    Record { _record: Record },
}

impl Posted {
    /// Waits until it can be expected that whoever is asked answers. Whether that is known.
    pub(super) async fn answered(&self) -> bool {
        match self {
            Posted::Note(note) => note.answered().await,
            // The program ends only when the name servers answer.
            Posted::Record { .. } => true,
        }
    }
}
