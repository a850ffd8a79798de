//! TLS towards clients: the certificates, ticket keys and challenges of the moment, each behind one pointer that is
//! swapped as a whole, and the handshake. It knows no plan and no file; what it serves comes by the control socket.

mod certificates;
mod challenges;
mod handshake;
mod tickets;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use rustls::crypto::CryptoProvider;
use rustls::server::{NoServerSessionStorage, ServerConfig};
use tokio::sync::mpsc;
use waf_shared::control::{Certificates, Challenges, Excess, Tickets};
use waf_shared::limits;

use certificates::{Resolver, Table};
use challenges::Open;
pub(crate) use handshake::Secured;
use tickets::Ticketer;

/// State of TLS, shared by all connections of a worker.
#[derive(Debug)]
pub struct Tls {
    provider: Arc<CryptoProvider>,
    config: Arc<ServerConfig>,
    resolver: Arc<Resolver>,
    ticketer: Arc<Ticketer>,
    challenges: ArcSwap<Open>,
    unserved: mpsc::Sender<String>,
    counters: Counters,
}

/// Counts of handshakes by their end.
#[derive(Debug, Default)]
pub struct Counters {
    /// With a certificate and a signature.
    pub full: Count,
    /// By a ticket.
    pub resumed: Count,
    /// As the answer to an authority's challenge.
    pub challenges: Count,
    /// Because no certificate is there for the server name, or none was named.
    pub no_certificate: Count,
    /// Because the client stopped, sent something else, or wants what is not spoken here.
    pub failed: Count,
    /// At the deadline.
    pub slow: Count,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Reads it.
    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The reason why what came by the control socket is not taken; what was there before serves on.
#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// It breaks its bounds.
    #[error(transparent)]
    Excess(#[from] Excess),
    /// A ticket key is of no use.
    #[error("a ticket key is not 32 bytes long")]
    TicketKey,
}

impl Tls {
    /// Without certificates, keys and challenges. Server names that lack a certificate and should have one are sent to
    /// `unserved`; a full queue drops them.
    pub fn new(unserved: mpsc::Sender<String>) -> Result<Tls, rustls::Error> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let (resolver, ticketer) = (Arc::new(Resolver::default()), Arc::new(Ticketer::default()));
        let mut config = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::<Resolver>::clone(&resolver));
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        // Tickets carry sessions from worker to worker; what one worker remembers would be of use to it alone.
        config.ticketer = Arc::<Ticketer>::clone(&ticketer);
        config.session_storage = Arc::new(NoServerSessionStorage {});
        Ok(Tls {
            provider,
            config: Arc::new(config),
            resolver,
            ticketer,
            challenges: ArcSwap::default(),
            unserved,
            counters: Counters::default(),
        })
    }

    /// Serves these certificates from now on. Costs a check of every key: not for a thread that serves.
    pub fn install_certificates(&self, certificates: &Certificates) -> Result<usize, NotTaken> {
        certificates.bounded()?;
        let table = Table::read(certificates, &self.provider);
        let names = table.len();
        self.resolver.0.store(Arc::new(table));
        Ok(names)
    }

    /// Uses these ticket keys from now on.
    pub fn install_tickets(&self, tickets: &Tickets) -> Result<(), NotTaken> {
        tickets.bounded()?;
        self.ticketer.install(tickets).map_err(|_| NotTaken::TicketKey)
    }

    /// Answers these challenges from now on.
    pub fn install_challenges(&self, challenges: Challenges) -> Result<(), NotTaken> {
        challenges.bounded()?;
        self.challenges.store(Arc::new(Open::read(challenges, &self.provider)));
        Ok(())
    }

    /// The answer to an HTTP-01 challenge at `path`.
    pub(crate) fn http_challenge(&self, path: &[u8]) -> Option<Arc<str>> {
        self.challenges.load().http(path)
    }

    /// Counts of handshakes so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }
}

/// Handshakes at once, beside `connections` that may be open.
pub(crate) fn handshakes_max(connections: usize) -> usize {
    (connections / 2).clamp(1, limits::HANDSHAKES_MAX)
}
