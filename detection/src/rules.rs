//! The rules, one file a bucket, each with its proofs. [`buckets`] is the only list.

use crate::rule::{Detector, Prefilter, Rule};

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

/// The rules of a bucket, and the detector that reports those of them that are no patterns.
#[derive(Debug, Clone, Copy)]
pub struct Bucket {
    /// Its rules.
    pub rules: &'static [&'static Rule],
    /// Its detector, if any; it reports no rule of another bucket.
    pub detector: Option<&'static Detector>,
}

/// Every bucket.
pub fn buckets() -> impl Iterator<Item = Bucket> {
    [
        (sql_injection::RULES, &sql_injection::DETECTOR),
        (cross_site_scripting::RULES, &cross_site_scripting::DETECTOR),
        (command_injection::RULES, &command_injection::DETECTOR),
        (local_file_access::RULES, &local_file_access::DETECTOR),
        (scanner_detection::RULES, &scanner_detection::DETECTOR),
        (java_injection::RULES, &java_injection::DETECTOR),
        (php_injection::RULES, &php_injection::DETECTOR),
        (ldap_injection::RULES, &ldap_injection::DETECTOR),
        (mail_protocol_injection::RULES, &mail_protocol_injection::DETECTOR),
        (javascript_injection::RULES, &javascript_injection::DETECTOR),
        (ruby_injection::RULES, &ruby_injection::DETECTOR),
        (perl_injection::RULES, &perl_injection::DETECTOR),
        (template_injection::RULES, &template_injection::DETECTOR),
        (data_uri::RULES, &data_uri::DETECTOR),
        (outbound_request_forgery::RULES, &outbound_request_forgery::DETECTOR),
        (remote_file_fetch::RULES, &remote_file_fetch::DETECTOR),
        (http_attacks::RULES, &http_attacks::DETECTOR),
        (http_compliance::RULES, &http_compliance::DETECTOR),
        (line_breaks::RULES, &line_breaks::DETECTOR),
        (session_fixation::RULES, &session_fixation::DETECTOR),
    ]
    .into_iter()
    .map(|(rules, detector)| Bucket { rules, detector: Some(detector) })
    .chain([Bucket { rules: object_tags::RULES, detector: None }])
    .chain(RESPONSE.iter().map(|rules| Bucket { rules, detector: None }))
    .chain([Bucket { rules: crate::request::RULES, detector: None }])
}

/// Rules on responses; they need no detector.
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

/// Every detector with the rules that it can report. A bucket may have detectors beside its own, woken by other triggers.
pub fn detectors_with_rules() -> impl Iterator<Item = (&'static Detector, &'static [&'static Rule])> {
    buckets()
        .filter_map(|bucket| Some((bucket.detector?, bucket.rules)))
        .chain([(&sql_injection::QUOTES, sql_injection::RULES)])
}

/// Every detector.
pub fn detectors() -> impl Iterator<Item = &'static Detector> {
    detectors_with_rules().map(|(detector, _)| detector)
}

/// Looks that spare a detector everyday text.
pub fn prefilters() -> impl Iterator<Item = &'static Prefilter> {
    [&command_injection::PREFILTER, &php_injection::PREFILTER].into_iter()
}
