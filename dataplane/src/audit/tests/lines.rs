//! Properties of every line: whole, bounded, without nulls. A line of every kind is also written to a file in the
//! temporary directory, for validators that know the published schema.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value;

use super::*;

#[test]
fn the_largest_request_makes_a_bounded_event() {
    const EVENT_BYTES_MAX: usize = 256 << 10;
    let nasty: &[u8] = &[0xff, b'"', 1, b'\\', 0x7f];
    for byte in [b'a', 0xff, b'"', 1, b'%', b'=', b'&'] {
        let half = vec![byte; 32_000];
        let target = [b"/", half.as_slice(), b"?", half.as_slice()].concat();
        let long = vec![byte; 1 << 20];
        let odd = nasty.repeat(10_000);
        let many: Vec<EventFinding<'_>> = waf_shared::catalog::TABLE
            .iter()
            .map(|row| EventFinding {
                place: Cow::Borrowed("ARGS"),
                name: Cow::Borrowed(&odd),
                excerpt: Cow::Borrowed(&long),
                reason: Cow::Owned("\u{1}".repeat(10_000)),
                ..finding(row.leaf, Some(row.name))
            })
            .collect();
        let text = line(&Event {
            target: Some(&target),
            host: Some(&long),
            user_agent: Some(&long),
            referer: Some(&long),
            method: Some(&long),
            ..event(Disposition::Detected, 200, &many)
        });
        assert!(text.len() < EVENT_BYTES_MAX, "{byte}: {}", text.len());
        let doc: Value = serde_json::from_str(&text).unwrap();
        assert!(doc["waf"]["matches"].as_array().unwrap().len() <= 64);
        for one in doc["waf"]["matches"].as_array().unwrap() {
            assert!(one["excerpt"].as_str().unwrap().chars().count() <= 64);
        }
    }
}

#[test]
fn what_decided_comes_first_and_every_match_has_its_weight() {
    let rule = |leaf: Leaf, id, weight| EventFinding { weight, ..finding(leaf, Some(id)) };
    let numeric_host = || rule(Leaf::HttpComplianceHostHeader, "http-compliance-host-header/numeric", 2);
    let union = || rule(Leaf::SqlInjectionUnionSelect, "sql-injection-union-select/union-select", 5);
    let tautology = || rule(Leaf::SqlInjectionLoginBypass, "sql-injection-login-bypass/tautology", 3);
    let script = || rule(Leaf::CrossSiteScriptingScriptTags, "cross-site-scripting-script-tags/script", 5);
    let watched = || EventFinding { weight: REMARK, ..limit(Leaf::OpenapiPathNotInSpec) };
    let too_long = || limit(Leaf::RequestValidationMaxUrlLength);
    for (mut findings, names, weights) in [
        (vec![union()], vec!["sql-injection-union-select"], vec![5]),
        (
            vec![numeric_host(), union()],
            vec!["sql-injection-union-select", "http-compliance-host-header"],
            vec![5, 2],
        ),
        (
            vec![numeric_host(), tautology()],
            vec!["sql-injection-login-bypass", "http-compliance-host-header"],
            vec![3, 2],
        ),
        (
            vec![script(), union()],
            vec!["cross-site-scripting-script-tags", "sql-injection-union-select"],
            vec![5, 5],
        ),
        (
            vec![too_long(), union()],
            vec!["request-validation-max-url-length", "sql-injection-union-select"],
            vec![5, 5],
        ),
        (
            vec![watched(), numeric_host(), too_long()],
            vec![
                "request-validation-max-url-length",
                "http-compliance-host-header",
                "openapi-path-not-in-spec",
            ],
            vec![5, 2, 1],
        ),
    ] {
        deciding_first(&mut findings);
        check_order(&findings, &names, &weights);
    }
}

