//! Ten documents in the shape of real APIs, each with 200 paths.

use waf_contract::{Contract, Found, Sent};
use waf_shared::route::normalize;

use super::shape::document;
use crate::{compile, contract};

#[test]
fn ten_large_documents_compile_quickly() {
    let folder = tempfile::tempdir().unwrap();
    let mut slowest = std::time::Duration::ZERO;
    for seed in 0..10 {
        let text = document(seed);
        let began = std::time::Instant::now();
        let compiled = compile(folder.path(), &text);
        assert!(compiled.errors.is_empty(), "{:?}", compiled.errors);
        slowest = slowest.max(began.elapsed());
        let contract = &compiled.contract;
        assert_eq!((contract.paths.len(), contract.schemas.len() > 1000), (200, true));
        waf_contract::Contract::build(contract.clone()).unwrap();
    }
    // A release build on an idle machine is far below the second that is wanted; this is neither.
    assert!(slowest < std::time::Duration::from_secs(10), "{slowest:?}");
    println!("slowest of ten: {slowest:?}");
}

/// Measured by a bench in a release build (`cargo bench -p waf-contract`); here with a bound that no machine misses.
#[test]
fn small_requests_are_judged_quickly() {
    let contract = contract(&document(1));
    let began = std::time::Instant::now();
    let rounds = 2_000;
    for round in 0..rounds {
        assert!(judge(&contract, &format!("/r1/c1/items1/{round}")));
    }
    let each = began.elapsed() / rounds;
    assert!(each < std::time::Duration::from_millis(1), "{each:?}");
    println!("each request with its body: {each:?}");
}

fn judge(contract: &Contract, path: &str) -> bool {
    let Found::Operation(operation, found) = contract.find(&normalize(path.as_bytes()), b"PUT") else {
        return false;
    };
    let none = |_: &str| Vec::new();
    let parameters = contract.parameters(operation, &found, Sent { query: None, fields: &none });
    let body =
        b"{\"kind\":\"M1\",\"name1\":\"a\",\"amount1\":19.99,\"choice1\":\"2024-02-29\",\"children1\":[]}";
    let judged = contract.request_body(operation, 0, b"application/json", body, true);
    assert_eq!(judged, Ok(waf_contract::Judged::Whole));
    parameters.fault.is_none()
}
