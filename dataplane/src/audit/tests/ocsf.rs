//! Events as OCSF: what each kind says.

use serde_json::json;

use super::*;

/// Members of the event of an attack that was blocked.
fn members_of_attack() -> Vec<(&'static str, Value)> {
    vec![
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
    ]
}

#[test]
fn a_blocked_attack() {
    let findings = [
        union_select(),
        finding(Leaf::SqlInjectionLoginBypass, Some("sql-injection-login-bypass/tautology")),
        union_select(),
    ];
    let doc = parsed(&event(Disposition::Blocked, 403, &findings));
    for (pointer, expected) in members_of_attack() {
        assert_eq!(doc.pointer(pointer), Some(&expected), "{pointer}");
    }
    let observed: Vec<&str> =
        doc["observables"].as_array().unwrap().iter().map(|one| one["value"].as_str().unwrap()).collect();
    assert_eq!(observed, ["203.0.113.7", "shop.example.com", "CWE-89", "CWE-287"]);
    assert!(doc.get("unmapped").is_none());
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
    let findings = [EventFinding {
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
        [EventFinding { excerpt: Cow::Borrowed(&raw), ..limit(Leaf::HttpComplianceMalformedRequestLine) }];
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