/// Asserts that events list `findings` by these protections and weights, and are named after the first.
fn check_order(findings: &[EventFinding<'_>], names: &[&str], weights: &[u64]) {
    for format in [AuditFormat::Ocsf, AuditFormat::Ecs] {
        let text = line_as(format, &event(Disposition::Blocked, 403, findings));
        let doc: Value = serde_json::from_str(&text).unwrap();
        let matches = doc["waf"]["matches"].as_array().unwrap();
        let named: Vec<&str> = matches.iter().filter_map(|found| found["protection"].as_str()).collect();
        let weighed: Vec<u64> = matches.iter().filter_map(|found| found["weight"].as_u64()).collect();
        assert_eq!((named.as_slice(), weighed.as_slice()), (names, weights));
        assert_eq!(doc["message"], format!("request blocked: {}", names[0]));
    }
}

/// Methods that are known, and others.
const METHODS: [&[u8]; 11] = [
    b"GET",
    b"HEAD",
    b"POST",
    b"PUT",
    b"PATCH",
    b"DELETE",
    b"TRACE",
    b"OPTIONS",
    b"PROPFIND",
    b"get",
    b"\xff",
];

/// One event of every kind, for the checks that hold for all of them.
fn samples(format: AuditFormat) -> Vec<String> {
    let attack = [union_select()];
    let shadow = [EventFinding {
        reason: Cow::Borrowed("The path is not declared in the route's contract."),
        ..limit(Leaf::OpenapiPathNotInSpec)
    }];
    let rate = [EventFinding {
        protection: Protection::RateLimit { requests: 20 },
        ..limit(Leaf::RequestValidationMaxBodySize)
    }];
    let line_excerpt = [EventFinding {
        excerpt: Cow::Borrowed(&[0xff; 300]),
        ..limit(Leaf::HttpComplianceMalformedRequestLine)
    }];
    let mixed = [limit(Leaf::RequestValidationMaxUrlLength), union_select()];
    let long = format!("/{}", "a".repeat(65_533));
    let blocked = || event(Disposition::Blocked, 403, &attack);
    let mut events = vec![
        blocked(),
        Event { mode: Mode::DetectOnly, ..event(Disposition::Detected, 200, &attack) },
        Event { status_detail: Some("response cut"), ..event(Disposition::Detected, 200, &attack) },
        Event {
            status: 499,
            status_detail: Some("client closed request"),
            ..event(Disposition::Detected, 499, &attack)
        },
        event(Disposition::Logged, 200, &shadow),
        Event { not_inspected: &["body beyond 131072 bytes"], ..event(Disposition::Logged, 200, &shadow) },
        Event { score: 0, ..event(Disposition::Blocked, 429, &rate) },
        Event {
            method: None,
            target: None,
            host: None,
            route_id: None,
            ..event(Disposition::Blocked, 400, &line_excerpt)
        },
        event(Disposition::Detected, 200, &mixed),
    ];
    events.extend(METHODS.iter().map(|method| Event { method: Some(method), ..blocked() }));
    events.extend(requests(&blocked(), &mixed, long.as_bytes()));
    events.iter().map(|event| line_as(format, event)).collect()
}

/// Events of requests that differ from `blocked` in addresses and heads; those that match more have `mixed`.
fn requests<'a>(blocked: &Event<'a>, mixed: &'a [EventFinding<'a>], long: &'a [u8]) -> Vec<Event<'a>> {
    let trace = Trace { trace_id: 7, span_id: 9 };
    vec![
        Event { client: "[::ffff:198.51.100.9]:1".parse().unwrap(), ..blocked.clone() },
        Event {
            client: "[2001:db8::42]:65535".parse().unwrap(),
            scheme: "https",
            tls: Some(Tls {
                version: "1.3",
                cipher: "TLS_AES_128_GCM_SHA256",
                server_name: "shop.example.com",
            }),
            ..blocked.clone()
        },
        Event { host: Some(b"[::1]"), user_agent: None, version: Some("HTTP/2"), ..blocked.clone() },
        Event { method: Some(b"CONNECT"), target: Some(b"a:443"), ..event(Disposition::Blocked, 405, mixed) },
        Event { method: Some(b"OPTIONS"), target: Some(b"*"), ..blocked.clone() },
        Event { target: Some(b"http://a.example/x?y"), ..blocked.clone() },
        Event { target: Some(long), ..event(Disposition::Blocked, 414, mixed) },
        Event { target: Some(b"/\xff\x01?\"\\"), user_agent: Some(b"\xffbot\x07"), ..blocked.clone() },
        Event { trace: Some(trace), referer: Some(b"https://a.example/"), ..blocked.clone() },
    ]
}

