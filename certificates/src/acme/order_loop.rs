//! The loop that orders certificates: what is due is ordered, what comes is written down, what fails waits. It reads
//! what serves from the certificate manager and reports changes to it; it has no part in any request.

mod outcome;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{error, info, warn};
use waf_shared::limits::{ACME_ORDERS_MAX, NEW_NAMES_PER_HOUR};

use super::account::Accounts;
use super::attempt::attempt;
use super::blocking::blocking;
use super::challenge_store::ChallengeStore;
use super::client::{ClientError, Connector};
use super::demand::{Demand, wildcard_over};
use super::disk::Disk;
use super::dns_hook::DnsHook;
use super::expiry_reminder::Reminder;
use super::failure::Failure;
use super::figures::Figures;
use super::leadership::{Leadership, Standing};
use super::order;
use super::proof::Proof;
use super::saver::Saver;
use super::schedule::Schedule;
use super::settings::AcmeSettings;
use crate::disk::{Layout, Pair, Provenance, Snapshot, Store, is_wildcard, wildcard_of};
use crate::manager::{Orders, Wanted};

/// Between two looks at what is due when nothing happens: a clock that was set, a machine that slept.
const LOOK: Duration = Duration::from_mins(1);

/// Starts the task that orders. It ends when the manager of certificates does.
pub fn start(settings: AcmeSettings, orders: Orders, figures: Arc<Figures>) -> Result<(), ClientError> {
    let connector = Connector::new(settings.root.as_deref())?;
    let settings = Arc::new(settings);
    let Orders { wanted, snapshot, unserved, challenges, answered, unsaved, changed } = orders;
    let layout = Layout::new(&wanted.borrow().data_dir, &settings.directory);
    figures.show(&wanted.borrow().hosts, &snapshot.borrow());
    let order_loop = OrderLoop {
        accounts: Accounts::new(settings.clone(), connector),
        settings,
        challenge_store: ChallengeStore::new(challenges, answered, layout.clone()),
        disk: Disk::new(figures.clone()),
        figures,
        store: Store::new(layout.clone()),
        saver: Saver::new(unsaved, changed),
        wanted,
        snapshot,
        unserved,
        schedule: Schedule::default(),
        demand: Demand::default(),
        is_full_told: false,
        leadership: Leadership::new(layout),
        tasks: JoinSet::new(),
        on_demand: None,
        reminder: Reminder::default(),
    };
    tokio::spawn(order_loop.run());
    Ok(())
}

/// Result of a task.
enum Done {
    Ordered {
        name: String,
        outcome: Result<Pair, Failure>,
    },
    Suggested {
        name: String,
        pair: Arc<Pair>,
        outcome: Result<(Option<(SystemTime, SystemTime)>, Duration), Failure>,
    },
}

/// True if a wildcard among `hosts` covers `name` one label deep, as a certificate for it does.
fn is_below(name: &str, hosts: &[String]) -> bool {
    wildcard_of(name).is_some_and(|wildcard| hosts.contains(&wildcard))
}

struct OrderLoop {
    settings: Arc<AcmeSettings>,
    accounts: Accounts,
    challenge_store: ChallengeStore,
    disk: Disk,
    figures: Arc<Figures>,
    store: Store,
    saver: Saver,
    wanted: watch::Receiver<Wanted>,
    snapshot: watch::Receiver<Arc<Snapshot>>,
    unserved: mpsc::Receiver<String>,
    schedule: Schedule,
    demand: Demand,
    /// True once the full hour for new names was reported.
    is_full_told: bool,
    leadership: Leadership,
    tasks: JoinSet<Done>,
    /// The one name below a wildcard that is being ordered anew.
    on_demand: Option<String>,
    reminder: Reminder,
}

