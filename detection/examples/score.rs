//! Runs corpora of recorded requests through the engine and prints what it blocks. A tool for whoever writes rules.
//!
//! `score [--misses FILE] [--family NAME] CORPUS.jsonl.gz…`: one JSON object a line, with a base64 `request_b64` and the fields
//! `id`, `class` (attack, benign, negative), `source`, `family`, `paranoia`, `severity`, `rule`, `desc`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a tool for developers: it may end with a message"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use base64::Engine as _;
use serde_json::{Value, json};
use waf_detection::Engine;
use waf_detection::body::{BodyKind, Cut};
use waf_detection::budget::Budget;
use waf_detection::field::{Field, Place};
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_shared::catalog::LeafSet;

const BOUNDS: Bounds = Bounds { json_depth: 20, json_keys: 1000, max_inspect_size: 128 << 10 };

type Counts = BTreeMap<String, (usize, usize)>;

fn main() {
    let mut files = Vec::new();
    let (mut misses, mut family) = (None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--misses" => misses = arguments.next().map(|path| File::create(path).unwrap()),
            "--family" => family = arguments.next(),
            _ => files.push(argument),
        }
    }
    let engine = Arc::new(Engine::new());
    let mut inspection = Inspection::new(engine, LeafSet::defaults(), BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
    let mut counts = Counts::new();
    let mut false_alarms: BTreeMap<String, usize> = BTreeMap::new();
    for path in files {
        let file = flate2::read::GzDecoder::new(File::open(&path).unwrap());
        for line in BufReader::new(file).lines() {
            let case: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if family.as_deref().is_some_and(|family| case["family"] != family && case["class"] != "benign") {
                continue;
            }
            let raw = base64::engine::general_purpose::STANDARD.decode(text(&case, "request_b64")).unwrap();
            inspection.reset(LeafSet::defaults(), BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
            inspect(&mut inspection, &raw);
            let verdict = inspection.verdict();
            let blocks = verdict.blocks();
            count(&mut counts, &case, blocks);
            if blocks == (case["class"] == "attack") {
                continue;
            }
            let mut rules: Vec<String> = verdict
                .matches
                .iter()
                .map(|m| format!("{} {}:{}", m.rule.id, m.place, String::from_utf8_lossy(&m.name)))
                .collect();
            rules.extend(verdict.violations.iter().map(|v| format!("{}: {}", v.leaf.name(), v.reason)));
            rules.dedup();
            if case["class"] == "benign" {
                for rule in verdict.matches.iter().filter(|m| verdict.score >= 5 && m.weight > 0) {
                    *false_alarms.entry(rule.rule.id.to_owned()).or_default() += 1;
                }
            }
            if let Some(misses) = &mut misses {
                let row = json!({
                    "id": case["id"], "class": case["class"], "source": case["source"], "family": case["family"],
                    "paranoia": case["paranoia"], "severity": case["severity"], "rule": case["rule"], "desc": case["desc"],
                    "blocked": blocks, "matched": rules, "score": verdict.score,
                    "request": String::from_utf8_lossy(raw.get(..2000).unwrap_or(&raw)),
                });
                writeln!(misses, "{row}").unwrap();
            }
        }
    }
    for (what, (blocked, total)) in &counts {
        println!("{what:58} {blocked:5}/{total:<5} {:6.2} %", 100.0 * *blocked as f64 / *total as f64);
    }
    for (rule, count) in &false_alarms {
        println!("in a benign request that is blocked: {rule} ({count})");
    }
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_default()
}

fn count(counts: &mut Counts, case: &Value, blocks: bool) {
    let (class, source, family) = (text(case, "class"), text(case, "source"), text(case, "family"));
    let mut keys = vec![format!("{class} {source} {family}"), format!("{class} {source} (all)")];
    if class == "attack" && source == "crs" && case["paranoia"] == 1 && case["severity"] == "CRITICAL" {
        keys.push(format!("attack crs paranoia-1 critical: {family}"));
    }
    if class == "benign" && source == "benign" {
        let word = text(case, "desc").split(' ').next().unwrap_or_default();
        let tag = if matches!(word, "technical" | "policy") { word } else { "plain" };
        keys.push(format!("benign tag {tag}"));
    }
    for key in keys {
        let entry = counts.entry(key).or_default();
        entry.0 += usize::from(blocks);
        entry.1 += 1;
    }
}

/// Splits a raw request as leniently as the corpora demand and shows it to the inspection.
fn inspect(inspection: &mut Inspection, raw: &[u8]) {
    let (head, body) =
        split_once(raw, b"\r\n\r\n").or_else(|| split_once(raw, b"\n\n")).unwrap_or((raw, b""));
    let mut lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let request_line = lines.next().unwrap_or_default();
    let first = request_line.iter().position(|b| *b == b' ').map_or(0, |at| at + 1);
    let last =
        request_line.iter().rposition(|b| *b == b' ').filter(|at| *at > first).unwrap_or(request_line.len());
    let target = request_line.get(first..last).unwrap_or_default();
    let (path, query) = split_once(target, b"?").unwrap_or((target, b""));
    inspection.path(path);
    inspection.query(query);
    let (mut media_type, mut chunked) = (&b""[..], false);
    for line in lines {
        let Some((name, value)) = split_once(line, b":") else { continue };
        let value = value.trim_ascii();
        if name.eq_ignore_ascii_case(b"content-type") {
            media_type = value;
        }
        chunked |= name.eq_ignore_ascii_case(b"transfer-encoding") && value.eq_ignore_ascii_case(b"chunked");
        inspection.header(name, value);
    }
    let body = if chunked { dechunk(body) } else { body.to_vec() };
    if body.is_empty() {
        return;
    }
    if inspection.body(media_type) == BodyKind::None
        && media_type.to_ascii_lowercase().starts_with(b"multipart/")
    {
        multipart(inspection, media_type, &body);
        return;
    }
    inspection.feed(&body);
    inspection.finish_body(Cut::Whole);
}

/// Good enough to reach the values of parts; the real parser lives elsewhere.
fn multipart(inspection: &mut Inspection, media_type: &[u8], body: &[u8]) {
    let media_type = String::from_utf8_lossy(media_type);
    let Some((_, boundary)) = media_type.split_once("boundary=") else { return };
    let delimiter = format!("--{}", boundary.split(';').next().unwrap_or_default().trim_matches('"'));
    let mut rest = body;
    while let Some((part, after)) = split_once(rest, delimiter.as_bytes()) {
        rest = after;
        let Some((head, value)) = split_once(part, b"\r\n\r\n").or_else(|| split_once(part, b"\n\n")) else {
            continue;
        };
        let head = String::from_utf8_lossy(head).into_owned();
        let parameter = |name: &str| {
            let (_, value) = head.split_once(name)?;
            Some(value.split(['"', ';', '\r', '\n']).next().unwrap_or_default().to_owned())
        };
        if let Some(name) = parameter(" name=\"") {
            inspection.field(&Field { place: Place::FormName, name: b"", value: name.as_bytes() });
        }
        let value = value.strip_suffix(b"\r\n").unwrap_or(value);
        match parameter("filename=\"") {
            Some(file) => {
                inspection.field(&Field { place: Place::FileName, name: b"", value: file.as_bytes() });
            }
            None => {
                inspection.field(&Field { place: Place::Form, name: b"part", value });
            }
        }
    }
}

fn dechunk(mut body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some((size, rest)) = split_once(body, b"\r\n") {
        let size = size.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let size =
            std::str::from_utf8(size).ok().and_then(|s| usize::from_str_radix(s, 16).ok()).unwrap_or(0);
        if size == 0 || size > rest.len() {
            break;
        }
        out.extend_from_slice(&rest[..size]);
        body = rest.get(size + 2..).unwrap_or_default();
    }
    out
}

fn split_once<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    Some((&bytes[..at], &bytes[at + mark.len()..]))
}
