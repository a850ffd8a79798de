//! Findings for people and for programs: text, JSON and SARIF 2.1.0. It must not know where findings come from.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{Compiled, Diagnostic, Severity, code};

/// Result for one file.
pub type Outcome = Result<Compiled, Vec<Diagnostic>>;

/// The findings of an outcome.
pub fn findings(outcome: &Outcome) -> &[Diagnostic] {
    match outcome {
        Ok(compiled) => &compiled.warnings,
        Err(list) => list,
    }
}

/// `1 error`, `2 errors`.
pub fn error_count(list: &[Diagnostic]) -> String {
    counted(list.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count(), "error")
}

/// A number of things, and their name in the fitting form.
pub fn counted(number: usize, name: &str) -> String {
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

/// Output of `--validate` about one file: the findings, then `<file>: ok` or `N errors`.
pub fn text(file: &str, outcome: &Outcome) -> String {
    listed(file, outcome, ToString::to_string)
}

/// [`text`] for a terminal: with columns, and with colours, which the stream takes out where they are not wanted. Texts
/// of the file have no control characters.
pub fn terminal(file: &str, outcome: &Outcome) -> String {
    listed(file, outcome, coloured)
}

/// One finding for a terminal: its place, its severity, its message.
pub fn coloured(diagnostic: &Diagnostic) -> String {
    let plain = diagnostic.to_string();
    let place = format!("{}:{}: ", crate::diagnostic::printable(&diagnostic.file), diagnostic.line);
    let rest = plain.strip_prefix(&place).unwrap_or(&plain);
    let place = place.trim_end_matches(": ");
    let column = diagnostic.column.map(|column| format!(":{column}")).unwrap_or_default();
    // An error has no word in front of it: its message has the colour.
    match rest.strip_prefix("warning: ") {
        Some(rest) => format!("{BOLD}{place}{column}:{RESET} {YELLOW}warning:{RESET} {rest}"),
        None => format!("{BOLD}{place}{column}:{RESET} {RED}{rest}{RESET}"),
    }
}

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[31m";
const YELLOW: &str = "\u{1b}[33m";
const RESET: &str = "\u{1b}[0m";

fn listed(file: &str, outcome: &Outcome, shown: impl Fn(&Diagnostic) -> String) -> String {
    let mut out = String::new();
    for diagnostic in findings(outcome) {
        let _ = writeln!(out, "{}", shown(diagnostic));
    }
    match outcome {
        Ok(_) => {
            let _ = writeln!(out, "{}: ok", crate::diagnostic::printable(file));
        }
        Err(list) => {
            let _ = writeln!(out, "{}", error_count(list));
        }
    }
    out
}

/// An array of findings; an empty one says that all is well.
pub fn json(outcomes: &[Outcome]) -> String {
    let list: Vec<&Diagnostic> = outcomes.iter().flat_map(findings).collect();
    pretty(&json!(list))
}

/// One run with all findings, for code scanning.
pub fn sarif(outcomes: &[Outcome]) -> String {
    let rules: Vec<Value> = code::ALL
        .iter()
        .map(|(id, summary)| json!({ "id": id, "shortDescription": { "text": summary } }))
        .collect();
    let results: Vec<Value> = outcomes.iter().flat_map(findings).map(sarif_result).collect();
    pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "waf-compile",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    }))
}

fn sarif_result(diagnostic: &Diagnostic) -> Value {
    let text = match &diagnostic.help {
        Some(help) => format!("{}; {help}", diagnostic.message),
        None => diagnostic.message.clone(),
    };
    let mut result = json!({
        "ruleId": diagnostic.code,
        "level": diagnostic.severity.name(),
        "message": { "text": text },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&diagnostic.file) },
                "region": { "startLine": diagnostic.line },
            },
        }],
    });
    let index = code::ALL.iter().position(|(id, _)| *id == diagnostic.code);
    if let (Some(index), Some(object)) = (index, result.as_object_mut()) {
        object.insert("ruleIndex".to_owned(), json!(index));
    }
    result
}

/// A file's name as a URI reference: absolute ones with their scheme, everything unusual escaped.
fn uri(file: &str) -> String {
    let mut out = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome() -> Outcome {
        Err(vec![
            Diagnostic {
                code: code::TIE,
                severity: Severity::Warning,
                file: "a b.yaml".to_owned(),
                line: 2,
                column: None,
                message: "w".to_owned(),
                help: None,
            },
            Diagnostic {
                code: code::SYNTAX,
                severity: Severity::Error,
                file: "a b.yaml".to_owned(),
                line: 3,
                column: Some(7),
                message: "e".to_owned(),
                help: Some("h".to_owned()),
            },
        ])
    }

    #[test]
    fn text_counts_errors_alone() {
        assert_eq!(text("a b.yaml", &outcome()), "a b.yaml:2: warning: w\na b.yaml:3: e; h\n1 error\n");
    }

    #[test]
    fn terminals_get_columns_and_colours() {
        let text = terminal("a b.yaml", &outcome());
        let expected = "\u{1b}[1ma b.yaml:2:\u{1b}[0m \u{1b}[33mwarning:\u{1b}[0m w\n\
                        \u{1b}[1ma b.yaml:3:7:\u{1b}[0m \u{1b}[31me; h\u{1b}[0m\n1 error\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn json_is_an_array_of_findings() {
        let value: Value = serde_json::from_str(&json(&[outcome()])).expect("JSON");
        assert_eq!(
            value[1],
            json!({ "code": "syntax", "severity": "error", "file": "a b.yaml", "line": 3, "message": "e", "help": "h" })
        );
    }

    #[test]
    fn sarif_results_point_into_rules_and_files() {
        let value: Value = serde_json::from_str(&sarif(&[outcome()])).expect("JSON");
        let run = &value["runs"][0];
        let result = &run["results"][0];
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.yaml");
        assert_eq!((&value["version"], &result["level"]), (&json!("2.1.0"), &json!("warning")));
    }
}