#[test]
fn every_event_is_one_line_without_nulls_and_with_an_id_of_its_own() {
    for (format, id, name) in
        [(AuditFormat::Ocsf, "/metadata/uid", "ocsf"), (AuditFormat::Ecs, "/event/id", "ecs")]
    {
        let samples = samples(format);
        let mut ids = BTreeSet::new();
        for text in &samples {
            assert!(text.ends_with('\n') && text.matches('\n').count() == 1);
            let doc: Value = serde_json::from_str(text).unwrap();
            assert!(!has_null(&doc), "{text}");
            assert!(ids.insert(doc.pointer(id).and_then(Value::as_str).unwrap().to_owned()));
            if format == AuditFormat::Ocsf {
                assert!(doc["type_uid"].as_u64().unwrap() == 400_200 + doc["activity_id"].as_u64().unwrap());
                assert_eq!(doc["status_code"], doc["http_response"]["code"].to_string());
            }
        }
        reference::tests::check_fields(&samples, format);
        std::fs::write(std::env::temp_dir().join(format!("waf-audit-{name}.jsonl")), samples.concat())
            .unwrap();
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

/// Whatever a client can put into a field, most of it harmless and some of it not.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![prop::collection::vec(any::<u8>(), 0..80), "[ -~]{0,80}".prop_map(String::into_bytes)]
}

proptest! {
    #[test]
    fn no_bytes_break_the_line(
        method in prop::option::of(any_bytes()),
        target in prop::option::of(any_bytes()),
        host in prop::option::of(any_bytes()),
        user_agent in prop::option::of(any_bytes()),
        referer in prop::option::of(any_bytes()),
        name in any_bytes(),
        excerpt in prop::collection::vec(any::<u8>(), 0..300),
        reason in "(?s).{0,300}",
        format in prop::sample::select(vec![AuditFormat::Ocsf, AuditFormat::Ecs]),
    ) {
        let findings = [EventFinding {
            name: Cow::Borrowed(&name),
            excerpt: Cow::Borrowed(&excerpt),
            reason: Cow::Borrowed(&reason),
            ..union_select()
        }];
        let text = line_as(format, &Event {
            method: method.as_deref(),
            target: target.as_deref(),
            host: host.as_deref(),
            user_agent: user_agent.as_deref(),
            referer: referer.as_deref(),
            ..event(Disposition::Blocked, 403, &findings)
        });
        prop_assert_eq!(text.matches('\n').count(), 1);
        let doc: Value = serde_json::from_str(&text).unwrap();
        prop_assert!(!has_null(&doc));
        let path = match format {
            AuditFormat::Ocsf => &doc["http_request"]["url"]["path"],
            AuditFormat::Ecs => &doc["url"]["path"],
        };
        let path = path.as_str().unwrap();
        prop_assert!(path == "*" || path.starts_with('/'));
        let written = |field: &str| doc["waf"]["matches"][0][field].as_str().unwrap_or_default().to_owned();
        // Text that is short enough is in the line as it was.
        if let Ok(name) = std::str::from_utf8(&name) {
            prop_assert_eq!(written("name"), name);
        }
        prop_assert!(reason.starts_with(&written("reason")));
    }
}
