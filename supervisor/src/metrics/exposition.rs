//! The figures in the text format of OpenMetrics 1.0, and in that of Prometheus 0.0.4 made from it. Each row of the
//! table is written by one arm of a match, so that no metric is forgotten.

use std::fmt::{self, Write as _};
use std::time::{Duration, UNIX_EPOCH};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::{self, Registry};
use waf_certificates::acme::HostFigures;
use waf_shared::metrics::{
    self, Degraded, Metric, MetricKind, Name, RouteCounter, TABLE, Unit, WorkerCounter,
};

use super::{Histogram, Metrics, Sums};
use crate::counters::Counters;

/// Version of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Commit that the program was built from, when the build said so.
const COMMIT: &str = match option_env!("WAF_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// The whole exposition as OpenMetrics.
pub(super) fn openmetrics(metrics: &std::sync::Arc<Metrics>) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Shown(metrics.clone())));
    let mut out = String::with_capacity(16 << 10);
    // Writing into a string does not fail, and no figure refuses to be written.
    let _ = text::encode(&mut out, &registry);
    out
}

/// The same in the older format: other words about the types, the same samples.
pub(super) fn prometheus(openmetrics: &str) -> String {
    let mut out = String::with_capacity(openmetrics.len());
    for line in openmetrics.lines() {
        let mut words = line.splitn(4, ' ');
        let row = match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some("UNIT" | "EOF"), ..) => continue,
            (Some("#"), Some(word), Some(name), Some(rest)) => row_of(name).map(|row| (row, word, rest)),
            _ => None,
        };
        let _ = match row {
            // Here the name is the samples', and there is no type for facts.
            Some((row, "TYPE", _)) if row.kind == MetricKind::Info => {
                writeln!(out, "# TYPE {} gauge", row.text)
            }
            Some((row, word, rest)) => writeln!(out, "# {word} {} {rest}", row.text),
            None => writeln!(out, "{line}"),
        };
    }
    out
}

/// The metric whose family OpenMetrics calls `name`.
fn row_of(name: &str) -> Option<&'static Metric> {
    TABLE.iter().find(|row| family(row) == name)
}

/// Name of the family in OpenMetrics: the suffixes belong to the samples.
fn family(row: &Metric) -> &'static str {
    let suffix = match row.kind {
        MetricKind::Counter => "_total",
        MetricKind::Info => "_info",
        MetricKind::Gauge | MetricKind::Histogram(_) => "",
    };
    row.text.strip_suffix(suffix).unwrap_or(row.text)
}

#[derive(Debug)]
struct Shown(std::sync::Arc<Metrics>);

impl Collector for Shown {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let sums = self.0.lock();
        for row in TABLE {
            let unit = match row.unit {
                Unit::None => None,
                Unit::Seconds => Some(registry::Unit::Seconds),
                Unit::Bytes => Some(registry::Unit::Bytes),
            };
            let family = family(row);
            let base = unit.as_ref().and_then(|unit| family.strip_suffix(unit.as_str())?.strip_suffix('_'));
            let kind = match row.kind {
                MetricKind::Counter => MetricType::Counter,
                MetricKind::Gauge => MetricType::Gauge,
                MetricKind::Histogram(_) => MetricType::Histogram,
                MetricKind::Info => MetricType::Info,
            };
            let metric = encoder.encode_descriptor(base.unwrap_or(family), row.help, unit.as_ref(), kind)?;
            Row { row, metric }.write(&sums, &self.0.counters)?;
        }
        Ok(())
    }
}

/// One metric being written.
struct Row<'a> {
    row: &'static Metric,
    metric: MetricEncoder<'a>,
}

