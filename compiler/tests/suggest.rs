//! Suggestions: events of both formats are grouped and judged, and exceptions are written into a configuration.

use std::path::Path;

use serde_json::{Value, json};
use waf_compiler::suggest::{ApplyError, Events, Suggestion, applied, write};

use crate::common::compile;

const CONFIG: &str = "# The shop.
version: v1alpha1
routes:
  # Reports are written in SQL.
  - id: reports # keep
    # where it lies
    match: {paths: [/reports/*]}
    upstream: http://a
  - upstream: http://b   # everything else
";
const SQL: (&str, u8) = ("sql-injection-union-select/union", 5);
const WEAK: (&str, u8) = ("sql-injection-generic/query-in-text", 2);
const XSS: (&str, u8) = ("cross-site-scripting-script-tags/element", 5);
const SCANNER: (&str, u8) = ("scanner-detection-user-agent/attack-tool", 5);

/// An event: client, method, path, findings by rule, place and name.
struct Case<'a> {
    client: &'a str,
    method: &'a str,
    path: &'a str,
    found: &'a [((&'a str, u8), &'a str, &'a str)],
    status: u64,
}

impl Case<'_> {
    fn matches(&self) -> Value {
        let found = |((rule, weight), place, name): &((&str, u8), &str, &str)| {
            let protection = rule.split('/').next().unwrap();
            json!({ "protection": protection, "rule": rule, "place": place, "name": name, "weight": weight })
        };
        self.found.iter().map(found).collect()
    }

    fn route(&self) -> &str {
        if self.path.starts_with("/reports") { "reports" } else { "default" }
    }

    fn ocsf(&self) -> String {
        json!({
            "disposition_id": 15, "time": 1_795_418_855_734_u64, "src_endpoint": { "ip": self.client },
            "http_request": { "http_method": self.method, "url": { "path": self.path } },
            "http_response": { "code": self.status },
            "waf": { "route_id": self.route(), "matches": self.matches() },
        })
        .to_string()
    }

    fn ecs(&self) -> String {
        json!({
            "@timestamp": "2026-11-23T08:07:35.734Z", "event": { "action": "detected" }, "client": { "ip": self.client },
            "http": { "request": { "method": self.method }, "response": { "status_code": self.status } },
            "url": { "path": self.path },
            "waf": { "route_id": self.route(), "matches": self.matches() },
        })
        .to_string()
    }
}

fn events(lines: &[String]) -> Events {
    let mut events = Events::default();
    events.read(lines.join("\n").as_bytes()).unwrap();
    events
}

/// Three clients write SQL into reports; one scans the shop.
fn traffic() -> Vec<Case<'static>> {
    let query = &[(SQL, "ARGS", "q[1]"), (WEAK, "ARGS", "q[1]"), (WEAK, "HEADERS", "host")][..];
    let mut all: Vec<Case<'_>> = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
        .map(|client| Case { client, method: "POST", path: "/reports/17/run", found: query, status: 200 })
        .into();
    all.push(Case {
        client: "192.0.2.1",
        method: "POST",
        path: "/reports/18/run",
        found: &[(SQL, "ARGS", "q%5B3%5D")],
        status: 200,
    });
    for path in ["/a", "/b", "/login", "/search"] {
        all.push(Case {
            client: "203.0.113.9",
            method: "GET",
            path,
            found: &[(XSS, "ARGS", "q")],
            status: 404,
        });
    }
    all.push(Case {
        client: "203.0.113.9",
        method: "GET",
        path: "/",
        found: &[(SCANNER, "HEADERS", "user-agent")],
        status: 200,
    });
    all
}

#[test]
fn alarms_and_attacks_are_told_apart_in_both_formats() {
    let compiled = compile(CONFIG).unwrap();
    for format in [Case::ocsf, Case::ecs] {
        let lines: Vec<String> = traffic().iter().map(format).collect();
        let suggested = compiled.suggest(&events(&lines), false);
        for part in [
            "# 9 events: 1 likely false alarm, 5 likely attacks, 0 unclear\n",
            "# route reports, POST /reports/*/run, ARGS:q[*]: 4 requests of 3 clients, likely a false alarm\n",
            "#   3 clients send it in this place\n",
            "#   an exception alone would have spared 4 requests of 3 clients, 0 of them of clients that look like attackers\n",
            "# route default, GET /login, ARGS:q: 1 request of 1 client, likely an attack\n",
            "#   a client of it uses a known scanner\n",
        ] {
            assert!(suggested.text.contains(part), "{part}\n{}", suggested.text);
        }
        let [only] = suggested.exceptions.as_slice() else { panic!("one: {:?}", suggested.exceptions) };
        assert_eq!(only.route, "reports");
        assert_eq!(
            only.lines,
            [
                r#"rules: ["sql-injection-generic/query-in-text", "sql-injection-union-select/union"]"#,
                r#"in: ["ARGS:q[*]"]"#,
                r#"methods: ["POST"]"#,
                r#"paths: ["/reports/*/run"]"#,
                r#"reason: "4 requests of 3 clients on 2026-11-23""#,
            ]
        );
    }
}

