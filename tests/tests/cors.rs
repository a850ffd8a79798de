//! Cross-origin sharing: the answers to a browser, by rows and by a browser.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use waf_tests::contract::{blocked, encode};
use waf_tests::origin::{Answer, Origin, Received};
use waf_tests::raw::{Request, Response};
use waf_tests::running::{self, with_routes};

const PAGE: &str = "https://a.example";

fn route(upstream: &str, cors: &str) -> String {
    with_routes(&format!("  - id: shop\n    upstream: {upstream}\n    cors: {{{cors}}}\n"))
}

fn preflight(origin: &str, method: &str) -> Request {
    Request::new("OPTIONS", "/x").field("Origin", origin).field("Access-Control-Request-Method", method)
}

/// The fields about sharing, in alphabetical order.
fn sharing(response: &Response) -> Vec<String> {
    let is_ours = |name: &str| name.to_lowercase().starts_with("access-control-") || name == "Vary";
    let ours = response.fields.iter().filter(|(name, _)| is_ours(name));
    let mut lines: Vec<String> = ours.map(|(name, value)| format!("{name}: {value}")).collect();
    lines.sort();
    lines
}

#[test]
fn a_preflight_tells_what_was_found_before_it() {
    let origin = Origin::start();
    let limit = "mode: detect_only\n    rate_limit: {requests: 1, window: 60s, source: {type: ip}}";
    let config = route(&origin.url(), "allow_origins: ['https://a.example']") + "    " + limit + "\n";
    let waf = running::waf(&config);
    assert_eq!(preflight(PAGE, "GET").to(waf.port).status, 204);
    let second = preflight(PAGE, "GET").to(waf.port);
    assert_eq!(second.status, 204, "nothing is refused");
    let event = waf.event_of(second.field("X-Request-Id").unwrap_or_default());
    assert_eq!(event["metadata"]["event_code"], "rate-limit");
    assert_eq!((&event["disposition_id"], &event["http_response"]["code"]), (&15.into(), &204.into()));
    assert_eq!(waf.events().len(), 1, "the first one had nothing to tell");
}

#[test]
fn preflights_are_answered_here() {
    let origin = Origin::start();
    let lists = "allow_methods: [GET, PUT], allow_headers: [X-A, X-B], max_age: 60";
    let one = route(
        &origin.url(),
        &format!(
            "allow_origins: ['https://a.example', 'https://b.example'], allow_credentials: true, {lists}"
        ),
    );
    let all = route(&origin.url(), "allow_origins: ['*']");
    let granted = |origin: &str| {
        vec![
            "Access-Control-Allow-Credentials: true".to_owned(),
            "Access-Control-Allow-Headers: X-A, X-B".to_owned(),
            "Access-Control-Allow-Methods: GET, PUT".to_owned(),
            format!("Access-Control-Allow-Origin: {origin}"),
            "Access-Control-Max-Age: 60".to_owned(),
            "Vary: Origin".to_owned(),
        ]
    };
    let to_all = vec![
        "Access-Control-Allow-Methods: GET".to_owned(),
        "Access-Control-Allow-Origin: *".to_owned(),
        "Access-Control-Max-Age: 600".to_owned(),
    ];
    let only_vary = vec!["Vary: Origin".to_owned()];
    for (config, rows) in [
        (
            one,
            vec![
                (preflight(PAGE, "PUT"), 204, granted(PAGE)),
                (preflight("https://b.example", "GET"), 204, granted("https://b.example")),
                // The browser refuses what the lists do not name.
                (
                    preflight(PAGE, "DELETE").field("Access-Control-Request-Headers", "x-c"),
                    204,
                    granted(PAGE),
                ),
                // A method that `accept.methods` lacks is judged after the preflight.
                (preflight(PAGE, "PROPFIND"), 204, granted(PAGE)),
                (preflight("https://evil.example", "PUT"), 403, only_vary.clone()),
                (preflight("http://a.example", "PUT"), 403, only_vary.clone()),
                (preflight("https://a.example.evil.example", "PUT"), 403, only_vary.clone()),
                (preflight("https://a.example:8443", "PUT"), 403, only_vary.clone()),
                (preflight("null", "PUT"), 403, only_vary.clone()),
                (preflight(PAGE, "PUT").field("Origin", "https://b.example"), 403, only_vary),
            ],
        ),
        (all, vec![(preflight(PAGE, "GET"), 204, to_all.clone()), (preflight("null", "GET"), 204, to_all)]),
    ] {
        let waf = running::waf(&config);
        for (request, status, expected) in rows {
            let response = request.to(waf.port);
            assert_eq!((response.status, sharing(&response)), (status, expected), "{request:?}");
            match status {
                204 => {
                    assert_eq!(response.field("Content-Length"), None);
                    assert!(!response.closes(), "a preflight does not end the connection");
                }
                _ => {
                    blocked(&response, status);
                }
            }
        }
        assert!(origin.take().is_empty(), "a preflight was forwarded");
        assert!(waf.events().is_empty(), "{:?}", waf.events());
    }
}

#[test]
fn a_route_without_it_forwards_preflights() {
    let origin = Origin::answering(|_| Answer::new(200, &[("Access-Control-Allow-Origin", "*")], "mine"));
    let waf = running::waf(&running::to_upstream(&origin.url()));
    let response = preflight(PAGE, "PUT").to(waf.port);
    assert_eq!((response.status, response.text().as_str()), (200, "mine"));
    assert_eq!(sharing(&response), ["Access-Control-Allow-Origin: *"]);
    assert_eq!(origin.only().method, "OPTIONS");
}

