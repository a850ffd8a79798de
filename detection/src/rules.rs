//! The rules, one file or folder for each bucket, each with its proofs. `BUCKETS` is the only list.

use crate::engine::Engine;
use crate::rule::{Bucket, Detector, Rule};

pub(crate) use http_compliance::NESTED_CODINGS;

pub(crate) mod command_injection;
pub(crate) mod cross_site_scripting;
pub(crate) mod data_uri;
pub(crate) mod dotnet_injection;
pub(crate) mod http_attacks;
pub(crate) mod http_compliance;
pub(crate) mod iis_data_leakage;
pub(crate) mod java_data_leakage;
pub(crate) mod java_injection;
pub(crate) mod javascript_injection;
pub(crate) mod ldap_injection;
pub(crate) mod line_breaks;
pub(crate) mod local_file_access;
pub(crate) mod lua_injection;
pub(crate) mod mail_protocol_injection;
pub(crate) mod object_tags;
pub(crate) mod outbound_request_forgery;
pub(crate) mod perl_injection;
pub(crate) mod php_data_leakage;
pub(crate) mod php_injection;
pub(crate) mod python_injection;
pub(crate) mod remote_file_fetch;
pub(crate) mod request_head;
pub(crate) mod response_inspection;
pub(crate) mod ruby_data_leakage;
pub(crate) mod ruby_injection;
pub(crate) mod scanner_detection;
pub(crate) mod server_data_leakage;
pub(crate) mod session_fixation;
pub(crate) mod sql_data_leakage;
pub(crate) mod sql_injection;
pub(crate) mod template_injection;
pub(crate) mod web_shell_detection;

/// Every bucket. The order is that in which an event lists rules of one value.
const BUCKETS: &[&Bucket] = &[
    &sql_injection::BUCKET,
    &cross_site_scripting::BUCKET,
    &command_injection::BUCKET,
    &local_file_access::BUCKET,
    &scanner_detection::BUCKET,
    &java_injection::BUCKET,
    &php_injection::BUCKET,
    &ldap_injection::BUCKET,
    &mail_protocol_injection::BUCKET,
    &javascript_injection::BUCKET,
    &ruby_injection::BUCKET,
    &perl_injection::BUCKET,
    &python_injection::BUCKET,
    &lua_injection::BUCKET,
    &dotnet_injection::BUCKET,
    &template_injection::BUCKET,
    &data_uri::BUCKET,
    &outbound_request_forgery::BUCKET,
    &remote_file_fetch::BUCKET,
    &http_attacks::BUCKET,
    &http_compliance::BUCKET,
    &line_breaks::BUCKET,
    &session_fixation::BUCKET,
    &object_tags::BUCKET,
    &sql_data_leakage::BUCKET,
    &php_data_leakage::BUCKET,
    &java_data_leakage::BUCKET,
    &ruby_data_leakage::BUCKET,
    &iis_data_leakage::BUCKET,
    &server_data_leakage::BUCKET,
    &web_shell_detection::BUCKET,
    &response_inspection::BUCKET,
    &request_head::BUCKET,
];

/// Every bucket.
pub fn buckets() -> impl Iterator<Item = Bucket> {
    BUCKETS.iter().map(|bucket| **bucket)
}

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    buckets().flat_map(|bucket| bucket.rules())
}

/// Every detector.
pub fn detectors() -> impl Iterator<Item = &'static Detector> {
    BUCKETS.iter().flat_map(|bucket| bucket.detectors).copied()
}

/// An engine over every rule.
pub fn engine() -> Engine {
    Engine::new(buckets())
}
