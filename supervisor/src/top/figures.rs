//! Figures of one page: sums over routes, and by route and protection, as far as they are shown. Whoever wrote the page
//! is not trusted: numbers lie in a range, names are clean and their count is bounded.

use std::collections::BTreeMap;

use waf_shared::metrics::{Name, TABLE};

use super::exposition::{self, Malformed, Sample};
use super::histogram::Histogram;
use super::words;

/// Routes, and protections, that are shown one by one; the others are summed up under [`OTHERS`].
const NAMES_MAX: usize = 10_000;

/// See [`NAMES_MAX`].
const OTHERS: &str = "(others)";

/// Parts that may be missing at once.
const DEGRADED_MAX: usize = 16;

/// No count is taken for larger.
const NUMBER_MAX: f64 = 1e15;

/// A fault of a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Text of another kind.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// Metrics of another program.
    #[error("{} is missing", Name::BuildInfo.row().text)]
    Stranger,
}

/// Requests, or hits of a protection.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) allowed: f64,
    pub(super) detected: f64,
    pub(super) blocked: f64,
}

impl Counts {
    /// All together.
    pub(super) fn all(&self) -> f64 {
        self.allowed + self.detected + self.blocked
    }
}

/// One page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) version: String,
    pub(super) commit: String,
    /// Empty before the first plan is in force.
    pub(super) plan: String,
    /// Unix time.
    pub(super) in_force_since_s: f64,
    pub(super) requests: Counts,
    pub(super) routes: BTreeMap<String, Counts>,
    pub(super) protections: BTreeMap<String, Counts>,
    pub(super) durations: Histogram,
    pub(super) inspections: Histogram,
    pub(super) in_flight: f64,
    pub(super) upstream_errors: f64,
    pub(super) workers: f64,
    pub(super) worker_restarts: f64,
    pub(super) reloads: f64,
    pub(super) reloads_refused: f64,
    pub(super) audit_events: f64,
    pub(super) audit_refused: f64,
    pub(super) spans_dropped: f64,
    /// Names of what is missing.
    pub(super) degraded: Vec<String>,
}

impl Figures {
    /// Reads a page in the text format of Prometheus.
    pub(super) fn read(page: &str) -> Result<Figures, ReadError> {
        let mut figures = Figures::default();
        for sample in exposition::samples(page) {
            figures.take(&sample?);
        }
        if figures.version.is_empty() { Err(ReadError::Stranger) } else { Ok(figures) }
    }

    fn take(&mut self, sample: &Sample<'_>) {
        let base = sample.name.strip_suffix("_bucket").unwrap_or(sample.name);
        let Some(row) = TABLE.iter().find(|row| row.text == base) else { return };
        let number = number(sample.value);
        match row.name {
            Name::BuildInfo => {
                self.version = words::clean(sample.label("version"));
                self.commit = words::clean(sample.label("commit"));
            }
            Name::PlanInfo => self.plan = words::clean(sample.label("plan")),
            Name::Requests => {
                for counts in [&mut self.requests, of(&mut self.routes, sample.label("route"))] {
                    match sample.label("action") {
                        "allowed" => counts.allowed += number,
                        "detected" => counts.detected += number,
                        "blocked" => counts.blocked += number,
                        _ => {}
                    }
                }
            }
            Name::RequestsBlocked => of(&mut self.protections, sample.label("protection")).blocked += number,
            Name::DetectedThreats => of(&mut self.protections, sample.label("protection")).detected += number,
            Name::RequestDuration => bucket(&mut self.durations, sample),
            Name::InspectionDuration => bucket(&mut self.inspections, sample),
            Name::RequestsInFlight => self.in_flight = number,
            Name::UpstreamErrors => self.upstream_errors += number,
            Name::Workers => self.workers = number,
            Name::WorkerRestarts => self.worker_restarts = number,
            Name::ConfigLastReload => self.in_force_since_s = number,
            Name::ConfigReload if sample.label("result") == "success" => self.reloads = number,
            Name::ConfigReload => self.reloads_refused += number,
            Name::AuditEvents => self.audit_events = number,
            Name::AuditRefused => self.audit_refused = number,
            Name::TraceSpansDropped => self.spans_dropped = number,
            Name::Degraded if number > 0.0 && self.degraded.len() < DEGRADED_MAX => {
                self.degraded.push(words::clean(sample.label("what")));
            }
            _ => {}
        }
    }
}

/// The counts under a name.
fn of<'a>(counts: &'a mut BTreeMap<String, Counts>, name: &str) -> &'a mut Counts {
    let name = words::clean(name);
    let is_known = counts.len() < NAMES_MAX || counts.contains_key(&name);
    counts.entry(if is_known { name } else { OTHERS.to_owned() }).or_default()
}

/// A bucket of a histogram; sums and counts stand in its buckets, too.
fn bucket(histogram: &mut Histogram, sample: &Sample<'_>) {
    if let Ok(bound) = sample.label("le").parse() {
        histogram.add(bound, number(sample.value));
    }
}

/// A number as ours are.
fn number(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, NUMBER_MAX) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
pub(super) mod tests {
    use std::fmt::Write as _;

