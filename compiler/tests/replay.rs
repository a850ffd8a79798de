//! Replays: recordings of every format get the verdicts of the service, and plans are compared.

use std::io::Write as _;
use std::path::PathBuf;

use base64::Engine as _;
use serde_json::{Value, json};
use waf_compiler::replay::{InputFormat, Options};

use crate::common::compile;

const NEW: &str = "version: v1alpha1\nroutes:\n  - {id: api, match: {paths: ['/api/*']}, upstream: 'http://a', mode: detect_only}\n  - {id: shop, match: {paths: ['/shop', '/shop/*']}, upstream: 'http://a'}\n";
const OLD: &str = "version: v1alpha1\nroutes:\n  - {id: shop, upstream: 'http://a', disable: [sql]}\n";
const ATTACK: &str = "/shop?q=1'+union+select+password+from+users--";

/// The report about files of these names and contents, as JSON.
fn replayed(files: &[(&str, &[u8])], against: Option<&str>, format: InputFormat) -> Value {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let inputs: [PathBuf; 1] = [folder.path().to_owned()];
    let options = Options { inputs: &inputs, format, host: None, threads: 2 };
    let new = compile(NEW).unwrap();
    let old = against.map(|text| compile(text).unwrap());
    let replay = new.replay(old.as_ref(), &options, &|_| {}).unwrap();
    let text = replay.text("new", against.map(|_| "old"));
    assert!(!text.contains('\u{1b}') && text.contains("replayed"), "{text}");
    serde_json::from_str(&replay.json("new", against.map(|_| "old"))).unwrap()
}

/// Requests, those that pass and those that are refused, lines that are not HTTP, lines that are not read.
fn counts(report: &Value) -> [u64; 5] {
    let count = |pointer| report.pointer(pointer).and_then(Value::as_u64).unwrap();
    ["/requests", "/new/passes", "/new/refused", "/not_http", "/unreadable/lines"].map(count)
}

fn auto(content: &str) -> [u64; 5] {
    counts(&replayed(&[("input", content.as_bytes())], None, InputFormat::Auto))
}

