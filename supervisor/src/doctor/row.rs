//! A row of the report: one thing, the verdict about it, and the remedy.

use std::fmt;

/// Verdict about one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
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
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) verdict: Verdict,
    pub(super) said: String,
    pub(super) remedy: Option<String>,
}

impl Row {
    pub(super) fn ok(what: &'static str, said: impl Into<String>) -> Row {
        Row { what, verdict: Verdict::Ok, said: said.into(), remedy: None }
    }

    pub(super) fn warning(what: &'static str, said: impl Into<String>, remedy: impl Into<String>) -> Row {
        Row { what, verdict: Verdict::Warning, said: said.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn error(what: &'static str, said: impl Into<String>, remedy: impl Into<String>) -> Row {
        Row { what, verdict: Verdict::Error, said: said.into(), remedy: Some(remedy.into()) }
    }

    /// With the colours of a terminal.
    pub(super) fn coloured(&self) -> String {
        let colour = match self.verdict {
            Verdict::Ok => "\u{1b}[32m",
            Verdict::Warning => "\u{1b}[33m",
            Verdict::Error => "\u{1b}[31m",
        };
        let text = self.to_string();
        let (verdict, rest) = text.split_at_checked(VERDICT_WIDTH).unwrap_or(("", &text));
        format!("{colour}{verdict}\u{1b}[0m{rest}")
    }
}

/// Width of the first column.
const VERDICT_WIDTH: usize = 8;

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is said may quote a file or the system; a terminal must not obey it.
        let plain = |text: &str| text.replace(char::is_control, " ");
        write!(f, "{:<VERDICT_WIDTH$} {:<17} {}", self.verdict, self.what, plain(&self.said))?;
        match &self.remedy {
            Some(remedy) => write!(f, "\n{:<26} -> {}", "", plain(remedy)),
            None => Ok(()),
        }
    }
}
