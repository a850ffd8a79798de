//! State that the gate of a connection shares with the rest of it: which streams are open, their heads and trailers as
//! they came, what the connection is guilty of, and since when something has been waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::Reason;
use tokio::sync::watch;
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::flood_budget::{Cost, FloodBudget, Gain};
use crate::head::RequestHead;
use crate::http1::head::Malformed;

/// The window of a stream before a client says otherwise (RFC 9113 section 6.9.2).
const INITIAL_WINDOW_BYTES: i64 = 65_535;

/// The reason why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ConnectionFault {
    /// Code of GOAWAY.
    pub(super) reason: Reason,
    /// The protection that the event names.
    pub(super) leaf: Leaf,
    /// Reason in the event.
    pub(super) text: &'static str,
}

/// A request's head, or why there is none.
#[derive(Debug)]
pub(super) enum Opening {
    Head(Box<RequestHead>),
    Malformed {
        why: Malformed,
        quoted: Vec<u8>,
    },
    /// One stream more than may be open.
    Refused,
}

/// Progress of a stream, for whoever waits on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Open,
    /// Our side has sent its end.
    Answered,
    /// The client broke it off, or the connection ended.
    Gone,
}

#[derive(Debug)]
struct Entry {
    opening: Option<Opening>,
    trailers: Option<Result<Bytes, Malformed>>,
    ended_in: bool,
    progress: watch::Sender<Progress>,
    counts: bool,
    /// Bytes by which the client has opened the stream's window beyond the initial one, less what was sent.
    window: i64,
}

impl Entry {
    fn is_open(&self) -> bool {
        match *self.progress.borrow() {
            Progress::Open => true,
            Progress::Answered => !self.ended_in,
            Progress::Gone => false,
        }
    }
}

/// The ledger of one connection.
#[derive(Debug)]
pub(super) struct StreamTable {
    fault: Option<ConnectionFault>,
    streams: HashMap<u32, Entry>,
    last_stream: u32,
    open: usize,
    flood_budget: FloodBudget,
    /// Since when a header block has waited for its end.
    pub(super) block_since: Option<Instant>,
    /// Since when the socket has taken nothing.
    pub(super) blocked_since: Option<Instant>,
    /// Bytes of data that have left.
    pub(super) data_bytes: u64,
    /// The window that streams begin with (RFC 9113 section 6.5.2).
    initial_window: i64,
    /// True if a stream too many was opened.
    pub(super) is_over_streams: bool,
    /// The stream that got data after its exchange was over, and since when.
    late: Option<(u32, Instant)>,
}

/// The ledger as gate, streams and connection share it. It is locked for a few lines at a time, never across a wait.
#[derive(Debug, Clone)]
pub(super) struct SharedStreamTable(Arc<Mutex<StreamTable>>);

