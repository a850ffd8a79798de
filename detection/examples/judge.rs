//! Scores of values: reads values in base64 from standard input, one a line, and prints a line for each of them.
//!
//! Each value is inspected as a query argument, as a form field and as a string of a JSON document, in the default
//! configuration. A line of the answer has a JSON array: for each of the three whether it is refused, its score and the
//! rules that matched. An empty line of the input ends a batch: the answers so far are flushed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a tool for developers: it may end with a message"
)]

use std::io::{BufRead, BufWriter, Write};
use std::sync::Arc;

use base64::Engine as _;
use serde_json::{Value, json};
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::recorded::Recorded;
use waf_shared::catalog::LeafSet;

const FIELDS: &str = "Host: www.example.com\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like \
                      Gecko) Chrome/124.0 Safari/537.36\r\nAccept: */*\r\n";

fn main() {
    let engine = Arc::new(waf_detection::rules::engine());
    let leaves = LeafSet::defaults();
    let mut inspection = Inspection::new(engine, leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    let mut output = BufWriter::new(std::io::stdout());
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        if line.is_empty() {
            output.flush().unwrap();
            continue;
        }
        let value = base64::engine::general_purpose::STANDARD.decode(&line).unwrap();
        let verdicts: Vec<Value> = [query(&value), form(&value), json_body(&value)]
            .iter()
            .map(|request| {
                inspection.reset(leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
                Recorded::parse(request).show(&mut inspection);
                let verdict = inspection.verdict();
                let mut rules: Vec<&str> = verdict.matches.iter().map(|m| m.rule.id).collect();
                rules.extend(verdict.violations.iter().map(|violation| violation.leaf.name()));
                rules.dedup();
                json!([verdict.blocks(), verdict.score, rules])
            })
            .collect();
        writeln!(output, "{}", Value::from(verdicts)).unwrap();
    }
    output.flush().unwrap();
}

fn query(value: &[u8]) -> Vec<u8> {
    format!("GET /search?q={} HTTP/1.1\r\n{FIELDS}\r\n", escaped(value)).into_bytes()
}

fn form(value: &[u8]) -> Vec<u8> {
    post("application/x-www-form-urlencoded", &format!("text={}", escaped(value)))
}

fn json_body(value: &[u8]) -> Vec<u8> {
    post("application/json", &json!({"text": String::from_utf8_lossy(value)}).to_string())
}

fn post(content_type: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST /items HTTP/1.1\r\n{FIELDS}Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// The value with every byte but letters and digits percent-encoded.
fn escaped(value: &[u8]) -> String {
    value
        .iter()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() { char::from(*byte).to_string() } else { format!("%{byte:02X}") }
        })
        .collect()
}
