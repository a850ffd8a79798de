//! Counters of a worker, in memory: plain numbers by route, family and protection of the plan, which
//! [`Metrics::report`] hands out as they came since the last time. It knows no listener and no format.
//!
//! Threads count side by side: every number that a request touches stands once for each of a few lanes, and a thread
//! keeps to its own.

mod series;

mod upstreams;

pub use series::Series;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use waf_detection::cost::Cost;
use waf_shared::catalog;
use waf_shared::limits::{REPORT_ROUTES_MAX, REPORT_UPSTREAMS_MAX};
use waf_shared::metrics::{self, Degraded, EndpointCounts, Now, Report, WorkerCounter};

use self::upstreams::Upstreams;

/// Lanes at most; more threads share them.
const LANES_MAX: usize = 16;

/// The counters of a worker. They outlive its plans: a route counts on for as long as a plan has it.
#[derive(Debug)]
pub struct Metrics {
    lanes: Box<[Lane]>,
    routes: Mutex<BTreeMap<String, Arc<Series>>>,
    no_route: Arc<Series>,
    counters: [AtomicU64; WorkerCounter::COUNT],
    degraded: AtomicU32,
    reported: Mutex<Now>,
    upstreams: Upstreams,
}

/// Counters of one thread whatever the route. Aligned, so that lanes lie on cache lines of their own.
#[derive(Debug)]
#[repr(align(128))]
struct Lane {
    in_flight: AtomicI64,
    /// Nanoseconds by [`metrics::families`].
    families: Box<[AtomicU64]>,
}

impl Metrics {
    /// Counters for a worker of so many threads.
    pub fn new(threads: usize) -> Arc<Metrics> {
        let lanes = threads.clamp(1, LANES_MAX);
        let families = metrics::families().len();
        let lane = || Lane { in_flight: AtomicI64::new(0), families: zeros(families) };
        Arc::new(Metrics {
            lanes: (0..lanes).map(|_| lane()).collect(),
            routes: Mutex::default(),
            no_route: Arc::new(Series::new(metrics::NONE, lanes)),
            counters: [const { AtomicU64::new(0) }; WorkerCounter::COUNT],
            degraded: AtomicU32::new(0),
            reported: Mutex::default(),
            upstreams: Upstreams::default(),
        })
    }

    /// The series of a route, which goes on where another plan has the route too.
    pub fn series(&self, route: &str) -> Arc<Series> {
        let mut routes = lock(&self.routes);
        if let Some(known) = routes.get(route) {
            return Arc::clone(known);
        }
        let series = Arc::new(Series::new(route, self.lanes.len()));
        routes.insert(route.to_owned(), Arc::clone(&series));
        series
    }

    /// The series of what has no route.
    pub(crate) fn no_route(&self) -> &Arc<Series> {
        &self.no_route
    }

    /// Counts what has no route to count by.
    pub(crate) fn add(&self, counter: WorkerCounter, more: u64) {
        self.counters[counter as usize].fetch_add(more, Ordering::Relaxed);
    }

