//! Sums of reports, as they are shown.

use waf_shared::metrics::{Hit, Spared, TABLE, UpstreamReport};

use super::*;

const ONE: WorkerId = WorkerId(1);
const TWO: WorkerId = WorkerId(2);

fn metrics(routes: &[&str]) -> Arc<Metrics> {
    let metrics = Metrics::new(Arc::new(Counters::default()));
    in_force(&metrics, routes);
    metrics
}

fn in_force(metrics: &Metrics, routes: &[&str]) {
    let routes: Vec<_> = routes.iter().map(|route| (*route, Vec::new())).collect();
    excepting(metrics, &routes);
}

fn excepting(metrics: &Metrics, routes: &[(&str, Vec<&str>)]) {
    metrics.in_force(Digest([7; 32]), &routes.iter().cloned().collect(), SystemTime::UNIX_EPOCH);
}

fn requests(route: &str, allowed: u64) -> Report {
    let mut counters = vec![0; RouteCounter::COUNT];
    counters[RouteCounter::Allowed as usize] = allowed;
    let mut requests = Observed { sum_nanoseconds: 1_500_000 * allowed, buckets: vec![0; 16] };
    requests.buckets[2] = allowed;
    let hit = Hit { protection: "sql-injection-generic".into(), blocked: 1, detected: 0 };
    let route = RouteReport {
        route: route.to_owned(),
        counters,
        requests,
        hits: vec![hit],
        ..RouteReport::default()
    };
    Report { now: Some(Now { in_flight: allowed, degraded: 0 }), routes: vec![route], ..Report::default() }
}

fn shown(metrics: &Arc<Metrics>, sample: &str) -> Option<String> {
    let text = exposition::openmetrics(metrics);
    text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' ').map(str::to_owned))
}

#[test]
fn sums_outlive_the_workers_that_reported_them() {
    let metrics = metrics(&["shop"]);
    let sample = r#"waf_requests_total{route="shop",action="allowed"}"#;
    metrics.counted(ONE, &requests("shop", 2));
    metrics.counted(TWO, &requests("shop", 3));
    assert_eq!(shown(&metrics, sample).as_deref(), Some("5"));
    assert_eq!(shown(&metrics, "waf_requests_in_flight").as_deref(), Some("5"));
    metrics.gone(ONE);
    assert_eq!(shown(&metrics, sample).as_deref(), Some("5"));
    assert_eq!(shown(&metrics, "waf_requests_in_flight").as_deref(), Some("3"));
    let bucket = r#"waf_request_duration_seconds_bucket{le="0.0025",route="shop"}"#;
    assert_eq!(shown(&metrics, bucket).as_deref(), Some("5"));
    let hits = r#"waf_requests_blocked_total{route="shop",protection="sql-injection-generic"}"#;
    assert_eq!(shown(&metrics, hits).as_deref(), Some("2"));
}

