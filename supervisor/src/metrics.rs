//! Content of `/metrics`: sums of the workers' reports, and the supervisor's own figures. A worker's death takes
//! nothing away, since it reported differences. It knows no sockets; their form is the part of [`exposition`].

pub mod endpoint;
mod exposition;
mod shadow;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use waf_shared::control::ShadowReport;
use waf_shared::metrics::{
    self, Degraded, INSPECTION_BUCKETS, Now, Observed, REQUEST_BUCKETS, Report, RouteCounter, RouteReport,
    WorkerCounter,
};
use waf_shared::plan::Digest;

use crate::counters::Counters;
use crate::rollout::WorkerId;
use shadow::ShadowSums;

/// The figures, shared between who reports and who shows them.
#[derive(Debug)]
pub struct Metrics {
    sums: Mutex<Sums>,
    counters: Arc<Counters>,
}

/// All sums. Routes are those of the plan in force, and what has none.
#[derive(Debug)]
struct Sums {
    plan: Option<Digest>,
    in_force_since: Option<SystemTime>,
    routes: BTreeMap<String, Route>,
    /// By [`WorkerCounter`].
    counters: [u64; WorkerCounter::COUNT],
    /// Nanoseconds by [`metrics::families`].
    families: Vec<u64>,
    /// Of a second plan.
    shadow: ShadowSums,
    /// State of each living worker.
    workers: BTreeMap<WorkerId, Now>,
    serving: usize,
    /// Bits of [`Degraded`] that the supervisor knows of.
    degraded: u32,
}

#[derive(Debug)]
struct Route {
    /// By [`RouteCounter`].
    counters: [u64; RouteCounter::COUNT],
    requests: Histogram,
    inspections: Histogram,
    /// By protection: in blocked and in detected requests.
    hits: BTreeMap<String, Hits>,
    /// By exception of the plan in force.
    spared: BTreeMap<String, u64>,
}

#[derive(Debug, Default)]
struct Hits {
    blocked: u64,
    detected: u64,
}

#[derive(Debug)]
struct Histogram {
    sum_nanoseconds: u64,
    /// The last bucket is for what is above every bound.
    buckets: Vec<u64>,
}

impl Metrics {
    /// Zeros.
    pub fn new(counters: Arc<Counters>) -> Arc<Metrics> {
        let sums = Sums {
            plan: None,
            in_force_since: None,
            routes: BTreeMap::from([(metrics::NONE.to_owned(), Route::default())]),
            counters: [0; WorkerCounter::COUNT],
            families: vec![0; metrics::families().len()],
            shadow: ShadowSums::default(),
            workers: BTreeMap::new(),
            serving: 0,
            degraded: 0,
        };
        Arc::new(Metrics { sums: Mutex::new(sums), counters })
    }

    /// A plan came into force: its routes, with their exceptions, are shown from now on, and no others.
    pub fn in_force(&self, plan: Digest, routes: &BTreeMap<&str, Vec<&str>>, now: SystemTime) {
        let mut sums = self.lock();
        sums.plan = Some(plan);
        sums.in_force_since = Some(now);
        sums.routes.retain(|route, _| route == metrics::NONE || routes.contains_key(route.as_str()));
        sums.shadow.keep(|route| routes.contains_key(route));
        for (route, exceptions) in routes {
            let shown = sums.routes.entry((*route).to_owned()).or_default();
            shown.spared.retain(|name, _| exceptions.contains(&name.as_str()));
            for exception in exceptions {
                shown.spared.entry((*exception).to_owned()).or_default();
            }
        }
    }

    /// Adds what a worker counted. What came to a route that the plan in force does not have is passed over.
    pub fn counted(&self, worker: WorkerId, report: &Report) {
        let mut sums = self.lock();
        if let Some(now) = report.now {
            sums.workers.insert(worker, now);
        }
        add(&mut sums.counters, &report.counters);
        add(&mut sums.families, &report.families);
        for counted in &report.routes {
            if let Some(route) = sums.routes.get_mut(&counted.route) {
                route.add(counted);
            }
        }
    }