    /// A request begins; [`Metrics::left`] ends it.
    pub fn entered(&self) {
        self.lane().in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// A request has ended, on any thread.
    pub fn left(&self) {
        self.lane().in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts what an inspection took by family, and what is left of it as shared.
    pub fn inspected(&self, cost: &Cost) {
        let lane = self.lane();
        let mut shared = cost.total();
        for (family, time) in cost.families() {
            shared = shared.saturating_sub(time);
            if let Some(sum) = lane.families.get(family) {
                sum.fetch_add(nanoseconds(time), Ordering::Relaxed);
            }
        }
        self.inspected_by_all(shared);
    }

    /// Counts time that the checks of `family` took beside an inspection.
    pub fn inspected_by(&self, family: &str, time: Duration) {
        let at = catalog::families().iter().position(|known| *known == family);
        if let Some(sum) = at.and_then(|at| self.lane().families.get(at)) {
            sum.fetch_add(nanoseconds(time), Ordering::Relaxed);
        }
    }

    /// Counts time of inspection that no family took alone.
    pub fn inspected_by_all(&self, time: Duration) {
        if let Some(sum) = self.lane().families.get(catalog::families().len()) {
            sum.fetch_add(nanoseconds(time), Ordering::Relaxed);
        }
    }

    /// Says whether something is missing that the worker can do without.
    pub(crate) fn degrade(&self, what: Degraded, is_missing: bool) {
        // Looked at first: writing what stands there already would only take the cache line from other threads.
        if (self.degraded.load(Ordering::Relaxed) & what.bit() != 0) != is_missing {
            if is_missing {
                self.degraded.fetch_or(what.bit(), Ordering::Relaxed);
            } else {
                self.degraded.fetch_and(!what.bit(), Ordering::Relaxed);
            }
        }
    }

    /// Takes the state of the upstreams of the plan in force, whole.
    pub(crate) fn set_upstreams(&self, upstreams: BTreeMap<String, EndpointCounts>) {
        self.upstreams.set(upstreams);
    }

    /// The counts since the last report, in as many reports as they take; none when nothing was counted.
    pub fn report(&self) -> Vec<Report> {
        let mut series: Vec<Arc<Series>> = vec![Arc::clone(&self.no_route)];
        {
            let mut routes = lock(&self.routes);
            series.extend(routes.values().cloned());
            // A route that no plan holds any more has counted its last request: this report is its last. Ours is the
            // second reference.
            routes.retain(|_, series| Arc::strong_count(series) > 2);
        }
        let mut routes: Vec<_> = series.iter().filter_map(|series| series.take()).collect();
        let mut first = Report { now: self.now(), ..Report::default() };
        first.counters = taken(self.counters.iter().map(|counter| counter.swap(0, Ordering::Relaxed)));
        let family = |at: usize| -> u64 {
            let lanes = self.lanes.iter().filter_map(|lane| lane.families.get(at));
            lanes.map(|sum| sum.swap(0, Ordering::Relaxed)).sum()
        };
        first.families = taken((0..=catalog::families().len()).map(family));
        first.routes = routes.drain(..routes.len().min(REPORT_ROUTES_MAX)).collect();
        let mut upstreams = self.upstreams.take();
        first.upstreams = upstreams.drain(..upstreams.len().min(REPORT_UPSTREAMS_MAX)).collect();
        let mut reports = Vec::new();
        if first != Report::default() {
            reports.push(first);
        }
        while !routes.is_empty() || !upstreams.is_empty() {
            reports.push(Report {
                routes: routes.drain(..routes.len().min(REPORT_ROUTES_MAX)).collect(),
                upstreams: upstreams.drain(..upstreams.len().min(REPORT_UPSTREAMS_MAX)).collect(),
                ..Report::default()
            });
        }
        reports
    }

    /// The state of things, when that has changed.
    fn now(&self) -> Option<Now> {
        // Lanes are read one after the other: a request that changes threads meanwhile may be seen to leave first.
        let in_flight: i64 = self.lanes.iter().map(|lane| lane.in_flight.load(Ordering::Relaxed)).sum();
        let now = Now {
            in_flight: u64::try_from(in_flight).unwrap_or(0),
            degraded: self.degraded.load(Ordering::Relaxed),
        };
        let before = mem::replace(&mut *lock(&self.reported), now);
        (before != now).then_some(now)
    }

    fn lane(&self) -> &Lane {
        &self.lanes[lane(self.lanes.len())]
    }
}

/// The lane of this thread, of so many.
fn lane(lanes: usize) -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static THREAD: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    let thread = THREAD.with(|thread| {
        if thread.get() == usize::MAX {
            thread.set(THREADS.fetch_add(1, Ordering::Relaxed));
        }
        thread.get()
    });
    thread % lanes.max(1)
}

/// A cheap clock for the cost of inspections: time since the first look at it.
pub(crate) fn watch() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// CPU time of this thread: the clock of `evaluation_timeout`.
pub(crate) fn thread_cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The numbers; nothing when all are zero.
fn taken(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let numbers: Vec<u64> = numbers.collect();
    if numbers.iter().all(|number| *number == 0) { Vec::new() } else { numbers }
}

fn zeros(count: usize) -> Box<[AtomicU64]> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

/// Counting goes on whatever happened to another thread.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use waf_shared::catalog::{Leaf, LeafSet};
    use waf_shared::metrics::{RouteCounter, Spared};

    use super::*;

