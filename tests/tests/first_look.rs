//! The first impression of a new user: a minimal file, plain attacks blocked, plain traffic untouched.

use std::time::Duration;

use serde_json::json;
use waf_tests::contract::{self, blocked, encode};
use waf_tests::origin::{Answer, Origin};
use waf_tests::polling;
use waf_tests::raw::{Connection, Request, send};
use waf_tests::running::{self, to_upstream, with_routes};

const UNION: &str = "1' UNION SELECT password FROM users--";
const SCRIPT: &str = "<script>alert(1)</script>";
const PASSWD: &str = "../../../../etc/passwd";

/// The attacks, each with the family that has to name it.
fn attacks() -> Vec<(&'static str, Request, &'static str)> {
    let form = format!("name=Ann&comment={}", encode(SCRIPT));
    let file = json!({ "user": { "avatar": PASSWD } }).to_string();
    let sql = json!({ "items": [{ "id": UNION }] }).to_string();
    vec![
        ("SQL in the query", Request::get(format!("/items?q={}", encode(UNION))), "sql-injection"),
        ("script in the query", Request::get(format!("/items?q={}", encode(SCRIPT))), "cross-site-scripting"),
        ("path traversal in the query", Request::get(format!("/items?f={PASSWD}")), "local-file-access"),
        (
            "script in a form",
            Request::post("/comments", "application/x-www-form-urlencoded", form),
            "cross-site-scripting",
        ),
        ("SQL in JSON", Request::post("/cart", "application/json", sql), "sql-injection"),
        ("path traversal in JSON", Request::post("/profile", "application/json", file), "local-file-access"),
        (
            "SQL in a form",
            Request::post(
                "/login",
                "application/x-www-form-urlencoded",
                format!("user={}&password=x", encode(UNION)),
            ),
            "sql-injection",
        ),
        (
            "SQL in a form, spaces as plus",
            Request::post(
                "/login",
                "application/x-www-form-urlencoded; charset=UTF-8",
                format!("user={}&password=x", encode(UNION).replace("%20", "+")),
            ),
            "sql-injection",
        ),
        (
            "script in the query, encoded twice",
            Request::get(format!("/items?q={}", encode(&encode(SCRIPT)))),
            "cross-site-scripting",
        ),
    ]
}

/// Requests of a shop's customers.
fn benign() -> Vec<Request> {
    let get = |target: &str| Request::get(target);
    let form = |target: &str, body: &str| Request::post(target, "application/x-www-form-urlencoded", body);
    let json =
        |target: &str, body: serde_json::Value| Request::post(target, "application/json", body.to_string());
    vec![
        get("/"),
        get("/products/42"),
        get("/products/blue-suede-shoes?colour=blue&size=42"),
        get("/static/app.4f3c2.js"),
        get("/images/product%20photo%20(2).jpg"),
        get("/search?q=O%27Brien"),
        get("/search?q=rock+%27n%27+roll"),
        get("/search?q=%22blue+suede%22+shoes+or+boots"),
        get("/search?q=select+a+gift+from+our+union+of+makers"),
        get("/search?q=size+%3C+10+%26+price+%3E+5"),
        get("/search?q=caf%C3%A9&page=2&sort=price_asc"),
        get("/search?min=10&max=20&in_stock=true&tags[]=new&tags[]=sale"),
        get("/account?return=/orders/2026/11"),
        get("/").field("Cookie", "session=8f14e45fceea167a5a36dedd4bea2543; theme=dark; cart=%7B%22n%22%3A2%7D"),
        get("/").field(
            "User-Agent",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
        ),
        get("/").field("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
        get("/").field("If-None-Match", "W/\"67ab43\"").field("Accept-Language", "de-DE,de;q=0.9,en;q=0.8"),
        form("/login", "user=ann.o%27brien%40example.com&password=Tr0ub4dor%263%21"),
        form("/contact", "message=I+don%27t+like+it%3B+please+select+another+one.+Thanks+--+Ann"),
        form("/checkout", "name=D%27Angelo+%26+Sons&street=5+Rue+de+l%27Union&note=Leave+at+the+door+%28back%29"),
        json("/cart", json!({ "items": [{ "sku": "AB-1", "count": 2 }], "note": "it's a gift" })),
        json("/cart", json!({ "file": "invoice 2026-11.pdf", "path": "documents/2026/invoice.pdf" })),
        json("/profile", json!({ "name": "Seán O'Connor", "bio": "I <3 coffee & books" })),
    ]
}

#[test]
fn plain_attacks_are_blocked_and_do_not_reach_the_upstream() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for (what, attack, family) in attacks() {
        let response = attack.to(waf.port);
        assert_eq!(response.status, 403, "{what}: {response:?}");
        let id = blocked(&response, 403);
        let text = format!("{response:?} {}", response.text()).to_ascii_lowercase();
        for word in ["sql", "script", "passwd", "inspect", "rule"] {
            assert!(!text.contains(word), "{what}: the answer says {word:?}");
        }
        let event = waf.event_of(&id);
        assert_eq!(event["class_uid"], 4002, "{what}");
        assert_eq!(event["http_response"]["code"], 403, "{what}");
        assert_eq!(event["action_id"], 2, "{what}");
        assert_eq!(event["disposition_id"], 2, "{what}");
        assert_eq!(event["waf"]["mode"], "blocking", "{what}");
        assert_eq!(event["waf"]["plan"], waf.plan(), "{what}");
        let named = event["waf"]["matched_protections"].to_string();
        assert!(named.contains(family), "{what}: {named} does not name {family}");
        assert!(event["waf"]["anomaly_score"].as_u64() >= Some(5), "{what}");
    }
    assert_eq!(waf.events().len(), attacks().len(), "one event for each block");
    assert!(origin.requests().is_empty(), "an attack reached the upstream");
}

