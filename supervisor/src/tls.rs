//! What workers need for TLS, on its way from the disk and the certificate authority to them. The [`keeper`] loads and
//! publishes; [`states`] are what workers are told; [`tickets`] are made here and nowhere else.
//!
//! Each state replaces the one before as a whole, so a worker that starts, or that is slow, is told the latest and
//! nothing else, before it is offered a plan.

pub mod keeper;
pub mod states;
pub mod tickets;
