//! `ops/dashboard.json`: a dashboard for Grafana. Names of metrics come from the table.

use serde_json::{Value, json};
use waf_shared::metrics::{Name, RouteCounter};

/// Width of the grid that Grafana lays panels on, and the height of ours.
const GRID_WIDTH: usize = 24;
const PANEL_HEIGHT: usize = 8;

/// One panel.
struct Panel {
    title: &'static str,
    description: String,
    /// Grafana's name of the visualisation.
    kind: &'static str,
    unit: &'static str,
    width: usize,
    /// Expressions with their legends.
    queries: Vec<(String, &'static str)>,
}

/// The file.
pub fn dashboard() -> String {
    let (mut x, mut y) = (0, 0);
    let mut panels = Vec::new();
    for (index, panel) in all().into_iter().enumerate() {
        if x + panel.width > GRID_WIDTH {
            (x, y) = (0, y + PANEL_HEIGHT);
        }
        let width = panel.width;
        panels.push(panel.json(index + 1, x, y));
        x += width;
    }
    let requests = Name::Requests.row().text;
    let datasource = json!({ "type": "prometheus", "uid": "${datasource}" });
    let board = json!({
        "title": "WAF",
        "uid": "waf",
        "description": "Made by `waf-compile reference dashboard`; edit compiler/src/reference/dashboard.rs instead.",
        "tags": ["waf"],
        "schemaVersion": 39,
        "version": 1,
        "editable": true,
        "refresh": "30s",
        "time": { "from": "now-3h", "to": "now" },
        "templating": { "list": [
            { "name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source" },
            {
                "name": "route", "type": "query", "label": "Route", "datasource": datasource,
                "query": format!("label_values({requests}, route)"), "definition": format!("label_values({requests}, route)"),
                "refresh": 2, "includeAll": true, "allValue": ".*", "multi": true,
                "current": { "selected": true, "text": ["All"], "value": ["$__all"] },
            },
        ] },
        "panels": panels,
    });
    format!("{board:#}\n")
}

impl Panel {
    fn json(self, id: usize, x: usize, y: usize) -> Value {
        let targets: Vec<Value> = self
            .queries
            .into_iter()
            .zip('A'..='Z')
            .map(|((expression, legend), letter)| {
                json!({ "refId": letter.to_string(), "expr": expression, "legendFormat": legend })
            })
            .collect();
        json!({
            "id": id,
            "type": self.kind,
            "title": self.title,
            "description": self.description,
            "datasource": { "type": "prometheus", "uid": "${datasource}" },
            "gridPos": { "h": PANEL_HEIGHT, "w": self.width, "x": x, "y": y },
            "fieldConfig": { "defaults": { "unit": self.unit, "min": 0 }, "overrides": [] },
            "targets": targets,
        })
    }
}

/// The description of a panel is that of its metric.
fn panel(
    title: &'static str,
    (kind, width): (&'static str, usize),
    unit: &'static str,
    of: Name,
    queries: Vec<(String, &'static str)>,
) -> Panel {
    Panel { title, description: of.row().help.to_owned(), kind, unit, width, queries }
}

const LINES: (&str, usize) = ("timeseries", 12);
const FIGURE: (&str, usize) = ("stat", 6);

fn all() -> Vec<Panel> {
    let mut panels = Vec::new();
    for of in [of_the_service, of_requests, of_time, of_parts, of_operation] {
        panels.extend(of());
    }
    // What is left of the counters of a route has a panel each: a new one needs no work here.
    for (_, name, _) in RouteCounter::ALL {
        let shown = matches!(name, Name::Requests | Name::UpstreamErrors);
        if !shown && panels.iter().all(|panel| panel.title != name.row().text) {
            let unit = if text(*name).ends_with("_bytes_total") { "Bps" } else { "reqps" };
            panels.push(panel(
                text(*name),
                LINES,
                unit,
                *name,
                vec![(rate(*name, &name.row().labels.join(", ")), "{{route}}")],
            ));
        }
    }
    panels
}

fn text(name: Name) -> &'static str {
    name.row().text
}

fn rate(name: Name, by: &str) -> String {
    format!("sum by ({by}) (rate({}{{route=~\"$route\"}}[$__rate_interval]))", text(name))
}

fn total(name: Name) -> String {
    format!("sum(rate({}[$__rate_interval]))", text(name))
}

fn quantiles(of: Name) -> Vec<(String, &'static str)> {
    let quantile = |share: &str| {
        format!(
            "histogram_quantile({share}, sum by (le) (rate({}_bucket{{route=~\"$route\"}}[$__rate_interval])))",
            text(of)
        )
    };
    vec![(quantile("0.5"), "p50"), (quantile("0.95"), "p95"), (quantile("0.99"), "p99")]
}

/// Figures at the top: load, plans, what is missing.
fn of_the_service() -> Vec<Panel> {
    vec![
        panel("Requests a second", FIGURE, "reqps", Name::Requests, vec![(total(Name::Requests), "")]),
        panel(
            "In flight",
            FIGURE,
            "short",
            Name::RequestsInFlight,
            vec![(format!("sum({})", text(Name::RequestsInFlight)), "")],
        ),
        panel(
            "Plans in force",
            FIGURE,
            "short",
            Name::PlanInfo,
            vec![(format!("count(count by (plan) ({}))", text(Name::PlanInfo)), "")],
        ),
        panel(
            "Degraded",
            FIGURE,
            "short",
            Name::Degraded,
            vec![(format!("max by (what) ({}) > 0", text(Name::Degraded)), "{{what}}")],
        ),
    ]
}

/// Requests by what was done with them.
fn of_requests() -> Vec<Panel> {
    vec![
        panel(
            "Requests by action",
            LINES,
            "reqps",
            Name::Requests,
            vec![(rate(Name::Requests, "action"), "{{action}}")],
        ),
        panel(
            "Requests by route",
            LINES,
            "reqps",
            Name::Requests,
            vec![(rate(Name::Requests, "route"), "{{route}}")],
        ),
        panel(
            "Blocked by protection",
            LINES,
            "reqps",
            Name::RequestsBlocked,
            vec![(rate(Name::RequestsBlocked, "protection"), "{{protection}}")],
        ),
        panel(
            "Detected by protection",
            LINES,
            "reqps",
            Name::DetectedThreats,
            vec![(rate(Name::DetectedThreats, "protection"), "{{protection}}")],
        ),
    ]
}

/// Durations and costs.
fn of_time() -> Vec<Panel> {
    vec![
        panel("Duration of requests", LINES, "s", Name::RequestDuration, quantiles(Name::RequestDuration)),
        panel(
            "Duration of inspections",
            LINES,
            "s",
            Name::InspectionDuration,
            quantiles(Name::InspectionDuration),
        ),
        panel(
            "Cost of inspection by family",
            LINES,
            "percentunit",
            Name::InspectionSeconds,
            vec![(
                format!("sum by (family) (rate({}[$__rate_interval]))", text(Name::InspectionSeconds)),
                "{{family}}",
            )],
        ),
    ]
}

/// Upstreams, audit events and workers.
fn of_parts() -> Vec<Panel> {
    vec![
        panel(
            "Failures of upstreams",
            LINES,
            "reqps",
            Name::UpstreamErrors,
            vec![(rate(Name::UpstreamErrors, "route, kind"), "{{route}} {{kind}}")],
        ),
        panel(
            "Addresses of upstreams",
            LINES,
            "short",
            Name::UpstreamEndpoints,
            vec![(
                format!("sum by (upstream, state) ({})", text(Name::UpstreamEndpoints)),
                "{{upstream}} {{state}}",
            )],
        ),
        panel(
            "Audit events",
            LINES,
            "short",
            Name::AuditEvents,
            vec![
                (total(Name::AuditEvents), "written a second"),
                (total(Name::AuditRefused), "requests refused a second"),
                (total(Name::AuditBackpressure), "requests waiting"),
                (total(Name::AccessLogDropped), "lines of the access log dropped a second"),
            ],
        ),
        panel(
            "Workers",
            LINES,
            "short",
            Name::Workers,
            vec![
                (format!("sum({})", text(Name::Workers)), "serving"),
                (format!("sum(increase({}[$__rate_interval]))", text(Name::WorkerRestarts)), "restarts"),
                (
                    format!("sum(increase({}[$__rate_interval]))", text(Name::InternalErrors)),
                    "internal errors",
                ),
            ],
        ),
    ]
}

/// Reloads, certificates, exceptions and second plans.
fn of_operation() -> Vec<Panel> {
    vec![
        panel(
            "Reloads",
            LINES,
            "short",
            Name::ConfigReload,
            vec![(
                format!("sum by (result) (increase({}[$__rate_interval]))", text(Name::ConfigReload)),
                "{{result}}",
            )],
        ),
        panel(
            "Certificates, seconds left",
            LINES,
            "s",
            Name::CertificateExpiry,
            vec![
                (format!("min by (host) ({}) - time()", text(Name::CertificateExpiry)), "{{host}}"),
                (
                    format!(
                        "sum by (host) (increase({}[$__rate_interval]))",
                        text(Name::CertificateFailures)
                    ),
                    "{{host}} failures",
                ),
            ],
        ),
        panel(
            "Requests that an exception spared an event",
            LINES,
            "reqps",
            Name::Exceptions,
            vec![(rate(Name::Exceptions, "route, exception"), "{{route}} {{exception}}")],
        ),
        panel(
            "Decisions of a second plan",
            LINES,
            "reqps",
            Name::ShadowDifferences,
            vec![
                (rate(Name::ShadowDifferences, "route, rule, decision"), "{{route}} {{rule}} {{decision}}"),
                (
                    format!("sum by (result) (rate({}[$__rate_interval]))", text(Name::ShadowRequests)),
                    "judged: {{result}}",
                ),
            ],
        ),
    ]
}
