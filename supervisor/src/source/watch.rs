//! Notices that a watched file holds something else: kernel events on directories, a slow poll beside them, contents
//! compared. It knows files, nothing of configurations.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior};
use tracing::warn;

use super::settle::Settle;
use super::snapshot::Snapshot;
use super::trail::trail;

/// Between two looks at the stamps: events can be lost, and some file systems send none.
const POLL: Duration = Duration::from_secs(2);

/// A change of the files.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// They hold something else, and have come to rest; or they do not, and a look was asked for.
    Settled(Snapshot),
    /// This one is gone, and nothing else has changed. Said once for each disappearance.
    Missing(PathBuf),
}

/// The directory entries whose events are of interest; the watcher's own thread reads them.
type Interest = RwLock<BTreeSet<PathBuf>>;

/// A watch over a set of files.
pub(super) struct Watch {
    known: Snapshot,
    events: Option<RecommendedWatcher>,
    interest: Arc<Interest>,
    pings: mpsc::Receiver<()>,
    _ping: mpsc::Sender<()>,
    /// Watched directories, with the inode that the watch sits on.
    directories: BTreeMap<PathBuf, Option<(u64, u64)>>,
    settle: Settle,
    poll: Interval,
    missing: Option<PathBuf>,
    /// True if a look is worth it although nothing changed.
    seeking: bool,
    deaf: bool,
}

impl Watch {
    /// Watches the files of a snapshot for anything else than what it holds.
    pub(super) fn new(known: Snapshot) -> Self {
        let (ping, pings) = mpsc::channel(1);
        let interest = Arc::new(Interest::default());
        let mut poll = tokio::time::interval(POLL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut watch = Self {
            known,
            events: None,
            interest: interest.clone(),
            pings,
            _ping: ping.clone(),
            directories: BTreeMap::new(),
            settle: Settle::default(),
            poll,
            missing: None,
            seeking: false,
            deaf: false,
        };
        match notify::recommended_watcher(move |event| heard(&event, &interest, &ping)) {
            Ok(watcher) => watch.events = Some(watcher),
            Err(error) => watch.report_deaf(&error),
        }
        watch.follow();
        watch
    }

    /// The known content of the files.
    pub(super) fn known(&self) -> &Snapshot {
        &self.known
    }

    /// Waits for a change. May be cancelled; nothing is lost.
    pub(super) async fn changed(&mut self) -> Change {
        loop {
            let due = self.settle.due();
            tokio::select! {
                Some(()) = self.pings.recv() => self.settle.touch(Instant::now()),
                () = sleep_until(due), if due.is_some() => {
                    if let Some(change) = self.look().await {
                        return change;
                    }
                }
                _ = self.poll.tick(), if due.is_none() => {
                    self.follow();
                    if self.seeking || !self.known.same_stamps() {
                        self.settle.touch(Instant::now());
                    }
                }
            }
        }
    }

    /// Takes the content of the files as known from now on; the set of files may be another one. `seeking` asks for a
    /// look at every poll: a file that is named and does not exist is not among those that are watched.
    pub(super) fn accept(&mut self, known: Snapshot, seeking: bool) {
        self.known = known;
        self.missing = None;
        self.seeking = seeking;
        self.follow();
    }

    /// The files moved while they were read: look again when they have settled.
    pub(super) fn again(&mut self) {
        self.settle.touch(Instant::now());
    }

    async fn look(&mut self) -> Option<Change> {
        let files: Vec<_> = self.known.paths().cloned().collect();
        let now = take(files).await;
        // Only here: a cancelled look is due again.
        self.settle.clear();
        if now.same_contents(&self.known) {
            self.known = now.clone();
            self.missing = None;
            return self.seeking.then_some(Change::Settled(now));
        }
        match now.only_missing(&self.known) {
            Some(gone) if self.missing.as_deref() == Some(gone) => None,
            Some(gone) => {
                self.missing = Some(gone.to_path_buf());
                self.missing.clone().map(Change::Missing)
            }
            None => Some(Change::Settled(now)),
        }
    }

    /// Watches the directories that matter now: links may lead elsewhere, directories may have been replaced.
    fn follow(&mut self) {
        let entries: BTreeSet<PathBuf> = self.known.paths().flat_map(|path| trail(path)).collect();
        let wanted: BTreeMap<PathBuf, _> = entries
            .iter()
            .filter_map(|entry| entry.parent())
            .map(|directory| (directory.to_path_buf(), inode(directory)))
            .collect();
        *self.interest.write().unwrap_or_else(PoisonError::into_inner) = entries;
        if wanted == self.directories {
            return;
        }
        let mut failed = None;
        if let Some(events) = &mut self.events {
            for (directory, inode) in &self.directories {
                if wanted.get(directory) != Some(inode) {
                    // A directory that is gone took its watch along.
                    let _ = events.unwatch(directory);
                }
            }
            for (directory, inode) in &wanted {
                if inode.is_some()
                    && self.directories.get(directory) != Some(inode)
                    && let Err(error) = events.watch(directory, RecursiveMode::NonRecursive)
                {
                    failed = Some(error);
                }
            }
        }
        if let Some(error) = failed {
            self.report_deaf(&error);
        }
        self.directories = wanted;
    }

    fn report_deaf(&mut self, error: &notify::Error) {
        if !self.deaf {
            self.deaf = true;
            warn!(%error, poll_s = POLL.as_secs(), "changes of files are noticed by polling alone");
        }
    }
}

/// Reads files away from the runtime's thread.
pub(super) async fn take(files: Vec<PathBuf>) -> Snapshot {
    let reading = tokio::task::spawn_blocking(move || Snapshot::take(&files));
    // A reader cannot panic; were it to, nothing is known and the next look finds out.
    reading.await.unwrap_or_default()
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

fn inode(directory: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(directory).ok().map(|meta| (meta.dev(), meta.ino()))
}

/// Runs on the watcher's thread. Our own reads are events too, so that only what can change contents counts.
fn heard(event: &notify::Result<Event>, interest: &Interest, ping: &mpsc::Sender<()>) {
    let counts = match event {
        Ok(event) => {
            let interest = interest.read().unwrap_or_else(PoisonError::into_inner);
            let writes = match event.kind {
                EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
                _ => true,
            };
            writes && (event.need_rescan() || event.paths.iter().any(|path| interest.contains(path)))
        }
        // Events were lost: a look does no harm.
        Err(_) => true,
    };
    if counts {
        // A ping that waits says the same.
        let _ = ping.try_send(());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests;