#[test]
fn answers_say_who_may_read_them() {
    let origin = Origin::answering(|request: &Received| {
        let mut fields = vec![
            ("Access-Control-Allow-Origin", "https://evil.example"),
            ("access-control-allow-credentials", "true"),
            ("X-Total", "3"),
        ];
        match request.target_text().as_str() {
            "/varies" => fields.push(("Vary", "Accept-Encoding, origin")),
            "/codings" => fields.push(("Vary", "Accept-Encoding")),
            _ => {}
        }
        Answer::new(200, &fields, "ok")
    });
    let config =
        route(&origin.url(), "allow_origins: ['https://a.example'], expose_headers: [X-Total, X-Next]");
    let waf = running::waf(&config);
    let allow = "Access-Control-Allow-Origin: https://a.example";
    let expose = "Access-Control-Expose-Headers: X-Total, X-Next";
    for (target, from, expected) in [
        ("/", Some(PAGE), vec![allow, expose, "Vary: Origin"]),
        ("/", Some("https://evil.example"), vec!["Vary: Origin"]),
        ("/", None, vec!["Vary: Origin"]),
        ("/varies", Some(PAGE), vec![allow, expose, "Vary: Accept-Encoding, origin"]),
        ("/codings", Some(PAGE), vec![allow, expose, "Vary: Accept-Encoding", "Vary: Origin"]),
    ] {
        let request = Request::get(target);
        let request = from.map_or(request.clone(), |from| request.field("Origin", from));
        let response = request.to(waf.port);
        assert_eq!((response.status, response.text().as_str()), (200, "ok"), "{target} {from:?}");
        assert_eq!(sharing(&response), expected, "{target} {from:?}");
        assert_eq!(origin.only().field("Origin"), from, "a foreign origin is forwarded");
    }
    let attack = Request::get(format!("/?q={}", encode("<script>alert(1)</script>"))).field("Origin", PAGE);
    let response = attack.to(waf.port);
    blocked(&response, 403);
    assert_eq!(sharing(&response), [allow, expose, "Vary: Origin"], "a script can read why it failed");
    let plain = Request::new("OPTIONS", "/").field("Origin", PAGE).to(waf.port);
    assert_eq!(plain.status, 200, "OPTIONS that is no preflight is forwarded");
}

/// Asks the service from a page and leaves what came of it in the page.
const SCRIPT: &str = r#"<!doctype html><body>waiting<script>
const ask = async (path, options) => {
  try {
    const response = await fetch("@WAF@" + path, options);
    return response.status + " " + response.headers.get("x-total") + " " + await response.text();
  } catch { return "refused"; }
};
(async () => {
  const put = (name) => ({ method: "PUT", body: "x", headers: { "content-type": "text/plain", [name]: "1" } });
  const results = [
    await ask("/shared/plain"),
    await ask("/shared/put", put("x-a")),
    await ask("/shared/put", put("x-c")),
    await ask("/shared/delete", { method: "DELETE" }),
    await ask("/shared/cookies", { credentials: "include" }),
    await ask("/other/plain"),
    await ask("/foreign/plain"),
  ];
  document.body.textContent = "RESULT " + results.join(" | ") + " END";
})();
</script>"#;

#[test]
fn a_browser_reads_what_it_may() {
    let chromium = Path::new("/usr/bin/chromium");
    if !chromium.is_file() {
        eprintln!("LEFT OUT: there is no /usr/bin/chromium, so no browser was asked");
        return;
    }
    let upstream = Origin::answering(|_| Answer::new(200, &[("X-Total", "3")], "ok"));
    let waf_port = std::sync::Arc::new(std::sync::Mutex::new(0_u16));
    let port = waf_port.clone();
    let pages = Origin::answering(move |_| {
        let port = *port.lock().expect("nobody panics while holding it");
        let script = SCRIPT.replace("@WAF@", &format!("http://127.0.0.1:{port}"));
        Answer::new(200, &[("Content-Type", "text/html")], script)
    });
    let (page, up) = (pages.url(), upstream.url());
    let shared = |id: &str, cors: &str| {
        format!("  - id: {id}\n    match: {{paths: [/{id}/*]}}\n    upstream: {up}\n{cors}")
    };
    let lists = "allow_methods: [GET, PUT], allow_headers: [Content-Type, X-A], expose_headers: [X-Total], allow_credentials: true";
    let waf = running::waf(&with_routes(&format!(
        "{}{}{}",
        shared("shared", &format!("    cors: {{allow_origins: ['{page}'], {lists}}}\n")),
        shared("other", ""),
        shared("foreign", "    cors: {allow_origins: ['https://a.example']}\n"),
    )));
    *waf_port.lock().expect("nobody panics while holding it") = waf.port;
    let profile = tempfile::tempdir().expect("a folder for the browser");
    let dom = tempfile::NamedTempFile::new().expect("a file for the page");
    let mut browser = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--disable-background-networking", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--dump-dom", &format!("{page}/")])
        .stdout(dom.reopen().expect("a file can be opened again"))
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the browser starts");
    let began = Instant::now();
    while browser.try_wait().expect("it can be asked").is_none() {
        if began.elapsed() > Duration::from_mins(2) {
            let _ = browser.kill();
            panic!("the browser did not end");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let text = std::fs::read_to_string(dom.path()).expect("a page");
    let results = "RESULT 200 3 ok | 200 3 ok | refused | refused | 200 3 ok | refused | refused END";
    assert!(text.contains(results), "{text}");
}
