//! The `waf` program's library.

pub mod rollout;
