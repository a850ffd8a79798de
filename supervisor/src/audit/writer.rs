//! The thread that owns stdout. It writes batches of whole lines one after the other and never interleaves; a
//! consumer that stalls stops it, and only it. It knows a descriptor, nothing of workers.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::{mpsc, oneshot};
use tracing::{error, info};

use super::Batch;
use super::writer_lock::WriterLock;
use crate::counters::{Counters, Flag};

/// Pause before a full disk is tried again.
const FULL_PAUSE: Duration = Duration::from_secs(1);

/// Bytes from which a batch waits for no other.
const JOINED_BYTES: usize = 64 << 10;

/// The running thread.
pub struct Writer {
    done: oneshot::Receiver<()>,
}

impl Writer {
    pub(super) fn start(
        mut batches: mpsc::Receiver<Batch>,
        counters: Arc<Counters>,
        writer_lock: Arc<WriterLock>,
    ) -> io::Result<Self> {
        let (ended, done) = oneshot::channel();
        thread::Builder::new().name("audit".into()).spawn(move || {
            let stdout = io::stdout();
            let mut output = Output::new(stdout.as_fd(), &counters.audit_is_broken);
            while let Some(first) = batches.blocking_recv() {
                let batch = joined(first, &mut batches);
                let is_written = writer_lock.hold(|torn| {
                    // What a dead process left of a line must not become a part of ours.
                    let is_written = (!torn || output.write(b"\n")) && output.write(&batch.bytes);
                    (is_written, is_written || (output.nothing_written && !torn))
                });
                if is_written {
                    counters.audit_lines.add(batch.lines);
                } else {
                    counters.audit_lines_lost.add(batch.lines);
                }
            }
            // The supervisor may have stopped waiting.
            let _ = ended.send(());
        })?;
        Ok(Self { done })
    }

    /// Waits until everything is written; every [`super::Queue`] has to be gone. False when `limit` passes first.
    pub async fn finish(self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.done).await.is_ok()
    }
}

/// `first` and what waits behind it, as one batch: a turn at standard output costs several system calls, and what came
/// meanwhile can go in the same one.
fn joined(first: Batch, batches: &mut mpsc::Receiver<Batch>) -> Batch {
    let mut batch = first;
    while batch.bytes.len() < JOINED_BYTES
        && let Ok(next) = batches.try_recv()
    {
        batch.bytes.extend_from_slice(&next.bytes);
        batch.lines += next.lines;
        // Both are of the one queue that this thread writes for.
        batch.room.merge(next.room);
    }
    batch
}

/// A descriptor and whether it is known to be broken, so that a fault is said once.
struct Output<'a> {
    fd: BorrowedFd<'a>,
    /// True if the last lines were not written, or wait for room on a full disk.
    broken: &'a Flag,
    /// True if the last call of [`Output::write`] came to no byte at all.
    nothing_written: bool,
}

impl<'a> Output<'a> {
    fn new(fd: BorrowedFd<'a>, broken: &'a Flag) -> Self {
        Self { fd, broken, nothing_written: true }
    }

    /// Writes all of it, for as long as it takes. False when the bytes cannot be written at all.
    fn write(&mut self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        self.nothing_written = true;
        while !rest.is_empty() {
            match rustix::io::write(self.fd, rest) {
                Ok(written) => {
                    rest = rest.get(written..).unwrap_or_default();
                    self.nothing_written &= written == 0;
                }
                Err(Errno::INTR) => {}
                // Whoever started the program may have left the descriptor non-blocking.
                Err(Errno::AGAIN) => {
                    let _ = poll(&mut [PollFd::from_borrowed_fd(self.fd, PollFlags::OUT)], None);
                }
                // A line must not end half way, and space may come back: wait, and let requests wait.
                Err(errno @ (Errno::NOSPC | Errno::DQUOT)) => {
                    self.report(errno, "audit events wait: there is no room to write them");
                    thread::sleep(FULL_PAUSE);
                }
                Err(errno) => {
                    self.report(errno, "audit events are lost: stdout cannot be written");
                    return false;
                }
            }
        }
        if self.broken.is_set() {
            self.broken.set(false);
            info!("audit events are written again");
        }
        true
    }

    fn report(&mut self, errno: Errno, what: &str) {
        if !self.broken.is_set() {
            self.broken.set(true);
            error!(error = %io::Error::from(errno), "{what}");
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_descriptor_that_would_block_is_waited_for() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let lines = b"one line of the audit stream\n".repeat(100_000);
        let expected = lines.len();
        let reader = thread::spawn(move || {
            let mut all = Vec::new();
            theirs.read_to_end(&mut all).unwrap();
            all.len()
        });
        assert!(Output::new(ours.as_fd(), &Flag::default()).write(&lines));
        drop(ours);
        assert_eq!(reader.join().unwrap(), expected);
    }

    #[test]
    fn a_closed_consumer_loses_lines_and_nothing_else() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        let broken = Flag::default();
        let mut output = Output::new(ours.as_fd(), &broken);
        assert!(!output.write(b"{}\n"));
        assert!(!output.write(b"{}\n"));
        assert!(broken.is_set());
        let (ours, _theirs) = UnixStream::pair().unwrap();
        assert!(Output::new(ours.as_fd(), &broken).write(b"{}\n") && !broken.is_set());
    }

    #[test]
    fn a_full_disk_is_degraded_while_lines_wait_for_room() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let broken: &'static Flag = Box::leak(Box::default());
        // It waits for room that never comes, and ends with the process.
        thread::spawn(move || Output::new(full.as_fd(), broken).write(b"{}\n"));
        let began = std::time::Instant::now();
        while !broken.is_set() {
            assert!(began.elapsed() < Duration::from_secs(30));
            thread::yield_now();
        }
    }
}
