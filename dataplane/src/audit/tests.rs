//! Events as their readers see them: parsed back from the line. A line of every kind is also written to a file in the
//! temporary directory, for validators that know the published schema.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const PLAN: &str = "5f2b1c9d8e7a60415f2b1c9d8e7a60415f2b1c9d8e7a60415f2b1c9d8e7a6041";

fn event<'a>(disposition: Disposition, status: u16, findings: &'a [Finding<'a>]) -> Event<'a> {
    Event {
        time: SystemTime::UNIX_EPOCH + Duration::from_millis(1_795_207_891_482),
        disposition,
        plan: PLAN,
        mode: Mode::Blocking,
        route_id: Some("shop"),
        request_id: "01939d5e-7b1a-7c3e-8f00-000000000001",
        client: "203.0.113.7:54321".parse().unwrap(),
        listener: "[::ffff:192.0.2.10]:8080".parse().unwrap(),
        scheme: "http",
        tls: None,
        method: Some(b"GET"),
        target: Some(b"/search?q=1%20UNION%20SELECT&page=2"),
        host: Some(b"shop.example.com:8080"),
        version: Some("HTTP/1.1"),
        user_agent: Some(b"curl/8.5.0"),
        referer: None,
        status,
        status_detail: None,
        duration: Some(Duration::from_micros(1_700)),
        score: 10,
        findings,
        not_inspected: &[],
        trace: None,
    }
}

fn finding(leaf: Leaf, rule: Option<&'static str>) -> Finding<'static> {
    Finding {
        protection: Protection::Leaf(leaf),
        rule,
        place: Cow::Borrowed("ARGS"),
        name: Cow::Borrowed(b"q"),
        view: Some("percent"),
        offset: Some(2),
        excerpt: Cow::Borrowed(b"1 UNION SELECT"),
        reason: Cow::Borrowed("A second SELECT is appended to a query."),
    }
}

fn union_select() -> Finding<'static> {
    finding(Leaf::SqlInjectionUnionSelect, Some("sql-injection-union-select/union-select"))
}

fn limit(leaf: Leaf) -> Finding<'static> {
    Finding {
        place: Cow::Borrowed("REQUEST"),
        name: Cow::Borrowed(b""),
        view: None,
        offset: None,
        excerpt: Cow::Borrowed(b""),
        ..finding(leaf, None)
    }
}

fn line(event: &Event<'_>) -> String {
    line_as(AuditFormat::Ocsf, event)
}

fn line_as(format: AuditFormat, event: &Event<'_>) -> String {
    let mut out = b"before\n".to_vec();
    write(event, format, &mut out);
    String::from_utf8(out).unwrap().strip_prefix("before\n").unwrap().to_owned()
}

fn parsed(event: &Event<'_>) -> Value {
    serde_json::from_str(&line(event)).unwrap()
}

