//! Content of an event, before any schema spells it: names collected, severity judged, values masked and bounded.
//! Every published format is made from these facts and from nothing else.

use std::borrow::Cow;

use waf_shared::catalog::Leaf;
use waf_shared::limits::{EXCERPT_BYTES_MAX, MATCHES_MAX};
use waf_shared::plan::Mode;

use super::authority;
use super::event::{DECIDES, Disposition, Event, EventFinding, Protection, REMARK};
use super::mask::{self, TextKind};
use super::text;
use super::url::{self, Url};

/// Bytes of an unread request line that an excerpt may quote.
pub(super) const REQUEST_LINE_BYTES_MAX: usize = 256;

/// Bytes of JSON for a method; registered ones have at most 17.
const METHOD_BYTES_MAX: usize = 64;

/// Bytes of JSON for a User-Agent.
pub(super) const USER_AGENT_BYTES_MAX: usize = 2 << 10;

/// Bytes of JSON for a Host value that is no valid name.
const HOST_BYTES_MAX: usize = 512;

/// Bytes of JSON for the name of a field.
const NAME_BYTES_MAX: usize = 128;

/// Bytes of JSON for a sentence.
const REASON_BYTES_MAX: usize = 256;

/// Rule ids of one event. A request that matches more is known well enough.
pub(super) const RULES_MAX: usize = 96;

/// Parts that were not inspected.
const NOT_INSPECTED_MAX: usize = 16;

/// Severity of an event; numbers as both schemas have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Severity {
    Informational,
    Low,
    Medium,
    High,
}

/// Facts of one event.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) severity: Severity,
    /// True if a finding is an attack in the sense of ATT&CK T1190.
    pub(super) is_attack: bool,
    /// Names, the deciding one first, each once.
    pub(super) protections: Vec<&'static str>,
    /// Rule ids, the deciding one first, each once.
    pub(super) rules: Vec<&'static str>,
    /// `CWE-…`, each once.
    pub(super) cwe: Vec<String>,
    pub(super) deciding: Option<Deciding<'a>>,
    pub(super) matches: Vec<Match<'a>>,
    pub(super) not_inspected: Vec<Cow<'a, str>>,
    pub(super) mode: &'static str,
    /// Address of the client, in digits.
    pub(super) client: String,
    /// Address that the request came to, in digits.
    pub(super) listener: String,
    /// Trace and span id in lower-case hex (W3C Trace Context); both or none.
    pub(super) trace: Option<(String, String)>,
    /// `UNKNOWN` when none was read.
    pub(super) method: Cow<'a, str>,
    pub(super) url: Url<'a>,
    /// The Host value, where it is no valid name.
    pub(super) odd_host: Option<Cow<'a, str>>,
    pub(super) user_agent: Option<Cow<'a, str>>,
    pub(super) referer: Option<Cow<'a, str>>,
    pub(super) message: String,
    pub(super) detail: Option<Cow<'a, str>>,
}

/// The finding that decided.
#[derive(Debug)]
pub(super) struct Deciding<'a> {
    pub(super) protection: Protection,
    pub(super) rule: Option<&'static str>,
    /// `PLACE:name`.
    pub(super) location: String,
    pub(super) reason: Cow<'a, str>,
}

/// A finding as `waf.matches[]` has it.
#[derive(Debug)]
pub(super) struct Match<'a> {
    pub(super) protection: &'static str,
    pub(super) rule: Option<&'static str>,
    pub(super) place: Cow<'a, str>,
    pub(super) name: Option<Cow<'a, str>>,
    pub(super) view: Option<&'static str>,
    pub(super) offset: Option<u32>,
    pub(super) excerpt: Option<Cow<'a, str>>,
    pub(super) reason: Option<Cow<'a, str>>,
    pub(super) weight: u8,
}

