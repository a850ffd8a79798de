//! The way of audit events out of this process: whole lines into the stream to the supervisor, which owns stdout. Once
//! a line is in the kernel's buffer it survives this process. It must not know what a line says.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};
use waf_shared::limits::AUDIT_WAIT_SECONDS;

mod writer;

use writer::{Message, Slot, Writer};

/// Lines that wait for the writer to look at them. Beyond it senders wait for a place, against the same deadline.
const SLOTS: usize = 1024;

/// A handle to the writer; clones share it. The writer ends with the last handle, when what it holds is written.
#[derive(Debug, Clone)]
pub struct Sink {
    inbox: mpsc::Sender<Message>,
    counts: Arc<Counts>,
    wait: Duration,
}

/// The stream had no room for a line in time. The line was withdrawn whole and is never written; only one that had
/// begun to be written is finished all the same, since what follows it must not be torn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the audit stream had no room in time")]
pub struct AuditUnavailable;

/// Outcomes of lines.
#[derive(Debug, Default)]
struct Counts {
    written: AtomicU64,
    lost: AtomicU64,
    kept: AtomicU64,
}

impl Sink {
    /// Starts the writer on `stream`. Must be called inside a tokio runtime.
    pub fn new(stream: std::os::unix::net::UnixStream) -> io::Result<Sink> {
        Sink::waiting(stream, Duration::from_secs(AUDIT_WAIT_SECONDS))
    }

    fn waiting(stream: std::os::unix::net::UnixStream, wait: Duration) -> io::Result<Sink> {
        let (inbox, messages) = mpsc::channel(SLOTS);
        let counts = Arc::new(Counts::default());
        let writer = Writer::new(nonblocking(stream)?, Arc::clone(&counts));
        tokio::spawn(writer.run(messages));
        Ok(Sink { inbox, counts, wait })
    }

    /// Resolves once the whole of `line` (its newline included) is in the kernel's buffer, or after
    /// [`AUDIT_WAIT_SECONDS`] without room. While the supervisor is gone it resolves at once: the line is kept for
    /// [`Sink::reattach`], or counted as lost. A caller that stops waiting does not take its line back.
    pub async fn send(&self, line: Vec<u8>) -> Result<(), AuditUnavailable> {
        if line.is_empty() {
            return Ok(());
        }
        self.queue(line).await
    }

    /// Resolves once every line that was sent before is in the kernel's buffer; the same bound holds. Who will have a
    /// line to send and could not take back what it does until then asks first.
    pub async fn room(&self) -> Result<(), AuditUnavailable> {
        self.queue(Vec::new()).await
    }

    async fn queue(&self, line: Vec<u8>) -> Result<(), AuditUnavailable> {
        let deadline = Instant::now() + self.wait;
        let (done, written) = oneshot::channel();
        let slot = Slot { line, deadline: Some(deadline), done: Some(done) };
        match timeout_at(deadline, self.inbox.send(Message::Line(slot))).await {
            // The writer keeps the deadline: it alone knows whether a line has begun to be written.
            Ok(Ok(())) => written.await.map_err(|_| AuditUnavailable),
            Ok(Err(_)) | Err(_) => Err(AuditUnavailable),
        }
    }

    /// Goes on with `stream`, first with the lines that were kept while there was none.
    pub async fn reattach(&self, stream: std::os::unix::net::UnixStream) -> io::Result<()> {
        let message = Message::Stream(nonblocking(stream)?);
        self.inbox.send(message).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Lines that reached the kernel's buffer.
    pub fn written(&self) -> u64 {
        self.counts.written.load(Ordering::Relaxed)
    }

    /// Lines that could not be kept while the supervisor was gone.
    pub fn lost(&self) -> u64 {
        self.counts.lost.load(Ordering::Relaxed)
    }

    /// Lines that are lost if the process ends now: those that could not be kept, and those that wait for a supervisor.
    pub fn undelivered(&self) -> u64 {
        self.lost() + self.counts.kept.load(Ordering::Relaxed)
    }
}

fn nonblocking(stream: std::os::unix::net::UnixStream) -> io::Result<UnixStream> {
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

#[cfg(test)]
mod tests;
