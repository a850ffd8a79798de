//! A language and its rules, added as the table of ARCHITECTURE.md says and nowhere else: the language implements
//! [`Language`] (its folder in `languages/`), a bucket maps its signs to rules (a file of `detection/src/rules/`), and the
//! engine takes the bucket. Views, places, weights, proofs and the budget of time come by themselves.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use waf_detection::Engine;
use waf_detection::body::Completeness;
use waf_detection::budget::Budget;
use waf_detection::evidence::{Evidence, Subject};
use waf_detection::field::{Field, Place, Places};
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};
use waf_detection::verdict::Verdict;
use waf_languages::language::{Context, Findings, Input, Language};
use waf_shared::catalog::{Leaf, LeafSet};

// The language: statements of an imaginary controller of valves, `VALVE 3 OPEN!`, an order, or `VALVE 3 ?`, a question.

/// The language of the controller.
struct Valves;

/// A thing that a statement shows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ValveSign {
    /// A statement that moves a valve.
    Order,
    /// A statement that asks for its position.
    Question,
}

impl Language for Valves {
    type Sign = ValveSign;

    const NAME: &'static str = "valves";
    const TRIGGERS: &'static [&'static str] = &["valve "];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, ValveSign>) {
        let lower = input.bytes.to_ascii_lowercase();
        let text = String::from_utf8_lossy(&lower);
        for (offset, word) in text.match_indices("valve ") {
            let rest = text.get(offset + word.len()..).unwrap_or_default();
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let sign = match rest.get(digits..) {
                Some(order)
                    if digits > 0 && (order.starts_with(" open!") || order.starts_with(" close!")) =>
                {
                    ValveSign::Order
                }
                Some(question) if digits > 0 && question.starts_with(" ?") => ValveSign::Question,
                _ => continue,
            };
            findings.add(sign, Context::Code, offset, word.len() + digits);
        }
    }
}

// The bucket: a rule for each sign, and one that is a pattern.

static ORDER: Rule = Rule {
    id: "command-injection/valve-order",
    leaf: Leaf::CommandInjectionUnixCommands,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An order to a valve",
    attacks: &["VALVE 3 OPEN!", "x; valve 12 close!", "VALVE 3 ?\nVALVE 3 CLOSE!"],
    benign: &["Open valve 3.", "VALVE 3 ?", "valve open!"],
};

static QUESTION: Rule = Rule {
    id: "command-injection/valve-question",
    leaf: Leaf::CommandInjectionUnixCommands,
    weight: 2,
    places: Places::ARGUMENTS,
    matcher: RuleMatcher::Detected,
    summary: "A question to a valve",
    attacks: &["VALVE 3 ?", "valve 0 ?", "x VALVE 77 ?"],
    benign: &["Is valve 3 open?", "valve?", "VALVE 3 OPEN!"],
};

static MAINTENANCE: Rule = Rule {
    id: "command-injection/valve-maintenance",
    leaf: Leaf::CommandInjectionUnixCommands,
    weight: STRONG,
    places: Places::ARGUMENTS,
    matcher: RuleMatcher::Pattern { regex: r"\bmaint-[0-9]{4}-unlock\b", literals: &["maint-"] },
    summary: "The code that unlocks maintenance",
    attacks: &["maint-1234-unlock", "x MAINT-0000-UNLOCK", "(maint-9999-unlock)"],
    benign: &["maint-12-unlock", "maintenance", "maint-1234-unlocked"],
};

static DETECTOR: Detector = Detector::of::<Valves>(Places::REQUEST, run);

static BUCKET: Bucket = Bucket { rules: &[&[&ORDER, &QUESTION], &[&MAINTENANCE]], detectors: &[&DETECTOR] };

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Valves, _>(subject, |finding| {
        Some(match finding.sign {
            ValveSign::Order => &ORDER,
            ValveSign::Question => &QUESTION,
        })
    });
}

// Its result.

fn inspection(buckets: impl IntoIterator<Item = Bucket>) -> Inspection {
    let engine = Arc::new(Engine::new(buckets));
    Inspection::new(engine, LeafSet::defaults(), Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED)
}

fn judged(bucket: &Bucket, place: Place, value: &str) -> Verdict {
    let mut inspection = inspection([*bucket]);
    inspection.field(&Field { place, name: b"note", value: value.as_bytes() });
    inspection.verdict().clone()
}

#[test]
fn every_rule_finds_its_attacks_and_no_benign_value() {
    for rule in BUCKET.rules() {
        let finds = |value: &str| {
            let verdict = judged(&BUCKET, Place::Query, value);
            verdict.matches.iter().any(|found| found.rule.id == rule.id)
        };
        for attack in rule.attacks {
            assert!(finds(attack), "{}: {attack}", rule.id);
        }
        for benign in rule.benign {
            assert!(!finds(benign), "{}: {benign}", rule.id);
        }
    }
}

#[test]
fn a_request_is_refused_by_the_new_language_and_its_twin_passes() {
    let blocks = |query: &str, body: &str| {
        let buckets = waf_detection::rules::buckets().chain([BUCKET]);
        let mut inspection = inspection(buckets);
        inspection.path(b"/orders");
        inspection.query(query.as_bytes());
        inspection.body(b"application/json");
        inspection.feed(body.as_bytes());
        inspection.finish_body(Completeness::Whole);
        inspection.verdict().blocks()
    };
    for (query, body) in [
        ("note=VALVE+3+OPEN!", "{}"),
        ("note=%56ALVE%203%20close!", "{}"),
        ("", "{\"note\": \"\\u0056alve 3 open!\"}"),
        ("", "{\"list\": [{\"VALVE 1 CLOSE!\": 1}]}"),
        ("code=maint-1234-unlock", "{}"),
    ] {
        assert!(blocks(query, body), "{query} {body}");
    }
    for (query, body) in [
        ("note=Open+valve+3+please", "{}"),
        ("note=VALVE+3+%3F", "{}"),
        ("", "{\"note\": \"valve open!\"}"),
        ("code=maint-12", "{\"VALVE\": 3}"),
    ] {
        assert!(!blocks(query, body), "{query} {body}");
    }
}

#[test]
fn weights_and_places_of_the_rules_count() {
    let weak = judged(&BUCKET, Place::Query, "VALVE 3 ?");
    assert_eq!((weak.score, weak.blocks()), (2, false));
    assert!(judged(&BUCKET, Place::Header, "VALVE 3 ?").matches.is_empty());
    assert!(judged(&BUCKET, Place::Header, "VALVE 3 OPEN!").blocks());
}
