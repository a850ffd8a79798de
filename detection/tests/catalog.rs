//! Every protection of the catalog can act by itself: with every other one disabled, it refuses the examples of its summary
//! and at least one message. A leaf without such a message has no place in the catalog.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "catalog/examples.rs"]
mod examples;
#[path = "catalog/messages.rs"]
mod messages;

use std::sync::Arc;

use examples::Message;
use waf_detection::Engine;
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::{Answer, Recorded};
use waf_detection::response::ResponseInspection;
use waf_shared::catalog::{Leaf, LeafSet, Row, TABLE};

/// Protections that the data plane enforces: `tests/tests/leaves.rs` has a row for each.
const DATA_PLANE: &[Leaf] = &[
    Leaf::HttpComplianceMalformedRequestLine,
    Leaf::HttpComplianceContentLength,
    Leaf::HttpComplianceConflictingLength,
    Leaf::HttpComplianceHttpVersion,
    Leaf::HttpComplianceMethodOverride,
    Leaf::HttpComplianceUriFragments,
    Leaf::HttpComplianceAllowedContentTypes,
    Leaf::Http2FrameFlood,
    Leaf::Http2HeaderBomb,
    Leaf::Http2MaxStreams,
    Leaf::FileUploadLimitsMaxTotalSize,
    Leaf::RequestValidationMaxBodySize,
    Leaf::RequestValidationMaxUrlLength,
    Leaf::RequestValidationMaxHeaderSize,
    Leaf::RequestValidationMaxHeaderCount,
    Leaf::RequestValidationAllowedMethods,
    Leaf::RequestValidationRequireHostHeader,
    Leaf::RequestValidationRequireContentType,
    Leaf::RequestValidationSlowClients,
    Leaf::WebsocketMessages,
    Leaf::ResourceLimitsMaxInspectionSize,
    Leaf::ResourceLimitsMaxMemory,
    Leaf::ResourceLimitsDecompressionRatio,
    Leaf::ResourceLimitsEvaluationTimeout,
    Leaf::ResponseInspectionOpenapiValidation,
];

/// Families that work on a document or on header fields: the data plane enforces each of their leaves.
const DATA_PLANE_FAMILIES: &[&str] = &["response-headers", "openapi"];

/// Code spans that are no examples: names of settings, of header fields and of versions.
const WORDS: &[&str] = &[
    "Content-Length",
    "Transfer-Encoding",
    "User-Agent",
    "Referer",
    "Location",
    "accept.max_body_size",
    "inspection.json_depth",
    "inspection.json_keys",
    "inspection.max_inspect_size",
    "inspection.xml_depth",
    "inspection.xml_entities",
    "multipart.allowed_types",
    "multipart.file_limit",
    "multipart.file_size",
];

/// Examples that the data plane refuses before the protection's rules see a message; `tests/tests/leaves.rs` sends them.
const FRAMING: &[&str] = &["Transfer-Encoding: xchunked"];

fn is_example(span: &str) -> bool {
    !WORDS.contains(&span) && !FRAMING.contains(&span)
}

fn is_of_data_plane(row: &Row) -> bool {
    DATA_PLANE.contains(&row.leaf) || DATA_PLANE_FAMILIES.contains(&row.family)
}

/// Returns `true` if `leaf`, with every other protection disabled, refuses `message`.
fn refuses(engine: &Arc<Engine>, leaf: Leaf, message: &Message) -> bool {
    let alone = LeafSet::from_iter([leaf]);
    let mut bounds = Bounds::DEFAULT;
    bounds.files.bytes = 64;
    match message {
        Message::Request(raw) => {
            let mut inspection =
                Inspection::new(Arc::clone(engine), alone, bounds, OnHit::Stop, Budget::UNLIMITED);
            Recorded::parse(raw).show(&mut inspection);
            inspection.verdict().blocks()
        }
        Message::Response { request, response } => {
            let mut inspection =
                ResponseInspection::new(Arc::clone(engine), alone, OnHit::Stop, Budget::UNLIMITED, 128 << 10);
            let request = Recorded::parse(request.as_bytes());
            Answer::parse(response.as_bytes()).show(Some(&request), &mut inspection);
            inspection.into_verdict().blocks()
        }
    }
}

#[test]
fn every_example_is_refused_by_its_protection_alone() {
    let engine = Arc::new(waf_detection::rules::engine());
    let mut wrong = Vec::new();
    for row in TABLE.iter().filter(|row| !is_of_data_plane(row)) {
        for span in examples::spans(row.summary).into_iter().filter(|span| is_example(span)) {
            match examples::message(row, span) {
                Some(message) if refuses(&engine, row.leaf, &message) => {}
                Some(message) => wrong.push(format!("{} does not refuse `{span}`: {message}", row.name)),
                None => wrong.push(format!("{}: `{span}` has not the shape of an example", row.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_protection_acts_alone() {
    let engine = Arc::new(waf_detection::rules::engine());
    let listed = messages::listed();
    let mut wrong = Vec::new();
    for row in TABLE.iter().filter(|row| !is_of_data_plane(row)) {
        let examples = examples::spans(row.summary).into_iter().filter(|span| is_example(span));
        let examples: Vec<_> = examples.filter_map(|span| examples::message(row, span)).collect();
        let own = listed.iter().filter(|(leaf, _)| *leaf == row.leaf).map(|(_, message)| message);
        let messages: Vec<&Message> = own.chain(&examples).collect();
        if messages.is_empty() {
            wrong.push(format!("{} has no message that it refuses", row.name));
        }
        for message in messages.into_iter().filter(|message| !refuses(&engine, row.leaf, message)) {
            wrong.push(format!("{} alone does not refuse {message}", row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ordinary_messages_pass_every_protection() {
    let engine = Arc::new(waf_detection::rules::engine());
    for row in TABLE.iter().filter(|row| !is_of_data_plane(row)) {
        for message in messages::ordinary() {
            assert!(!refuses(&engine, row.leaf, &message), "{} refuses {message}", row.name);
        }
    }
}

#[test]
fn protections_of_the_data_plane_have_rows_end_to_end() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tests/leaves.rs");
    let mut text = std::fs::read_to_string(path).unwrap();
    let folder = path.strip_suffix(".rs").unwrap();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        text += &std::fs::read_to_string(entry.unwrap().path()).unwrap();
    }
    let untested: Vec<_> = TABLE
        .iter()
        .filter(|row| is_of_data_plane(row) && !text.contains(&format!("\"{}\"", row.name)))
        .map(|row| row.name)
        .collect();
    assert!(untested.is_empty(), "tests/tests/leaves.rs has no row for {untested:?}");
}