#[test]
fn a_blocked_attack() {
    let findings = [
        union_select(),
        finding(Leaf::SqlInjectionLoginBypass, Some("sql-injection-login-bypass/tautology")),
        union_select(),
    ];
    let doc = parsed(&event(Disposition::Blocked, 403, &findings));
    for (pointer, expected) in [
        ("/class_uid", json!(4002)),
        ("/activity_id", json!(3)),
        ("/activity_name", json!("Get")),
        ("/type_uid", json!(400_203)),
        ("/type_name", json!("HTTP Activity: Get")),
        ("/time", json!(1_795_207_891_482_u64)),
        ("/timezone_offset", json!(0)),
        ("/severity_id", json!(4)),
        ("/action_id", json!(2)),
        ("/disposition_id", json!(2)),
        ("/status_id", json!(2)),
        ("/status_code", json!("403")),
        ("/duration", json!(1)),
        ("/http_response", json!({"code": 403, "status": "Forbidden"})),
        ("/metadata/event_code", json!("sql-injection-union-select")),
        ("/metadata/profiles", json!(["security_control"])),
        ("/src_endpoint", json!({"ip": "203.0.113.7", "port": 54321})),
        ("/dst_endpoint/ip", json!("192.0.2.10")),
        ("/dst_endpoint/svc_name", json!("shop")),
        ("/http_request/uid", json!("01939d5e-7b1a-7c3e-8f00-000000000001")),
        ("/http_request/url/hostname", json!("shop.example.com")),
        ("/http_request/url/port", json!(8080)),
        ("/http_request/url/path", json!("/search")),
        ("/http_request/url/query_string", json!("q=1%20UNION%20SELECT&page=2")),
        (
            "/http_request/url/url_string",
            json!("http://shop.example.com:8080/search?q=1%20UNION%20SELECT&page=2"),
        ),
        ("/firewall_rule/uid", json!("sql-injection-union-select/union-select")),
        ("/firewall_rule/name", json!("sql-injection-union-select")),
        ("/firewall_rule/condition", json!("sql-injection")),
        ("/firewall_rule/match_location", json!("ARGS:q")),
        ("/attacks/0/technique/uid", json!("T1190")),
        ("/waf/matched_protections", json!(["sql-injection-union-select", "sql-injection-login-bypass"])),
        (
            "/waf/matched_rules",
            json!(["sql-injection-union-select/union-select", "sql-injection-login-bypass/tautology"]),
        ),
        ("/waf/cwe", json!(["CWE-89", "CWE-287"])),
        ("/waf/mode", json!("blocking")),
        ("/waf/plan", json!(PLAN)),
        ("/waf/anomaly_score", json!(10)),
        ("/waf/matches/0/excerpt", json!("1 UNION SELECT")),
        ("/waf/matches/0/offset", json!(2)),
        ("/waf/matches/0/view", json!("percent")),
    ] {
        assert_eq!(doc.pointer(pointer), Some(&expected), "{pointer}");
    }
    let observed: Vec<&str> =
        doc["observables"].as_array().unwrap().iter().map(|one| one["value"].as_str().unwrap()).collect();
    assert_eq!(observed, ["203.0.113.7", "shop.example.com", "CWE-89", "CWE-287"]);
    assert!(doc.get("unmapped").is_none());
}

#[test]
fn a_blocked_attack_in_the_other_schema() {
    let findings = [union_select()];
    let trace = Trace { trace_id: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, span_id: 0xf0_67aa_0ba9_02b7 };
    let doc = ecs(&Event {
        trace: Some(trace),
        referer: Some(b"https://u:pw@a.example/?token=abc"),
        ..event(Disposition::Blocked, 403, &findings)
    });
    for (pointer, expected) in [
        ("/@timestamp", json!("2026-11-20T20:51:31.482Z")),
        ("/ecs/version", json!("8.17.0")),
        ("/event/kind", json!("alert")),
        ("/event/category", json!(["web", "intrusion_detection"])),
        ("/event/type", json!(["access", "denied"])),
        ("/event/action", json!("blocked")),
        ("/event/outcome", json!("failure")),
        ("/event/dataset", json!("waf.audit")),
        ("/event/severity", json!(4)),
        ("/event/risk_score", json!(10)),
        ("/event/duration", json!(1_700_000)),
        ("/event/code", json!("sql-injection-union-select")),
        ("/event/reason", json!("A second SELECT is appended to a query.")),
        ("/client", json!({"address": "203.0.113.7", "ip": "203.0.113.7", "port": 54321})),
        ("/source", json!({"address": "203.0.113.7", "ip": "203.0.113.7", "port": 54321})),
        ("/destination/domain", json!("shop.example.com")),
        ("/destination/ip", json!("192.0.2.10")),
        ("/http/version", json!("1.1")),
        ("/http/request/id", json!("01939d5e-7b1a-7c3e-8f00-000000000001")),
        ("/http/request/method", json!("GET")),
        ("/http/request/referrer", json!("https://***@a.example/?token=***")),
        ("/http/response/status_code", json!(403)),
        ("/url/full", json!("http://shop.example.com:8080/search?q=1%20UNION%20SELECT&page=2")),
        ("/url/query", json!("q=1%20UNION%20SELECT&page=2")),
        ("/user_agent/original", json!("curl/8.5.0")),
        ("/rule/id", json!("sql-injection-union-select/union-select")),
        ("/rule/category", json!("sql-injection")),
        ("/threat/technique/id", json!(["T1190"])),
        ("/related", json!({"ip": ["203.0.113.7"], "hosts": ["shop.example.com"]})),
        ("/tags", json!(["CWE-89"])),
        ("/labels", json!({"route_id": "shop", "mode": "blocking"})),
        ("/trace/id", json!("4bf92f3577b34da6a3ce929d0e0e4736")),
        ("/span/id", json!("00f067aa0ba902b7")),
    ] {
        assert_eq!(doc.pointer(pointer), Some(&expected), "{pointer}");
    }
}

