//! One recorded request against a configuration: the checks of its head and the findings of the engine, the line of the
//! file that decided about each, and the narrowest toggle that allows the request. What is not checked is listed.

pub mod event;
pub(crate) mod head;

use std::fmt::Write as _;

use waf_detection::recorded::Recorded;
use waf_detection::rule::STRONG;
use waf_detection::verdict::{Match, Verdict};
use waf_shared::catalog::{Default, Leaf, LeafSet};
use waf_shared::plan::{Listen, Mode, Settings};
use waf_shared::route::{Choice, HostSet};

use crate::Compiled;
use crate::diagnostic::escaped;
use crate::inspector::{Inspected, Inspector};
use crate::resolve::Route;

/// Outcome for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The request reaches its upstream.
    Passed,
    /// The request is refused.
    Refused,
    /// No answer is possible: the text is not a request.
    NotARequest,
}

/// The findings in a request.
#[derive(Debug)]
pub struct Explanation {
    /// For people.
    pub text: String,
    /// The outcome.
    pub outcome: Outcome,
}

impl Compiled {
    /// Runs a recorded request (request line, header lines, an empty line, a body) through the checks of its route, and
    /// explains the outcome.
    pub fn explain(&self, raw: &[u8]) -> Explanation {
        if let Err(fault) = head::is_request(raw) {
            let text = format!("this is not a recorded request: {fault}\n");
            return Explanation { text, outcome: Outcome::NotARequest };
        }
        let request = Recorded::parse(raw);
        let refused = |text: &str| Explanation { text: format!("{text}\n"), outcome: Outcome::Refused };
        if request.method == b"CONNECT" {
            return refused("refused with 405: CONNECT is never forwarded");
        }
        if let Err(fault) = head::is_forwardable(raw) {
            return refused(&format!("refused with 400: {fault}"));
        }
        let host = head::host(&request);
        if let (Some(host), Listen::Tls { hosts }) = (host, &self.plan.listen)
            && !HostSet::new(hosts).contains(host)
        {
            return refused("refused with 404: the configuration does not name this host");
        }
        let inspector = Inspector::new(&self.plan);
        let (index, route) = match inspector.choose(host, &request) {
            Choice::Route(index) => (index, self.resolved.routes.get(index)),
            Choice::None => (0, None),
            Choice::Ambiguous => {
                return refused(
                    "refused with 400: the path can be read in two ways that take different routes",
                );
            }
        };
        match route {
            Some(route) => Case { route, index, request: &request, inspector }.explain(),
            None => refused("refused with 404: no route serves this host and path"),
        }
    }
}

/// A request on its route.
struct Case<'a> {
    route: &'a Route,
    /// Index of the route.
    index: usize,
    request: &'a Recorded<'a>,
    inspector: Inspector<'a>,
}

