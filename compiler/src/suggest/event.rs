//! One audit event, in either format, as far as suggestions ask for it.

use serde_json::Value;
use waf_detection::rule::Rule;
use waf_shared::catalog::Leaf;

use crate::names::{RuleId, Word as _};

/// The parts of an event.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) route: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) client: String,
    /// The day, `YYYY-MM-DD` or what stands for it.
    pub(super) day: String,
    /// Status of an upstream that got the request; `None` for a refused one.
    pub(super) answer: Option<u64>,
    /// True if a page of the same host made the request.
    pub(super) is_from_own_page: bool,
    /// Findings of rules.
    pub(super) findings: Vec<Finding>,
    /// Findings of checks that are no rules: no exception takes them away.
    pub(super) checks: Vec<Leaf>,
}

/// A finding of a rule.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) rule: &'static Rule,
    pub(super) place: String,
    pub(super) name: String,
}

impl Event {
    /// Reads a line; `None` if it is no event of a blocked or detected request.
    pub(super) fn parse(line: &[u8]) -> Option<Event> {
        let event: Value = serde_json::from_slice(line).ok()?;
        let waf = event.get("waf")?;
        let of = |ocsf: &str, ecs: &str| event.pointer(ocsf).or_else(|| event.pointer(ecs));
        let text =
            |ocsf: &str, ecs: &str| of(ocsf, ecs).and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_blocked = match event.get("disposition_id").and_then(Value::as_u64) {
            Some(2) => true,
            Some(15) => false,
            Some(_) => return None,
            None => match event.pointer("/event/action").and_then(Value::as_str) {
                Some("blocked") => true,
                Some("detected") => false,
                _ => return None,
            },
        };
        let status = of("/http_response/code", "/http/response/status_code").and_then(Value::as_u64);
        let (mut findings, mut checks) = (Vec::new(), Vec::new());
        for found in waf.get("matches").and_then(Value::as_array).into_iter().flatten() {
            let field = |name: &str| found.get(name).and_then(Value::as_str).unwrap_or_default();
            match RuleId::parse(field("rule")) {
                Ok(RuleId(rule)) => findings.push(Finding {
                    rule,
                    place: field("place").to_owned(),
                    name: field("name").to_owned(),
                }),
                Err(_) => checks.extend(Leaf::named(field("protection"))),
            }
        }
        let host = text("/dst_endpoint/hostname", "/destination/domain");
        let referer = text("/http_request/referrer", "/http/request/referrer");
        Some(Event {
            route: waf.get("route_id").and_then(Value::as_str)?.to_owned(),
            method: text("/http_request/http_method", "/http/request/method"),
            path: text("/http_request/url/path", "/url/path"),
            client: text("/src_endpoint/ip", "/client/ip"),
            day: day(&event),
            answer: status.filter(|_| !is_blocked),
            is_from_own_page: !host.is_empty() && host_of(&referer) == Some(host.as_str()),
            findings,
            checks,
        })
    }
}

/// The day of an event: epoch milliseconds in OCSF, RFC 3339 in ECS.
fn day(event: &Value) -> String {
    match event.get("time").and_then(Value::as_u64) {
        Some(millis) => {
            let since = std::time::Duration::from_millis(millis);
            let time = std::time::UNIX_EPOCH.checked_add(since);
            time.map_or(String::new(), |time| crate::date::Date::at(time).to_string())
        }
        None => {
            let stamp = event.get("@timestamp").and_then(Value::as_str).unwrap_or_default();
            stamp.chars().take(10).collect()
        }
    }
}

/// The host of a URL, without its port.
fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    Some(authority.rsplit_once(':').map_or(authority, |(host, _)| host))
}
