//! One handshake, from the first byte to a stream: who is asked for decides what answers, and every way it can end is
//! counted. The deadline covers all of it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::server::{Acceptor, ClientHello, ServerConnection};
use rustls::{CipherSuite, HandshakeKind, ProtocolVersion};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::server::TlsStream;
use tokio_rustls::{LazyConfigAcceptor, StartHandshake};
use waf_shared::limits::HANDSHAKE_SECONDS;
use waf_shared::route::HostSet;

use super::Tls;
use super::certificates::Presented;
use super::challenges::ACME_TLS;

/// A record with the fatal alert `unrecognized_name` (RFC 8446 sections 5.1 and 6, RFC 6066 section 3).
const UNRECOGNIZED_NAME: &[u8] = &[21, 3, 3, 0, 2, 2, 112];

/// Bytes that are sealed ahead of what the client takes: one record. A client is given up when it does not take that
/// much in the time in which it has to take something.
const SEALED_BYTES_MAX: usize = 16 << 10;

/// Parameters that were agreed on for a connection.
#[derive(Debug, Clone)]
pub(crate) struct Secured {
    /// Server name that the client asked for, in lower case.
    pub(crate) server_name: String,
    /// `1.2` or `1.3`.
    pub(crate) version: &'static str,
    /// Cipher suite by its registered name.
    pub(crate) cipher: &'static str,
    /// The certificate for the server name. A resumed session presents none; its client has seen one for the same name.
    pub(crate) certificate: Presented,
}

/// The reason why there is no stream.
#[derive(Debug)]
enum Ended {
    /// An authority asked for a proof and has it, or there is none.
    Challenge { answered: bool },
    /// No certificate is there for the name.
    NoCertificate(Option<String>),
    /// The client stopped, sent something else, or wants what we do not speak.
    Failed(io::Error),
    /// It took too long.
    Slow,
}

impl Tls {
    /// Shakes hands with a client. `None` when that does not lead to a stream: the client has got the reason. Names that
    /// `hosts` covers by a wildcard and that lack a certificate are reported.
    pub(crate) async fn accept(
        &self,
        stream: TcpStream,
        hosts: &HostSet,
    ) -> Option<(TlsStream<TcpStream>, Secured)> {
        let deadline = Instant::now() + Duration::from_secs(HANDSHAKE_SECONDS);
        let counters = &self.counters;
        match timeout_at(deadline, self.shake(stream)).await.unwrap_or(Err(Ended::Slow)) {
            Ok((stream, secured)) => {
                let resumed = stream.get_ref().1.handshake_kind() == Some(HandshakeKind::Resumed);
                if resumed { &counters.resumed } else { &counters.full }.add();
                return Some((stream, secured));
            }
            Err(Ended::Challenge { answered }) => {
                if answered { &counters.challenges } else { &counters.failed }.add();
            }
            Err(Ended::NoCertificate(name)) => {
                counters.no_certificate.add();
                tracing::debug!(name, "a handshake fails: no certificate");
                if let Some(name) = name.filter(|name| hosts.contains_by_wildcard(name.as_bytes())) {
                    // When the queue is full, the client's next try reports it.
                    let _ = self.unserved.try_send(name);
                }
            }
            Err(Ended::Failed(error)) => {
                counters.failed.add();
                tracing::debug!(%error, "a handshake fails");
            }
            Err(Ended::Slow) => counters.slow.add(),
        }
        None
    }

    async fn shake(&self, stream: TcpStream) -> Result<(TlsStream<TcpStream>, Secured), Ended> {
        let start = LazyConfigAcceptor::new(Acceptor::default(), stream).await.map_err(Ended::Failed)?;
        let hello = start.client_hello();
        let name = hello.server_name().map(str::to_ascii_lowercase);
        if asks_for_proof(&hello) {
            return Err(self.prove(start, name).await);
        }
        let certificate = name.as_deref().and_then(|name| self.resolver.0.load().find(name).cloned());
        let (Some(server_name), Some(certificate)) = (name.clone(), certificate.map(Presented)) else {
            return Err(reject(start, name).await);
        };
        let bounded = |session: &mut ServerConnection| session.set_buffer_limit(Some(SEALED_BYTES_MAX));
        let config = Arc::clone(&self.config);
        let stream = start.into_stream_with(config, bounded).await.map_err(Ended::Failed)?;
        let session = stream.get_ref().1;
        let version = session.protocol_version().map_or("", version);
        let cipher = session.negotiated_cipher_suite().map_or("", |suite| cipher(suite.suite()));
        Ok((stream, Secured { server_name, version, cipher, certificate }))
    }

    /// Answers a TLS-ALPN-01 challenge: the handshake is the answer, and nothing follows it (RFC 8737 section 3).
    async fn prove(&self, start: StartHandshake<TcpStream>, name: Option<String>) -> Ended {
        let open = self.challenges.load();
        let Some(config) = name.as_deref().and_then(|name| open.alpn(name)).map(Arc::clone) else {
            let _ = reject(start, name).await;
            return Ended::Challenge { answered: false };
        };
        drop(open);
        match start.into_stream(config).await {
            Ok(mut stream) => {
                // The authority closes as it likes; it has seen what it wanted.
                let _ = stream.shutdown().await;
                Ended::Challenge { answered: true }
            }
            Err(_) => Ended::Challenge { answered: false },
        }
    }
}

/// Reports whether the client offers the protocol of the proof and no other (RFC 8737 section 3).
fn asks_for_proof(hello: &ClientHello<'_>) -> bool {
    hello.alpn().is_some_and(|mut offered| offered.next() == Some(ACME_TLS) && offered.next().is_none())
}

/// Says that the name is not served here. The library has no words for it before a configuration is chosen.
async fn reject(start: StartHandshake<TcpStream>, name: Option<String>) -> Ended {
    let mut stream = start.io;
    if stream.write_all(UNRECOGNIZED_NAME).await.is_ok() {
        let _ = stream.shutdown().await;
    }
    Ended::NoCertificate(name)
}

fn version(version: ProtocolVersion) -> &'static str {
    match version {
        ProtocolVersion::TLSv1_2 => "1.2",
        ProtocolVersion::TLSv1_3 => "1.3",
        _ => "",
    }
}

/// The registered name; the library's own differs for the suites of TLS 1.3.
fn cipher(suite: CipherSuite) -> &'static str {
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 => "TLS_AES_128_GCM_SHA256",
        CipherSuite::TLS13_AES_256_GCM_SHA384 => "TLS_AES_256_GCM_SHA384",
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 => "TLS_CHACHA20_POLY1305_SHA256",
        other => other.as_str().unwrap_or(""),
    }
}