#[test]
fn both_schemas_say_the_same_in_our_own_words() {
    let mixed = [limit(Leaf::RequestValidationMaxUrlLength), union_select()];
    for disposition in [Disposition::Blocked, Disposition::Detected, Disposition::Logged] {
        let event = Event { not_inspected: &["7 bytes of the body"], ..event(disposition, 403, &mixed) };
        assert_eq!(parsed(&event)["waf"], ecs(&event)["waf"]);
    }
}

#[test]
fn ecs_keeps_to_the_lengths_of_its_fields() {
    let findings = [union_select()];
    let long = "\u{e9}".repeat(5_000);
    let target = format!("/?q={long}");
    let doc = ecs(&Event {
        target: Some(target.as_bytes()),
        user_agent: Some(long.as_bytes()),
        referer: Some(long.as_bytes()),
        host: Some(long.as_bytes()),
        ..event(Disposition::Blocked, 403, &findings)
    });
    let characters = |pointer: &str| doc.pointer(pointer).and_then(Value::as_str).unwrap().chars().count();
    assert_eq!(characters("/url/query"), 2_083);
    assert_eq!(characters("/user_agent/original"), 1_024);
    assert_eq!(characters("/http/request/referrer"), 1_024);
    assert!(characters("/url/domain") <= 1_024 && characters("/url/full") > 5_000);
}

fn ecs(event: &Event<'_>) -> Value {
    serde_json::from_str(&line_as(AuditFormat::Ecs, event)).unwrap()
}

#[test]
fn severity_follows_what_was_found() {
    use Disposition::{Blocked, Detected, Logged};
    for (disposition, status, leaf, severity, is_attack) in [
        (Blocked, 403, Leaf::CrossSiteScriptingScriptTags, 4, true),
        (Detected, 200, Leaf::CrossSiteScriptingScriptTags, 3, true),
        (Blocked, 403, Leaf::HttpComplianceNullBytes, 4, false),
        (Blocked, 413, Leaf::RequestValidationMaxBodySize, 2, false),
        (Detected, 200, Leaf::RequestValidationMaxBodySize, 2, false),
        (Blocked, 422, Leaf::OpenapiBodyMismatch, 2, false),
        (Blocked, 403, Leaf::FileUploadLimitsMaxFileCount, 2, false),
        (Blocked, 403, Leaf::FileUploadLimitsExecutable, 4, true),
        (Logged, 200, Leaf::OpenapiPathNotInSpec, 1, false),
    ] {
        let doc = parsed(&event(disposition, status, &[limit(leaf)]));
        assert_eq!(doc["severity_id"], severity, "{leaf:?}");
        assert_eq!(doc.get("attacks").is_some(), is_attack, "{leaf:?}");
        assert_eq!(doc["waf"]["matched_rules"], json!([]));
        assert!(doc["firewall_rule"].get("uid").is_none());
    }
}

