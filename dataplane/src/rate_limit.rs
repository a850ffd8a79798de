//! Rate limits: who a request counts for, and whether it may come. Counts lie in memory that the supervisor keeps and
//! all workers share. It knows addresses and header values, nothing of answers and events.

pub(crate) mod mapping;
mod table;

pub mod clock;

use std::hash::Hasher as _;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use siphasher::sip128::{Hasher128 as _, SipHasher13};
use waf_shared::control::Counts;
use waf_shared::plan::{Plan, RateLimit, RateLimitSource};
use waf_shared::rate_limit::{Geometry, Tables, tables};

use mapping::Mapping;
pub use table::{Key, Outcome, Table};

/// Shared memory as an offer brings it.
#[derive(Debug)]
pub struct Memory {
    /// The memory object.
    pub object: OwnedFd,
    /// Which tables it holds where.
    pub counts: Counts,
}

/// The limits of a plan cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The offer has no memory, or not for these tables.
    #[error("the plan has {expected} tables of rate limits, the offer brings {got}")]
    Tables {
        /// Tables that the plan needs.
        expected: usize,
        /// Tables that were offered.
        got: usize,
    },
    /// The memory cannot be used.
    #[error("the memory of a rate limit cannot be mapped")]
    Map(#[source] io::Error),
}

/// Turns keys into places: SipHash-1-3 under the supervisor's secret, begun with the route's id.
#[derive(Debug, Clone)]
pub struct Hasher(SipHasher13);

/// Kinds of keys; no value of one kind can stand for another.
const OF_IPV4: u8 = 4;
const OF_IPV6: u8 = 6;
const OF_HEADER: u8 = b'h';

/// Bytes of an IPv6 address that are the network: a client has at least a /64 to itself.
const IPV6_NETWORK_BYTES: usize = 8;

impl Hasher {
    /// For the keys of a route.
    pub fn new(secret: [u8; 16], route: &str) -> Hasher {
        let mut hasher = SipHasher13::new_with_key(&secret);
        hasher.write(route.as_bytes());
        hasher.write_u8(0xff);
        Hasher(hasher)
    }

    /// The key of an address.
    pub fn address(&self, address: IpAddr) -> Key {
        match address.to_canonical() {
            IpAddr::V4(address) => self.key(OF_IPV4, &address.octets()),
            IpAddr::V6(address) => {
                let octets = address.octets();
                self.key(OF_IPV6, octets.get(..IPV6_NETWORK_BYTES).unwrap_or(&octets))
            }
        }
    }

    /// The key of a header's value.
    pub fn header(&self, value: &[u8]) -> Key {
        self.key(OF_HEADER, value)
    }

    fn key(&self, kind: u8, value: &[u8]) -> Key {
        let mut hasher = self.0;
        hasher.write_u8(kind);
        hasher.write(value);
        let hash = hasher.finish128();
        Key { place: hash.h1, name: hash.h2 }
    }
}

/// The limit of one route.
#[derive(Debug)]
pub(crate) struct Quota {
    table: Arc<Table>,
    hasher: Hasher,
    /// Requests over it, since this worker first had a limit for a route of that id.
    exceeded: Arc<AtomicU64>,
}

impl Quota {
    /// Counts a request, unless the window is full. `value` looks up the header that `limit` names.
    pub(crate) fn check<'v>(
        &self,
        limit: &'v RateLimit,
        client: IpAddr,
        value: impl FnOnce(&'v str) -> Option<&'v [u8]>,
    ) -> Outcome {
        let key = match &limit.source {
            RateLimitSource::Ip => None,
            RateLimitSource::Header(name) => value(name).map(|value| self.hasher.header(value)),
        };
        let key = key.unwrap_or_else(|| self.hasher.address(client));
        let outcome = self.table.check(key, clock::now());
        if outcome != Outcome::Admitted {
            self.exceeded.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }
}

/// The limits of a plan, by route.
#[derive(Debug, Default)]
pub(crate) struct Quotas {
    routes: Vec<Option<Quota>>,
}

impl Quotas {
    /// Maps what the plan needs. Counters of `previous` go on where a route of the same id is limited.
    pub(crate) fn build(
        plan: &Plan,
        memory: Option<Memory>,
        previous: Option<(&Plan, &Quotas)>,
    ) -> Result<Quotas, MemoryError> {
        let Tables { ids, of_routes } = tables(plan);
        let got = memory.as_ref().map_or(0, |memory| memory.counts.offsets.len());
        if got != ids.len() {
            return Err(MemoryError::Tables { expected: ids.len(), got });
        }
        let Some(Memory { object, counts }) = memory else {
            return Ok(Quotas { routes: plan.routes.iter().map(|_| None).collect() });
        };
        let map = |(id, offset): (&waf_shared::rate_limit::TableId, &u64)| {
            let words = Geometry::of(&id.limit).words();
            let mapping = Mapping::new(object.as_fd(), *offset, words).map_err(MemoryError::Map)?;
            Ok(Arc::new(Table::shared(&id.limit, mapping)))
        };
        let tables = ids.iter().zip(&counts.offsets).map(map).collect::<Result<Vec<_>, _>>()?;
        let known: std::collections::HashMap<&str, &Arc<AtomicU64>> = previous
            .into_iter()
            .flat_map(|(plan, quotas)| plan.routes.iter().zip(&quotas.routes))
            .filter_map(|(route, quota)| Some((route.id.0.as_str(), &quota.as_ref()?.exceeded)))
            .collect();
        let quota = |(route, table): (&waf_shared::plan::Route, &Option<usize>)| {
            let table = tables.get((*table)?)?;
            Some(Quota {
                table: Arc::clone(table),
                hasher: Hasher::new(counts.hash_key, &route.id.0),
                exceeded: known.get(route.id.0.as_str()).copied().cloned().unwrap_or_default(),
            })
        };
        Ok(Quotas { routes: plan.routes.iter().zip(&of_routes).map(quota).collect() })
    }

    /// The limit of a route.
    pub(crate) fn of(&self, route: usize) -> Option<&Quota> {
        self.routes.get(route)?.as_ref()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    fn keys(addresses: &[&str]) -> Vec<Key> {
        let hasher = Hasher::new([1; 16], "shop");
        addresses.iter().map(|address| hasher.address(address.parse().unwrap())).collect()
    }

    #[test]
    fn a_client_is_an_ipv4_address_or_an_ipv6_network() {
        let same = keys(&["2001:db8:1:2::1", "2001:db8:1:2:ffff::9"]);
        assert_eq!(same[0], same[1]);
        let other = keys(&["2001:db8:1:3::1", "192.0.2.1", "192.0.2.2"]);
        assert!(other.iter().all(|key| *key != same[0]) && other[1] != other[2]);
        let mapped = keys(&["::ffff:192.0.2.1"]);
        assert_eq!(mapped[0], other[1], "IPv4 on a socket of both families");
    }

    #[test]
    fn routes_kinds_and_secrets_keep_keys_apart() {
        let hasher = |secret, route| Hasher::new([secret; 16], route);
        let address: IpAddr = "97.98.99.100".parse().unwrap();
        let keys = [
            hasher(1, "a").address(address),
            hasher(1, "b").address(address),
            hasher(2, "a").address(address),
            hasher(1, "a").header(b"abcd"),
            hasher(1, "ab").header(b"cd"),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key));
        }
    }
}
