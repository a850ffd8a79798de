//! A file of policy tests as it is written: requests in a short form or raw, and the expected verdicts.

use std::fmt::Write as _;

use waf_shared::catalog::Leaf;

use super::outcome::{Outcome, Verdict};
use crate::code;
use crate::diagnostic::Sink;
use crate::field::{Bound, FieldKind, Syntax};
use crate::names::{HeaderName, HeaderValue, Mistake, OneOf, PlainText, Protection, RouteName, RuleId, Word};
use crate::raw::section::section;
use crate::read::{At, Choice, Map};

const VERDICTS: FieldKind = FieldKind::Choice(&["passes", "detected", "refused"]);

impl OneOf for Verdict {
    const WORDS: &'static [(&'static str, Verdict)] =
        &[("passes", Verdict::Passes), ("detected", Verdict::Detected), ("refused", Verdict::Refused)];
}

section! {
    /// A file of tests.
    Document {
        tests: Vec<At<Test>>, FieldKind::AtLeastOne(&FieldKind::Section(Test::FIELDS), "test"), required, "", "", "The tests.";
    }
}

section! {
    /// One test.
    Test {
        name: PlainText, FieldKind::Text(PlainText::SYNTAX), optional, "", "", "Name in reports.";
        request: RequestLine, FieldKind::Text(RequestLine::SYNTAX), optional, "", "", "Method and target.";
        headers: Map<HeaderName, HeaderValue>, FieldKind::Map(HeaderName::SYNTAX, HeaderValue::SYNTAX), optional, "", "", "Header fields.";
        body: AnyText, FieldKind::Text(AnyText::SYNTAX), optional, "", "", "The body.";
        raw: AnyText, FieldKind::Text(AnyText::SYNTAX), optional, "", "", "The whole request.";
        expect: Expected, FieldKind::Section(Expected::FIELDS), required, "", "", "The expected verdict.";
    }
}

section! {
    /// `expect`.
    Expected {
        verdict: Choice<Verdict>, VERDICTS, required, "", "", "What becomes of the request.";
        status: u64, FieldKind::Int(Bound::new(100, "100-599", 599, "100-599")), optional, "", "", "Status of a refusal.";
        route: RouteName, FieldKind::Text(RouteName::SYNTAX), optional, "", "", "The chosen route.";
        rule: RuleId, FieldKind::Text(RuleId::SYNTAX), optional, "", "", "A rule that is found.";
        protection: Protection, FieldKind::Text(Protection::SYNTAX), optional, "", "", "A protection that is found.";
    }
}

/// A method and a target, `POST /reports/run?x=1`.
#[derive(Debug, Clone)]
pub(super) struct RequestLine(String);

impl Word for RequestLine {
    const SYNTAX: &'static Syntax = &Syntax {
        type_name: "string",
        expects: "a method and a target, such as `POST /reports/run`",
        pattern: r"^\S+ \S+$",
        words: None,
        shown: None,
    };

    fn parse(text: &str) -> Result<RequestLine, Mistake> {
        let valid = text.split_once(' ').is_some_and(|(method, target)| {
            !method.is_empty() && !target.is_empty() && !target.contains(|c: char| c == ' ' || c.is_control())
        });
        if valid { Ok(RequestLine(text.to_owned())) } else { Err(Mistake::of::<RequestLine>()) }
    }
}

/// Text of any kind.
#[derive(Debug, Clone)]
pub(super) struct AnyText(String);

impl Word for AnyText {
    const SYNTAX: &'static Syntax =
        &Syntax { type_name: "string", expects: "a string", pattern: "", words: None, shown: None };

    fn parse(text: &str) -> Result<AnyText, Mistake> {
        Ok(AnyText(text.to_owned()))
    }
}

impl Test {
    /// Reports what types alone do not say.
    pub(super) fn check(&self, line: u32, sink: &mut Sink) {
        let place = &self.place;
        match (self.key("request"), self.key("raw")) {
            (None, None) => {
                sink.error(code::MISSING_FIELD, line, format!("{place}: `request` or `raw` is required"));
            }
            (Some(one), Some(other)) => {
                let message = format!("{place}: `request` and `raw` exclude each other");
                sink.error(code::EXCLUSIVE_FIELDS, one.max(other), message);
            }
            (None, Some(_)) => {
                for name in ["headers", "body"] {
                    if let Some(line) = self.key(name) {
                        let message = format!("{place}: `{name}` and `raw` exclude each other");
                        sink.error(code::EXCLUSIVE_FIELDS, line, message);
                    }
                }
            }
            (Some(_), None) => {}
        }
    }

