//! The files of `ops/` that watch the service: alert rules that hold what they say, a dashboard that asks for what exists.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use waf_shared::metrics::{MetricKind, TABLE};
use waf_tests::programs::repository;

fn ops(name: &str) -> PathBuf {
    repository().join("ops").join(name)
}

fn promtool(arguments: &[&str], file: &Path) -> String {
    let output = Command::new("promtool")
        .args(arguments)
        .arg(file)
        .output()
        .expect("promtool can be started (Debian package prometheus)");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "promtool {arguments:?} {}: {said}", file.display());
    said
}

/// Every name in an expression that begins as ours do is a series of the table.
fn names_what_exists(expression: &str) {
    let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let ours: Vec<&str> = words.filter(|word| word.starts_with("waf_")).collect();
    assert!(!ours.is_empty(), "{expression} asks for nothing of ours");
    for name in ours {
        let known = TABLE.iter().any(|row| match row.kind {
            MetricKind::Histogram(_) => {
                ["_bucket", "_sum", "_count"].iter().any(|suffix| name == format!("{}{suffix}", row.text))
            }
            _ => name == row.text,
        });
        assert!(known, "{expression} asks for {name}, which does not exist");
    }
}

#[test]
fn alerts_are_well_formed_and_fire_when_they_should() {
    let text = std::fs::read_to_string(ops("alerts.yaml")).expect("the rules are there");
    let count = text.lines().filter(|line| line.trim().starts_with("- alert: ")).count();
    let said = promtool(&["check", "rules"], &ops("alerts.yaml"));
    assert!(count > 0 && said.contains(&format!("SUCCESS: {count} rules found")), "{said}");
    let said = promtool(&["test", "rules"], &ops("alerts.test.yaml"));
    assert!(said.contains("SUCCESS"), "{said}");
    for line in text.lines().filter_map(|line| line.trim().strip_prefix("expr: ")) {
        names_what_exists(&serde_json::from_str::<String>(line).expect("a quoted expression"));
    }
}

/// The expressions of all panels, with Grafana's variables filled in.
fn expressions(dashboard: &Value) -> Vec<String> {
    let panels = dashboard["panels"].as_array().expect("a dashboard has panels");
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("a panel asks"));
    let text = |target: &Value| target["expr"].as_str().expect("an expression").to_owned();
    targets.map(|t| text(t).replace("$__rate_interval", "5m").replace("$route", ".*")).collect()
}

#[test]
fn the_dashboard_asks_for_what_exists() {
    let text = std::fs::read_to_string(ops("dashboard.json")).expect("the dashboard is there");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let expressions = expressions(&dashboard);
    assert!(expressions.len() > 20, "{expressions:?}");
    // Prometheus itself says whether they parse: as recording rules.
    let mut rules = String::from("groups:\n  - name: dashboard\n    rules:\n");
    for (index, expression) in expressions.iter().enumerate() {
        names_what_exists(expression);
        let quoted = Value::from(expression.as_str());
        let _ = writeln!(rules, "      - record: \"dashboard:{index}\"\n        expr: {quoted}");
    }
    let folder = tempfile::tempdir().expect("a folder for the test");
    let file = folder.path().join("rules.yaml");
    std::fs::write(&file, rules).expect("a file in the test's folder");
    let said = promtool(&["check", "rules"], &file);
    assert!(said.contains(&format!("SUCCESS: {} rules found", expressions.len())), "{said}");
    let shown = expressions.join(" ");
    for row in TABLE.iter().filter(|row| {
        !matches!(
            row.text,
            "waf_build_info"
                | "waf_trace_spans_dropped_total"
                | "waf_config_last_reload_success_timestamp_seconds"
        )
    }) {
        assert!(shown.contains(row.text), "no panel shows {}", row.text);
    }
    // Panels lie side by side and do not cover each other.
    let places: Vec<[u64; 2]> = dashboard["panels"]
        .as_array()
        .expect("a dashboard has panels")
        .iter()
        .map(|panel| ["x", "y"].map(|axis| panel["gridPos"][axis].as_u64().expect("a place")))
        .collect();
    assert!(places.iter().enumerate().all(|(index, place)| !places[..index].contains(place)), "{places:?}");
}