impl Row<'_> {
    fn write(mut self, sums: &Sums, own: &Counters) -> fmt::Result {
        match self.row.name {
            Name::BuildInfo => self.metric.encode_info(&[("version", VERSION), ("commit", COMMIT)]),
            Name::PlanInfo => match sums.plan {
                Some(plan) => self.metric.encode_info(&[("plan", plan.to_string())]),
                None => Ok(()),
            },
            Name::Requests
            | Name::UpstreamErrors
            | Name::EvaluationTimeout
            | Name::BodySpooled
            | Name::BodyUninspected
            | Name::DecompressionRejected
            | Name::ResponseUninspected
            | Name::WebsocketMessages
            | Name::TunnelsUninspected
            | Name::RateLimited
            | Name::OpenapiValidation
            | Name::OpenapiShadow => self.route_counters(sums),
            Name::RequestsInFlight => self.gauge(&[], sums.in_flight()),
            Name::RequestsBlocked => self.hits(sums, |hits| hits.blocked),
            Name::DetectedThreats => self.hits(sums, |hits| hits.detected),
            Name::Exceptions => sums.routes.iter().try_for_each(|(id, route)| {
                route.spared.iter().try_for_each(|(name, number)| self.counter(&[id, name], *number))
            }),
            Name::UpstreamEndpoints => sums.endpoints().try_for_each(|(upstream, endpoints)| {
                self.gauge(&[upstream, "available"], endpoints.available.into())?;
                self.gauge(&[upstream, "left_out"], endpoints.left_out.into())
            }),
            Name::RequestDuration => self.histograms(sums, |route| &route.requests),
            Name::InspectionDuration => self.histograms(sums, |route| &route.inspections),
            Name::InspectionSeconds => self.families(sums),
            Name::ShadowRequests => {
                sums.shadow.results().try_for_each(|(result, requests)| self.counter(&[result], requests))
            }
            Name::ShadowDifferences => {
                sums.shadow.differences().try_for_each(|(labels, requests)| self.counter(&labels, requests))
            }
            Name::ConfigReload => {
                self.counter(&["success"], own.reloads.value())?;
                self.counter(&["error"], own.reloads_refused.value())?;
                self.counter(&["tests"], own.reloads_failed_tests.value())?;
                self.counter(&["gate"], own.reloads_failed_gate.value())?;
                self.counter(&["rollback"], own.reloads_rolled_back.value())
            }
            Name::ConfigLastReload => {
                let since = sums.in_force_since.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                self.metric.encode_gauge(&since.map_or(0.0, |time| time.as_secs_f64()))
            }
            Name::WorkerRestarts => self.counter(&[], own.worker_restarts.value()),
            Name::Workers => self.gauge(&[], sums.serving as u64),
            Name::AuditEvents => self.counter(&[], own.audit_lines.value()),
            Name::AuditRefused
            | Name::AuditBackpressure
            | Name::TraceSpansDropped
            | Name::AccessLogDropped
            | Name::InternalErrors => {
                let mut ours = WorkerCounter::ALL.iter().filter(|(_, name, _)| *name == self.row.name);
                ours.try_for_each(|(counter, ..)| self.counter(&[], sums.counters[*counter as usize]))
            }
            Name::CertificateExpiry => {
                self.certificates(own, |row, host, figures| row.gauge(&[host], figures.expiry_s))
            }
            Name::CertificateFailures => {
                self.certificates(own, |row, host, figures| row.counter(&[host], figures.failures))
            }
            Name::Degraded => self.degraded(sums, own),
        }
    }

    /// The time of each family of rules.
    fn families(&mut self, sums: &Sums) -> fmt::Result {
        let mut families = metrics::families().into_iter().zip(&sums.families);
        families.try_for_each(|(family, time)| self.counter(&[family], *time))
    }

    /// A sample for each host that has a certificate or should have one.
    fn certificates(
        &mut self,
        own: &Counters,
        mut write: impl FnMut(&mut Self, &str, &HostFigures) -> fmt::Result,
    ) -> fmt::Result {
        let hosts = own.certificates.read();
        hosts.iter().try_for_each(|(host, figures)| write(self, host, figures))
    }

    /// A sample for each ability that the service may lack.
    fn degraded(&mut self, sums: &Sums, own: &Counters) -> fmt::Result {
        Degraded::ALL.iter().try_for_each(|(what, text, _)| {
            let is_missing = match what {
                Degraded::Audit => own.audit_is_broken.is_set() || own.audit_waiting.is_any(),
                Degraded::DataDir => own.certificates.is_unwritable(),
                _ => sums.is_degraded(*what),
            };
            self.gauge(&[text], u64::from(is_missing))
        })
    }

    /// Every counter of the metric for every route, from the start: a first failure is an increase, too.
    fn route_counters(&mut self, sums: &Sums) -> fmt::Result {
        for (id, route) in &sums.routes {
            for (counter, _, value) in RouteCounter::ALL.iter().filter(|(_, name, _)| *name == self.row.name)
            {
                self.counter(&[id, value], route.counters[*counter as usize])?;
            }
        }
        Ok(())
    }

    fn hits(&mut self, sums: &Sums, of: fn(&super::Hits) -> u64) -> fmt::Result {
        for (id, route) in &sums.routes {
            for (protection, hits) in route.hits.iter().filter(|(_, hits)| of(hits) > 0) {
                self.counter(&[id, protection], of(hits))?;
            }
        }
        Ok(())
    }

    /// Those of routes that were asked: a histogram has many series.
    fn histograms(&mut self, sums: &Sums, of: fn(&super::Route) -> &Histogram) -> fmt::Result {
        let MetricKind::Histogram(bounds) = self.row.kind else { return Err(fmt::Error) };
        for (id, route) in &sums.routes {
            let histogram = of(route);
            let count: u64 = histogram.buckets.iter().sum();
            if count == 0 {
                continue;
            }
            let bounds = bounds.iter().map(|bound| seconds(*bound)).chain([f64::INFINITY]);
            let buckets: Vec<(f64, u64)> = bounds.zip(histogram.buckets.iter().copied()).collect();
            let labels = self.labels(&[id]);
            let mut metric = self.metric.encode_family(&labels)?;
            metric.encode_histogram::<NoLabelSet>(
                seconds(histogram.sum_nanoseconds),
                count,
                &buckets,
                None,
            )?;
        }
        Ok(())
    }

    /// A sample, of nanoseconds where the unit is seconds.
    fn counter(&mut self, values: &[&str], number: u64) -> fmt::Result {
        let write = |metric: &mut MetricEncoder<'_>, unit: Unit| match unit {
            Unit::Seconds => metric.encode_counter::<NoLabelSet, f64, u64>(&seconds(number), None),
            Unit::None | Unit::Bytes => metric.encode_counter::<NoLabelSet, u64, u64>(&number, None),
        };
        if values.is_empty() {
            return write(&mut self.metric, self.row.unit);
        }
        let labels = self.labels(values);
        write(&mut self.metric.encode_family(&labels)?, self.row.unit)
    }

    fn gauge(&mut self, values: &[&str], number: u64) -> fmt::Result {
        if values.is_empty() {
            return self.metric.encode_gauge(&number);
        }
        let labels = self.labels(values);
        self.metric.encode_family(&labels)?.encode_gauge(&number)
    }

    fn labels<'v>(&self, values: &[&'v str]) -> Vec<(&'static str, &'v str)> {
        self.row.labels.iter().copied().zip(values.iter().copied()).collect()
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    Duration::from_nanos(nanoseconds).as_secs_f64()
}
