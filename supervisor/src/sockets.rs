//! Listening sockets: bound here once and handed to workers, so that no worker's death closes one. It knows ports,
//! nothing of what is served on them.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Weak};

use rustix::io::Errno;
use socket2::{Domain, Protocol, Socket, Type};
use waf_shared::control::SocketId;

/// Connections that wait while workers are busy or being replaced; the kernel cuts it to its own bound.
const BACKLOG: i32 = 4096;

/// A bound socket. It is closed when nobody holds it any more.
#[derive(Debug)]
pub struct Bound {
    /// Its number.
    pub id: SocketId,
    /// Its port.
    pub port: u16,
    /// Listening and non-blocking.
    pub listener: TcpListener,
}

/// A port cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("`{field}` {port} cannot be bound: {source}")]
pub struct BindError {
    /// Field of the configuration.
    pub field: &'static str,
    /// Port that it names.
    pub port: u16,
    /// What the system said.
    pub source: io::Error,
}

impl BindError {
    /// Whether somebody else has the port.
    pub fn in_use(&self) -> bool {
        self.source.kind() == io::ErrorKind::AddrInUse
    }
}

/// Where modes 1 and 2 listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TlsPorts {
    /// HTTPS.
    pub https: u16,
    /// Redirects and challenges.
    pub http: u16,
}

impl Default for TlsPorts {
    fn default() -> Self {
        Self { https: 443, http: 80 }
    }
}

/// Every socket that is held somewhere.
#[derive(Debug, Default)]
pub struct Sockets {
    last_id: u64,
    held: Vec<Weak<Bound>>,
}

impl Sockets {
    /// Binds a port, or finds the socket that is bound to it already: a plan that keeps a port, or moves it to
    /// another listener, keeps the socket.
    pub fn bind(&mut self, field: &'static str, port: u16) -> Result<Arc<Bound>, BindError> {
        self.held.retain(|socket| socket.strong_count() > 0);
        if let Some(held) = self.held.iter().filter_map(Weak::upgrade).find(|socket| socket.port == port) {
            return Ok(held);
        }
        let listener = listen(port).map_err(|source| BindError { field, port, source })?;
        self.last_id += 1;
        let bound = Arc::new(Bound { id: SocketId(self.last_id), port, listener });
        self.held.push(Arc::downgrade(&bound));
        Ok(bound)
    }
}

/// Both address families where the host has IPv6, else IPv4 alone.
fn listen(port: u16) -> io::Result<TcpListener> {
    match listen_on(SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))) {
        Err(error) if lacks_ipv6(&error) => listen_on(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))),
        outcome => outcome,
    }
}

fn lacks_ipv6(error: &io::Error) -> bool {
    let lacking = [Errno::AFNOSUPPORT, Errno::ADDRNOTAVAIL, Errno::PROTONOSUPPORT, Errno::NOPROTOOPT];
    Errno::from_io_error(error).is_some_and(|errno| lacking.contains(&errno))
}

fn listen_on(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    // Connections of an earlier process that are still closing must not keep the port.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    fn free_port() -> u16 {
        listen(0).unwrap().local_addr().unwrap().port()
    }

    #[test]
    fn a_port_is_bound_once_and_freed_when_nobody_holds_it() {
        let mut sockets = Sockets::default();
        let port = free_port();
        let first = sockets.bind("port", port).unwrap();
        let again = sockets.bind("health_port", port).unwrap();
        assert_eq!(first.id, again.id);
        drop((first, again));
        let later = sockets.bind("port", port).unwrap();
        assert_eq!(later.id, SocketId(2));
    }

    #[test]
    fn a_port_in_use_is_an_error_that_names_it() {
        let taken = listen(0).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = Sockets::default().bind("health_port", port).unwrap_err();
        let text = error.to_string();
        assert!(error.in_use());
        assert!(text.starts_with(&format!("`health_port` {port} cannot be bound: ")), "{text}");
    }
}