#[test]
fn a_rate_limit_names_its_quota() {
    let findings = [Finding {
        protection: Protection::RateLimit { requests: 20 },
        ..limit(Leaf::RequestValidationMaxBodySize)
    }];
    let doc = parsed(&event(Disposition::Blocked, 429, &findings));
    assert_eq!(doc["firewall_rule"]["rate_limit"], 20);
    assert_eq!(doc["waf"]["matched_protections"], json!(["rate-limit"]));
    assert_eq!(doc["waf"]["cwe"], json!(["CWE-400", "CWE-770"]));
}

#[test]
fn the_named_rule_is_among_those_that_matched() {
    let findings = [limit(Leaf::RequestValidationMaxUrlLength), union_select()];
    let doc = parsed(&event(Disposition::Detected, 200, &findings));
    assert_eq!(doc["metadata"]["event_code"], "request-validation-max-url-length");
    assert!(doc["waf"]["matched_rules"].as_array().unwrap().contains(&doc["firewall_rule"]["uid"]));
}

#[test]
fn what_was_never_read_is_not_invented() {
    let raw = [b"GET /x?token=abc ".as_slice(), &[b'A'; 400]].concat();
    let findings =
        [Finding { excerpt: Cow::Borrowed(&raw), ..limit(Leaf::HttpComplianceMalformedRequestLine) }];
    let doc = parsed(&Event {
        method: None,
        target: None,
        host: None,
        route_id: None,
        user_agent: None,
        version: None,
        ..event(Disposition::Blocked, 400, &findings)
    });
    assert_eq!((&doc["activity_id"], &doc["activity_name"]), (&json!(99), &json!("UNKNOWN")));
    assert_eq!((&doc["type_uid"], &doc["type_name"]), (&json!(400_299), &json!("HTTP Activity: Other")));
    assert_eq!(doc["http_request"]["http_method"], "UNKNOWN");
    assert_eq!(doc["http_request"]["url"], json!({"scheme": "http", "port": 8080, "path": "/"}));
    let excerpt = doc["waf"]["matches"][0]["excerpt"].as_str().unwrap();
    assert!(excerpt.starts_with("GET /x?token=*** AAA") && excerpt.len() == 256, "{excerpt}");
    assert!(doc["dst_endpoint"].get("svc_name").is_none() && doc["waf"].get("route_id").is_none());
}

#[test]
fn every_form_of_target_has_a_path() {
    for (method, target, host, path, query, full) in [
        ("CONNECT", "db.internal:5432", "db.internal:5432", "/", None, Some("db.internal:5432")),
        ("OPTIONS", "*", "a.example", "*", None, Some("*")),
        (
            "GET",
            "http://u:pw@a.example/x?y=1",
            "a.example",
            "/x",
            Some("y=1"),
            Some("http://***@a.example/x?y=1"),
        ),
        ("GET", "http://a.example?y=1", "a.example", "/", Some("y=1"), Some("http://a.example?y=1")),
        ("GET", "no-slash", "a.example", "/no-slash", None, Some("no-slash")),
        ("GET", "/?", "a.example:", "/", Some(""), Some("http://a.example:/?")),
        ("GET", "/http://b/", "my_host", "/http://b/", None, Some("http://192.0.2.10:8080/http://b/")),
    ] {
        let findings = [limit(Leaf::RequestValidationAllowedMethods)];
        let doc = parsed(&Event {
            method: Some(method.as_bytes()),
            target: Some(target.as_bytes()),
            host: Some(host.as_bytes()),
            ..event(Disposition::Blocked, 405, &findings)
        });
        let url = &doc["http_request"]["url"];
        assert_eq!(url["path"], path, "{target}");
        assert_eq!(url.get("query_string").and_then(Value::as_str), query, "{target}");
        assert_eq!(url.get("url_string").and_then(Value::as_str), full, "{target}");
    }
}

