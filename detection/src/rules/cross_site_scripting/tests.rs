//! Proofs of the rules, and properties of the detector.

#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod values;

use proptest::prelude::*;
use waf_shared::catalog::{Leaf, LeafSet};

use super::{BUCKET, DETECTOR};
use crate::evidence::{Evidence, Found, Subject};
use crate::field::Place;
use crate::rule::{Rule, RuleMatcher, STRONG};
use crate::view::View;

fn every_leaf() -> LeafSet {
    BUCKET.rules().map(|rule| rule.leaf).collect()
}

fn judge(bytes: &[u8]) -> Vec<Found> {
    let leaves = every_leaf();
    let mut found = Vec::new();
    let subject = Subject { place: Place::Query, name: b"q", view: View::Percent, bytes };
    (DETECTOR.run)(&subject, &mut Evidence::new(&leaves, Place::Query, &mut found));
    found
}

fn score(bytes: &[u8]) -> u8 {
    judge(bytes).iter().fold(0u8, |sum, found| sum.saturating_add(found.rule.weight))
}

fn is_triggered(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    DETECTOR.literals().any(|literal| lower.contains(literal))
}

fn finds(rule: &Rule, text: &str) -> bool {
    match &rule.matcher {
        RuleMatcher::Detected => judge(text.as_bytes()).iter().any(|found| std::ptr::eq(found.rule, rule)),
        RuleMatcher::Pattern { regex, literals } => {
            let lower = text.to_ascii_lowercase();
            literals.iter().any(|literal| lower.contains(literal))
                && regex::bytes::Regex::new(&format!("(?i-u){regex}")).unwrap().is_match(text.as_bytes())
        }
        _ => false,
    }
}

#[test]
fn every_rule_has_its_proofs() {
    let mut failures = Vec::new();
    for rule in BUCKET.rules() {
        assert!(rule.attacks.len() >= 3 && rule.benign.len() >= 3, "{}", rule.id);
        for attack in rule.attacks {
            if !finds(rule, attack) {
                failures.push(format!("{} misses {attack:?}", rule.id));
            }
            if matches!(rule.matcher, RuleMatcher::Detected) && !is_triggered(attack) {
                failures.push(format!("{}: no trigger in {attack:?}", rule.id));
            }
        }
        for benign in rule.benign {
            if finds(rule, benign) {
                failures.push(format!("{} takes {benign:?}", rule.id));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn honest_values_pass() {
    let mut failures = Vec::new();
    for text in values::EVERYDAY {
        let found = judge(text.as_bytes());
        if score(text.as_bytes()) >= STRONG {
            failures
                .push(format!("{text:?}: {:?}", found.iter().map(|found| found.rule.id).collect::<Vec<_>>()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn attacks_are_blocked_and_make_the_judge_a_candidate() {
    let mut failures = Vec::new();
    for text in values::ATTACKS {
        if score(text.as_bytes()) < STRONG || !is_triggered(text) {
            let found: Vec<_> = judge(text.as_bytes()).iter().map(|found| found.rule.id).collect();
            failures.push(format!("{text:?}: {found:?}, triggered: {}", is_triggered(text)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Attacks as parts, between which bytes may be put that browsers pass over.
const ATTACKS: &[&[&str]] = &[
    &["<", "svg", "\n", "onload", "=", "alert(1)", ">"],
    &["<", "img src=x", " ", "onerror", "=", "\"x()\""],
    &["<a href=\"", "javascript", ":", "alert(1)\">"],
    &["\"", " ", "onmouseover", "=", "alert(1) x=\""],
    &["<script", " ", "src=//evil.example>"],
    &["';", "", "alert(1)//"],
    &["<iframe", " ", "src=//evil.example>"],
];

fn shake_case(text: &str, bits: u32) -> String {
    let in_code = text.contains('(');
    text.chars()
        .enumerate()
        .map(
            |(at, letter)| {
                if !in_code && bits >> (at % 32) & 1 == 1 { letter.to_ascii_uppercase() } else { letter }
            },
        )
        .collect()
}

fn entities(text: &str, bits: u32) -> String {
    text.chars()
        .enumerate()
        .map(|(at, letter)| match bits >> (2 * at % 32) & 3 {
            1 => format!("&#{};", u32::from(letter)),
            2 => format!("&#x{:x};", u32::from(letter)),
            _ => letter.to_string(),
        })
        .collect()
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        judge(&bytes);
    }

    #[test]
    fn markup_like_bytes_never_panic(text in "[<>/!?a-c\"'`=()\\[\\]{}.&#;:\\\\ux0-9 \t%$+*,-]{0,200}") {
        judge(text.as_bytes());
    }

    #[test]
    fn case_and_gaps_do_not_hide_attacks(which in 0..ATTACKS.len(), bits in any::<u32>(), gap in "[ \t\r\n\x0c\x0b]{0,6}", lead in "[a-z]{0,5}") {
        let mut text = lead;
        for part in ATTACKS[which] {
            if part.trim().is_empty() {
                text.push_str(part);
                text.push_str(&gap);
            } else {
                text.push_str(&shake_case(part, bits));
            }
        }
        prop_assert!(score(text.as_bytes()) >= STRONG, "{text:?}");
    }

    #[test]
    fn entities_and_controls_do_not_hide_schemes(bits in any::<u32>(), gap in "[\t\r\n\u{1}\u{c}]{0,3}", at in 1usize..10) {
        let (head, tail) = "javascript".split_at(at);
        let text = format!("<a href=\"{gap}{}{gap}{}:alert(1)\">", entities(head, bits), entities(tail, !bits));
        prop_assert!(score(text.as_bytes()) >= STRONG, "{text:?}");
    }
}

#[test]
fn hostile_shapes_stay_linear() {
    for unit in [
        "<a x=\"<a y='<a z=`",
        "(((((",
        "alert(",
        "/*",
        "[![+",
        "=\tjavascrip",
        "onload=",
        "<scr ",
        "\\u{",
        "+ADw-",
        "{{",
        "url(/*",
        "<a ",
    ] {
        let text = unit.repeat(200_000 / unit.len());
        let start = std::time::Instant::now();
        judge(text.as_bytes());
        assert!(start.elapsed().as_secs() < 2, "{unit:?} took {:?}", start.elapsed());
    }
}

#[test]
fn every_leaf_of_the_family_has_a_rule() {
    let leaves = every_leaf();
    for leaf in (0..).map_while(Leaf::at).filter(|leaf| leaf.name().starts_with("cross-site-scripting-")) {
        assert!(leaves.contains(leaf), "{}", leaf.name());
    }
}
