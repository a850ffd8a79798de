//! One request under two plans: the decision of the second one is that of the same plan alone in force, and the answer is
//! that of the first one.

use std::sync::Arc;

use waf_shared::catalog::Leaf;
use waf_shared::control::{ShadowDifference, ShadowReport, Share};
use waf_shared::metrics::Report;
use waf_shared::plan::{HostPattern, Mode, Route};

use super::super::testing::{self, active_plan, connection, proxy};
use super::super::{Arrival, Exchange};
use super::*;
use crate::active_plan::ActivePlan;
use crate::shadow::ShadowCounts;

const SQL: &str = "/?q=1'+union+select+password+from+users--";
const POST: &str = "POST / HTTP/1.1\nHost: a\nContent-Type: application/json\nContent-Length: ";
const JSON: &str = r#"{"q":"1' union select password from users--"}"#;
const ALL: Share = Share::ALL;

type Change = fn(&mut Route);

/// Changes that make a plan another one. Nothing listens at the upstream: what is forwarded is answered with 502.
const PLANS: [Change; 7] = [
    |_| {},
    |route| route.settings.mode = Mode::DetectOnly,
    |route| route.settings.leaves = waf_shared::catalog::LeafSet::EMPTY,
    |route| route.settings.accept.methods = vec!["GET".to_owned()],
    |route| route.settings.accept.max_url_length = 10,
    |route| route.settings.accept.max_body_size = 16,
    |route| route.hosts = elsewhere(),
];

fn elsewhere() -> Vec<HostPattern> {
    vec![HostPattern::Exact("elsewhere.example".to_owned())]
}

fn plan(change: Change) -> Arc<ActivePlan> {
    active_plan(|_, route| {
        (route.upstream.host, route.upstream.port) = ("127.0.0.1".to_owned(), 1);
        change(route);
    })
}

