//! The store of open challenges: orders post what an authority will look for, workers answer it, other
//! replicas find it in
//! `data_dir`, and an order goes on once they all can. It knows challenges, nothing of authorities or workers.

use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use waf_shared::control::{AlpnChallenge, Challenges, HttpChallenge, Secret};

use super::blocking::blocking;
use super::election::has_others;
use super::failure::Failure;
use super::shared::{self, Following, Posted, SPREAD};
use crate::disk::Layout;

/// Time for workers to learn of a challenge. After that the authority is asked all the same: it tries more than
/// once.
const LEARN: Duration = Duration::from_secs(5);

/// The store. Clones show the same one.
#[derive(Debug, Clone)]
pub(super) struct ChallengeStore {
    posted: watch::Sender<Challenges>,
    /// The revision that every worker answers.
    answered: watch::Receiver<u64>,
    layout: Layout,
}

impl ChallengeStore {
    pub(super) fn new(
        posted: watch::Sender<Challenges>,
        answered: watch::Receiver<u64>,
        layout: Layout,
    ) -> Self {
        Self { posted, answered, layout }
    }

    /// The same store, shared in another directory.
    pub(super) fn move_to(&mut self, layout: Layout) {
        self.layout = layout;
    }

    /// Posts an answer for port 80 until the note is dropped.
    pub(super) async fn post_http(&self, token: &str, key_authorization: &str) -> Result<Note, Failure> {
        let challenge =
            HttpChallenge { token: token.to_owned(), key_authorization: key_authorization.to_owned() };
        self.post(Posted::Http(challenge)).await
    }

    /// Posts a certificate for port 443 until the note is dropped.
    pub(super) async fn post_alpn(
        &self,
        host: &str,
        certificate_der: Vec<u8>,
        key_der: Vec<u8>,
    ) -> Result<Note, Failure> {
        let challenge = AlpnChallenge { host: host.to_owned(), certificate_der, key_der: Secret(key_der) };
        self.post(Posted::Alpn(challenge)).await
    }

    async fn post(&self, posted: Posted) -> Result<Note, Failure> {
        let of = Of::from(&posted);
        let (folder, shared) = (self.layout.challenges.clone(), posted.clone());
        let file = blocking(move || shared::put(&folder, &shared)).await?;
        self.change(|challenges| {
            of.take_from(challenges);
            pin(challenges, posted);
        });
        Ok(Note { challenge_store: self.clone(), of, file })
    }

    /// This replica orders from now on: what others posted is over.
    pub(super) async fn lead(&self) {
        let folder = self.layout.challenges.clone();
        // What cannot be removed is answered by nobody after a while.
        let _ = tokio::task::spawn_blocking(move || shared::clear(&folder)).await;
        self.show(Vec::new());
    }

    /// Shows what the replica that orders has posted.
    pub(super) async fn follow(&self, following: &mut Following, now: Instant) {
        let (folder, mut taken) = (self.layout.challenges.clone(), std::mem::take(following));
        let looking = tokio::task::spawn_blocking(move || (taken.look(&folder, now), taken));
        if let Ok((posted, taken)) = looking.await {
            *following = taken;
            self.show(posted);
        }
    }

    fn show(&self, posted: Vec<Posted>) {
        let mut shown = Challenges::default();
        for posted in posted {
            pin(&mut shown, posted);
        }
        self.posted.send_if_modified(|challenges| {
            let is_new = challenges.http != shown.http || challenges.alpn != shown.alpn;
            if is_new {
                *challenges = Challenges { revision: challenges.revision + 1, ..shown };
            }
            is_new
        });
    }

    fn change(&self, change: impl FnOnce(&mut Challenges)) {
        self.posted.send_modify(|challenges| {
            challenges.revision += 1;
            change(challenges);
        });
    }
}

fn pin(challenges: &mut Challenges, posted: Posted) {
    match posted {
        Posted::Http(challenge) => challenges.http.push(challenge),
        Posted::Alpn(challenge) => challenges.alpn.push(challenge),
    }
}

/// Subject of a note.
#[derive(Debug)]
enum Of {
    Http(String),
    Alpn(String),
}

impl From<&Posted> for Of {
    fn from(posted: &Posted) -> Of {
        match posted {
            Posted::Http(challenge) => Of::Http(challenge.token.clone()),
            Posted::Alpn(challenge) => Of::Alpn(challenge.host.clone()),
        }
    }
}

