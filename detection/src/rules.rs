//! The rules, one file a bucket, each with its proofs. [`buckets`] is the only list.

use crate::rule::{Glance, Judge, Rule};

pub(crate) use http_compliance::NESTED_CODINGS;

pub mod command_injection;
pub mod cross_site_scripting;
pub mod data_uri;
pub mod http_attacks;
pub mod http_compliance;
pub mod iis_data_leakage;
pub mod java_data_leakage;
pub mod java_injection;
pub mod javascript_injection;
pub mod ldap_injection;
pub mod line_breaks;
pub mod local_file_access;
pub mod mail_protocol_injection;
pub mod object_tags;
pub mod outbound_request_forgery;
pub mod perl_injection;
pub mod php_data_leakage;
pub mod php_injection;
pub mod remote_file_fetch;
pub mod response_inspection;
pub mod ruby_data_leakage;
pub mod ruby_injection;
pub mod scanner_detection;
pub mod server_data_leakage;
pub mod session_fixation;
pub mod sql_data_leakage;
pub mod sql_injection;
pub mod template_injection;
pub mod web_shell_detection;

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
        (php_injection::RULES, &php_injection::JUDGE),
        (ldap_injection::RULES, &ldap_injection::JUDGE),
        (mail_protocol_injection::RULES, &mail_protocol_injection::JUDGE),
        (javascript_injection::RULES, &javascript_injection::JUDGE),
        (ruby_injection::RULES, &ruby_injection::JUDGE),
        (perl_injection::RULES, &perl_injection::JUDGE),
        (template_injection::RULES, &template_injection::JUDGE),
        (data_uri::RULES, &data_uri::JUDGE),
        (outbound_request_forgery::RULES, &outbound_request_forgery::JUDGE),
        (remote_file_fetch::RULES, &remote_file_fetch::JUDGE),
        (http_attacks::RULES, &http_attacks::JUDGE),
        (http_compliance::RULES, &http_compliance::JUDGE),
        (line_breaks::RULES, &line_breaks::JUDGE),
        (session_fixation::RULES, &session_fixation::JUDGE),
    ]
    .into_iter()
    .map(|(rules, judge)| Bucket { rules, judge: Some(judge) })
    .chain([Bucket { rules: object_tags::RULES, judge: None }])
    .chain(RESPONSE.iter().map(|rules| Bucket { rules, judge: None }))
    .chain([Bucket { rules: crate::request::RULES, judge: None }])
}

/// Rules on responses; they need no judge.
const RESPONSE: &[&[&Rule]] = &[
    sql_data_leakage::RULES,
    php_data_leakage::RULES,
    java_data_leakage::RULES,
    ruby_data_leakage::RULES,
    iis_data_leakage::RULES,
    server_data_leakage::RULES,
    web_shell_detection::RULES,
    response_inspection::RULES,
];

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    buckets().flat_map(|bucket| bucket.rules).copied()
}

/// Every judge with the rules that it can report. A bucket may have judges beside its own, woken by other triggers.
pub fn judges_with_rules() -> impl Iterator<Item = (&'static Judge, &'static [&'static Rule])> {
    buckets()
        .filter_map(|bucket| Some((bucket.judge?, bucket.rules)))
        .chain([(&sql_injection::QUOTES, sql_injection::RULES)])
}

/// Every judge.
pub fn judges() -> impl Iterator<Item = &'static Judge> {
    judges_with_rules().map(|(judge, _)| judge)
}

/// Looks that spare a judge everyday text.
pub fn glances() -> impl Iterator<Item = &'static Glance> {
    [&command_injection::GLANCE, &php_injection::GLANCE].into_iter()
}
