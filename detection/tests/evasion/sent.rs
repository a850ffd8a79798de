//! Something that a client sends, and what the engine says to it.

use std::sync::{Arc, OnceLock};

use waf_detection::Engine;
use waf_detection::body::Completeness;
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::verdict::Verdict;
use waf_shared::catalog::LeafSet;

/// A part of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sent<'a> {
    Path(&'a str),
    Query(&'a str),
    /// Name and value.
    Header(&'a str, &'a str),
    Form(&'a str),
    Json(&'a str),
    /// Media type and body.
    Text(&'a str, &'a str),
}

/// The rule set, compiled once.
pub(crate) fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    Arc::clone(ENGINE.get_or_init(|| Arc::new(waf_detection::rules::engine())))
}

/// What the engine says with the protections that are on by default, a body cut behind every byte of `cuts`.
pub(crate) fn verdict_of(sent: Sent<'_>, cuts: &[usize]) -> Verdict {
    let bounds = Bounds::DEFAULT;
    let mut inspection =
        Inspection::new(engine(), LeafSet::defaults(), bounds, OnHit::GoOn, Budget::UNLIMITED);
    let (media_type, body) = match sent {
        Sent::Path(path) => {
            inspection.path(path.as_bytes());
            return inspection.verdict().clone();
        }
        Sent::Query(query) => {
            inspection.query(query.as_bytes());
            return inspection.verdict().clone();
        }
        Sent::Header(name, value) => {
            inspection.header(name.as_bytes(), value.as_bytes());
            return inspection.verdict().clone();
        }
        Sent::Form(body) => ("application/x-www-form-urlencoded", body),
        Sent::Json(body) => ("application/json", body),
        Sent::Text(media_type, body) => (media_type, body),
    };
    inspection.body(media_type.as_bytes());
    let mut rest = body.as_bytes();
    let mut at = 0;
    for cut in cuts.iter().filter(|cut| **cut <= body.len()) {
        let (chunk, left) = rest.split_at(cut - at);
        inspection.feed(chunk);
        (rest, at) = (left, *cut);
    }
    inspection.feed(rest);
    inspection.finish_body(Completeness::Whole);
    inspection.verdict().clone()
}

/// The same in one piece.
pub(crate) fn verdict(sent: Sent<'_>) -> Verdict {
    verdict_of(sent, &[])
}
