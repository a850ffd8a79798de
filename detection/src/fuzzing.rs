//! What a fuzzer throws bytes at: every detector with its tokenizers, every view, every body parser, whole heads. The same functions
//! run under libFuzzer (`fuzz/`) and over committed inputs in the tests; nothing else may call them.

use std::sync::{Arc, OnceLock};

use waf_languages::sql::token::{CommentEnds, Dialect, Lexer, Quotes};
use waf_shared::catalog::{LeafSet, TABLE};

use crate::body::{Completeness, reads_same_in_chunks};
use crate::bounds::Bounds;
use crate::budget::Budget;
use crate::engine::Engine;
use crate::evidence::{Evidence, Subject};
use crate::field::Place;
use crate::inspection::{Inspection, OnHit};
use crate::rules;
use crate::view::{View, Views, classes};

/// What is not a detector.
const OTHERS: &[&str] = &["views", "sql-lexer", "head", "form", "json", "xml", "multipart", "text"];

/// Names of the targets: the detectors', and those of the other parts.
pub fn targets() -> impl Iterator<Item = &'static str> {
    rules::detectors().map(|detector| detector.name).chain(OTHERS.iter().copied())
}

/// Runs `target` over `input`, whose first byte chooses a place or a variant.
///
/// # Panics
/// When the target breaks a promise, which is what a fuzzer looks for.
pub fn run(target: &str, input: &[u8]) {
    let Some((&choice, bytes)) = input.split_first() else { return };
    match target {
        "views" => views(choice, bytes),
        "sql-lexer" => sql_lexer(choice, bytes),
        "head" => head(bytes),
        "form" => body(b"application/x-www-form-urlencoded", choice, bytes),
        "json" => body(b"application/json", choice, bytes),
        "xml" => body(b"application/xml", choice, bytes),
        "multipart" => body(b"multipart/form-data; boundary=x", choice, bytes),
        "text" => body(b"text/plain; charset=utf-16", choice, bytes),
        name => judge(name, choice, bytes),
    }
}

const PLACES: [Place; 15] = [
    Place::Query,
    Place::Form,
    Place::Json,
    Place::Body,
    Place::Header,
    Place::Cookie,
    Place::Path,
    Place::PathSegment,
    Place::QueryName,
    Place::FormName,
    Place::JsonKey,
    Place::CookieName,
    Place::FileName,
    Place::PartHeader,
    Place::Xml,
];

fn place(choice: u8) -> Place {
    PLACES.get(usize::from(choice) % PLACES.len()).copied().unwrap_or(Place::Query)
}

fn judge(name: &str, choice: u8, bytes: &[u8]) {
    let leaves: LeafSet = TABLE.iter().map(|row| row.leaf).collect();
    let place = place(choice);
    for detector in rules::detectors().filter(|detector| detector.name == name) {
        let mut found = Vec::new();
        let subject = Subject { place, name: b"q", view: View::Raw, bytes };
        (detector.run)(&subject, &mut Evidence::new(&leaves, place, &mut found));
        assert!(found.iter().all(|found| found.offset <= bytes.len()), "evidence lies within the view");
    }
    for detector in rules::detectors().filter(|detector| detector.name == name) {
        let Some(prefilter) = detector.prefilter else { continue };
        let mut found = Vec::new();
        let subject = Subject { place, name: b"q", view: View::Raw, bytes };
        let woken = detector.literals().any(|literal| holds(bytes, literal.as_bytes()));
        let asked = prefilter.triggers.iter().any(|literal| holds(bytes, literal.as_bytes()));
        if asked && !woken && !(prefilter.may_match)(bytes) {
            (detector.run)(&subject, &mut Evidence::new(&leaves, place, &mut found));
            assert!(
                found.iter().all(|found| found.rule.weight < crate::rule::STRONG),
                "a prefilter passes over nothing that blocks: {found:?}"
            );
        }
    }
}

fn holds(bytes: &[u8], literal: &[u8]) -> bool {
    bytes.windows(literal.len()).any(|window| window.eq_ignore_ascii_case(literal))
}

fn views(choice: u8, bytes: &[u8]) {
    let mut views = Views::default();
    views.derive(place(choice), classes::of(bytes), bytes);
    let total: usize = views.iter().map(|(_, _, view)| view.len()).sum();
    assert!(total <= (64 << 10) + 8 * bytes.len(), "views are bounded");
    for (_, told, view) in views.iter() {
        assert_eq!(told, classes::of(view), "the classes are those of the bytes");
    }
}

fn sql_lexer(choice: u8, bytes: &[u8]) {
    let dialect = if choice & 1 == 0 { Dialect::MySql } else { Dialect::Standard };
    let quotes = match choice >> 1 & 3 {
        0 => Quotes::Strings,
        1 => Quotes::BacktickStrings,
        2 => Quotes::Typographic,
        _ => Quotes::Flat,
    };
    let mut end = 0;
    for token in Lexer::new(bytes, 0, dialect, quotes, CommentEnds::of(bytes)) {
        assert!(
            token.start >= end && token.end > token.start && token.end <= bytes.len(),
            "tokens follow one another"
        );
        end = token.end;
    }
}

fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    Arc::clone(ENGINE.get_or_init(|| Arc::new(rules::engine())))
}

fn inspection() -> Inspection {
    let leaves: LeafSet = TABLE.iter().map(|row| row.leaf).collect();
    Inspection::new(engine(), leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED)
}

fn head(bytes: &[u8]) {
    let mut inspection = inspection();
    inspection.path(bytes);
    inspection.query(bytes);
    for name in [&b"cookie"[..], b"referer", b"user-agent", b"accept-language", b"x-any"] {
        inspection.header(name, bytes);
    }
}

/// A body whole and in two pieces must come to the same.
fn body(media_type: &[u8], choice: u8, bytes: &[u8]) {
    for cut in [Completeness::Whole, Completeness::CutOff] {
        let alike = reads_same_in_chunks(media_type, bytes, usize::from(choice), cut);
        assert!(alike, "the fields of a body do not depend on its pieces");
    }
    let run = |at: usize| {
        let mut inspection = inspection();
        inspection.body(media_type);
        let (one, other) = bytes.split_at_checked(at).unwrap_or((bytes, b""));
        inspection.feed(one);
        inspection.feed(other);
        inspection.finish_body(Completeness::Whole);
        inspection.verdict().leaves()
    };
    let at = usize::from(choice) * bytes.len() / 256;
    assert_eq!(run(bytes.len()), run(at), "chunks make no difference");
}
