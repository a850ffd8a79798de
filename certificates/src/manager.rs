//! Holds the certificates of the plan in force and of the one that is about to be: reads them, watches them, informs
//! workers and the health listener. It knows hosts and files, nothing of how certificates are had; whoever orders them
//! has the other end of its channels, [`Orders`].

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{Notify, mpsc, watch};
use tokio::time::{Instant, timeout};
use tracing::{error, info, warn};
use waf_shared::control::{CertificatePair, Certificates, Challenges, Secret};
use waf_shared::limits::{CERTIFICATES_MAX, UNSERVED_NAMES_MAX};

use super::states::States;
use super::tickets::{Rotation, TicketHandover};
use crate::disk::{Layout, Pair, Snapshot, Store, Watch};

/// Requests that wait for the manager; reloads come one by one.
const REQUESTS_WAITING: usize = 16;

/// Before a turn of the ticket keys that failed is tried again.
const TURN_AGAIN: Duration = Duration::from_mins(1);

/// For reading every certificate: a volume that takes longer hangs, and what serves goes on.
const LOAD_TIME: Duration = Duration::from_secs(10);

/// Hosts to serve over TLS, and the folder of their certificates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Names and `*.domain`, sorted; none in mode 3.
    pub hosts: Vec<String>,
    /// The plan's `data_dir`.
    pub data_dir: PathBuf,
}

impl Wanted {
    /// By a plan.
    pub fn by(plan: &waf_shared::plan::Plan) -> Wanted {
        Wanted { hosts: plan.listen.hosts().to_vec(), data_dir: plan.data_dir.clone().into() }
    }

    /// Its own hosts and those that serve meanwhile.
    fn beside(&self, serving: &Wanted) -> Wanted {
        let mut both = self.clone();
        both.hosts.extend(serving.hosts.iter().cloned());
        both.hosts.sort();
        both.hosts.dedup();
        both
    }
}

/// The ends for whoever orders certificates.
#[derive(Debug)]
pub struct Orders {
    /// Hosts of the plan in force.
    pub wanted: watch::Receiver<Wanted>,
    /// The certificates that exist now.
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
    /// Names below a wildcard that clients asked for in vain.
    pub unserved: mpsc::Receiver<String>,
    /// Challenges to be answered; each change needs a greater revision.
    pub challenges: watch::Sender<Challenges>,
    /// The revision that every serving worker answers.
    pub answered: watch::Receiver<u64>,
    /// Certificates that could not be written down and are served all the same.
    pub unsaved: watch::Sender<BTreeMap<String, Arc<Pair>>>,
    /// Something was written down: look at once.
    pub changed: Arc<Notify>,
}

/// Hosts that have no certificate, all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingHosts(pub Vec<String>);

/// A request of the supervisor's loop.
enum Request<E> {
    /// Read the certificates of a plan that is about to be offered, then send this event.
    Prepare(Wanted, E),
    /// A plan is in force.
    InForce(Wanted),
}

/// The supervisor's end.
#[derive(Debug)]
pub struct CertificateManager<E> {
    requests: mpsc::Sender<Request<E>>,
    unserved: mpsc::Sender<String>,
    answered: watch::Sender<u64>,
    tickets: watch::Receiver<Rotation>,
}

/// The manager takes no more requests: its volume hangs.
#[derive(Debug, thiserror::Error)]
#[error("certificates are still being read: the volume of data_dir does not answer")]
pub struct ManagerBusy;

