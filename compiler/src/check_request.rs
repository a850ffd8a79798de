//! One recorded request against a configuration: what the engine finds in it, which line of the file has it looked for,
//! and the narrowest toggle that lets the request pass. It asks the engine alone: whether the method, the lengths or
//! the content type are accepted is seen from the configuration itself.

use std::fmt::Write as _;

use waf_detection::recorded::Recorded;
use waf_detection::rule::STRONG;
use waf_detection::verdict::{Match, Verdict};
use waf_shared::catalog::{Default, Leaf, LeafSet};
use waf_shared::plan::{Mode, Settings};
use waf_shared::route::Choice;

use crate::Compiled;
use crate::diagnostic::escaped;
use crate::judge::{Inspected, Judge};
use crate::resolve::Route;

/// The engine's findings in a request.
#[derive(Debug)]
pub struct Explanation {
    /// For people.
    pub text: String,
    /// True if the request reaches its upstream.
    pub passes: bool,
}

impl Compiled {
    /// Runs a recorded request (request line, header lines, an empty line, a body) through the engine as its route
    /// would, and explains the verdict.
    pub fn explain(&self, raw: &[u8]) -> Explanation {
        let request = Recorded::parse(raw);
        let turned_away = |text: &str| Explanation { text: format!("{text}\n"), passes: false };
        if request.target.is_empty() {
            return turned_away(
                "this is no recorded request: the first line must be a request line such as `GET /path HTTP/1.1`",
            );
        }
        let judge = Judge::new(&self.plan);
        let (index, route) = match judge.choose(&request) {
            Choice::Route(index) => (index, self.resolved.routes.get(index)),
            Choice::None => return turned_away("refused with 404: no route serves this host and path"),
            Choice::Ambiguous => {
                return turned_away(
                    "refused with 400: the path can be read in two ways that take different routes",
                );
            }
        };
        match route {
            Some(route) => Case { route, index, request: &request, judge }.explain(),
            None => turned_away("refused with 404: no route serves this host and path"),
        }
    }
}

/// A request on its route.
struct Case<'a> {
    route: &'a Route,
    /// Index of the route.
    index: usize,
    request: &'a Recorded<'a>,
    judge: Judge<'a>,
}

impl Case<'_> {
    fn settings(&self) -> &Settings {
        &self.route.plan.settings
    }

    /// The verdict when only `leaves` are in force, and the exceptions that spared the request.
    fn judge(&self, leaves: LeafSet) -> Inspected {
        self.judge.inspect(self.index, leaves, self.request)
    }

    fn explain(&self) -> Explanation {
        let leaves = self.settings().leaves;
        let Inspected { verdict, spared } = self.judge(leaves);
        let detect_only = self.settings().mode == Mode::DetectOnly;
        let passes = !verdict.blocks() || detect_only;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "route {} (line {}): {}",
            self.route.plan.id.0,
            self.route.line,
            conclusion(&verdict, detect_only)
        );
        for found in &verdict.matches {
            self.found(&mut text, found);
        }
        for name in spared {
            let _ = writeln!(text, "\nspared by the exception {}", escaped(&name));
        }
        for violation in &verdict.violations {
            let _ = writeln!(
                text,
                "\n{}\n  {}\n  {}",
                violation.leaf.name(),
                violation.reason,
                self.origin(violation.leaf)
            );
        }
        if verdict.blocks() {
            let names: Vec<_> = self.narrowest(leaves).iter().map(|leaf| leaf.name()).collect();
            let _ = writeln!(text, "\nto let it pass, on this route:\n  disable: [{}]", names.join(", "));
        }
        Explanation { text, passes }
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

fn conclusion(verdict: &Verdict, detect_only: bool) -> String {
    if !verdict.blocks() {
        let hint = if verdict.score == 0 {
            "nothing was found".to_owned()
        } else {
            format!("evidence {} of {STRONG}", verdict.score)
        };
        return format!("passes; {hint}");
    }
    let status = verdict.violations.first().map_or(403, |violation| violation.leaf.row().status);
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

    fn explain(request: &str) -> (String, bool) {
        let options = Options { host_checks: false, ..Options::default() };
        let compiled =
            compile_text("waf.yaml", CONFIG, Path::new("."), &options).expect("a valid configuration");
        let explanation = compiled.explain(request.as_bytes());
        (explanation.text, explanation.passes)
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
            "to let it pass, on this route:\n  disable: [cross-site-scripting-script-tags]\n",
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
        let toggle = text.lines().last().unwrap_or_default().trim();
        assert!(toggle.contains("local-file-access") && toggle.contains("sql-injection"), "{text}");
    }

    #[test]
    fn what_passes_is_said_too() {
        assert_eq!(
            explain("GET /api/x?q=hello HTTP/1.1\nHost: a\n\n"),
            ("route api (line 3): passes; nothing was found\n".to_owned(), true)
        );
        let (text, passes) =
            explain("GET /watched?q=1'+UNION+SELECT+password+FROM+users-- HTTP/1.1\nHost: a\n\n");
        assert!(passes && text.contains("would be refused with 403"), "{text}");
        for (request, part) in [
            ("GET /nowhere HTTP/1.1\n\n", "refused with 404"),
            ("GET /watched/..%2fapi/x HTTP/1.1\n\n", "refused with 400"),
            ("nonsense", "this is no recorded request"),
        ] {
            let (text, passes) = explain(request);
            assert!(!passes && text.contains(part), "{text}");
        }
    }

    #[test]
    fn broken_json_is_a_violation_with_its_status() {
        let (text, _) = explain("POST /api/x HTTP/1.1\nContent-Type: application/json\n\n{\"a\":");
        assert!(
            text.contains("refused with 403") && text.contains("\nhttp-compliance-malformed-body\n"),
            "{text}"
        );
    }
}
