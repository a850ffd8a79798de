//! The one table of metrics: names, types, units, labels, what each says and where it comes from. The exposition, the
//! reference page, the alert rules, the dashboard and the tests derive from it. It knows no counter and no listener.

mod report;

pub use report::{EndpointCounts, Hit, Now, Observed, Report, RouteReport, Spared, UpstreamReport};

use crate::catalog;

/// Type of a metric, in the words of OpenMetrics 1.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// A number that only grows; its name ends in `_total`.
    Counter,
    /// A number that goes up and down.
    Gauge,
    /// Observations, counted by upper bound (in nanoseconds, ascending).
    Histogram(&'static [u64]),
    /// Always 1; the labels carry the information. Its name ends in `_info`.
    Info,
}

impl MetricKind {
    /// As OpenMetrics spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram(_) => "histogram",
            MetricKind::Info => "info",
        }
    }
}

/// Base unit of a metric; the name carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A count of things.
    None,
    /// Seconds. Counted in nanoseconds until it is shown.
    Seconds,
    /// Bytes.
    Bytes,
}

/// Who knows the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Workers count it; the supervisor adds up what they report.
    Workers,
    /// The supervisor itself.
    Supervisor,
}

/// One row of the table.
#[derive(Debug)]
pub struct Metric {
    /// Which.
    pub name: Name,
    /// As it is scraped, suffixes included (those of a histogram's series excepted).
    pub text: &'static str,
    /// Its type.
    pub kind: MetricKind,
    /// Its base unit.
    pub unit: Unit,
    /// Names of its labels; values come from the configuration, the catalog or this program, never from a client.
    pub labels: &'static [&'static str],
    /// Who knows it.
    pub source: Source,
    /// One sentence.
    pub help: &'static str,
}

/// Upper bounds in nanoseconds, ascending, for whole requests: 500 µs to 30 s. What lies above is counted beyond them.
pub const REQUEST_BUCKETS: &[u64] = &[
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    5_000_000_000,
    10_000_000_000,
    30_000_000_000,
];

/// The same for the inspection of one request: 10 µs to 100 ms.
pub const INSPECTION_BUCKETS: &[u64] = &[
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
];

macro_rules! metrics {
    ($($name:ident, $text:literal, $kind:expr, $unit:ident, [$($label:literal),*], $source:ident, $help:literal;)+) => {
        /// A metric.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each row of the table documents its variant")]
        pub enum Name { $($name),+ }

        /// Every metric, in the order of [`Name`], which is the order in which they are shown.
        pub const TABLE: &[Metric] = &[$(Metric {
            name: Name::$name, text: $text, kind: $kind, unit: Unit::$unit, labels: &[$($label),*],
            source: Source::$source, help: $help,
        }),+];
    };
}