impl Case<'_> {
    fn settings(&self) -> &Settings {
        &self.route.plan.settings
    }

    /// The verdict when only `leaves` are in force, and the exceptions that spared the request.
    fn judge(&self, leaves: LeafSet) -> Inspected {
        self.inspector.inspect(self.index, leaves, self.request)
    }

    fn explain(&self) -> Explanation {
        let leaves = self.settings().leaves;
        let checks = head::violations(self.request, self.settings());
        let Inspected { verdict, spared } = self.judge(leaves);
        let detect_only = self.settings().mode == Mode::DetectOnly;
        let refused = !checks.is_empty() || verdict.blocks();
        let status = checks.first().map(|violation| violation.leaf.row().status);
        let mut text = String::new();
        let _ = writeln!(
            text,
            "route {} (line {}): {}",
            self.route.plan.id.0,
            self.route.line,
            conclusion(&verdict, refused, status, detect_only)
        );
        for found in &verdict.matches {
            self.found(&mut text, found);
        }
        for name in spared {
            let _ = writeln!(text, "\nspared by the exception {}", escaped(&name));
        }
        let judged =
            verdict.violations.iter().map(|violation| (violation.leaf, violation.reason.to_string()));
        for (leaf, reason) in checks.iter().map(|check| (check.leaf, check.reason.clone())).chain(judged) {
            let _ = writeln!(text, "\n{}\n  {reason}\n  {}", leaf.name(), self.origin(leaf));
        }
        if refused {
            let engine = if verdict.blocks() { self.narrowest(leaves) } else { Vec::new() };
            let mut names: Vec<_> =
                checks.iter().map(|check| check.leaf).chain(engine).map(Leaf::name).collect();
            names.dedup();
            let _ = writeln!(text, "\nto allow it, on this route:\n  disable: [{}]", names.join(", "));
        }
        let _ = writeln!(text, "\nnot checked: {}", self.unchecked().join(", "));
        let outcome = if refused && !detect_only { Outcome::Refused } else { Outcome::Passed };
        Explanation { text, outcome }
    }

    /// Checks that a recorded request does not show, or that a single one does not decide.
    fn unchecked(&self) -> Vec<&'static str> {
        let route = &self.route.plan;
        let mut list =
            vec!["framing of the message", "speed of the client", "evaluation_timeout", "the response"];
        let configured = [
            (route.rate_limit.is_some(), "rate_limit"),
            (route.cors.is_some(), "cors"),
            (route.openapi.is_some(), "openapi"),
        ];
        list.extend(configured.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name));
        list
    }

    fn found(&self, text: &mut String, found: &Match) {
        let name = if found.name.is_empty() { String::new() } else { format!(":{}", show(&found.name)) };
        let end = found.offset as usize + found.excerpt.len();
        let _ = writeln!(
            text,
            "\n{}{name}, read as {}, bytes {}..{end}: {}",
            found.place,
            found.view.as_str(),
            found.offset,
            show(&found.excerpt)
        );
        let _ = writeln!(
            text,
            "  {} (weight {} of {STRONG})\n  {}",
            found.rule.id, found.weight, found.rule.summary
        );
        let _ = writeln!(text, "  {}", self.origin(found.rule.leaf));
    }

    /// The reason for which a protection is in force.
    fn origin(&self, leaf: Leaf) -> String {
        let decision = self.route.decisions.iter().find(|decision| decision.leaf == leaf && decision.on);
        let why = match (decision.and_then(|decision| decision.line), leaf.row().default) {
            (Some(line), _) => format!("enabled by line {line}"),
            (None, Default::On) => "on by default".to_owned(),
            (None, Default::Off) => "off by default".to_owned(),
        };
        format!("protection {}: {why}", leaf.name())
    }

    /// The fewest leaves found without which the request passes: all that fire, less each that need not go.
    fn narrowest(&self, leaves: LeafSet) -> Vec<Leaf> {
        let mut off: Vec<Leaf> = Vec::new();
        let without = |off: &[Leaf]| leaves.without(&off.iter().copied().collect::<LeafSet>());
        loop {
            let verdict = self.judge(without(&off)).verdict;
            let fired = verdict.leaves();
            let known = off.len();
            off.extend(fired.iter());
            if !verdict.blocks() || off.len() == known {
                break;
            }
        }
        for leaf in off.clone() {
            let fewer: Vec<Leaf> = off.iter().copied().filter(|other| *other != leaf).collect();
            if !self.judge(without(&fewer)).verdict.blocks() {
                off = fewer;
            }
        }
        off
    }
}

fn conclusion(verdict: &Verdict, refused: bool, status: Option<u16>, detect_only: bool) -> String {
    if !refused {
        let hint = if verdict.score == 0 {
            "nothing was found".to_owned()
        } else {
            format!("evidence {} of {STRONG}", verdict.score)
        };
        return format!("passes; {hint}");
    }
    let engine = || verdict.violations.first().map_or(403, |violation| violation.leaf.row().status);
    let status = status.unwrap_or_else(engine);
    if detect_only {
        format!("passes and is reported (detect_only); in blocking mode it would be refused with {status}")
    } else {
        format!("refused with {status}")
    }
}

