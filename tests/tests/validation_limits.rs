//! The shape that requests have to have: methods, lengths, types, framing, time, and which fault wins.

use std::time::{Duration, Instant};

use waf_tests::contract::{answered, blocked, encode};
use waf_tests::origin::{Answer, Origin, Step};
use waf_tests::polling;
use waf_tests::raw::{self, Connection, Request};
use waf_tests::running::{self, to_upstream, with_routes};

fn with_global(origin: &Origin, global: &str) -> String {
    format!("{}global:\n{global}", to_upstream(&origin.url()))
}

#[test]
fn methods_outside_the_list_are_405() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for method in ["TRACE", "PURGE", "get", "PROPFIND", "M-SEARCH"] {
        let response = Request::new(method, "/").to(waf.port);
        blocked(&response, 405);
        assert_eq!(response.field("Allow"), Some("GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS"), "{method}");
    }
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] {
        let response =
            Connection::open(waf.port).and_then(|mut c| c.exchange(&Request::new(method, "/").body("")));
        assert_eq!(response.expect("a response").status, 200, "{method}");
    }
    assert_eq!(origin.take().len(), 7);
}

#[test]
fn connect_is_refused_before_everything() {
    let origin = Origin::start();
    let waf = running::waf(&with_routes(&format!(
        "  - match: {{ paths: [/only/*] }}\n    upstream: {}\n    accept: {{ methods: [CONNECT, GET] }}\n",
        origin.url()
    )));
    for target in ["shop.example:443", "127.0.0.1:22"] {
        let response = raw::send(waf.port, format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n"));
        assert_eq!(response.expect("a response").status, 405);
    }
    assert!(origin.requests().is_empty());
}

#[test]
fn a_route_has_its_own_methods() {
    let origin = Origin::start();
    let url = origin.url();
    let waf = running::waf(&with_routes(&format!(
        "  - match: {{ paths: [/read/*] }}\n    upstream: {url}\n    accept: {{ methods: [GET] }}\n\
         \x20 - match: {{ paths: [/dav/*] }}\n    upstream: {url}\n    accept: {{ methods: [PROPFIND, PUT] }}\n\
         \x20 - match: {{ paths: [/free/*] }}\n    upstream: {url}\n    disable: [request-validation-allowed-methods]\n"
    )));
    let status = |method: &str, target: &str| Request::new(method, target).to(waf.port).status;
    assert_eq!(status("GET", "/read/x"), 200);
    let refused = Request::new("POST", "/read/x").to(waf.port);
    assert_eq!((refused.status, refused.field("Allow")), (405, Some("GET")));
    assert_eq!(status("PROPFIND", "/dav/x"), 200);
    assert_eq!(status("GET", "/dav/x"), 405);
    assert_eq!(status("PURGE", "/free/x"), 200, "switched off");
}

#[test]
fn the_target_may_be_so_long() {
    let origin = Origin::start();
    let waf = running::waf(&with_global(&origin, "  accept: { max_url_length: 512 }\n"));
    let target = |length: usize| format!("/{}", "a".repeat(length - 1));
    assert_eq!(Request::get(target(512)).to(waf.port).status, 200);
    blocked(&Request::get(target(513)).to(waf.port), 414);
    blocked(&Request::get(format!("/?q={}", "a".repeat(600))).to(waf.port), 414);
    assert_eq!(origin.take().len(), 1);
}

#[test]
fn the_head_may_have_so_many_fields_and_bytes() {
    let origin = Origin::start();
    let waf =
        running::waf(&with_global(&origin, "  accept: { max_header_count: 10, max_header_size: 4KB }\n"));
    let fields = |count: usize| {
        (1..count).fold(Request::get("/"), |request, number| request.field(&format!("X-{number}"), "v"))
    };
    assert_eq!(fields(10).to(waf.port).status, 200);
    blocked(&fields(11).to(waf.port), 431);
    // Names and values count: Host and shop.example take 16 bytes, X-Pad takes 5.
    let bytes = |total: usize| Request::get("/").field("X-Pad", &"v".repeat(total - 16 - 5));
    assert_eq!(bytes(4096).to(waf.port).status, 200);
    blocked(&bytes(4097).to(waf.port), 431);
    assert_eq!(origin.take().len(), 2);
}

#[test]
fn a_host_is_required() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for head in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: \r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
    ] {
        blocked(&raw::send(waf.port, head).expect("a response"), 400);
    }
    assert!(origin.take().is_empty());

    let relaxed = running::waf(&with_global(&origin, "  accept: { require_host_header: false }\n"));
    let response = raw::send(relaxed.port, "GET / HTTP/1.0\r\n\r\n").expect("a response");
    assert_eq!(response.status, 200);
    assert_eq!(
        origin.only().field("Host"),
        Some(format!("127.0.0.1:{}", origin.port()).as_str()),
        "the upstream's own"
    );
}

