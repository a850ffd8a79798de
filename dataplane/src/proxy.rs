//! What a worker serves with: the active plan behind one pointer, the accept loops, and the count of open connections.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::AbortHandle;
use waf_shared::control::Role;
use waf_shared::limits;
use waf_shared::plan::{Listen, Plan};
use waf_shared::route::HostSet;

use crate::active_plan::ActivePlan;
use crate::audit::sink::Sink;
use crate::connection;
use crate::exchange::{Arrival, ConnectionInfo, InspectionPool};
use crate::journal::Journal;
use crate::overload::Overload;
use crate::stream::Stream;
use crate::tls::{self, Tls};

/// How long accepting pauses when the process has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What a TLS handshake that is under way gets when a stop begins: enough for any client that means it.
const STOP_HANDSHAKE: Duration = Duration::from_secs(2);

/// How long the first connection that finds no place waits for one.
const FULL_PATIENCE: Duration = Duration::from_secs(limits::FULL_SECONDS);

/// How often idle upstream connections are looked over.
const PRUNE_EVERY: Duration = Duration::from_secs(10);

/// Shared by all connections of a worker.
#[derive(Debug)]
pub struct Proxy {
    active: ArcSwapOption<ActivePlan>,
    audit: Sink,
    stop: watch::Sender<bool>,
    open: AtomicUsize,
    finished: Notify,
    connections: Arc<Semaphore>,
    handshakes: Arc<Semaphore>,
    tls: Tls,
    inspections: InspectionPool,
    journal: OnceLock<Arc<Journal>>,
    overload: Overload,
    /// Places for connections that are told that there is none.
    reserve: Arc<Semaphore>,
    /// Percent of an upstream's connections that one client may take, where the operator says so.
    client_share: Option<u8>,
}

impl Proxy {
    /// Without a plan: it serves nothing until the first [`Proxy::commit`].
    pub fn new(audit: Sink, tls: Tls, overload: Overload, client_share: Option<u8>) -> Arc<Proxy> {
        let connections = connections_max();
        Arc::new(Proxy {
            active: ArcSwapOption::empty(),
            audit,
            stop: watch::Sender::new(false),
            open: AtomicUsize::new(0),
            finished: Notify::new(),
            connections: Arc::new(Semaphore::new(connections)),
            handshakes: Arc::new(Semaphore::new(tls::handshakes_max(connections))),
            tls,
            inspections: InspectionPool::default(),
            journal: OnceLock::new(),
            overload,
            reserve: Arc::new(Semaphore::new(limits::FULL_ANSWERS_MAX)),
            client_share,
        })
    }

    /// Makes `active_plan` what every request that begins from now on sees: one pointer store.
    pub fn commit(&self, active_plan: Arc<ActivePlan>) {
        self.active.store(Some(active_plan));
    }

    /// The active plan.
    pub fn active_plan(&self) -> Option<Arc<ActivePlan>> {
        self.active.load_full()
    }

    /// What TLS needs beside the plan.
    pub fn tls(&self) -> &Tls {
        &self.tls
    }

    /// Accepts connections on `socket` until the returned guard is dropped.
    pub fn listen(self: &Arc<Self>, socket: std::net::TcpListener, role: Role) -> io::Result<Listening> {
        socket.set_nonblocking(true)?;
        let listener = TcpListener::from_std(socket)?;
        let task = tokio::spawn(Arc::clone(self).accept(listener, role));
        Ok(Listening { task: task.abort_handle() })
    }

    /// Ends keep-alive and waits until no connection is open, for at most `limit`.
    pub async fn drain(&self, limit: Duration) {
        self.stop.send_replace(true);
        let drained = async {
            loop {
                let finished = self.finished.notified();
                if self.open.load(Ordering::Acquire) == 0 {
                    return;
                }
                finished.await;
            }
        };
        let _ = tokio::time::timeout(limit, drained).await;
    }

    /// Writes down what is in flight from now on. The first journal stays.
    pub fn keep(&self, journal: Arc<Journal>) {
        let _ = self.journal.set(journal);
    }

    /// Percent of an upstream's connections that one client may take under `plan`. In mode 3 without trusted proxies an
    /// address may be a balancer's, and stand for everybody.
    pub(crate) fn client_share(&self, plan: &Plan) -> u8 {
        let knows_clients = matches!(plan.listen, Listen::Tls { .. }) || !plan.trusted_proxies.is_empty();
        let default = if knows_clients {
            limits::CLIENT_SHARE_KNOWN_PERCENT
        } else {
            limits::CLIENT_SHARE_UNKNOWN_PERCENT
        };
        self.client_share.unwrap_or(default)
    }

    pub(crate) fn overload(&self) -> &Overload {
        &self.overload
    }

