//! Settings of the access to an authority.

use std::path::PathBuf;

use crate::disk::is_wildcard;

/// Let's Encrypt's production directory.
pub const DEFAULT_DIRECTORY: &str = "https://acme-v02.api.letsencrypt.org/directory";

/// Access to the authority, and the account.
#[derive(Debug, Clone)]
pub struct AcmeSettings {
    /// Directory URL (RFC 8555 section 7.1.1).
    pub directory: String,
    /// Contacts of the account as URLs, `mailto:` mostly.
    pub contacts: Vec<String>,
    /// External account binding (RFC 8555 section 7.3.4), for authorities that ask for one.
    pub binding: Option<Binding>,
    /// Trusted root of the authority's own server, in PEM; the system's roots otherwise.
    pub root: Option<PathBuf>,
    /// Challenges that may be used, in the order in which they are tried.
    pub challenges: Vec<Challenge>,
    /// The program that adds records for DNS-01 to a zone and removes them. With it wildcards are ordered.
    pub dns_hook: Option<PathBuf>,
}

impl AcmeSettings {
    /// True if a wildcard can be proven.
    pub fn proves_wildcards(&self) -> bool {
        self.dns_hook.is_some()
    }

    /// The challenge for the next try of `name`, after so many that failed. One of the two ports may be closed, so that
    /// they are tried in turn; a wildcard is proven by DNS alone.
    pub fn challenge(&self, name: &str, failures: usize) -> Challenge {
        if is_wildcard(name) {
            return Challenge::Dns01;
        }
        let turn = failures % self.challenges.len().max(1);
        self.challenges.get(turn).copied().unwrap_or(Challenge::Http01)
    }
}

/// The key that binds an account to one that was made elsewhere.
#[derive(Clone)]
pub struct Binding {
    /// The key's identifier.
    pub key_id: String,
    /// The MAC key, decoded.
    pub key: Vec<u8>,
}

/// A way to prove that a host is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Challenge {
    /// A file on port 80 (RFC 8555 section 8.3).
    Http01,
    /// A certificate on port 443 (RFC 8737).
    TlsAlpn01,
    /// A record in the zone (RFC 8555 section 8.4).
    Dns01,
}

impl Default for AcmeSettings {
    fn default() -> Self {
        Self {
            directory: DEFAULT_DIRECTORY.to_owned(),
            contacts: Vec::new(),
            binding: None,
            root: None,
            challenges: vec![Challenge::Http01, Challenge::TlsAlpn01],
            dns_hook: None,
        }
    }
}

impl std::fmt::Debug for Binding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Binding").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

impl std::fmt::Display for Challenge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Http01 => "http-01",
            Self::TlsAlpn01 => "tls-alpn-01",
            Self::Dns01 => "dns-01",
        })
    }
}
