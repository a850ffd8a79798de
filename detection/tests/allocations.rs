//! Everyday requests cost no allocation once the buffers of an inspection are there.

use std::sync::Arc;

use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_shared::catalog::LeafSet;

const HEADERS: &[(&str, &str)] = &[
    ("Host", "shop.example.org"),
    ("sec-ch-ua", "\"Not/A)Brand\";v=\"8\", \"Chromium\";v=\"126\", \"Google Chrome\";v=\"126\""),
    (
        "User-Agent",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    ),
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"),
    ("Accept-Encoding", "gzip, deflate, br"),
    ("Accept-Language", "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"),
    ("Referer", "https://shop.example.org/topic/873-that-insulation?page=2&q=fish+%26+chips"),
    (
        "Cookie",
        "_ga=GA1.2.5428161883.1795742985; session=WqM1MSNuBMYabeBSNPJfFk8oAZUBVKGnPaBWvmgxjQw0irXDlCGKVlrfOjMuOQpG; theme=dark",
    ),
    ("X-Requested-With", "XMLHttpRequest"),
];

fn get(inspection: &mut Inspection) {
    inspection.reset(LeafSet::defaults(), Bounds::DEFAULT, OnHit::Stop, Budget::UNLIMITED);
    inspection.path(b"/topic/873-that-insulation-out-there-with/page/2");
    inspection.query(b"q=garden+chairs+%26+tables&page=2&sort=price-asc&note=the+driver's+fault;+really");
    for (name, value) in HEADERS {
        inspection.header(name.as_bytes(), value.as_bytes());
    }
    assert!(!inspection.verdict().blocks());
}

#[test]
fn everyday_requests_cost_none() {
    let engine = Arc::new(waf_detection::rules::engine());
    let mut inspection =
        Inspection::new(engine, LeafSet::defaults(), Bounds::DEFAULT, OnHit::Stop, Budget::UNLIMITED);
    for _ in 0..3 {
        get(&mut inspection);
    }
    let allocations = allocation_counter::measure(|| get(&mut inspection));
    assert_eq!((allocations.count_total, allocations.bytes_total), (0, 0));
}
