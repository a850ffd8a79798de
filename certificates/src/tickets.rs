//! Keys of session tickets: a fresh one every few hours, the ones before kept until their last ticket has run out. They
//! live in memory alone, from which an upgrade takes them over; a restart costs clients a full handshake each.

use std::fmt;
use std::time::Duration;

use aws_lc_rs::rand::fill;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use waf_shared::control::{Secret, TicketKey, Tickets};
use waf_shared::limits::{TICKET_KEY_SECONDS, TICKET_SECONDS};

/// Time for which a key makes tickets.
pub const ROTATION: Duration = Duration::from_secs(TICKET_KEY_SECONDS);

/// Keys that are kept: the current one, and those before whose tickets are still good.
const KEPT: usize = 1 + TICKET_SECONDS.div_ceil(TICKET_KEY_SECONDS) as usize;

const SECRET_BYTES: usize = 32;

/// The keys, newest first.
#[derive(Debug, Clone, Default)]
pub struct Rotation {
    keys: Vec<TicketKey>,
    turned: Option<Instant>,
}

/// The keys as a supervisor hands them to its successor.
#[derive(Clone, Serialize, Deserialize)]
pub struct TicketHandover {
    /// Name and secret of each, newest first.
    keys: Vec<([u8; 16], Vec<u8>)>,
    /// Age of the newest.
    age: Duration,
}

impl fmt::Debug for TicketHandover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TicketHandover").field("keys", &self.keys.len()).field("age", &self.age).finish()
    }
}

/// The system has no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("no random numbers can be had")]
pub struct NoRandom;

impl Rotation {
    /// Puts a fresh key in front and forgets the oldest.
    pub fn turn(&mut self) -> Result<Tickets, NoRandom> {
        let (mut name, mut secret) = ([0; 16], vec![0; SECRET_BYTES]);
        fill(&mut name).and_then(|()| fill(&mut secret)).map_err(|_| NoRandom)?;
        self.keys.insert(0, TicketKey { name, secret: Secret(secret) });
        self.keys.truncate(KEPT);
        self.turned = Some(Instant::now());
        Ok(self.tickets())
    }

    /// Goes on with the keys of an older supervisor: clients resume, and the next fresh key is due when it would have
    /// been.
    /// `None` when they are no keys.
    pub fn inherit(handover: TicketHandover) -> Option<Rotation> {
        let TicketHandover { keys, age } = handover;
        let keys = keys.into_iter().map(|(name, secret)| TicketKey { name, secret: Secret(secret) });
        let turned = Instant::now().checked_sub(age.min(ROTATION));
        let rotation = Rotation { keys: keys.collect(), turned };
        let is_bounded = rotation.keys.len() <= KEPT
            && rotation.tickets().bounded().is_ok()
            && rotation.keys.iter().all(|key| key.secret.0.len() == SECRET_BYTES);
        is_bounded.then_some(rotation)
    }

    /// The keys for a successor.
    pub fn hand_over(&self) -> Option<TicketHandover> {
        let keys: Vec<_> = self.keys.iter().map(|key| (key.name, key.secret.0.clone())).collect();
        let age = self.turned?.elapsed();
        (!keys.is_empty()).then_some(TicketHandover { keys, age })
    }

    /// All keys.
    pub fn tickets(&self) -> Tickets {
        Tickets { keys: self.keys.clone() }
    }

    /// When a fresh key is due.
    pub fn due(&self) -> Instant {
        self.turned.map_or_else(Instant::now, |turned| turned + ROTATION)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_until_its_last_ticket_has_run_out() {
        let mut rotation = Rotation::default();
        let first = rotation.turn().unwrap();
        assert_eq!(first.keys.len(), 1);
        let key = &first.keys[0];
        assert!(key.secret.0.len() == 32 && key.secret.0.iter().any(|byte| *byte != 0));
        let kept = (TICKET_SECONDS / TICKET_KEY_SECONDS) as usize;
        for turn in 1..=kept {
            let keys = rotation.turn().unwrap();
            assert!(keys.bounded().is_ok());
            assert_eq!(keys.keys.iter().position(|kept| kept == key), Some(turn));
        }
        assert!(!rotation.turn().unwrap().keys.contains(key));
    }

    #[tokio::test(start_paused = true)]
    async fn a_successor_goes_on_with_the_same_keys_and_the_same_clock() {
        let mut old = Rotation::default();
        assert!(old.hand_over().is_none());
        old.turn().unwrap();
        old.turn().unwrap();
        tokio::time::advance(ROTATION / 4).await;
        let handover = old.hand_over().unwrap();
        assert!(!format!("{handover:?}").contains('['), "secrets are not shown");
        let handover: TicketHandover =
            serde_json::from_value(serde_json::to_value(&handover).unwrap()).unwrap();
        let new = Rotation::inherit(handover.clone()).unwrap();
        assert_eq!(new.tickets(), old.tickets());
        assert_eq!(new.due() - Instant::now(), ROTATION / 4 * 3);
        let none = TicketHandover { keys: Vec::new(), ..handover.clone() };
        let short = TicketHandover { keys: vec![([1; 16], vec![2; 3])], ..handover.clone() };
        let many = TicketHandover { keys: vec![([1; 16], vec![2; 32]); 1000], ..handover };
        for invalid in [none, short, many] {
            assert!(Rotation::inherit(invalid).is_none());
        }
    }
}