#[test]
fn benign_traffic_passes_unchanged() {
    let origin = Origin::answering(Answer::echo);
    let waf = running::waf(&to_upstream(&origin.url()));
    for request in benign() {
        let response = request.to(waf.port);
        let sent = String::from_utf8_lossy(&request.bytes()).into_owned();
        assert_eq!(response.status, 200, "{sent}\n{:?}", waf.events());
        let received = origin.only();
        let start = format!("{} {} HTTP/1.1\r\n", received.method, received.target_text());
        assert!(sent.starts_with(&start), "{start} is not what was sent: {sent}");
        assert!(sent.ends_with(&*String::from_utf8_lossy(&received.body)), "{sent}");
    }
    assert!(waf.events().is_empty(), "{:?}", waf.events());
}

#[test]
fn detect_only_forwards_and_reports() {
    let origin = Origin::answering(|_| Answer::new(201, &[], "made"));
    let waf = running::waf(&(to_upstream(&origin.url()) + "global:\n  mode: detect_only\n"));
    for (what, attack, family) in attacks() {
        let response = attack.to(waf.port);
        assert_eq!((response.status, response.text()), (201, "made".to_owned()), "{what}");
        let id = response.field("X-Request-Id").expect("every response carries one").to_owned();
        let event = waf.event_of(&id);
        assert_eq!(event["http_response"]["code"], 201, "{what}: the status that the client got");
        assert_eq!(
            (event["action_id"].as_u64(), event["disposition_id"].as_u64()),
            (Some(1), Some(15)),
            "{what}"
        );
        assert_eq!(event["waf"]["mode"], "detect_only", "{what}");
        assert!(event["waf"]["matched_protections"].to_string().contains(family), "{what}: {event}");
        origin.only();
    }
    assert_eq!(waf.events().len(), attacks().len(), "one event for each request");
    waf.wait_log(&["detect_only"]);
}

#[test]
fn what_was_found_is_told_when_the_client_leaves_early() {
    let origin = Origin::start();
    let waf = running::waf(&(to_upstream(&origin.url()) + "global:\n  mode: detect_only\n"));
    let mut connection = Connection::open(waf.port).expect("a connection");
    let head = format!(
        "POST /x?q={} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{",
        encode(UNION)
    );
    connection.send(&head).expect("sent");
    // Until the head was judged and the body is waited for.
    polling::hold(Duration::from_millis(300));
    connection.break_off();
    let event = waf.wait_events(1).remove(0);
    assert_eq!(
        (&event["http_response"]["code"], &event["status_detail"]),
        (&499.into(), &"client closed request".into())
    );
    assert_eq!(event["disposition_id"], 15, "it was not blocked");
    assert!(event["waf"]["matched_protections"].to_string().contains("sql-injection"), "{event}");
    assert!(origin.take().is_empty());
}

