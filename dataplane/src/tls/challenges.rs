//! Answers to the challenges that are open now: HTTP-01 by its token, TLS-ALPN-01 by the server name.

use std::collections::HashMap;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::ServerConfig;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use waf_shared::control::{AlpnChallenge, Challenges};

/// The protocol by which an authority asks over TLS (RFC 8737 section 6.2).
pub(super) const ACME_TLS: &[u8] = b"acme-tls/1";

/// Path at which an authority asks over HTTP (RFC 8555 section 8.3).
const WELL_KNOWN: &[u8] = b"/.well-known/acme-challenge/";

/// Open challenges.
#[derive(Debug, Default)]
pub(super) struct Open {
    http: HashMap<Vec<u8>, Arc<str>>,
    alpn: HashMap<String, Arc<ServerConfig>>,
}

impl Open {
    /// Reads them. One that cannot be answered is left out and named in the log: the authority will say so too.
    pub(super) fn read(challenges: Challenges, provider: &Arc<CryptoProvider>) -> Open {
        let http = challenges.http.into_iter();
        let mut alpn = HashMap::new();
        for challenge in challenges.alpn {
            let host = challenge.host.clone();
            match config(challenge, provider) {
                Ok(config) => {
                    alpn.insert(host, config);
                }
                Err(error) => {
                    tracing::error!(host, %error, "a TLS-ALPN-01 challenge cannot be answered");
                }
            }
        }
        Open { http: http.map(|c| (c.token.into_bytes(), c.key_authorization.into())).collect(), alpn }
    }

    /// The key authorization that `path` asks for.
    pub(super) fn http(&self, path: &[u8]) -> Option<Arc<str>> {
        self.http.get(path.strip_prefix(WELL_KNOWN)?).cloned()
    }

    /// Certificate for the handshake when an authority asks for `name`.
    pub(super) fn alpn(&self, name: &str) -> Option<&Arc<ServerConfig>> {
        self.alpn.get(name)
    }
}

fn config(
    challenge: AlpnChallenge,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<ServerConfig>, rustls::Error> {
    let chain = vec![CertificateDer::from(challenge.certificate_der)];
    let key = PrivateKeyDer::try_from(challenge.key_der.0)
        .map_err(|reason| rustls::Error::General(reason.to_owned()))?;
    // The library's own check of certificate and key gives up on the extension that makes this certificate an answer:
    // it is critical, and known to authorities alone.
    let key = CertifiedKey::new(chain, provider.key_provider.load_private_key(key)?);
    let mut config = ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(key)));
    config.alpn_protocols = vec![ACME_TLS.to_vec()];
    Ok(Arc::new(config))
}
