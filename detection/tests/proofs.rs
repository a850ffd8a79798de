//! Runs every rule's own proofs through the whole engine.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::HashSet;
use std::sync::Arc;

use waf_detection::budget::Budget;
use waf_detection::field::{Field, Place};
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::{Answer, Recorded};
use waf_detection::response::ResponseInspection;
use waf_detection::rule::{Rule, RuleMatcher};
use waf_detection::verdict::Verdict;
use waf_detection::{Engine, rules};
use waf_shared::catalog::LeafSet;

const BOUNDS: Bounds = Bounds::DEFAULT;

/// Where a decoded value is put for `rule`: the plainest place that it looks at.
fn place_of(rule: &Rule) -> (Place, &'static [u8]) {
    const ORDER: &[(Place, &[u8])] = &[
        (Place::Json, b"comment"),
        (Place::FileName, b"file"),
        (Place::Header, b"User-Agent"),
        (Place::Cookie, b"session"),
        (Place::Query, b"q"),
        (Place::Path, b""),
        (Place::PathSegment, b""),
        (Place::Body, b""),
        (Place::Xml, b"note"),
        (Place::PartHeader, b"content-type"),
        (Place::JsonKey, b""),
        (Place::QueryName, b""),
        (Place::CookieName, b""),
    ];
    if let RuleMatcher::DetectedInField { place, name } = rule.matcher {
        return (place, name.as_bytes());
    }
    *ORDER.iter().find(|(place, _)| rule.places.contains(*place)).expect("a rule looks somewhere")
}

fn judge(engine: &Arc<Engine>, rule: &Rule, leaves: LeafSet, value: &str) -> Verdict {
    if matches!(rule.matcher, RuleMatcher::Response(_)) {
        return judge_response(engine, leaves, value);
    }
    let mut inspection = Inspection::new(Arc::clone(engine), leaves, BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
    if matches!(rule.matcher, RuleMatcher::RequestHead) {
        Recorded::parse(value.as_bytes()).show(&mut inspection);
        return inspection.verdict().clone();
    }
    let (place, name) = place_of(rule);
    inspection.field(&Field { place, name, value: value.as_bytes() });
    inspection.verdict().clone()
}

/// A value of a rule on responses is a body, a response, or a request and its response.
fn judge_response(engine: &Arc<Engine>, leaves: LeafSet, value: &str) -> Verdict {
    let mut inspection =
        ResponseInspection::new(Arc::clone(engine), leaves, OnHit::GoOn, Budget::UNLIMITED, 128 << 10);
    let (request, response) = match value.split_once("\r\n\r\n") {
        Some((request, response)) if request.starts_with("GET ") => (Some(request), response),
        _ => (None, value),
    };
    let media_type = match response.as_bytes() {
        [b'<', next, ..] if *next != b'?' => "text/html",
        [b'{', ..] => "application/json",
        _ => "text/plain",
    };
    let response = if response.starts_with("HTTP/") {
        response.to_owned()
    } else {
        format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n{response}")
    };
    let request = request.map(|request| Recorded::parse(request.as_bytes()));
    Answer::parse(response.as_bytes()).show(request.as_ref(), &mut inspection);
    inspection.into_verdict()
}

fn ids(verdict: &Verdict) -> Vec<&'static str> {
    verdict.matches.iter().map(|found| found.rule.id).collect()
}

/// Every leaf, so that opt-in rules are proved too.
fn every_leaf() -> LeafSet {
    waf_shared::catalog::TABLE.iter().map(|row| row.leaf).collect()
}

#[test]
fn rules_are_well_formed() {
    let mut seen = HashSet::new();
    let mut wrong = Vec::new();
    for rule in rules::all() {
        let mut check = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{}: {what}", rule.id));
            }
        };
        let name = rule.id.strip_prefix(rule.leaf.name()).and_then(|rest| rest.strip_prefix('/'));
        check(
            name.is_some_and(|name| {
                !name.is_empty()
                    && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            }),
            "the id is <leaf name>/<kebab-case name>",
        );
        check(seen.insert(rule.id), "the id is unique");
        check((1..=5).contains(&rule.weight), "the weight is 1 to 5");
        check(rule.attacks.len() >= 3 && rule.benign.len() >= 3, "three attacks, three everyday values");
        check(rule.summary.len() > 15 && rule.summary.ends_with('.'), "the summary is a sentence");
        if let RuleMatcher::Pattern { literals, .. } = rule.matcher {
            check(!literals.is_empty(), "a pattern has literals");
            check(literals.iter().all(|l| **l == l.to_ascii_lowercase()), "literals are in lower case");
            for attack in rule.attacks {
                let lower = attack.to_ascii_lowercase();
                check(literals.iter().any(|literal| lower.contains(literal)), "attacks hold a literal");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn attacks_are_found_and_everyday_values_pass() {
    let engine = Arc::new(waf_detection::rules::engine());
    let mut wrong = Vec::new();
    for rule in rules::all() {
        for attack in rule.attacks {
            let verdict = judge(&engine, rule, every_leaf(), attack);
            if !ids(&verdict).contains(&rule.id) {
                wrong.push(format!("{} misses {attack:?}, found {:?}", rule.id, ids(&verdict)));
            }
        }
        for value in rule.benign {
            if ids(&judge(&engine, rule, every_leaf(), value)).contains(&rule.id) {
                wrong.push(format!("{} takes {value:?} for an attack", rule.id));
            }
            let verdict = judge(&engine, rule, LeafSet::defaults(), value);
            if verdict.blocks() {
                wrong.push(format!("{}: everyday {value:?} is blocked by {:?}", rule.id, ids(&verdict)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn literals_of_detectors_are_in_lower_case() {
    for detector in rules::detectors() {
        assert!(
            detector.literals().all(|literal| !literal.is_empty() && literal == literal.to_ascii_lowercase()),
            "{}",
            detector.name
        );
    }
}

#[test]
fn every_detected_rule_has_a_detector() {
    for bucket in rules::buckets() {
        let is_detected =
            |rule: &Rule| matches!(rule.matcher, RuleMatcher::Detected | RuleMatcher::DetectedInField { .. });
        let detected = bucket.rules().any(is_detected);
        assert!(!detected || !bucket.detectors.is_empty(), "{:?}", bucket.rules().next().map(|rule| rule.id));
    }
}
