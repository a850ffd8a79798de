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

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

pub use address::Address;
pub use error::TopError;
use figures::Figures;
use history::History;
use sheet::Sheet;
use tokio::time::Instant;

use crate::cli::{DEFAULT_CONFIG, Top};
use crate::probe::{NoPort, configured_port};

/// Metrics port of the examples.
const METRICS_PORT: u16 = 9091;

/// Looks once or until somebody quits. 0 is fine, 1 is a service that cannot be seen or a terminal that does not work.
pub fn run(options: &Top) -> ExitCode {
    let look = || {
        let address = metrics_address(options)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(TopError::System)?;
        let outcome = runtime.block_on(look(options, &address));
        // A name that is still being resolved must not keep the process.
        runtime.shutdown_background();
        outcome
    };
    match look() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The address that is named, else the port of the configuration, else the port of the examples.
fn metrics_address(options: &Top) -> Result<Address, NoPort> {
    if let Some(url) = &options.url {
        return Ok(url.clone());
    }
    let port = match &options.config {
        Some(config) => configured_port(config, "metrics_port")?,
        None if Path::new(DEFAULT_CONFIG).exists() => {
            configured_port(Path::new(DEFAULT_CONFIG), "metrics_port")?
        }
        None => METRICS_PORT,
    };
    Ok(Address::of_port(port))
}

async fn look(options: &Top, address: &Address) -> Result<(), TopError> {
    if !options.once {
        return screen::run(address, Duration::from_secs(options.interval.get().into())).await;
    }
    let mut history = History::default();
    history.add(figures(address).await?, Instant::now());
    let sheet = Sheet::of(address, &history, SystemTime::now());
    anstream::print!("{}", plain::text(&sheet));
    Ok(())
}

/// The present figures of the service.
async fn figures(address: &Address) -> Result<Figures, TopError> {
    let page = fetch::page(address).await?;
    Figures::read(&page).map_err(|source| TopError::Read { address: address.clone(), source })
}
