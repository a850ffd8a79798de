//! The words of `waf top`: where to look, how often, and for whom.

use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::Args;

use crate::top::address::Address;

/// Look at a running service in the terminal: requests, blocks, latency, plan, workers
#[derive(Debug, Clone, Args)]
pub struct Top {
    /// Metrics of the service, in place of the port that the configuration names
    #[arg(short, long, value_name = "URL", conflicts_with = "config")]
    pub url: Option<Address>,
    /// Configuration file that names the metrics port [default: /etc/waf/waf.yaml where it exists, else port 9091]
    #[arg(short, long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Time between two looks
    #[arg(short, long, value_name = "SECONDS", default_value = "2")]
    pub interval: NonZeroU16,
    /// Look once, print plain text, and exit; no terminal is needed
    #[arg(long)]
    pub once: bool,
}
