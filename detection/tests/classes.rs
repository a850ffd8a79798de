//! Classes of attacks beside honest requests that look alike: the first are refused, the second pass.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "classes/attacks.rs"]
mod attacks;
#[path = "classes/engines.rs"]
mod engines;
#[path = "classes/markup.rs"]
mod markup;
#[path = "classes/normal_work.rs"]
mod normal_work;
#[path = "classes/objects.rs"]
mod objects;

use std::sync::{Arc, OnceLock};

use waf_detection::Engine;
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::Recorded;
use waf_shared::catalog::LeafSet;

/// Rules that refuse the request; none where it passes.
fn refused(request: &str) -> Vec<&'static str> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = Arc::clone(ENGINE.get_or_init(|| Arc::new(waf_detection::rules::engine())));
    let leaves = LeafSet::defaults();
    let mut inspection = Inspection::new(engine, leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    Recorded::parse(request.as_bytes()).show(&mut inspection);
    let verdict = inspection.verdict();
    let rules = verdict.matches.iter().map(|one| one.rule.id);
    let leaves = verdict.violations.iter().map(|one| one.leaf.name());
    if verdict.blocks() { rules.chain(leaves).collect() } else { Vec::new() }
}

fn coded(value: &str) -> String {
    let unreserved = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    value
        .bytes()
        .map(|byte| if unreserved(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn get(value: &str) -> String {
    format!("GET /a?value={} HTTP/1.1\r\nHost: shop.example\r\nAccept: text/html\r\n\r\n", coded(value))
}

fn passes(request: &str) {
    assert_eq!(refused(request), [""; 0], "{request}");
}

fn is_refused(request: &str) {
    assert!(!refused(request).is_empty(), "{request}");
}