#[test]
fn content_types_are_gated() {
    let origin = Origin::start();
    let waf =
        running::waf(&with_global(&origin, "  accept: { content_types: [application/json, text/csv] }\n"));
    let status = |content_type: &str, body: &str| Request::post("/", content_type, body).to(waf.port).status;
    assert_eq!(status("application/json", "{}"), 200);
    assert_eq!(status("Application/JSON; charset=utf-8", "{}"), 200);
    assert_eq!(status("text/csv", "a,b"), 200);
    for other in ["text/plain", "application/jsonx", "application", "multipart/form-data; boundary=x", "*/*"]
    {
        assert_eq!(status(other, "{}"), 415, "{other}");
    }
    assert_eq!(
        Request::new("PUT", "/").field("Content-Type", "text/plain").body("x").to(waf.port).status,
        415
    );
    assert_eq!(
        Request::get("/").field("Content-Type", "text/plain").to(waf.port).status,
        200,
        "no body, no gate"
    );
    blocked(&Request::new("POST", "/").body("{}").to(waf.port), 415);
    assert_eq!(Request::new("POST", "/").body("").to(waf.port).status, 200);
}

#[test]
fn a_body_without_a_type_is_415_everywhere() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    blocked(&Request::new("POST", "/").body("hello").to(waf.port), 415);
    assert_eq!(Request::post("/", "text/plain", "hello").to(waf.port).status, 200);
    assert_eq!(origin.take().len(), 1);
}

#[test]
fn a_declared_length_over_the_limit_is_413_before_the_body() {
    let origin = Origin::start();
    let waf = running::waf(&with_global(&origin, "  accept: { max_body_size: 1KB }\n"));
    assert_eq!(Request::post("/", "text/plain", "a".repeat(1024)).to(waf.port).status, 200);
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 1025\r\n\r\n";
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send(head).expect("sent");
    let response = connection.response().expect("a response");
    blocked(&response, 413);
    assert!(connection.is_closed());
    assert_eq!(origin.take().len(), 1);
}

#[test]
fn a_chunked_body_is_cut_at_the_limit() {
    let origin =
        Origin::early(|_| Answer { steps: vec![Step::ReadBody] }.then(Answer::ok("ok").steps.remove(0)));
    let waf = running::waf(&with_global(&origin, "  accept: { max_body_size: 1MB }\n"));
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    // Within what is inspected before anything is forwarded, and far behind it.
    for chunk in [4096, 65_536] {
        let mut connection = Connection::open(waf.port).expect("a connection");
        connection.send(head).expect("sent");
        let piece = [format!("{chunk:x}\r\n").into_bytes(), vec![b'a'; chunk], b"\r\n".to_vec()].concat();
        // The body never ends: the answer has to come at the limit.
        for _ in 0..=(1 << 20) / chunk {
            if connection.send(&piece).is_err() {
                break;
            }
        }
        let response = connection.response().expect("a response");
        blocked(&response, 413);
        assert!(response.closes());
    }
    assert!(origin.requests().iter().all(|request| !request.complete), "a cut body was passed off as whole");
}

#[test]
fn a_connection_that_says_nothing_is_closed_without_a_word() {
    let origin = Origin::start();
    let waf = running::waf(&with_global(&origin, "  protocol: { slow_request_header_timeout: 1s }\n"));
    let start = Instant::now();
    let mut silent = Connection::open(waf.port).expect("a connection");
    let mut used = Connection::open(waf.port).expect("a connection");
    used.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n").expect("sent");
    assert_eq!(used.response().expect("a response").status, 200);
    assert_eq!(silent.rest().expect("the end of a silent connection"), b"");
    let closed_after = start.elapsed();
    assert!(
        closed_after >= Duration::from_millis(900) && closed_after < Duration::from_secs(5),
        "{closed_after:?}"
    );
    // One that has carried a request may idle for longer.
    used.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n").expect("sent");
    assert_eq!(used.response().expect("a response").status, 200);
    assert!(waf.events().is_empty());
}

#[test]
fn slow_heads_are_408() {
    let origin = Origin::start();
    let waf = running::waf(&with_global(&origin, "  protocol: { slow_request_header_timeout: 1s }\n"));
    let mut stopped = Connection::open(waf.port).expect("a connection");
    stopped.send("GET / HTTP/1.1\r\nHost: a\r\nX-Half: ").expect("sent");
    let mut trickling = Connection::open(waf.port).expect("a connection");
    trickling.send("GET / HTTP/1.1\r\nHost: a\r\n").expect("sent");
    let start = Instant::now();
    // A byte now and then does not buy time.
    let answered_at = polling::until("the end of a trickling head", || {
        let sent = trickling.send("X");
        (sent.is_err() || !trickling.is_silent()).then(|| start.elapsed())
    });
    assert!(
        answered_at >= Duration::from_millis(900) && answered_at < Duration::from_secs(5),
        "{answered_at:?}"
    );
    answered(&stopped.response().expect("a response"), 408, "timeout");
    assert!(stopped.is_closed());
    assert!(origin.requests().is_empty());
    let events = waf.wait_events(2);
    assert!(events.iter().all(|event| event["http_response"]["code"] == 408), "{events:?}");
}

