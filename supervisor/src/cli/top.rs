//! The words of `waf top`: where to look, how often, and for whom.

use std::num::NonZeroU16;

use clap::Args;

use crate::top::address::Address;

/// Look at a running service in the terminal: requests, blocks, latency, plan, workers
#[derive(Debug, Clone, Args)]
pub struct Top {
    /// Metrics of the service, at the port that `metrics_port` sets
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:9090/metrics")]
    pub url: Address,
    /// Time between two looks
    #[arg(long, value_name = "SECONDS", default_value = "2")]
    pub interval: NonZeroU16,
    /// Look once, print plain text, and exit; no terminal is needed
    #[arg(long)]
    pub once: bool,
}
