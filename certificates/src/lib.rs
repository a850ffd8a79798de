//! Certificates from the disk and from a certificate authority, on their way to the workers. The crate knows files,
//! X.509, the authority and the state messages of workers; it must not know plans under way, workers' processes or
//! requests.
//!
//! In reading order: certificates on disk ([`disk`]), orders from an authority ([`acme`]), the manager that loads,
//! watches and publishes ([`manager`]), the frames that workers receive ([`states`]), and the keys of session tickets,
//! which are made here and nowhere else ([`tickets`]).
//!
//! Each state replaces the one before as a whole, so a worker that starts, or that is slow, receives the latest and
//! nothing else, before it is offered a plan.

pub mod acme;
pub mod disk;
pub mod manager;
pub mod states;
pub mod tickets;

pub mod listing;
