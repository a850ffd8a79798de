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
    /// Character of the line at which the value or the field begins, counted from 1, where the message quotes it. For
    /// terminals alone: the other formats name lines.
    #[serde(skip)]
    pub column: Option<u32>,
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
    text: String,
    line_max: u32,
    errors: usize,
    suggestions: usize,
    list: Vec<Diagnostic>,
}

impl Sink {
    /// For a file of `lines` lines.
    pub(crate) fn new(file: &str, lines: u32) -> Sink {
        Sink {
            file: printable(file),
            text: String::new(),
            line_max: lines.max(1),
            errors: 0,
            suggestions: 0,
            list: Vec::new(),
        }
    }

    /// For a file with this text.
    pub(crate) fn of(file: &str, text: &str) -> Sink {
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        Sink { text: text.to_owned(), ..Sink::new(file, lines) }
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
        // Findings and lines are both in order: one pass finds the text of each.
        let mut lines = (1..).zip(self.text.lines()).peekable();
        for diagnostic in &mut self.list {
            while lines.next_if(|(number, _)| *number < diagnostic.line).is_some() {}
            diagnostic.column = lines.peek().and_then(|(_, line)| column(line, &diagnostic.message));
        }
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
            column: None,
            message: printable(message),
            help: help.map(|text| printable(&text)),
        });
    }
}

/// Character of the line at which the value that the message quotes, else the field that it names, begins.
fn column(line: &str, message: &str) -> Option<u32> {
    let quoted = message.split('`').skip(1).step_by(2);
    let field = message.split([' ', ':']).next().and_then(|path| path.rsplit('.').next());
    let given = message.rsplit_once("got ").map(|(_, given)| given);
    let mut words = quoted.chain(given).chain(field).filter(|word| !word.is_empty());
    let at = words.find_map(|word| line.find(word))?;
    let before = line.get(..at)?.chars().count();
    u32::try_from(before).ok()?.checked_add(1)
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
    fn columns_are_those_of_what_is_quoted() {
        for (line, message, expected) in [
            (
                "    mode: blokcing",
                "routes[a].mode must be `blocking` or `detect_only`, got `blokcing`",
                Some(11),
            ),
            ("  prot: 80", "unknown field `prot`", Some(3)),
            ("    upstream: x", "routes[a].upstream: `x` is not a valid URL", Some(15)),
            ("  h\u{e9}: y: z", "unknown field `y`", Some(7)),
            ("health_port: 1e3", "health_port must be an int, got `1e3`", Some(14)),
            ("  timeout: 0s", "tracing.timeout must be >= 100ms, got 0s", Some(12)),
            ("- id: a", "routes[a].upstream is required", None),
            ("", "not valid YAML", None),
        ] {
            assert_eq!(column(line, message), expected, "{line:?} {message}");
        }
        let mut sink = Sink::of("f", "a: 1\n\nb: two\nc: 3\n");
        sink.error("syntax", 3, "b must be an int, got `two`");
        sink.error("syntax", 4, "c: `9` is odd");
        sink.error("syntax", 1, "a: `1`");
        let columns: Vec<_> = sink.finish().iter().map(|found| (found.line, found.column)).collect();
        assert_eq!(columns, [(1, Some(4)), (3, Some(4)), (4, Some(1))]);
    }

    #[test]
    fn suggestions_reach_two_edits() {
        assert_eq!(closest("sql-injectoin", ["sql-injection", "sql"]), Some("sql-injection"));
        assert_eq!(closest("abcdef", ["abc"]), None);
        assert_eq!(closest("x", ["ip"]), None);
    }
}
