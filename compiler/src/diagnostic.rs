//! Findings for the operator: a code, a line, a sentence. It must not know YAML or the schema.

use std::fmt;

use serde::Serialize;

pub(crate) use waf_shared::quote::{QUOTE_CHARS_MAX, escaped, printable, quoted, shortened};

/// Mistakes of one file for which the name that was meant is looked for: each search reads a whole list of names.
const SUGGESTIONS_MAX: usize = 1_000;

/// Effect of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The configuration is refused.
    Error,
    /// The configuration is applied.
    Warning,
}

impl Severity {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One finding. Shown as `<file>:<line>: <message>` or `<file>:<line>: warning: <message>`, always one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable name of the kind of finding, one of [`crate::code::ALL`].
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// The file as it was named.
    pub file: String,
    /// Line of the value at fault, counted from 1.
    pub line: u32,
    /// One sentence without the place.
    pub message: String,
    /// A remedy, when one is known.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let warning = if self.severity == Severity::Warning { "warning: " } else { "" };
        write!(f, "{}:{}: {warning}{}", printable(&self.file), self.line, printable(&self.message))?;
        match &self.help {
            Some(help) => write!(f, "; {}", printable(help)),
            None => Ok(()),
        }
    }
}

/// Collects the findings about one file.
#[derive(Debug)]
pub(crate) struct Sink {
    file: String,
    line_max: u32,
    errors: usize,
    suggestions: usize,
    list: Vec<Diagnostic>,
}

impl Sink {
    /// For a file of `lines` lines.
    pub(crate) fn new(file: &str, lines: u32) -> Sink {
        Sink { file: printable(file), line_max: lines.max(1), errors: 0, suggestions: 0, list: Vec::new() }
    }

    /// Adds an error.
    pub(crate) fn error(&mut self, code: &'static str, line: u32, message: impl AsRef<str>) {
        self.errors += 1;
        self.push(code, Severity::Error, line, message.as_ref(), None);
    }

    /// Adds an error with advice.
    pub(crate) fn error_with(
        &mut self,
        code: &'static str,
        line: u32,
        message: impl AsRef<str>,
        help: Option<String>,
    ) {
        self.errors += 1;
        self.push(code, Severity::Error, line, message.as_ref(), help);
    }

    /// Adds a warning.
    pub(crate) fn warning(&mut self, code: &'static str, line: u32, message: impl AsRef<str>) {
        self.push(code, Severity::Warning, line, message.as_ref(), None);
    }

    /// `did you mean …?` for a word of the file, while there are few mistakes in it.
    pub(crate) fn did_you_mean<'c>(
        &mut self,
        text: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<String> {
        self.advice(|| did_you_mean(text, candidates))
    }

    /// The result of a search for advice, while there are few mistakes in the file.
    pub(crate) fn advice(&mut self, search: impl FnOnce() -> Option<String>) -> Option<String> {
        self.suggestions += 1;
        if self.suggestions > SUGGESTIONS_MAX { None } else { search() }
    }

    /// Errors so far.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Everything, by line; findings of one line stay in the order in which they were made.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.line);
        self.list.dedup();
        self.list
    }

    fn push(
        &mut self,
        code: &'static str,
        severity: Severity,
        line: u32,
        message: &str,
        help: Option<String>,
    ) {
        self.list.push(Diagnostic {
            code,
            severity,
            file: self.file.clone(),
            line: line.clamp(1, self.line_max),
            message: printable(message),
            help: help.map(|text| printable(&text)),
        });
    }
}

/// The candidate closest to `text`, when it is at most two edits away.
pub(crate) fn closest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if text.len() > QUOTE_CHARS_MAX {
        return None;
    }
    let length = text.chars().count();
    candidates
        .into_iter()
        // Each character more or less is an edit by itself.
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= 2)
        .map(|candidate| (strsim::levenshtein(text, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 2 && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `did you mean …?` for [`closest`].
pub(crate) fn did_you_mean<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    closest(text, candidates).map(|name| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_without_control_characters() {
        let mut sink = Sink::new("a\nb.yaml", 3);
        sink.error("syntax", 9, "x\u{1b}[31m\r\ny\u{202e}");
        sink.warning("tie", 0, "w");
        let list = sink.finish();
        let shown: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["ab.yaml:1: warning: w", "ab.yaml:3: x[31my"]);
    }

    #[test]
    fn suggestions_reach_two_edits() {
        assert_eq!(closest("sql-injectoin", ["sql-injection", "sql"]), Some("sql-injection"));
        assert_eq!(closest("abcdef", ["abc"]), None);
        assert_eq!(closest("x", ["ip"]), None);
    }
}
