//! Accept loops: connections are accepted on a socket, given a place, shaken hands with where that is TLS, and served.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use waf_shared::control::Role;
use waf_shared::limits;
use waf_shared::route::HostSet;

use crate::exchange::{Arrival, Behind, ConnectionInfo};
use crate::proxy::Proxy;
use crate::proxy_protocol::{self, HeaderError, ProxyProtocol, Sender};
use crate::stream::Stream;
use crate::{client_address, connection};

/// Pause of accepting when the process has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Time that a TLS handshake under way gets when a stop begins: enough for any client that means it.
const STOP_HANDSHAKE: Duration = Duration::from_secs(2);

/// Time that the first connection without a place waits for one.
const FULL_PATIENCE: Duration = Duration::from_secs(limits::FULL_SECONDS);

/// Interval at which idle upstream connections are closed.
const PRUNE_EVERY: Duration = Duration::from_secs(10);

/// Accepts connections on `socket` until the returned guard is dropped.
pub(crate) fn listen(proxy: &Arc<Proxy>, socket: std::net::TcpListener, role: Role) -> io::Result<Listening> {
    socket.set_nonblocking(true)?;
    let listener = TcpListener::from_std(socket)?;
    let task = tokio::spawn(accept(Arc::clone(proxy), listener, role));
    Ok(Listening { task: task.abort_handle() })
}

