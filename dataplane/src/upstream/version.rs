//! The version of HTTP that a request needs of a connection.

/// Version of HTTP that a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpVersionPreference {
    /// The upstream's choice: by ALPN over TLS, else HTTP/1.1.
    Any,
    /// HTTP/1.1: the request cannot be said otherwise.
    Http1,
    /// HTTP/2, with prior knowledge where there is no ALPN.
    Http2,
}