#[test]
fn hosts_that_are_no_names_are_kept_as_sent() {
    for (host, name) in [
        ("[2001:db8::1]:80", None),
        ("my_host", None),
        ("", None),
        ("a b", None),
        ("-a.example", None),
        ("A.example.", Some("A.example")),
        ("192.0.2.1:80", Some("192.0.2.1")),
    ] {
        let findings = [limit(Leaf::HttpComplianceHostHeader)];
        let doc =
            parsed(&Event { host: Some(host.as_bytes()), ..event(Disposition::Blocked, 400, &findings) });
        assert_eq!(doc["http_request"]["url"].get("hostname").and_then(Value::as_str), name, "{host}");
        let sent = doc["http_request"].pointer("/http_headers/0/value").and_then(Value::as_str);
        assert_eq!(sent, name.is_none().then_some(host), "{host}");
    }
}

#[test]
fn secrets_do_not_leave() {
    let secret = "hunter2hunter2";
    let target = format!("/a;jsessionid={secret}?user=x&pass%77ord={secret}&next=%2F%3Ftoken%3D{secret}");
    let referer = format!("https://u:{secret}@a.example/p?access_token={secret}#x");
    let excerpt = |place: &'static str, name: &'static [u8], text: &str| Finding {
        place: Cow::Borrowed(place),
        name: Cow::Borrowed(name),
        excerpt: Cow::Owned(text.as_bytes().to_vec()),
        ..union_select()
    };
    let findings = [
        excerpt("ARGS", b"password", &format!("{secret}' OR 1=1")),
        excerpt("COOKIES", b"PHPSESSID", secret),
        excerpt("HEADERS", b"authorization", &format!("Bearer {secret}")),
        excerpt("ARGS", b"cc-number", secret),
        excerpt("BODY", b"", &format!("{{\"client_secret\": \"{secret}\"}} OR 1=1")),
        excerpt("ARGS_NAMES", b"token' OR 1=1", "token' OR 1=1"),
    ];
    let text = line(&Event {
        target: Some(target.as_bytes()),
        referer: Some(referer.as_bytes()),
        ..event(Disposition::Blocked, 403, &findings)
    });
    assert!(!text.contains(secret), "{text}");
    let other = line_as(
        AuditFormat::Ecs,
        &Event {
            target: Some(target.as_bytes()),
            referer: Some(referer.as_bytes()),
            ..event(Disposition::Blocked, 403, &findings)
        },
    );
    assert!(!other.contains(secret), "{other}");
    let doc: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(doc["http_request"]["url"]["path"], "/a;jsessionid=***");
    assert_eq!(doc["http_request"]["url"]["query_string"], "user=x&pass%77ord=***&next=%2F%3Ftoken%3D***");
    assert_eq!(doc["waf"]["matches"][4]["excerpt"], "{\"client_secret\": \"***\"} OR 1=1");
    assert_eq!(doc["waf"]["matches"][5]["excerpt"], "token' OR 1=1");
}