#[test]
fn a_route_switches_protections_off_for_itself_alone() {
    let origin = Origin::start();
    let url = origin.url();
    let waf = running::waf(&with_routes(&format!(
        "  - id: reports\n    match: {{ paths: [/reports/*] }}\n    upstream: {url}\n    disable: [sql-injection]\n\
         \x20 - id: one\n    match: {{ paths: [/one/*] }}\n    upstream: {url}\n    disable: [sql]\n    enable: [sql-injection-union-select]\n\
         \x20 - id: watched\n    match: {{ paths: [/watched/*] }}\n    upstream: {url}\n    mode: detect_only\n\
         \x20 - id: rest\n    upstream: {url}\n"
    )));
    let status =
        |path: &str, attack: &str| Request::get(format!("{path}?q={}", encode(attack))).to(waf.port).status;
    assert_eq!(status("/reports/1", UNION), 200, "switched off by its bucket");
    assert_eq!(status("/reports/1", SCRIPT), 403, "other buckets stay on");
    assert_eq!(status("/one/1", UNION), 403, "a leaf in enable beats its family in disable");
    assert_eq!(status("/one/1", SCRIPT), 403);
    assert_eq!(status("/watched/1", UNION), 200, "a route's mode overrides the global one");
    assert_eq!(status("/elsewhere", UNION), 403, "other routes are not touched");
}

#[test]
fn a_template_replaces_the_body_of_blocks() {
    let origin = Origin::start();
    let url = origin.url();
    let waf = running::waf(&with_routes(&format!(
        "  - id: html\n    match: {{ paths: [/html/*] }}\n    upstream: {url}\n\
         \x20   error_response: {{ body: '<p>Reference {{{{.RequestID}}}} at {{{{.Timestamp}}}}</p>' }}\n\
         \x20 - id: json\n    match: {{ paths: [/json/*] }}\n    upstream: {url}\n\
         \x20   error_response: {{ body: '{{\"ref\":\"{{{{.RequestID}}}}\"}}' }}\n\
         \x20 - id: text\n    match: {{ paths: [/text/*] }}\n    upstream: {url}\n\
         \x20   error_response: {{ body: 'blocked: {{{{.RequestID}}}}' }}\n\
         \x20 - id: xml\n    match: {{ paths: [/xml/*] }}\n    upstream: {url}\n\
         \x20   error_response: {{ body: '<?xml version=\"1.0\"?><error id=\"{{{{.RequestID}}}}\"/>' }}\n"
    )));
    let attack = |path: &str| Request::get(format!("{path}?q={}", encode(SCRIPT))).to(waf.port);
    let id =
        |response: &waf_tests::raw::Response| response.field("X-Request-Id").unwrap_or_default().to_owned();

    let html = attack("/html/1");
    assert_eq!((html.status, html.field("Content-Type")), (403, Some("text/html; charset=utf-8")));
    let text = html.text();
    let time = text
        .strip_prefix(&format!("<p>Reference {} at ", id(&html)))
        .and_then(|rest| rest.strip_suffix("</p>"))
        .unwrap_or_else(|| panic!("{text}"));
    assert!(
        time.len() == 20 && time.ends_with('Z') && time.as_bytes()[10] == b'T',
        "RFC 3339 with seconds: {time}"
    );

    let json = attack("/json/1");
    assert_eq!((json.status, json.field("Content-Type")), (403, Some("application/json; charset=utf-8")));
    assert_eq!(json.text(), format!("{{\"ref\":\"{}\"}}", id(&json)));

    let plain = attack("/text/1");
    assert_eq!(plain.field("Content-Type"), Some("text/plain; charset=utf-8"));
    assert_eq!(plain.text(), format!("blocked: {}", id(&plain)));
    assert_eq!(plain.field("Cache-Control"), Some("no-store"));

    let xml = attack("/xml/1");
    assert_eq!((xml.status, xml.field("Content-Type")), (403, Some("application/xml; charset=utf-8")));
    assert_eq!(xml.text(), format!("<?xml version=\"1.0\"?><error id=\"{}\"/>", id(&xml)));

    let method = Request::new("PURGE", "/text/1").to(waf.port);
    assert_eq!((method.status, method.text()), (405, format!("blocked: {}", id(&method))), "at every status");
}

