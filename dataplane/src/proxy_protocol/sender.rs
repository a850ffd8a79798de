//! Who connected to a proxy, whichever version of the protocol says so.

use std::net::SocketAddr;

/// Whom a header names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    /// The client at this address.
    Address(SocketAddr),
    /// The proxy itself, as for a check of its own.
    Proxy,
    /// A client whose address the proxy does not say.
    Unknown,
}
