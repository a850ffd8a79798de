//! Judges files as bodies of responses, by their extensions, and prints what is found. A tool for whoever writes rules on
//! responses: `pages FILE…`, or names on standard input.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a tool for developers: it may end with a message"
)]

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::Path;
use std::sync::Arc;

use waf_detection::budget::Budget;
use waf_detection::inspection::OnHit;
use waf_detection::response::{Asked, Head, ResponseInspection};
use waf_shared::catalog::LeafSet;

/// As much as the default configuration looks at.
const BYTES_MAX: u64 = 128 << 10;

fn main() {
    let engine = Arc::new(waf_detection::rules::engine());
    let named: Vec<String> = std::env::args().skip(1).collect();
    let names =
        if named.is_empty() { std::io::stdin().lock().lines().map(Result::unwrap).collect() } else { named };
    let (mut blocked, mut total) = (0, 0);
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        let Ok(body) = std::fs::read(&name) else { continue };
        let extension = Path::new(&name).extension().and_then(|end| end.to_str()).unwrap_or_default();
        let content_type = match extension {
            "html" | "htm" | "xhtml" => "text/html",
            "json" => "application/json",
            "xml" => "text/xml",
            "js" => "text/javascript",
            "css" => "text/css",
            _ => "text/plain",
        };
        let engine = Arc::clone(&engine);
        let mut inspection =
            ResponseInspection::new(engine, LeafSet::defaults(), OnHit::GoOn, Budget::UNLIMITED, BYTES_MAX);
        let head = Head { status: 200, content_type: content_type.as_bytes(), location: None };
        inspection.head(&Asked::default(), &head);
        inspection.feed(&body);
        inspection.finish();
        total += 1;
        let verdict = inspection.verdict();
        if verdict.blocks() {
            blocked += 1;
            for found in &verdict.matches {
                *rules.entry(found.rule.id).or_default() += 1;
                println!("{name}: {} at {}: {}", found.rule.id, found.offset, found.excerpt.escape_ascii());
            }
        }
    }
    println!("{blocked} of {total} blocked");
    for (rule, count) in rules {
        println!("{count:6} {rule}");
    }
}