metrics! {
    BuildInfo, "waf_build_info", MetricKind::Info, None, ["version", "commit"], Supervisor,
        "The program that runs: its version and the commit it was built from.";
    PlanInfo, "waf_plan_info", MetricKind::Info, None, ["plan"], Supervisor,
        "The plan in force, by its SHA-256. A fleet that shows one value has converged.";
    Requests, "waf_requests_total", MetricKind::Counter, None, ["route", "action"], Workers,
        "Requests by what was done: allowed, detected (a violation was reported and the request was allowed) or blocked. What has no route counts as blocked under route `-`; what fails upstream counts as allowed.";
    RequestsInFlight, "waf_requests_in_flight", MetricKind::Gauge, None, [], Workers,
        "Requests between the first byte of their head and the last byte of their answer, upgraded connections included.";
    RequestsBlocked, "waf_requests_blocked_total", MetricKind::Counter, None, ["route", "protection"], Workers,
        "Blocked requests, once for each protection that their audit event names.";
    DetectedThreats, "waf_detected_threats_total", MetricKind::Counter, None, ["route", "protection"], Workers,
        "Requests that were reported and allowed, once for each protection that their audit event names.";
    Exceptions, "waf_exceptions_total", MetricKind::Counter, None, ["route", "exception"], Workers,
        "Requests that would have had an audit event without an exception, once for each exception that took a finding away. One that stays at 0 is not needed.";
    UpstreamErrors, "waf_upstream_errors_total", MetricKind::Counter, None, ["route", "kind"], Workers,
        "Failures of upstreams: connect, tls, timeout, reset (also an answer that is not HTTP, or one that broke off), 5xx (the upstream's own answer).";
    UpstreamEndpoints, "waf_upstream_endpoints", MetricKind::Gauge, None, ["upstream", "state"], Workers,
        "Addresses of an upstream's name by state: available, or left_out since they accepted no connection. Of the worker that leaves out most.";
    RequestDuration, "waf_request_duration_seconds", MetricKind::Histogram(REQUEST_BUCKETS), Seconds, ["route"], Workers,
        "Time from the first byte of a request to the last of its answer, without upgraded connections.";
    InspectionDuration, "waf_inspection_duration_seconds", MetricKind::Histogram(INSPECTION_BUCKETS), Seconds, ["route"], Workers,
        "Time that rules took for one request and its answer, without waiting for bytes.";
    InspectionSeconds, "waf_inspection_seconds_total", MetricKind::Counter, Seconds, ["family"], Workers,
        "Time that the proofs of a family's rules took. What all share (decoding, the scan for literals, parsers) stands under family `-`.";
    EvaluationTimeout, "waf_evaluation_timeout_total", MetricKind::Counter, None, ["route"], Workers,
        "Requests and answers whose inspection ran into inspection.evaluation_timeout.";
    BodySpooled, "waf_body_spooled_total", MetricKind::Counter, None, ["route"], Workers,
        "Request bodies that did not fit into inspection.max_memory_buffer and waited on disk.";
    BodyUninspected, "waf_body_uninspected_bytes_total", MetricKind::Counter, Bytes, ["route"], Workers,
        "Bytes of request bodies beyond inspection.max_inspect_size, forwarded uninspected. Contents of files do not count.";
    DecompressionRejected, "waf_decompression_rejected_total", MetricKind::Counter, None, ["route"], Workers,
        "Request bodies that inflate to more than inspection.decompression_ratio_limit allows.";
    ResponseUninspected, "waf_responses_uninspected_total", MetricKind::Counter, None, ["route", "why"], Workers,
        "Responses of types that rules read which passed unread, or unread from a point on: longer than inspection.max_inspect_size (length), or in a content coding that cannot be taken off (coding).";
    WebsocketMessages, "waf_websocket_messages_total", MetricKind::Counter, None, ["route", "result"], Workers,
        "Messages of clients over WebSockets, by result: clean, unread (binary, or longer than inspection.max_inspect_size), detected (reported and forwarded) or blocked (the connection was closed).";
    TunnelsUninspected, "waf_tunnels_uninspected_total", MetricKind::Counter, None, ["route"], Workers,
        "Connections that left HTTP and that no rule looks at: protocols other than WebSocket, or routes without websocket-messages.";
    RateLimited, "waf_rate_limited_total", MetricKind::Counter, None, ["route"], Workers,
        "Requests beyond a rate limit: refused with 429, or in detect_only allowed.";
    OpenapiValidation, "waf_openapi_validation_total", MetricKind::Counter, None, ["route", "result"], Workers,
        "Requests held to a contract, by result: valid, invalid (refused or not), or partial (the body was judged up to a limit or not at all).";
    OpenapiShadow, "waf_openapi_shadow_total", MetricKind::Counter, None, ["route"], Workers,
        "Requests for paths that the contract of their route does not declare.";
    ShadowRequests, "waf_shadow_requests_total", MetricKind::Counter, None, ["result"], Workers,
        "Requests that a second plan judged beside the plan in force, by result: same, different, unfinished (the request ended before both had decided) or error.";
    ShadowDifferences, "waf_shadow_differences_total", MetricKind::Counter, None, ["route", "rule", "decision"], Workers,
        "Requests that a second plan would have decided differently, once for each rule that decided: its decision is allowed, detected or blocked. Where no rule decided, the rule is `-`.";
    ConfigReload, "waf_config_reload_total", MetricKind::Counter, None, ["result"], Supervisor,
        "Reloads of the configuration by result: success, error (invalid, rejected by a worker, or a port that cannot be had), tests (a policy test fails), gate (it would refuse too much of what passes), or rollback (it was in force, and workers died or failed under it). But for success an older plan serves.";
    ConfigLastReload, "waf_config_last_reload_success_timestamp_seconds", MetricKind::Gauge, Seconds, [], Supervisor,
        "Unix time at which the plan in force came into force.";
    WorkerRestarts, "waf_worker_restarts_total", MetricKind::Counter, None, [], Supervisor,
        "Workers that were started in place of dead ones.";
    Workers, "waf_workers", MetricKind::Gauge, None, [], Supervisor,
        "Workers that serve a plan.";
    AuditEvents, "waf_audit_events_total", MetricKind::Counter, None, [], Supervisor,
        "Audit events written to stdout.";
    AuditRefused, "waf_audit_refused_total", MetricKind::Counter, None, [], Workers,
        "Requests that were refused with 503 because the audit queue had no room for their event.";
    AuditBackpressure, "waf_audit_backpressure_seconds_total", MetricKind::Counter, Seconds, [], Workers,
        "Time that requests waited for room in the audit queue.";
    TraceSpansDropped, "waf_trace_spans_dropped_total", MetricKind::Counter, None, [], Workers,
        "Spans that were dropped because the collector did not take them.";
    AccessLogDropped, "waf_access_log_dropped_total", MetricKind::Counter, None, [], Workers,
        "Lines of the access log, of the log of a second plan and of recordings that were dropped because they could not be written, or not in time.";
    InternalErrors, "waf_internal_errors_total", MetricKind::Counter, None, [], Workers,
        "Exchanges and connections that a fault of this program ended. Please report what the log says about each.";
    CertificateExpiry, "waf_certificate_expiry_timestamp_seconds", MetricKind::Gauge, Seconds, ["host"], Supervisor,
        "When the certificate of a configured host runs out, in seconds since 1970; 0 when it has none. Below a wildcard the earliest one.";
    CertificateFailures, "waf_certificate_failures_total", MetricKind::Counter, None, ["host"], Supervisor,
        "Orders for certificates of a configured host that came to nothing.";
    Degraded, "waf_degraded", MetricKind::Gauge, None, ["what"], Supervisor,
        "1 while something that the service can live without for a time is missing, else 0.";
}

