//! Files for bodies. A confined worker opens none for writing: it asks the supervisor, which owns `data_dir`, and gets
//! one without a name. It knows questions and answers, nothing of what is written.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use waf_shared::limits::{DISK_SECONDS, SPOOL_WAITING};

use crate::overload::Overload;

/// Receiver of the answer to one question.
pub type Reply = oneshot::Sender<io::Result<File>>;

/// Asks for files; as many copies as are needed.
#[derive(Debug, Clone)]
pub struct Spool {
    questions: mpsc::Sender<Reply>,
    overload: Overload,
}

impl Spool {
    /// The asking end, and the questions. Under `overload` bodies wait on disk though they have room in memory.
    pub fn new(overload: Overload) -> (Spool, mpsc::Receiver<Reply>) {
        let (questions, asked) = mpsc::channel(SPOOL_WAITING);
        (Spool { questions, overload }, asked)
    }

    pub(crate) fn is_memory_short(&self) -> bool {
        self.overload.is_short()
    }

    /// A file that vanishes with its last descriptor.
    pub(crate) async fn file(&self) -> io::Result<File> {
        let (reply, answer) = oneshot::channel();
        let asked = async {
            let gone = || io::Error::other("nobody gives files any more");
            self.questions.send(reply).await.map_err(|_| gone())?;
            answer.await.map_err(|_| gone())?
        };
        timeout(Duration::from_secs(DISK_SECONDS), asked).await.map_err(|_| io::ErrorKind::TimedOut)?
    }

    /// Without a supervisor: files of a folder that the test has.
    #[cfg(test)]
    pub(crate) fn in_folder(folder: &std::path::Path) -> Spool {
        let (spool, mut asked) = Spool::new(Overload::default());
        let folder = folder.to_owned();
        tokio::spawn(async move {
            while let Some(reply) = asked.recv().await {
                let _ = reply.send(tempfile::tempfile_in(&folder));
            }
        });
        spool
    }
}

/// Questions that the supervisor has been asked and has not answered.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    last: u64,
    waiting: HashMap<u64, Reply>,
}

impl Pending {
    /// Numbers a question. Those that nobody waits for any more are forgotten.
    pub(crate) fn asked(&mut self, reply: Reply) -> u64 {
        self.waiting.retain(|_, reply| !reply.is_closed());
        self.last += 1;
        self.waiting.insert(self.last, reply);
        self.last
    }

    /// Hands out an answer; one that comes late finds nobody.
    pub(crate) fn answered(&mut self, ticket: u64, answer: io::Result<File>) {
        if let Some(reply) = self.waiting.remove(&ticket) {
            let _ = reply.send(answer);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_question_gets_its_own_answer() {
        let (spool, mut asked) = Spool::new(Overload::default());
        let mut pending = Pending::default();
        let questions: Vec<_> = (0..3)
            .map(|_| {
                let spool = spool.clone();
                tokio::spawn(async move { spool.file().await.map_err(|error| error.to_string()) })
            })
            .collect();
        let mut tickets = Vec::new();
        for _ in 0..3 {
            tickets.push(pending.asked(asked.recv().await.unwrap()));
        }
        for ticket in tickets.iter().rev() {
            pending.answered(*ticket, Err(io::Error::other(format!("number {ticket}"))));
        }
        for (question, ticket) in questions.into_iter().zip(&tickets) {
            assert_eq!(question.await.unwrap().unwrap_err(), format!("number {ticket}"));
        }
        assert!(pending.waiting.is_empty());
        pending.answered(99, Err(io::Error::other("late")));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_does_not_come_is_not_waited_for() {
        let (spool, mut asked) = Spool::new(Overload::default());
        let question = tokio::spawn(async move { spool.file().await.map_err(|error| error.kind()) });
        let mut pending = Pending::default();
        pending.asked(asked.recv().await.unwrap());
        assert_eq!(question.await.unwrap().unwrap_err(), io::ErrorKind::TimedOut);
        let (reply, _answer) = oneshot::channel();
        pending.asked(reply);
        assert_eq!(pending.waiting.len(), 1, "the one that gave up is forgotten");
    }
}