    pub(crate) fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.get()
    }

    pub(crate) fn audit(&self) -> &Sink {
        &self.audit
    }

    pub(crate) fn inspections(&self) -> &InspectionPool {
        &self.inspections
    }

    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Counts a connection, from its acceptance until the guard is dropped.
    fn enter(self: &Arc<Self>) -> Open {
        self.open.fetch_add(1, Ordering::AcqRel);
        Open(Arc::clone(self))
    }

    /// A place for one more connection. When none becomes free for a while, one to say so from: a client learns more from
    /// that than from waiting.
    async fn place(&self, patience: Duration) -> Option<Place> {
        match tokio::time::timeout(patience, Arc::clone(&self.connections).acquire_owned()).await {
            Ok(free) => Some(Place { purpose: Purpose::Serve, _held: free.ok()? }),
            Err(_) => {
                let held = Arc::clone(&self.reserve).acquire_owned().await.ok()?;
                Some(Place { purpose: Purpose::Decline, _held: held })
            }
        }
    }

    async fn accept(self: Arc<Self>, listener: TcpListener, role: Role) {
        let mut patience = FULL_PATIENCE;
        let mut prune = tokio::time::interval(PRUNE_EVERY);
        loop {
            let Some(mut place) = self.place(patience).await else { return };
            let shaking = match role {
                Role::Https => match Arc::clone(&self.handshakes).acquire_owned().await {
                    Ok(permit) => Some(permit),
                    Err(_) => return,
                },
                Role::Plain | Role::Redirect => None,
            };
            let accepted = loop {
                tokio::select! {
                    accepted = listener.accept() => break accepted,
                    _ = prune.tick() => if let Some(active_plan) = self.active_plan() {
                        active_plan.pools().prune(Instant::now());
                    },
                }
            };
            match accepted {
                Ok((stream, peer)) => {
                    // Here and not in its task: a drain that begins before the task does must know of it.
                    let open = self.enter();
                    if place.purpose == Purpose::Decline
                        && let Ok(free) = Arc::clone(&self.connections).try_acquire_owned()
                    {
                        place = Place { purpose: Purpose::Serve, _held: free };
                    }
                    // Whoever comes while all places are taken is told at once.
                    patience = match place.purpose {
                        Purpose::Serve => FULL_PATIENCE,
                        Purpose::Decline => Duration::ZERO,
                    };
                    let proxy = Arc::clone(&self);
                    tokio::spawn(async move {
                        if let Some((stream, info)) = proxy.open(stream, peer, role).await {
                            drop(shaking);
                            match place.purpose {
                                Purpose::Serve => connection::serve(proxy, stream, info).await,
                                Purpose::Decline => connection::decline(proxy, stream, info).await,
                            }
                        }
                        drop((open, place));
                    });
                }
                Err(error) if is_about_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "accepting connections pauses");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}

impl Proxy {
    /// Makes a stream of an accepted connection; `None` when it comes to nothing.
    async fn open(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        role: Role,
    ) -> Option<(Stream, ConnectionInfo)> {
        stream.set_nodelay(true).ok()?;
        // A slow client would otherwise look like one that takes nothing: megabytes lie in the kernel. Older kernels cannot.
        let _ = socket2::SockRef::from(&stream).set_tcp_notsent_lowat(limits::CLIENT_UNSENT_BYTES);
        let local = stream.local_addr().ok()?;
        let (stream, arrival) = match role {
            Role::Plain => (Stream::Plain(stream), Arrival::Plain),
            Role::Redirect => (Stream::Plain(stream), Arrival::Redirect),
            Role::Https => {
                let active_plan = self.active_plan();
                let none = HostSet::default();
                let hosts = active_plan.as_ref().and_then(|active_plan| active_plan.hosts()).unwrap_or(&none);
                let (stream, secured) = tokio::select! {
                    biased;
                    accepted = self.tls.accept(stream, hosts) => accepted?,
                    () = self.stopped_for(STOP_HANDSHAKE) => return None,
                };
                (Stream::Tls(Box::new(stream.into())), Arrival::Tls(Arc::new(secured)))
            }
        };
        Some((stream, ConnectionInfo { peer, local, arrival }))
    }
}

impl Proxy {
    /// Waits for a stop, and so much longer.
    async fn stopped_for(&self, time: Duration) {
        let mut stop = self.stopping();
        // The sender lives as long as this.
        let _ = stop.wait_for(|stopping| *stopping).await;
        tokio::time::sleep(time).await;
    }
}

/// What a connection is accepted for; the place is free again when it ends.
#[derive(Debug)]
struct Place {
    purpose: Purpose,
    _held: OwnedSemaphorePermit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Serve,
    /// To say that there is no place.
    Decline,
}

/// The connection failed before it was accepted; the next one may be fine.
fn is_about_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    )
}

/// Half of the files that the process may open, since each exchange may need an upstream connection too.
fn connections_max() -> usize {
    let files = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE)
        .map_or(1024, |(soft, _)| soft);
    usize::try_from(files / 2)
        .unwrap_or(usize::MAX)
        .saturating_sub(32)
        .clamp(16, limits::CLIENT_CONNECTIONS_MAX)
}

/// An accept loop; dropping it stops accepting.
#[derive(Debug)]
pub struct Listening {
    task: AbortHandle,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An open connection.
#[derive(Debug)]
struct Open(Arc<Proxy>);

impl Drop for Open {
    fn drop(&mut self) {
        if self.0.open.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.finished.notify_waiters();
        }
    }
}
