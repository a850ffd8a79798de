//! A certificate chain with its private key, checked: both parse, they belong together, and it is known what they are
//! for. It knows PEM and X.509, nothing of files.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use waf_shared::limits::{CHAIN_BYTES_MAX, PRIVATE_KEY_BYTES_MAX};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;
use x509_parser::time::ASN1Time;

use super::names::wildcard_of;

/// Bytes of an issuer's name that are shown.
const ISSUER_BYTES_MAX: usize = 128;

/// A certificate with its key.
#[derive(Clone, PartialEq, Eq)]
pub struct Pair {
    /// DNS names of the certificate, in lower case.
    pub names: Vec<String>,
    /// PEM, the server's own certificate first.
    pub chain_pem: Vec<u8>,
    /// PEM of the private key. Never shown.
    pub key_pem: Vec<u8>,
    /// Begin of the validity.
    pub not_before: SystemTime,
    /// End of the validity.
    pub not_after: SystemTime,
    /// Who signed it: the common name, else the organisation; for people.
    pub issuer: String,
    /// Its origin.
    pub provenance: Provenance,
}

/// Origin of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// The operator put it there.
    Own,
    /// An authority issued it to this service.
    Acme,
}

/// A fault of two texts that should be a certificate with its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    /// Larger than any chain or key.
    #[error("it is larger than {CHAIN_BYTES_MAX} bytes for a chain and {PRIVATE_KEY_BYTES_MAX} for a key")]
    TooLarge,
    /// No certificate in the text.
    #[error("it holds no certificate in PEM: {0}")]
    Chain(String),
    /// No private key in the text.
    #[error("it holds no private key in PEM: {0}")]
    Key(String),
    /// The certificate does not parse.
    #[error("its certificate cannot be read: {0}")]
    Certificate(String),
    /// The key is another one's.
    #[error("the private key does not belong to the certificate")]
    Mismatch,
    /// The library takes no such key.
    #[error("the private key cannot be used: {0}")]
    Unusable(String),
    /// The certificate names other hosts.
    #[error("the certificate is not for {host}: it names {names}")]
    Name {
        /// The host that it was meant for.
        host: String,
        /// The names that it holds.
        names: String,
    },
}

impl Pair {
    /// Reads a chain and a key.
    pub fn parse(chain_pem: Vec<u8>, key_pem: Vec<u8>, provenance: Provenance) -> Result<Self, PairError> {
        if chain_pem.len() > CHAIN_BYTES_MAX || key_pem.len() > PRIVATE_KEY_BYTES_MAX {
            return Err(PairError::TooLarge);
        }
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&chain_pem)
            .collect::<Result<_, _>>()
            .map_err(|error| PairError::Chain(error.to_string()))?;
        let leaf = chain.first().ok_or_else(|| PairError::Chain("nothing found".to_owned()))?.clone();
        let key =
            PrivateKeyDer::from_pem_slice(&key_pem).map_err(|error| PairError::Key(error.to_string()))?;
        let facts = Facts::of(&leaf)?;
        CertifiedKey::from_der(chain, key, &default_provider()).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => PairError::Mismatch,
            other => PairError::Unusable(other.to_string()),
        })?;
        let Facts { names, not_before, not_after, issuer } = facts;
        Ok(Self { names, chain_pem, key_pem, not_before, not_after, issuer, provenance })
    }

    /// True if the certificate names `host`, or the wildcard above it. A wildcard of a configuration has to be named as
    /// such.
    pub fn serves(&self, host: &str) -> bool {
        let wildcard = wildcard_of(host);
        self.names.iter().any(|name| name == host || Some(name) == wildcard.as_ref())
    }

    /// The same, or why not.
    pub(super) fn serving(self, host: &str) -> Result<Self, PairError> {
        if self.serves(host) {
            return Ok(self);
        }
        let names = if self.names.is_empty() { "none".to_owned() } else { self.names.join(", ") };
        Err(PairError::Name { host: host.to_owned(), names })
    }

    /// The server's own certificate.
    pub fn leaf(&self) -> Option<CertificateDer<'static>> {
        CertificateDer::from_pem_slice(&self.chain_pem).ok()
    }

    /// Length of its whole validity.
    pub fn lifetime(&self) -> Duration {
        self.not_after.duration_since(self.not_before).unwrap_or_default()
    }

    /// True if its time is over.
    pub fn expired(&self, now: SystemTime) -> bool {
        self.not_after <= now
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair")
            .field("names", &self.names)
            .field("not_before", &self.not_before)
            .field("not_after", &self.not_after)
            .field("issuer", &self.issuer)
            .field("provenance", &self.provenance)
            .finish_non_exhaustive()
    }
}