    use super::super::histogram::Quantile;
    use super::*;

    /// A page with `allowed` requests, and some that were not.
    pub(in crate::top) fn page(allowed: u32) -> String {
        format!(
            "# TYPE waf_build_info gauge\n\
             waf_build_info{{version=\"1.2.3\",commit=\"abc\"}} 1\n\
             waf_plan_info{{plan=\"{}\"}} 1\n\
             waf_requests_total{{route=\"shop\",action=\"allowed\"}} {allowed}\n\
             waf_requests_total{{route=\"shop\",action=\"detected\"}} 1\n\
             waf_requests_total{{route=\"shop\",action=\"blocked\"}} 7\n\
             waf_requests_total{{route=\"-\",action=\"blocked\"}} 2\n\
             waf_requests_blocked_total{{route=\"shop\",protection=\"sql-injection-union-select\"}} 5\n\
             waf_requests_blocked_total{{route=\"-\",protection=\"sql-injection-union-select\"}} 1\n\
             waf_detected_threats_total{{route=\"shop\",protection=\"scanner-detection\"}} 1\n\
             waf_request_duration_seconds_sum{{route=\"shop\"}} 1.5\n\
             waf_request_duration_seconds_count{{route=\"shop\"}} 100\n\
             waf_request_duration_seconds_bucket{{le=\"0.001\",route=\"shop\"}} 50\n\
             waf_request_duration_seconds_bucket{{le=\"+Inf\",route=\"shop\"}} 100\n\
             waf_upstream_errors_total{{route=\"shop\",kind=\"connect\"}} 3\n\
             waf_upstream_errors_total{{route=\"shop\",kind=\"5xx\"}} 4\n\
             waf_config_reload_total{{result=\"success\"}} 2\n\
             waf_config_reload_total{{result=\"error\"}} 1\n\
             waf_config_last_reload_success_timestamp_seconds 1000000000.5\n\
             waf_requests_in_flight 4\nwaf_workers 2\nwaf_worker_restarts_total 0\n\
             waf_audit_events_total 10\nwaf_audit_refused_total 0\nwaf_trace_spans_dropped_total 0\n\
             waf_degraded{{what=\"configuration\"}} 1\nwaf_degraded{{what=\"workers\"}} 0\n",
            "5e".repeat(32)
        )
    }

    #[test]
    fn a_page_is_added_up() {
        let figures = Figures::read(&page(90)).unwrap();
        assert_eq!((figures.version.as_str(), figures.commit.as_str()), ("1.2.3", "abc"));
        assert_eq!(figures.plan, "5e".repeat(32));
        assert_eq!(figures.requests, Counts { allowed: 90.0, detected: 1.0, blocked: 9.0 });
        let (union, scanner) = ("sql-injection-union-select", "scanner-detection");
        let hits = (figures.protections[union].blocked, figures.protections[scanner].detected);
        assert_eq!((figures.routes["-"].all(), hits), (2.0, (6.0, 1.0)));
        assert_eq!(figures.durations.quantile(0.25), Some(Quantile::About(0.0005)));
        assert_eq!((figures.upstream_errors, figures.in_flight), (7.0, 4.0));
        assert_eq!((figures.reloads, figures.reloads_refused), (2.0, 1.0));
        assert_eq!(figures.degraded, ["configuration"]);
    }

    #[test]
    fn another_page_is_none_of_ours() {
        assert_eq!(Figures::read(""), Err(ReadError::Stranger));
        assert_eq!(Figures::read("go_goroutines 12\n"), Err(ReadError::Stranger));
        let html = "<html><body>not metrics</body></html>";
        assert_eq!(Figures::read(html), Err(ReadError::Malformed(Malformed(1))));
    }

    #[test]
    fn a_hostile_page_is_cut_to_size() {
        let mut page = page(1);
        for number in 0..=NAMES_MAX {
            let _ = writeln!(page, "waf_requests_total{{route=\"r{number}\",action=\"allowed\"}} 1");
            let _ = writeln!(page, "waf_degraded{{what=\"w{number}\"}} 1");
        }
        let long = "x".repeat(1 << 20);
        let _ =
            writeln!(page, "waf_requests_blocked_total{{protection=\"\\n\u{1b}[2J\u{202e}{long}\"}} -Inf");
        let _ = writeln!(page, "waf_workers NaN\nwaf_requests_in_flight +Inf\nwaf_audit_events_total -3");
        let figures = Figures::read(&page).unwrap();
        assert_eq!(figures.routes.len(), NAMES_MAX + 1);
        assert!(figures.routes[OTHERS].allowed > 1.0);
        assert_eq!(figures.degraded.len(), DEGRADED_MAX);
        let name = figures.protections.keys().find(|name| name.contains('x')).unwrap();
        assert!(name.chars().count() <= 80 && name.starts_with("\u{fffd}\u{fffd}[2J\u{fffd}x"), "{name}");
        assert_eq!((figures.workers, figures.in_flight, figures.audit_events), (0.0, NUMBER_MAX, 0.0));
    }
}