impl Of {
    fn take_from(&self, challenges: &mut Challenges) {
        match self {
            Of::Http(token) => challenges.http.retain(|posted| posted.token != *token),
            Of::Alpn(host) => challenges.alpn.retain(|posted| posted.host != *host),
        }
    }
}

/// A posted challenge; it is taken down when this is dropped.
#[derive(Debug)]
pub(super) struct Note {
    challenge_store: ChallengeStore,
    of: Of,
    file: PathBuf,
}

impl Note {
    /// Waits until every worker answers it, and until other replicas can be expected to. Whether the workers do.
    pub(super) async fn answered(&self) -> bool {
        let revision = self.challenge_store.posted.borrow().revision;
        let mut answered = self.challenge_store.answered.clone();
        let all = answered.wait_for(|answered| *answered >= revision);
        let all = tokio::time::timeout(LEARN, all).await.is_ok_and(|answered| answered.is_ok());
        let path = self.challenge_store.layout.replicas.clone();
        if tokio::task::spawn_blocking(move || has_others(&path)).await.unwrap_or(true) {
            tokio::time::sleep(SPREAD).await;
        }
        all
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        self.challenge_store.change(|challenges| self.of.take_from(challenges));
        let file = std::mem::take(&mut self.file);
        let remove = move || {
            // One that stays is answered by nobody after a while.
            let _ = std::fs::remove_file(file);
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::super::election::appear;
    use super::*;

    fn challenge_store(
        folder: &tempfile::TempDir,
    ) -> (ChallengeStore, watch::Receiver<Challenges>, watch::Sender<u64>) {
        let (posted, shown) = watch::channel(Challenges::default());
        let (answer, answered) = watch::channel(0);
        let layout = Layout::new(folder.path(), "https://acme.example/dir");
        (ChallengeStore::new(posted, answered, layout), shown, answer)
    }

    #[tokio::test]
    async fn a_note_hangs_until_it_is_dropped_and_waits_for_the_workers() {
        let folder = tempfile::tempdir().unwrap();
        let (challenge_store, shown, answer) = challenge_store(&folder);
        let first = challenge_store.post_http("t1", "t1.k").await.unwrap();
        let second = challenge_store.post_http("t2", "t2.k").await.unwrap();
        let third = challenge_store.post_alpn("a.example", vec![1], vec![2]).await.unwrap();
        assert_eq!((shown.borrow().http.len(), shown.borrow().alpn.len()), (2, 1));
        let revision = shown.borrow().revision;
        let waiting = tokio::spawn(async move { (first.answered().await, first) });
        answer.send_replace(revision - 1);
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        answer.send_replace(revision);
        let (answered, first) = waiting.await.unwrap();
        assert!(answered);
        drop((first, third));
        let left = shown.borrow().clone();
        assert_eq!(left.http.iter().map(|one| one.token.as_str()).collect::<Vec<_>>(), ["t2"]);
        assert!(left.alpn.is_empty() && left.revision > revision);
        drop(second);
    }

    #[tokio::test]
    async fn another_replica_shows_the_same_and_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let (leader, _, answer) = challenge_store(&folder);
        let (follower, shown, _) = challenge_store(&folder);
        let mut following = Following::default();
        let note = leader.post_http("t1", "t1.k").await.unwrap();
        answer.send_replace(1);
        follower.follow(&mut following, Instant::now()).await;
        let revision = shown.borrow().revision;
        assert_eq!(shown.borrow().http[0].key_authorization, "t1.k");
        follower.follow(&mut following, Instant::now()).await;
        assert_eq!(shown.borrow().revision, revision, "nothing is new");
        let alone = Instant::now();
        assert!(note.answered().await && alone.elapsed() < SPREAD);
        let _present = appear(&leader.layout.replicas).unwrap().unwrap();
        let beside = Instant::now();
        assert!(note.answered().await && beside.elapsed() >= SPREAD);
        // Taken down, or left over by one that died: the next one that leads begins with none.
        follower.lead().await;
        assert!(shown.borrow().http.is_empty());
        follower.follow(&mut Following::default(), Instant::now()).await;
        assert!(shown.borrow().http.is_empty());
    }
}
