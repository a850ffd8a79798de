//! Protections that the data plane enforces, each with every other one disabled: what it refuses, with which status, and
//! that the event names it alone. `detection/tests/catalog.rs` does the same for those that rules and parsers enforce, and
//! fails when a protection is in neither.

#[path = "leaves/connections.rs"]
mod connections;
#[path = "leaves/rows.rs"]
mod rows;

use std::fmt::Write as _;

use rows::{HEADERS, Header, ROWS, Row, body_of};
use serde_json::Value;
use waf_shared::catalog::{Leaf, TABLE, families};
use waf_tests::contract::blocked;
use waf_tests::origin::{Answer, Origin};
use waf_tests::raw::{self, Request};
use waf_tests::running::{Start, Waf, with_routes};

/// The document of the routes with a contract.
const ORDERS: &str = r#"
openapi: 3.0.3
info: { title: orders, version: "1" }
paths:
  /v1/orders:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
      responses:
        200: { description: ok, content: { application/json: { schema: { type: object } } } }
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [item] } } }
      responses: { 200: { description: ok } }
"#;

/// Every family off, and one protection on.
fn only(leaf: &str) -> String {
    format!("disable: [{}]\n    enable: [{leaf}]\n", families().join(", "))
}

/// One route for each leaf, under its name, that enforces nothing else.
fn waf(origin: &Origin) -> Waf {
    let mut routes = String::new();
    let own = ROWS.iter().map(|row| (row.leaf, row.settings));
    for (leaf, settings) in own.chain(HEADERS.iter().map(|header| (header.leaf, ""))) {
        if routes.contains(&format!("paths: [/{leaf},")) {
            continue;
        }
        let _ = write!(
            routes,
            "  - match: {{ paths: [/{leaf}, /{leaf}/*] }}\n    upstream: {}\n    rewrite: {{ strip_prefix: /{leaf} }}\n    {}",
            origin.url(),
            only(leaf)
        );
        if !settings.is_empty() {
            let _ = writeln!(routes, "    {settings}");
        }
    }
    let all = families().join(", ");
    let _ = write!(routes, "  - id: rest\n    upstream: {}\n    disable: [{all}]\n", origin.url());
    Start::new().file("orders.yaml", ORDERS).run(&with_routes(&routes))
}

fn protections(event: &Value) -> Vec<&str> {
    event["waf"]["matched_protections"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The request of a row under its own prefix, CRLF for LF.
fn bytes(row: &Row) -> Vec<u8> {
    let (head, body) = row.request.split_once("\n\n").unwrap_or((row.request, ""));
    let body = body_of(row.leaf, body);
    let mut head = head.replace("{}", &format!("/{}", row.leaf));
    if !head.contains("Host:") && row.leaf != "request-validation-require-host-header" {
        head.push_str("\nHost: shop.example");
    }
    if !body.is_empty() && !head.contains("Content-Length") {
        let _ = write!(head, "\nContent-Length: {}", body.len());
    }
    let mut bytes = head.replace('\n', "\r\n").into_bytes();
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes.extend_from_slice(&body);
    bytes
}

#[test]
fn each_refuses_alone() {
    let origin = Origin::answering(|_| Answer::new(200, &[("Content-Type", "application/json")], "[]"));
    let waf = waf(&origin);
    for row in ROWS {
        let response =
            raw::send(waf.port, bytes(row)).unwrap_or_else(|fault| panic!("{}: {fault}", row.leaf));
        assert_eq!(response.status, row.status, "{}: {}", row.leaf, row.request);
        // What is only reported passes, and an answer that breaks the contract is an upstream's fault.
        let id = if matches!(row.status, 200 | 502) {
            response.field("X-Request-Id").expect("every response carries one").to_owned()
        } else {
            blocked(&response, row.status)
        };
        assert_eq!(protections(&waf.event_of(&id)), [row.leaf], "{}", row.request);
    }
}

#[test]
fn each_header_is_set_or_removed_alone() {
    let own: Vec<(&str, &str)> = HEADERS.iter().filter(|h| h.removed).map(|h| (h.name, "x/1.2.3")).collect();
    let origin = Origin::answering(move |_| Answer::new(200, &own, "hello"));
    let waf = waf(&origin);
    for Header { leaf, name, removed } in HEADERS {
        let response = Request::get(format!("/{leaf}/")).to(waf.port);
        assert_eq!(response.field(name).is_some(), !removed, "{leaf}: {name}");
        for other in HEADERS.iter().filter(|other| other.leaf != *leaf) {
            assert_eq!(response.field(other.name).is_some(), other.removed, "{leaf} touches {}", other.name);
        }
    }
}

#[test]
fn examples_of_the_catalog_are_sent() {
    let rows: Vec<String> = ROWS.iter().map(|row| row.request.replace("{}", "")).collect();
    for row in TABLE.iter().filter(|row| ROWS.iter().any(|own| own.leaf == row.name)) {
        for span in row.summary.split('`').skip(1).step_by(2) {
            let is_example = span.contains(": ") || span.starts_with(['?', '/']) || span.contains(" /");
            let is_of_rules = row.leaf == Leaf::HttpAttacksRequestSmuggling && span.starts_with('?');
            assert!(
                !is_example || is_of_rules || rows.iter().any(|request| request.contains(span)),
                "no row of {} sends `{span}`",
                row.name
            );
        }
    }
}
