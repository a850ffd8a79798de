//! The one way to stdout: whole lines from the workers' audit streams, through a bounded queue, to one thread that
//! writes them. When the queue is full, workers are not read; their sockets fill and their requests wait. A line that
//! is not one JSON document is dropped and counted. It knows lines, nothing of what an event says.

mod documents;
mod lines;
mod writer;
mod writer_lock;

pub use writer::Writer;
pub use writer_lock::WriterLock;

use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError, mpsc};
use tracing::{error, warn};
use waf_shared::limits::{AUDIT_LINE_BYTES_MAX, AUDIT_QUEUE_BYTES_MAX};

use crate::counters::Counters;
use crate::rollout::WorkerId;
use lines::Lines;

/// Bytes read from a worker at once.
const READ_BYTES: usize = 64 << 10;

/// Batches that wait; each holds at least one line, and the bytes are bounded beside it.
const BATCHES_MAX: usize = 64 << 10;

/// Whole lines, and the room that they take in the queue until they are written.
struct Batch {
    bytes: Vec<u8>,
    lines: u64,
    room: OwnedSemaphorePermit,
}

/// Queue for the readers' lines. The writer ends when every clone is gone.
#[derive(Clone)]
pub struct Queue {
    room: Arc<Semaphore>,
    batches: mpsc::Sender<Batch>,
    counters: Arc<Counters>,
}

impl Queue {
    /// Starts the writer on the process's stdout, which writes while it holds `writer_lock`.
    pub fn start(counters: Arc<Counters>, writer_lock: Arc<WriterLock>) -> std::io::Result<(Self, Writer)> {
        let (batches, waiting) = mpsc::channel(BATCHES_MAX);
        let writer = Writer::start(waiting, counters.clone(), writer_lock)?;
        Ok((Self { room: Arc::new(Semaphore::new(AUDIT_QUEUE_BYTES_MAX)), batches, counters }, writer))
    }

    /// Reads a worker's stream to its end.
    pub async fn drain(self, worker: WorkerId, stream: StdStream) {
        let mut stream = match stream.set_nonblocking(true).and_then(|()| UnixStream::from_std(stream)) {
            Ok(stream) => stream,
            Err(error) => {
                warn!(worker = worker.0, %error, "the audit stream of a worker cannot be read");
                return;
            }
        };
        let mut lines = Lines::new(AUDIT_LINE_BYTES_MAX);
        let mut buffer = vec![0; READ_BYTES];
        let mut is_reported = false;
        loop {
            // A reset is how a killed worker's stream can end.
            let got = stream.read(&mut buffer).await.unwrap_or(0);
            if got == 0 {
                break;
            }
            let fed = lines.feed(buffer.get(..got).unwrap_or_default());
            if fed.overlong > 0 {
                self.counters.audit_lines_broken.add(fed.overlong);
                warn!(
                    worker = worker.0,
                    bytes_max = AUDIT_LINE_BYTES_MAX,
                    "a worker's audit line is too long and was dropped"
                );
            }
            let documents = documents::only(fed.whole, fed.lines);
            if documents.malformed > 0 {
                self.counters.audit_lines_broken.add(documents.malformed);
                // Once: what sends such lines is no longer our worker, and would fill the log as well.
                if !std::mem::replace(&mut is_reported, true) {
                    error!(worker = worker.0, "a worker's audit line is not a JSON document and was dropped");
                }
            }
            if !documents.bytes.is_empty() && !self.put(documents.bytes, documents.lines).await {
                return;
            }
        }
        let cut = lines.finish();
        if cut > 0 {
            self.counters.audit_lines_broken.add(1);
            warn!(
                worker = worker.0,
                bytes = cut,
                "a dead worker's last audit line was cut short and dropped"
            );
        }
    }

    /// Waits for room; false when the writer is gone.
    async fn put(&self, bytes: Vec<u8>, lines: u64) -> bool {
        let wanted = bytes.len().min(AUDIT_QUEUE_BYTES_MAX) as u32;
        let room = match self.room.clone().try_acquire_many_owned(wanted) {
            Ok(room) => room,
            Err(TryAcquireError::Closed) => return false,
            Err(TryAcquireError::NoPermits) => {
                let _waits = self.counters.audit_waiting.begin();
                let Ok(room) = self.room.clone().acquire_many_owned(wanted).await else { return false };
                room
            }
        };
        self.batches.send(Batch { bytes, lines, room }).await.is_ok()
    }
}