#[test]
fn one_request_is_unclear_and_proposed_when_wanted() {
    let compiled = compile(CONFIG).unwrap();
    let one =
        Case { client: "a", method: "POST", path: "/reports/x", found: &[(SQL, "ARGS", "q")], status: 500 };
    let events = events(&[one.ocsf()]);
    assert!(compiled.suggest(&events, false).exceptions.is_empty());
    let suggested = compiled.suggest(&events, true);
    assert_eq!(suggested.exceptions.len(), 1);
    assert!(
        suggested.text.contains("1 request of 1 client, unclear\n#   too few requests to tell\n"),
        "{}",
        suggested.text
    );
}

#[test]
fn what_an_exception_cannot_spare_is_said() {
    let compiled = compile(CONFIG).unwrap();
    let case = |found| Case { client: "a", method: "POST", path: "/reports/x", found, status: 200 }.ocsf();
    let limit = case(&[(SQL, "ARGS", "q")]).replace("\"rule\":", "\"was\":");
    let text = compiled.suggest(&events(&[limit, "no event".to_owned(), "{}".to_owned()]), true).text;
    assert!(text.contains("# 1 request has a finding that no exception takes away"), "{text}");
    assert!(text.contains("# 2 lines are no events of blocked or detected requests"), "{text}");
    // Two places of one request: neither exception alone is enough.
    let both = case(&[(SQL, "ARGS", "q"), (SQL, "ARGS", "r")]);
    let text = compiled.suggest(&events(&[both]), true).text;
    assert_eq!(text.matches("alone would have spared 0 requests of 0 clients").count(), 2, "{text}");
    // What the configuration excepts already is not proposed again.
    let lines: Vec<String> = traffic().iter().map(Case::ocsf).collect();
    let first = compiled.suggest(&events(&lines), false);
    let again = compile(&applied(CONFIG, &first.exceptions).unwrap()).unwrap();
    let second = again.suggest(&events(&lines), false);
    assert!(
        second.exceptions.is_empty() && second.text.contains("has an exception for it already"),
        "{}",
        second.text
    );
    // No text of an event reaches the configuration or a terminal as it is.
    let hostile = [(SQL, "ARGS", "q\"]\n  - x: \u{1b}[31m"), (SQL, "ARGS", "x: #y")];
    for found in &hostile {
        let path = "/reports/\"]\nevil: 1";
        let line =
            Case { client: "a", method: "PO\nST", path, found: std::slice::from_ref(found), status: 200 }
                .ocsf();
        let suggested = compiled.suggest(&events(&[line]), true);
        assert!(
            !suggested.text.contains('\u{1b}') && !suggested.text.contains("\nevil"),
            "{}",
            suggested.text
        );
        for suggestion in &suggested.exceptions {
            assert!(suggestion.lines.iter().all(|line| !line.contains(['\n', '\u{1b}'])), "{suggestion:?}");
        }
    }
}

