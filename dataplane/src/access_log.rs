//! A log of lines about requests, such as the access log of a worker, on their way into a file that the supervisor opened.
//! A thread of its own writes them. No request waits for it: a line that finds no room in its queue is dropped and counted.
//! It must not know what a line says.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio::sync::{mpsc, oneshot};
use waf_shared::limits::{ACCESS_LINE_BYTES_MAX, ACCESS_LINES_WAITING};

/// The access log; off until a file is installed.
#[derive(Debug)]
pub(crate) struct AccessLog {
    /// Its name for people.
    name: &'static str,
    /// Lines that wait at most.
    room: usize,
    budget: Arc<Budget>,
    queue: OnceLock<mpsc::Sender<Message>>,
    file: Arc<ArcSwapOption<File>>,
    dropped: Arc<AtomicU64>,
}

/// Bytes that the file may still take.
#[derive(Debug)]
struct Budget {
    left: AtomicU64,
    /// True if a line found no room in the file.
    is_exceeded: AtomicBool,
}

/// Message to the thread that writes.
#[derive(Debug)]
enum Message {
    Line(Vec<u8>),
    /// A request for an answer when everything before it is written.
    Flush(oneshot::Sender<()>),
}

impl Default for AccessLog {
    fn default() -> AccessLog {
        AccessLog::named("access log")
    }
}

impl AccessLog {
    /// A log with a name of its own.
    pub(crate) fn named(name: &'static str) -> AccessLog {
        AccessLog::bounded(name, ACCESS_LINES_WAITING)
    }

    /// A log in which at most so many lines wait.
    pub(crate) fn bounded(name: &'static str, room: usize) -> AccessLog {
        let budget = Arc::new(Budget { left: AtomicU64::new(u64::MAX), is_exceeded: AtomicBool::new(false) });
        let (queue, file, dropped) = (OnceLock::new(), Arc::default(), Arc::default());
        AccessLog { name, room, budget, queue, file, dropped }
    }

    /// Writes at most so many bytes to this file from now on.
    pub(crate) fn install_bounded(&self, descriptor: OwnedFd, bytes_max: u64) {
        self.budget.left.store(bytes_max, Ordering::Relaxed);
        self.install(descriptor);
    }

    /// Reports whether a line found no room in the file since the last call.
    pub(crate) fn take_exceeded(&self) -> bool {
        self.budget.is_exceeded.swap(false, Ordering::Relaxed)
    }

    /// Writes to this file from now on. The first one starts the thread.
    pub(crate) fn install(&self, descriptor: OwnedFd) {
        self.file.store(Some(Arc::new(File::from(descriptor))));
        if self.queue.get().is_some() {
            return;
        }
        match self.start(self.room) {
            // There is one caller: the loop of the worker.
            Ok(queue) => drop(self.queue.set(queue)),
            Err(error) => tracing::error!(%error, "no {} is written: its thread does not start", self.name),
        }
    }

    fn start(&self, room: usize) -> io::Result<mpsc::Sender<Message>> {
        let (sender, queue) = mpsc::channel(room);
        let (file, dropped) = (Arc::clone(&self.file), Arc::clone(&self.dropped));
        let writer = Writer {
            name: self.name,
            budget: Arc::clone(&self.budget),
            file,
            dropped,
            batch: Vec::new(),
            lines: 0,
            state: State::Writes,
        };
        std::thread::Builder::new().name(self.name.replace(' ', "-")).spawn(move || writer.run(queue))?;
        Ok(sender)
    }

    /// Reports whether lines are wanted.
    pub(crate) fn is_on(&self) -> bool {
        self.queue.get().is_some()
    }

