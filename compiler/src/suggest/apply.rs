//! Suggestions written into the text of a configuration: whole lines are inserted, nothing else changes.

use std::fmt::Write as _;

use super::suggestion::Suggestion;
use crate::diagnostic::Sink;
use crate::resolve::route_names;
use crate::tree::{self, Entry, Node, Value};

/// A reason for which a suggestion cannot be written into a file.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ApplyError {
    /// The text is not YAML.
    #[error("the configuration cannot be read")]
    Unreadable,
    /// The configuration has no such route.
    #[error("there is no route {0} in the configuration")]
    NoRoute(String),
    /// The route is written on one line, so no line can be inserted.
    #[error("route {0} is written in flow style (`{{…}}`, `[…]`): add its exceptions with an editor")]
    Flow(String),
}

/// The text with the exceptions of all suggestions.
pub fn applied(text: &str, suggestions: &[Suggestion]) -> Result<String, ApplyError> {
    let mut text = text.to_owned();
    for suggestion in suggestions {
        text = with(&text, suggestion)?;
    }
    Ok(text)
}

fn with(text: &str, suggestion: &Suggestion) -> Result<String, ApplyError> {
    let mut sink = Sink::new("configuration", u32::MAX);
    let root = tree::read(text, &mut sink).ok_or(ApplyError::Unreadable)?;
    let names = route_names(&root);
    let routes = root.child("routes").map_or(&[][..], Node::items);
    let found = names.iter().position(|name| *name == suggestion.route).and_then(|at| routes.get(at));
    let route = found.ok_or_else(|| ApplyError::NoRoute(suggestion.route.clone()))?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let spot = spot(&lines, route).ok_or_else(|| ApplyError::Flow(suggestion.route.clone()))?;
    let end = if lines.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut inserted = String::new();
    if let Some(indent) = spot.key_indent {
        let _ = write!(inserted, "{}exceptions:{end}", " ".repeat(indent));
    }
    for (nth, field) in suggestion.lines.iter().enumerate() {
        let mark = if nth == 0 { "- " } else { "  " };
        let _ = write!(inserted, "{}{mark}{field}{end}", " ".repeat(spot.item_indent));
    }
    let (before, after) = lines.split_at_checked(spot.line).unwrap_or((&lines, &[]));
    let mut out = before.concat();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(end);
    }
    out.push_str(&inserted);
    out.push_str(&after.concat());
    Ok(out)
}

/// A place for new lines.
struct Spot {
    /// Number of lines before it.
    line: usize,
    /// Columns before the key `exceptions`, where it is missing.
    key_indent: Option<usize>,
    /// Columns before the dash of an entry.
    item_indent: usize,
}

fn spot(lines: &[&str], route: &Node) -> Option<Spot> {
    let Value::Map(entries) = &route.value else { return None };
    let first = entries.first()?;
    if let Some(known) = entries.iter().find(|entry| entry.key == "exceptions") {
        return among(lines, known);
    }
    let dash = index(route.line)?;
    let indent = indent_of(lines, first, dash)?;
    // In front of a key of its own line, above the comments that belong to it.
    let line = match entries.iter().find(|entry| entry.line > route.line) {
        Some(next) => above_comments(lines, index(next.line)?, dash + 1),
        // The only key stands beside the dash; its value has to end there.
        None if matches!(first.node.value, Value::Scalar { .. }) && first.node.line == route.line => dash + 1,
        None => return None,
    };
    Some(Spot { line, key_indent: Some(indent), item_indent: indent + 2 })
}

/// Before the first entry of a list that is there; behind an empty key.
fn among(lines: &[&str], known: &Entry) -> Option<Spot> {
    let key = index(known.line)?;
    let text = lines.get(key)?;
    let key_indent = text.len() - text.trim_start_matches([' ', '-']).len();
    match &known.node.value {
        Value::Empty if text.trim_end().ends_with(':') => {
            Some(Spot { line: key + 1, key_indent: None, item_indent: key_indent + 2 })
        }
        Value::List(items) => {
            let line = index(items.first()?.line)?;
            let dash = lines.get(line)?;
            let item_indent = dash.len() - dash.trim_start_matches(' ').len();
            let is_block = line > key && dash.trim_start().starts_with("- ");
            is_block.then(|| Spot {
                line: above_comments(lines, line, key + 1),
                key_indent: None,
                item_indent,
            })
        }
        _ => None,
    }
}

/// Columns before the keys of a route.
fn indent_of(lines: &[&str], first: &Entry, dash: usize) -> Option<usize> {
    let text = lines.get(index(first.line)?)?;
    let indent = text.len() - text.trim_start_matches([' ', '-']).len();
    let is_block = text.get(indent..)?.trim_start_matches(['"', '\'']).starts_with(first.key.as_str());
    let has_dash = lines.get(dash)?.trim_start().starts_with("- ") || lines.get(dash)?.trim() == "-";
    (is_block && has_dash && !text.contains('\t')).then_some(indent)
}

/// The first of the comments and empty lines above `line`, not above `floor`.
fn above_comments(lines: &[&str], line: usize, floor: usize) -> usize {
    let is_comment = |at: usize| lines.get(at).is_some_and(|text| text.trim_start().starts_with('#'));
    let mut line = line;
    while line > floor && is_comment(line - 1) {
        line -= 1;
    }
    line
}

/// The index of a line that is counted from 1.
fn index(line: u32) -> Option<usize> {
    usize::try_from(line).ok()?.checked_sub(1)
}
