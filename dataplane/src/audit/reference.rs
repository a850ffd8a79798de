//! `docs/audit.md`, made from what writes the events: outcomes and severities are asked of it, bounds are its
//! constants, and a test holds the table of fields against events of every kind, in both directions.

mod fields;

use std::fmt::Write as _;
use std::time::SystemTime;

use serde_json::Value;
use waf_shared::catalog::{Leaf, TABLE};
use waf_shared::limits::{AUDIT_QUEUE_BYTES_MAX, AUDIT_WAIT_SECONDS, EXCERPT_BYTES_MAX, MATCHES_MAX};
use waf_shared::plan::{AuditFormat, Mode};

use super::facts::{self, Class, class};
use super::{Disposition, Event, EventFinding, Protection, ecs, url};
use fields::ROWS;

/// The page.
pub fn page() -> String {
    let mut out = String::from(INTRODUCTION);
    outcomes(&mut out);
    out.push_str(CLASSES);
    classes(&mut out);
    out.push_str(FIELDS);
    out.push_str("| fact | OCSF 1.2.0 | ECS 8 |\n|---|---|---|\n");
    for row in ROWS {
        let _ = writeln!(out, "| {} | {} | {} |", row.fact, cell(row.ocsf), cell(row.ecs));
    }
    out.push_str(READING);
    let _ = write!(
        out,
        "## Bounds\n\n| what | at most |\n|---|---|\n\
         | excerpt of what matched | {EXCERPT_BYTES_MAX} bytes |\n\
         | excerpt of a head that could not be read | {} bytes |\n\
         | findings in `waf.matches` | {MATCHES_MAX} |\n\
         | rule ids in `waf.matched_rules` | {} |\n\
         | path, query and URL | {} KiB each; in ECS {} characters of the query |\n\
         | User-Agent, Referer | {} KiB, {} KiB; in ECS {} characters each |\n\
         | an event | 256 KiB |\n",
        facts::REQUEST_LINE_BYTES_MAX,
        facts::RULES_MAX,
        url::URL_BYTES_MAX >> 10,
        ecs::QUERY_CHARACTERS_MAX,
        facts::USER_AGENT_BYTES_MAX >> 10,
        url::REFERER_BYTES_MAX >> 10,
        ecs::KEYWORD_CHARACTERS_MAX,
    );
    let _ = write!(
        out,
        "\n## Delivery\n\n\
         A worker hands each line to the supervisor before the request goes on; from then on it survives the worker. The\n\
         supervisor is the only one that writes to standard output. {} MiB of events wait there for a consumer that stalls.\n\
         When that queue is full, a request that has an event waits up to {AUDIT_WAIT_SECONDS} seconds and is then refused with 503\n\
         `unavailable`: events are not dropped while the supervisor lives. A line is written whole or not at all. A request\n\
         that was refused because its event found no room can appear in the stream only if its line had begun to be written\n\
         when the time was over. In `detect_only`, where the event comes at the end, room is waited for before the request goes\n\
         on. A stop flushes what waits. A standard output that is closed loses events: the log says so once, and\n\
         `waf_degraded{{what=\"audit\"}}` is 1 until it can be written again, and while\n\
         events wait because its disk or the queue is full.\n",
        AUDIT_QUEUE_BYTES_MAX >> 20,
    );
    out
}

const INTRODUCTION: &str = "\
# Audit events

<!-- Made by `cargo run -p waf-dataplane --example audit-reference`; edit dataplane/src/audit/reference.rs instead. -->

One JSON document per line on standard output, always on. `audit_log.format` chooses the schema for the whole process:
`ocsf` (the default) is OCSF 1.2.0 HTTP Activity (class 4002) with the `security_control` profile, `ecs` is the Elastic
Common Schema 8. The format changes only by a reload, with the plan: every event is in the format of the plan that it
names, so that one plan's events are never of two. Control characters, line and paragraph separators and marks that turn the
direction of text are written as escapes (`\\u202e`): no line can be two, and no terminal obeys one.

There is one event for each request that was blocked, detected or logged, and none for a request in which nothing was
found. A request that finds no route, an upstream that fails and a refused cross-origin request are counted by metrics
and make no event. In `detect_only` the event is written at the end of the exchange, with the status that the client got.

";

const CLASSES: &str =
    "\nOCSF severity 5 is reserved. In ECS, `event.kind` is `alert`, or `event` for what is only logged.

";

const FIELDS: &str = "\n## Fields

Absent means absent: no field is ever null. The object `waf` is the same in both formats.

";

const READING: &str = "
Where the deciding check has no rule id and other findings have, the rule is the first of those; `metadata.event_code`
and `event.code` always name what decided.

## A request that could not be read

The method is `UNKNOWN`, in OCSF with activity 99, the path `/`; the first bytes of what was sent stand in the excerpt.
CONNECT has the path `/` and its authority as the full URL. A target in absolute form has its path in the path field, and
a target that begins with no slash gets one. Bytes that are not UTF-8 are percent-encoded in URL fields and replaced by
U+FFFD elsewhere.

## What is left out

Values of fields named like passwords, tokens, secrets, credentials, authorization, session cookies or payment cards are
written as `***`: in excerpts, in parameters of the path, in the query, the full URL and in the Referer, also where names
are percent-encoded or stand in JSON, XML or a URL inside a value. User names and passwords in front of a host are masked
whole. Masking goes by name: a secret in a field with a harmless name is not recognised, and a harmless value in a field
called `token` is masked. Request and response bodies are never written but for the excerpts.

";

