//! Keys of session tickets: a fresh one every few hours, the ones before kept until their last ticket has run out. They
//! live in memory alone; a restart costs clients a full handshake each.

use std::time::Duration;

use aws_lc_rs::rand::fill;
use waf_shared::control::{Secret, TicketKey, Tickets};
use waf_shared::limits::{TICKET_KEY_SECONDS, TICKET_SECONDS};

/// How long a key makes tickets.
pub const ROTATION: Duration = Duration::from_secs(TICKET_KEY_SECONDS);

/// Keys that are kept: the current one, and those before whose tickets are still good.
const KEPT: usize = 1 + TICKET_SECONDS.div_ceil(TICKET_KEY_SECONDS) as usize;

/// The keys, newest first.
#[derive(Debug, Default)]
pub struct Rotation {
    keys: Vec<TicketKey>,
}

/// The system has no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("no random numbers can be had")]
pub struct NoRandom;

impl Rotation {
    /// Puts a fresh key in front and forgets the oldest.
    pub fn turn(&mut self) -> Result<Tickets, NoRandom> {
        let (mut name, mut secret) = ([0; 16], vec![0; 32]);
        fill(&mut name).and_then(|()| fill(&mut secret)).map_err(|_| NoRandom)?;
        self.keys.insert(0, TicketKey { name, secret: Secret(secret) });
        self.keys.truncate(KEPT);
        Ok(Tickets { keys: self.keys.clone() })
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
}