fn suggestion(route: &str) -> Suggestion {
    let lines = ["protections: [sql]", "in: [\"ARGS:q\"]"].map(str::to_owned).to_vec();
    Suggestion { route: route.to_owned(), lines }
}

#[test]
fn exceptions_are_inserted_and_everything_else_stays() {
    let text =
        applied(CONFIG, &[suggestion("reports"), suggestion("default"), suggestion("reports")]).unwrap();
    let expected = "# The shop.
version: v1alpha1
routes:
  # Reports are written in SQL.
  - id: reports # keep
    exceptions:
      - protections: [sql]
        in: [\"ARGS:q\"]
      - protections: [sql]
        in: [\"ARGS:q\"]
    # where it lies
    match: {paths: [/reports/*]}
    upstream: http://a
  - upstream: http://b   # everything else
    exceptions:
      - protections: [sql]
        in: [\"ARGS:q\"]
";
    assert_eq!(text, expected);
    assert_eq!(compile(&text).unwrap().plan.exceptions.len(), 3);
}

#[test]
fn every_style_of_a_route_is_written_or_left_alone() {
    let head = "version: v1alpha1\nroutes:\n";
    for route in [
        "- upstream: http://a\n",
        "- upstream: http://a",
        "  -\n    id: x\n    upstream: http://a\n",
        "  -   id: x\n      upstream: http://a\n",
        "  - upstream: http://a\n    exceptions:\n    # first\n    - {rules: [sql-injection-union-select/union], in: [BODY]}\n",
        "  - upstream: http://a\n    exceptions:\n",
        "  - exceptions:\n      - protections: [sql]\n        in: [BODY]\n    upstream: http://a\n",
        "  - \"upstream\": http://a\n    match:\n      paths:\n        - /a\n        - /b\n",
        "  - upstream: >-\n      http://a\n    id: x\n",
        "  - upstream: http://a\r\n    id: x\r\n",
    ] {
        let before = format!("{head}{route}");
        let compiled = compile(&before).unwrap();
        let id = compiled.route_ids().next().unwrap().to_owned();
        let text = applied(&before, &[suggestion(&id)]).unwrap();
        let after = compile(&text).unwrap_or_else(|faults| panic!("{text}\n{faults:#?}"));
        assert_eq!(after.plan.exceptions.len(), compiled.plan.exceptions.len() + 1, "{text}");
        for line in before.lines() {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
    for route in
        ["  - {id: x, upstream: http://a}\n", "  - id: x\n    upstream: http://a\n    exceptions: []\n"]
    {
        let text = format!("{head}{route}");
        assert_eq!(applied(&text, &[suggestion("x")]), Err(ApplyError::Flow("x".to_owned())), "{text}");
    }
    let none = applied(CONFIG, &[suggestion("gone")]).unwrap_err();
    assert_eq!(none.to_string(), "there is no route gone in the configuration");
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("waf.yaml");
    let link = folder.path().join("link.yaml");
    std::fs::write(&path, CONFIG).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert_eq!(write(&link, &[suggestion("reports")]).unwrap(), 1);
    assert!(link.is_symlink() && std::fs::read_to_string(&path).unwrap().contains("exceptions:"));
    let before = std::fs::read_to_string(&path).unwrap();
    let mut wrong = suggestion("reports");
    wrong.lines[0] = "protections: [none]".to_owned();
    let error = write(&path, &[suggestion("reports"), wrong]).unwrap_err();
    assert!(error.to_string().starts_with("the configuration would not be valid: "), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    assert!(write(Path::new("/nowhere/waf.yaml"), &[suggestion("reports")]).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
}
