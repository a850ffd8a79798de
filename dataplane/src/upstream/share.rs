//! Shares of an origin's connections: how many one client may hold at once, so that none takes those of everybody. It
//! knows addresses and numbers, nothing of connections.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Units of one whole connection. A place on a shared connection takes fewer.
pub(super) const CONNECTION_UNITS: u32 = 100;

/// The network of an IPv6 client: who has one address of it commonly has them all (RFC 6177).
const IPV6_NETWORK_BITS: u32 = 64;

/// Who takes connections, and how much of them it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Holder {
    network: IpAddr,
    percent: u8,
}

impl Holder {
    /// The client at `address`, which may take `percent` of what there is. IPv6 clients of one /64 are one client.
    pub(crate) fn new(address: IpAddr, percent: u8) -> Holder {
        let network = match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                let mask = u128::MAX << (u128::BITS - IPV6_NETWORK_BITS);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        };
        Holder { network, percent }
    }
}

/// The shares that clients hold of one origin's connections. Clients that hold nothing and wait for nothing are not
/// kept.
#[derive(Debug)]
pub(super) struct Shares {
    connections: u32,
    clients: Mutex<HashMap<Holder, Client>>,
}

#[derive(Debug)]
struct Client {
    free: Arc<Semaphore>,
    /// Shares that are held or waited for.
    users: usize,
}

/// A part of what a client may hold; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    // Invariant: dropped before the user, so that a client without users has everything free.
    permit: OwnedSemaphorePermit,
    _user: User,
}

/// Keeps a client known while a share of it is held or waited for.
#[derive(Debug)]
struct User {
    shares: Arc<Shares>,
    holder: Holder,
}

impl Shares {
    /// Of so many connections.
    pub(super) fn new(connections: usize) -> Arc<Shares> {
        let connections = u32::try_from(connections).unwrap_or(u32::MAX / CONNECTION_UNITS);
        Arc::new(Shares { connections, clients: Mutex::default() })
    }

    /// Waits until `holder` may take one connection more. None only when there is nothing to wait for.
    pub(super) async fn take(self: &Arc<Shares>, holder: Holder) -> Option<Share> {
        let (user, free) = self.user(holder);
        let permit = free.acquire_many_owned(CONNECTION_UNITS).await.ok()?;
        Some(Share { permit, _user: user })
    }

    /// Takes one connection more if `holder` may.
    pub(super) fn try_take(self: &Arc<Shares>, holder: Holder) -> Option<Share> {
        let (user, free) = self.user(holder);
        let permit = free.try_acquire_many_owned(CONNECTION_UNITS).ok()?;
        Some(Share { permit, _user: user })
    }

    fn user(self: &Arc<Shares>, holder: Holder) -> (User, Arc<Semaphore>) {
        let units = self.units(holder);
        let mut clients = self.clients();
        let new = || Client { free: Arc::new(Semaphore::new(units)), users: 0 };
        let client = clients.entry(holder).or_insert_with(new);
        client.users += 1;
        (User { shares: Arc::clone(self), holder }, Arc::clone(&client.free))
    }

    /// Units that `holder` may take; one connection at least.
    fn units(&self, holder: Holder) -> usize {
        let all = u64::from(self.connections) * u64::from(CONNECTION_UNITS);
        let share = (all * u64::from(holder.percent.min(100)) / 100).max(CONNECTION_UNITS.into());
        usize::try_from(share).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS)
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<Holder, Client>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Gives back all but `units`.
    pub(super) fn shrink(&mut self, units: u32) {
        let held = u32::try_from(self.permit.num_permits()).unwrap_or(u32::MAX);
        let rest = usize::try_from(held.saturating_sub(units)).unwrap_or(0);
        drop(self.permit.split(rest));
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let mut clients = self.shares.clients();
        if let Some(client) = clients.get_mut(&self.holder) {
            client.users = client.users.saturating_sub(1);
            if client.users == 0 {
                clients.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    use super::*;

    fn holder(address: &str, percent: u8) -> Holder {
        Holder::new(address.parse().expect("an address"), percent)
    }

    /// Number of connections that a client can take at once.
    fn taken(shares: &Arc<Shares>, holder: Holder) -> Vec<Share> {
        std::iter::from_fn(|| shares.try_take(holder)).collect()
    }

    #[test]
    fn a_client_takes_its_share_and_no_more() {
        for (connections, percent, expected) in [
            (1024, 25, 256),
            (1024, 75, 768),
            (1024, 1, 10),
            (1024, 100, 1024),
            (8, 25, 2),
            (2, 25, 1),
            (1024, 0, 1),
        ] {
            let shares = Shares::new(connections);
            let one = taken(&shares, holder("192.0.2.1", percent));
            assert_eq!(one.len(), expected, "{percent} % of {connections}");
            assert_eq!(taken(&shares, holder("192.0.2.2", percent)).len(), expected, "another client");
            drop(one);
            assert!(shares.clients().is_empty(), "nothing is left of who holds nothing");
            assert_eq!(taken(&shares, holder("192.0.2.1", percent)).len(), expected, "all of it came back");
        }
    }

    #[test]
    fn addresses_of_one_client_share() {
        let shares = Shares::new(8);
        for (first, second, is_same) in [
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", true),
            ("2001:db8:0:1::1", "2001:db8:0:1:8000::", true),
            ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
            ("::1", "127.0.0.1", false),
        ] {
            let held = taken(&shares, holder(first, 25));
            assert_eq!(shares.try_take(holder(second, 25)).is_none(), is_same, "{first} {second}");
            drop(held);
        }
    }

    #[test]
    fn a_place_on_a_shared_connection_takes_its_part_alone() {
        let shares = Shares::new(4);
        let client = holder("192.0.2.1", 50);
        let mut places = Vec::new();
        while let Some(mut share) = shares.try_take(client) {
            share.shrink(10);
            places.push(share);
        }
        // The last one needs a whole connection for a moment.
        assert_eq!(places.len(), 11);
        places.clear();
        assert!(shares.clients().is_empty());
    }

    #[tokio::test]
    async fn who_waits_gets_what_comes_back_and_who_gives_up_leaves_nothing() {
        let shares = Shares::new(4);
        let client = holder("192.0.2.1", 25);
        let held = shares.take(client).await.expect("a share");
        {
            let mut given_up = pin!(shares.take(client));
            let pending = poll_fn(|cx| Poll::Ready(given_up.as_mut().poll(cx).is_pending())).await;
            assert!(pending);
            assert_eq!(shares.clients().get(&client).map(|client| client.users), Some(2));
        }
        assert_eq!(shares.clients().get(&client).map(|client| client.users), Some(1));
        let mut waiting = pin!(shares.take(client));
        assert!(poll_fn(|cx| Poll::Ready(waiting.as_mut().poll(cx).is_pending())).await);
        assert!(shares.try_take(holder("192.0.2.2", 25)).is_some(), "nobody else waits");
        drop(held);
        let next = waiting.await.expect("a share");
        drop(next);
        assert!(shares.clients().is_empty());
    }
}