impl Name {
    /// Its row.
    pub fn row(self) -> &'static Metric {
        &TABLE[self as usize]
    }
}

macro_rules! counters {
    ($(#[$doc:meta])* $set:ident { $($counter:ident, $metric:ident, $value:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the metric's row documents it")]
        pub enum $set { $($counter),+ }

        impl $set {
            /// Every one, in order: the counter, its metric, and the value of the metric's last label where that tells
            /// counters of one metric apart.
            pub const ALL: &[($set, Name, &'static str)] = &[$(($set::$counter, Name::$metric, $value)),+];

            /// Their number.
            pub const COUNT: usize = $set::ALL.len();
        }
    };
}

counters! {
    /// Counters of a worker for each route. A new counter is a row here and, unless its metric has one, a row in the
    /// table.
    RouteCounter {
        Allowed, Requests, "allowed";
        Detected, Requests, "detected";
        Blocked, Requests, "blocked";
        UpstreamConnect, UpstreamErrors, "connect";
        UpstreamTls, UpstreamErrors, "tls";
        UpstreamTimeout, UpstreamErrors, "timeout";
        UpstreamReset, UpstreamErrors, "reset";
        Upstream5xx, UpstreamErrors, "5xx";
        EvaluationTimeout, EvaluationTimeout, "";
        BodySpooled, BodySpooled, "";
        BodyUninspectedBytes, BodyUninspected, "";
        DecompressionRejected, DecompressionRejected, "";
        ResponseTooLong, ResponseUninspected, "length";
        ResponseCoded, ResponseUninspected, "coding";
        WebsocketClean, WebsocketMessages, "clean";
        WebsocketUnread, WebsocketMessages, "unread";
        WebsocketDetected, WebsocketMessages, "detected";
        WebsocketBlocked, WebsocketMessages, "blocked";
        TunnelsUninspected, TunnelsUninspected, "";
        RateLimited, RateLimited, "";
        OpenapiValid, OpenapiValidation, "valid";
        OpenapiInvalid, OpenapiValidation, "invalid";
        OpenapiPartial, OpenapiValidation, "partial";
        OpenapiShadow, OpenapiShadow, "";
    }
}

counters! {
    /// Counters of a worker whatever the route.
    WorkerCounter {
        AuditRefused, AuditRefused, "";
        AuditBackpressureNanoseconds, AuditBackpressure, "";
        TraceSpansDropped, TraceSpansDropped, "";
        AccessLogDropped, AccessLogDropped, "";
        InternalErrors, InternalErrors, "";
    }
}

macro_rules! degraded {
    ($($what:ident, $text:literal, $help:literal;)+) => {
        /// Parts that the service can do without for a time.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each row documents its variant")]
        pub enum Degraded { $($what),+ }

        impl Degraded {
            /// Every one, in order: value of the label `what`, and what it means.
            pub const ALL: &[(Degraded, &'static str, &'static str)] = &[$((Degraded::$what, $text, $help)),+];

            /// Its bit in a set of them.
            pub const fn bit(self) -> u32 {
                1 << self as u32
            }
        }
    };
}

degraded! {
    Configuration, "configuration",
        "The last change of the configuration was refused or rolled back: an older plan serves on. The log says why.";
    Workers, "workers",
        "Fewer workers serve than are wanted: one died or is being replaced.";
    Spooling, "spooling",
        "A worker could not write a request body to disk: bodies above max_memory_buffer are refused with 503. It ends with the next body that is written.";
    Audit, "audit",
        "Audit events were lost because stdout could not be written, or wait because its disk or the queue is full. It ends with the next event that is written.";
    DataDir, "data_dir",
        "data_dir cannot be written, mostly because it is full: certificates are not ordered, those that are there serve on. It ends by itself once there is room.";
}

/// Families of the catalog in table order, and behind them `-`: what all of them share.
pub fn families() -> Vec<&'static str> {
    let mut families = catalog::families().to_vec();
    families.push(NONE);
    families
}

/// Value of a label where there is no route or no family to name.
pub const NONE: &str = "-";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_are() {
        for (index, metric) in TABLE.iter().enumerate() {
            let text = metric.text;
            assert_eq!(metric.name as usize, index);
            assert!(
                text.starts_with("waf_") && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
                "{text}"
            );
            assert_eq!(TABLE.iter().filter(|other| other.text == text).count(), 1, "{text}");
            assert_eq!(text.ends_with("_total"), metric.kind == MetricKind::Counter, "{text}");
            assert_eq!(text.ends_with("_info"), metric.kind == MetricKind::Info, "{text}");
            let base = text.trim_end_matches("_total");
            assert_eq!(base.ends_with("_seconds"), metric.unit == Unit::Seconds, "{text}");
            assert_eq!(base.ends_with("_bytes"), metric.unit == Unit::Bytes, "{text}");
            assert!(metric.help.len() > 20 && metric.help.ends_with('.'), "{text}");
        }
    }

    #[test]
    fn counters_have_a_metric_that_can_hold_them() {
        for (_, name, value) in RouteCounter::ALL {
            let labels = name.row().labels;
            assert_eq!(labels.first(), Some(&"route"), "{name:?}");
            assert_eq!(labels.len(), if value.is_empty() { 1 } else { 2 }, "{name:?}");
            assert_eq!(
                (name.row().kind, name.row().source),
                (MetricKind::Counter, Source::Workers),
                "{name:?}"
            );
        }
        for (_, name, value) in WorkerCounter::ALL {
            assert!(name.row().labels.is_empty() && value.is_empty(), "{name:?}");
            assert_eq!(name.row().kind, MetricKind::Counter, "{name:?}");
        }
    }

    #[test]
    fn bounds_ascend() {
        for buckets in [REQUEST_BUCKETS, INSPECTION_BUCKETS] {
            assert!(buckets.is_sorted_by(|a, b| a < b));
        }
        assert_eq!(INSPECTION_BUCKETS[0], 10_000, "contracted: from 10 µs");
    }

    #[test]
    fn families_are_those_of_the_catalog() {
        let families = families();
        assert_eq!(families.last(), Some(&NONE));
        for row in catalog::TABLE {
            assert_eq!(families[row.leaf.family_index()], row.family, "{}", row.name);
        }
    }
}
