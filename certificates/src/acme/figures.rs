//! Metrics of certificates, by configured host. Names that clients chose are counted under the wildcard
//! that covers them: no label comes from a client.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::demand::wildcard_over;
use crate::disk::{Snapshot, is_wildcard};

/// Figures of all hosts; written by the manager of certificates, read by whoever shows them.
#[derive(Debug, Default)]
pub struct Figures {
    hosts: Mutex<BTreeMap<String, HostFigures>>,
    is_unwritable: AtomicBool,
}

/// Figures of one configured host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostFigures {
    /// End of its certificate's validity, in seconds since 1970; 0 when it has none. The earliest one below a wildcard.
    pub expiry_s: u64,
    /// Orders that came to nothing since the start.
    pub failures: u64,
}

impl Figures {
    /// All figures, by host.
    pub fn read(&self) -> BTreeMap<String, HostFigures> {
        self.lock().clone()
    }

    /// True if certificates cannot be written down.
    pub fn is_unwritable(&self) -> bool {
        self.is_unwritable.load(Ordering::Relaxed)
    }

    pub(super) fn show_unwritable(&self, is_unwritable: bool) {
        self.is_unwritable.store(is_unwritable, Ordering::Relaxed);
    }

    /// An order for `name` came to nothing.
    pub(super) fn failed(&self, name: &str, hosts: &[String]) {
        let label = wildcard_over(name, hosts).unwrap_or(name);
        if let Some(figures) = self.lock().get_mut(label) {
            figures.failures += 1;
        }
    }

    /// These hosts are configured, and this serves them.
    pub(super) fn show(&self, hosts: &[String], snapshot: &Snapshot) {
        let mut held = self.lock();
        let mut now = BTreeMap::new();
        for host in hosts {
            let expiry_s = if is_wildcard(host) {
                let below = snapshot
                    .pairs
                    .iter()
                    .filter(|(name, _)| *name == host || wildcard_over(name, hosts) == Some(host.as_str()));
                below.map(|(_, pair)| seconds(pair.not_after)).min()
            } else {
                snapshot.of(host).map(|pair| seconds(pair.not_after))
            };
            let failures = held.get(host).map_or(0, |figures| figures.failures);
            now.insert(host.clone(), HostFigures { expiry_s: expiry_s.unwrap_or(0), failures });
        }
        *held = now;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, HostFigures>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::disk::Pair;

    #[test]
    fn labels_are_configured_hosts_alone() {
        let hosts = ["a.example", "b.example", "*.shop.example"].map(str::to_owned);
        let pair = |end_s: u64| {
            Arc::new(Pair {
                names: Vec::new(),
                chain_pem: Vec::new(),
                key_pem: Vec::new(),
                not_before: UNIX_EPOCH,
                not_after: UNIX_EPOCH + std::time::Duration::from_secs(end_s),
                issuer: String::new(),
                provenance: crate::disk::Provenance::Acme,
            })
        };
        let mut snapshot = Snapshot::default();
        for (name, end_s) in [("a.example", 100), ("x.shop.example", 300), ("y.shop.example", 200)] {
            snapshot.pairs.insert(name.into(), pair(end_s));
        }
        let figures = Figures::default();
        figures.show(&hosts, &snapshot);
        for name in ["b.example", "b.example", "evil1.shop.example", "gone.example"] {
            figures.failed(name, &hosts);
        }
        figures.show(&hosts, &snapshot);
        let read: Vec<_> =
            figures.read().into_iter().map(|(host, f)| (host, f.expiry_s, f.failures)).collect();
        let expected = [("*.shop.example", 200, 1), ("a.example", 100, 0), ("b.example", 0, 2)];
        assert_eq!(read, expected.map(|(host, expiry, failures)| (host.to_owned(), expiry, failures)));
    }
}