impl<'a> Facts<'a> {
    pub(super) fn of(event: &'a Event<'a>) -> Facts<'a> {
        let findings = event.findings;
        let protections = unique(findings.iter().map(|finding| finding.protection.name()));
        let cwe = unique(findings.iter().flat_map(|finding| finding.protection.cwe()).copied());
        let url = url::read(event.method, event.target, event.host, event.scheme, event.listener);
        let method = match event.method {
            Some(method) if !method.is_empty() => text::lossy(method, METHOD_BYTES_MAX),
            _ => Cow::Borrowed("UNKNOWN"),
        };
        let unread = event.method.is_none() || event.target.is_none();
        let reason = findings.first().map(|finding| sentence(&finding.reason));
        Facts {
            severity: severity(event),
            is_attack: findings.iter().any(|finding| class(finding.protection) == Class::Attack),
            rules: rules(findings),
            cwe: cwe.into_iter().map(|number| format!("CWE-{number}")).collect(),
            deciding: deciding(findings),
            matches: findings.iter().take(MATCHES_MAX).map(|finding| described(finding, unread)).collect(),
            not_inspected: event
                .not_inspected
                .iter()
                .take(NOT_INSPECTED_MAX)
                .map(|part| sentence(part))
                .collect(),
            mode: match event.mode {
                Mode::Blocking => "blocking",
                Mode::DetectOnly => "detect_only",
            },
            client: event.client.ip().to_canonical().to_string(),
            listener: event.listener.ip().to_canonical().to_string(),
            trace: trace(event),
            odd_host: match event.host {
                Some(host) if url.hostname.is_none() => {
                    let host = authority::without_password(host);
                    Some(Cow::Owned(text::lossy(&host, HOST_BYTES_MAX).into_owned()))
                }
                _ => None,
            },
            user_agent: event.user_agent.map(|value| text::lossy(value, USER_AGENT_BYTES_MAX)),
            referer: event.referer.map(url::masked),
            message: message(event, &method, &url, protections.first().copied()),
            detail: event.status_detail.map(sentence).or(reason).filter(|detail| !detail.is_empty()),
            protections,
            method,
            url,
        }
    }
}

impl Severity {
    pub(super) const fn id(self) -> u8 {
        match self {
            Severity::Informational => 1,
            Severity::Low => 2,
            Severity::Medium => 3,
            Severity::High => 4,
        }
    }

    pub(super) const fn caption(self) -> &'static str {
        match self {
            Severity::Informational => "Informational",
            Severity::Low => "Low",
            Severity::Medium => "Medium",
            Severity::High => "High",
        }
    }
}

/// Kind of a protection's findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// An attempt to exploit an application.
    Attack,
    /// An encoding that serves to hide one.
    Evasion,
    /// A limit, a quota, a contract or a rule of shape that was not kept.
    Policy,
}

pub(super) fn class(protection: Protection) -> Class {
    let Protection::Leaf(leaf) = protection else { return Class::Policy };
    match (leaf.row().family, leaf) {
        ("http-compliance", _) if leaf.row().bucket == "http-compliance-character-encoding" => Class::Evasion,
        ("file-upload", Leaf::FileUploadLimitsDoubleExtension | Leaf::FileUploadLimitsExecutable) => {
            Class::Attack
        }
        ("file-upload", _) if leaf.row().bucket == "file-upload-limits" => Class::Policy,
        ("response-inspection", Leaf::ResponseInspectionOpenRedirects) => Class::Attack,
        (
            "http-compliance"
            | "http2"
            | "request-validation"
            | "json-parsing"
            | "xml-parsing"
            | "resource-limits"
            | "openapi"
            | "response-headers"
            | "response-inspection",
            _,
        ) => Class::Policy,
        _ => Class::Attack,
    }
}

fn trace(event: &Event<'_>) -> Option<(String, String)> {
    let trace = event.trace.filter(|trace| trace.trace_id != 0 && trace.span_id != 0)?;
    Some((format!("{:032x}", trace.trace_id), format!("{:016x}", trace.span_id)))
}