/// Content of a certificate.
struct Facts {
    names: Vec<String>,
    not_before: SystemTime,
    not_after: SystemTime,
    issuer: String,
}

impl Facts {
    fn of(leaf: &CertificateDer<'_>) -> Result<Self, PairError> {
        let unreadable = |error: &dyn fmt::Display| PairError::Certificate(error.to_string());
        let (_, certificate) = X509Certificate::from_der(leaf).map_err(|error| unreadable(&error))?;
        let alternative = certificate.subject_alternative_name().map_err(|error| unreadable(&error))?;
        let names = alternative.iter().flat_map(|extension| &extension.value.general_names);
        let names = names.filter_map(|name| match name {
            GeneralName::DNSName(name) => Some(name.trim_end_matches('.').to_ascii_lowercase()),
            _ => None,
        });
        Ok(Self {
            names: names.collect(),
            not_before: time(certificate.validity().not_before),
            not_after: time(certificate.validity().not_after),
            issuer: issuer(&certificate),
        })
    }
}

/// Times before 1970 become 1970: nothing here is younger than that.
fn time(time: ASN1Time) -> SystemTime {
    u64::try_from(time.timestamp())
        .ok()
        .and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)))
        .unwrap_or(UNIX_EPOCH)
}

fn issuer(certificate: &X509Certificate<'_>) -> String {
    let name = certificate.issuer();
    let part = name.iter_common_name().chain(name.iter_organization()).find_map(|part| part.as_str().ok());
    let text = part.map_or_else(|| name.to_string(), str::to_owned);
    let mut text: String = text.chars().filter(|c| !c.is_control()).collect();
    let end = (0..=ISSUER_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.truncate(end);
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
pub(crate) mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair};

    use super::*;

    /// A self-signed certificate, valid from so many seconds before now to so many after.
    pub(crate) fn made(names: &[&str], before_s: u64, after_s: u64) -> (Vec<u8>, Vec<u8>) {
        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.distinguished_name.push(DnType::CommonName, "unit test");
        let now = time::OffsetDateTime::now_utc();
        params.not_before = now - Duration::from_secs(before_s);
        params.not_after = now + Duration::from_secs(after_s);
        let certificate = params.self_signed(&key).unwrap();
        (certificate.pem().into_bytes(), key.serialize_pem().into_bytes())
    }

    pub(crate) fn pair(names: &[&str], before_s: u64, after_s: u64) -> Pair {
        let (chain, key) = made(names, before_s, after_s);
        Pair::parse(chain, key, Provenance::Acme).unwrap()
    }

    #[test]
    fn facts_are_read_and_the_key_is_never_shown() {
        let (chain, key) = made(&["A.example", "*.b.example"], 60, 3600);
        let pair = Pair::parse(chain, key.clone(), Provenance::Own).unwrap();
        assert_eq!(pair.names, ["a.example", "*.b.example"]);
        assert_eq!(pair.issuer, "unit test");
        assert_eq!(pair.lifetime(), Duration::from_mins(61));
        assert!(
            !pair.expired(SystemTime::now()) && pair.expired(SystemTime::now() + Duration::from_secs(3601))
        );
        for (host, serves) in [
            ("a.example", true),
            ("x.b.example", true),
            ("*.b.example", true),
            ("b.example", false),
            ("y.x.b.example", false),
            ("*.a.example", false),
        ] {
            assert_eq!(pair.serves(host), serves, "{host}");
        }
        let shown = format!("{pair:?}");
        let secret = String::from_utf8(key).unwrap();
        assert!(secret.lines().all(|line| line.is_empty() || !shown.contains(line)), "{shown}");
        assert!(matches!(pair.serving("c.example"), Err(PairError::Name { .. })));
    }

    #[test]
    fn what_is_no_pair_is_told_apart() {
        let (chain, key) = made(&["a.example"], 60, 3600);
        let (other_chain, other_key) = made(&["a.example"], 60, 3600);
        let parse = |chain: &[u8], key: &[u8]| {
            Pair::parse(chain.to_vec(), key.to_vec(), Provenance::Own).map(|_| ()).unwrap_err()
        };
        assert_eq!(parse(&chain, &other_key), PairError::Mismatch);
        assert_eq!(parse(&other_chain, &key), PairError::Mismatch);
        assert!(matches!(parse(b"", &key), PairError::Chain(_)));
        assert!(matches!(parse(&chain[..chain.len() / 2], &key), PairError::Chain(_)));
        assert!(matches!(parse(&chain, b"nothing"), PairError::Key(_)));
        assert!(matches!(parse(&chain, &chain), PairError::Key(_)));
        assert_eq!(parse(&vec![b' '; CHAIN_BYTES_MAX + 1], &key), PairError::TooLarge);
        let nonsense = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(parse(nonsense, &key), PairError::Certificate(_)));
    }
}
