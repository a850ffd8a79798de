//! The `waf` program's library: it compiles the configuration, starts workers, hands plans over to them, replaces
//! what dies, answers health probes and owns stdout. It knows every other crate and sees no request byte.
//!
//! The modules in reading order: its events ([`event`]), what it then decides ([`rollout`]), what it does about it
//! ([`supervise`]), and the hands that do it.

pub mod cli;
pub mod program;

pub mod event;
pub mod rollout;
pub mod supervise;
pub mod upgrade;

pub mod candidate;
pub mod source;
pub mod workers;

pub mod crashes;
pub mod memory;
pub mod user;

pub mod access_log;
pub mod audit;
pub mod changes;
pub mod counters;
pub mod health;
pub mod listener;
pub mod logs;
pub mod metrics;
pub mod notify;
pub mod rate_limit_memory;
pub mod readiness;
pub mod recording;
pub mod signals;
pub mod sockets;

pub mod doctor;
pub mod probe;

pub mod demo;

pub mod top;
