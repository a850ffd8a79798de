//! A TLS client that says what was agreed on, and one request over it; and the first message of clients that no library
//! writes any more.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};

use crate::origin::Authority;
use crate::raw::{Connection, Request, Response};

/// Time that one read or write may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Parameters of a client's handshake; sessions are kept from one connection to the next.
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

/// A server's reply to a hand-made first message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// It agrees, on this suite.
    Suite(u16),
    /// It ends the handshake with this alert.
    Alert(u8),
    /// It closed without a word.
    Nothing,
}

/// Sends a `ClientHello` of at most TLS 1.2 (RFC 5246 section 7.4.1.2) and reads the first record of the answer.
pub fn hello(port: u16, version: u16, suites: &[u16], name: Option<&str>) -> Said {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a read timeout can be set");
    stream.write_all(&hello_record(version, suites, name)).expect("the server reads");
    let mut head = [0; 5];
    if stream.read_exact(&mut head).is_err() {
        return Said::Nothing;
    }
    let mut body = vec![0; usize::from(u16::from_be_bytes([head[3], head[4]]))];
    stream.read_exact(&mut body).expect("a record is whole");
    match head[0] {
        21 => Said::Alert(body[1]),
        // Type and length, version, random, and a session identifier before the suite.
        22 if body[0] == 2 => {
            let at = 4 + 2 + 32 + 1 + usize::from(body[38]);
            Said::Suite(u16::from_be_bytes([body[at], body[at + 1]]))
        }
        other => panic!("a record of type {other}: {body:?}"),
    }
}

/// A record that holds the message.
pub fn hello_record(version: u16, suites: &[u16], name: Option<&str>) -> Vec<u8> {
    let list = |items: &[u16]| {
        let bytes: Vec<u8> = items.iter().flat_map(|item| item.to_be_bytes()).collect();
        sized(&bytes)
    };
    let mut extensions = Vec::new();
    let mut extension = |number: u16, content: &[u8]| {
        extensions.extend_from_slice(&number.to_be_bytes());
        extensions.extend_from_slice(&sized(content));
    };
    if let Some(name) = name {
        extension(0, &sized(&[&[0][..], &sized(name.as_bytes())].concat()));
    }
    // Groups: X25519 and P-256. Points: uncompressed. Signatures: ECDSA on P-256 and RSA, with SHA-256.
    extension(10, &list(&[0x001d, 0x0017]));
    extension(11, &[1, 0]);
    extension(13, &list(&[0x0403, 0x0401]));
    let body = [&version.to_be_bytes()[..], &[7; 32], &[0], &list(suites), &[1, 0], &sized(&extensions)];
    let body = body.concat();
    let length = (body.len() as u32).to_be_bytes();
    let message = [&[1][..], &length[1..], &body].concat();
    [&[22, 3, 1][..], &sized(&message)].concat()
}

/// With its length in two bytes in front.
fn sized(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u16).to_be_bytes()[..], bytes].concat()
}