#[test]
fn a_body_that_is_never_finished_is_408_and_never_complete() {
    let origin =
        Origin::early(|_| Answer { steps: vec![Step::ReadBody] }.then(Answer::ok("ok").steps.remove(0)));
    let waf = running::waf(&to_upstream(&origin.url()));
    let head = |content_type: &str, length: usize| {
        format!(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
        )
    };
    // Within the part that is inspected first: the upstream sees nothing of it.
    let mut short = Connection::open(waf.port).expect("a connection");
    short.send(head("text/plain", 100) + "half").expect("sent");
    short.finish();
    answered(&short.response().expect("a response"), 408, "timeout");
    polling::hold(Duration::from_millis(50));
    assert!(origin.requests().is_empty());
    // Behind it: the upstream sees a message that breaks off.
    let mut long = Connection::open(waf.port).expect("a connection");
    long.send(head("text/plain", 1_000_000)).expect("sent");
    long.send(vec![b'a'; 500_000]).expect("sent");
    origin.wait_for(1);
    long.finish();
    let outcome = long.response();
    assert!(outcome.is_err() || outcome.is_ok_and(|r| r.status == 408), "half an upload is no success");
    polling::hold(Duration::from_millis(50));
    assert!(origin.requests().iter().all(|request| !request.complete));
}

#[test]
fn the_first_check_decides() {
    let origin = Origin::start();
    let waf = running::waf(&with_routes(&format!(
        "  - match: {{ paths: [/a/*] }}\n    upstream: {}\n\
         \x20   accept: {{ max_url_length: 512, max_header_count: 10, max_header_size: 4KB, max_body_size: 1KB, content_types: [text/csv] }}\n",
        origin.url()
    )));
    let long = "x".repeat(600);
    let many = "X: v\r\n".repeat(12);
    let big = format!("X: {}\r\n", "v".repeat(5000));
    let attack = encode("<script>alert(1)</script>");
    let body = "Content-Type: text/plain\r\nContent-Length: 2000\r\n";
    let csv = "Content-Type: text/csv\r\nContent-Length: 2000\r\n";
    let host = "Host: a\r\n";
    for (status, what, head) in [
        (400, "framing before the route", format!("PURGE /b HTTP/1.1\r\n{host}Content-Length: x\r\n\r\n")),
        (404, "the route before the Host", "PURGE /b HTTP/1.1\r\n\r\n".to_owned()),
        (400, "the Host before the method", format!("PURGE /a/{long} HTTP/1.1\r\n\r\n")),
        (405, "the method before the target", format!("PURGE /a/{long} HTTP/1.1\r\n{host}{many}\r\n")),
        (414, "the target before the fields", format!("GET /a/{long} HTTP/1.1\r\n{host}{many}{big}\r\n")),
        (431, "the fields before the type", format!("POST /a/ HTTP/1.1\r\n{host}{many}{body}\r\n")),
        (431, "the bytes before the type", format!("POST /a/ HTTP/1.1\r\n{host}{big}{body}\r\n")),
        (415, "the type before the length", format!("POST /a/?q={attack} HTTP/1.1\r\n{host}{body}\r\n")),
        (413, "the length before the rules", format!("POST /a/?q={attack} HTTP/1.1\r\n{host}{csv}\r\n")),
        (403, "the rules", format!("GET /a/?q={attack} HTTP/1.1\r\n{host}\r\n")),
    ] {
        let response = raw::send(waf.port, head).unwrap_or_else(|fault| panic!("{what}: {fault}"));
        assert_eq!(response.status, status, "{what}");
    }
    assert!(origin.requests().is_empty());
}

#[test]
fn detect_only_reports_limits_and_forwards() {
    let origin = Origin::start();
    let waf = running::waf(&with_global(
        &origin,
        "  mode: detect_only\n  accept: { max_url_length: 512, max_header_count: 10, max_header_size: 4KB, max_body_size: 1KB, content_types: [text/csv] }\n",
    ));
    let fields =
        (0..12).fold(Request::get("/"), |request, number| request.field(&format!("X-{number}"), "v"));
    for (leaf, request) in [
        ("request-validation-allowed-methods", Request::new("PURGE", "/")),
        ("request-validation-max-url-length", Request::get(format!("/{}", "a".repeat(600)))),
        ("request-validation-max-header-count", fields),
        ("request-validation-max-header-size", Request::get("/").field("X", &"v".repeat(5000))),
        ("http-compliance-allowed-content-types", Request::post("/", "text/plain", "x")),
        ("request-validation-require-content-type", Request::new("POST", "/").body("x")),
        ("request-validation-max-body-size", Request::post("/", "text/csv", "a".repeat(2000))),
    ] {
        let response = request.to(waf.port);
        assert_eq!(response.status, 200, "{leaf}");
        origin.only();
        let event = waf.event_of(response.field("X-Request-Id").expect("one is made"));
        assert_eq!(event["disposition_id"], 15, "{leaf}");
        assert!(event["waf"]["matched_protections"].to_string().contains(leaf), "{leaf}: {event}");
        let matches = event["waf"]["matches"].as_array().expect("a list");
        assert_eq!(matches.iter().filter(|found| found["protection"] == leaf).count(), 1, "{leaf}: {event}");
    }
    assert_eq!(waf.events().len(), 7, "one event for each");
}
