//! State of `data_dir` for writing. It is reported once when it cannot be written and once when it can again, however
//! many orders find out, and shown as a metric in between. It knows no orders.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::{error, info};

use super::figures::Figures;

/// Between two looks at a directory that cannot be written.
pub(super) const AGAIN: Duration = Duration::from_secs(5);

/// The state.
#[derive(Debug)]
pub(super) struct Disk {
    figures: Arc<Figures>,
    trouble: Option<Trouble>,
}

/// It could not be written.
#[derive(Debug)]
struct Trouble {
    /// Whose file it was.
    name: String,
    look_at: Instant,
}

impl Disk {
    pub(super) fn new(figures: Arc<Figures>) -> Disk {
        Disk { figures, trouble: None }
    }

    /// The file that stands for `name` could not be written.
    pub(super) fn failed(&mut self, name: &str, error: &str, now: Instant) {
        if self.trouble.is_none() {
            let again_s = AGAIN.as_secs();
            error!(
                error,
                again_s,
                "no certificate can be ordered: data_dir cannot be written; what is there serves on, and ordering goes on by itself once it can"
            );
            self.figures.show_unwritable(true);
        }
        self.trouble = Some(Trouble { name: name.to_owned(), look_at: now + AGAIN });
    }

    /// It could be written.
    pub(super) fn worked(&mut self) {
        if self.trouble.take().is_some() {
            info!("data_dir can be written again: certificates are ordered");
            self.figures.show_unwritable(false);
        }
    }

    /// Whose file could not be written; `None` while nothing is wrong.
    pub(super) fn trouble(&self) -> Option<&str> {
        self.trouble.as_ref().map(|trouble| trouble.name.as_str())
    }

    /// When to look whether it can be written again.
    pub(super) fn due(&self) -> Option<Instant> {
        self.trouble.as_ref().map(|trouble| trouble.look_at)
    }
}
