//! What judging a response costs: `cargo bench -p waf-detection --bench responses`.
#![allow(clippy::unwrap_used, reason = "a bench")]

use std::sync::{Arc, LazyLock};

use divan::{Bencher, counter::BytesCount};
use waf_detection::Engine;
use waf_detection::budget::Budget;
use waf_detection::inspection::OnHit;
use waf_detection::response::{Asked, Head, ResponseInspection};
use waf_shared::catalog::LeafSet;

static ENGINE: LazyLock<Arc<Engine>> = LazyLock::new(|| Arc::new(waf_detection::rules::engine()));

fn main() {
    divan::main();
}

fn judge(content_type: &str, body: &[u8]) -> bool {
    let leaves = LeafSet::defaults();
    let engine = Arc::clone(&ENGINE);
    let mut inspection = ResponseInspection::new(engine, leaves, OnHit::Stop, Budget::UNLIMITED, 1 << 20);
    let head = Head { status: 200, content_type: content_type.as_bytes(), location: None };
    inspection.head(&Asked::default(), &head);
    inspection.feed(body);
    inspection.finish();
    inspection.verdict().blocks()
}

fn bench(bencher: Bencher<'_, '_>, content_type: &str, body: &[u8]) {
    assert!(!judge(content_type, body));
    bencher.counter(BytesCount::new(body.len())).bench(|| judge(content_type, body));
}

#[divan::bench]
fn image(bencher: Bencher<'_, '_>) {
    bench(bencher, "image/png", &vec![0x89; 64 << 10]);
}

#[divan::bench]
fn json_1k(bencher: Bencher<'_, '_>) {
    let row = "{\"id\":4711,\"name\":\"Blue kettle, 1.5 l\",\"price\":\"39.90\",\"stock\":12},";
    bench(bencher, "application/json", format!("[{}{{}}]", row.repeat(14)).as_bytes());
}

#[divan::bench]
fn html_64k(bencher: Bencher<'_, '_>) {
    let row = "<li class=\"item\"><a href=\"/shop/kettle?id=4711\">Blue kettle</a> <span class=\"price\">39.90</span>\n\
               <p>Boils a litre and a half in three minutes, and keeps it warm for an hour.</p></li>\n";
    let page = format!(
        "<!DOCTYPE html><html><head><title>Shop</title></head><body><ul>{}</ul></body></html>",
        row.repeat(370)
    );
    bench(bencher, "text/html", page.as_bytes());
}

/// Built to make every byte the beginning of a sign.
#[divan::bench]
fn worst_128k(bencher: Bencher<'_, '_>) {
    let row = "java.lang.ORA-SQLSTATE[ERROR Warning: <title>System.Web.uid=#0 mysql_<? ";
    bench(bencher, "text/plain", format!("the {}", row.repeat((128 << 10) / row.len())).as_bytes());
}