#[test]
fn a_global_template_is_for_every_block_without_one_of_its_own() {
    let origin = Origin::start();
    let url = origin.url();
    let routes = format!(
        "  - id: own\n    match: {{ paths: [/own/*] }}\n    upstream: {url}\n    error_response: {{ body: 'here' }}\n\
         \x20 - id: inherits\n    match: {{ paths: [/shop/*] }}\n    upstream: {url}\n"
    );
    let global = "global: { error_response: { body: '<error>{{.RequestID}}</error>' } }\n";
    let waf = running::waf(&(with_routes(&routes) + global));
    let attack = |path: &str| Request::get(format!("{path}?q={}", encode(SCRIPT))).to(waf.port);
    assert_eq!(attack("/own/1").text(), "here");
    for response in [
        attack("/shop/1"),
        // No route is chosen for either.
        Request::new("CONNECT", "a.example:443").to(waf.port),
        send(waf.port, "GET / HTTP/1.1\r\nHost: a\r\nBad Name: 1\r\n\r\n").expect("a response"),
    ] {
        let id = response.field("X-Request-Id").unwrap_or_default();
        assert_eq!(response.text(), format!("<error>{id}</error>"), "{response:?}");
        assert_eq!(response.field("Content-Type"), Some("application/xml; charset=utf-8"));
    }
    let elsewhere = Request::get("/elsewhere").to(waf.port);
    waf_tests::contract::answered(&elsewhere, 404, "not_found");
}

#[test]
fn people_get_a_page_and_programs_json() {
    let origin = Origin::start();
    let waf = running::waf(&with_routes(&format!(
        "  - match: {{ paths: [/shop/*] }}\n    upstream: {}\n\
         \x20 - match: {{ paths: [/down/*] }}\n    upstream: http://127.0.0.1:{}\n",
        origin.url(),
        waf_tests::ports::free()
    )));
    let blocked = format!("/shop/1?q={}", encode(SCRIPT));
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (target, status, error) in [
        (blocked.as_str(), 403, "blocked"),
        ("/elsewhere", 404, "not_found"),
        ("/down/1", 502, "bad_gateway"),
    ] {
        let page = Request::get(target).field("Accept", browser).to(waf.port);
        let id = page.field("X-Request-Id").unwrap_or_default();
        assert_eq!((page.status, page.field("Content-Type")), (status, Some("text/html; charset=utf-8")));
        assert_eq!(page.field("Cache-Control"), Some("no-store"));
        let text = page.text();
        assert!(
            text.starts_with("<!doctype html>") && text.contains(&format!("<code>{id}</code>")),
            "{text}"
        );
        assert!(!text.contains("cross-site-scripting") && !text.contains("127.0.0.1"), "{text}");
        for accept in ["*/*", "application/json", "application/json, text/plain, */*", "text/html;q=0.5, */*"]
        {
            let json = Request::get(target).field("Accept", accept).to(waf.port);
            waf_tests::contract::answered(&json, status, error);
        }
    }
}

#[test]
fn a_head_request_is_refused_without_a_body() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let response = Request::new("HEAD", format!("/?q={}", encode(UNION))).to(waf.port);
    assert_eq!((response.status, response.body.len()), (403, 0));
    let length: usize =
        response.field("Content-Length").and_then(|l| l.parse().ok()).expect("as a GET would have");
    let id = response.field("X-Request-Id").expect("ours");
    assert_eq!(length, format!("{{\"error\":\"blocked\",\"request_id\":\"{id}\"}}\n").len());
}

#[test]
fn no_route_is_404_without_an_event() {
    let origin = Origin::start();
    let waf = running::waf(&with_routes(&format!(
        "  - match: {{ paths: [/shop/*] }}\n    upstream: {}\n",
        origin.url()
    )));
    let response = Request::get("/elsewhere").to(waf.port);
    contract::answered(&response, 404, "not_found");
    // A block that comes later has its event; the 404 before it has none.
    blocked(&Request::get(format!("/shop/?q={}", encode(UNION))).to(waf.port), 403);
    let events = waf.wait_events(1);
    polling::hold(std::time::Duration::from_millis(50));
    assert_eq!(waf.events().len(), 1, "{events:?}");
}