impl OrderLoop {
    async fn run(mut self) {
        loop {
            self.act().await;
            let due = self.next_look();
            tokio::select! {
                changed = self.wanted.changed() => match changed {
                    Ok(()) => self.follow(),
                    // The manager has ended, and with it the service.
                    Err(_) => return,
                },
                changed = self.snapshot.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    self.figures.show(&self.hosts(), &self.snapshot.borrow_and_update().clone());
                }
                Some(name) = self.unserved.recv() => self.asked(&name),
                Some(done) = self.tasks.join_next(), if !self.tasks.is_empty() => match done {
                    Ok(done) => self.finish(done).await,
                    // Tasks neither panic nor are they cut off while this loop runs.
                    Err(error) => error!(%error, "a task of the certificate manager broke"),
                },
                () = tokio::time::sleep_until(due) => {}
            }
        }
    }

    fn hosts(&self) -> Vec<String> {
        self.wanted.borrow().hosts.clone()
    }

    /// Another configuration: other hosts, or another directory with another lock.
    fn follow(&mut self) {
        let wanted = self.wanted.borrow_and_update().clone();
        let layout = Layout::new(&wanted.data_dir, &self.settings.directory);
        if layout != *self.store.layout() {
            self.store = Store::new(layout.clone());
            self.challenge_store.move_to(layout.clone());
            self.leadership = Leadership::new(layout);
            self.disk.worked();
        }
        self.figures.show(&wanted.hosts, &self.snapshot.borrow().clone());
    }

    fn asked(&mut self, name: &str) {
        let hosts = self.hosts();
        let is_served = self.snapshot.borrow().of(name).is_some();
        if self.settings.proves_wildcards() && is_below(name, &hosts) {
            // The certificate of the wildcard is under way.
            return;
        }
        let is_paused = self.schedule.is_paused(name, Instant::now());
        if !is_served && !is_paused && self.demand.ask(name, &hosts) {
            info!(host = name, "clients ask for a name below a wildcard: a certificate will be ordered");
        }
    }

    /// Names that certificates are kept for: configured ones, and those below wildcards that have one. Wildcards
    /// themselves are among them where they can be proven, and stand for the configured names one label below.
    fn names(&self, hosts: &[String], snapshot: &Snapshot, wall: SystemTime) -> BTreeSet<String> {
        let proves_wildcards = self.settings.proves_wildcards();
        let configured = hosts
            .iter()
            .filter(|host| if proves_wildcards { !is_below(host, hosts) } else { !is_wildcard(host) });
        let configured = configured.cloned();
        let held = snapshot.pairs.iter().filter(|(name, pair)| {
            // One that has run out was not worth renewing, or nobody could: it is ordered anew when somebody asks.
            pair.provenance == Provenance::Acme && !pair.expired(wall) && wildcard_over(name, hosts).is_some()
        });
        configured.chain(held.map(|(name, _)| name.clone())).collect()
    }

    /// Starts what is due.
    async fn act(&mut self) {
        let (hosts, snapshot) = (self.hosts(), self.snapshot.borrow().clone());
        let (wall, now) = (SystemTime::now(), Instant::now());
        self.reminder.remind(&snapshot, wall, now);
        let names = self.names(&hosts, &snapshot, wall);
        let is_needed = self.saver.has_unsaved()
            || self.demand.due_at(now).is_some()
            || names.iter().any(|name| self.schedule.due_at(name, &snapshot, wall, now).is_some());
        if !is_needed {
            return;
        }
        let Some(snapshot) = self.leading(snapshot, &hosts, wall, now).await else { return };
        if !self.can_write(now).await {
            return;
        }
        let due = self.schedule.due(names.iter().map(String::as_str), &snapshot, wall, now);
        let due: Vec<String> = due.into_iter().map(str::to_owned).collect();
        let room = ACME_ORDERS_MAX.saturating_sub(self.tasks.len());
        for name in due.into_iter().take(room) {
            self.order(name, &snapshot);
        }
        self.order_on_demand(&snapshot, wall, now).await;
        self.ask_for_suggestions(&names, &snapshot, now);
    }

    /// The snapshot that serves, when this replica is the one that orders.
    async fn leading(
        &mut self,
        snapshot: Arc<Snapshot>,
        hosts: &[String],
        wall: SystemTime,
        now: Instant,
    ) -> Option<Arc<Snapshot>> {
        match self.leadership.stand(&self.challenge_store, now).await {
            Ok(Standing::Leads) => Some(snapshot),
            Ok(Standing::Follows) => {
                self.disk.worked();
                None
            }
            Ok(Standing::Waits) => None,
            Ok(Standing::Elected) => {
                // The replica before may have written something down a moment ago.
                let (store, hosts) = (self.store.clone(), hosts.to_vec());
                let loaded = tokio::task::spawn_blocking(move || (store.load(&hosts), store.new_names()));
                self.saver.changed();
                let (loaded, new_names) = loaded.await.ok()?;
                match new_names {
                    Ok(times) => self.demand.recall(&times, now, wall),
                    Err(error) => {
                        warn!(%error, "it is not known how many new names were ordered lately: no more within the hour");
                        self.demand.recall_nothing(now);
                    }
                }
                Some(Arc::new(loaded))
            }
            Err(failure) => {
                self.disk.failed("lock", &failure.text, now);
                None
            }
        }
    }

    /// True if an issued certificate could be written down; those that could not be before are.
    async fn can_write(&mut self, now: Instant) -> bool {
        let Some(name) = self.disk.trouble().map(str::to_owned) else { return true };
        if self.disk.due().is_some_and(|due| now < due) {
            return false;
        }
        let (store, of) = (self.store.clone(), name.clone());
        let mut outcome = blocking(move || store.probe(&of)).await;
        if outcome.is_ok() {
            outcome = self.saver.save_rest(&self.store).await;
        }
        match outcome {
            Ok(()) => {
                self.disk.worked();
                true
            }
            Err(failure) => {
                self.disk.failed(&name, &failure.text, now);
                false
            }
        }
    }

    /// One name below a wildcard at a time, written down before it is ordered: the bound outlives this process.
    async fn order_on_demand(&mut self, snapshot: &Snapshot, wall: SystemTime, now: Instant) {
        if self.on_demand.is_some() || self.tasks.len() >= ACME_ORDERS_MAX {
            return;
        }
        let schedule = &self.schedule;
        let needed = |name: &str| {
            snapshot.of(name).is_none() && !schedule.is_paused(name, now) && !schedule.is_under_way(name, now)
        };
        let Some(name) = self.demand.next(now, needed) else {
            let is_full = self.demand.due_at(now).is_some_and(|at| at > now);
            if is_full && !self.is_full_told {
                warn!(
                    bound = NEW_NAMES_PER_HOUR,
                    "clients ask for more new names below wildcards than are ordered in an hour: the others wait"
                );
            }
            self.is_full_told = is_full;
            return;
        };
        let (store, times) = (self.store.clone(), self.demand.ordered(now, wall));
        if let Err(failure) = blocking(move || store.save_new_names(&times)).await {
            return self.disk.failed(&name, &failure.text, now);
        }
        self.on_demand = Some(name.clone());
        self.order(name, snapshot);
    }

    fn order(&mut self, name: String, snapshot: &Snapshot) {
        self.schedule.begin(&name);
        let (accounts, store) = (self.accounts.clone(), self.store.clone());
        let replaced = snapshot.of(&name).filter(|pair| pair.provenance == Provenance::Acme).cloned();
        let replaced = replaced.filter(|_| !self.schedule.is_plain(&name));
        let proof = Proof {
            challenge: self.settings.challenge(&name, self.schedule.failures(&name) as usize),
            challenge_store: self.challenge_store.clone(),
            dns_hook: self.settings.dns_hook.as_deref().map(DnsHook::new),
        };
        self.tasks.spawn(async move {
            let outcome = attempt(&accounts, &store, &name, &proof, replaced.as_deref()).await;
            Done::Ordered { name, outcome }
        });
    }

    /// Asks the authority when the certificates should be renewed.
    fn ask_for_suggestions(&mut self, names: &BTreeSet<String>, snapshot: &Snapshot, now: Instant) {
        for name in names {
            let pair = snapshot.of(name).filter(|pair| pair.provenance == Provenance::Acme);
            let Some(pair) = pair.filter(|pair| self.schedule.ask_due(name, pair, now)) else { continue };
            if self.tasks.len() >= ACME_ORDERS_MAX {
                return;
            }
            self.schedule.begin(name);
            let (accounts, store) = (self.accounts.clone(), self.store.clone());
            let (name, pair) = (name.clone(), pair.clone());
            self.tasks.spawn(async move {
                let outcome = match accounts.open(&store).await {
                    (Ok(account), _) => order::suggestion(&account, &pair).await,
                    (Err(failure), _) => Err(failure),
                };
                Done::Suggested { name, pair, outcome }
            });
        }
    }

    /// When to look again.
    fn next_look(&mut self) -> Instant {
        let (hosts, snapshot) = (self.hosts(), self.snapshot.borrow().clone());
        let (wall, now) = (SystemTime::now(), Instant::now());
        let names = self.names(&hosts, &snapshot, wall);
        let orders = names.iter().filter_map(|name| self.schedule.due_at(name, &snapshot, wall, now)).min();
        let times =
            [orders, self.demand.due_at(now), self.disk.due(), self.leadership.due(), Some(now + LOOK)];
        // What is due and not begun waits for a task to end, or for the election.
        times.into_iter().flatten().filter(|at| *at > now).min().unwrap_or(now + LOOK)
    }
}
