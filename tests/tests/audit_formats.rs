//! The two formats of audit events: what each says of the same requests, and how one gives way to the other.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use waf_tests::contract::blocked;
use waf_tests::load::Load;
use waf_tests::origin::{Answer, Origin};
use waf_tests::raw::Request;
use waf_tests::running::{self, FOLDER, HEALTH, PORT, Waf};

const ATTACK: &str = "/items?q=1%27%20UNION%20SELECT%20a%20FROM%20b--&token=hunter2hunter2";

fn configured(origin: &Origin, format: &str, mode: &str) -> String {
    format!(
        "version: v1alpha1\nport: {PORT}\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\n\
         audit_log: {{ format: {format} }}\nglobal: {{ mode: {mode} }}\n\
         routes:\n  - id: shop\n    upstream: {}\n    inspection: {{ max_inspect_size: 1KB }}\n",
        origin.url()
    )
}

fn is_ecs(event: &Value) -> bool {
    event.get("@timestamp").is_some()
}

/// The request id, whichever format an event has.
fn request_id(event: &Value) -> &str {
    let id =
        if is_ecs(event) { event.pointer("/http/request/id") } else { event.pointer("/http_request/uid") };
    id.and_then(Value::as_str).unwrap_or_default()
}

fn event_of(waf: &Waf, id: &str) -> Value {
    waf_tests::polling::until("the event of a request", || {
        waf.events().into_iter().find(|event| request_id(event) == id)
    })
}

#[test]
fn ecs_events_say_what_ocsf_events_say() {
    let origin = Origin::start();
    let waf = running::waf(&configured(&origin, "ecs", "blocking"));
    let id = blocked(&Request::get(ATTACK).field("User-Agent", "probe/1").to(waf.port), 403);
    let ecs = event_of(&waf, &id);
    let before = waf.plan();
    waf.reconfigure(&configured(&origin, "ocsf", "blocking"));
    let after = waf.until_replaced(&before);
    waf.wait_log(&["\"reloaded\"", "\"changed\":\"audit_log.format\"", "took_ms", &before, &after]);
    let id = blocked(&Request::get(ATTACK).field("User-Agent", "probe/1").to(waf.port), 403);
    let ocsf = event_of(&waf, &id);

    assert!(is_ecs(&ecs) && !is_ecs(&ocsf));
    assert_eq!((&ecs["waf"]["plan"], &ocsf["waf"]["plan"]), (&Value::from(before), &Value::from(after)));
    for name in
        ["matched_protections", "matched_rules", "cwe", "route_id", "mode", "anomaly_score", "matches"]
    {
        assert_eq!(ecs["waf"][name], ocsf["waf"][name], "{name}");
    }
    for (in_ecs, in_ocsf) in [
        ("/url/path", "/http_request/url/path"),
        ("/url/query", "/http_request/url/query_string"),
        ("/url/full", "/http_request/url/url_string"),
        ("/user_agent/original", "/http_request/user_agent"),
        ("/http/request/method", "/http_request/http_method"),
        ("/http/response/status_code", "/http_response/code"),
        ("/client/ip", "/src_endpoint/ip"),
        ("/rule/id", "/firewall_rule/uid"),
        ("/event/severity", "/severity_id"),
        ("/event/code", "/metadata/event_code"),
        ("/message", "/message"),
    ] {
        assert!(ecs.pointer(in_ecs).is_some(), "{in_ecs}");
        assert_eq!(ecs.pointer(in_ecs), ocsf.pointer(in_ocsf), "{in_ecs}");
    }
    let matched = &ecs["waf"]["matches"][0];
    assert_eq!((&matched["place"], &matched["name"]), (&Value::from("ARGS"), &Value::from("q")));
    assert!(matched["view"].is_string() && matched["offset"].is_u64(), "{matched}");
    assert!(!waf.out().concat().contains("hunter2"), "a secret stands in an event");
}