    /// Its name, else its request line.
    pub(super) fn title(&self) -> String {
        let first = |raw: &AnyText| raw.0.lines().next().unwrap_or_default().to_owned();
        let name = self.name.as_ref().map(|at| at.value.0.clone());
        let line = || self.request.as_ref().map(|at| at.value.0.clone());
        name.or_else(line).or_else(|| self.raw.as_ref().map(|at| first(&at.value))).unwrap_or_default()
    }

    /// The request as it would be recorded. The short form gets what every client sends: a host, a browser's fields, and
    /// the type and length of a body.
    pub(super) fn raw_request(&self) -> Vec<u8> {
        if let Some(raw) = &self.raw {
            return raw.value.0.as_bytes().to_vec();
        }
        let body = self.body.as_ref().map_or("", |at| at.value.0.as_str());
        let mut out = String::new();
        let line = self.request.as_ref().map_or("", |at| at.value.0.as_str());
        let _ = write!(out, "{line} HTTP/1.1\r\n");
        let given = self.headers.as_ref().map_or(&[][..], |at| at.value.0.as_slice());
        let is_given = |name: &str| given.iter().any(|(known, _)| known.value.0.eq_ignore_ascii_case(name));
        let length = body.len().to_string();
        let kind = if body.trim_start().starts_with(['{', '[']) {
            "application/json"
        } else {
            "application/x-www-form-urlencoded"
        };
        let own = [("Host", "test.example"), ("User-Agent", AGENT), ("Accept", "*/*")];
        let of_body = [("Content-Type", kind), ("Content-Length", length.as_str())];
        let of_body = if body.is_empty() { &[][..] } else { &of_body };
        for (name, value) in own.iter().chain(of_body).filter(|(name, _)| !is_given(name)) {
            let _ = write!(out, "{name}: {value}\r\n");
        }
        for (name, value) in given {
            let _ = write!(out, "{}: {}\r\n", name.value.0, value.value.0);
        }
        let _ = write!(out, "\r\n{body}");
        out.into_bytes()
    }

    /// The ways in which an outcome differs from what is expected.
    pub(super) fn differences(&self, outcome: &Outcome) -> Vec<String> {
        let Some(expected) = self.expect.as_ref().map(|at| &at.value) else { return Vec::new() };
        let mut out = Vec::new();
        let mut differ = |what: &str, wanted: String, got: &str| {
            out.push(format!("{what} is {got}, expected {wanted}"));
        };
        if let Some(wanted) = expected.verdict.as_ref().filter(|at| at.value.0 != outcome.verdict) {
            differ("the verdict", wanted.value.0.word().to_owned(), outcome.verdict.word());
        }
        if let Some(wanted) =
            expected.status.as_ref().filter(|at| outcome.status.map(u64::from) != Some(at.value))
        {
            let got = outcome.status.map_or("none".to_owned(), |status| status.to_string());
            differ("the status", wanted.value.to_string(), &got);
        }
        if let Some(wanted) =
            expected.route.as_ref().filter(|at| outcome.route.as_deref() != Some(&at.value.0.0))
        {
            differ("the route", wanted.value.0.0.clone(), outcome.route.as_deref().unwrap_or("none"));
        }
        if let Some(wanted) = expected.rule.as_ref().filter(|at| !outcome.rules.contains(&at.value.0.id)) {
            differ("the list of rules", wanted.value.0.id.to_owned(), &listed(&outcome.rules));
        }
        let found = |wanted: &Protection| outcome.leaves.iter().any(|leaf| wanted.leaves.contains(*leaf));
        if let Some(wanted) = expected.protection.as_ref().filter(|at| !found(&at.value)) {
            let names: Vec<&str> = outcome.leaves.iter().map(|leaf| Leaf::name(*leaf)).collect();
            differ("the list of protections", wanted.value.name.to_owned(), &listed(&names));
        }
        out
    }
}

/// The browser that sends requests in the short form.
const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "empty".to_owned() } else { names.join(" ") }
}
