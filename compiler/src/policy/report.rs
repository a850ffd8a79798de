//! Results of policy tests for people and for build servers: text, JSON and JUnit XML.

use std::fmt::Write as _;

use serde_json::json;

use super::outcome::Outcome;
use crate::diagnostic::printable;
use crate::{Diagnostic, Severity, code};

/// The results of all files.
#[derive(Debug, Default)]
pub struct Report {
    /// Faults of the files themselves.
    pub faults: Vec<Diagnostic>,
    /// Each test that was run.
    pub tests: Vec<Tested>,
}

/// One test that was run.
#[derive(Debug)]
pub struct Tested {
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// Its name.
    pub name: String,
    /// The ways in which the outcome differs from what is expected; none for a test that holds.
    pub differences: Vec<String>,
    /// The outcome in one line.
    pub outcome: String,
}

impl Report {
    pub(super) fn fault(&mut self, fault: Diagnostic) {
        self.faults.push(fault);
    }

    pub(super) fn add(
        &mut self,
        file: &str,
        line: u32,
        name: &str,
        differences: Vec<String>,
        outcome: &Outcome,
    ) {
        let status = outcome.status.map_or(String::new(), |status| format!(" with {status}"));
        let route = outcome.route.as_ref().map_or(String::new(), |route| format!(" on route {route}"));
        let rules = match outcome.rules.as_slice() {
            [] => outcome.leaves.iter().map(|leaf| leaf.name()).collect::<Vec<_>>().join(" "),
            rules => rules.join(" "),
        };
        let found = if rules.is_empty() { rules } else { format!(": {rules}") };
        self.tests.push(Tested {
            file: file.to_owned(),
            line,
            name: name.to_owned(),
            differences,
            outcome: format!("{}{status}{route}{found}", outcome.verdict.word()),
        });
    }

    /// True if every file could be read and every test holds.
    pub fn is_ok(&self) -> bool {
        self.faults.is_empty() && self.failed().next().is_none()
    }

    /// Tests that do not hold.
    pub fn failed(&self) -> impl Iterator<Item = &Tested> {
        self.tests.iter().filter(|test| !test.differences.is_empty())
    }

    /// Faults and failing tests as findings.
    pub fn findings(&self) -> Vec<Diagnostic> {
        let failed = self.failed().map(|test| Diagnostic {
            code: code::POLICY_TEST,
            severity: Severity::Error,
            file: test.file.clone(),
            line: test.line,
            column: None,
            message: format!("{}: {}", test.name, test.differences.join("; ")),
            help: None,
        });
        // Whoever counts refused reloads has one kind of finding for all of them.
        let faults = self.faults.iter().map(|fault| Diagnostic { code: code::POLICY_TEST, ..fault.clone() });
        faults.chain(failed).collect()
    }

    /// A line for each failing test, then the sum.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for fault in &self.faults {
            let _ = writeln!(out, "{fault}");
        }
        for test in self.failed() {
            let (file, name) = (printable(&test.file), printable(&test.name));
            let _ =
                writeln!(out, "{file}:{}: {name}: {}", test.line, printable(&test.differences.join("; ")));
            let _ = writeln!(out, "  got: {}", printable(&test.outcome));
        }
        let failed = self.failed().count();
        let _ = writeln!(out, "{} passed, {failed} failed", self.tests.len() - failed);
        out
    }

    /// One document.
    pub fn json(&self) -> String {
        let tests: Vec<_> = self
            .tests
            .iter()
            .map(|test| {
                json!({
                    "file": test.file, "line": test.line, "name": test.name,
                    "passed": test.differences.is_empty(), "differences": test.differences, "outcome": test.outcome,
                })
            })
            .collect();
        format!("{:#}\n", json!({ "passed": self.is_ok(), "faults": self.faults, "tests": tests }))
    }

    /// JUnit XML, as build servers read it.
    pub fn junit(&self) -> String {
        let (count, failed) = (self.tests.len(), self.failed().count());
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let errors = self.faults.len();
        let _ = writeln!(
            out,
            "<testsuite name=\"waf-compile\" tests=\"{}\" failures=\"{failed}\" errors=\"{errors}\">",
            count + errors
        );
        for fault in &self.faults {
            let (file, text) = (xml(&fault.file), xml(&fault.to_string()));
            let _ = writeln!(
                out,
                "  <testcase classname=\"{file}\" name=\"line {}\"><error message=\"{text}\"/></testcase>",
                fault.line
            );
        }
        for test in &self.tests {
            let (file, name) = (xml(&test.file), xml(&test.name));
            let _ = write!(out, "  <testcase classname=\"{file}\" name=\"{name}\"");
            if test.differences.is_empty() {
                out.push_str("/>\n");
                continue;
            }
            let (text, got) = (xml(&test.differences.join("; ")), xml(&test.outcome));
            let _ = writeln!(
                out,
                "><failure message=\"{text}\">line {}; got: {got}</failure></testcase>",
                test.line
            );
        }
        out.push_str("</testsuite>\n");
        out
    }
}

/// Text of an attribute or an element; XML 1.0 has no control characters.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
