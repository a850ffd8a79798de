//! Faults of `waf top`, each with its remedy.

use std::io;

use super::address::Address;
use super::fetch::FetchError;
use super::figures::ReadError;
use crate::probe::NoPort;

/// A fault that leaves nothing to look at. Each names its remedy.
#[derive(Debug, thiserror::Error)]
pub enum TopError {
    /// No page.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// Another page.
    #[error("{address} shows no metrics of this program ({source}): name the port that `metrics_port` sets")]
    Read {
        /// Who answered.
        address: Address,
        /// The fault of the answer.
        source: ReadError,
    },
    /// No address.
    #[error(transparent)]
    Port(#[from] NoPort),
    /// Nowhere to draw.
    #[error(
        "standard input and output are no terminal: use `waf top --once`, which prints one look as plain text"
    )]
    NoTerminal,
    /// The terminal failed.
    #[error("the terminal does not work: {0}; `waf top --once` needs none")]
    Terminal(#[source] io::Error),
    /// No runtime, or no signals.
    #[error("the system does not let `waf top` run: {0}")]
    System(#[source] io::Error),
}