/// Outcomes, as the events themselves say them.
fn outcomes(out: &mut String) {
    out.push_str(
        "| what happened | `disposition` | `action` | `status` | `severity` | ECS `event.action`, `.outcome`, `.type` |\n\
         |---|---|---|---|---|---|\n",
    );
    for (text, disposition, leaf) in [
        ("refused, an attack or an evasive encoding", Disposition::Blocked, Leaf::SqlInjectionUnionSelect),
        (
            "refused: a limit, a quota, a contract, a rule of shape",
            Disposition::Blocked,
            Leaf::RequestValidationMaxBodySize,
        ),
        (
            "forwarded although an attack was found (`detect_only`), or cut off late",
            Disposition::Detected,
            Leaf::SqlInjectionUnionSelect,
        ),
        (
            "forwarded although a limit was not kept",
            Disposition::Detected,
            Leaf::RequestValidationMaxBodySize,
        ),
        ("undeclared path, uninspected rest of a body", Disposition::Logged, Leaf::OpenapiPathNotInSpec),
    ] {
        let of = |format| written(disposition, leaf, format);
        let (ocsf, ecs) = (of(AuditFormat::Ocsf), of(AuditFormat::Ecs));
        let say = |name: &str| format!("{} {}", ocsf[format!("{name}_id")], word(&ocsf[name]));
        let _ = writeln!(
            out,
            "| {text} | {} | {} | {} | {} | {}, {}, {} |",
            say("disposition"),
            say("action"),
            say("status"),
            say("severity"),
            word(&ecs["event"]["action"]),
            word(&ecs["event"]["outcome"]),
            ecs["event"]["type"].as_array().and_then(|types| types.last()).map_or("", word),
        );
    }
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// An event of that outcome, read back.
fn written(disposition: Disposition, leaf: Leaf, format: AuditFormat) -> Value {
    let findings = [EventFinding {
        protection: Protection::Leaf(leaf),
        rule: None,
        place: "REQUEST".into(),
        name: (&b""[..]).into(),
        view: None,
        offset: None,
        excerpt: (&b""[..]).into(),
        reason: "".into(),
        weight: super::DECIDES,
    }];
    let nobody = std::net::SocketAddr::from(([192, 0, 2, 1], 1));
    let mut line = Vec::new();
    super::write(
        &Event {
            time: SystemTime::UNIX_EPOCH,
            disposition,
            plan: "",
            mode: Mode::Blocking,
            route_id: None,
            request_id: "",
            client: nobody,
            listener: nobody,
            scheme: "http",
            tls: None,
            method: None,
            target: None,
            host: None,
            version: None,
            user_agent: None,
            referer: None,
            status: 200,
            status_detail: None,
            duration: None,
            score: 0,
            findings: &findings,
            not_inspected: &[],
            trace: None,
        },
        format,
        &mut line,
    );
    serde_json::from_slice(&line).unwrap_or_default()
}

/// Which protections count as what.
fn classes(out: &mut String) {
    out.push_str("| counts as | protections |\n|---|---|\n");
    for (of, text) in [
        (Class::Attack, "an attack"),
        (Class::Evasion, "an evasive encoding"),
        (Class::Policy, "a limit, a quota, a contract, a rule of shape"),
    ] {
        let names: Vec<String> = names_of(of).iter().map(|name| format!("`{name}`")).collect();
        let quota = if of == Class::Policy { ", `rate-limit`" } else { "" };
        let _ = writeln!(out, "| {text} | {}{quota} |", names.join(", "));
    }
}

/// The broadest names below which all leaves are of that class.
fn names_of(of: Class) -> Vec<&'static str> {
    let is = |leaf: Leaf| class(Protection::Leaf(leaf)) == of;
    let mut names: Vec<&'static str> = Vec::new();
    for row in TABLE.iter().filter(|row| is(row.leaf)) {
        let all = |name: fn(&waf_shared::catalog::Row) -> &'static str| {
            TABLE.iter().filter(|other| name(other) == name(row)).all(|other| is(other.leaf))
        };
        let name = if all(|row| row.family) {
            row.family
        } else if !row.bucket.is_empty() && all(|row| row.bucket) {
            row.bucket
        } else {
            row.name
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The one field whose own name begins so is ECS's time.
fn full_name(field: &str) -> String {
    match field.strip_prefix('@') {
        Some(name) if field != "@timestamp" => format!("waf.{name}"),
        _ => field.to_owned(),
    }
}

fn cell(fields: &[&str]) -> String {
    let names: Vec<String> = fields.iter().map(|field| format!("`{}`", full_name(field))).collect();
    if names.is_empty() { "–".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::fields::Row;
    use super::*;

    /// The fields that the page describes.
    fn described(format: AuditFormat) -> BTreeSet<String> {
        let of = |row: &'static Row| match format {
            AuditFormat::Ocsf => row.ocsf,
            AuditFormat::Ecs => row.ecs,
        };
        let fields: Vec<&str> = ROWS.iter().flat_map(of).copied().collect();
        let unique: BTreeSet<String> = fields.iter().map(|field| full_name(field)).collect();
        assert_eq!(unique.len(), fields.len(), "a field is described twice");
        unique
    }

    fn walk(value: &Value, path: &str, fields: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    walk(member, &below, fields);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| walk(item, &format!("{path}[]"), fields)),
            _ => {
                fields.insert(path.to_owned());
            }
        }
    }

    /// Every field of `lines` is described, and every field that is described occurs in one of them.
    pub(in crate::audit) fn check_fields(lines: &[String], format: AuditFormat) {
        let mut fields = BTreeSet::new();
        for line in lines {
            walk(&serde_json::from_str(line).unwrap_or_default(), "", &mut fields);
        }
        assert_eq!(fields, described(format), "{format:?}");
    }

    #[test]
    fn the_committed_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/audit.md");
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            committed == page(),
            "docs/audit.md is not current; mend it with\n  cargo run -p waf-dataplane --example audit-reference > docs/audit.md"
        );
    }
}