#[test]
fn a_route_is_shown_for_as_long_as_the_plan_has_it() {
    let metrics = metrics(&["shop", "old"]);
    let sample = |route: &str| format!(r#"waf_requests_total{{route="{route}",action="allowed"}}"#);
    for route in ["shop", "old", "-", "unknown"] {
        metrics.counted(ONE, &requests(route, 1));
    }
    assert_eq!(shown(&metrics, &sample("unknown")), None, "labels come from the plan");
    in_force(&metrics, &["shop", "new"]);
    let values = ["shop", "old", "new", "-"].map(|route| shown(&metrics, &sample(route)));
    assert_eq!(values.each_ref().map(Option::as_deref), [Some("1"), None, Some("0"), Some("1")]);
    metrics.counted(ONE, &requests("old", 1));
    assert_eq!(shown(&metrics, &sample("old")), None);
}

#[test]
fn exceptions_are_shown_from_the_start_and_for_as_long_as_the_plan_has_them() {
    let metrics = metrics(&[]);
    excepting(&metrics, &[("shop", vec!["old", "kept"]), ("blog", vec!["kept"])]);
    let sample =
        |route: &str, name: &str| format!(r#"waf_exceptions_total{{route="{route}",exception="{name}"}}"#);
    let spared =
        ["old", "kept", "unknown"].map(|name| Spared { exception: name.to_owned(), requests: 3 }).to_vec();
    let route = RouteReport { route: "shop".into(), spared, ..RouteReport::default() };
    metrics.counted(ONE, &Report { routes: vec![route], ..Report::default() });
    let value = |route: &str, name: &str| shown(&metrics, &sample(route, name));
    assert_eq!(value("shop", "kept").as_deref(), Some("3"));
    assert_eq!(value("blog", "kept").as_deref(), Some("0"), "a first use is an increase");
    assert_eq!(value("shop", "unknown"), None, "labels come from the plan");
    excepting(&metrics, &[("shop", vec!["kept", "new"])]);
    assert_eq!(value("shop", "kept").as_deref(), Some("3"));
    assert_eq!((value("shop", "old"), value("blog", "kept")), (None, None));
    assert_eq!(value("shop", "new").as_deref(), Some("0"));
}

#[test]
fn every_metric_is_shown_in_both_formats() {
    let metrics = metrics(&["shop"]);
    let new = exposition::openmetrics(&metrics);
    assert!(new.ends_with("# EOF\n"));
    let old = exposition::prometheus(&new);
    assert!(!old.contains("# EOF") && !old.contains("# UNIT"));
    for row in TABLE {
        assert!(old.contains(&format!("# HELP {} {}\n", row.text, row.help)), "{}", row.text);
        let kind = if row.kind.as_str() == "info" { "gauge" } else { row.kind.as_str() };
        assert!(old.contains(&format!("# TYPE {} {kind}\n", row.text)), "{}", row.text);
        if row.labels.is_empty() {
            assert!(
                old.lines().any(|line| line.starts_with(&format!("{} ", row.text))),
                "from the start: {}",
                row.text
            );
        }
    }
    for line in old.lines().filter(|line| !line.starts_with('#')) {
        assert!(new.contains(line), "the samples are the same: {line}");
    }
    assert!(old.contains(&format!("waf_plan_info{{plan=\"{}\"}} 1\n", "07".repeat(32))), "{old}");
}

#[test]
fn what_is_missing_is_shown_whoever_knows_it() {
    let metrics = metrics(&["shop"]);
    let value = |what: &str| shown(&metrics, &format!(r#"waf_degraded{{what="{what}"}}"#));
    assert_eq!(value("spooling").as_deref(), Some("0"));
    let now = Some(Now { in_flight: 0, degraded: Degraded::Spooling.bit() });
    metrics.counted(ONE, &Report { now, ..Report::default() });
    metrics.serving(1, false);
    metrics.counters.audit_is_broken.set(true);
    for what in ["spooling", "workers", "audit"] {
        assert_eq!(value(what).as_deref(), Some("1"), "{what}");
    }
    metrics.counters.audit_is_broken.set(false);
    assert_eq!(value("audit").as_deref(), Some("0"));
    let waits = metrics.counters.audit_waiting.begin();
    assert_eq!(value("audit").as_deref(), Some("1"), "a full queue");
    drop(waits);
    assert_eq!(value("audit").as_deref(), Some("0"));
    metrics.gone(ONE);
    metrics.serving(2, true);
    assert_eq!((value("spooling").as_deref(), value("workers").as_deref()), (Some("0"), Some("0")));
    assert_eq!(value("configuration").as_deref(), Some("0"));
}

#[test]
fn addresses_are_those_of_the_worker_that_leaves_out_most() {
    let metrics = metrics(&["shop"]);
    let know = |worker, available, left_out| {
        let endpoints = EndpointCounts { available, left_out };
        let upstreams = vec![UpstreamReport { upstream: "http://shop".into(), endpoints }];
        metrics.counted(worker, &Report { upstreams, ..Report::default() });
    };
    let value = |state: &str| {
        shown(&metrics, &format!(r#"waf_upstream_endpoints{{upstream="http://shop",state="{state}"}}"#))
    };
    let values = || [value("available"), value("left_out")].map(Option::unwrap_or_default);
    assert_eq!(values(), ["", ""], "nothing has been resolved");
    know(ONE, 3, 0);
    assert_eq!(values(), ["3", "0"]);
    know(TWO, 2, 1);
    assert_eq!(values(), ["2", "1"]);
    metrics.gone(TWO);
    assert_eq!(values(), ["3", "0"], "a dead worker knows nothing");
    know(TWO, 1, 2);
    know(TWO, 4, 0);
    assert_eq!(values(), ["4", "0"]);
    know(ONE, 0, 0);
    know(TWO, 0, 0);
    assert_eq!(values(), ["", ""], "no plan names it");
}

#[test]
fn a_report_of_another_shape_does_no_harm() {
    let metrics = metrics(&["shop"]);
    let route = RouteReport { route: "shop".into(), counters: vec![1; 99], ..RouteReport::default() };
    let report = Report {
        counters: vec![1; 99],
        families: vec![u64::MAX; 99],
        routes: vec![route],
        ..Report::default()
    };
    metrics.counted(ONE, &report);
    metrics.counted(ONE, &report);
    assert!(exposition::openmetrics(&metrics).ends_with("# EOF\n"));
}
