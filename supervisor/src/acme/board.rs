//! The board of open challenges: orders post what an authority will look for, workers answer it, and an order goes on once
//! they all can. It knows challenges, nothing of authorities or workers.

use std::time::Duration;

use tokio::sync::watch;
use waf_shared::control::{AlpnChallenge, Challenges, HttpChallenge, Secret};

/// How long workers may take to learn of a challenge. After that the authority is asked all the same: it tries more than
/// once.
const LEARN: Duration = Duration::from_secs(5);

/// The board. Clones show the same one.
#[derive(Debug, Clone)]
pub(super) struct Board {
    posted: watch::Sender<Challenges>,
    /// The revision that every worker answers.
    answered: watch::Receiver<u64>,
}

impl Board {
    pub(super) fn new(posted: watch::Sender<Challenges>, answered: watch::Receiver<u64>) -> Self {
        Self { posted, answered }
    }

    /// Posts an answer for port 80 until the note is dropped.
    pub(super) fn post_http(&self, token: &str, key_authorization: &str) -> Note {
        let challenge =
            HttpChallenge { token: token.to_owned(), key_authorization: key_authorization.to_owned() };
        let key = challenge.token.clone();
        self.post(|challenges| challenges.http.push(challenge));
        Note { board: self.clone(), of: Of::Http(key) }
    }

    /// Posts a certificate for port 443 until the note is dropped.
    pub(super) fn post_alpn(&self, host: &str, certificate_der: Vec<u8>, key_der: Vec<u8>) -> Note {
        let challenge = AlpnChallenge { host: host.to_owned(), certificate_der, key_der: Secret(key_der) };
        self.post(|challenges| {
            challenges.alpn.retain(|posted| posted.host != host);
            challenges.alpn.push(challenge);
        });
        Note { board: self.clone(), of: Of::Alpn(host.to_owned()) }
    }

    fn post(&self, change: impl FnOnce(&mut Challenges)) {
        self.posted.send_modify(|challenges| {
            challenges.revision += 1;
            change(challenges);
        });
    }
}

/// What a note is about.
#[derive(Debug)]
enum Of {
    Http(String),
    Alpn(String),
}

/// A posted challenge; it is taken down when this is dropped.
#[derive(Debug)]
pub(super) struct Note {
    board: Board,
    of: Of,
}

impl Note {
    /// Waits until every worker answers it. Whether they do.
    pub(super) async fn answered(&self) -> bool {
        let revision = self.board.posted.borrow().revision;
        let mut answered = self.board.answered.clone();
        let all = answered.wait_for(|answered| *answered >= revision);
        tokio::time::timeout(LEARN, all).await.is_ok_and(|answered| answered.is_ok())
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        self.board.post(|challenges| match &self.of {
            Of::Http(token) => challenges.http.retain(|posted| posted.token != *token),
            Of::Alpn(host) => challenges.alpn.retain(|posted| posted.host != *host),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_note_hangs_until_it_is_dropped_and_waits_for_the_workers() {
        let (posted, shown) = watch::channel(Challenges::default());
        let (answer, answered) = watch::channel(0);
        let board = Board::new(posted, answered);
        let first = board.post_http("t1", "t1.k");
        let second = board.post_http("t2", "t2.k");
        let third = board.post_alpn("a.example", vec![1], vec![2]);
        assert_eq!((shown.borrow().http.len(), shown.borrow().alpn.len()), (2, 1));
        let revision = shown.borrow().revision;
        let waiting = tokio::spawn(async move { (first.answered().await, first) });
        answer.send_replace(revision - 1);
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        answer.send_replace(revision);
        let (answered, first) = waiting.await.unwrap_or_else(|error| panic!("{error}"));
        assert!(answered);
        drop((first, third));
        let left = shown.borrow().clone();
        assert_eq!(left.http.iter().map(|one| one.token.as_str()).collect::<Vec<_>>(), ["t2"]);
        assert!(left.alpn.is_empty() && left.revision > revision);
        drop(second);
    }
}
