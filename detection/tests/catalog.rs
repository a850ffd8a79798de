//! Every protection of the catalog can fire: by a rule, by a parser of bodies, or in the data plane. A leaf without a
//! firing case has no place in the catalog.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::Recorded;
use waf_detection::{Engine, rules};
use waf_shared::catalog::{Leaf, LeafSet, TABLE};

/// Families that no request or response fires: they add and remove headers, or wait for a contract.
const NOT_FOUND_IN_TRAFFIC: &[&str] = &["response-headers", "openapi"];

/// Protections that the data plane enforces by itself. Each has an end-to-end test that names it.
const DATA_PLANE: &[Leaf] = &[
    Leaf::HttpComplianceMalformedRequestLine,
    Leaf::HttpComplianceContentLength,
    Leaf::HttpComplianceConflictingLength,
    Leaf::HttpComplianceHttpVersion,
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
    Leaf::ResourceLimitsMaxInspectionSize,
    Leaf::ResourceLimitsMaxMemory,
    Leaf::ResourceLimitsDecompressionRatio,
    Leaf::ResourceLimitsEvaluationTimeout,
];

/// Protections that the parsers of bodies report, each with a head and a body that break it.
fn bodies() -> Vec<(Leaf, &'static str, String)> {
    let json = "Content-Type: application/json";
    let multipart = "Content-Type: multipart/form-data; boundary=b";
    let file = |name: &str, media_type: &str, content: &str| {
        format!(
            "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"{name}\"\r\nContent-Type: {media_type}\r\n\r\n{content}\r\n"
        )
    };
    let one = |name: &str, media_type: &str, content: &str| file(name, media_type, content) + "--b--\r\n";
    let keys = (0..1001).map(|n| format!("\"k{n}\":1")).collect::<Vec<_>>().join(",");
    vec![
        (Leaf::JsonParsingMaxDepth, json, "[".repeat(21)),
        (Leaf::JsonParsingMaxKeys, json, format!("{{{keys}}}")),
        (Leaf::HttpComplianceMalformedBody, json, "{\"a\":1,\"a\":2}".into()),
        (Leaf::XmlParsingMaxDepth, "Content-Type: application/xml", "<a>".repeat(21)),
        (
            Leaf::RequestValidationArgumentLimits,
            "Content-Type: application/x-www-form-urlencoded",
            "a=1&".repeat(1001),
        ),
        (Leaf::HttpComplianceMultipartBoundaries, multipart, "--b\r\n\r\nx".into()),
        (
            Leaf::FileUploadLimitsMaxFileCount,
            multipart,
            file("a.txt", "text/plain", "x").repeat(11) + "--b--\r\n",
        ),
        (Leaf::FileUploadLimitsMaxFileSize, multipart, one("a.txt", "text/plain", &"x".repeat(65))),
        (Leaf::FileUploadLimitsAllowedTypes, multipart, one("a.png", "image/png", "%PDF-1.7\n")),
        (Leaf::FileUploadLimitsDoubleExtension, multipart, one("a.php.jpg", "image/jpeg", "x")),
        (Leaf::FileUploadLimitsExecutable, multipart, one("a.exe", "application/octet-stream", "MZ\u{1}")),
    ]
}

fn fired(engine: &Arc<Engine>, head: &str, body: &str) -> LeafSet {
    let every: LeafSet = TABLE.iter().map(|row| row.leaf).collect();
    let mut bounds = Bounds::DEFAULT;
    bounds.files.bytes = 64;
    let mut inspection = Inspection::new(Arc::clone(engine), every, bounds, OnHit::GoOn, Budget::UNLIMITED);
    let raw = format!(
        "POST / HTTP/1.1\r\nHost: a.example\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    Recorded::parse(raw.as_bytes()).show(&mut inspection);
    inspection.verdict().leaves()
}

#[test]
fn parsers_fire_their_protections() {
    let engine = Arc::new(Engine::new());
    for (leaf, head, body) in bodies() {
        assert!(fired(&engine, head, &body).contains(leaf), "{} does not fire", leaf.name());
    }
}

#[test]
fn every_protection_has_a_firing_case() {
    let mut covered: LeafSet = rules::all().map(|rule| rule.leaf).collect();
    for leaf in bodies().iter().map(|(leaf, ..)| *leaf).chain(DATA_PLANE.iter().copied()) {
        covered.insert(leaf);
    }
    let without: Vec<_> = TABLE
        .iter()
        .filter(|row| !NOT_FOUND_IN_TRAFFIC.contains(&row.family) && !covered.contains(row.leaf))
        .map(|row| row.name)
        .filter(|name| *name != "response-inspection-openapi-validation")
        .collect();
    assert!(without.is_empty(), "no case fires {without:?}");
}

#[test]
fn what_the_data_plane_enforces_is_tested_end_to_end() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/tests");
    let texts: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path()).ok())
        .collect();
    let untested: Vec<_> = DATA_PLANE
        .iter()
        .map(|leaf| leaf.name())
        .filter(|name| !texts.iter().any(|text| text.contains(name)))
        .collect();
    assert!(untested.is_empty(), "no end-to-end test names {untested:?}");
}
