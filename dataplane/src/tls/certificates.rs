//! Which certificate a server name gets: the exact name's, else that of the wildcard one label above (RFC 9525 section
//! 6.3). It knows names and keys, nothing of connections.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use rustls::client::verify_server_name;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::{ClientHello, ParsedCertificate, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use waf_shared::control::{CertificatePair, Certificates};

/// Certificates by server name.
#[derive(Debug, Default)]
pub(super) struct Table {
    by_name: HashMap<String, Arc<CertifiedKey>>,
}

/// The reason why a certificate cannot be served.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unusable {
    #[error("its chain or its key is no PEM")]
    Pem(#[source] rustls::pki_types::pem::Error),
    #[error("its chain and its key do not make a server certificate")]
    Pair(#[source] rustls::Error),
}

impl Table {
    /// Reads every pair. One that cannot be used is left out and named in the log: the others serve on.
    pub(super) fn read(certificates: &Certificates, provider: &CryptoProvider) -> Table {
        let mut by_name = HashMap::new();
        for pair in &certificates.pairs {
            match read(pair, provider) {
                Ok(key) => by_name.extend(pair.names.iter().map(|name| (name.clone(), Arc::clone(&key)))),
                Err(error) => {
                    let names = pair.names.join(", ");
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(names, error, "a certificate cannot be served");
                }
            }
        }
        Table { by_name }
    }

    /// The certificate for a name in lower case.
    pub(super) fn find(&self, name: &str) -> Option<&Arc<CertifiedKey>> {
        self.by_name.get(name).or_else(|| {
            let (_, domain) = name.split_once('.')?;
            self.by_name.get(&format!("*.{domain}"))
        })
    }

    /// Server names, wildcards included.
    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }
}

fn read(pair: &CertificatePair, provider: &CryptoProvider) -> Result<Arc<CertifiedKey>, Unusable> {
    let chain = CertificateDer::pem_slice_iter(&pair.chain_pem)
        .collect::<Result<Vec<_>, _>>()
        .map_err(Unusable::Pem)?;
    let key = PrivateKeyDer::from_pem_slice(&pair.key_pem.0).map_err(Unusable::Pem)?;
    CertifiedKey::from_der(chain, key, provider).map(Arc::new).map_err(Unusable::Pair)
}

/// The certificate that a client was shown.
#[derive(Clone)]
pub(crate) struct Presented(pub(super) Arc<CertifiedKey>);

impl Presented {
    /// Reports whether it names `host`, a DNS name without a port. A certificate that cannot be read names nothing.
    pub(crate) fn covers(&self, host: &[u8]) -> bool {
        let parsed = self.0.cert.first().and_then(|leaf| ParsedCertificate::try_from(leaf).ok());
        let name = std::str::from_utf8(host).ok().and_then(|host| ServerName::try_from(host).ok());
        parsed.zip(name).is_some_and(|(parsed, name)| verify_server_name(&parsed, &name).is_ok())
    }
}

impl fmt::Debug for Presented {
    /// The key beside the certificate is never shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Presented")
    }
}

/// Looks names up in the table of the moment.
#[derive(Debug, Default)]
pub(super) struct Resolver(pub(super) ArcSwap<Table>);

impl ResolvesServerCert for Resolver {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name()?.to_ascii_lowercase();
        self.0.load().find(&name).cloned()
    }
}