#[test]
fn the_largest_request_makes_a_bounded_event() {
    const EVENT_BYTES_MAX: usize = 256 << 10;
    let nasty: &[u8] = &[0xff, b'"', 1, b'\\', 0x7f];
    for byte in [b'a', 0xff, b'"', 1, b'%', b'=', b'&'] {
        let half = vec![byte; 32_000];
        let target = [b"/", half.as_slice(), b"?", half.as_slice()].concat();
        let long = vec![byte; 1 << 20];
        let odd = nasty.repeat(10_000);
        let many: Vec<Finding<'_>> = waf_shared::catalog::TABLE
            .iter()
            .map(|row| Finding {
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
fn trace_and_span_come_together() {
    let trace = Trace { trace_id: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, span_id: 0xf0_67aa_0ba9_02b7 };
    let findings = [union_select()];
    let traced = |trace| parsed(&Event { trace: Some(trace), ..event(Disposition::Blocked, 403, &findings) });
    let doc = traced(trace);
    assert_eq!(doc["metadata"]["correlation_uid"], "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(
        doc["unmapped"],
        json!({"trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span_id": "00f067aa0ba902b7"})
    );
    assert!(traced(Trace { span_id: 0, ..trace }).get("unmapped").is_none());
}

/// One event of every kind, for the checks that hold for all of them.
fn samples(format: AuditFormat) -> Vec<String> {
    let attack = [union_select()];
    let shadow = [Finding {
        reason: Cow::Borrowed("The path is not declared in the route's contract."),
        ..limit(Leaf::OpenapiPathNotInSpec)
    }];
    let rate = [Finding {
        protection: Protection::RateLimit { requests: 20 },
        ..limit(Leaf::RequestValidationMaxBodySize)
    }];
    let line_excerpt =
        [Finding { excerpt: Cow::Borrowed(&[0xff; 300]), ..limit(Leaf::HttpComplianceMalformedRequestLine) }];
    let mixed = [limit(Leaf::RequestValidationMaxUrlLength), union_select()];
    let long = format!("/{}", "a".repeat(65_533)).into_bytes();
    let blocked = || event(Disposition::Blocked, 403, &attack);
    let trace = Trace { trace_id: 7, span_id: 9 };
    let mut events = vec![
        blocked(),
        Event { mode: Mode::DetectOnly, ..event(Disposition::Detected, 200, &attack) },
        Event { status_detail: Some("response cut"), ..event(Disposition::Detected, 200, &attack) },
        Event {
            status: 499,
            status_detail: Some("client went away"),
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
        Event { client: "[::ffff:198.51.100.9]:1".parse().unwrap(), ..blocked() },
        Event {
            client: "[2001:db8::42]:65535".parse().unwrap(),
            scheme: "https",
            tls: Some(Tls {
                version: "1.3",
                cipher: "TLS_AES_128_GCM_SHA256",
                server_name: "shop.example.com",
            }),
            ..blocked()
        },
        Event { host: Some(b"[::1]"), user_agent: None, version: Some("HTTP/2"), ..blocked() },
        Event {
            method: Some(b"CONNECT"),
            target: Some(b"a:443"),
            ..event(Disposition::Blocked, 405, &mixed)
        },
        Event { method: Some(b"OPTIONS"), target: Some(b"*"), ..blocked() },
        Event { target: Some(b"http://a.example/x?y"), ..blocked() },
        Event { target: Some(&long), ..event(Disposition::Blocked, 414, &mixed) },
        Event { target: Some(b"/\xff\x01?\"\\"), user_agent: Some(b"\xffbot\x07"), ..blocked() },
        Event { trace: Some(trace), referer: Some(b"https://a.example/"), ..blocked() },
        event(Disposition::Detected, 200, &mixed),
    ];
    let methods: [&[u8]; 11] = [
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
    events.extend(methods.iter().map(|method| Event { method: Some(method), ..blocked() }));
    events.iter().map(|event| line_as(format, event)).collect()
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

proptest! {
    #[test]
    fn no_bytes_break_the_line(
        method in prop::option::of(prop::collection::vec(any::<u8>(), 0..10)),
        target in prop::option::of(prop::collection::vec(any::<u8>(), 0..80)),
        host in prop::option::of(prop::collection::vec(any::<u8>(), 0..40)),
        excerpt in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let findings = [Finding { name: Cow::Borrowed(&excerpt), excerpt: Cow::Borrowed(&excerpt), ..union_select() }];
        let text = line(&Event {
            method: method.as_deref(),
            target: target.as_deref(),
            host: host.as_deref(),
            ..event(Disposition::Blocked, 403, &findings)
        });
        let doc: Value = serde_json::from_str(&text).unwrap();
        let path = doc["http_request"]["url"]["path"].as_str().unwrap();
        prop_assert!(path == "*" || path.starts_with('/'));
        prop_assert_eq!(text.matches('\n').count(), 1);
    }
}
