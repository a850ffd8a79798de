//! TLS to upstreams: verified against the system's trust anchors, named by the upstream URL's host.

use std::io;
use std::sync::{Arc, OnceLock};

use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::version::HttpVersionPreference;

/// The reason why TLS to an upstream cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsSetupError {
    /// The system has no trust anchors.
    #[error("no trust anchors were found: install the system's CA certificates or set SSL_CERT_FILE ({0})")]
    NoAnchors(String),
    /// The host cannot be a TLS server name.
    #[error("`{0}` cannot be verified as a TLS server name")]
    Name(String),
    /// The library refused the configuration.
    #[error("TLS cannot be configured")]
    Config(#[source] rustls::Error),
}

/// Trust anchors as they were when the worker started.
static REMEMBERED: OnceLock<Vec<CertificateDer<'static>>> = OnceLock::new();

/// Reads the system's trust anchors for later, when they may be out of reach.
pub(super) fn remember() {
    // The first ones stay; there are no others.
    let _ = REMEMBERED.set(rustls_native_certs::load_native_certs().certs);
}

/// The system's trust anchors, read when the first upstream needs them.
#[derive(Debug, Default)]
pub(super) struct Anchors(Option<Configs>);

/// Protocols that a connection offers by ALPN.
#[derive(Debug, Clone)]
struct Configs {
    any: Arc<ClientConfig>,
    http1: Arc<ClientConfig>,
}

impl Anchors {
    fn configs(&mut self) -> Result<Configs, TlsSetupError> {
        if let Some(configs) = &self.0 {
            return Ok(configs.clone());
        }
        let mut found = rustls_native_certs::load_native_certs();
        if found.certs.is_empty() {
            found.certs = REMEMBERED.get().cloned().unwrap_or_default();
        }
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(found.certs);
        if added == 0 {
            let why: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
            return Err(TlsSetupError::NoAnchors(why.join("; ")));
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsSetupError::Config)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let mut any = config.clone();
        any.alpn_protocols.insert(0, b"h2".to_vec());
        Ok(self.0.insert(Configs { any: Arc::new(any), http1: Arc::new(config) }).clone())
    }
}

/// Makes TLS connections to one host.
pub(super) struct Connector {
    any: TlsConnector,
    http1: TlsConnector,
    name: ServerName<'static>,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Connector {
    pub(super) fn new(host: &str, anchors: &mut Anchors) -> Result<Connector, TlsSetupError> {
        let name = ServerName::try_from(host.to_owned()).map_err(|_| TlsSetupError::Name(host.to_owned()))?;
        let Configs { any, http1 } = anchors.configs()?;
        Ok(Connector { any: TlsConnector::from(any), http1: TlsConnector::from(http1), name })
    }

    pub(super) async fn handshake(
        &self,
        stream: TcpStream,
        want: HttpVersionPreference,
    ) -> io::Result<TlsStream<TcpStream>> {
        let connector = if want == HttpVersionPreference::Http1 { &self.http1 } else { &self.any };
        connector.connect(self.name.clone(), stream).await
    }
}