impl<E: From<MissingHosts> + Send + 'static> CertificateManager<E> {
    /// Reads the certificates of the first plan, then starts the task that keeps them. The keys of session tickets may
    /// be those of an older supervisor.
    pub async fn start(
        first: Wanted,
        directory_url: String,
        inherited: Option<TicketHandover>,
        states: Arc<States>,
        events: mpsc::Sender<E>,
    ) -> (CertificateManager<E>, Orders) {
        let (requests, asked) = mpsc::channel(REQUESTS_WAITING);
        let (unserved, names) = mpsc::channel(UNSERVED_NAMES_MAX);
        let answered = watch::Sender::new(0);
        let challenges = watch::Sender::new(Challenges::default());
        let unsaved = watch::Sender::new(BTreeMap::new());
        let (wanted, snapshot) = (watch::Sender::new(first.clone()), watch::Sender::default());
        let changed = Arc::new(Notify::new());
        let orders = Orders {
            wanted: wanted.subscribe(),
            snapshot: snapshot.subscribe(),
            unserved: names,
            challenges: challenges.clone(),
            answered: answered.subscribe(),
            unsaved: unsaved.clone(),
            changed: Arc::clone(&changed),
        };
        let ends = Ends { challenges: challenges.subscribe(), unsaved: unsaved.subscribe(), changed };
        let mut task = Task {
            directory_url,
            watch: None,
            serving: first.clone(),
            loaded: Wanted::default(),
            rotation: watch::Sender::new(inherited.and_then(Rotation::inherit).unwrap_or_default()),
            rotation_again: Instant::now(),
            states,
            events,
            wanted,
            snapshot,
            faults: Vec::new(),
        };
        let tickets = task.rotation.subscribe();
        if tickets.borrow().due() <= Instant::now() {
            task.turn_tickets();
        } else {
            task.states.tickets(tickets.borrow().tickets());
        }
        task.load(first, &ends).await;
        tokio::spawn(task.run(asked, ends));
        (CertificateManager { requests, unserved, answered, tickets }, orders)
    }

    /// The keys of session tickets, for a successor.
    pub fn hand_over(&self) -> Option<TicketHandover> {
        self.tickets.borrow().hand_over()
    }

    /// Has the certificates of a plan read; `done` is sent afterwards.
    pub fn prepare(&self, wanted: Wanted, done: E) -> Result<(), ManagerBusy> {
        self.requests.try_send(Request::Prepare(wanted, done)).map_err(|_| ManagerBusy)
    }

    /// Reports the hosts of the plan in force.
    pub fn in_force(&self, wanted: Wanted) -> Result<(), ManagerBusy> {
        self.requests.try_send(Request::InForce(wanted)).map_err(|_| ManagerBusy)
    }

    /// Passes on names that clients asked for. When too many wait, the rest is asked for again.
    pub fn unserved(&self, names: Vec<String>) {
        for name in names.into_iter().take(UNSERVED_NAMES_MAX) {
            let _ = self.unserved.try_send(name);
        }
    }

    /// Reports which revision of the challenges every serving worker answers.
    pub fn answered(&self, revision: u64) {
        self.answered.send_if_modified(|known| std::mem::replace(known, revision) != revision);
    }
}

/// Messages of whoever orders.
struct Ends {
    challenges: watch::Receiver<Challenges>,
    unsaved: watch::Receiver<BTreeMap<String, Arc<Pair>>>,
    changed: Arc<Notify>,
}

struct Task<E> {
    directory_url: String,
    /// Over the files of the plan that was loaded last; none in mode 3.
    watch: Option<Watch>,
    /// Hosts of the plan in force.
    serving: Wanted,
    /// Hosts that were read last.
    loaded: Wanted,
    rotation: watch::Sender<Rotation>,
    /// Not before: a turn may have failed.
    rotation_again: Instant,
    states: Arc<States>,
    events: mpsc::Sender<E>,
    wanted: watch::Sender<Wanted>,
    snapshot: watch::Sender<Arc<Snapshot>>,
    /// Faults that were reported.
    faults: Vec<crate::disk::Fault>,
}

