//! A worker's report of its counters: the growth since its last report, so that a sum never goes back when a worker
//! dies. It knows plain numbers in the order of the tables.

use bincode::{Decode, Encode};

/// One report. Worker-wide figures stand in the first of several that are sent at once; the others carry routes alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct Report {
    /// Requests in flight now; `None` where an earlier report of the same time says it.
    pub now: Option<Now>,
    /// By [`super::WorkerCounter`]; empty when nothing came.
    pub counters: Vec<u64>,
    /// Nanoseconds by [`super::families`]; empty when nothing came.
    pub families: Vec<u64>,
    /// Routes to which something came, at most [`crate::limits::REPORT_ROUTES_MAX`].
    pub routes: Vec<RouteReport>,
    /// Upstreams whose addresses have changed their state, at most [`crate::limits::REPORT_UPSTREAMS_MAX`].
    pub upstreams: Vec<UpstreamReport>,
}

/// State of an upstream in one worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct UpstreamReport {
    /// Its scheme and authority.
    pub upstream: String,
    /// Its addresses; none once no plan names it.
    pub endpoints: EndpointCounts,
}

/// Addresses of an upstream by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
pub struct EndpointCounts {
    /// Left out since they accepted no connection.
    pub left_out: u32,
    /// In use.
    pub available: u32,
}

/// State of a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode)]
pub struct Now {
    /// Requests in flight.
    pub in_flight: u64,
    /// Bits of [`super::Degraded`].
    pub degraded: u32,
}

/// Counts of one route.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct RouteReport {
    /// Its id in the plan, or `-` for what has no route.
    pub route: String,
    /// By [`super::RouteCounter`].
    pub counters: Vec<u64>,
    /// Whole requests.
    pub requests: Observed,
    /// Inspections.
    pub inspections: Observed,
    /// Protections that events named.
    pub hits: Vec<Hit>,
    /// Exceptions without which there would have been events.
    pub spared: Vec<Spared>,
}

/// Requests that would have had an event without an exception.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct Spared {
    /// Name of the exception in the plan.
    pub exception: String,
    /// Their number.
    pub requests: u64,
}

/// Observations of a histogram.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct Observed {
    /// Their sum in nanoseconds.
    pub sum_nanoseconds: u64,
    /// Observations in each bucket alone; the last is for those above every bound.
    pub buckets: Vec<u64>,
}

/// Number of events that named a protection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode, Decode)]
pub struct Hit {
    /// Canonical name.
    pub protection: String,
    /// In requests that were blocked.
    pub blocked: u64,
    /// In requests that were allowed.
    pub detected: u64,
}
