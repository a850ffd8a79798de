//! The contracts of validation as data: a configuration, and the findings that it must have.
#![allow(clippy::unwrap_used, reason = "a failing fixture fails the test")]

use std::fmt::Write as _;
use std::path::Path;

use waf_compiler::{Options, Severity, compile_text};

/// Everything that is said about `text`, one finding a line, as `<line>: <message>` or `<line>: warning: <message>`.
fn findings(text: &str) -> String {
    let options = Options { host_checks: false, ..Options::default() };
    let list = match compile_text("t", text, Path::new("."), &options) {
        Ok(compiled) => compiled.warnings,
        Err(list) => list,
    };
    let mut out = String::new();
    for diagnostic in list {
        let shown = diagnostic.to_string();
        writeln!(out, "{}", shown.strip_prefix("t:").unwrap()).unwrap();
    }
    out
}

#[test]
fn smoke() {
    println!("{}", findings("version: v1alpha1\nroutes:\n  - upstream: http://a\n"));
    println!(
        "{}",
        findings(
            "host: a.example\nport: 80\nglobal:\n  accept:\n    max_body_size: 2GB\n    max_url: 1\nroutes:\n  -\n    match: {}\n  - upstream: ftp://x\n    disable: [sql-injectoin]\n"
        )
    );
    let _ = Severity::Error;
}
