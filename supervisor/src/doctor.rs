//! `waf doctor`: what this machine lets the service do and what it lacks, one row each, with the remedy. It tries what the
//! service would do where trying does no harm, and changes nothing.

mod machine;
mod service;

use std::fmt;
use std::process::ExitCode;

use waf_compiler::Options;

use crate::cli::Serve;

/// Verdict about one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// As it should be.
    Ok,
    /// The service runs, with less than it could have.
    Warning,
    /// The service could not run.
    Error,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Ok => "ok",
            Verdict::Warning => "warning",
            Verdict::Error => "error",
        })
    }
}

/// One row.
#[derive(Debug)]
struct Row {
    what: &'static str,
    verdict: Verdict,
    said: String,
    remedy: Option<String>,
}

impl Row {
    fn ok(what: &'static str, said: impl Into<String>) -> Row {
        Row { what, verdict: Verdict::Ok, said: said.into(), remedy: None }
    }

    fn warning(what: &'static str, said: impl Into<String>, remedy: impl Into<String>) -> Row {
        Row { what, verdict: Verdict::Warning, said: said.into(), remedy: Some(remedy.into()) }
    }

    fn error(what: &'static str, said: impl Into<String>, remedy: impl Into<String>) -> Row {
        Row { what, verdict: Verdict::Error, said: said.into(), remedy: Some(remedy.into()) }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is said may quote a file or the system; a terminal must not obey it.
        let plain = |text: &str| text.replace(char::is_control, " ");
        write!(f, "{:<8} {:<17} {}", self.verdict, self.what, plain(&self.said))?;
        match &self.remedy {
            Some(remedy) => write!(f, "\n{:<26} -> {}", "", plain(remedy)),
            None => Ok(()),
        }
    }
}

/// Looks at everything and prints it on stdout.
pub fn run(serve: &Serve, options: &Options) -> ExitCode {
    let mut rows = machine::rows(&serve.process);
    rows.extend(service::rows(serve, options));
    for row in &rows {
        anstream::println!("{row}");
    }
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let (errors, warnings) = (count(Verdict::Error), count(Verdict::Warning));
    anstream::println!("{errors} errors, {warnings} warnings");
    if errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