/// An accept loop; dropping it stops accepting.
#[derive(Debug)]
pub(crate) struct Listening {
    task: AbortHandle,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(proxy: Arc<Proxy>, listener: TcpListener, role: Role) {
    let mut patience = FULL_PATIENCE;
    let mut prune = tokio::time::interval(PRUNE_EVERY);
    loop {
        let Some(place) = place(&proxy, patience).await else { return };
        let shaking = match role {
            Role::Https => match Arc::clone(proxy.handshakes()).acquire_owned().await {
                Ok(permit) => Some(permit),
                Err(_) => return,
            },
            Role::Plain | Role::Redirect => None,
        };
        let accepted = loop {
            tokio::select! {
                accepted = listener.accept() => break accepted,
                _ = prune.tick() => if let Some(active_plan) = proxy.active_plan() {
                    active_plan.pools().prune(Instant::now());
                },
            }
        };
        match accepted {
            Ok((stream, peer)) => {
                let place = place.or_free(proxy.connections());
                // Connections that come while all places are taken are answered at once.
                patience = match place.purpose {
                    Purpose::Serve => FULL_PATIENCE,
                    Purpose::Decline => Duration::ZERO,
                };
                start(&proxy, (stream, peer), role, place, shaking);
            }
            Err(error) if is_about_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "accepting connections pauses");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Serves an accepted connection in a task of its own.
fn start(
    proxy: &Arc<Proxy>,
    (stream, peer): (TcpStream, SocketAddr),
    role: Role,
    place: Place,
    shaking: Option<OwnedSemaphorePermit>,
) {
    // Here and not in the task: a drain that begins before the task does must count it.
    let open = proxy.enter();
    let proxy = Arc::clone(proxy);
    tokio::spawn(async move {
        if let Some((stream, info)) = opened(&proxy, stream, peer, role).await {
            drop(shaking);
            match place.purpose {
                Purpose::Serve => connection::serve(proxy, stream, info).await,
                Purpose::Decline => connection::decline(proxy, stream, info).await,
            }
        }
        drop((open, place));
    });
}

/// The stream of an accepted connection; none when it comes to nothing.
async fn opened(
    proxy: &Proxy,
    mut stream: TcpStream,
    peer: SocketAddr,
    role: Role,
) -> Option<(Stream, ConnectionInfo)> {
    stream.set_nodelay(true).ok()?;
    // A slow client would otherwise look like one that takes nothing: megabytes lie in the kernel. Older kernels cannot.
    let _ = socket2::SockRef::from(&stream).set_tcp_notsent_lowat(limits::CLIENT_UNSENT_BYTES);
    let local = stream.local_addr().ok()?;
    let (peer, behind) = tokio::select! {
        biased;
        client = client(proxy, &mut stream, peer) => client?,
        () = stopped_for(proxy, STOP_HANDSHAKE) => return None,
    };
    let (stream, arrival) = match role {
        Role::Plain => (Stream::Plain(stream), Arrival::Plain),
        Role::Redirect => (Stream::Plain(stream), Arrival::Redirect),
        Role::Https => {
            let active_plan = proxy.active_plan();
            let none = HostSet::default();
            let hosts = active_plan.as_ref().and_then(|plan| plan.hosts()).unwrap_or(&none);
            let (stream, secured) = tokio::select! {
                biased;
                accepted = proxy.tls().accept(stream, hosts) => accepted?,
                () = stopped_for(proxy, STOP_HANDSHAKE) => return None,
            };
            (Stream::Tls(Box::new(stream.into())), Arrival::Tls(Arc::new(secured)))
        }
    };
    Some((stream, ConnectionInfo { peer, behind, local, arrival }))
}

/// The client of a connection: the peer or, where a trusted peer has to say so, whom its PROXY protocol header names. None
/// closes the connection.
async fn client(proxy: &Proxy, stream: &mut TcpStream, peer: SocketAddr) -> Option<(SocketAddr, Behind)> {
    if proxy.proxy_protocol() == ProxyProtocol::Off {
        return Some((peer, Behind::Itself));
    }
    let active_plan = proxy.active_plan()?;
    let plan = active_plan.plan();
    // Anybody else begins with TLS or HTTP: a header is malformed there.
    if !client_address::is_trusted(peer.ip(), &plan.trusted_proxies) {
        return Some((peer, Behind::Itself));
    }
    let patience = plan.protocol.slow_request_header_timeout.duration();
    let why = match tokio::time::timeout(patience, proxy_protocol::read(stream)).await {
        Ok(Ok(Sender::Address(client))) => return Some((client, Behind::Itself)),
        Ok(Ok(Sender::Proxy)) => return Some((peer, Behind::Itself)),
        Ok(Ok(Sender::Unknown)) => return Some((peer, Behind::Somebody)),
        // Balancers look whether a port is open.
        Ok(Err(HeaderError::Closed)) => return None,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the PROXY protocol header did not come in time".to_owned(),
    };
    tracing::info!(peer = %peer.ip().to_canonical(), why, "a connection of a trusted peer is closed");
    None
}

/// Waits for a stop, and then for `time`.
async fn stopped_for(proxy: &Proxy, time: Duration) {
    let mut stop = proxy.stopping();
    // The sender lives as long as the proxy.
    let _ = stop.wait_for(|stopping| *stopping).await;
    tokio::time::sleep(time).await;
}

/// A place for a connection; it is free again when the connection ends.
#[derive(Debug)]
struct Place {
    purpose: Purpose,
    _held: OwnedSemaphorePermit,
}

/// The purpose for which a connection is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Serve,
    /// To report that there is no place.
    Decline,
}

impl Place {
    /// A place to serve the connection from, where one became free in the meantime.
    fn or_free(self, connections: &Arc<Semaphore>) -> Place {
        if self.purpose == Purpose::Decline
            && let Ok(free) = Arc::clone(connections).try_acquire_owned()
        {
            return Place { purpose: Purpose::Serve, _held: free };
        }
        self
    }
}

/// A place for one more connection. When none becomes free for a while, it is one to decline from: a client learns
/// more from that than from waiting.
async fn place(proxy: &Proxy, patience: Duration) -> Option<Place> {
    match tokio::time::timeout(patience, Arc::clone(proxy.connections()).acquire_owned()).await {
        Ok(free) => Some(Place { purpose: Purpose::Serve, _held: free.ok()? }),
        Err(_) => {
            let held = Arc::clone(proxy.reserve()).acquire_owned().await.ok()?;
            Some(Place { purpose: Purpose::Decline, _held: held })
        }
    }
}

/// Reports whether the connection failed before it was accepted; the next one may be fine.
fn is_about_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}