/// Bytes of a request, safe to show.
fn show(bytes: &[u8]) -> String {
    escaped(&String::from_utf8_lossy(bytes))
}

#[cfg(test)]
mod tests {
    use super::Outcome;
    use crate::{Options, compile_text};
    use std::path::Path;

    const CONFIG: &str = "version: v1alpha1
routes:
  - id: api
    match: {paths: [/api/*]}
    upstream: http://127.0.0.1:9000
    disable: [cross-site-scripting]
    enable: [cross-site-scripting-script-tags]
  - id: watched
    match: {paths: [/watched]}
    mode: detect_only
    upstream: http://127.0.0.1:9000
";

    fn explained(request: &str) -> (String, Outcome) {
        let options = Options { host_checks: false, ..Options::default() };
        let compiled =
            compile_text("waf.yaml", CONFIG, Path::new("."), &options).expect("a valid configuration");
        let explanation = compiled.explain(request.as_bytes());
        (explanation.text, explanation.outcome)
    }

    fn explain(request: &str) -> (String, bool) {
        let (text, outcome) = explained(request);
        (text, outcome == Outcome::Passed)
    }

    #[test]
    fn a_verdict_is_explained_down_to_the_line_and_the_toggle() {
        let (text, passes) = explain("GET /api/x?q=%3Cscript%3Ealert(1)%3C/script%3E HTTP/1.1\nHost: a\n\n");
        assert!(!passes);
        for part in [
            "route api (line 3): refused with 403\n",
            "ARGS:q, read as percent, bytes 0..",
            "cross-site-scripting-script-tags/",
            "protection cross-site-scripting-script-tags: enabled by line 7\n",
            "to allow it, on this route:\n  disable: [cross-site-scripting-script-tags]\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn every_toggle_that_is_needed_is_named() {
        let (text, passes) = explain(
            "POST /api/x?q=1'+UNION+SELECT+password+FROM+users--&f=../../../etc/passwd HTTP/1.1\nHost: a\n\n",
        );
        assert!(!passes && text.contains("on by default"));
        let toggle = text.lines().find(|line| line.contains("disable:")).unwrap_or_default();
        assert!(toggle.contains("local-file-access") && toggle.contains("sql-injection"), "{text}");
    }

    #[test]
    fn what_passes_is_said_too() {
        let unchecked =
            "not checked: framing of the message, speed of the client, evaluation_timeout, the response";
        assert_eq!(
            explain("GET /api/x?q=hello HTTP/1.1\nHost: a\n\n"),
            (format!("route api (line 3): passes; nothing was found\n\n{unchecked}\n"), true)
        );
        let (text, passes) =
            explain("GET /watched?q=1'+UNION+SELECT+password+FROM+users-- HTTP/1.1\nHost: a\n\n");
        assert!(passes && text.contains("would be refused with 403"), "{text}");
        for (request, part) in [
            ("GET /nowhere HTTP/1.1\nHost: a\n\n", "refused with 404"),
            ("GET /watched/..%2fapi/x HTTP/1.1\nHost: a\n\n", "refused with 400"),
            ("CONNECT a:443 HTTP/1.1\nHost: a\n\n", "refused with 405"),
            ("GET /api/x HTTP/1.1\nHost: a\nno field\n\n", "refused with 400: line 3"),
            ("GET api/x HTTP/1.1\nHost: a\n\n", "refused with 400"),
            ("GET /api/a b HTTP/1.1\nHost: a\n\n", "refused with 400"),
            ("GET /api/x HTTP/1.2\nHost: a\n\n", "refused with 400"),
            ("GET /api/x HTTP/1.1\nHost : a\n\n", "refused with 400"),
            ("GET /api/x HTTP/1.1\nHost: a\n X: folded\n\n", "refused with 400"),
            ("GET /api/x HTTP/1.1\nHost: a\nHost: b\n\n", "refused with 400"),
        ] {
            let (text, passes) = explain(request);
            assert!(!passes && text.contains(part), "{text}");
        }
    }

    #[test]
    fn checks_of_the_head_decide_as_the_service_does() {
        let long = "x".repeat(9_000);
        let many = "X: y\n".repeat(101);
        let body = "POST /api/x HTTP/1.1\nHost: a\n";
        for (request, status, leaf) in [
            ("GET /api/x HTTP/1.1\n\n".to_owned(), 400, "request-validation-require-host-header"),
            ("GET /api/x HTTP/1.1\nHost:\n\n".to_owned(), 400, "request-validation-require-host-header"),
            ("TRACE /api/x HTTP/1.1\nHost: a\n\n".to_owned(), 405, "request-validation-allowed-methods"),
            ("get /api/x HTTP/1.1\nHost: a\n\n".to_owned(), 405, "request-validation-allowed-methods"),
            (format!("GET /api/{long} HTTP/1.1\nHost: a\n\n"), 414, "request-validation-max-url-length"),
            (format!("GET /api/x HTTP/1.1\nHost: a\n{many}\n"), 431, "request-validation-max-header-count"),
            (
                format!("GET /api/x HTTP/1.1\nHost: a\nX: {long}{long}\n\n"),
                431,
                "request-validation-max-header-size",
            ),
            (format!("{body}\nx=1"), 415, "request-validation-require-content-type"),
            (
                format!("{body}Content-Length: 99999999\nContent-Type: a/b\n\nx"),
                413,
                "request-validation-max-body-size",
            ),
        ] {
            let (text, outcome) = explained(&request);
            assert_eq!(outcome, Outcome::Refused, "{text}");
            assert!(text.contains(&format!("refused with {status}\n")) && text.contains(leaf), "{text}");
            let watched = request.replacen("/api/", "/watched?", 1).replacen("/watched?x ", "/watched ", 1);
            let (text, outcome) = explained(&watched);
            assert!(
                outcome == Outcome::Passed && text.contains(&format!("would be refused with {status}")),
                "{text}"
            );
        }
        for honest in [
            "HEAD /api/x HTTP/1.0\r\nHost: a:8080\r\n\r\n",
            "GET http://a/api/x HTTP/1.1\nHost: a\n\n",
            "GET /api/x HTTP/2\nHost: a\n\n",
            "POST /api/x HTTP/1.1\nHost: a\nContent-Type: text/plain\nContent-Length: 2\n\nhi",
            "DELETE /api/x HTTP/1.1\nHost: a",
        ] {
            assert_eq!(explained(honest).1, Outcome::Passed, "{honest}");
        }
    }

    #[test]
    fn what_is_not_a_request_gets_no_verdict() {
        for text in [
            "",
            "\n",
            "nonsense",
            "hello world\n",
            "GET\n\n",
            "GET /api/x\nHost: a\n\n",
            "{\"a\": 1}\n",
            "HTTP/1.1 200 OK\nServer: x\n\n",
            "curl http://a/api/x\n",
            "version: v1alpha1\nroutes:\n",
        ] {
            let (text_said, outcome) = explained(text);
            assert_eq!(outcome, Outcome::NotARequest, "{text:?}: {text_said}");
            assert!(text_said.starts_with("this is not a recorded request"), "{text_said}");
        }
    }

    #[test]
    fn broken_json_is_a_violation_with_its_status() {
        let (text, _) = explain("POST /api/x HTTP/1.1\nHost: a\nContent-Type: application/json\n\n{\"a\":");
        assert!(
            text.contains("refused with 403") && text.contains("\nhttp-compliance-malformed-body\n"),
            "{text}"
        );
    }
}
