//! `waf top`: what a running service shows on `/metrics`, for people who would rather look than read. It is a client
//! like any other and knows nothing of the service but its metrics. The modules in the order in which a look goes:
//! [`address`], [`fetch`], [`exposition`], [`figures`](mod@figures), [`history`], [`sheet`], and then [`plain`] or
//! [`screen`].

mod address;
mod exposition;
mod fetch;
mod figures;
mod histogram;
mod history;
mod plain;
mod screen;
mod sheet;
mod words;

use std::io;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

pub use address::Address;
use fetch::FetchError;
use figures::{Figures, ReadError};
use history::History;
use sheet::Sheet;
use tokio::time::Instant;

use crate::cli::Top;

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

/// Looks once or until somebody quits. 0 is fine, 1 is a service that cannot be seen or a terminal that does not work.
pub fn run(options: &Top) -> ExitCode {
    let outcome = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(TopError::System)
        .and_then(|runtime| {
            let outcome = runtime.block_on(look(options));
            // A name that is still being resolved must not keep the process.
            runtime.shutdown_background();
            outcome
        });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn look(options: &Top) -> Result<(), TopError> {
    if !options.once {
        return screen::run(&options.url, Duration::from_secs(options.interval.get().into())).await;
    }
    let mut history = History::default();
    history.add(figures(&options.url).await?, Instant::now());
    let sheet = Sheet::of(&options.url, &history, SystemTime::now());
    anstream::print!("{}", plain::text(&sheet));
    Ok(())
}

/// The present figures of the service.
async fn figures(address: &Address) -> Result<Figures, TopError> {
    let page = fetch::page(address).await?;
    Figures::read(&page).map_err(|source| TopError::Read { address: address.clone(), source })
}