impl<E: From<MissingHosts> + Send + 'static> Task<E> {
    async fn run(mut self, mut requests: mpsc::Receiver<Request<E>>, mut ends: Ends) {
        loop {
            let rotation_at = self.rotation.borrow().due().max(self.rotation_again);
            tokio::select! {
                request = requests.recv() => match request {
                    Some(Request::Prepare(wanted, done)) => {
                        self.load(wanted.beside(&self.serving), &ends).await;
                        if self.events.send(done).await.is_err() {
                            return;
                        }
                    }
                    Some(Request::InForce(wanted)) => {
                        self.serving = wanted.clone();
                        self.wanted.send_replace(wanted.clone());
                        if wanted != self.loaded {
                            self.load(wanted, &ends).await;
                        }
                    }
                    // The supervisor ends.
                    None => return,
                },
                () = changed(self.watch.as_mut()) => self.load(self.loaded.clone(), &ends).await,
                () = ends.changed.notified() => self.load(self.loaded.clone(), &ends).await,
                Ok(()) = ends.unsaved.changed() => self.load(self.loaded.clone(), &ends).await,
                Ok(()) = ends.challenges.changed() => {
                    let challenges = ends.challenges.borrow_and_update().clone();
                    self.states.challenges(challenges);
                }
                () = tokio::time::sleep_until(rotation_at) => self.turn_tickets(),
            }
        }
    }

    fn turn_tickets(&mut self) {
        self.rotation_again = Instant::now() + TURN_AGAIN;
        let mut outcome = Ok(());
        self.rotation.send_modify(|rotation| match rotation.turn() {
            Ok(tickets) => self.states.tickets(tickets),
            Err(error) => outcome = Err(error),
        });
        if let Err(error) = outcome {
            error!(%error, "the keys of session tickets stay as they are");
        }
    }

    /// Reads the wanted certificates and publishes them. What serves goes on where files cannot be read.
    async fn load(&mut self, wanted: Wanted, ends: &Ends) {
        if wanted.hosts.is_empty() {
            self.watch = None;
            self.loaded = wanted;
            self.publish(Snapshot::default()).await;
            return;
        }
        let layout = Layout::new(&wanted.data_dir, &self.directory_url);
        if self.watch.is_none() || wanted.data_dir != self.loaded.data_dir {
            self.watch = Some(Watch::new(layout.clone()));
        }
        let looking = async {
            if let Some(watch) = &mut self.watch {
                watch.look().await;
            }
            let (store, hosts) = (Store::new(layout), wanted.hosts.clone());
            tokio::task::spawn_blocking(move || store.load(&hosts)).await
        };
        match timeout(LOAD_TIME, looking).await {
            Ok(Ok(snapshot)) => {
                self.loaded = wanted;
                let before = Arc::clone(&self.snapshot.borrow());
                let mut snapshot = snapshot.keeping(&before, SystemTime::now());
                for (host, pair) in &*ends.unsaved.borrow() {
                    snapshot = snapshot.with_unsaved(host, pair);
                }
                self.publish(snapshot).await;
            }
            Ok(Err(panic)) => error!(%panic, "certificates cannot be read: the ones before serve on"),
            Err(_) => {
                let data_dir = wanted.data_dir.display();
                error!(%data_dir, "certificates cannot be read in time: the ones before serve on");
            }
        }
    }

    async fn publish(&mut self, snapshot: Snapshot) {
        self.report_faults(&snapshot);
        let before = Arc::clone(&self.snapshot.borrow());
        if before.pairs != snapshot.pairs {
            info!(
                certificates = snapshot.pairs.len(),
                missing = snapshot.missing.len(),
                "certificates are read"
            );
            self.states.certificates(certificates(&snapshot));
        }
        if before.missing != snapshot.missing {
            if !snapshot.missing.is_empty() {
                warn!(
                    hosts = snapshot.missing.join(", "),
                    "hosts have no certificate yet: their handshakes fail"
                );
            }
            // The receiver is gone only when the supervisor ends.
            let _ = self.events.send(MissingHosts(snapshot.missing.clone()).into()).await;
        }
        self.snapshot.send_replace(Arc::new(snapshot));
    }

    /// Each fault once, for as long as it lasts.
    fn report_faults(&mut self, snapshot: &Snapshot) {
        for fault in snapshot.faults.iter().filter(|fault| !self.faults.contains(fault)) {
            let aside = fault.aside.as_ref().map(|path| path.display().to_string());
            let (name, path, why) = (&fault.name, fault.path.display(), &fault.why);
            warn!(host = name, %path, why, aside, "a certificate on disk cannot be used");
        }
        self.faults.clone_from(&snapshot.faults);
    }
}

async fn changed(watch: Option<&mut Watch>) {
    match watch {
        Some(watch) => watch.changed().await,
        None => std::future::pending().await,
    }
}

/// As workers get them.
fn certificates(snapshot: &Snapshot) -> Certificates {
    let pair = |(name, pair): (&String, &Arc<Pair>)| CertificatePair {
        names: vec![name.clone()],
        chain_pem: pair.chain_pem.clone(),
        key_pem: Secret(pair.key_pem.clone()),
    };
    Certificates { pairs: snapshot.pairs.iter().take(CERTIFICATES_MAX).map(pair).collect() }
}
