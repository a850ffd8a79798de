//! Helpers of the compiler's tests: compiling a text, and comparing findings with expected ones.
use std::path::Path;

use waf_compiler::{Compiled, Diagnostic, Options, Severity, compile_text};

/// Compiles without checks of the machine.
pub(crate) fn compile(text: &str) -> Result<Compiled, Vec<Diagnostic>> {
    let options = Options { host_checks: false, ..Options::default() };
    compile_text("t", text, Path::new("."), &options)
}

/// The plan of a valid text.
pub(crate) fn plan(text: &str) -> waf_shared::plan::Plan {
    match compile(text) {
        Ok(compiled) => compiled.plan,
        Err(list) => panic!("{text}\n{list:#?}"),
    }
}

/// All findings.
pub(crate) fn findings(text: &str) -> Vec<Diagnostic> {
    match compile(text) {
        Ok(compiled) => compiled.warnings,
        Err(list) => list,
    }
}

/// Errors as `<line>: <message>`.
pub(crate) fn errors(text: &str) -> Vec<String> {
    shown(text, Severity::Error)
}

/// Warnings as `<line>: warning: <message>`.
pub(crate) fn warnings(text: &str) -> Vec<String> {
    shown(text, Severity::Warning)
}

fn shown(text: &str, severity: Severity) -> Vec<String> {
    let all = findings(text).into_iter().filter(|diagnostic| diagnostic.severity == severity);
    all.map(|diagnostic| diagnostic.to_string().strip_prefix("t:").unwrap().to_owned()).collect()
}

/// Exactly these errors, in this order: each with its line and pieces of its message.
pub(crate) fn check(text: &str, expected: &[(u32, &[&str])]) {
    compare(text, &errors(text), expected);
}

/// Exactly these findings.
pub(crate) fn compare(text: &str, found: &[String], expected: &[(u32, &[&str])]) {
    let fits = |(found, (line, pieces)): (&String, &(u32, &[&str]))| {
        found.starts_with(&format!("{line}: ")) && pieces.iter().all(|piece| found.contains(piece))
    };
    let all = found.len() == expected.len() && found.iter().zip(expected).all(fits);
    let excerpt: String = text.chars().take(2000).collect();
    assert!(all, "{excerpt}\nfound {found:#?}\nexpected {expected:#?}");
}
