//! Looks for the 128 KB body that costs the engine most, without and with a deadline. A tool for whoever makes it faster:
//! `worst_case [SECONDS]`. It mixes fragments of every language, keeps what was slowest, and changes it further.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for developers: it may end with a message"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use waf_detection::body::Completeness;
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_shared::catalog::LeafSet;

const BYTES: usize = 128 << 10;
/// The default of `inspection.evaluation_timeout`.
const DEADLINE: Duration = Duration::from_millis(50);
/// Bodies that are kept and changed further.
const KEPT: usize = 8;

const FRAGMENTS: &[&str] = &[
    "select ",
    "union ",
    "' or ",
    "\" or ",
    "'",
    "\"",
    "`",
    "--",
    "/*",
    "*/",
    "#",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "<a ",
    "<a b=",
    "</",
    "<!--",
    "javascript:",
    "onx=",
    "${",
    "#{",
    "{{",
    "}}",
    "{%",
    "<%",
    "$(",
    "$((",
    "$IFS",
    "|",
    ";",
    "&&",
    "%27",
    "%2527",
    "%u0027",
    "&#39;",
    "&lt;",
    "&amp;",
    "\\x27",
    "\\u0027",
    "\\",
    "../",
    "..\\",
    "/./",
    "PHNjcmlwdD4=",
    "YWFhYWFhYWFhYWFh",
    "+ADw-",
    "\u{ff1c}",
    "\u{2018}",
    "java.",
    "java.lang.",
    "class.",
    "php://",
    "$_GET[",
    "O:1:\"",
    "system(",
    "eval(",
    "a(b(",
    "concat(",
    "char(39)",
    "0x27",
    "(&(a=",
    ")(|(",
    "a=1&",
    "http://",
    "//",
    "@",
    "1e",
    "1=1",
    " and ",
    " in ",
    "case when ",
    "@@",
    "!!",
    "\r\n",
    "\n",
    " ",
    "a",
    "7",
    "=",
    ",",
    ".",
    ":",
    "?",
    "*",
    "~",
    "^",
    "\0",
    "\u{e9}",
    "data:",
    "base64,",
    "__proto__",
    "powershell ",
    "cmd /c ",
    "cat /etc/",
    "if(",
    "for(;;",
    "function(",
    "=>",
    "new ",
    "T(",
    "<?",
    "?>",
    "<?php ",
    "<!ENTITY ",
    "]]>",
    "--b\r\n",
];

struct Random(u64);

impl Random {
    /// A number below `bound` (xorshift, good enough to mix fragments).
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

fn cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// CPU time for one body, and whether it was cut short.
fn cost(inspection: &mut Inspection, media_type: &str, body: &[u8], budget: Budget) -> (Duration, bool) {
    inspection.reset(LeafSet::defaults(), Bounds::DEFAULT, OnHit::GoOn, budget);
    let start = cpu_time();
    inspection.body(media_type.as_bytes());
    for chunk in body.chunks(16 << 10) {
        inspection.feed(chunk);
    }
    inspection.finish_body(Completeness::Whole);
    (cpu_time().saturating_sub(start), inspection.verdict().timed_out)
}

/// A few fragments that are repeated until the body is full; some bodies are one value, others have many.
fn fill(motif: &[&str], media_type: &str) -> Vec<u8> {
    let text = motif.concat();
    let mut body = match media_type {
        "application/json" => b"{\"a\":\"".to_vec(),
        "application/x-www-form-urlencoded" => b"a=".to_vec(),
        _ => Vec::new(),
    };
    let text = if media_type == "application/json" {
        text.replace(['"', '\\', '\r', '\n', '\0'], "'")
    } else {
        text
    };
    while body.len() < BYTES {
        body.extend_from_slice(text.as_bytes());
    }
    body.truncate(BYTES);
    body
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    let end = Instant::now() + Duration::from_secs(seconds);
    let engine = Arc::new(waf_detection::rules::engine());
    let mut inspection =
        Inspection::new(engine, LeafSet::defaults(), Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut kept: Vec<(Duration, &str, Vec<&str>)> = Vec::new();
    let media_types = ["text/plain", "application/x-www-form-urlencoded", "application/json"];
    let (mut tried, mut overrun) = (0, Duration::ZERO);
    while Instant::now() < end {
        let (media_type, motif) = if kept.is_empty() || random.below(3) == 0 {
            let length = 1 + random.below(6);
            let motif = (0..length).map(|_| FRAGMENTS[random.below(FRAGMENTS.len())]).collect();
            (media_types[random.below(3)], motif)
        } else {
            let (_, media_type, mut motif) = kept[random.below(kept.len())].clone();
            let at = random.below(motif.len() + 1);
            let last = motif.len() - 1;
            match random.below(3) {
                0 => motif.insert(at, FRAGMENTS[random.below(FRAGMENTS.len())]),
                1 if motif.len() > 1 => drop(motif.remove(at.min(last))),
                _ => motif[at.min(last)] = FRAGMENTS[random.below(FRAGMENTS.len())],
            }
            (media_type, motif)
        };
        let body = fill(&motif, media_type);
        let (free, _) = cost(&mut inspection, media_type, &body, Budget::UNLIMITED);
        let budget = Budget { limit: DEADLINE, clock: cpu_time, ..Budget::UNLIMITED };
        let (bounded, _) = cost(&mut inspection, media_type, &body, budget);
        tried += 1;
        if bounded > overrun {
            overrun = bounded;
            println!("{bounded:>9.1?} with the deadline: {media_type} {motif:?}");
        }
        if kept.iter().all(|(_, known, fragments)| (*known, fragments) != (media_type, &motif)) {
            kept.push((free, media_type, motif));
            kept.sort_by_key(|(free, ..)| std::cmp::Reverse(*free));
            kept.truncate(KEPT);
        }
    }
    println!("{tried} bodies; the slowest without a deadline:");
    for (free, media_type, motif) in kept {
        println!("{free:>9.1?} {media_type} {motif:?}");
    }
}
