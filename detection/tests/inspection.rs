//! The inspection as a caller sees it: splitting, limits, score, budget, and that chunking makes no difference.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::cell::Cell;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use proptest::prelude::*;
use waf_detection::Engine;
use waf_detection::body::{BodyKind, Completeness};
use waf_detection::budget::Budget;
use waf_detection::field::Place;
use waf_detection::inspection::{Bounds, Files, Inspection, OnHit};
use waf_detection::verdict::Verdict;
use waf_detection::view::View;
use waf_shared::catalog::{self, Leaf, LeafSet};

const BOUNDS: Bounds = Bounds::DEFAULT;

fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    Arc::clone(ENGINE.get_or_init(|| Arc::new(waf_detection::rules::engine())))
}

/// Leaves with well-known rules and the limits, so that these tests do not depend on other rules.
fn leaves() -> LeafSet {
    LeafSet::from_iter([
        Leaf::LocalFileAccessDotDotPaths,
        Leaf::LocalFileAccessOsFiles,
        Leaf::LocalFileAccessDotfiles,
        Leaf::JavaInjectionLog4shell,
        Leaf::ScannerDetectionUserAgent,
        Leaf::RequestValidationArgumentLimits,
        Leaf::HttpComplianceMalformedBody,
        Leaf::JsonParsingMaxDepth,
        Leaf::JsonParsingMaxKeys,
        Leaf::ResourceLimitsEvaluationTimeout,
    ])
}

/// Every detector and every pattern.
fn every_leaf() -> LeafSet {
    waf_shared::catalog::TABLE.iter().map(|row| row.leaf).collect()
}

fn inspection(on_hit: OnHit) -> Inspection {
    Inspection::new(engine(), leaves(), BOUNDS, on_hit, Budget::UNLIMITED)
}

fn body(media_type: &str, chunks: &[&[u8]], completeness: Completeness) -> Verdict {
    let mut inspection = inspection(OnHit::GoOn);
    inspection.body(media_type.as_bytes());
    for chunk in chunks {
        inspection.feed(chunk);
    }
    inspection.finish_body(completeness);
    inspection.verdict().clone()
}

fn places(verdict: &Verdict) -> Vec<(Place, String)> {
    verdict.matches.iter().map(|m| (m.place, String::from_utf8_lossy(&m.name).into_owned())).collect()
}

#[test]
fn the_head_is_split_into_fields() {
    let mut inspection = inspection(OnHit::GoOn);
    inspection.path(b"/a/..%2f..%2fb");
    inspection.query(b"q=hello+world&file=%2Fetc%2Fpasswd&/proc/self/environ");
    inspection.header(b"Cookie", b"a=1; theme=\"../../../x\"; b=2");
    inspection.header(b"X-Api-Version", b"${jndi:ldap://203.0.113.5/a}");
    inspection.header(b"User-Agent", b"sqlmap/1.8");
    let found = places(inspection.verdict());
    for (place, name) in [
        (Place::Path, ""),
        (Place::Query, "file"),
        (Place::Query, ""),
        (Place::Cookie, "theme"),
        (Place::Header, "X-Api-Version"),
        (Place::Header, "User-Agent"),
    ] {
        assert!(found.contains(&(place, name.to_owned())), "{place} {name}: {found:?}");
    }
    let file = inspection.verdict().matches.iter().find(|m| m.name == b"file").unwrap();
    assert_eq!((file.view, file.excerpt.as_slice()), (View::Percent, &b"/etc/passwd"[..]));
}

#[test]
fn components_without_an_equals_sign_are_values() {
    let mut inspection = inspection(OnHit::GoOn);
    inspection.query(b"a=1&/etc/passwd&b");
    assert!(places(inspection.verdict()).contains(&(Place::Query, String::new())));
}

