//! Addresses of one upstream: which of them takes the next request, and which are left out because they accepted no
//! connection. It knows outcomes and times; it resolves nothing and opens nothing.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use waf_shared::limits::{
    CONNECT_SECONDS, UPSTREAM_ADDRESS_SECONDS, UPSTREAM_ADDRESSES_MAX, UPSTREAM_PAUSE_MAX_SECONDS,
    UPSTREAM_RESOLVE_SECONDS,
};
use waf_shared::metrics::EndpointCounts;

/// Addresses that a request may go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Candidates {
    /// Those of the last answer of the resolver, and those of answers shortly before: a connection that is open may be
    /// used.
    Known,
    /// Those of the last answer alone: a connection has to be opened.
    Current,
}

/// The addresses of one upstream.
#[derive(Debug, Default)]
pub(super) struct Endpoints {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    endpoints: Vec<Endpoint>,
    /// Number of choices so far.
    choices: u64,
    /// Time of the last answer of the resolver, or of the last attempt to get a newer one.
    resolved: Option<Instant>,
}

#[derive(Debug)]
struct Endpoint {
    address: SocketAddr,
    outstanding: Arc<AtomicUsize>,
    /// Number of the choice that took it last, so that addresses with equally many requests take turns.
    chosen_last: u64,
    /// Connect failures since the last success.
    failures: u32,
    /// End of the pause that the last failure began.
    paused_until: Option<Instant>,
    /// Time of the last answer of the resolver that had it.
    seen: Instant,
    is_current: bool,
}

/// An address that was chosen, with a request counted on it until this is dropped.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) address: SocketAddr,
    outstanding: Arc<AtomicUsize>,
}

impl Drop for Chosen {
    fn drop(&mut self) {
        self.outstanding.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Endpoints {
    /// Takes an answer of the resolver. Addresses that it lacks are kept for a while, for their open connections.
    pub(super) fn resolved(&self, addresses: impl Iterator<Item = SocketAddr>, now: Instant) {
        let mut table = self.table();
        table.resolved = Some(now);
        for endpoint in &mut table.endpoints {
            endpoint.is_current = false;
        }
        for address in addresses.take(UPSTREAM_ADDRESSES_MAX) {
            match table.endpoints.iter_mut().find(|endpoint| endpoint.address == address) {
                Some(known) => (known.seen, known.is_current) = (now, true),
                None => table.endpoints.push(Endpoint::new(address, now)),
            }
        }
        let memory = Duration::from_secs(UPSTREAM_ADDRESS_SECONDS);
        table
            .endpoints
            .retain(|known| known.is_current || now.saturating_duration_since(known.seen) < memory);
        table.endpoints.sort_by_key(|known| !known.is_current);
        table.endpoints.truncate(2 * UPSTREAM_ADDRESSES_MAX);
    }

    /// Reports whether the last answer is old enough to ask again, and counts as an attempt if so.
    pub(super) fn begin_refresh(&self, now: Instant) -> bool {
        let mut table = self.table();
        let age = table.resolved.map(|resolved| now.saturating_duration_since(resolved));
        let is_due = age.is_some_and(|age| age >= Duration::from_secs(UPSTREAM_RESOLVE_SECONDS));
        if is_due {
            table.resolved = Some(now);
        }
        is_due
    }

    /// The address with the fewest outstanding requests among those that are not left out and not in `tried`. Where all
    /// are left out, it is one of these: a request never fails by what others met. None if nothing is left.
    pub(super) fn choose(
        &self,
        candidates: Candidates,
        tried: &[SocketAddr],
        now: Instant,
    ) -> Option<Chosen> {
        let mut table = self.table();
        table.choices += 1;
        let choice = table.choices;
        let usable = |known: &&mut Endpoint| {
            (known.is_current || candidates == Candidates::Known) && !tried.contains(&known.address)
        };
        let endpoint = table.endpoints.iter_mut().filter(usable).min_by_key(|known| known.rank(now))?;
        endpoint.chosen_last = choice;
        if endpoint.failures > 0 && !endpoint.is_paused(now) {
            // One request finds out; the others wait for what it finds.
            endpoint.paused_until = Some(now + Duration::from_secs(CONNECT_SECONDS));
        }
        Some(endpoint.chosen())
    }

    /// Reports whether the last answer of the resolver has `address`.
    pub(super) fn is_current(&self, address: SocketAddr) -> bool {
        self.table().endpoints.iter().any(|endpoint| endpoint.address == address && endpoint.is_current)
    }

    /// Number of addresses of the last answer that are not in `tried`.
    pub(super) fn untried(&self, tried: &[SocketAddr]) -> usize {
        let table = self.table();
        table.endpoints.iter().filter(|known| known.is_current && !tried.contains(&known.address)).count()
    }

    /// A connection was opened. True if the address had been left out.
    pub(super) fn connected(&self, address: SocketAddr) -> bool {
        let mut table = self.table();
        let Some(endpoint) = table.endpoints.iter_mut().find(|known| known.address == address) else {
            return false;
        };
        endpoint.paused_until = None;
        std::mem::take(&mut endpoint.failures) > 0
    }

    /// A connection could not be opened: the address is left out, each time for longer. True if it had not been.
    pub(super) fn failed(&self, address: SocketAddr, now: Instant) -> bool {
        let mut table = self.table();
        let Some(endpoint) = table.endpoints.iter_mut().find(|known| known.address == address) else {
            return false;
        };
        let pause = 1_u64.checked_shl(endpoint.failures).unwrap_or(u64::MAX).min(UPSTREAM_PAUSE_MAX_SECONDS);
        endpoint.failures = endpoint.failures.saturating_add(1);
        endpoint.paused_until = Some(now + Duration::from_secs(pause));
        endpoint.failures == 1
    }

    /// Addresses of the last answer by state.
    pub(super) fn counts(&self) -> EndpointCounts {
        let table = self.table();
        let mut counts = EndpointCounts::default();
        for endpoint in table.endpoints.iter().filter(|known| known.is_current) {
            match endpoint.failures {
                0 => counts.available += 1,
                _ => counts.left_out += 1,
            }
        }
        counts
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Endpoint {
    fn new(address: SocketAddr, now: Instant) -> Endpoint {
        Endpoint {
            address,
            outstanding: Arc::default(),
            chosen_last: 0,
            failures: 0,
            paused_until: None,
            seen: now,
            is_current: true,
        }
    }

    fn is_paused(&self, now: Instant) -> bool {
        self.paused_until.is_some_and(|until| now < until)
    }

    /// The smallest one is chosen.
    fn rank(&self, now: Instant) -> (bool, usize, u64) {
        (self.is_paused(now), self.outstanding.load(Ordering::Acquire), self.chosen_last)
    }

    fn chosen(&self) -> Chosen {
        self.outstanding.fetch_add(1, Ordering::AcqRel);
        Chosen { address: self.address, outstanding: Arc::clone(&self.outstanding) }
    }
}

#[cfg(test)]
mod tests;
