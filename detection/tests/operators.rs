//! Operators of document databases in whole requests: refused where a plain value belongs, passed in filters and updates.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use waf_detection::Engine;
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::Recorded;
use waf_shared::catalog::LeafSet;

/// A query, or the body of a POST when it begins as a document.
fn is_refused(engine: &Arc<Engine>, text: &str) -> bool {
    let raw = if text.starts_with(['{', '[']) {
        let head = "POST / HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\n";
        format!("{head}Content-Length: {}\r\n\r\n{text}", text.len())
    } else {
        let query = text.replace('"', "%22").replace('{', "%7B").replace('}', "%7D").replace(' ', "%20");
        format!("GET /?{query} HTTP/1.1\r\nHost: shop.example\r\n\r\n")
    };
    let leaves = LeafSet::defaults();
    let mut inspection =
        Inspection::new(Arc::clone(engine), leaves, Bounds::DEFAULT, OnHit::Stop, Budget::UNLIMITED);
    Recorded::parse(raw.as_bytes()).show(&mut inspection);
    inspection.verdict().blocks()
}

#[test]
fn operators_in_place_of_a_value_are_refused() {
    let engine = Arc::new(waf_detection::rules::engine());
    for text in [
        "user=ann&password[$ne]=",
        "username[$gt]=&password[$gt]=",
        "login[$nin][]=admin",
        "q[$ne]=x",
        "query[$regex]=.*",
        "filters[password][$regex]=^a",
        "token[$exists]=true",
        "data={\"user\":{\"$ne\":1}}",
        "user={\"$gt\":\"\"}",
        "{\"user\":{\"$gt\":\"\"}}",
        "{\"username\":{\"$in\":[\"admin\",\"root\"]},\"password\":\"x\"}",
        "{\"id\":{\"$ne\":0}}",
        "{\"$where\":\"sleep(5000)\"}",
        "{\"filter\":{\"$where\":\"this.a==1\"}}",
        "{\"variables\":{\"input\":{\"password\":{\"$ne\":null}}}}",
        "{\"$or\":[{\"a\":1}]}",
        "{\"filter\":1,\"user\":{\"$ne\":1}}",
        "filter={\"user\":{\"password\":{\"$regex\":\"^a\"}}}",
    ] {
        assert!(is_refused(&engine, text), "{text}");
    }
}

#[test]
fn filters_and_updates_pass() {
    let engine = Arc::new(waf_detection::rules::engine());
    for text in [
        "{\"event\":\"signup\",\"properties\":{\"$set\":{\"plan\":\"pro\"},\"$unset\":[\"trial\"]}}",
        "{\"$set\":{\"name\":\"Ann\"}}",
        "{\"user_properties\":{\"$add\":{\"logins\":1},\"$set\":{\"a\":\"b\"}}}",
        "{\"operationName\":\"P\",\"variables\":{\"filter\":{\"tags\":{\"$in\":[\"a\"]},\"votes\":{\"$gte\":10}}}}",
        "{\"selector\":{\"year\":{\"$gt\":2010},\"$or\":[{\"director\":{\"$ne\":\"b\"}}]},\"fields\":[\"_id\"]}",
        "filters[title][$eq]=Spring&filters[$or][0][price][$lt]=10",
        "roomId[$in][]=2&roomId[$in][]=5&$sort[createdAt]=-1&$limit=10",
        "createdAt[$gt]=2024-01-01",
        "where={\"age\":{\"$gte\":18}}",
        "filter={\"status\":{\"_eq\":\"published\"}}",
        "{\"ids\":{\"$in\":[1,2,3]}}",
    ] {
        assert!(!is_refused(&engine, text), "{text}");
    }
}
