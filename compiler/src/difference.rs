//! The meaning of a change between two configurations: routes that come and go, protections that are switched, settings
//! that differ. It compares what holds, not what is written: another order of lines is no change.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::Compiled;

/// Paths with their values.
type Values = BTreeMap<String, Value>;

/// One line for each difference, grouped by route; empty when both mean the same.
pub fn text(old: &Compiled, new: &Compiled) -> String {
    let mut out = String::new();
    let service = |compiled: &Compiled| {
        let mut values = flat(&compiled.value());
        // The digest differs with everything, and routes are compared one by one.
        values.retain(|path, _| path != "digest" && path != "bytes" && !path.starts_with("routes"));
        values
    };
    section(&mut out, "the service", &service(old), &service(new));
    let old_ids: Vec<&str> = old.route_ids().collect();
    let new_ids: Vec<&str> = new.route_ids().collect();
    for id in old_ids.iter().filter(|id| !new_ids.contains(id)) {
        let _ = writeln!(out, "route {id}: removed");
    }
    for id in &new_ids {
        let now = new.route_value(id).map(|value| flat(&value)).unwrap_or_default();
        match old.route_value(id) {
            Some(before) => section(&mut out, &format!("route {id}"), &flat(&before), &now),
            None => {
                let upstream = now.get("upstream").map(shown).unwrap_or_default();
                let _ = writeln!(out, "route {id}: added, to {upstream}");
            }
        }
    }
    let kept = |ids: &[&str], others: &[&str]| -> Vec<String> {
        ids.iter().filter(|id| others.contains(id)).map(|id| (*id).to_owned()).collect()
    };
    if kept(&old_ids, &new_ids) != kept(&new_ids, &old_ids) {
        let _ = writeln!(out, "the order of routes differs, which decides between patterns of equal rank");
    }
    out
}

fn section(out: &mut String, title: &str, old: &Values, new: &Values) {
    let mut lines = Vec::new();
    let (mut on, mut off) = (Vec::new(), Vec::new());
    let paths: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for path in paths {
        let (before, after) = (old.get(path), new.get(path));
        if before == after {
            continue;
        }
        match path.strip_prefix("protections.") {
            Some(leaf) if after == Some(&Value::from("on")) => on.push(leaf),
            Some(leaf) => off.push(leaf),
            None => {
                let text = |value: Option<&Value>| value.map_or("none".to_owned(), shown);
                lines.push(format!("  {path}: {} -> {}", text(before), text(after)));
            }
        }
    }
    for (leaves, word) in [(off, "off"), (on, "on")] {
        lines.extend(leaves.into_iter().map(|leaf| format!("  {word} now: {leaf}")));
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "{title}:\n{}", lines.join("\n"));
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => crate::diagnostic::escaped(text),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}

/// Every value below `value` by its path; a list is one value.
fn flat(value: &Value) -> Values {
    let mut out = Values::new();
    let mut waiting = vec![(String::new(), value)];
    while let Some((path, value)) = waiting.pop() {
        match value {
            Value::Object(fields) => {
                waiting.extend(fields.iter().map(|(name, value)| {
                    (if path.is_empty() { name.clone() } else { format!("{path}.{name}") }, value)
                }));
            }
            Value::Null => {}
            other => drop(out.insert(path, other.clone())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Compiled, Options, compile_text};

    fn compiled(text: &str) -> Compiled {
        let options = Options { host_checks: false, ..Options::default() };
        compile_text("t", text, Path::new("."), &options).expect("a valid configuration")
    }

    fn difference(old: &str, new: &str) -> String {
        super::text(&compiled(old), &compiled(new))
    }

    const OLD: &str = "version: v1alpha1
health_port: 9090
routes:
  - {id: api, match: {paths: [/api/*]}, upstream: 'http://a'}
  - {id: old, match: {paths: [/old]}, upstream: 'http://b'}
";

    #[test]
    fn another_way_to_write_the_same_is_no_difference() {
        let other = "# comment
routes:
  - id: api
    upstream: http://a:80/
    match:
      paths: ['/api/*']
    accept: {max_body_size: 10240KB}
  - {upstream: 'http://b', id: old, match: {paths: [/old]}}
health_port: 9090
version: v1alpha1
";
        assert_eq!(difference(OLD, other), "");
    }

    #[test]
    fn changes_are_told_in_terms_of_protections() {
        let new = "version: v1alpha1
health_port: 9099
global: {disable: [sql-injection-union-select]}
routes:
  - {id: new, match: {paths: [/new]}, upstream: 'http://c'}
  - id: api
    match: {paths: [/api/*]}
    upstream: http://a
    mode: detect_only
    accept: {max_body_size: 20MB}
    multipart: {file_size: 20MB}
    enable: [response-headers-add-csp]
";
        let text = difference(OLD, new);
        for line in [
            "the service:\n  health_port: 9090 -> 9099\n",
            "route old: removed\n",
            "route new: added, to http://c\n",
            "route api:\n",
            "  mode: blocking -> detect_only\n",
            "  accept.max_body_size: 10MB -> 20MB\n",
            "  off now: sql-injection-union-select\n",
            "  on now: response-headers-add-csp\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("digest") && !text.contains("order of routes"), "{text}");
    }

    #[test]
    fn the_order_of_routes_is_a_difference() {
        let new = "version: v1alpha1
health_port: 9090
routes:
  - {id: old, match: {paths: [/old]}, upstream: 'http://b'}
  - {id: api, match: {paths: [/api/*]}, upstream: 'http://a'}
";
        assert!(difference(OLD, new).contains("order of routes"));
    }
}
