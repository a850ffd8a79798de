//! The numbers of one route. A lane's are made when its first request comes, so that routes without traffic take next
//! to nothing. It knows no requests.

use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use waf_shared::metrics::{
    Hit, INSPECTION_BUCKETS, Observed, REQUEST_BUCKETS, RouteCounter, RouteReport, Spared,
};

use super::{lane, lock, nanoseconds, taken};

/// Counters of a route.
#[derive(Debug)]
pub struct Series {
    route: String,
    lanes: Box<[OnceLock<Box<Counts>>]>,
    /// By protection: in how many blocked and in how many detected requests. Seldom enough for a lock.
    hits: Mutex<BTreeMap<&'static str, Hits>>,
    /// By exception: requests that would have had an event without it.
    spared: Mutex<BTreeMap<Arc<str>, u64>>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Hits {
    blocked: u64,
    detected: u64,
}

#[derive(Debug)]
#[repr(align(128))]
struct Counts {
    counters: [AtomicU64; RouteCounter::COUNT],
    requests: Histogram<{ REQUEST_BUCKETS.len() + 1 }>,
    inspections: Histogram<{ INSPECTION_BUCKETS.len() + 1 }>,
}

/// The last bucket is for what is above every bound.
#[derive(Debug)]
struct Histogram<const BUCKETS: usize> {
    sum: AtomicU64,
    buckets: [AtomicU64; BUCKETS],
}

impl Series {
    pub(super) fn new(route: &str, lanes: usize) -> Series {
        Series {
            route: route.to_owned(),
            lanes: (0..lanes).map(|_| OnceLock::new()).collect(),
            hits: Mutex::default(),
            spared: Mutex::default(),
        }
    }

    /// Counts.
    pub fn add(&self, counter: RouteCounter, more: u64) {
        self.counts().counters[counter as usize].fetch_add(more, Ordering::Relaxed);
    }

    /// A request took so long.
    pub fn request(&self, time: Duration) {
        self.counts().requests.observe(REQUEST_BUCKETS, time);
    }

    /// Rules took so long for a request and its answer.
    pub fn inspection(&self, time: Duration) {
        self.counts().inspections.observe(INSPECTION_BUCKETS, time);
    }

    /// The event of a blocked request names `protections`.
    pub(crate) fn blocked(&self, protections: impl Iterator<Item = &'static str>) {
        let mut hits = lock(&self.hits);
        for protection in protections {
            hits.entry(protection).or_default().blocked += 1;
        }
    }

    /// The event of a request that was allowed names `protections`.
    pub(crate) fn detected(&self, protections: impl Iterator<Item = &'static str>) {
        let mut hits = lock(&self.hits);
        for protection in protections {
            hits.entry(protection).or_default().detected += 1;
        }
    }

    /// A request would have had an event without `exceptions`.
    pub(crate) fn spared<'e>(&self, exceptions: impl Iterator<Item = &'e Arc<str>>) {
        let mut exceptions = exceptions.peekable();
        if exceptions.peek().is_none() {
            return;
        }
        let mut spared = lock(&self.spared);
        for exception in exceptions {
            *spared.entry(Arc::clone(exception)).or_default() += 1;
        }
    }

    /// The counts since the last time; none when nothing was counted.
    pub(super) fn take(&self) -> Option<RouteReport> {
        let hits = mem::take(&mut *lock(&self.hits));
        let hits: Vec<Hit> = hits
            .into_iter()
            .map(|(protection, Hits { blocked, detected })| Hit {
                protection: protection.to_owned(),
                blocked,
                detected,
            })
            .collect();
        let spared = mem::take(&mut *lock(&self.spared));
        let spared = spared
            .into_iter()
            .map(|(exception, requests)| Spared { exception: exception.to_string(), requests });
        let mut report = RouteReport { hits, spared: spared.collect(), ..RouteReport::default() };
        for counts in self.lanes.iter().filter_map(OnceLock::get) {
            sum(&mut report.counters, taken(counts.counters.iter().map(swapped)));
            counts.requests.take(&mut report.requests);
            counts.inspections.take(&mut report.inspections);
        }
        if report == RouteReport::default() {
            return None;
        }
        report.route.clone_from(&self.route);
        Some(report)
    }

    fn counts(&self) -> &Counts {
        self.lanes[lane(self.lanes.len())].get_or_init(|| {
            Box::new(Counts {
                counters: [const { AtomicU64::new(0) }; RouteCounter::COUNT],
                requests: Histogram::default(),
                inspections: Histogram::default(),
            })
        })
    }
}

impl<const BUCKETS: usize> Default for Histogram<BUCKETS> {
    fn default() -> Self {
        Histogram { sum: AtomicU64::new(0), buckets: [const { AtomicU64::new(0) }; BUCKETS] }
    }
}

impl<const BUCKETS: usize> Histogram<BUCKETS> {
    fn observe(&self, bounds: &[u64], time: Duration) {
        let nanoseconds = nanoseconds(time);
        let at = bounds.partition_point(|bound| *bound < nanoseconds);
        if let Some(bucket) = self.buckets.get(at) {
            bucket.fetch_add(1, Ordering::Relaxed);
            self.sum.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }

    fn take(&self, into: &mut Observed) {
        into.sum_nanoseconds = into.sum_nanoseconds.saturating_add(swapped(&self.sum));
        sum(&mut into.buckets, taken(self.buckets.iter().map(swapped)));
    }
}

fn swapped(number: &AtomicU64) -> u64 {
    number.swap(0, Ordering::Relaxed)
}

/// Adds number by number; nothing stands for zeros.
fn sum(into: &mut Vec<u64>, more: Vec<u64>) {
    if into.is_empty() {
        *into = more;
        return;
    }
    for (sum, more) in into.iter_mut().zip(more) {
        *sum = sum.saturating_add(more);
    }
}
