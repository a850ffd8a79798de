//! Runs corpora of recorded requests through the engine and prints what it blocks. A tool for whoever writes rules.
//!
//! `score [--misses FILE] [--verdicts FILE] [--family NAME] [--every-leaf] [--leave-one-out] CORPUS.jsonl.gz…`: `--verdicts` writes a line for each
//! case (id, score, rules and places), by which two builds can be compared; `--leave-one-out` adds what each source would score
//! without the rules that only its own attacks show. A corpus has one JSON object a line, with a base64
//! `request_b64`, perhaps a `response_b64` that the upstream gives, and the fields `id`, `class` (attack, benign, negative), `source`, `family`, `paranoia`, `severity`, `rule`, `desc`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a tool for developers: it may end with a message"
)]

mod left_out;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::sync::Arc;

use base64::Engine as _;
use serde_json::{Value, json};
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::{Answer, Recorded};
use waf_detection::response::ResponseInspection;
use waf_detection::verdict::Verdict;
use waf_shared::catalog::LeafSet;

use left_out::LeftOut;

const BOUNDS: Bounds = Bounds::DEFAULT;

type Counts = BTreeMap<String, (usize, usize)>;

/// Options of the command line.
struct Options {
    files: Vec<String>,
    misses: Option<File>,
    verdicts: Option<BufWriter<File>>,
    family: Option<String>,
    leaves: LeafSet,
    leave_one_out: bool,
}

/// Results of all cases.
#[derive(Default)]
struct Report {
    counts: Counts,
    false_alarms: BTreeMap<String, usize>,
    left_out: LeftOut,
}

fn main() {
    let mut options = options();
    let engine = Arc::new(waf_detection::rules::engine());
    let mut inspection =
        Inspection::new(Arc::clone(&engine), options.leaves, BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
    let mut report = Report::default();
    for path in std::mem::take(&mut options.files) {
        let file = flate2::read::GzDecoder::new(File::open(&path).unwrap());
        for line in BufReader::new(file).lines() {
            let case: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let family = options.family.as_deref();
            if family.is_some_and(|family| case["family"] != family && case["class"] != "benign") {
                continue;
            }
            let request = decoded(&case, "request_b64");
            let verdict = verdict(&engine, &mut inspection, options.leaves, &request, &case);
            report.add(&case, &verdict);
            options.write(&case, &request, &verdict);
        }
    }
    for (what, (blocked, total)) in &report.counts {
        println!("{what:58} {blocked:5}/{total:<5} {:6.2} %", 100.0 * *blocked as f64 / *total as f64);
    }
    for (rule, count) in &report.false_alarms {
        println!("in a benign request that is blocked: {rule} ({count})");
    }
    if options.leave_one_out {
        report.left_out.print();
    }
}

fn options() -> Options {
    let mut options = Options {
        files: Vec::new(),
        misses: None,
        verdicts: None,
        family: None,
        leaves: LeafSet::defaults(),
        leave_one_out: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--misses" => options.misses = arguments.next().map(|path| File::create(path).unwrap()),
            "--verdicts" => {
                options.verdicts = arguments.next().map(|path| BufWriter::new(File::create(path).unwrap()));
            }
            "--leave-one-out" => options.leave_one_out = true,
            "--family" => options.family = arguments.next(),
            "--every-leaf" => {
                options.leaves = waf_shared::catalog::TABLE.iter().map(|row| row.leaf).collect();
            }
            _ => options.files.push(argument),
        }
    }
    options
}

/// The verdict about a request, and where that does not block about the answer that the upstream gives.
fn verdict(
    engine: &Arc<waf_detection::Engine>,
    inspection: &mut Inspection,
    leaves: LeafSet,
    request: &[u8],
    case: &Value,
) -> Verdict {
    inspection.reset(leaves, BOUNDS, OnHit::GoOn, Budget::UNLIMITED);
    let request = Recorded::parse(request);
    request.show(inspection);
    let verdict = inspection.verdict().clone();
    let answer = decoded(case, "response_b64");
    if answer.is_empty() || verdict.blocks() {
        return verdict;
    }
    let bytes_max = BOUNDS.max_inspect_size;
    let mut response =
        ResponseInspection::new(Arc::clone(engine), leaves, OnHit::GoOn, Budget::UNLIMITED, bytes_max);
    Answer::parse(&answer).show(Some(&request), &mut response);
    response.into_verdict()
}

fn decoded(case: &Value, name: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(text(case, name)).unwrap()
}

impl Report {
    fn add(&mut self, case: &Value, verdict: &Verdict) {
        count(&mut self.counts, case, verdict.blocks());
        if case["class"] == "attack" {
            self.left_out.add(text(case, "source"), verdict);
        }
        if case["class"] == "benign" && verdict.blocks() {
            for rule in verdict.matches.iter().filter(|m| verdict.score >= 5 && m.weight > 0) {
                *self.false_alarms.entry(rule.rule.id.to_owned()).or_default() += 1;
            }
        }
    }
}

impl Options {
    /// Writes the lines of a case to the files that were asked for.
    fn write(&mut self, case: &Value, request: &[u8], verdict: &Verdict) {
        let blocks = verdict.blocks();
        if let Some(verdicts) = &mut self.verdicts {
            let (id, score) = (text(case, "id"), verdict.score);
            writeln!(verdicts, "{id} {blocks} {score} {:?}", reasons(verdict)).unwrap();
        }
        if blocks == (case["class"] == "attack") {
            return;
        }
        if let Some(misses) = &mut self.misses {
            let row = json!({
                "id": case["id"], "class": case["class"], "source": case["source"], "family": case["family"],
                "paranoia": case["paranoia"], "severity": case["severity"], "rule": case["rule"], "desc": case["desc"],
                "blocked": blocks, "matched": reasons(verdict), "excerpts": excerpts(verdict), "score": verdict.score,
                "request": String::from_utf8_lossy(request.get(..2000).unwrap_or(request)),
            });
            writeln!(misses, "{row}").unwrap();
        }
    }
}

/// Rules that matched with their places, and violations of whole leaves.
fn reasons(verdict: &Verdict) -> Vec<String> {
    let mut rules: Vec<String> = verdict
        .matches
        .iter()
        .map(|m| format!("{} {}:{}", m.rule.id, m.place, String::from_utf8_lossy(&m.name)))
        .collect();
    rules.extend(verdict.violations.iter().map(|v| format!("{}: {}", v.leaf.name(), v.reason)));
    rules.dedup();
    rules
}

/// Rules that matched with the bytes that they matched.
fn excerpts(verdict: &Verdict) -> Vec<String> {
    verdict.matches.iter().map(|m| format!("{} {}", m.rule.id, String::from_utf8_lossy(&m.excerpt))).collect()
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
