//! Whole heads: arbitrary ones do no harm, and what one says does not leak into the next.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use proptest::prelude::*;
use waf_detection::Engine;
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::Recorded;
use waf_detection::request::{Head, Version};
use waf_detection::rule::{Rule, RuleMatcher};
use waf_detection::rules;
use waf_shared::catalog::{Leaf, LeafSet, TABLE};

fn every_leaf() -> LeafSet {
    TABLE.iter().map(|row| row.leaf).collect()
}

fn inspection(leaves: LeafSet) -> Inspection {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let engine = Arc::clone(ENGINE.get_or_init(|| Arc::new(waf_detection::rules::engine())));
    Inspection::new(engine, leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED)
}

fn found(inspection: &mut Inspection, head: &str) -> Vec<&'static str> {
    Recorded::parse(head.as_bytes()).show(inspection);
    inspection.verdict().matches.iter().map(|found| found.rule.id).collect()
}

#[test]
fn rules_of_heads_are_a_bucket_without_detectors() {
    let is_head = |rule: &Rule| matches!(rule.matcher, RuleMatcher::RequestHead);
    for bucket in rules::buckets().filter(|bucket| bucket.rules().any(is_head)) {
        assert!(bucket.rules().all(is_head) && bucket.detectors.is_empty());
    }
    assert!(rules::all().any(is_head));
}

#[test]
fn a_head_is_forgotten_with_its_request() {
    let leaves = LeafSet::from_iter([
        Leaf::SessionFixationExternalReferer,
        Leaf::SessionFixationMissingReferer,
        Leaf::HttpAttacksDuplicateParameters,
        Leaf::HttpComplianceMethodOverrideParam,
    ]);
    let mut inspection = inspection(leaves);
    let foreign = "GET /?PHPSESSID=a HTTP/1.1\nHost: a.example\nReferer: https://b.example/\n\n";
    assert_eq!(found(&mut inspection, foreign), ["session-fixation-external-referer/session-parameter"]);
    inspection.reset(leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    inspection.query(b"PHPSESSID=a&id=1&id=2&_method=PUT");
    assert!(inspection.verdict().matches.is_empty(), "without a head nothing is judged by one");
    inspection.reset(leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    assert_eq!(found(&mut inspection, "GET /?id=1 HTTP/1.1\nHost: a.example\n\n"), [""; 0]);
    inspection.reset(leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    let own = "GET /?id=1&PHPSESSID=a HTTP/1.1\nHost: a.example\nReferer: http://www.a.example/\n\n";
    assert_eq!(found(&mut inspection, own), [""; 0]);
}

#[test]
fn hostile_fields_cost_linear_time() {
    let mut inspection = inspection(every_leaf());
    let mut text = "GET / HTTP/1.1\nHost: a.example\n".to_owned();
    for (name, value) in [
        ("Range", "bytes=".to_owned() + &"0-1,".repeat(50_000)),
        ("Content-Type", "a/b".to_owned() + &";c=\"\\\"".repeat(50_000)),
        ("Accept", "a/b;c,".repeat(50_000)),
        ("Accept-Encoding", "gzip;q=1,".repeat(30_000)),
        ("Cache-Control", "a=\"b\",".repeat(50_000)),
        ("Connection", "a,".repeat(100_000)),
        ("Cookie", "a=.cookie;domain".repeat(20_000)),
        ("X", "a%0d%0ab".repeat(30_000)),
    ] {
        text.extend([name, ": ", value.as_str(), "\n"]);
    }
    let start = std::time::Instant::now();
    found(&mut inspection, &(text + "\n"));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_heads_never_panic(
        method in proptest::collection::vec(any::<u8>(), 0..20),
        path in proptest::collection::vec(any::<u8>(), 0..60),
        query in proptest::collection::vec(any::<u8>(), 0..80),
        names in proptest::collection::vec(0usize..12, 0..12),
        values in proptest::collection::vec("[ -~\r\n\t\u{80}-\u{ff}]{0,40}|[a-z]+/[a-z]+(;[a-z]+=[\"a-z]*){0,3}|[0-9,=-]{0,12}", 12),
    ) {
        const NAMES: [&str; 12] = [
            "Host", "Range", "Content-Type", "Accept", "Accept-Encoding", "Cache-Control", "Connection", "Cookie", "Referer",
            "Content-Transfer-Encoding", "Proxy", "X-Other",
        ];
        let fields: Vec<(&[u8], &[u8])> =
            names.iter().zip(&values).map(|(name, value)| (NAMES[*name].as_bytes(), value.as_bytes())).collect();
        let mut inspection = inspection(every_leaf());
        inspection.head(&Head {
            method: &method,
            version: Version::Http11,
            path: &path,
            query: Some(&query),
            fields: fields.iter().copied(),
            carries_body: query.len() % 2 == 0,
        });
        prop_assert!(inspection.verdict().score <= 1000);
    }
}
