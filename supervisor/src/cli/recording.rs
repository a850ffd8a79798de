//! Options of the command line about recordings of requests.

use std::path::PathBuf;

use clap::Args;
use waf_shared::control::Share;

use crate::recording::Recording;

/// Recordings of requests.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Recording")]
pub struct Record {
    /// Folder for recordings of requests that `waf-compile replay` reads; secrets in them are masked
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// Share of the requests that are recorded, such as `0.01` or `1%`
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = super::shadow::share)]
    pub record_share: Share,
    /// Size of all recordings together; the oldest ones are deleted
    #[arg(long, value_name = "SIZE", default_value = "100MB", value_parser = super::size)]
    pub record_size: u64,
}

impl Record {
    /// Settings of the recordings of so many workers; none without a folder.
    pub fn settings(&self, workers: usize) -> Option<Recording> {
        let folder = self.record.clone()?;
        Some(Recording::new(folder, self.record_share, self.record_size, workers))
    }
}
