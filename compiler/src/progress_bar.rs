//! The progress through inputs on a terminal.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::parallel::Progress;

/// Time between two pictures.
const PAUSE: Duration = Duration::from_millis(200);

/// A line on standard error, if that is a terminal.
#[derive(Debug)]
pub struct Bar {
    is_shown: bool,
    began: Instant,
    shown: Mutex<Option<Instant>>,
}

impl Default for Bar {
    fn default() -> Bar {
        Bar { is_shown: std::io::stderr().is_terminal(), began: Instant::now(), shown: Mutex::default() }
    }
}

impl Bar {
    /// Shows the progress, if it is time for another picture.
    pub fn show(&self, progress: Progress) {
        let Ok(mut shown) = self.shown.lock() else { return };
        if !self.is_shown || shown.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        *shown = Some(Instant::now());
        let mib = progress.bytes / (1 << 20);
        let rate = progress.bytes as f64 / self.began.elapsed().as_secs_f64().max(0.001) / f64::from(1 << 20);
        let done = match (progress.bytes * 100).checked_div(progress.total) {
            Some(percent) => {
                let full = (percent.min(100) / 5) as usize;
                format!("[{}{}] {percent:>3} % ", "#".repeat(full), " ".repeat(20_usize.saturating_sub(full)))
            }
            None => String::new(),
        };
        let _ = write!(std::io::stderr(), "\r{done}{mib} MiB, {rate:.1} MiB/s  ");
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.is_shown {
            let _ = write!(std::io::stderr(), "\r{:60}\r", "");
        }
    }
}
