//! Certificates on disk: where they lie under `data_dir`, how they are read, written and watched, and which one serves
//! which host. It knows files and X.509, nothing of authorities or workers.

pub(crate) mod files;
mod mounted;
mod names;
mod pair;
mod snapshot;
mod store;
mod watch;

pub use files::StoreError;
pub use names::{covers, is_host_name, is_wildcard, wildcard_of};
#[cfg(test)]
pub(crate) use pair::tests::made;
pub use pair::{Pair, PairError, Provenance};
pub use snapshot::{Fault, Snapshot};
pub use store::{Layout, Store};
pub use watch::Watch;
