//! Notices that certificates on disk have changed. It polls: a volume that replicas share sends no events for what
//! another machine wrote, and a certificate is renewed long before it is needed.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::store::{Layout, stamps};

/// Between two looks.
const POLL: Duration = Duration::from_secs(2);

/// Between the look that finds a change and the one that finds it settled: a certificate and its key are two files.
const SETTLE: Duration = Duration::from_millis(200);

/// The files' stamps at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Stamps {
    own: Vec<(String, u64, u64, i64, i64)>,
    issued: Vec<(String, u64, u64, i64, i64)>,
}

/// A watch over the two folders of a layout.
#[derive(Debug)]
pub struct Watch {
    layout: Layout,
    known: Stamps,
    /// A change that has not settled yet.
    moving: Option<Stamps>,
    poll: Duration,
    due: Instant,
}

impl Watch {
    /// Knows nothing yet: the first look is a change, unless nothing is there.
    pub fn new(layout: Layout) -> Self {
        Self { layout, known: Stamps::default(), moving: None, poll: POLL, due: Instant::now() + POLL }
    }

    /// Looks at the files as they are now; call it before they are read.
    pub async fn look(&mut self) {
        self.known = take(&self.layout).await;
        self.moving = None;
        self.due = Instant::now() + self.poll;
    }

    /// Waits for a change that has settled. May be cancelled; nothing is lost.
    pub async fn changed(&mut self) {
        loop {
            sleep_until(self.due).await;
            let now = take(&self.layout).await;
            if now == self.known {
                self.moving = None;
                self.due = Instant::now() + self.poll;
            } else if self.moving.as_ref() == Some(&now) {
                self.known = now;
                self.moving = None;
                self.due = Instant::now() + self.poll;
                return;
            } else {
                self.moving = Some(now);
                self.due = Instant::now() + SETTLE;
            }
        }
    }
}

/// Away from the runtime's thread: a network volume may hang.
async fn take(layout: &Layout) -> Stamps {
    let layout = layout.clone();
    let taking = tokio::task::spawn_blocking(move || Stamps {
        own: stamps(&layout.own),
        issued: stamps(&layout.issued),
    });
    taking.await.unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::fs;

    use super::*;

    #[tokio::test]
    async fn a_change_is_told_once_it_has_settled() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path(), "https://acme.example/dir");
        let poll = Duration::from_millis(50);
        let mut watch = Watch { poll, ..Watch::new(layout.clone()) };
        watch.look().await;
        let quiet = tokio::time::timeout(SETTLE * 2, watch.changed());
        assert!(quiet.await.is_err(), "nothing has changed");
        fs::create_dir_all(&layout.own).unwrap();
        fs::write(layout.own.join("a.example.pem"), "chain").unwrap();
        fs::write(layout.own.join("readme.txt"), "of no interest").unwrap();
        tokio::time::timeout(Duration::from_secs(20), watch.changed()).await.unwrap();
        fs::write(layout.own.join("readme.txt"), "still of no interest").unwrap();
        assert!(tokio::time::timeout(SETTLE * 2, watch.changed()).await.is_err());
    }
}