impl SharedStreamTable {
    pub(super) fn new(now: Instant) -> SharedStreamTable {
        SharedStreamTable(Arc::new(Mutex::new(StreamTable {
            fault: None,
            streams: HashMap::new(),
            last_stream: 0,
            open: 0,
            flood_budget: FloodBudget::new(now),
            block_since: None,
            blocked_since: None,
            data_bytes: 0,
            initial_window: INITIAL_WINDOW_BYTES,
            is_over_streams: false,
            late: None,
        })))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, StreamTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamTable {
    /// Notes what ends the connection; the first fault counts.
    pub(super) fn accuse(&mut self, reason: Reason, leaf: Leaf, text: &'static str) {
        self.fault.get_or_insert(ConnectionFault { reason, leaf, text });
    }

    pub(super) fn fault(&self) -> Option<ConnectionFault> {
        self.fault
    }

    /// Charges a frame; what cannot be paid is a flood.
    pub(super) fn charge(&mut self, cost: Cost, now: Instant) {
        if !self.flood_budget.charge(cost, now) {
            let text = match cost {
                Cost::Control => "a flood of control frames",
                Cost::Refused => "a flood of streams beyond the limit",
                Cost::Reset => "a flood of broken-off streams",
                Cost::Settings => "a flood of SETTINGS",
                Cost::EmptyData => "a flood of empty DATA frames",
            };
            self.accuse(Reason::ENHANCE_YOUR_CALM, Leaf::Http2FrameFlood, text);
        }
    }

    pub(super) fn earn(&mut self, gain: Gain) {
        self.flood_budget.earn(gain);
    }

    /// Reports whether `stream` is a request that is not known yet.
    pub(super) fn is_new(&self, stream: u32) -> bool {
        stream % 2 == 1 && stream > self.last_stream
    }

    /// Streams that are open now.
    pub(super) fn open(&self) -> usize {
        self.open
    }

    /// Opens a stream.
    pub(super) fn begin(&mut self, stream: u32, opening: Opening, ended_in: bool) {
        self.last_stream = stream;
        let counts = !matches!(opening, Opening::Refused);
        self.open += usize::from(counts);
        let progress = watch::Sender::new(Progress::Open);
        let entry = Entry { opening: Some(opening), trailers: None, ended_in, progress, counts, window: 0 };
        self.streams.insert(stream, entry);
    }

    /// Reports whether the exchange of `stream` still runs.
    pub(super) fn knows(&self, stream: u32) -> bool {
        self.streams.contains_key(&stream)
    }

    /// Notes data for a stream. A client may not have heard yet that its exchange is over; one that goes on sending for
    /// seconds does not listen (RFC 9113 section 5.1).
    pub(super) fn received(&mut self, stream: u32, now: Instant) {
        if self.knows(stream) || stream > self.last_stream {
            return;
        }
        match self.late {
            Some((known, since)) if known == stream => {
                if now.saturating_duration_since(since) >= Duration::from_secs(limits::HTTP2_LATE_SECONDS) {
                    let text = "data for a request that was answered long ago";
                    self.accuse(Reason::STREAM_CLOSED, Leaf::RequestValidationSlowClients, text);
                }
            }
            _ => self.late = Some((stream, now)),
        }
    }

    /// The client has set the window that streams begin with, those that are open included.
    pub(super) fn begins_with_window(&mut self, bytes: u32) {
        self.initial_window = i64::from(bytes);
    }

    /// The client has opened a stream's window.
    pub(super) fn widened(&mut self, stream: u32, bytes: u32) {
        if let Some(entry) = self.streams.get_mut(&stream) {
            entry.window = entry.window.saturating_add(i64::from(bytes));
        }
    }

    /// Data has left.
    pub(super) fn sent(&mut self, stream: u32, bytes: usize) {
        self.data_bytes = self.data_bytes.saturating_add(bytes as u64);
        if let Some(entry) = self.streams.get_mut(&stream) {
            entry.window = entry.window.saturating_sub(i64::try_from(bytes).unwrap_or(i64::MAX));
        }
    }

    /// Reports whether a stream's own window is shut, whatever its connection could take.
    pub(super) fn is_shut(&self, stream: u32) -> bool {
        self.streams.get(&stream).is_some_and(|entry| entry.window.saturating_add(self.initial_window) <= 0)
    }

    /// Keeps the trailers of a stream for its reader.
    pub(super) fn keep_trailers(&mut self, stream: u32, trailers: Result<Bytes, Malformed>) {
        if let Some(entry) = self.streams.get_mut(&stream) {
            entry.trailers.get_or_insert(trailers);
        }
    }

    pub(super) fn take_trailers(&mut self, stream: u32) -> Option<Result<Bytes, Malformed>> {
        self.streams.get_mut(&stream)?.trailers.take()
    }

    /// Hands out what opened a stream, once, and a view of how far it is.
    pub(super) fn take_opening(&mut self, stream: u32) -> Option<(Opening, watch::Receiver<Progress>)> {
        let entry = self.streams.get_mut(&stream)?;
        Some((entry.opening.take()?, entry.progress.subscribe()))
    }

    /// The client has sent the end of a stream.
    pub(super) fn ended_in(&mut self, stream: u32) {
        self.change(stream, |entry| entry.ended_in = true);
    }

    /// We have sent the end of a stream.
    pub(super) fn answered(&mut self, stream: u32) {
        self.earn(Gain::Answered);
        self.change(stream, |entry| {
            entry.progress.send_if_modified(|p| {
                let was_open = *p == Progress::Open;
                if was_open {
                    *p = Progress::Answered;
                }
                was_open
            });
        });
    }

    /// Either side broke a stream off.
    pub(super) fn reset(&mut self, stream: u32, now: Instant) {
        let was_refused = self.streams.get(&stream).is_some_and(|entry| !entry.counts);
        self.charge(if was_refused { Cost::Refused } else { Cost::Reset }, now);
        self.change(stream, |entry| {
            entry.progress.send_replace(Progress::Gone);
        });
        // No exchange will forget one that was refused or that the library never handed out.
        if self.streams.get(&stream).is_some_and(|entry| entry.opening.is_some() || !entry.counts) {
            self.streams.remove(&stream);
        }
    }

    /// The exchange of a stream is over.
    pub(super) fn forget(&mut self, stream: u32) {
        if let Some(entry) = self.streams.remove(&stream)
            && entry.counts
            && entry.is_open()
        {
            self.open -= 1;
        }
    }

    /// The connection is gone, and every stream with it.
    pub(super) fn end(&mut self) {
        for entry in self.streams.values() {
            entry.progress.send_replace(Progress::Gone);
        }
        self.open = 0;
        self.streams.clear();
    }

    fn change(&mut self, stream: u32, change: impl FnOnce(&mut Entry)) {
        let Some(entry) = self.streams.get_mut(&stream) else { return };
        let was_open = entry.is_open();
        change(entry);
        if entry.counts && was_open && !entry.is_open() {
            self.open = self.open.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_shut_when_its_own_window_is() {
        let shared = SharedStreamTable::new(Instant::now());
        let mut stream_table = shared.lock();
        stream_table.begin(1, Opening::Refused, true);
        let steps: [(&str, fn(&mut StreamTable), bool); 9] = [
            ("as it begins", |_| {}, false),
            ("all of it used", |stream_table| stream_table.sent(1, 65_535), true),
            ("the connection's window", |stream_table| stream_table.widened(0, 1000), true),
            ("another stream's", |stream_table| stream_table.widened(3, 1000), true),
            ("a byte more", |stream_table| stream_table.widened(1, 1), false),
            ("that byte used", |stream_table| stream_table.sent(1, 1), true),
            ("a larger initial window", |stream_table| stream_table.begins_with_window(100_000), false),
            ("none", |stream_table| stream_table.begins_with_window(0), true),
            ("opened again", |stream_table| stream_table.widened(1, 70_000), false),
        ];
        for (what, step, is_shut) in steps {
            step(&mut stream_table);
            assert_eq!(stream_table.is_shut(1), is_shut, "{what}");
        }
        assert_eq!(stream_table.data_bytes, 65_536);
        assert!(!stream_table.is_shut(9), "nothing is known of it");
    }
}