fn severity(event: &Event<'_>) -> Severity {
    let serious = event.findings.iter().any(|finding| class(finding.protection) != Class::Policy);
    match event.disposition {
        Disposition::Logged => Severity::Informational,
        Disposition::Blocked if serious => Severity::High,
        Disposition::Detected if serious => Severity::Medium,
        Disposition::Blocked | Disposition::Detected => Severity::Low,
    }
}

fn rules(findings: &[EventFinding<'_>]) -> Vec<&'static str> {
    let mut rules = unique(findings.iter().filter_map(|finding| finding.rule));
    rules.truncate(RULES_MAX);
    rules
}

/// The deciding finding: the first, or the heaviest rule where the first is a check without one and others are rules,
/// since consumers look the rule's id up among all that matched.
fn deciding<'a>(findings: &'a [EventFinding<'a>]) -> Option<Deciding<'a>> {
    let finding = findings.iter().find(|finding| finding.rule.is_some()).or(findings.first())?;
    let location = match name_of(finding) {
        Some(name) => format!("{}:{name}", sentence(&finding.place)),
        None => sentence(&finding.place).into_owned(),
    };
    Some(Deciding {
        protection: finding.protection,
        rule: finding.rule,
        location,
        reason: sentence(&finding.reason),
    })
}

fn described<'a>(finding: &'a EventFinding<'a>, unread: bool) -> Match<'a> {
    Match {
        protection: finding.protection.name(),
        rule: finding.rule,
        place: if finding.place.is_empty() { Cow::Borrowed("REQUEST") } else { sentence(&finding.place) },
        name: name_of(finding),
        view: finding.view,
        offset: finding.offset,
        excerpt: excerpt(finding, if unread { REQUEST_LINE_BYTES_MAX } else { EXCERPT_BYTES_MAX }),
        reason: (!finding.reason.is_empty()).then(|| sentence(&finding.reason)),
        weight: finding.weight.clamp(REMARK, DECIDES),
    }
}

fn name_of<'a>(finding: &'a EventFinding<'a>) -> Option<Cow<'a, str>> {
    (!finding.name.is_empty()).then(|| text::lossy(&finding.name, NAME_BYTES_MAX))
}

/// The matched bytes, at most `bytes_max` of them, without what must not be written down.
fn excerpt<'a>(finding: &'a EventFinding<'a>, bytes_max: usize) -> Option<Cow<'a, str>> {
    if finding.excerpt.is_empty() {
        return None;
    }
    // A name that is itself the evidence is not the name of a value.
    let names_value = !finding.place.ends_with("_NAMES") && !finding.place.ends_with("_KEYS");
    if names_value && mask::is_secret(&finding.name) {
        return Some(Cow::Borrowed(mask::MASK));
    }
    // Masked before it is cut: a cut could part a value from the name that shows that it is secret.
    let quoted = finding.excerpt.get(..4 * bytes_max).unwrap_or(&finding.excerpt);
    let limit = bytes_max * 6;
    Some(match mask::values(quoted, TextKind::Text) {
        Cow::Borrowed(_) => text::lossy(text::cut(&finding.excerpt, bytes_max), limit),
        Cow::Owned(masked) => Cow::Owned(text::lossy(text::cut(&masked, bytes_max), limit).into_owned()),
    })
}

fn message(event: &Event<'_>, method: &str, url: &Url<'_>, protection: Option<&str>) -> String {
    let protection = protection.unwrap_or("unspecified");
    match event.disposition {
        Disposition::Blocked => format!("request blocked: {protection}"),
        Disposition::Detected => format!("violation detected, request forwarded: {protection}"),
        Disposition::Logged if protection == Leaf::OpenapiPathNotInSpec.name() => {
            format!("undeclared path: {method} {}", text::clip(&url.path, REASON_BYTES_MAX))
        }
        Disposition::Logged => format!("request logged: {protection}"),
    }
}

fn sentence(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text::clip(text, REASON_BYTES_MAX))
}

/// The items in order, each once. Linear search: an event has a handful.
fn unique<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut out = Vec::new();
    for item in items.take(4 * RULES_MAX) {
        if !out.contains(&item) {
            out.push(item);
        }
    }
    out
}