    #[test]
    fn a_report_says_what_came_since_the_last_one() {
        let metrics = Metrics::new(2);
        assert!(metrics.report().is_empty());
        let shop = metrics.series("shop");
        shop.add(RouteCounter::Allowed, 2);
        shop.request(Duration::from_millis(3));
        shop.request(Duration::from_mins(1));
        shop.inspection(Duration::from_micros(10));
        shop.blocked(["sql-injection-generic"].into_iter());
        let exception: Arc<str> = "sql-injection in ARGS:q".into();
        shop.spared([&exception, &exception].into_iter());
        metrics.no_route().add(RouteCounter::Blocked, 1);
        metrics.add(WorkerCounter::AuditRefused, 1);
        metrics.entered();
        let reports = metrics.report();
        let [report] = reports.as_slice() else { panic!("one report: {reports:?}") };
        assert_eq!(report.now, Some(Now { in_flight: 1, degraded: 0 }));
        assert_eq!(report.counters[WorkerCounter::AuditRefused as usize], 1);
        let [none, shop_report] = report.routes.as_slice() else { panic!("two routes: {report:?}") };
        assert_eq!((none.route.as_str(), none.counters[RouteCounter::Blocked as usize]), ("-", 1));
        assert_eq!(
            (shop_report.route.as_str(), shop_report.counters[RouteCounter::Allowed as usize]),
            ("shop", 2)
        );
        let requests = &shop_report.requests;
        assert_eq!(requests.sum_nanoseconds, 60_003_000_000);
        assert_eq!((requests.buckets[3], requests.buckets.last()), (1, Some(&1)), "{requests:?}");
        assert_eq!(shop_report.inspections.buckets[0], 1, "a bound belongs to its bucket");
        assert_eq!((shop_report.hits[0].blocked, shop_report.hits[0].detected), (1, 0));
        let spared = Spared { exception: exception.to_string(), requests: 2 };
        assert_eq!(shop_report.spared, [spared]);
        assert!(metrics.report().is_empty(), "nothing is said twice");
        metrics.left();
        assert_eq!(metrics.report()[0].now, Some(Now::default()));
    }

    #[test]
    fn a_route_goes_on_until_no_plan_has_it() {
        let metrics = Metrics::new(1);
        let old = metrics.series("shop");
        let new = metrics.series("shop");
        old.add(RouteCounter::Allowed, 1);
        new.add(RouteCounter::Allowed, 1);
        drop(old);
        assert_eq!(metrics.report()[0].routes[0].counters[RouteCounter::Allowed as usize], 2);
        new.add(RouteCounter::Allowed, 1);
        drop(new);
        assert_eq!(metrics.report()[0].routes.len(), 1, "what it counted last is not lost");
        assert!(lock(&metrics.routes).is_empty());
    }

    #[test]
    fn many_routes_take_many_reports() {
        let metrics = Metrics::new(1);
        let series: Vec<_> = (0..=REPORT_ROUTES_MAX * 2).map(|n| metrics.series(&format!("r{n}"))).collect();
        for series in &series {
            series.add(RouteCounter::Allowed, 1);
        }
        let counts: Vec<_> = metrics.report().iter().map(|report| report.routes.len()).collect();
        assert_eq!(counts, [REPORT_ROUTES_MAX, REPORT_ROUTES_MAX, 1]);
    }

    #[test]
    fn threads_are_added_up() {
        let metrics = Metrics::new(4);
        let series = metrics.series("shop");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        metrics.entered();
                        series.add(RouteCounter::Allowed, 1);
                        series.request(Duration::from_millis(1));
                        series.detected(LeafSet::defaults().iter().take(2).map(Leaf::name));
                        metrics.left();
                    }
                });
            }
        });
        let reports = metrics.report();
        let report = &reports[0].routes[0];
        assert_eq!(report.counters[RouteCounter::Allowed as usize], 8_000);
        assert_eq!(report.requests.buckets.iter().sum::<u64>(), 8_000);
        assert_eq!(report.hits.iter().map(|hit| hit.detected).sum::<u64>(), 16_000);
        assert_eq!(reports[0].now, None, "nobody is in flight, as before");
    }

    #[test]
    fn being_degraded_begins_and_ends() {
        let metrics = Metrics::new(1);
        metrics.degrade(Degraded::Spooling, true);
        assert_eq!(metrics.report()[0].now.map(|now| now.degraded), Some(Degraded::Spooling.bit()));
        metrics.degrade(Degraded::Spooling, true);
        assert!(metrics.report().is_empty());
        metrics.degrade(Degraded::Spooling, false);
        assert_eq!(metrics.report()[0].now.map(|now| now.degraded), Some(0));
    }
}
