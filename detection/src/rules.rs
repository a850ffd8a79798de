//! The rules, one file a bucket, each with its proofs. [`all`] and [`judges`] are the only lists.

use crate::rule::{Judge, Rule};

pub mod command_injection;
pub mod cross_site_scripting;
pub mod java_injection;
pub mod local_file_access;
pub mod scanner_detection;
pub mod sql_injection;

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [
        sql_injection::RULES,
        cross_site_scripting::RULES,
        command_injection::RULES,
        local_file_access::RULES,
        scanner_detection::RULES,
        java_injection::RULES,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Every judge.
pub fn judges() -> impl Iterator<Item = &'static Judge> {
    [
        &sql_injection::JUDGE,
        &cross_site_scripting::JUDGE,
        &command_injection::JUDGE,
        &local_file_access::JUDGE,
        &scanner_detection::JUDGE,
        &java_injection::JUDGE,
    ]
    .into_iter()
}