#[test]
fn events_name_what_decided_and_the_host_that_was_sent() {
    let origin = Origin::start();
    for format in ["ecs", "ocsf"] {
        let waf = running::waf(&configured(&origin, format, "blocking"));
        let url = if format == "ecs" { "/url" } else { "/http_request/url" };
        let whole = if format == "ecs" { "full" } else { "url_string" };
        for (host, domain, port) in [
            ("192.0.2.7", "192.0.2.7", 80),
            ("192.0.2.7:8080", "192.0.2.7", 8080),
            ("[2001:db8::1]", "[2001:db8::1]", 80),
            ("[2001:db8::1]:8443", "[2001:db8::1]", 8443),
            ("shop.example:81", "shop.example", 81),
            ("my_shop.example:81", "my_shop.example", 81),
        ] {
            let id = blocked(&Request::get(ATTACK).host(host).to(waf.port), 403);
            let event = event_of(&waf, &id);
            assert_eq!(event["message"], "request blocked: sql-injection-union-select", "{host}");
            let matches = event["waf"]["matches"].as_array().expect("matches");
            let weights: Vec<u64> = matches.iter().filter_map(|found| found["weight"].as_u64()).collect();
            assert_eq!(weights.len(), matches.len(), "each has one");
            assert!(weights.is_sorted_by(|a, b| a >= b) && weights[0] == 5, "{host}: {weights:?}");
            assert_eq!(matches[0]["protection"], event["waf"]["matched_protections"][0]);
            let url = event.pointer(url).expect("a URL");
            assert_eq!(url["port"], port, "{host}");
            let full = url[whole].as_str().unwrap_or_default();
            assert!(full.starts_with(&format!("http://{host}/items?")), "{full}");
            if format == "ecs" {
                assert_eq!(url["domain"], domain);
            }
        }
    }
}

#[test]
fn an_event_tells_what_was_not_inspected() {
    let origin = Origin::answering(|_| Answer::ok("ok"));
    let waf = running::waf(&configured(&origin, "ecs", "detect_only"));
    let rest = Request::post(ATTACK, "text/plain", "a".repeat(3 << 10)).to(waf.port);
    let file = Request::post(
        ATTACK,
        "multipart/form-data; boundary=b",
        format!(
            "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n{}\r\n--b--\r\n",
            "x".repeat(900)
        ),
    )
    .to(waf.port);
    let binary = Request::post(ATTACK, "application/octet-stream", "\u{1}".repeat(70)).to(waf.port);
    for (response, what) in [
        (rest, "2048 bytes of the body"),
        (file, "388 bytes of file contents"),
        (binary, "70 bytes of a body of a type that is not read"),
    ] {
        assert_eq!(response.status, 200);
        let event = event_of(&waf, response.field("X-Request-Id").unwrap_or_default());
        assert_eq!(event["event"]["action"], "detected");
        assert_eq!(event["http"]["response"]["status_code"], 200, "the status that the client got");
        assert_eq!(event["waf"]["not_inspected"], serde_json::json!([what]));
    }
}

#[test]
fn a_plan_has_events_of_one_format_also_under_load() {
    let origin = Origin::start();
    let waf = running::waf(&configured(&origin, "ocsf", "blocking"));
    let ids = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&ids);
    let load = Load::start(waf.port, 4, &Request::get(ATTACK), move |response| {
        let id = response.field("X-Request-Id").unwrap_or_default().to_owned();
        seen.lock().map_err(|_| "poisoned".to_owned())?.push(id);
        if response.status == 403 { Ok(()) } else { Err(format!("status {}", response.status)) }
    });
    let mut formats = std::collections::BTreeMap::from([(waf.plan(), false)]);
    for round in 1..=4 {
        load.wait_for(30);
        let before = waf.plan();
        let ecs = round % 2 == 1;
        // A second plan of the same format would have the same name.
        let mode = format!(
            "blocking, disable: [{}]",
            if round < 3 { "scanner-detection" } else { "web-shell-detection" }
        );
        waf.reconfigure(&configured(&origin, if ecs { "ecs" } else { "ocsf" }, &mode));
        let after = waf.until_replaced(&before);
        if round == 1 {
            // The log says what changed, by route and leaf, from which plan to which, and how long it took.
            let changed = "\"changed\":\"audit_log.format; global: off: scanner-detection-user-agent; route shop: off: scanner-detection-user-agent\"";
            waf.wait_log(&["\"reloaded\"", changed, "\"took_ms\":", &before, &after]);
        }
        formats.insert(after, ecs);
    }
    load.wait_for(30);
    let tally = load.stop();
    assert!(tally.failures.is_empty(), "{:?}", tally.failures.first());
    assert_eq!(formats.len(), 5, "five plans");
    let ids = ids.lock().expect("no client panicked");
    let events = waf.wait_events(ids.len());
    assert_eq!(events.len(), ids.len());
    for event in &events {
        let plan = event["waf"]["plan"].as_str().unwrap_or_default();
        assert_eq!(formats.get(plan), Some(&is_ecs(event)), "{event}");
    }
    let used = |plan: &String| events.iter().any(|event| event["waf"]["plan"] == plan.as_str());
    assert!(formats.keys().all(used), "each plan made events");
}
