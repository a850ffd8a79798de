//! `waf doctor`: what this machine lets the service do and what it lacks, one row each, with the remedy. It tries what the
//! service would do where trying does no harm, and changes nothing.

mod machine;
mod row;
mod service;

use std::process::ExitCode;

use waf_compiler::Options;
use waf_compiler::report::counted;

use crate::cli::Serve;
use row::Verdict;

/// Looks at everything and prints it on stdout.
pub fn run(serve: &Serve, options: &Options) -> ExitCode {
    let mut rows = machine::rows(&serve.process);
    rows.extend(service::rows(serve, options));
    for row in &rows {
        anstream::println!("{}", row.coloured());
    }
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let (errors, warnings) = (count(Verdict::Error), count(Verdict::Warning));
    anstream::println!("{}, {}", counted(errors, "error"), counted(warnings, "warning"));
    if errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
