//! The state that all connections of a worker share: the active plan behind one pointer, pools, and the count of open
//! connections. It accepts nothing itself; `accept.rs` does.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::sync::{Notify, Semaphore, watch};
use waf_shared::limits;
use waf_shared::plan::{Listen, Plan};

use crate::access_log::AccessLog;
use crate::active_plan::ActivePlan;
use crate::audit::sink::Sink;
use crate::inspection_pool::InspectionPool;
use crate::journal::Journal;
use crate::overload::Overload;
use crate::proxy_protocol::ProxyProtocol;
use crate::record::Recording;
use crate::shadow::Shadow;
use crate::tls::{self, Tls};

/// Statements of the operator about the peers that connect.
#[derive(Debug, Clone, Copy, Default)]
pub struct Peers {
    /// Percent of an upstream's connections that one client may take; by the plan without one.
    pub client_share: Option<u8>,
    /// Use of the PROXY protocol.
    pub proxy_protocol: ProxyProtocol,
}

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
    /// Places for connections that are declined.
    reserve: Arc<Semaphore>,
    peers: Peers,
    access_log: Arc<AccessLog>,
    shadow: ArcSwapOption<Shadow>,
    shadow_log: Arc<AccessLog>,
    recording: Arc<Recording>,
}

impl Proxy {
    /// Without a plan: it serves nothing until the first [`Proxy::commit`].
    pub fn new(audit: Sink, tls: Tls, overload: Overload, peers: Peers) -> Arc<Proxy> {
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
            peers,
            access_log: Arc::default(),
            shadow: ArcSwapOption::empty(),
            shadow_log: Arc::new(AccessLog::named("shadow log")),
            recording: Arc::default(),
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

    /// State of TLS beside the plan.
    pub fn tls(&self) -> &Tls {
        &self.tls
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
        self.peers.client_share.unwrap_or(default)
    }

    pub(crate) fn overload(&self) -> &Overload {
        &self.overload
    }

    /// Use of the PROXY protocol.
    pub(crate) fn proxy_protocol(&self) -> ProxyProtocol {
        self.peers.proxy_protocol
    }

    pub(crate) fn access_log(&self) -> &Arc<AccessLog> {
        &self.access_log
    }

    /// The plan that judges beside the one in force.
    pub(crate) fn shadow(&self) -> Option<Arc<Shadow>> {
        self.shadow.load_full()
    }

    /// The plan that judges the next request beside the one in force, if that request is one of its share.
    pub(crate) fn shadow_of_next(&self) -> Option<Arc<Shadow>> {
        let shadow = self.shadow.load();
        shadow.as_ref().filter(|shadow| shadow.counts().turns().takes_next()).cloned()
    }

    /// Judges by this plan beside the one in force from now on.
    pub(crate) fn set_shadow(&self, shadow: Option<Arc<Shadow>>) {
        self.shadow.store(shadow);
    }

    /// Destination of what the second plan decides differently.
    pub(crate) fn shadow_log(&self) -> &Arc<AccessLog> {
        &self.shadow_log
    }

    /// Recordings of requests.
    pub(crate) fn recording(&self) -> &Arc<Recording> {
        &self.recording
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

    /// Places for connections.
    pub(crate) fn connections(&self) -> &Arc<Semaphore> {
        &self.connections
    }

    /// Places for handshakes.
    pub(crate) fn handshakes(&self) -> &Arc<Semaphore> {
        &self.handshakes
    }

    /// Places for connections that are declined.
    pub(crate) fn reserve(&self) -> &Arc<Semaphore> {
        &self.reserve
    }

    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Counts a connection, from its acceptance until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>) -> Open {
        self.open.fetch_add(1, Ordering::AcqRel);
        Open(Arc::clone(self))
    }
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

/// An open connection.
#[derive(Debug)]
pub(crate) struct Open(Arc<Proxy>);

impl Drop for Open {
    fn drop(&mut self) {
        if self.0.open.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.finished.notify_waiters();
        }
    }
}
