//! The rules, one file a bucket, each with its proofs. [`buckets`] is the only list.

use crate::rule::{Judge, Rule};

pub mod command_injection;
pub mod cross_site_scripting;
pub mod java_injection;
pub mod local_file_access;
pub mod scanner_detection;
pub mod sql_injection;

/// The rules of a bucket, and the judge that reports those of them that are no patterns.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    /// Its rules.
    pub rules: &'static [&'static Rule],
    /// Its judge, if any; it reports no rule of another bucket.
    pub judge: Option<&'static Judge>,
}

/// Every bucket.
pub fn buckets() -> impl Iterator<Item = Bucket> {
    [
        (sql_injection::RULES, &sql_injection::JUDGE),
        (cross_site_scripting::RULES, &cross_site_scripting::JUDGE),
        (command_injection::RULES, &command_injection::JUDGE),
        (local_file_access::RULES, &local_file_access::JUDGE),
        (scanner_detection::RULES, &scanner_detection::JUDGE),
        (java_injection::RULES, &java_injection::JUDGE),
    ]
    .into_iter()
    .map(|(rules, judge)| Bucket { rules, judge: Some(judge) })
}

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    buckets().flat_map(|bucket| bucket.rules).copied()
}

/// Every judge.
pub fn judges() -> impl Iterator<Item = &'static Judge> {
    buckets().filter_map(|bucket| bucket.judge)
}
