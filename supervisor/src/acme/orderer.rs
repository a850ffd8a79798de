//! The loop that orders certificates: what is due is ordered, what comes is written down, what fails waits. It reads what
//! serves from the keeper of certificates and tells it what has changed; it has no part in any request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{error, info, warn};
use waf_shared::limits::ACME_ORDERS_MAX;

use super::account::{Accounts, blocking};
use super::board::Board;
use super::client::{ClientError, Connector};
use super::demand::{Demand, wildcard_over};
use super::election::{Elected, elect};
use super::failure::{Failure, Why};
use super::figures::Figures;
use super::schedule::Schedule;
use super::{Challenge, Settings, order};
use crate::certificates::{Layout, Pair, Provenance, Snapshot, Store, is_wildcard};
use crate::tls::keeper::{Orders, Wanted};

/// Between two looks at what is due when nothing happens: a clock that was set, a machine that slept.
const LOOK: Duration = Duration::from_mins(1);

/// Between two tries to be elected.
const ELECTION: Duration = Duration::from_secs(5);

/// Before the end of a certificate of the operator's own, daily words begin.
const OWN_WARNING: Duration = Duration::from_hours(14 * 24);
const DAY: Duration = Duration::from_hours(24);

/// After the authority did not answer the question when to renew.
const ASK_AGAIN: Duration = Duration::from_hours(1);

/// Starts the task that orders. It ends when the keeper of certificates does.
pub fn start(settings: Settings, orders: Orders, figures: Arc<Figures>) -> Result<(), ClientError> {
    let connector = Connector::new(settings.root.as_deref())?;
    let settings = Arc::new(settings);
    let Orders { wanted, snapshot, unserved, challenges, answered, unsaved, changed } = orders;
    let store = Store::new(Layout::new(&wanted.borrow().data_dir, &settings.directory));
    figures.show(&wanted.borrow().hosts, &snapshot.borrow());
    let orderer = Orderer {
        accounts: Accounts::new(settings.clone(), connector),
        settings,
        board: Board::new(challenges, answered),
        figures,
        store,
        wanted,
        snapshot,
        unserved,
        unsaved,
        changed,
        schedule: Schedule::default(),
        demand: Demand::default(),
        elected: None,
        election_at: Instant::now(),
        election_told: None,
        tasks: JoinSet::new(),
        on_demand: None,
        unsaved_told: BTreeSet::new(),
        save_at: Instant::now(),
        warned_at: None,
    };
    tokio::spawn(orderer.run());
    Ok(())
}

/// What a task came to.
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

struct Orderer {
    settings: Arc<Settings>,
    accounts: Accounts,
    board: Board,
    figures: Arc<Figures>,
    store: Store,
    wanted: watch::Receiver<Wanted>,
    snapshot: watch::Receiver<Arc<Snapshot>>,
    unserved: mpsc::Receiver<String>,
    /// Issued and not written down yet.
    unsaved: watch::Sender<BTreeMap<String, Arc<Pair>>>,
    changed: Arc<Notify>,
    schedule: Schedule,
    demand: Demand,
    elected: Option<Elected>,
    election_at: Instant,
    /// What was last said about the election; it is not said again.
    election_told: Option<String>,
    tasks: JoinSet<Done>,
    /// The one name below a wildcard that is being ordered anew.
    on_demand: Option<String>,
    unsaved_told: BTreeSet<String>,
    save_at: Instant,
    warned_at: Option<Instant>,
}

