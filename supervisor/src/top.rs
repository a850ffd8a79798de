//! `waf top`: what a running service shows on `/metrics`, for people who would rather look than read. It is a client
//! like any other and knows nothing of the service but its metrics. The modules in the order in which a look goes:
//! [`address`], [`fetch`], [`exposition`], [`figures`](mod@figures), [`history`], [`sheet`], and then [`plain`] or
//! [`screen`].

pub(crate) mod address;
mod error;
mod exposition;
mod fetch;
mod figures;
mod histogram;
mod history;
mod plain;
mod screen;
mod sheet;
mod words;

use std::process::ExitCode;
use std::time::{Duration, SystemTime};

pub use address::Address;
pub use error::TopError;
use figures::Figures;
use history::History;
use sheet::Sheet;
use tokio::time::Instant;

use crate::cli::Top;

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
