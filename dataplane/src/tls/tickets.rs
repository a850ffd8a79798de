//! Session tickets that any worker opens (RFC 8446 section 4.6.1, RFC 5077): sealed with AES-256-GCM under keys that
//! come from the supervisor, so that nothing is remembered here. A ticket is the key's name, a nonce, and the sealed
//! session.

use std::fmt;

use arc_swap::ArcSwap;
use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use rustls::server::ProducesTickets;
use waf_shared::control::{TicketKey, Tickets};
use waf_shared::limits::TICKET_SECONDS;

const NAME_BYTES: usize = 16;

/// Makes and opens tickets under the keys of the moment. Without keys there are no tickets.
#[derive(Default)]
pub(super) struct Ticketer {
    /// The first one makes tickets.
    keys: ArcSwap<Vec<Key>>,
}

struct Key {
    name: [u8; NAME_BYTES],
    aead: RandomizedNonceKey,
}

impl fmt::Debug for Ticketer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticketer").field("keys", &self.keys.load().len()).finish()
    }
}

/// A key of a length that the cipher does not have.
#[derive(Debug, thiserror::Error)]
#[error("a ticket key is not 32 bytes long")]
pub(super) struct NoKey;

impl Ticketer {
    /// Replaces the keys.
    pub(super) fn install(&self, tickets: &Tickets) -> Result<(), NoKey> {
        let keys = tickets.keys.iter().map(Key::new).collect::<Result<Vec<_>, _>>()?;
        self.keys.store(keys.into());
        Ok(())
    }
}

impl Key {
    fn new(key: &TicketKey) -> Result<Key, NoKey> {
        let aead = RandomizedNonceKey::new(&AES_256_GCM, &key.secret.0).map_err(|_| NoKey)?;
        Ok(Key { name: key.name, aead })
    }
}

impl ProducesTickets for Ticketer {
    fn enabled(&self) -> bool {
        !self.keys.load().is_empty()
    }

    fn lifetime(&self) -> u32 {
        u32::try_from(TICKET_SECONDS).unwrap_or(u32::MAX)
    }

    fn encrypt(&self, plain: &[u8]) -> Option<Vec<u8>> {
        let keys = self.keys.load();
        let key = keys.first()?;
        let mut sealed = plain.to_vec();
        let nonce = key.aead.seal_in_place_append_tag(Aad::from(key.name), &mut sealed).ok()?;
        let mut ticket = Vec::with_capacity(NAME_BYTES + NONCE_LEN + sealed.len());
        ticket.extend_from_slice(&key.name);
        ticket.extend_from_slice(nonce.as_ref());
        ticket.extend_from_slice(&sealed);
        Some(ticket)
    }

    fn decrypt(&self, ticket: &[u8]) -> Option<Vec<u8>> {
        let (name, rest) = ticket.split_first_chunk::<NAME_BYTES>()?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_LEN>()?;
        let keys = self.keys.load();
        let key = keys.iter().find(|key| key.name == *name)?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let mut opened = sealed.to_vec();
        let length = key.aead.open_in_place(nonce, Aad::from(key.name), &mut opened).ok()?.len();
        opened.truncate(length);
        Some(opened)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use waf_shared::control::Secret;

    use super::*;

    fn keys(numbers: &[u8]) -> Tickets {
        let key = |number: &u8| TicketKey { name: [*number; 16], secret: Secret(vec![*number; 32]) };
        Tickets { keys: numbers.iter().map(key).collect() }
    }

    fn ticketer(numbers: &[u8]) -> Ticketer {
        let ticketer = Ticketer::default();
        ticketer.install(&keys(numbers)).unwrap();
        ticketer
    }

    #[test]
    fn a_ticket_is_opened_by_whoever_has_its_key() {
        let maker = ticketer(&[1]);
        let ticket = maker.encrypt(b"a session").unwrap();
        for (numbers, opens) in [(&[1][..], true), (&[2, 1], true), (&[3, 2, 1], true), (&[2], false)] {
            let opened = ticketer(numbers).decrypt(&ticket);
            assert_eq!(opened.as_deref(), opens.then_some(&b"a session"[..]), "{numbers:?}");
        }
        assert_ne!(maker.encrypt(b"a session").unwrap(), ticket, "no nonce is used twice");
        assert!(!ticket.windows(9).any(|window| window == b"a session"));
    }

    #[test]
    fn whatever_is_no_ticket_opens_nothing() {
        let ticketer = ticketer(&[1]);
        let ticket = ticketer.encrypt(b"a session").unwrap();
        for length in 0..ticket.len() {
            assert_eq!(ticketer.decrypt(&ticket[..length]), None, "cut at {length}");
        }
        for at in 0..ticket.len() {
            let mut changed = ticket.clone();
            changed[at] ^= 1;
            assert_eq!(ticketer.decrypt(&changed), None, "changed at {at}");
        }
    }

    #[test]
    fn without_keys_there_are_no_tickets() {
        let ticketer = Ticketer::default();
        assert!(!ticketer.enabled());
        assert_eq!(ticketer.encrypt(b"a session"), None);
        let short = Tickets { keys: vec![TicketKey { name: [1; 16], secret: Secret(vec![1; 31]) }] };
        assert!(ticketer.install(&short).is_err());
    }
}
