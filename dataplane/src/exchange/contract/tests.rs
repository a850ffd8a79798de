//! Comparison of heads and bodies of requests with a contract, by tables.

use std::sync::atomic::Ordering::Relaxed;

use waf_shared::plan::{Mode, Route};

use super::super::testing::{self, add_contract, exchange, head};
use super::*;

/// Result of a comparison: whether the request has an operation, or the status of its refusal.
type Compared = Result<bool, u16>;

/// Compares a request with the contract: its result, the leaves that were found, and the counts of requests that are
/// valid, invalid and undeclared.
fn compare(lines: &str, change: impl FnOnce(&mut Route)) -> (Compared, Vec<Leaf>, [u64; 3]) {
    let mut exchange = exchange(|plan, route| {
        add_contract(plan, route);
        change(route);
    });
    let admitted = testing::admit(head(lines), &mut exchange).expect("it is admitted");
    let (_, counters) = exchange.context.active_plan.contracts().of(0).expect("the route has a contract");
    let before = [&counters.valid, &counters.invalid, &counters.shadow].map(|count| count.load(Relaxed));
    let compared = super::head(admitted, &exchange.context, &mut exchange.findings);
    let after = [&counters.valid, &counters.invalid, &counters.shadow].map(|count| count.load(Relaxed));
    let counted = std::array::from_fn(|at| after[at] - before[at]);
    let compared = compared.map(|contracted| contracted.operation.is_some());
    let leaves = exchange.findings.leaves().iter().collect();
    (compared.map_err(|rejection| rejection.status()), leaves, counted)
}

const BODY: &str = "\nContent-Type: application/json\nContent-Length: 2";

/// Requests that break the contract, and the leaf of each.
const BREACHES: &[(&str, Leaf)] = &[
    ("GET /orders/x", Leaf::OpenapiParameterMismatch),
    ("GET /orders/1.5", Leaf::OpenapiParameterMismatch),
    ("GET /orders/7?limit=many", Leaf::OpenapiParameterMismatch),
    ("PUT /orders/7", Leaf::OpenapiMethodNotInSpec),
    ("OPTIONS /orders/7", Leaf::OpenapiMethodNotInSpec),
    (
        "POST /orders#X-HTTP-Method-Override: PUT\nContent-Type: application/json\nContent-Length: 2",
        Leaf::OpenapiMethodNotInSpec,
    ),
    ("GET /nowhere", Leaf::OpenapiPathNotInSpec),
    ("GET /orders/7/items", Leaf::OpenapiPathNotInSpec),
    ("POST /orders", Leaf::OpenapiBodyMismatch),
    ("POST /orders#Content-Type: text/plain\nContent-Length: 2", Leaf::OpenapiContentTypeNotInSpec),
    ("GET /orders/7#Content-Type: application/json\nContent-Length: 2", Leaf::OpenapiBodyMismatch),
];

/// The head of `request`, whose fields stand behind `#`.
fn lines(request: &str) -> String {
    let (line, fields) = request.split_once('#').unwrap_or((request, ""));
    let fields = if fields.is_empty() { String::new() } else { format!("\n{fields}") };
    format!("{line} HTTP/1.1\nHost: a{fields}")
}

#[test]
fn requests_that_keep_the_contract_have_its_operation() {
    for (lines, is_valid) in [
        ("GET /orders/7 HTTP/1.1\nHost: a".to_owned(), 1),
        ("GET /orders/7?limit=5 HTTP/1.1\nHost: a".to_owned(), 1),
        ("GET /orders/%37 HTTP/1.1\nHost: a".to_owned(), 1),
        ("GET /orders/7 HTTP/1.0".to_owned() + "\nHost: a", 1),
        // Counted when the body was judged.
        (format!("POST /orders HTTP/1.1\nHost: a{BODY}"), 0),
    ] {
        let (compared, leaves, counted) = compare(&lines, |_| {});
        assert_eq!((compared, leaves, counted), (Ok(true), Vec::new(), [is_valid, 0, 0]), "{lines:?}");
    }
}

#[test]
fn breaches_are_refused_and_counted_once() {
    for (request, leaf) in BREACHES {
        let (compared, leaves, [valid, invalid, _]) = compare(&lines(request), |_| {});
        assert_eq!(compared, Err(leaf.row().status), "{request}");
        assert_eq!((leaves, valid, invalid), (vec![*leaf], 0, 1), "{request}");
    }
}

#[test]
fn breaches_are_reported_where_the_mode_or_the_contract_refuses_none() {
    for (request, leaf) in BREACHES {
        let lax = |route: &mut Route| {
            if let Some(openapi) = &mut route.openapi {
                openapi.strict = false;
            }
        };
        for change in [lax, |route: &mut Route| route.settings.mode = Mode::DetectOnly] {
            let (compared, leaves, _) = compare(&lines(request), change);
            assert!(compared.is_ok() && leaves == [*leaf], "{request}: {compared:?} {leaves:?}");
        }
        // A leaf that is off finds nothing.
        let (compared, leaves, _) = compare(&lines(request), |route| route.settings.leaves.remove(*leaf));
        assert!(compared.is_ok() && leaves.is_empty(), "{request}: {compared:?} {leaves:?}");
    }
}

#[test]
fn what_a_contract_does_not_speak_of_is_allowed() {
    let preflight = "OPTIONS /orders/7#Origin: https://b\nAccess-Control-Request-Method: GET";
    let (compared, leaves, counted) = compare(&lines(preflight), |_| {});
    assert_eq!((compared, leaves, counted), (Ok(false), Vec::new(), [0, 0, 0]));
    // A parameter that is not declared is remarked upon.
    let (compared, leaves, _) = compare(&lines("GET /orders/7?other=1"), |_| {});
    assert_eq!((compared, leaves), (Ok(true), vec![Leaf::OpenapiParameterMismatch]));
    // A path that is not declared is counted, even where that is allowed.
    let off = |route: &mut Route| route.settings.leaves.remove(Leaf::OpenapiPathNotInSpec);
    assert_eq!(compare(&lines("GET /nowhere"), off), (Ok(false), Vec::new(), [0, 0, 1]));
}

#[test]
fn bodies_are_judged_whole_or_as_the_prefix_that_they_are() {
    let mut exchange = exchange(add_contract);
    let lines = format!("POST /orders HTTP/1.1\nHost: a{BODY}");
    let contracted = testing::contracted(head(&lines), &mut exchange);
    let operation = contracted.operation.expect("the operation is declared");
    for (body, is_whole, is_kept) in [
        (r#"{"name":"a"}"#, true, true),
        (r#"{"name":"a","more":[1]}"#, true, true),
        (r#"{"name":"a""#, false, true),
        (r#"{"other":1}"#, true, false),
        ("[]", true, false),
        (r#"{"name":"#, true, false),
        ("", true, false),
    ] {
        assert_eq!(operation.judge(body.as_bytes(), is_whole).is_ok(), is_kept, "{body} {is_whole}");
    }
}
