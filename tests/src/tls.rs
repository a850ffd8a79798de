//! A TLS client that says what was agreed on, and one request over it.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};

use crate::origin::Authority;
use crate::raw::{Connection, Request, Response};

/// How long one read or write may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// How a client shakes hands; sessions are kept from one connection to the next.
#[derive(Debug, Clone)]
pub struct Client {
    config: Arc<ClientConfig>,
}

impl Client {
    /// Trusts `authority` and offers these protocols by ALPN.
    pub fn new(authority: &Authority, protocols: &[&str]) -> Client {
        Client::with_versions(authority, protocols, rustls::ALL_VERSIONS)
    }

    /// The same with these versions alone.
    pub fn with_versions(
        authority: &Authority,
        protocols: &[&str],
        versions: &[&'static SupportedProtocolVersion],
    ) -> Client {
        Client::with_roots(&[&authority.root_pem], protocols, versions)
    }

    /// Trusts roots in PEM and offers these protocols by ALPN.
    pub fn trusting(roots: &[&str], protocols: &[&str]) -> Client {
        Client::with_roots(roots, protocols, rustls::ALL_VERSIONS)
    }

    fn with_roots(
        pem: &[&str],
        protocols: &[&str],
        versions: &[&'static SupportedProtocolVersion],
    ) -> Client {
        let mut roots = RootCertStore::empty();
        for pem in pem {
            let root = CertificateDer::from_pem_slice(pem.as_bytes()).expect("a root in PEM");
            roots.add(root).expect("a root");
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .expect("the provider has these versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        config.resumption = Resumption::in_memory_sessions(64);
        Client { config: Arc::new(config) }
    }

    /// The library's configuration, for clients of other kinds.
    pub fn config(&self) -> Arc<ClientConfig> {
        self.config.clone()
    }

    /// Connects to a port of this machine and asks for `name`. The connection's stream tells what was agreed on.
    pub fn connect(
        &self,
        port: u16,
        name: &str,
    ) -> io::Result<Connection<StreamOwned<ClientConnection, TcpStream>>> {
        let name = ServerName::try_from(name.to_owned()).expect("a valid server name");
        let session = ClientConnection::new(self.config.clone(), name).map_err(io::Error::other)?;
        let tcp = TcpStream::connect(("127.0.0.1", port))?;
        tcp.set_read_timeout(Some(PATIENCE))?;
        tcp.set_write_timeout(Some(PATIENCE))?;
        let mut stream = StreamOwned::new(session, tcp);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        stream.flush()?;
        Ok(Connection::over(stream))
    }

    /// Sends a request over a connection of its own that asks for the request's Host.
    pub fn ask(&self, port: u16, host: &str, target: &str) -> Response {
        let mut connection = self.connect(port, host).unwrap_or_else(|error| panic!("{host}: {error}"));
        connection.exchange(&Request::get(target).host(host)).unwrap_or_else(|why| panic!("{host}: {why}"))
    }

    /// The alert that a handshake for `name` ends with.
    pub fn alert(&self, port: u16, name: &str) -> rustls::AlertDescription {
        let error = self.connect(port, name).expect_err("the handshake fails");
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(rustls::Error::AlertReceived(alert)) => *alert,
            _ => panic!("{name}: no alert but {error}"),
        }
    }
}
