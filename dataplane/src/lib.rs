//! placeholder

pub mod route;
