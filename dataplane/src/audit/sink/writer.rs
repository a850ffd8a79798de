//! The one task that writes to the stream. It alone decides what becomes of a line, so there is nothing to race for:
//! a line is written whole, withdrawn whole at its deadline, or kept while there is no stream.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::{Counts, SLOTS};

/// Bytes that one write takes, unless a single line is longer.
const BATCH_BYTES_MAX: usize = 256 << 10;

/// Bytes of lines that are kept while the supervisor is gone; what goes beyond is lost, and counted.
const KEPT_BYTES_MAX: usize = 1 << 20;

/// Message to the writer.
#[derive(Debug)]
pub(super) enum Message {
    /// A line to write.
    Line(Slot),
    /// A stream to go on with.
    Stream(UnixStream),
}

/// A line on its way.
#[derive(Debug)]
pub(super) struct Slot {
    /// Empty for one who only asks whether there is room.
    pub(super) line: Vec<u8>,
    /// When it is withdrawn; none for lines that were kept.
    pub(super) deadline: Option<Instant>,
    /// Notified when the line is written; dropped when it is withdrawn.
    pub(super) done: Option<oneshot::Sender<()>>,
}

pub(super) struct Writer {
    /// None while the supervisor is gone.
    stream: Option<UnixStream>,
    /// Lines to write, in the order in which they came. Deadlines follow that order closely enough.
    pending: VecDeque<Slot>,
    /// Bytes of the first line that are written already.
    begun: usize,
    /// Lines kept while there is no stream.
    kept: VecDeque<Vec<u8>>,
    kept_bytes: usize,
    batch: Vec<u8>,
    counts: Arc<Counts>,
}

impl Writer {
    pub(super) fn new(stream: UnixStream, counts: Arc<Counts>) -> Writer {
        Writer {
            stream: Some(stream),
            pending: VecDeque::new(),
            begun: 0,
            kept: VecDeque::new(),
            kept_bytes: 0,
            batch: Vec::new(),
            counts,
        }
    }

    /// Writes until the last handle is gone and nothing is left to write.
    pub(super) async fn run(mut self, mut inbox: mpsc::Receiver<Message>) {
        let mut open = true;
        loop {
            while self.pending.len() < SLOTS
                && let Ok(message) = inbox.try_recv()
            {
                self.take(message);
            }
            self.withdraw_expired();
            if self.pending.is_empty() {
                match inbox.recv().await {
                    Some(message) => self.take(message),
                    None => return,
                }
                continue;
            }
            let room = self.pending.len() < SLOTS;
            let deadline = self.pending.iter().find_map(|slot| slot.deadline);
            tokio::select! {
                // What can be written is, before a timer is set for it.
                biased;
                ready = writable(self.stream.as_ref()) => self.write(ready),
                message = inbox.recv(), if open && room => match message {
                    Some(message) => self.take(message),
                    None => open = false,
                },
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {}
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Line(slot) if slot.line.is_empty() && self.pending.is_empty() => tell(slot.done),
            Message::Line(slot) if self.stream.is_some() => self.pending.push_back(slot),
            Message::Line(slot) => self.keep(slot),
            Message::Stream(stream) => {
                self.detach();
                self.stream = Some(stream);
                self.kept_bytes = 0;
                self.counts.kept.store(0, Ordering::Relaxed);
                let kept = std::mem::take(&mut self.kept).into_iter();
                self.pending.extend(kept.map(|line| Slot { line, deadline: None, done: None }));
            }
        }
    }

    /// Writes what the kernel takes of the lines at hand, as one piece.
    fn write(&mut self, ready: io::Result<()>) {
        // Who asked for room behind a line that was withdrawn since has it now; there is nothing to write for him.
        while ready.is_ok()
            && let Some(slot) = self.pending.pop_front_if(|slot| slot.line.is_empty())
        {
            tell(slot.done);
        }
        let Some(stream) = self.stream.as_ref().filter(|_| !self.pending.is_empty()) else { return };
        let piece = match self.pending.front() {
            // One line alone needs no copy.
            Some(only) if self.pending.len() == 1 => only.line.get(self.begun..).unwrap_or_default(),
            _ => gathered(&mut self.batch, &self.pending, self.begun),
        };
        match ready.and_then(|()| stream.try_write(piece)) {
            Ok(written) if written > 0 => self.advance(written),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Ok(_) | Err(_) => self.detach(),
        }
    }

    /// Notifies the senders of the lines that `written` more bytes complete.
    fn advance(&mut self, written: usize) {
        let mut total = self.begun + written;
        while let Some(slot) = self.pending.pop_front_if(|slot| slot.line.len() <= total) {
            total -= slot.line.len();
            if !slot.line.is_empty() {
                self.counts.written.fetch_add(1, Ordering::Relaxed);
            }
            tell(slot.done);
        }
        self.begun = total;
    }

    /// Withdraws the lines whose time is over. One that has begun is finished, but nobody waits for it any longer.
    fn withdraw_expired(&mut self) {
        let now = Instant::now();
        let expired = |slot: &Slot| slot.deadline.is_some_and(|deadline| deadline <= now);
        if !self.pending.iter().find(|slot| slot.deadline.is_some()).is_some_and(expired) {
            return;
        }
        let mut is_begun = self.begun > 0;
        self.pending.retain_mut(|slot| {
            let keep = !expired(slot) || is_begun;
            if keep && expired(slot) {
                slot.deadline = None;
                slot.done = None;
            }
            is_begun = false;
            keep
        });
    }

    /// Goes on without a stream. What it took of a line in part is lost with it, so that line counts as not written.
    fn detach(&mut self) {
        self.stream = None;
        self.begun = 0;
        for slot in std::mem::take(&mut self.pending) {
            self.keep(slot);
        }
    }

    /// Keeps a line for the next stream, if there is room. Its sender waits no longer: with no supervisor there is
    /// nothing to wait for.
    fn keep(&mut self, slot: Slot) {
        if slot.line.is_empty() {
            return tell(slot.done);
        }
        if self.kept_bytes + slot.line.len() <= KEPT_BYTES_MAX {
            self.kept_bytes += slot.line.len();
            self.kept.push_back(slot.line);
            self.counts.kept.fetch_add(1, Ordering::Relaxed);
        } else {
            self.counts.lost.fetch_add(1, Ordering::Relaxed);
        }
        tell(slot.done);
    }
}

/// The front of `pending` in one piece, without the first `begun` bytes, which are written already.
fn gathered<'b>(batch: &'b mut Vec<u8>, pending: &VecDeque<Slot>, begun: usize) -> &'b [u8] {
    batch.clear();
    let mut skip = begun;
    for slot in pending {
        let rest = slot.line.get(skip..).unwrap_or_default();
        if !batch.is_empty() && batch.len() + rest.len() > BATCH_BYTES_MAX {
            break;
        }
        batch.extend_from_slice(rest);
        skip = 0;
    }
    batch
}

/// A sender that no longer waits needs no notification.
fn tell(done: Option<oneshot::Sender<()>>) {
    if let Some(done) = done {
        let _ = done.send(());
    }
}

async fn writable(stream: Option<&UnixStream>) -> io::Result<()> {
    match stream {
        Some(stream) => stream.writable().await,
        // Lines are pending only while there is a stream.
        None => std::future::pending().await,
    }
}
