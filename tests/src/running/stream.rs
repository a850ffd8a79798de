//! Lines of a program's stream, collected while it runs.

use std::io::{BufRead as _, BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::polling;

/// Takes the lines of a stream, without their line ends, as fast as it likes.
#[derive(Clone)]
pub(super) struct Consumer(pub(super) Arc<dyn Fn(&[u8]) + Send + Sync>);

impl std::fmt::Debug for Consumer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Consumer")
    }
}

/// Lines so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    lines: Arc<Mutex<Vec<String>>>,
    ended: Arc<AtomicBool>,
}

impl Lines {
    /// Reads `stream` to its end, on a thread of its own.
    pub(super) fn of(stream: impl Read + Send + 'static) -> Lines {
        let lines = Lines::default();
        let ours = lines.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).split(b'\n') {
                let Ok(line) = line else { break };
                let line = String::from_utf8_lossy(&line).into_owned();
                ours.lines.lock().expect("nobody panics while holding it").push(line);
            }
            ours.ended.store(true, Ordering::SeqCst);
        });
        lines
    }

    /// Hands each line of `stream` to `consumer` and keeps none.
    pub(super) fn handed(stream: impl Read + Send + 'static, consumer: Consumer) -> Lines {
        let lines = Lines::default();
        let ended = Arc::clone(&lines.ended);
        std::thread::spawn(move || {
            for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                (consumer.0)(&line);
            }
            ended.store(true, Ordering::SeqCst);
        });
        lines
    }

    /// Every line so far.
    pub(super) fn all(&self) -> Vec<String> {
        self.lines.lock().expect("nobody panics while holding it").clone()
    }

    /// Every line of a program that has ended.
    pub(super) fn whole(&self) -> Vec<String> {
        polling::until_true("the end of a stream", || self.ended.load(Ordering::SeqCst));
        self.all()
    }
}
