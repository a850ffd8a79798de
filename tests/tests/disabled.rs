//! A protection that is disabled is never stricter than one that only reports: what `detect_only` forwards, `disable`
//! forwards too.

use waf_tests::coded;
use waf_tests::origin::{Answer, Origin};
use waf_tests::raw::{self, Request};
use waf_tests::running::{Start, Waf, with_routes};

/// A protection with a path that refuses, the setting that makes it refuse soon, and a request that it refuses.
struct Row {
    leaf: &'static str,
    setting: &'static str,
    /// The request, to a target below a prefix.
    request: fn(&str) -> Vec<u8>,
}

fn row(leaf: &'static str, setting: &'static str, request: fn(&str) -> Vec<u8>) -> Row {
    Row { leaf, setting, request }
}

fn rows() -> Vec<Row> {
    vec![
        row("request-validation-allowed-methods", "", |at| Request::new("PURGE", at).bytes()),
        row("request-validation-max-url-length", "", |at| {
            Request::get(format!("{at}{}", "a".repeat(60_000))).bytes()
        }),
        row("request-validation-max-header-size", "", |at| {
            Request::get(at).field("X-Large", &"a".repeat(900_000)).bytes()
        }),
        row("request-validation-max-header-count", "", |at| {
            (0..400).fold(Request::get(at), |request, _| request.field("X-A", "b")).bytes()
        }),
        row("request-validation-require-host-header", "", |at| {
            format!("GET {at} HTTP/1.1\r\nConnection: close\r\n\r\n").into_bytes()
        }),
        row("request-validation-require-content-type", "", |at| {
            format!("POST {at} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok").into_bytes()
        }),
        row("request-validation-max-body-size", "accept: { max_body_size: 1KB }", |at| {
            Request::post(at, "text/plain", "a ".repeat(2_000)).bytes()
        }),
        row("request-validation-argument-limits", "", |at| {
            Request::get(format!("{at}?{}", "a=1&".repeat(1_500))).bytes()
        }),
        row("http-compliance-allowed-content-types", "accept: { content_types: [text/plain] }", |at| {
            Request::post(at, "application/json", "{}").bytes()
        }),
        row("http-compliance-uri-fragments", "", |at| Request::get(format!("{at}#part")).bytes()),
        row("http-compliance-malformed-body", "", |at| {
            Request::post(at, "application/json", "{\"a\": ").bytes()
        }),
        row("resource-limits-decompression-ratio", "inspection: { decompression_ratio_limit: 2 }", |at| {
            let body = coded::encode("gzip", " ".repeat(100_000).as_bytes());
            Request::post(at, "text/plain", body).field("Content-Encoding", "gzip").bytes()
        }),
        // The folder for bodies cannot be made.
        row("resource-limits-max-memory", "inspection: { max_memory_buffer: 1KB }", |at| {
            Request::post(at, "text/plain", "x ".repeat(5_000)).bytes()
        }),
    ]
}

/// All rows on routes of their own: with the protection, and without it.
fn waf(origin: &Origin, toggle: impl Fn(&Row) -> String) -> Waf {
    let mut routes = String::new();
    for row in rows() {
        for (kind, toggle) in [("on", String::new()), ("off", toggle(&row))] {
            let Row { leaf, setting, .. } = row;
            let at = format!("  - match: {{ paths: [/{kind}/{leaf}/*] }}\n    upstream: {}\n", origin.url());
            routes.extend([at.as_str(), "    ", setting, "\n    ", &toggle, "\n"]);
        }
    }
    let config = with_routes(&routes).replace("@FOLDER@/data", "@FOLDER@/other");
    let waf = Start::new().environment("TMPDIR", "@FOLDER@/missing").run(&config);
    // A file stands where the folder for bodies would be made.
    std::fs::create_dir_all(waf.folder().join("other")).expect("a folder");
    std::fs::write(waf.folder().join("other/spool"), "").expect("a file");
    waf
}

fn status(waf: &Waf, kind: &str, row: &Row) -> u16 {
    let request = (row.request)(&format!("/{kind}/{}/x", row.leaf));
    raw::send(waf.port, request).unwrap_or_else(|fault| panic!("{}: {fault:?}", row.leaf)).status
}

#[test]
fn what_detect_only_forwards_is_forwarded_with_the_protection_off() {
    let origin = Origin::answering(|_| Answer::ok("ok"));
    let off = waf(&origin, |row| format!("disable: [{}]", row.leaf));
    for row in rows() {
        assert!(status(&off, "on", &row) >= 400, "{} refuses", row.leaf);
        assert_eq!(status(&off, "off", &row), 200, "{} is disabled", row.leaf);
    }
    let seen = waf(&origin, |_| "mode: detect_only".to_owned());
    for row in rows() {
        assert_eq!(status(&seen, "off", &row), 200, "{} only reports", row.leaf);
    }
}

#[test]
fn an_attack_is_refused_although_its_body_finds_no_disk() {
    let origin = Origin::answering(|_| Answer::ok("ok"));
    let waf = waf(&origin, |row| format!("disable: [{}]", row.leaf));
    let at = "/off/resource-limits-max-memory/x";
    for attack in ["1' UNION SELECT password FROM users--", "<script>alert(1)</script>", "; cat /etc/passwd"]
    {
        let body = format!("{}&q={attack}", "x ".repeat(5_000));
        let response = Request::post(at, "text/plain", body).to(waf.port);
        assert_eq!(response.status, 403, "{attack}");
        assert!(origin.take().iter().all(|request| !request.complete), "{attack} reached the upstream whole");
    }
}
