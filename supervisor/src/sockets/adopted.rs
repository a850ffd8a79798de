//! Sockets that were bound by somebody else: a service manager that starts us with them (sd_listen_fds(3)), or an older
//! supervisor. Each is looked at before it is taken: nothing but a listening TCP socket is ever accepted on.

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd as _, OwnedFd};

use listenfd::ListenFd;
use rustix::io::FdFlags;
use rustix::net::{AddressFamily, SocketType, ipproto, sockopt};
use waf_shared::limits::HANDED_SOCKETS_MAX;

use crate::cli::Listen;

/// The first descriptor of sd_listen_fds(3).
const FIRST_DESCRIPTOR: usize = 3;

/// Who bound a socket, which decides how long it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// This process: closed when no plan needs it.
    Own,
    /// A service manager: it keeps the port bound whatever we do, so the socket is kept for a later plan.
    ServiceManager,
}

/// A socket to be used by the plan that names its port.
#[derive(Debug)]
pub struct Adopted {
    /// Its name at the service manager.
    pub name: Option<String>,
    /// Its port.
    pub port: u16,
    /// Listening, non-blocking, and closed when another program is executed.
    pub listener: TcpListener,
    /// Who bound it.
    pub origin: Origin,
}

/// A fault of sockets that a service manager hands over.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// The variable holds no number, or too large a one.
    #[error("LISTEN_FDS is `{0}`: expected the number of sockets, at most {HANDED_SOCKETS_MAX}")]
    Count(String),
    /// Something else than what is served on.
    #[error(
        "descriptor {descriptor} (`{name}`) of LISTEN_FDS cannot be served: {why}. Remove it from the socket unit"
    )]
    Unfit {
        /// Its number.
        descriptor: usize,
        /// Its name at the service manager.
        name: String,
        /// The fault.
        why: Unfit,
    },
    /// Two of them would be served on for one field of the configuration.
    #[error(
        "descriptors {first} and {second} of LISTEN_FDS have the same port {port}: hand over one socket for each port \
         (in a socket unit `ListenStream={port}` with `BindIPv6Only=both` covers both address families)"
    )]
    Twice {
        /// The earlier one.
        first: usize,
        /// The later one.
        second: usize,
        /// Their port.
        port: u16,
    },
}

/// A fault of a descriptor that should be a socket to accept clients on.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// No stream socket of the Internet protocols.
    #[error("it is no TCP socket")]
    NoTcp,
    /// Connected, or only bound.
    #[error("it does not listen")]
    NotListening,
    /// Error of the system.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Takes the descriptors that a service manager handed over. To be called once, before anything else is opened.
pub fn from_service_manager(listen: &Listen) -> Result<Vec<Adopted>, AdoptError> {
    let count = listen.count.parse().ok().filter(|count| *count <= HANDED_SOCKETS_MAX);
    let count: usize = count.ok_or_else(|| AdoptError::Count(listen.count.clone()))?;
    let mut handed = ListenFd::from_env();
    let mut adopted: Vec<Adopted> = Vec::with_capacity(count);
    for at in 0..count {
        let descriptor = FIRST_DESCRIPTOR + at;
        let name = listen.names.get(at).filter(|name| !name.is_empty());
        let socket = match handed.take_tcp_listener(at) {
            Ok(Some(listener)) => adopt(listener.into(), Origin::ServiceManager),
            Ok(None) | Err(_) => Err(Unfit::NoTcp),
        };
        let socket = socket.map_err(|why| {
            let name = name.cloned().unwrap_or_else(|| "unknown".to_owned());
            AdoptError::Unfit { descriptor, name, why }
        })?;
        if let Some(first) = adopted.iter().position(|other| other.port == socket.port) {
            return Err(AdoptError::Twice {
                first: FIRST_DESCRIPTOR + first,
                second: descriptor,
                port: socket.port,
            });
        }
        adopted.push(Adopted { name: name.cloned(), ..socket });
    }
    Ok(adopted)
}

/// Takes a descriptor if it is a listening TCP socket.
pub fn adopt(descriptor: OwnedFd, origin: Origin) -> Result<Adopted, Unfit> {
    let fd = descriptor.as_fd();
    let is_stream = sockopt::socket_type(fd).is_ok_and(|kind| kind == SocketType::STREAM);
    let is_internet = sockopt::socket_domain(fd)
        .is_ok_and(|domain| domain == AddressFamily::INET || domain == AddressFamily::INET6);
    let is_tcp = sockopt::socket_protocol(fd)
        .is_ok_and(|protocol| protocol == Some(ipproto::TCP) || protocol == Some(ipproto::MPTCP));
    if !(is_stream && is_internet && is_tcp) {
        return Err(Unfit::NoTcp);
    }
    if !sockopt::socket_acceptconn(fd).map_err(io::Error::from)? {
        return Err(Unfit::NotListening);
    }
    rustix::io::fcntl_setfd(fd, FdFlags::CLOEXEC).map_err(io::Error::from)?;
    let listener = TcpListener::from(descriptor);
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    Ok(Adopted { name: None, port, listener, origin })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::net::{TcpStream, UdpSocket};
    use std::os::unix::net::UnixListener;

    use socket2::{Domain, Socket, Type};

    use super::*;

    #[test]
    fn a_listening_socket_is_made_fit() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        rustix::io::fcntl_setfd(&listener, FdFlags::empty()).unwrap();
        let adopted = adopt(listener.into(), Origin::ServiceManager).unwrap();
        assert_eq!((adopted.port, adopted.origin), (port, Origin::ServiceManager));
        assert_eq!(rustix::io::fcntl_getfd(&adopted.listener).unwrap(), FdFlags::CLOEXEC);
        let accepted = adopted.listener.accept();
        assert_eq!(accepted.unwrap_err().kind(), io::ErrorKind::WouldBlock, "it does not block");
    }

    #[test]
    fn nothing_else_is_taken() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connected = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let bound = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let unix = UnixListener::bind(folder.path().join("socket")).unwrap();
        let file = std::fs::File::create(folder.path().join("file")).unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        for (what, descriptor, listens_not) in [
            ("a connection", OwnedFd::from(connected), true),
            ("a socket that does not listen", bound.into(), true),
            ("a Unix socket", unix.into(), false),
            ("a file", file.into(), false),
            ("a UDP socket", udp.into(), false),
        ] {
            match (adopt(descriptor, Origin::Own), listens_not) {
                (Err(Unfit::NotListening), true) | (Err(Unfit::NoTcp), false) => {}
                (other, _) => panic!("{what}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_count_beyond_the_bound_is_refused_before_anything_is_touched() {
        for count in ["", "-1", "three", "65", "99999999999999999999"] {
            let listen = Listen { count: count.into(), names: Vec::new() };
            assert!(matches!(from_service_manager(&listen), Err(AdoptError::Count(_))), "{count}");
        }
    }
}