fn requests() -> Vec<(String, &'static str)> {
    let get = |target: &str| (format!("GET {target} HTTP/1.1\nHost: a"), "");
    vec![
        get("/"),
        get("/?q=coffee+and+tea+from+the+market"),
        get(SQL),
        get("/?q=%3Cscript%3Ealert(1)%3C/script%3E"),
        ("GET / HTTP/1.1\nHost: a\nReferer: ${jndi:ldap://b/c}".to_owned(), ""),
        (format!("{POST}45"), JSON),
        (format!("{POST}14"), r#"{"q":"coffee"}"#),
        (format!("{POST}30"), r#"{"q":"coffee, tea and sugars"}"#),
        (format!("{POST}6"), "{\"a\":1"),
        (format!("{POST}3\nContent-Encoding: x-unknown"), "abc"),
        ("PUT /a HTTP/1.1\nHost: a".to_owned(), ""),
        ("TRACE / HTTP/1.1\nHost: a".to_owned(), ""),
        ("GET / HTTP/1.1".to_owned(), ""),
    ]
}

/// The answer, and the counts of the route.
async fn run(
    (lines, rest): &(String, &str),
    in_force: &Arc<ActivePlan>,
    proxy: &Proxy,
) -> (String, Vec<Report>) {
    let mut exchange = Exchange::new(Arc::clone(in_force), connection(Arrival::Plain));
    let (_, answer) = testing::run(lines, rest.as_bytes(), &mut exchange, proxy).await;
    drop(exchange);
    (answer, in_force.metrics().report())
}

/// Status and decision of a plan alone in force.
async fn alone(request: &(String, &str), plan: &Arc<ActivePlan>) -> (String, Decision) {
    let (answer, reports) = run(request, plan, &proxy()).await;
    let count = |counter: RouteCounter| -> u64 {
        let routes = reports.iter().flat_map(|report| &report.routes);
        routes.filter_map(|route| route.counters.get(counter as usize)).sum()
    };
    let decision = match [RouteCounter::Blocked, RouteCounter::Detected, RouteCounter::Allowed].map(count) {
        [1, 0, 0] => Decision::Blocked,
        [0, 1, 0] => Decision::Detected,
        [0, 0, 1] => Decision::Allowed,
        other => panic!("{request:?}: {other:?}"),
    };
    (status(&answer).to_owned(), decision)
}

/// The answer under `in_force` while `shadow` judges all requests, and what was counted of it.
async fn beside(
    request: &(String, &str),
    in_force: &Arc<ActivePlan>,
    shadow: &Arc<ActivePlan>,
) -> (String, Option<ShadowReport>) {
    let proxy = proxy();
    let counts = ShadowCounts::new(7, ALL);
    let shadow = Arc::new(Shadow::new(Arc::clone(shadow), counts, Arc::default()));
    proxy.set_shadow(Some(Arc::clone(&shadow)));
    let (answer, _) = run(request, in_force, &proxy).await;
    (answer, shadow.counts().take_report())
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or_default()
}

#[tokio::test]
async fn the_second_plan_decides_as_it_would_alone_and_changes_no_answer() {
    let plans = PLANS.map(plan);
    for request in requests() {
        let mut alone_each = Vec::new();
        for plan in &plans {
            alone_each.push(alone(&request, plan).await);
        }
        for ((plain, first), plan) in alone_each.iter().zip(&plans) {
            for ((_, second), other) in alone_each.iter().zip(&plans) {
                let (answer, report) = beside(&request, plan, other).await;
                assert_eq!(status(&answer), plain, "{request:?}");
                let Some(report) = report else {
                    assert_eq!(plan.digest(), other.digest(), "{request:?}");
                    continue;
                };
                if report.results[2] == 1 {
                    // Nobody saw the end of the body.
                    assert!(!request.1.is_empty(), "{request:?}");
                    continue;
                }
                let decision = report.differences.first().map_or(first, |found| &found.decision);
                assert_eq!((decision, report.results[3]), (second, 0), "{request:?} {first:?} {report:?}");
                assert_eq!(report.results[1], u64::from(first != second), "{request:?} {report:?}");
                assert_eq!(report.passed, u64::from(*first != Decision::Blocked), "{request:?}");
            }
        }
    }
}

#[tokio::test]
async fn differences_name_route_and_rule() {
    let sql = requests().remove(2);
    let off: Change = |route| route.settings.leaves = waf_shared::catalog::LeafSet::EMPTY;
    let short: Change = |route| route.settings.accept.max_url_length = 10;
    let other_host: Change = |route| route.hosts = elsewhere();
    for (in_force, shadow, request, expected) in [
        (off, PLANS[0], sql.clone(), (Decision::Blocked, "sql")),
        (PLANS[0], off, sql.clone(), (Decision::Allowed, "sql")),
        (PLANS[0], PLANS[1], sql, (Decision::Detected, "sql")),
        (
            PLANS[0],
            short,
            requests().remove(1),
            (Decision::Blocked, Leaf::RequestValidationMaxUrlLength.name()),
        ),
        (PLANS[0], other_host, requests().remove(0), (Decision::Blocked, "-")),
    ] {
        let (_, report) = beside(&request, &plan(in_force), &plan(shadow)).await;
        let differences = report.expect("a report").differences;
        assert!(
            differences.iter().any(|ShadowDifference { route, rule, decision, requests }| {
                (route.as_str(), *decision, *requests) == ("all", expected.0, 1)
                    && rule.starts_with(expected.1)
            }),
            "{request:?} {differences:?}"
        );
    }
}

/// Requests that no plan decides are no difference: a client that breaks off, or whose body is not framed.
#[tokio::test]
async fn what_ends_before_it_was_judged_is_unfinished() {
    let chunked = "POST / HTTP/1.1\nHost: a\nContent-Type: application/json\nTransfer-Encoding: chunked";
    let off: Change = |route| route.settings.leaves = waf_shared::catalog::LeafSet::EMPTY;
    for request in [
        (format!("{POST}20"), "{\"a\":"),
        (chunked.to_owned(), "zz\r\n"),
        (chunked.to_owned(), "3\r\n{\"a\r\n-1\r\n"),
    ] {
        let (_, report) = beside(&request, &plan(PLANS[0]), &plan(off)).await;
        let report = report.expect("a report");
        assert_eq!((report.results, report.differences.len()), ([0, 0, 1, 0], 0), "{request:?}");
    }
}
