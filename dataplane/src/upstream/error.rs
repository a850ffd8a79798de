//! Faults of upstreams.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;

use waf_shared::plan::Upstream;

use super::origin::origin;
use crate::error_text;

/// Bytes of a description of a failure.
const DESCRIPTION_BYTES_MAX: usize = 256;

/// The reason why an upstream could not be used. Its text goes into the service's log.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// The name does not resolve.
    #[error("the name does not resolve")]
    Resolve(#[source] io::Error),
    /// No address accepts a connection.
    #[error("it does not accept connections")]
    Connect(#[source] io::Error),
    /// The certificate of the peer is not valid for it.
    #[error("its certificate is not trusted")]
    Certificate(#[source] io::Error),
    /// The TLS handshake failed.
    #[error("the TLS handshake failed")]
    Tls(#[source] io::Error),
    /// A deadline passed.
    #[error("{}", .0.as_str())]
    Timeout(Awaited),
    /// Every connection that may be open is in use.
    #[error("all its connections are in use")]
    Busy,
    /// The client holds as many connections as one client may.
    #[error("the client holds its share of the connections")]
    Share,
    /// The connection broke before the response was complete.
    #[error("the connection broke")]
    Reset(#[source] io::Error),
    /// The answer is not HTTP.
    #[error("the answer is not well-formed HTTP: {0}")]
    Malformed(crate::http1::head::Malformed),
    /// The response head is larger than is ever sent.
    #[error("the response head is too long")]
    HeadTooLong,
}

/// The step that a deadline cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// The addresses of a name.
    Name,
    /// A TCP connection.
    Connection,
    /// A TLS handshake.
    Tls,
    /// The answer to a request.
    Answer,
}

impl Awaited {
    fn as_str(self) -> &'static str {
        match self {
            Awaited::Name => "its name was not resolved in time",
            Awaited::Connection => "it did not accept a connection in time",
            Awaited::Tls => "it did not complete the TLS handshake in time",
            Awaited::Answer => "it did not answer in time",
        }
    }
}

impl UpstreamError {
    /// The error of a TLS handshake. A certificate that does not verify is reported as that.
    pub(super) fn of_handshake(error: io::Error) -> UpstreamError {
        let reason = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match reason {
            Some(rustls::Error::InvalidCertificate(_)) => UpstreamError::Certificate(error),
            _ => UpstreamError::Tls(error),
        }
    }

    /// The failure in one word.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            UpstreamError::Resolve(_) => "resolve",
            UpstreamError::Connect(_) => "connect",
            UpstreamError::Certificate(_) | UpstreamError::Tls(_) => "tls",
            UpstreamError::Timeout(_) => "timeout",
            UpstreamError::Busy | UpstreamError::Share => "busy",
            UpstreamError::Reset(_) => "reset",
            UpstreamError::Malformed(_) | UpstreamError::HeadTooLong => "malformed",
        }
    }

    /// The failure at an address.
    pub(crate) fn at(self, address: Option<SocketAddr>) -> UpstreamFailure {
        UpstreamFailure { error: self, address }
    }
}

/// A failure of an upstream: the reason, and the address at which it occurred.
#[derive(Debug)]
pub struct UpstreamFailure {
    pub(crate) error: UpstreamError,
    /// None if no address was known or tried.
    pub(crate) address: Option<SocketAddr>,
}

impl From<UpstreamError> for UpstreamFailure {
    fn from(error: UpstreamError) -> UpstreamFailure {
        error.at(None)
    }
}

impl fmt::Display for UpstreamFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(address) = self.address {
            write!(f, "{address}: ")?;
        }
        self.error.fmt(f)
    }
}

impl Error for UpstreamFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

impl UpstreamFailure {
    /// The failure of `upstream` on one line, for the log and audit events. Clients never see it.
    pub(crate) fn describe(&self, upstream: &Upstream) -> String {
        let reason = error_text::with_causes(self, DESCRIPTION_BYTES_MAX);
        format!("upstream {}: {reason}", origin(upstream))
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::plan::Scheme;

    use super::*;

    fn upstream(scheme: Scheme, authority: &str) -> Upstream {
        Upstream {
            scheme,
            host: String::new(),
            port: 0,
            base_path: "/secret".to_owned(),
            authority: authority.to_owned(),
        }
    }

    #[test]
    fn a_failure_names_the_upstream_the_address_and_the_reason() {
        let io = |text: &'static str| io::Error::other(text);
        let untrusted = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        let expired = rustls::Error::InvalidCertificate(rustls::CertificateError::Expired);
        let other = rustls::Error::HandshakeNotComplete;
        let handshake =
            |error| UpstreamError::of_handshake(io::Error::new(io::ErrorKind::InvalidData, error));
        for (error, address, expected) in [
            (UpstreamError::Resolve(io("no such host")), None, "the name does not resolve: no such host"),
            (
                UpstreamError::Connect(io("refused")),
                Some("192.0.2.1:80"),
                "192.0.2.1:80: it does not accept connections: refused",
            ),
            (
                handshake(untrusted),
                Some("[2001:db8::1]:443"),
                "[2001:db8::1]:443: its certificate is not trusted: invalid peer certificate: UnknownIssuer",
            ),
            (handshake(expired), None, "its certificate is not trusted: invalid peer certificate: Expired"),
            (handshake(other), None, "the TLS handshake failed: handshake not complete"),
            (UpstreamError::Timeout(Awaited::Name), None, "its name was not resolved in time"),
            (
                UpstreamError::Timeout(Awaited::Answer),
                Some("192.0.2.1:80"),
                "192.0.2.1:80: it did not answer in time",
            ),
            (UpstreamError::Busy, None, "all its connections are in use"),
        ] {
            let failure = error.at(address.map(|address| address.parse().expect("an address")));
            let text = failure.describe(&upstream(Scheme::Https, "app:8443"));
            assert_eq!(text, format!("upstream https://app:8443: {expected}"));
        }
    }

    #[test]
    fn a_description_is_bounded() {
        let failure = UpstreamError::Connect(io::Error::other("\u{e9}".repeat(4096))).at(None);
        assert!(failure.describe(&upstream(Scheme::Http, "app")).len() < 2 * DESCRIPTION_BYTES_MAX);
    }
}
