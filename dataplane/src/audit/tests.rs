//! Events as their readers see them: parsed back from the line.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use waf_shared::catalog::Leaf;
use waf_shared::plan::Mode;

use super::*;

mod ecs;
mod lines;
mod ocsf;
mod urls;

const PLAN: &str = "5f2b1c9d8e7a60415f2b1c9d8e7a60415f2b1c9d8e7a60415f2b1c9d8e7a6041";

fn event<'a>(disposition: Disposition, status: u16, findings: &'a [EventFinding<'a>]) -> Event<'a> {
    Event {
        time: SystemTime::UNIX_EPOCH + Duration::from_millis(1_795_207_891_482),
        disposition,
        plan: PLAN,
        mode: Mode::Blocking,
        route_id: Some("shop"),
        request_id: "01939d5e-7b1a-7c3e-8f00-000000000001",
        client: "203.0.113.7:54321".parse().unwrap(),
        listener: "[::ffff:192.0.2.10]:8080".parse().unwrap(),
        scheme: "http",
        tls: None,
        method: Some(b"GET"),
        target: Some(b"/search?q=1%20UNION%20SELECT&page=2"),
        host: Some(b"shop.example.com:8080"),
        version: Some("HTTP/1.1"),
        user_agent: Some(b"curl/8.5.0"),
        referer: None,
        status,
        status_detail: None,
        duration: Some(Duration::from_micros(1_700)),
        score: 10,
        findings,
        not_inspected: &[],
        trace: None,
    }
}

fn finding(leaf: Leaf, rule: Option<&'static str>) -> EventFinding<'static> {
    EventFinding {
        protection: Protection::Leaf(leaf),
        rule,
        place: Cow::Borrowed("ARGS"),
        name: Cow::Borrowed(b"q"),
        view: Some("percent"),
        offset: Some(2),
        excerpt: Cow::Borrowed(b"1 UNION SELECT"),
        reason: Cow::Borrowed("A second SELECT is appended to a query."),
        weight: DECIDES,
    }
}

fn union_select() -> EventFinding<'static> {
    finding(Leaf::SqlInjectionUnionSelect, Some("sql-injection-union-select/union-select"))
}

fn limit(leaf: Leaf) -> EventFinding<'static> {
    EventFinding {
        place: Cow::Borrowed("REQUEST"),
        name: Cow::Borrowed(b""),
        view: None,
        offset: None,
        excerpt: Cow::Borrowed(b""),
        ..finding(leaf, None)
    }
}

fn line(event: &Event<'_>) -> String {
    line_as(AuditFormat::Ocsf, event)
}

fn line_as(format: AuditFormat, event: &Event<'_>) -> String {
    let mut out = b"before\n".to_vec();
    write(event, format, &mut out);
    String::from_utf8(out).unwrap().strip_prefix("before\n").unwrap().to_owned()
}

fn parsed(event: &Event<'_>) -> Value {
    serde_json::from_str(&line(event)).unwrap()
}
