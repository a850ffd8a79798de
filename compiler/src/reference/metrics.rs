//! `docs/metrics.md`, from the table of metrics.

use std::fmt::Write as _;

use waf_shared::limits::REPORT_SECONDS;
use waf_shared::metrics::{Degraded, MetricKind, RouteCounter, Source, TABLE, families};

use super::cell::cell;

/// The page.
pub fn metrics() -> String {
    let mut out = format!(
        "# Metrics\n\n\
         <!-- Made by `waf-compile reference metrics`; edit the table in shared/src/metrics.rs instead. -->\n\n\
         ```sh\n\
         curl -s http://localhost:9091/metrics       # where the configuration says `metrics_port: 9091`\n\
         waf top                                     # the same for people, in the terminal\n\
         ```\n\n\
         `metrics_port` serves `GET /metrics`: OpenMetrics 1.0 to scrapers that ask for it, the text format 0.0.4 of\n\
         Prometheus to others. The listener is apart from traffic and asks for no password: keep the port inside.\n\
         [../ops/alerts.yaml](../ops/alerts.yaml) are alert rules for Prometheus, [../ops/dashboard.json](../ops/dashboard.json)\n\
         is a dashboard for Grafana.\n\n\
         To look without either: `waf top` (the port of `--config FILE`, or `--url URL`) shows requests and blocks a second, by protection and\n\
         by route, quantiles of latency, the plan and its age, workers, and what is degraded, in the terminal it is started in.\n\
         `q` quits. What stands behind it is the last ten seconds, or the time between two looks (`--interval`, 2 s) where that is\n\
         longer. `--once` prints one look as plain text, with totals since the service began, for scripts. It speaks plain HTTP\n\
         alone, as the endpoint does; exit status 1 and one line on stderr say what cannot be seen and why.\n\n\
         - Workers count in memory and report once every {REPORT_SECONDS} s; the supervisor adds up. A worker that dies takes\n  \
           at most what it counted since its last report; sums never go back.\n\
         - Labels come from the configuration and the catalog, never from a client. A route's series go on over reloads for\n  \
           as long as the configuration has the route, and go with it.\n\
         - Counters of a route exist from the start; a histogram with its first request, and\n  \
           `waf_requests_blocked_total` and `waf_detected_threats_total` with the first request of a protection.\n\
         - One request may count for several protections: what its audit event names. A request that was refused with 503\n  \
           because its event could not be written counts as blocked, and for no protection.\n\n\
         | Metric | Type | Labels | From | Meaning |\n|---|---|---|---|---|\n"
    );
    for row in TABLE {
        let labels: Vec<String> = row.labels.iter().map(|label| format!("`{label}`")).collect();
        let from = match row.source {
            Source::Workers => "workers",
            Source::Supervisor => "supervisor",
        };
        let labels = if labels.is_empty() { "–".to_owned() } else { labels.join(", ") };
        let _ = writeln!(
            out,
            "| `{}` | {} | {labels} | {from} | {} |",
            row.text,
            row.kind.as_str(),
            cell(row.help)
        );
    }
    labels(&mut out);
    out.push_str("\n## Buckets\n\n");
    for row in TABLE {
        if let MetricKind::Histogram(bounds) = row.kind {
            let bounds: Vec<String> = bounds.iter().map(|bound| seconds(*bound)).collect();
            let _ = writeln!(out, "- `{}`: {} seconds.", row.text, bounds.join(", "));
        }
    }
    out
}

/// Values of labels.
fn labels(out: &mut String) {
    out.push_str("\n## Values of labels\n\n");
    out.push_str("- `route`: ids of the configuration, and `-` for requests that have no route (yet).\n");
    out.push_str("- `protection`: leaves of the catalog (`waf-compile catalog`).\n");
    out.push_str(
        "- `exception`: what an exception takes away and where, made from its entry: `sql-injection in ARGS:query`, with the\n  \
           number of further names and places (`+2`). Every exception of a route is shown from the start.\n",
    );
    let last = |metric| {
        let counters = RouteCounter::ALL.iter().filter(move |(_, name, _)| *name == metric);
        counters.map(|(_, _, value)| format!("`{value}`")).collect::<Vec<_>>().join(", ")
    };
    for row in TABLE {
        let values = last(row.name);
        if let (Some(label), 2) = (row.labels.last(), row.labels.len())
            && !values.is_empty()
        {
            let _ = writeln!(out, "- `{label}` of `{}`: {values}.", row.text);
        }
    }
    let _ = writeln!(out, "- `upstream`: scheme and authority of an upstream of the configuration.");
    let _ = writeln!(
        out,
        "- `state` of `{}`: `available`, `left_out`.",
        waf_shared::metrics::Name::UpstreamEndpoints.row().text
    );
    let families: Vec<String> = families().into_iter().map(|family| format!("`{family}`")).collect();
    let _ = writeln!(out, "- `family`: {}.", families.join(", "));
    out.push_str("\n| `what` of `waf_degraded` | Meaning |\n|---|---|\n");
    for (_, what, help) in Degraded::ALL {
        let _ = writeln!(out, "| `{what}` | {} |", cell(help));
    }
}

fn seconds(nanoseconds: u64) -> String {
    format!("{}", std::time::Duration::from_nanos(nanoseconds).as_secs_f64())
}
