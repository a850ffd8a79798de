//! Faults of upstreams.

/// The reason why an upstream could not be used. Its text goes into the service's log.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// The name does not resolve.
    #[error("the name does not resolve")]
    Resolve(#[source] std::io::Error),
    /// No address accepts a connection.
    #[error("it does not accept connections")]
    Connect(#[source] std::io::Error),
    /// The TLS handshake failed.
    #[error("the TLS handshake failed")]
    Tls(#[source] std::io::Error),
    /// A deadline passed.
    #[error("it did not answer in time")]
    Timeout,
    /// Every connection that may be open is in use.
    #[error("all its connections are in use")]
    Busy,
    /// The client holds as many connections as one client may.
    #[error("the client holds its share of the connections")]
    Share,
    /// The connection broke before the response was complete.
    #[error("the connection broke")]
    Reset(#[source] std::io::Error),
    /// The answer is not HTTP.
    #[error("the answer is not well-formed HTTP: {0}")]
    Malformed(crate::http1::head::Malformed),
    /// The response head is larger than is ever sent.
    #[error("the response head is too long")]
    HeadTooLong,
}

impl UpstreamError {
    /// The failure in one word.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            UpstreamError::Resolve(_) => "resolve",
            UpstreamError::Connect(_) => "connect",
            UpstreamError::Tls(_) => "tls",
            UpstreamError::Timeout => "timeout",
            UpstreamError::Busy | UpstreamError::Share => "busy",
            UpstreamError::Reset(_) => "reset",
            UpstreamError::Malformed(_) | UpstreamError::HeadTooLong => "malformed",
        }
    }
}
