//! Plain data that every part of the WAF shares: the protection catalog, the plan with its codec and digest, which of
//! its routes a request takes, the metrics, and every bound. It knows nothing of sockets, runtimes, files or clocks.

pub mod limits;

pub mod catalog;

pub mod plan;

pub mod route;

pub mod fields;

pub mod rate_limit;

pub mod control;

pub mod journal;

pub mod metrics;

pub mod quote;
pub mod text;
