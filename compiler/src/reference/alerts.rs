//! `ops/alerts.yaml`: conditions that need a person, as alerting rules of Prometheus. Names of metrics come from the
//! table, so that no rule can ask for one that does not exist.

use std::fmt::Write as _;

use waf_shared::metrics::Name;

/// One rule.
struct Alert {
    name: &'static str,
    /// PromQL, with `{0}`, `{1}` for the metrics.
    expression: String,
    /// Time for which the condition has to hold.
    lasting: &'static str,
    severity: &'static str,
    summary: &'static str,
    /// The remedy.
    description: &'static str,
    /// Series that make it fire, minute by minute, in the notation of `promtool test rules`.
    fires_on: &'static [(&'static str, &'static str)],
    /// The label that the alert then carries.
    label: Option<(&'static str, &'static str)>,
}

/// Series of a service that is well: none of the alerts fires.
const HEALTHY: &[(&str, &str)] = &[
    (r#"waf_build_info{version="1", commit="a"}"#, "1x60"),
    (r#"waf_plan_info{instance="a", plan="one"}"#, "1x60"),
    (r#"waf_plan_info{instance="b", plan="one"}"#, "1x60"),
    (r#"waf_degraded{what="configuration"}"#, "0x60"),
    (r#"waf_degraded{what="workers"}"#, "0 1 0x58"),
    ("waf_worker_restarts_total", "0 1 1 1 2x56"),
    (r#"waf_requests_total{route="shop", action="allowed"}"#, "0+600x60"),
    (r#"waf_requests_total{route="shop", action="blocked"}"#, "0+60x60"),
    (r#"waf_requests_total{route="-", action="blocked"}"#, "0+6000x60"),
    (r#"waf_upstream_errors_total{route="shop", kind="5xx"}"#, "0+6x60"),
    (r#"waf_upstream_errors_total{route="shop", kind="reset"}"#, "0+6x60"),
    (r#"waf_inspection_duration_seconds_bucket{route="shop", le="0.001"}"#, "0+600x60"),
    (r#"waf_inspection_duration_seconds_bucket{route="shop", le="+Inf"}"#, "0+600x60"),
    (r#"waf_evaluation_timeout_total{route="shop"}"#, "3x60"),
    ("waf_audit_refused_total", "7x60"),
    ("waf_audit_backpressure_seconds_total", "70x60"),
    ("waf_trace_spans_dropped_total", "5x60"),
    (r#"waf_certificate_expiry_timestamp_seconds{host="shop.example"}"#, "5000000x60"),
];

/// Minutes after which a case is looked at.
const LOOK_AT: u32 = 50;

/// The file.
pub fn alerts() -> String {
    let mut out = String::from(
        "# Made by `waf-compile reference alerts`; edit compiler/src/reference/alerts.rs instead.\n\
         # Cases that fire, and one in which none does, are in alerts.test.yaml.\n\
         groups:\n  - name: waf\n    rules:\n",
    );
    for alert in all() {
        let Alert { name, expression, lasting, severity, summary, description, .. } = alert;
        let _ = write!(
            out,
            "      - alert: {name}\n        expr: {}\n        for: {lasting}\n        labels:\n          severity: {severity}\n\
             \x20       annotations:\n          summary: {}\n          description: {}\n",
            quoted(&expression),
            quoted(summary),
            quoted(description)
        );
    }
    out
}

/// `ops/alerts.test.yaml`: for each alert a case in which it fires, and one in which all is well.
pub fn alert_cases() -> String {
    let mut out = String::from(
        "# Made by `waf-compile reference alert-cases`; edit compiler/src/reference/alerts.rs instead.\n\
         # Run by `promtool test rules alerts.test.yaml`.\n\
         rule_files: [alerts.yaml]\nevaluation_interval: 1m\ntests:\n",
    );
    let begin = |out: &mut String, name: &str, series: &[(&str, &str)]| {
        let _ = write!(out, "  - name: {name}\n    interval: 1m\n    input_series:\n");
        for (series, values) in series {
            let _ = writeln!(out, "      - {{ series: '{series}', values: '{values}' }}");
        }
        out.push_str("    alert_rule_test:\n");
    };
    begin(&mut out, "healthy", HEALTHY);
    for alert in all() {
        let _ = writeln!(out, "      - {{ eval_time: {LOOK_AT}m, alertname: {} }}", alert.name);
    }
    for alert in all() {
        begin(&mut out, alert.name, alert.fires_on);
        let (label, value) = alert.label.unwrap_or(("severity", alert.severity));
        let filled = alert.description.replace(&format!("{{{{ $labels.{label} }}}}"), value);
        let _ = write!(
            out,
            "      - eval_time: {LOOK_AT}m\n        alertname: {}\n        exp_alerts:\n          - exp_labels:\n\
             \x20             severity: {}\n",
            alert.name, alert.severity
        );
        if alert.label.is_some() {
            let _ = writeln!(out, "              {label}: {value}");
        }
        let _ = write!(
            out,
            "            exp_annotations:\n              summary: {}\n              description: {}\n",
            quoted(alert.summary),
            quoted(&filled)
        );
    }
    out
}

fn all() -> Vec<Alert> {
    let mut alerts = Vec::new();
    for of in
        [of_instances, of_workers_and_disks, of_audit, of_upstreams, of_inspection, of_certificates_and_spans]
    {
        alerts.extend(of());
    }
    alerts
}

fn text(name: Name) -> &'static str {
    name.row().text
}

fn degraded(what: &str) -> String {
    format!("{}{{what=\"{what}\"}} == 1", text(Name::Degraded))
}

/// A share of the requests of a route. Without requests there is nothing to divide by, and no alert.
fn share(of: &str, all: &str, more_than: &str) -> String {
    format!("sum by (route) (rate({of}[5m])) / sum by (route) (rate({all}[5m])) > {more_than}")
}

/// Alerts about the fleet and its plans.
fn of_instances() -> Vec<Alert> {
    vec![
        Alert {
            name: "WafAbsent",
            expression: format!("absent({})", text(Name::BuildInfo)),
            lasting: "5m",
            severity: "critical",
            summary: "No WAF is scraped.",
            description: "Either none runs, or Prometheus does not reach its metrics_port.",
            fires_on: &[("waf_workers", "2x60")],
            label: None,
        },
        Alert {
            name: "WafConfigurationRefused",
            expression: degraded("configuration"),
            lasting: "5m",
            severity: "warning",
            summary: "A change of the configuration is not in force.",
            description: "The old plan serves on. The log of the service names file, line and reason; `waf-compile --validate` finds the same.",
            fires_on: &[(r#"waf_degraded{what="configuration"}"#, "1x60")],
            label: Some(("what", "configuration")),
        },
        Alert {
            name: "WafPlansDiffer",
            expression: format!("count(count by (plan) ({})) > 1", text(Name::PlanInfo)),
            lasting: "15m",
            severity: "warning",
            summary: "Instances serve different plans.",
            description: "A rollout did not reach every instance, or instances are meant to differ: then scope this rule by a label of yours.",
            fires_on: &[
                (r#"waf_plan_info{instance="a", plan="one"}"#, "1x60"),
                (r#"waf_plan_info{instance="b", plan="two"}"#, "1x60"),
            ],
            label: None,
        },
    ]
}

/// Alerts about workers and the disks that they need.
fn of_workers_and_disks() -> Vec<Alert> {
    vec![
        Alert {
            name: "WafWorkersMissing",
            expression: degraded("workers"),
            lasting: "2m",
            severity: "critical",
            summary: "Fewer workers serve than are wanted.",
            description: "Workers are replaced within a second; two minutes mean that they cannot be started or do not get ready. The log says why.",
            fires_on: &[(r#"waf_degraded{what="workers"}"#, "1x60")],
            label: Some(("what", "workers")),
        },
        Alert {
            name: "WafWorkersDie",
            expression: format!("increase({}[15m]) > 3", text(Name::WorkerRestarts)),
            lasting: "0m",
            severity: "warning",
            summary: "Workers die again and again.",
            description: "Each death takes its requests with it. Look for signals and memory in the log of the service and of the kernel.",
            fires_on: &[("waf_worker_restarts_total", "0+1x60")],
            label: None,
        },
        Alert {
            name: "WafDiskFails",
            expression: degraded("spooling"),
            lasting: "1m",
            severity: "critical",
            summary: "Request bodies cannot wait on disk.",
            description: "Bodies above max_memory_buffer are refused with 503. Make room in data_dir, or make it writable.",
            fires_on: &[(r#"waf_degraded{what="spooling"}"#, "1x60")],
            label: Some(("what", "spooling")),
        },
        Alert {
            name: "WafDataDirFails",
            expression: degraded("data_dir"),
            lasting: "1m",
            severity: "critical",
            summary: "data_dir cannot be written.",
            description: "Certificates are not ordered; those that are there serve on until they run out. The log names the file and what to do.",
            fires_on: &[(r#"waf_degraded{what="data_dir"}"#, "1x60")],
            label: Some(("what", "data_dir")),
        },
    ]
}

/// Alerts about the stream of audit events.
fn of_audit() -> Vec<Alert> {
    vec![
        Alert {
            name: "WafAuditLost",
            expression: degraded("audit"),
            lasting: "1m",
            severity: "critical",
            summary: "Audit events are lost.",
            description: "stdout of the service cannot be written: its reader is gone.",
            fires_on: &[(r#"waf_degraded{what="audit"}"#, "1x60")],
            label: Some(("what", "audit")),
        },
        Alert {
            name: "WafAuditStalls",
            expression: format!(
                "rate({}[5m]) > 0.1 or increase({}[5m]) > 0",
                text(Name::AuditBackpressure),
                text(Name::AuditRefused)
            ),
            lasting: "1m",
            severity: "critical",
            summary: "The reader of audit events is too slow.",
            description: "Requests that produce events wait for room, and are refused with 503 after ten seconds. Others are not affected.",
            fires_on: &[
                ("waf_audit_refused_total", "0+1x60"),
                ("waf_audit_backpressure_seconds_total", "0x60"),
            ],
            label: None,
        },
    ]
}

/// Alerts about upstreams.
fn of_upstreams() -> Vec<Alert> {
    let errors = text(Name::UpstreamErrors);
    let requests = text(Name::Requests);
    vec![
        Alert {
            name: "WafUpstreamFails",
            expression: share(&format!("{errors}{{kind!=\"5xx\"}}"), requests, "0.05"),
            lasting: "5m",
            severity: "critical",
            summary: "An upstream cannot be used.",
            description: "More than one request in twenty of the route {{ $labels.route }} ends in 502 or 504, or with an answer cut short.",
            fires_on: &[
                (r#"waf_requests_total{route="shop", action="allowed"}"#, "0+600x60"),
                (r#"waf_upstream_errors_total{route="shop", kind="timeout"}"#, "0+60x60"),
            ],
            label: Some(("route", "shop")),
        },
        Alert {
            name: "WafUpstreamErrors",
            expression: share(&format!("{errors}{{kind=\"5xx\"}}"), requests, "0.05"),
            lasting: "5m",
            severity: "warning",
            summary: "An upstream answers with errors.",
            description: "More than one answer in twenty of the route {{ $labels.route }} is a 5xx of the upstream's own.",
            fires_on: &[
                (r#"waf_requests_total{route="shop", action="allowed"}"#, "0+600x60"),
                (r#"waf_upstream_errors_total{route="shop", kind="5xx"}"#, "0+60x60"),
            ],
            label: Some(("route", "shop")),
        },
    ]
}

/// Alerts about blocked requests and the cost of rules.
fn of_inspection() -> Vec<Alert> {
    let requests = text(Name::Requests);
    vec![
        Alert {
            name: "WafBlocksMany",
            expression: share(
                &format!("{requests}{{action=\"blocked\",route!=\"-\"}}"),
                &format!("{requests}{{route!=\"-\"}}"),
                "0.2",
            ),
            lasting: "15m",
            severity: "warning",
            summary: "A fifth of a route's requests is blocked.",
            description: "An attack, or honest requests of the route {{ $labels.route }} taken for one: look which protections block, and at their audit events.",
            fires_on: &[
                (r#"waf_requests_total{route="shop", action="allowed"}"#, "0+600x60"),
                (r#"waf_requests_total{route="shop", action="blocked"}"#, "0+300x60"),
            ],
            label: Some(("route", "shop")),
        },
        Alert {
            name: "WafInspectionSlow",
            expression: format!(
                "histogram_quantile(0.99, sum by (le, route) (rate({}_bucket[5m]))) > 0.025",
                text(Name::InspectionDuration)
            ),
            lasting: "10m",
            severity: "warning",
            summary: "Inspection takes long.",
            description: "One request in a hundred of the route {{ $labels.route }} takes more than 25 ms of rules. Large bodies do; so does a machine that is too small.",
            fires_on: &[
                (r#"waf_inspection_duration_seconds_bucket{route="shop", le="0.025"}"#, "0+500x60"),
                (r#"waf_inspection_duration_seconds_bucket{route="shop", le="0.05"}"#, "0+600x60"),
                (r#"waf_inspection_duration_seconds_bucket{route="shop", le="+Inf"}"#, "0+600x60"),
            ],
            label: Some(("route", "shop")),
        },
        Alert {
            name: "WafInspectionTimesOut",
            expression: format!("increase({}[10m]) > 0", text(Name::EvaluationTimeout)),
            lasting: "0m",
            severity: "warning",
            summary: "Requests run into evaluation_timeout.",
            description: "They are refused, or in detect_only pass with the rest unread. The audit events of the route {{ $labels.route }} show which they are.",
            fires_on: &[(r#"waf_evaluation_timeout_total{route="shop"}"#, "0+1x60")],
            label: Some(("route", "shop")),
        },
    ]
}

/// Alerts about certificates and traces.
fn of_certificates_and_spans() -> Vec<Alert> {
    vec![
        Alert {
            name: "WafSpansDropped",
            expression: format!("increase({}[15m]) > 0", text(Name::TraceSpansDropped)),
            lasting: "15m",
            severity: "info",
            summary: "Spans of traces are dropped.",
            description: "The collector is down or too slow. Requests are not affected.",
            fires_on: &[("waf_trace_spans_dropped_total", "0+1x60")],
            label: None,
        },
        Alert {
            name: "WafCertificateRunsOut",
            expression: format!("{} - time() < 7 * 86400", text(Name::CertificateExpiry)),
            lasting: "15m",
            severity: "critical",
            summary: "A host has no certificate, or one that runs out within a week.",
            description: "Clients of {{ $labels.host }} are or will be refused. `waf certificates` and the log of the service say why none was issued.",
            fires_on: &[(r#"waf_certificate_expiry_timestamp_seconds{host="shop.example"}"#, "500000x60")],
            label: Some(("host", "shop.example")),
        },
    ]
}

/// JSON's strings are strings of YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