#[test]
fn a_query_that_is_no_list_of_pairs_is_judged_whole() {
    let blocks = |query: &str| {
        let leaves = LeafSet::defaults();
        let mut inspection = Inspection::new(engine(), leaves, BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
        inspection.query(query.as_bytes());
        inspection.verdict().blocks()
    };
    for query in [
        "<x onblur=alert(1)>",
        "%3Cx%20onblur=alert(1)%3E",
        "<x+onblur=alert(1)+a=b&c=d>",
        "a=1&<x onblur=alert(1)&&b>",
        "1'or'1'='1",
        "<img src=x&amp;onerror=alert(1)>",
    ] {
        assert!(blocks(query), "{query}");
    }
    for query in [
        "a=1&b=2",
        "some words=here&b=2",
        "filter[name]=O'Neil&$top=5&$filter=a eq 'b'",
        "{\"a\":\"b=c\"}",
        "v=1.2|page:Home|a:{%22ok%22:0,%22n%22:[1,2]}&t=5",
        "20240610T080000Z",
    ] {
        assert!(!blocks(query), "{query}");
    }
}

#[test]
fn everyday_heads_pass() {
    let mut inspection = inspection(OnHit::GoOn);
    inspection.path(b"/products/42/reviews");
    inspection.query(b"page=2&sort=price&q=fish+%26+chips");
    inspection.header(b"Accept", b"text/html,*/*;q=0.8");
    inspection.header(b"Referer", b"https://shop.example.org/a/b?next=%2Fcart");
    inspection.header(b"Cookie", b"_ga=GA1.2.5428161883.1795742985; theme=dark");
    assert!(!inspection.verdict().blocks() && inspection.verdict().matches.is_empty());
}

#[test]
fn blocking_ends_with_the_field_and_reset_forgets_it() {
    let mut inspection = inspection(OnHit::Stop);
    inspection.query(b"a=/etc/passwd&b=/etc/shadow");
    inspection.header(b"User-Agent", b"sqlmap/1.8");
    assert!(inspection.verdict().blocks());
    assert!(places(inspection.verdict()).iter().all(|(_, name)| name == "a"));
    inspection.reset(leaves(), BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
    assert!(!inspection.verdict().blocks());
    inspection.query(b"a=/etc/passwd&b=/etc/shadow");
    let all = places(inspection.verdict());
    assert_eq!((all.len(), all[1].1.as_str()), (2, "b"));
}

#[test]
fn a_header_that_was_clean_for_one_set_of_leaves_is_judged_for_another() {
    let mut inspection = inspection(OnHit::GoOn);
    let mut blocks = |leaves: LeafSet| {
        inspection.reset(leaves, BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
        inspection.header(b"User-Agent", b"sqlmap/1.9.9");
        inspection.verdict().blocks()
    };
    assert!(!blocks(LeafSet::EMPTY) && !blocks(LeafSet::EMPTY));
    assert!(blocks(leaves()) && blocks(leaves()));
    assert!(!blocks(LeafSet::EMPTY));
}

#[test]
fn weak_evidence_of_one_technique_never_blocks_over_fields() {
    let mut inspection = inspection(OnHit::GoOn);
    inspection.query(b"a=../x&b=../y&c=../z&d=../u");
    let verdict = inspection.verdict();
    assert_eq!((verdict.matches.len(), verdict.score, verdict.blocks()), (4, 4, false));
}

#[test]
fn a_leaf_that_is_off_finds_nothing() {
    let mut inspection = Inspection::new(engine(), LeafSet::EMPTY, BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
    inspection.query(b"a=/etc/passwd");
    inspection.query("x&".repeat(2000).as_bytes());
    assert!(inspection.verdict().matches.is_empty() && !inspection.verdict().blocks());
}

#[test]
fn argument_limits_hold() {
    let violates = |query: &str| {
        let mut inspection = inspection(OnHit::GoOn);
        inspection.query(query.as_bytes());
        inspection.verdict().leaves().contains(Leaf::RequestValidationArgumentLimits)
    };
    assert!(!violates(&"a=1&".repeat(1000)) && violates(&"a=1&".repeat(1001)));
    let name = |bytes| format!("{}=1", "n".repeat(bytes));
    assert!(!violates(&name(1024)) && violates(&name(1025)));
    assert!(!violates(&"v".repeat(5000)) && !violates(&format!("a=1&{}", "%7B%22a%22".repeat(500))));
}

#[test]
fn bodies_are_read_by_their_type() {
    let kind = |media_type: &str| inspection(OnHit::GoOn).body(media_type.as_bytes());
    assert_eq!(kind("application/json"), BodyKind::Json);
    assert_eq!(kind("multipart/form-data; boundary=x"), BodyKind::Multipart);
    let form = body(
        "application/x-www-form-urlencoded",
        &[b"a=1&f=..%2F..%2F..%2Fetc%2Fpasswd"],
        Completeness::Whole,
    );
    assert!(places(&form).contains(&(Place::Form, "f".into())));
    let json = body("application/json", &[br#"{"a": {"f": "\u002fetc\u002fpasswd"}}"#], Completeness::Whole);
    assert_eq!(places(&json), [(Place::Json, "a.f".into())]);
    let text = body("text/plain", &[b"/etc/passwd"], Completeness::Whole);
    assert_eq!(places(&text), [(Place::Body, String::new())]);
    let sniffed = body("text/plain", &[br#"{"f": "\u002fetc\u002fpasswd"}"#], Completeness::Whole);
    assert!(places(&sniffed).contains(&(Place::Json, "f".into())));
}

#[test]
fn documents_inside_values_are_read() {
    let query = |text: &str| {
        let mut inspection = inspection(OnHit::GoOn);
        inspection.query(text.as_bytes());
        places(inspection.verdict())
    };
    let json = |name: &str| (Place::Json, name.to_owned());
    for (text, name) in [
        ("filter=%7B%22f%22%3A%22%5Cu002fetc%2Fpasswd%22%7D", "filter.f"),
        ("filter={\"a\":{\"f\":[1,\"/etc/passwd\"]}}", "filter.f"),
        ("filter=[\"/etc/passwd\"]", "filter"),
        // Twice the same name, and no end of the inner object: a lenient reader goes on, too.
        ("filter={\"f\":1,\"f\":{\"f\":\"/etc/passwd\"}", "filter.f"),
        ("query={file(path: \"/etc/passwd\"){id}}", "query.path"),
        ("query=mutation+m+%7Bput(t:+%22%22%22/etc/passwd%22%22%22)%7D", "query.t"),
        // `{"f":"/etc/passwd"}`
        ("filter=eyJmIjoiL2V0Yy9wYXNzd2QifQ==", "filter.f"),
    ] {
        assert!(query(text).contains(&json(name)), "{text}: {:?}", query(text));
    }
    let nested = r#"{"event": "{\"f\":\"/etc/passwd\"}"}"#;
    let found = places(&body("application/json", &[nested.as_bytes()], Completeness::Whole));
    assert!(found.contains(&json("event.f")), "{found:?}");
    let form = body(
        "application/x-www-form-urlencoded",
        &[b"d={\"f\":\"..%2F..%2F..%2Fetc%2Fpasswd\"}"],
        Completeness::Whole,
    );
    assert!(places(&form).contains(&json("d.f")));
    let mut cookie = inspection(OnHit::GoOn);
    cookie.header(b"Cookie", b"prefs=%7B%22f%22%3A%22%2Fetc%2Fpasswd%22%7D");
    assert!(places(cookie.verdict()).contains(&json("prefs.f")));
}

#[test]
fn everyday_documents_inside_values_pass() {
    let mut everything =
        Inspection::new(engine(), LeafSet::defaults(), BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
    for text in [
        r#"filter={"name":{"eq":"O'Brien"},"page":2,"tags":["a & b","R&D"]}"#,
        r#"variables={"id":"42","text":"It's 5 o'clock; see you -- Anna"}"#,
        r#"query={products(first:10,query:"men's shoes; size 9"){edges{node{title}}}}"#,
        r#"state={"returnTo":"/account/orders?page=2","nonce":"n-0S6_WzA2Mj"}"#,
        "state=eyJyZXR1cm5UbyI6Ii9hY2NvdW50L29yZGVycz9wYWdlPTIiLCJub25jZSI6Im4tMFM2X1d6QTJNaiJ9",
    ] {
        everything.query(text.as_bytes());
        assert!(!everything.verdict().blocks(), "{text}: {:?}", everything.verdict());
    }
}

#[test]
fn malformed_json_is_refused_and_its_rest_is_judged() {
    let verdict = body("application/json", &[br#"{"a": 1, oops "f": "/etc/passwd"}"#], Completeness::Whole);
    assert!(verdict.leaves().contains(Leaf::HttpComplianceMalformedBody) && verdict.blocks());
    assert!(verdict.leaves().contains(Leaf::LocalFileAccessOsFiles));
    assert!(!body("application/json", &[br#"{"a": "b"#], Completeness::CutOff).blocks());
    assert!(body("application/json", &[br#"{"a": "b"#], Completeness::Whole).blocks());
    assert!(!body("application/json", &[], Completeness::Whole).blocks());
}

#[test]
fn bytes_beyond_the_inspected_size_are_passed_over() {
    let mut long = b"a=".to_vec();
    long.resize(BOUNDS.max_inspect_size as usize, b'x');
    let filled = body("application/x-www-form-urlencoded", &[&long, b"&f=/etc/passwd"], Completeness::Whole);
    assert!(filled.matches.is_empty());
    let json = [b"[\"", long.as_slice()].concat();
    assert!(!body("application/json", &[&json, b"\"] trailing"], Completeness::Whole).blocks());
}

#[test]
fn attacks_behind_a_long_filling_are_found() {
    for at in [1000, 65_530, 65_536, 61_440, 120_000] {
        let mut value = "A".repeat(at).into_bytes();
        value.extend_from_slice(b" ${jndi:ldap://203.0.113.5/a} ");
        value.resize(at + 4000, b'B');
        let form = [b"a=".as_slice(), &value].concat();
        let verdict = body("application/x-www-form-urlencoded", &[&form], Completeness::Whole);
        assert!(verdict.leaves().contains(Leaf::JavaInjectionLog4shell), "{at}");
        assert!(
            body("", &[&value], Completeness::Whole).leaves().contains(Leaf::JavaInjectionLog4shell),
            "{at}"
        );
    }
}

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// A clock that runs a millisecond with each look.
fn ticking() -> Duration {
    NOW.with(|now| {
        now.set(now.get() + 1);
        Duration::from_millis(now.get())
    })
}

#[test]
fn running_out_of_budget_is_a_violation() {
    let run = |limit, leaves| {
        let budget = Budget { limit: Duration::from_millis(limit), clock: ticking, ..Budget::UNLIMITED };
        let mut inspection = Inspection::new(engine(), leaves, BOUNDS, OnHit::GoOn, budget);
        inspection.body(b"text/plain");
        inspection.feed("../ ".repeat(30_000).as_bytes());
        inspection.finish_body(Completeness::Whole);
        inspection.verdict().clone()
    };
    let short = run(3, leaves());
    assert!(
        short.timed_out && short.leaves().contains(Leaf::ResourceLimitsEvaluationTimeout) && short.blocks()
    );
    let long = run(100_000, leaves());
    assert!(!long.timed_out);
    let mut unenforced = leaves();
    unenforced.remove(Leaf::ResourceLimitsEvaluationTimeout);
    assert!(!run(3, unenforced).timed_out);
}

#[test]
fn file_contents_that_pass_by_take_no_time() {
    let budget = Budget { limit: Duration::from_millis(10), clock: ticking, ..Budget::UNLIMITED };
    let bounds = Bounds { files: Files { bytes: u64::MAX, ..BOUNDS.files }, ..BOUNDS };
    let mut inspection = Inspection::new(engine(), leaves(), bounds, OnHit::GoOn, budget);
    inspection.body(b"multipart/form-data; boundary=b");
    inspection.feed(b"--b\r\nContent-Disposition: form-data; name=f; filename=a.raw\r\n\r\n");
    for _ in 0..200 {
        inspection.feed(&[b'x'; 16 << 10]);
    }
    assert!(!inspection.verdict().timed_out);
    // What follows the file is evaluated, and that counts.
    inspection.feed(b"\r\n--b\r\nContent-Disposition: form-data; name=t\r\n\r\n");
    inspection.feed("../ ".repeat(30_000).as_bytes());
    inspection.finish_body(Completeness::CutOff);
    assert!(inspection.verdict().timed_out);
}

#[test]
fn small_heads_never_look_at_the_clock() {
    let budget = Budget {
        limit: Duration::from_millis(50),
        clock: || unreachable!("a small head needs no clock"),
        ..Budget::UNLIMITED
    };
    let mut inspection = Inspection::new(engine(), leaves(), BOUNDS, OnHit::Stop, budget);
    inspection.path(b"/products/42");
    inspection.query(b"page=2&sort=price");
    inspection.header(b"User-Agent", b"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36");
    inspection.header(b"Cookie", "session=0123456789abcdef; ".repeat(16).as_bytes());
    assert!(!inspection.verdict().blocks());
}

#[test]
fn the_rule_set_has_one_name() {
    assert_eq!(waf_detection::rules::engine().rule_set_digest(), engine().rule_set_digest());
}

fn verdicts_agree(one: &Verdict, other: &Verdict) -> bool {
    let shape = |verdict: &Verdict| {
        let matches: Vec<_> = verdict
            .matches
            .iter()
            .map(|m| (m.rule.id, m.place, m.name.clone(), m.view, m.offset, m.excerpt.clone()))
            .collect();
        (matches, verdict.violations.clone(), verdict.score)
    };
    shape(one) == shape(other)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunks_make_no_difference(
        kind in prop::sample::select(&["application/json", "application/x-www-form-urlencoded", "text/plain"][..]),
        pieces in prop::collection::vec(
            prop::sample::select(&[
                "{\"a\":", "\"b\"", "}", "[", "]", ",", ":", "\"k\":", "1.5", "&", "=", "f=", "a=1", "%2e%2e%2f", "../../../",
                "/etc/passwd", "${jndi:", "ldap}", "\\u002f", "\\", "\"", " ", "+", "é", "\u{1F600}", "true", "nul", "\n",
            ][..]),
            0..40,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        cut_off in any::<bool>(),
    ) {
        let document = pieces.concat().into_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(document.len() + 1)).collect();
        cuts.extend([0, document.len()]);
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &document[pair[0]..pair[1]]).collect();
        let cut = if cut_off { Completeness::CutOff } else { Completeness::Whole };
        let (whole, parts) = (body(kind, &[&document], cut), body(kind, &chunks, cut));
        prop_assert!(verdicts_agree(&whole, &parts), "{whole:?}\n{parts:?}");
    }

    #[test]
    fn no_marks_bring_it_down(
        pieces in prop::collection::vec(
            prop::sample::select(&[
                "'", "\"", "`", "<", ">", "</", "<!--", "-->", "/*", "*/", "--", "#", ";", "|", "&&", "$(", "${", ")", "}", "{", "(",
                "[", "]", "\\", "/", "../", "%", "%27", "&lt;", "&#", "0x", "select", "union", "or", "1", "=", " ", "\n", "script",
                "onerror", "on", "javascript:", "cat", "echo", "$IFS", "@", "!", "*", "?", "~", "\u{ff07}", "\u{2019}", "\0", ":",
            ][..]),
            0..120,
        ),
    ) {
        let mut inspection =
            Inspection::new(engine(), every_leaf(), BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
        inspection.body(b"text/plain");
        inspection.feed(pieces.concat().as_bytes());
        inspection.finish_body(Completeness::Whole);
        prop_assert!(inspection.verdict().matches.len() <= 32);
    }

    #[test]
    fn no_bytes_bring_it_down(bytes in prop::collection::vec(any::<u8>(), 0..600), kind in 0..3_usize) {
        let mut inspection =
            Inspection::new(engine(), every_leaf(), BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
        inspection.path(&bytes);
        inspection.query(&bytes);
        inspection.header(b"Cookie", &bytes);
        inspection.header(b"X-Anything", &bytes);
        inspection.body([&b"application/json"[..], b"application/x-www-form-urlencoded", b""][kind]);
        inspection.feed(&bytes);
        inspection.finish_body(Completeness::Whole);
        prop_assert!(inspection.verdict().matches.len() <= 32);
    }
}

#[test]
fn the_cost_is_counted_and_proofs_are_told_apart_by_family() {
    let budget = Budget { watch: ticking, ..Budget::UNLIMITED };
    let mut inspection = Inspection::new(engine(), leaves(), BOUNDS, OnHit::GoOn, budget);
    let place = |name| catalog::families().iter().position(|family| *family == name).expect("a family");
    let proofs = |inspection: &Inspection| inspection.cost().families().map(|(at, _)| at).collect::<Vec<_>>();
    inspection.body(b"text/plain");
    inspection.feed(b"an everyday sentence");
    inspection.finish_body(Completeness::Whole);
    assert!(proofs(&inspection).is_empty());
    let plain = inspection.cost().total();
    assert!(plain > Duration::ZERO);
    inspection.reset(leaves(), BOUNDS, OnHit::GoOn, budget);
    assert_eq!(inspection.cost().total(), Duration::ZERO);
    inspection.body(b"text/plain");
    inspection.feed(b"../../../../etc/passwd");
    inspection.finish_body(Completeness::Whole);
    assert!(proofs(&inspection).contains(&place("local-file-access")), "{:?}", inspection.cost());
    let proven: Duration = inspection.cost().families().map(|(_, time)| time).sum();
    assert!(inspection.cost().total() > proven, "what is shared counts too: {:?}", inspection.cost());
    inspection.reset(leaves(), BOUNDS, OnHit::GoOn, budget);
    assert!(proofs(&inspection).is_empty());
}
