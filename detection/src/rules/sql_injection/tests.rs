//! What the proofs cannot say: no bytes make the detector panic or dwell, and disguises that servers see through change
//! nothing.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use proptest::prelude::*;
use waf_shared::catalog::LeafSet;

use super::{BUCKET, DETECTOR, QUOTES};
use crate::evidence::{Evidence, Found, Subject};
use crate::field::Place;
use crate::view::View;

fn judged(place: Place, bytes: &[u8]) -> Vec<Found> {
    let leaves: LeafSet = waf_shared::catalog::TABLE.iter().map(|row| row.leaf).collect();
    let mut found = Vec::new();
    let subject = Subject { place, name: b"q", view: View::Raw, bytes };
    for detector in [&DETECTOR, &QUOTES] {
        (detector.run)(&subject, &mut Evidence::new(&leaves, place, &mut found));
    }
    found
}

fn blocks(bytes: &[u8]) -> bool {
    let defaults = LeafSet::defaults();
    let mut found = Vec::new();
    let subject = Subject { place: Place::Query, name: b"q", view: View::Raw, bytes };
    for detector in [&DETECTOR, &QUOTES] {
        (detector.run)(&subject, &mut Evidence::new(&defaults, Place::Query, &mut found));
    }
    found.iter().map(|found| u32::from(found.rule.weight)).sum::<u32>() >= 5
}

/// Attacks in pieces between which a server takes white space and comments.
const PIECES: &[&[&str]] = &[
    &["1", "or", "1", "=", "1"],
    &["1'", "or", "'1'", "=", "'1"],
    &["x'", "union", "all", "select", "1", ",", "2", ",", "3", "from", "users"],
    &["-1", "union", "select", "null", ",", "version", "()"],
    &["1", "and", "(", "select", "count", "(*)", "from", "users", ")", ">", "0"],
    &["1;", "drop", "table", "users"],
    &["x'", "order", "by", "5", ",", "1"],
    &["1'", "and", "sleep", "(", "5", ")", "and", "'1'", "=", "'1"],
    &["1", "and", "extractvalue", "(", "1", ",", "concat", "(", "0x7e", ",", "version", "()", ")", ")"],
    &["if", "(", "1", "=", "1", ",", "sleep", "(", "5", ")", ",", "0", ")"],
];

const GAPS: &[&str] = &[
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\x0b",
    "\x0c",
    "\u{a0}",
    "/**/",
    "/*x*/",
    "/*'*/",
    " /* a b */ ",
    "/*!*/",
    "#\n",
    "-- x\n",
];

/// Quotations name their authors behind the same dashes that cut a query off.
#[test]
fn a_quotation_passes_and_a_comment_does_not() {
    for value in [
        "The bearing of a child takes nine months, no matter how many helpers are assigned\"\n\t\t-- Fred",
        "A hopeful programmer may say \"it finally runs,\" or \"I just found\nthe last bug.\"\n\t\t-- Frederick Brooks, \"Essays\"",
        "There is a new play titled \"The Croquet Match,\" or \"Murder\nWith Mallets.\"\n\t\t-- Shelby",
    ] {
        assert!(!blocks(value.as_bytes()), "{value}");
    }
    for value in [
        "admin'\n-- Fred",
        "admin\"\n\t\t-- Oscar",
        "one two three four five six seven' or '1'\n-- Fred",
        "one two three four five six seven' or 'true'\n-- Fred",
        "one two three four five six seven' or ' t '\n-- Fred",
        "one two three four five six seven' or '1 a'\n-- Fred",
        "one two three four five six seven' or 1=1\n-- Fred",
        "one two three four five six seven' union select password from users\n-- Fred",
    ] {
        assert!(blocks(value.as_bytes()), "{value}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for found in judged(Place::Query, &bytes) {
            prop_assert!(found.offset <= bytes.len() && found.offset + found.length <= bytes.len());
        }
    }

    #[test]
    fn nor_do_the_bytes_of_queries(parts in proptest::collection::vec(
        prop::sample::select(vec!["'", "\"", "`", " or ", "1", "=", "(", ")", "/*", "*/", "--", "#", "\n", "\\", "union", "select", "$", "$$", "@", ",", ";",
            "x", "0x", "1.e", "case", "when", "then", "if", "::", "int", "->", "[", "]", "{", "}", "$ne", ":", ".", "\u{2019}", "é", "sleep(", "and", "not "]), 0..60)) {
        let value = parts.concat();
        for found in judged(Place::Json, value.as_bytes()) {
            prop_assert!(found.offset + found.length <= value.len());
        }
    }

    #[test]
    fn disguises_change_nothing(
        which in 0..PIECES.len(),
        gaps in proptest::collection::vec(0..GAPS.len(), 16),
        cases in any::<u64>(),
    ) {
        let mut value = String::new();
        for (i, piece) in PIECES[which].iter().enumerate() {
            if i > 0 {
                value.push_str(GAPS[gaps[i % gaps.len()]]);
            }
            for (j, c) in piece.chars().enumerate() {
                let upper = cases >> ((i * 5 + j) % 64) & 1 == 1;
                value.push(if upper { c.to_ascii_uppercase() } else { c });
            }
        }
        prop_assert!(blocks(value.as_bytes()), "{value:?}");
    }
}

/// Time that this thread has used, whoever else keeps the machine busy.
fn cpu_time() -> Duration {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap().into()
}

#[test]
fn time_grows_with_the_length_alone() {
    let seeds = [
        "'",
        "\"'",
        "' or ",
        "' or '\\",
        "/*",
        "/* ",
        "union ",
        "1 or ",
        "((((",
        "' or (",
        "select ",
        "`",
        "$a$",
        "#\n",
        "--",
        ";select ",
        "x'||",
        "un/**/",
        "case when ",
        "\u{2019} or ",
        "sleep(",
        "if(",
        "{$ne:",
        "' and '\" or \"",
        "[a",
        "@`",
    ];
    for seed in seeds {
        let mut times = [Duration::MAX; 2];
        for (slot, size) in [(0, 16usize << 10), (1, 128usize << 10)] {
            let value = seed.repeat(size / seed.len());
            for _ in 0..2 {
                let start = cpu_time();
                judged(Place::Body, value.as_bytes());
                times[slot] = times[slot].min(cpu_time().saturating_sub(start));
            }
        }
        // Eight times the length; a quadratic step would take sixty-four times as long.
        let bound = times[0].max(Duration::from_millis(2)) * 30;
        assert!(times[1] < bound, "{seed:?}: {times:?}");
    }
}

#[test]
fn every_leaf_of_the_bucket_has_a_rule() {
    for row in waf_shared::catalog::TABLE.iter().filter(|row| row.bucket == "sql-injection") {
        assert!(BUCKET.rules().any(|rule| rule.leaf == row.leaf), "{}", row.name);
    }
}

#[test]
fn prose_passes() {
    let refused: Vec<_> =
        include_str!("benign.txt").lines().filter(|value| blocks(value.as_bytes())).collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn attacks_block() {
    let missed: Vec<_> =
        include_str!("attacks.txt").lines().filter(|value| !blocks(value.as_bytes())).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