    /// Queues a line with its newline. Never waits.
    pub(crate) fn send(&self, line: Vec<u8>) {
        let Some(queue) = self.queue.get() else { return };
        if queue.try_send(Message::Line(line)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Lines that were dropped since the last call.
    pub(crate) fn take_dropped(&self) -> u64 {
        self.dropped.swap(0, Ordering::Relaxed)
    }

    /// Waits until every line is written, for at most `limit`.
    pub(crate) async fn flush(&self, limit: Duration) {
        let Some(queue) = self.queue.get() else { return };
        let written = async {
            let (done, written) = oneshot::channel();
            if queue.send(Message::Flush(done)).await.is_ok() {
                let _ = written.await;
            }
        };
        // What is not written by then is lost with the process.
        let _ = tokio::time::timeout(limit, written).await;
    }
}

/// State of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Writes,
    /// The last write failed, and nothing of it is in the file.
    Fails,
    /// The last write failed in the middle of a line.
    Torn,
}

struct Writer {
    name: &'static str,
    budget: Arc<Budget>,
    file: Arc<ArcSwapOption<File>>,
    dropped: Arc<AtomicU64>,
    batch: Vec<u8>,
    lines: u64,
    state: State,
}

impl Writer {
    fn run(mut self, mut queue: mpsc::Receiver<Message>) {
        while let Some(message) = queue.blocking_recv() {
            self.take(message);
            while let Ok(message) = queue.try_recv() {
                self.take(message);
            }
            self.write();
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Line(line) => {
                if self.batch.len() + line.len() > ACCESS_LINE_BYTES_MAX {
                    self.write();
                }
                self.batch.extend_from_slice(&line);
                self.lines += 1;
            }
            Message::Flush(done) => {
                self.write();
                // Nobody may wait any more.
                let _ = done.send(());
            }
        }
    }

    /// Writes the batch in one call: what is no longer than a pipe takes at once is not mixed with lines of others.
    fn write(&mut self) {
        if self.lines == 0 {
            return;
        }
        let bytes = self.batch.len() as u64;
        let left = self.budget.left.load(Ordering::Relaxed);
        if bytes > left {
            self.budget.is_exceeded.store(true, Ordering::Relaxed);
            self.dropped.fetch_add(self.lines, Ordering::Relaxed);
            self.batch.clear();
            self.lines = 0;
            return;
        }
        if left != u64::MAX {
            self.budget.left.fetch_sub(bytes, Ordering::Relaxed);
        }
        if self.state == State::Torn {
            self.batch.insert(0, b'\n');
        }
        let written = match self.file.load_full() {
            Some(file) => write_all(&file, &self.batch),
            None => Err((0, io::ErrorKind::NotFound.into())),
        };
        self.state = match written {
            Ok(()) => State::Writes,
            Err((bytes, error)) => {
                self.dropped.fetch_add(self.lines, Ordering::Relaxed);
                // Said once, not for every batch.
                if self.state == State::Writes {
                    let name = self.name;
                    tracing::warn!(%error, "the {name} cannot be written: its lines are dropped and counted");
                }
                if bytes > 0 || self.state == State::Torn { State::Torn } else { State::Fails }
            }
        };
        self.batch.clear();
        self.lines = 0;
    }
}

/// Writes everything, or returns how many bytes were written before the error.
fn write_all(mut file: &File, bytes: &[u8]) -> Result<(), (usize, io::Error)> {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match file.write(rest) {
            Ok(0) => return Err((written, io::ErrorKind::WriteZero.into())),
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err((written, error)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Seek as _};

    use super::*;

    #[tokio::test]
    async fn lines_come_into_the_file_in_order_and_into_the_next_one_after_it() {
        let log = AccessLog::default();
        log.send(b"before\n".to_vec());
        assert!(!log.is_on() && log.take_dropped() == 0, "nothing is wanted yet");
        for _ in 0..2 {
            let mut file = tempfile::tempfile().expect("a file");
            log.install(file.try_clone().expect("a descriptor").into());
            assert!(log.is_on());
            let lines: Vec<String> = (0..500).map(|n| format!("line {n}\n")).collect();
            for line in &lines {
                log.send(line.clone().into_bytes());
            }
            log.flush(Duration::from_mins(1)).await;
            let mut text = String::new();
            file.rewind().and_then(|()| file.read_to_string(&mut text)).expect("read");
            assert_eq!(text, lines.concat());
        }
        assert_eq!(log.take_dropped(), 0);
    }

    #[tokio::test]
    async fn a_file_that_takes_nothing_costs_its_lines_and_is_no_reason_to_wait() {
        let (reader, writer) = io::pipe().expect("a pipe");
        let log = AccessLog::default();
        log.install(writer.into());
        // The thread waits for room in the pipe, and more lines than the queue has places are sent.
        let line = vec![b'x'; ACCESS_LINE_BYTES_MAX];
        for _ in 0..ACCESS_LINES_WAITING + 1_000 {
            log.send(line.clone());
        }
        assert!(log.take_dropped() > 0);
        drop(reader);
        log.flush(Duration::from_mins(1)).await;
        let lost = log.take_dropped();
        assert!(lost > 0, "a broken pipe costs the lines that wait: {lost}");
    }
}
