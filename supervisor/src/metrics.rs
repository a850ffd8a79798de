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
    self, Degraded, EndpointCounts, INSPECTION_BUCKETS, Now, Observed, REQUEST_BUCKETS, Report, RouteCounter,
    RouteReport, WorkerCounter,
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
    /// Addresses of upstreams as each living worker knows them.
    upstreams: BTreeMap<String, BTreeMap<WorkerId, EndpointCounts>>,
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
            upstreams: BTreeMap::new(),
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
        for reported in &report.upstreams {
            sums.set_endpoints(worker, &reported.upstream, reported.endpoints);
        }
    }

    /// Internal errors of all workers so far.
    pub fn internal_errors(&self) -> u64 {
        self.lock().counters[WorkerCounter::InternalErrors as usize]
    }

    /// Adds what a worker counted of a second plan.
    pub fn shadowed(&self, report: &ShadowReport) {
        self.lock().shadow.add(report);
    }

    /// A worker is dead: nothing is in flight in it any more.
    pub fn gone(&self, worker: WorkerId) {
        let mut sums = self.lock();
        sums.workers.remove(&worker);
        sums.upstreams.retain(|_, workers| {
            workers.remove(&worker);
            !workers.is_empty()
        });
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

    /// Takes what a worker knows of an upstream; without addresses it knows nothing of it.
    fn set_endpoints(&mut self, worker: WorkerId, upstream: &str, endpoints: EndpointCounts) {
        if endpoints != EndpointCounts::default() {
            self.upstreams.entry(upstream.to_owned()).or_default().insert(worker, endpoints);
        } else if let Some(workers) = self.upstreams.get_mut(upstream) {
            workers.remove(&worker);
            if workers.is_empty() {
                self.upstreams.remove(upstream);
            }
        }
    }

    /// Addresses of each upstream, of the worker that leaves out most.
    fn endpoints(&self) -> impl Iterator<Item = (&str, EndpointCounts)> {
        let worst = |workers: &BTreeMap<WorkerId, EndpointCounts>| workers.values().max().copied();
        self.upstreams
            .iter()
            .filter_map(move |(upstream, workers)| Some((upstream.as_str(), worst(workers)?)))
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
mod tests;