impl Orderer {
    async fn run(mut self) {
        loop {
            self.act().await;
            let due = self.next_look();
            tokio::select! {
                changed = self.wanted.changed() => match changed {
                    Ok(()) => self.follow(),
                    // The keeper has ended, and with it the service.
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
                    Err(error) => error!(%error, "a task of the certificate keeper broke"),
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
            self.store = Store::new(layout);
            self.elected = None;
            self.election_at = Instant::now();
        }
        self.figures.show(&wanted.hosts, &self.snapshot.borrow().clone());
    }

    fn asked(&mut self, name: &str) {
        let hosts = self.hosts();
        let is_served = self.snapshot.borrow().of(name).is_some();
        if !is_served && self.schedule.failures(name) == 0 && self.demand.ask(name, &hosts) {
            info!(host = name, "clients ask for a name below a wildcard: a certificate will be ordered");
        }
    }

    /// Names that certificates are kept for: configured ones, and those below wildcards that have one.
    fn names(hosts: &[String], snapshot: &Snapshot, wall: SystemTime) -> BTreeSet<String> {
        let configured = hosts.iter().filter(|host| !is_wildcard(host)).cloned();
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
        self.warn_of_own(&snapshot, wall, now);
        let names = Self::names(&hosts, &snapshot, wall);
        let is_needed = !self.unsaved.borrow().is_empty()
            || self.demand.due_at(now).is_some()
            || names.iter().any(|name| self.schedule.due_at(name, &snapshot, wall, now).is_some());
        if !is_needed {
            return;
        }
        let Some(snapshot) = self.elected_with(snapshot, &hosts, now).await else { return };
        self.save_unsaved(now).await;
        let due = self.schedule.due(names.iter().map(String::as_str), &snapshot, wall, now);
        let due: Vec<String> = due.into_iter().map(str::to_owned).collect();
        let room = ACME_ORDERS_MAX.saturating_sub(self.tasks.len());
        for name in due.into_iter().take(room) {
            self.order(name, &snapshot);
        }
        self.order_on_demand(&snapshot, now);
        self.ask_for_suggestions(&names, &snapshot, now);
    }

    /// What serves, when this replica is the one that orders. Once elected it stays so.
    async fn elected_with(
        &mut self,
        snapshot: Arc<Snapshot>,
        hosts: &[String],
        now: Instant,
    ) -> Option<Arc<Snapshot>> {
        if self.elected.is_some() {
            return Some(snapshot);
        }
        if now < self.election_at {
            return None;
        }
        let path = self.store.layout().lock.clone();
        match blocking(move || elect(&path)).await {
            Ok(Some(elected)) => {
                self.elected = Some(elected);
                self.election_told = None;
                // The replica before may have written something down a moment ago.
                let (store, hosts) = (self.store.clone(), hosts.to_vec());
                let loaded = tokio::task::spawn_blocking(move || store.load(&hosts)).await;
                self.changed.notify_one();
                return loaded.ok().map(Arc::new);
            }
            Ok(None) => self.tell_election(
                "another replica orders certificates; this one takes them from data_dir".to_owned(),
                false,
            ),
            Err(failure) => self.tell_election(
                format!("no certificate can be ordered: data_dir cannot be written: {}", failure.text),
                true,
            ),
        }
        self.election_at = now + ELECTION;
        None
    }

    fn tell_election(&mut self, what: String, is_fault: bool) {
        if self.election_told.as_ref() != Some(&what) {
            if is_fault {
                error!("{what}");
            } else {
                info!("{what}");
            }
            self.election_told = Some(what);
        }
    }

    /// One name below a wildcard at a time.
    fn order_on_demand(&mut self, snapshot: &Snapshot, now: Instant) {
        if self.on_demand.is_some() || self.tasks.len() >= ACME_ORDERS_MAX {
            return;
        }
        let schedule = &self.schedule;
        let needed = |name: &str| snapshot.of(name).is_none() && schedule.failures(name) == 0;
        if let Some(name) = self.demand.next(now, needed) {
            self.on_demand = Some(name.clone());
            self.order(name, snapshot);
        }
    }

    fn order(&mut self, name: String, snapshot: &Snapshot) {
        self.schedule.begin(&name);
        let (accounts, store, board) = (self.accounts.clone(), self.store.clone(), self.board.clone());
        let replaced = snapshot.of(&name).filter(|pair| pair.provenance == Provenance::Acme).cloned();
        let replaced = replaced.filter(|_| !self.schedule.is_plain(&name));
        // The ways to prove a host are tried in turn: one of the two ports may be closed.
        let turn = self.schedule.failures(&name) as usize;
        let ways = &self.settings.challenges;
        let challenge = ways.get(turn % ways.len().max(1)).copied().unwrap_or(Challenge::Http01);
        self.tasks.spawn(async move {
            let outcome = attempt(&accounts, &store, &board, &name, challenge, replaced.as_deref()).await;
            Done::Ordered { name, outcome }
        });
    }

    /// Asks the authority when the certificates should be renewed.
    fn ask_for_suggestions(&mut self, names: &BTreeSet<String>, snapshot: &Snapshot, now: Instant) {
        for name in names {
            let pair = snapshot.of(name).filter(|pair| pair.provenance == Provenance::Acme);
            let Some(pair) = pair.filter(|_| self.schedule.ask_due(name, now)) else { continue };
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

    async fn finish(&mut self, done: Done) {
        let now = Instant::now();
        match done {
            Done::Ordered { name, outcome } => {
                if self.on_demand.as_ref() == Some(&name) {
                    self.on_demand = None;
                }
                match outcome {
                    Ok(pair) => self.issued(name, pair, now).await,
                    Err(failure) => self.failed(&name, &failure, now).await,
                }
            }
            Done::Suggested { name, pair, outcome: Ok((window, again)) } => {
                if let Some((start, end)) = window {
                    let (start, end) = (rfc3339(start), rfc3339(end));
                    info!(host = name, start, end, "the authority suggests when to renew");
                }
                self.schedule.suggested(&name, &pair, window, again, now, random());
            }
            Done::Suggested { name, pair, outcome: Err(failure) } => {
                // Nothing is lost: the lifetime decides until the authority answers.
                warn!(host = name, error = failure.text, "the authority does not say when to renew");
                let again = failure.retry_after.unwrap_or(ASK_AGAIN);
                self.schedule.suggested(&name, &pair, None, again, now, random());
            }
        }
    }

    async fn issued(&mut self, name: String, pair: Pair, now: Instant) {
        self.schedule.succeeded(&name, &pair, now);
        let renewal = rfc3339(self.schedule.renew_at(&name, &pair));
        let not_after = rfc3339(pair.not_after);
        info!(host = name, issuer = pair.issuer, not_after, renewal, "a certificate was issued");
        self.save(name, Arc::new(pair)).await;
    }

    async fn failed(&mut self, name: &str, failure: &Failure, now: Instant) {
        if failure.why == Why::NoAccount {
            self.accounts.forget(&self.store).await;
        }
        self.figures.failed(name, &self.hosts());
        let pause = self.schedule.failed(name, failure.why, failure.retry_after, now, random());
        let failures = self.schedule.failures(name);
        let retry_s = pause.as_secs();
        error!(host = name, error = failure.text, failures, retry_s, "no certificate could be had");
    }

    /// Writes a certificate down. One that cannot be serves from memory.
    async fn save(&mut self, name: String, pair: Arc<Pair>) {
        let (store, of, written) = (self.store.clone(), name.clone(), pair.clone());
        match blocking(move || store.save(&of, &written)).await {
            Ok(()) => {
                if self.unsaved.borrow().contains_key(&name) {
                    self.unsaved.send_modify(|unsaved| drop(unsaved.remove(&name)));
                    self.unsaved_told.remove(&name);
                    info!(host = name, "the certificate is written down now");
                }
                self.changed.notify_one();
            }
            Err(failure) => {
                self.save_at = Instant::now() + ELECTION;
                if self.unsaved_told.insert(name.clone()) {
                    let error = failure.text;
                    error!(
                        host = name,
                        error, "the certificate serves and cannot be written down: a restart would lose it"
                    );
                    self.unsaved.send_modify(|unsaved| drop(unsaved.insert(name, pair)));
                }
            }
        }
    }

    /// Writes down what could not be written before.
    async fn save_unsaved(&mut self, now: Instant) {
        if now < self.save_at {
            return;
        }
        let unsaved = self.unsaved.borrow().clone();
        for (name, pair) in unsaved {
            self.save(name, pair).await;
        }
    }

    /// When to look again.
    fn next_look(&mut self) -> Instant {
        let (hosts, snapshot) = (self.hosts(), self.snapshot.borrow().clone());
        let (wall, now) = (SystemTime::now(), Instant::now());
        let names = Self::names(&hosts, &snapshot, wall);
        let orders = names.iter().filter_map(|name| self.schedule.due_at(name, &snapshot, wall, now)).min();
        let save = (!self.unsaved.borrow().is_empty()).then_some(self.save_at);
        let election = self.elected.is_none().then_some(self.election_at);
        let times = [orders, self.demand.due_at(now), save, election, Some(now + LOOK)];
        // What is due and not begun waits for a task to end, or for the election.
        times.into_iter().flatten().filter(|at| *at > now).min().unwrap_or(now + LOOK)
    }

    /// The operator renews the operator's own.
    fn warn_of_own(&mut self, snapshot: &Snapshot, wall: SystemTime, now: Instant) {
        if self.warned_at.is_some_and(|at| now.saturating_duration_since(at) < DAY) {
            return;
        }
        self.warned_at = Some(now);
        for (name, pair) in snapshot.pairs.iter().filter(|(_, pair)| pair.provenance == Provenance::Own) {
            let not_after = rfc3339(pair.not_after);
            if pair.expired(wall) {
                error!(host = name, not_after, "the operator's certificate has run out");
            } else if pair.not_after < wall + OWN_WARNING {
                warn!(host = name, not_after, "the operator's certificate runs out soon");
            }
        }
    }
}

/// One try, from the account to the certificate.
async fn attempt(
    accounts: &Accounts,
    store: &Store,
    board: &Board,
    name: &str,
    challenge: Challenge,
    replaced: Option<&Pair>,
) -> Result<Pair, Failure> {
    let (probing, of) = (store.clone(), name.to_owned());
    blocking(move || probing.probe(&of)).await?;
    let (account, notes) = accounts.open(store).await;
    let outcome = match account {
        Ok(account) => {
            // Only an authority that suggests renewals wants to know what is replaced.
            let window = match replaced {
                Some(pair) => order::suggestion(&account, pair).await.ok().and_then(|(window, _)| window),
                None => None,
            };
            let identifier = window.and(replaced).and_then(order::identifier);
            order::order(&account, name, challenge, identifier, board).await
        }
        Err(failure) => Err(failure),
    };
    outcome.map_err(|failure| {
        let retry_after = failure.retry_after.or(notes.retry_after());
        Failure { retry_after, ..failure }
    })
}

/// Between 0 and 1; good enough to keep replicas and hosts apart.
fn random() -> f64 {
    use std::hash::{BuildHasher, Hasher};
    let drawn = std::hash::RandomState::new().build_hasher().finish();
    (drawn % 1_000_000) as f64 / 1_000_000.0
}

/// For people.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    let time = time::OffsetDateTime::from(time);
    let time = time.replace_nanosecond(0).unwrap_or(time);
    time.format(&time::format_description::well_known::Rfc3339).unwrap_or_default()
}
