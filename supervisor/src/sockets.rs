//! Listening sockets: bound here once, or adopted from whoever bound them, and handed to workers, so that no worker's
//! death closes one. It knows ports, nothing of what is served on them.

pub mod adopted;

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Weak};

use rustix::io::Errno;
use socket2::{Domain, Protocol, Socket, Type};
use tracing::{info, warn};
use waf_shared::control::SocketId;

use adopted::{Adopted, Origin};

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
    /// Who bound it.
    pub origin: Origin,
}

/// A port cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("`{field}` {port} cannot be bound: {source}")]
pub struct BindError {
    /// Field of the configuration.
    pub field: &'static str,
    /// Port that it names.
    pub port: u16,
    /// Error of the system.
    pub source: io::Error,
}

impl BindError {
    /// True if somebody else has the port.
    pub fn in_use(&self) -> bool {
        self.source.kind() == io::ErrorKind::AddrInUse
    }
}

/// Ports of modes 1 and 2.
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
    /// Adopted ones, held until [`Sockets::settle`], and those of a service manager until the end.
    adopted: Vec<Arc<Bound>>,
}

impl Sockets {
    /// Takes sockets over: a plan that names the port of one uses it and binds none.
    pub fn adopt(&mut self, sockets: Vec<Adopted>) {
        for Adopted { name, port, listener, origin } in sockets {
            let address =
                listener.local_addr().map_or_else(|_| port.to_string(), |address| address.to_string());
            info!(%address, name, "a listening socket is adopted");
            let bound = self.hold(port, listener, origin);
            self.adopted.push(bound);
        }
    }

    /// Binds a port, or finds the socket that is bound to it already: a plan that keeps a port, or moves it to
    /// another listener, keeps the socket.
    pub fn bind(&mut self, field: &'static str, port: u16) -> Result<Arc<Bound>, BindError> {
        if let Some(held) = self.all().into_iter().find(|socket| socket.port == port) {
            return Ok(held);
        }
        let listener = listen(port).map_err(|source| BindError { field, port, source })?;
        Ok(self.hold(port, listener, Origin::Own))
    }

    /// A plan has chosen: says which adopted sockets it did not want. A service manager's are kept, since it holds the
    /// port bound in any case and a later plan may name it; others are closed, once nobody uses them.
    pub fn settle(&mut self) {
        for socket in &self.adopted {
            // One reference is ours.
            if Arc::strong_count(socket) == 1 {
                match socket.origin {
                    Origin::ServiceManager => warn!(
                        port = socket.port,
                        "nothing of the configuration is served on a socket of the service manager: connections to it wait in vain"
                    ),
                    Origin::Own => info!(
                        port = socket.port,
                        "a socket of the old supervisor is not needed: it is closed"
                    ),
                }
            }
        }
        self.adopted.retain(|socket| socket.origin == Origin::ServiceManager);
    }

    /// Every socket that is in use or kept.
    pub fn all(&mut self) -> Vec<Arc<Bound>> {
        self.held.retain(|socket| socket.strong_count() > 0);
        self.held.iter().filter_map(Weak::upgrade).collect()
    }

    /// Keeps none any longer.
    pub fn release(&mut self) {
        self.adopted.clear();
    }

    fn hold(&mut self, port: u16, listener: TcpListener, origin: Origin) -> Arc<Bound> {
        self.last_id += 1;
        let bound = Arc::new(Bound { id: SocketId(self.last_id), port, listener, origin });
        self.held.push(Arc::downgrade(&bound));
        bound
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
    // Connections of an earlier process that are still closing must not keep the port. Not SO_REUSEPORT: with it a
    // second service would get half of the connections instead of an error, and those that the kernel gives to the
    // listener of a worker that has lost its supervisor would be reset when it closes.
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
    fn an_adopted_socket_is_used_for_its_port_and_kept_as_long_as_its_origin_says() {
        let mut sockets = Sockets::default();
        let listeners = [listen(0).unwrap(), listen(0).unwrap(), listen(0).unwrap()];
        let ports = listeners.each_ref().map(|listener| listener.local_addr().unwrap().port());
        let origins = [Origin::Own, Origin::Own, Origin::ServiceManager];
        let adopted = listeners.into_iter().zip(origins);
        sockets.adopt(
            adopted.map(|(listener, origin)| adopted::adopt(listener.into(), origin).unwrap()).collect(),
        );
        let wanted = sockets.bind("port", ports[0]).unwrap();
        assert_eq!(wanted.id, SocketId(1), "nothing was bound");
        sockets.settle();
        let mut left: Vec<u16> = sockets.all().iter().map(|socket| socket.port).collect();
        left.sort_unstable();
        let mut expected = [ports[0], ports[2]];
        expected.sort_unstable();
        assert_eq!(left, expected, "what no plan wants is closed, but for the service manager's");
        drop(wanted);
        assert_eq!(sockets.all().iter().map(|socket| socket.port).collect::<Vec<_>>(), [ports[2]]);
        sockets.release();
        assert!(sockets.all().is_empty());
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