    /// Adds what a worker counted of a second plan.
    pub fn shadowed(&self, report: &ShadowReport) {
        self.lock().shadow.add(report);
    }

    /// A worker is dead: nothing is in flight in it any more.
    pub fn gone(&self, worker: WorkerId) {
        self.lock().workers.remove(&worker);
    }

    /// So many workers serve, and whether that is all that are wanted.
    pub fn serving(&self, workers: usize, is_complete: bool) {
        let mut sums = self.lock();
        sums.serving = workers;
        sums.degrade(Degraded::Workers, !is_complete);
    }

    /// Says whether something is missing that the supervisor knows of.
    pub fn degrade(&self, what: Degraded, is_missing: bool) {
        self.lock().degrade(what, is_missing);
    }

    fn lock(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sums {
    fn degrade(&mut self, what: Degraded, is_missing: bool) {
        if is_missing {
            self.degraded |= what.bit();
        } else {
            self.degraded &= !what.bit();
        }
    }

    fn in_flight(&self) -> u64 {
        self.workers.values().map(|now| now.in_flight).sum()
    }

    fn is_degraded(&self, what: Degraded) -> bool {
        let workers = self.workers.values().fold(0, |all, now| all | now.degraded);
        (self.degraded | workers) & what.bit() != 0
    }
}

impl Default for Route {
    fn default() -> Route {
        Route {
            counters: [0; RouteCounter::COUNT],
            requests: Histogram::of(REQUEST_BUCKETS),
            inspections: Histogram::of(INSPECTION_BUCKETS),
            hits: BTreeMap::new(),
            spared: BTreeMap::new(),
        }
    }
}

impl Route {
    fn add(&mut self, counted: &RouteReport) {
        add(&mut self.counters, &counted.counters);
        self.requests.add(&counted.requests);
        self.inspections.add(&counted.inspections);
        for hit in &counted.hits {
            let hits = self.hits.entry(hit.protection.clone()).or_default();
            hits.blocked = hits.blocked.saturating_add(hit.blocked);
            hits.detected = hits.detected.saturating_add(hit.detected);
        }
        for counted in &counted.spared {
            if let Some(sum) = self.spared.get_mut(&counted.exception) {
                *sum = sum.saturating_add(counted.requests);
            }
        }
    }
}

impl Histogram {
    fn of(bounds: &[u64]) -> Histogram {
        Histogram { sum_nanoseconds: 0, buckets: vec![0; bounds.len() + 1] }
    }

    fn add(&mut self, observed: &Observed) {
        self.sum_nanoseconds = self.sum_nanoseconds.saturating_add(observed.sum_nanoseconds);
        add(&mut self.buckets, &observed.buckets);
    }
}

/// Number by number, as far as both go.
fn add(sums: &mut [u64], more: &[u64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum = sum.saturating_add(*more);
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::metrics::{Hit, Spared, TABLE};

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
        Report {
            now: Some(Now { in_flight: allowed, degraded: 0 }),
            routes: vec![route],
            ..Report::default()
        }
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
        let sample = |route: &str, name: &str| {
            format!(r#"waf_exceptions_total{{route="{route}",exception="{name}"}}"#)
        };
        let spared = ["old", "kept", "unknown"]
            .map(|name| Spared { exception: name.to_owned(), requests: 3 })
            .to_vec();
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
    fn a_report_of_another_shape_does_no_harm() {
        let metrics = metrics(&["shop"]);
        let route = RouteReport { route: "shop".into(), counters: vec![1; 99], ..RouteReport::default() };
        let report =
            Report { counters: vec![1; 99], families: vec![u64::MAX; 99], routes: vec![route], now: None };
        metrics.counted(ONE, &report);
        metrics.counted(ONE, &report);
        assert!(exposition::openmetrics(&metrics).ends_with("# EOF\n"));
    }
}
