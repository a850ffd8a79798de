//! Events as ECS, and what both schemas have in common.

use serde_json::{Value, json};

use super::*;

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
