//! placeholder

pub mod audit;

pub mod route;
