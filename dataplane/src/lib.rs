//! placeholder

pub mod audit;

pub mod client_address;

pub mod route;
