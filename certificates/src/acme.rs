//! Certificates from an authority that speaks ACME (RFC 8555): ordered, renewed and written down without an operator.
//! It knows certificates on disk and the authority; what it brings reaches the workers through
//! [`tls::manager`](crate::manager).
//!
//! In reading order: what is due when ([`schedule`], pure), which names may be asked for on demand ([`demand`], pure),
//! the loop that acts on both ([`order_loop`]), and its hands: one attempt with its account and order, the HTTP client,
//! the store of open challenges and the files in which replicas share it, the locks that elect one replica,
//! and what comes of a disk that cannot be written.

pub mod demand;
pub mod schedule;

mod account;
mod attempt;
mod blocking;
mod challenge_store;
mod client;
mod disk;
mod dns_hook;
mod election;
mod expiry_reminder;
mod failure;
mod figures;
mod leadership;
mod order;
mod order_loop;
mod proof;
mod saver;
mod settings;
mod shared;
mod timestamp;

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod stub;
#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests;

pub use client::ClientError;
pub use figures::{Figures, HostFigures};
pub use order_loop::start;
pub use settings::{AcmeSettings, Binding, Challenge, DEFAULT_DIRECTORY};
pub use timestamp::rfc3339;
