//! What both formats say in this product's own words: the `waf` object, its name and version, the ids of the span.
//! Shapes only, as in the formats beside it.

use std::borrow::Cow;

use serde::Serialize;

use super::Event;
use super::facts::{Facts, Match};

/// Product and vendor.
pub(super) const NAME: &str = "waf";

/// Data set, and name of the log.
pub(super) const DATASET: &str = "waf.audit";

/// Version of the product.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where rules come from: they are this product's own.
pub(super) const RULESET: &str = "native";

/// Trace and span id in lower-case hex (W3C Trace Context); both or none.
pub(super) fn trace(event: &Event<'_>) -> Option<(String, String)> {
    let trace = event.trace.filter(|trace| trace.trace_id != 0 && trace.span_id != 0)?;
    Some((format!("{:032x}", trace.trace_id), format!("{:016x}", trace.span_id)))
}

#[derive(Serialize)]
pub(super) struct Waf<'a> {
    matched_protections: &'a [&'static str],
    matched_rules: &'a [&'a str],
    cwe: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    route_id: Option<&'a str>,
    mode: &'static str,
    anomaly_score: u32,
    plan: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matches: Vec<WafMatch<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_inspected: &'a [Cow<'a, str>],
}

impl<'a> Waf<'a> {
    pub(super) fn of(event: &'a Event<'a>, facts: &'a Facts<'a>) -> Waf<'a> {
        Waf {
            matched_protections: &facts.protections,
            matched_rules: &facts.rules,
            cwe: &facts.cwe,
            route_id: event.route_id,
            mode: facts.mode,
            anomaly_score: event.score,
            plan: event.plan,
            matches: facts.matches.iter().map(WafMatch::of).collect(),
            not_inspected: &facts.not_inspected,
        }
    }
}

#[derive(Serialize)]
struct WafMatch<'a> {
    protection: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    place: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

impl<'a> WafMatch<'a> {
    fn of(found: &'a Match<'a>) -> WafMatch<'a> {
        WafMatch {
            protection: found.protection,
            rule: found.rule,
            place: &found.place,
            name: found.name.as_deref(),
            view: found.view,
            offset: found.offset,
            excerpt: found.excerpt.as_deref(),
            reason: found.reason.as_deref(),
        }
    }
}
