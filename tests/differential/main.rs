//! Compares the reading of requests by the service with the readings of other programs. Mutants of a few requests that
//! carry an attack go through the real service; whatever it forwards goes to each reader. A finding is an attack that a
//! reader sees in a field of a forwarded request and that the service refuses when it stands plainly in such a field.
//!
//! `tests/differential/run [MUTANTS [SEED]]` builds what is needed and runs it. A finding that was fixed is a file in
//! `tests/differential/regressions/`, which every run sends first.
#![allow(clippy::unwrap_used, reason = "a comparison that cannot go on may panic")]

mod case;
mod compare;
mod minimise;
mod mutate;
mod random;
mod readers;
mod seeds;
mod service;

use std::process::ExitCode;
use std::time::Instant;

use compare::{Comparison, Finding};

/// Mutants of the short form.
const MUTANTS: u64 = 20_000;

/// Findings that are made small, and of these the ones that are shown.
const EXAMINED_MAX: usize = 400;
const SHOWN_MAX: usize = 60;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (mutants, seed) = match (arguments.next(), arguments.next(), arguments.next()) {
        (None, None, None) => (MUTANTS, 1),
        (Some(Ok(mutants)), None, None) => (mutants, 1),
        (Some(Ok(mutants)), Some(Ok(seed)), None) => (mutants, seed),
        _ => {
            eprintln!("usage: differential [MUTANTS [SEED]]");
            return ExitCode::from(2);
        }
    };
    let comparison = Comparison::start();
    let mut wrong = comparison.check_seeds();
    wrong.extend(comparison.check_regressions());
    let began = Instant::now();
    let findings = comparison.run(mutants, seed);
    println!("{mutants} mutants of seed {seed} in {:.1} s", began.elapsed().as_secs_f64());
    comparison.print_counts(mutants);
    for Cause { count, shape, readers, example } in causes(&comparison, findings).into_iter().take(SHOWN_MAX)
    {
        println!("\n{count} × read by {}\n  {shape}\n  for example {example}", readers.join(", "));
        wrong.push(format!("an attack is read by {} and forwarded: {shape}", readers.join(", ")));
    }
    for line in &wrong {
        println!("wrong: {line}");
    }
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Findings that come to the same small request.
struct Cause {
    count: usize,
    shape: String,
    readers: Vec<&'static str>,
    example: String,
}

/// Findings by the small requests that they come to, the most frequent first.
fn causes(comparison: &Comparison, findings: Vec<Finding>) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    for finding in findings.into_iter().take(EXAMINED_MAX) {
        let example = format!("mutant {} by {}", finding.index, finding.names());
        let reader = finding.reader_name;
        let shape = minimise::small(comparison, &finding);
        match causes.iter_mut().find(|cause| cause.shape == shape) {
            Some(cause) => {
                cause.count += 1;
                if !cause.readers.contains(&reader) {
                    cause.readers.push(reader);
                }
            }
            None => causes.push(Cause { count: 1, shape, readers: vec![reader], example }),
        }
    }
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.count));
    causes
}