fn base64(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(text)
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A line of every known access log for a target.
fn logs(target: &str) -> Vec<String> {
    let time = "23/Nov/2026:08:07:35 +0000";
    let caddy = json!({ "level": "info", "logger": "http.log.access", "status": 200, "request": {
        "method": "GET", "host": "a.example", "uri": target, "headers": { "User-Agent": ["curl/8"], "Cookie": ["REDACTED"] } } });
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    vec![
        format!("192.0.2.1 - - [{time}] \"GET {target} HTTP/1.1\" 200 12"),
        format!("192.0.2.1 - - [{time}] \"GET {target} HTTP/1.1\" 200 12 \"-\" \"curl/8\""),
        format!("a.example:80 192.0.2.1 - - [{time}] \"GET {target} HTTP/1.1\" 200 12 \"-\" \"curl/8\""),
        format!("[2026-11-23T08:07:35Z] \"GET {target} HTTP/2\" 200 - 0 1 2 - \"-\" \"curl/8\" \"id\" \"a.example\" \"-\""),
        caddy.to_string(),
        json!({ "request_method": "GET", "request_uri": target, "status": "200", "http_user_agent": "curl/8" }).to_string(),
        json!({ "request": format!("GET {target} HTTP/1.1"), "status": 200, "http_referer": "-" }).to_string(),
        json!({ "method": "GET", "path": target, "authority": "a.example", "response_code": 200 }).to_string(),
        json!({ "method": "GET", "host": "a.example", "path": path, "query": query, "status": 200, "verdict": "allowed" }).to_string(),
    ]
}

#[test]
fn access_logs_of_every_server_get_the_verdicts_of_the_service() {
    for (attack, honest) in logs(ATTACK).iter().zip(logs("/shop?q=red+union+jack")) {
        assert_eq!(auto(attack), [1, 0, 1, 0, 0], "{attack}");
        assert_eq!(auto(&honest), [1, 1, 0, 0, 0], "{honest}");
    }
    let mixed = [logs(ATTACK), logs("/shop/a")].concat().join("\n");
    assert_eq!(auto(&mixed), [18, 9, 9, 0, 0]);
}

#[test]
fn recordings_of_whole_requests_are_read() {
    let form = format!(
        "POST /shop HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n{}",
        "q=1'+union+select+password+from+users--"
    );
    let honest = form.replace("1'+union+select+password+from+users--", "red+union+jack");
    let headers = json!([["Host", "a"], ["Content-Type", "application/x-www-form-urlencoded"]]);
    let body = form.rsplit_once("\r\n\r\n").unwrap().1;
    let fields = |body: Value| {
        let mut line = json!({ "method": "POST", "target": "/shop", "headers": headers });
        line.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        line.to_string()
    };
    let har = |text: &str| {
        json!({ "log": { "version": "1.2", "entries": [
            { "request": { "method": "POST", "url": "https://a.example/shop#top", "httpVersion": "h2", "headers": [{ "name": ":path", "value": "/shop" }],
              "postData": { "mimeType": "application/x-www-form-urlencoded", "text": text } }, "response": { "status": 200, "content": {} } },
            { "request": { "method": "GET", "url": "data:text/plain,x", "headers": [] } } ] } })
        .to_string()
    };
    for (attack, honest, others) in [
        (form.clone(), honest.clone(), 0),
        (form.replace('\r', ""), honest.replace('\r', ""), 0),
        (
            json!({ "id": "x", "request_b64": base64(&form) }).to_string(),
            json!({ "request_b64": base64(&honest) }).to_string(),
            0,
        ),
        (fields(json!({ "body": body })), fields(json!({ "body": "q=1" })), 0),
        (fields(json!({ "body_base64": base64(body) })), fields(json!({})), 0),
        (har(body), har("q=1"), 1),
        (format!("\u{feff} {}", har(body)), har("q=1"), 1),
    ] {
        assert_eq!(auto(&attack), [1, 0, 1, others, 0], "{attack}");
        assert_eq!(auto(&honest), [1, 1, 0, others, 0], "{honest}");
    }
}

#[test]
fn folders_and_gzip_are_read_and_what_is_not_is_named() {
    let log = logs(ATTACK).first().unwrap().clone()
        + "\nnot a log\n"
        + &"x".repeat(1 << 20)
        + "\n\n{\"a\": 1}\n{\n";
    let tls = r#"192.0.2.1 - - [x] "\x16\x03\x01" 400 0 "-" "-""#;
    let report = replayed(
        &[
            ("a.log", log.as_bytes()),
            ("b.log.gz", &gzip(logs("/shop").join("\r\n").as_bytes())),
            ("c", tls.as_bytes()),
        ],
        None,
        InputFormat::Auto,
    );
    assert_eq!(counts(&report), [10, 9, 1, 1, 4]);
    let named = report["unreadable"]["first"].as_array().unwrap();
    let lines: Vec<u64> = named.iter().map(|one| one["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [2, 3, 5, 6]);
    assert!(named[0]["input"].as_str().unwrap().ends_with("a.log"));
    // A file that ends in the middle of its gzip is named, and what came before counts.
    let mut short = gzip(logs("/shop").join("\n").repeat(2_000).as_bytes());
    short.truncate(short.len() / 2);
    let report = replayed(&[("a.gz", &short), ("b", logs("/shop")[0].as_bytes())], None, InputFormat::Auto);
    assert!(
        report["requests"].as_u64().unwrap() >= 1 && report["unreadable"]["lines"].as_u64().unwrap() >= 1
    );
    // A line beyond the bound costs itself alone.
    let long = format!("{}\n{}\n", "y".repeat(17 << 20), logs("/shop")[0]);
    assert_eq!(auto(&long), [1, 1, 0, 0, 1]);
}

#[test]
fn a_format_that_is_given_is_the_only_one() {
    let json = logs("/shop")[5].clone();
    let text = logs("/shop")[0].clone();
    for (format, content, expected) in [
        (InputFormat::Log, &json, [0, 0, 0, 0, 1]),
        (InputFormat::Json, &text, [0, 0, 0, 0, 1]),
        (InputFormat::Json, &json, [1, 1, 0, 0, 0]),
        (InputFormat::Har, &json, [0, 0, 0, 0, 1]),
        (InputFormat::Http, &text, [0, 0, 0, 0, 1]),
    ] {
        assert_eq!(counts(&replayed(&[("x", content.as_bytes())], None, format)), expected, "{format:?}");
    }
}

#[test]
fn plans_are_compared_by_rule_place_and_path() {
    let lines: Vec<String> = [
        ATTACK,
        "/api/7?q=1'+union+select+password+from+users--",
        "/shop/a",
        "/elsewhere",
        "/shop/../../etc/passwd",
    ]
    .iter()
    .map(|target| logs(target)[1].clone())
    .collect();
    let report = replayed(&[("a.log", lines.join("\n").as_bytes())], Some(OLD), InputFormat::Auto);
    assert_eq!(
        (&report["new"]["passes"], &report["new"]["detected"], &report["new"]["refused"]),
        (&json!(1), &json!(1), &json!(3))
    );
    assert_eq!((&report["old"]["passes"], &report["old"]["refused"]), (&json!(4), &json!(1)));
    assert_eq!((&report["newly"]["refused"], &report["newly"]["detected"]), (&json!(2), &json!(1)));
    assert_eq!(report["no_longer"]["refused"], 0);
    let groups = report["newly"]["groups"].as_array().unwrap();
    let has = |rule: &str, place: &str, path: &str, route: Value| {
        groups.iter().any(|group| {
            group["rule"].as_str().unwrap().starts_with(rule)
                && group["place"] == place
                && group["path"] == path
                && group["route"] == route
        })
    };
    assert!(has("sql-injection-union-select/", "ARGS:q", "/shop", json!("shop")), "{groups:#?}");
    assert!(has("sql-injection-union-select/", "ARGS:q", "/api/*", json!("api")), "{groups:#?}");
    assert!(has("no-route", "", "/elsewhere", Value::Null), "{groups:#?}");
    assert_eq!(groups[0]["served"], 1);
    assert!(groups[0]["examples"][0]["line"].as_u64().unwrap() > 0);
}
