//! Responses of upstreams are inspected: replaced before it begins, cut after it began, reported where nothing is refused,
//! and left alone where nothing looks at it.

use std::time::{Duration, Instant};

use serde_json::Value;
use waf_tests::coded;
use waf_tests::contract::blocked;
use waf_tests::origin::{Answer, Gate, Origin, Step};
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, Waf, to_upstream};

/// An error page as an application lets it out.
const LEAK: &str = "<html><body><div>SQLSTATE[42000]: Syntax error or access violation: 1064 You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ''1''' at line 1</div></body></html>";
/// A page about the same.
const ARTICLE: &str = "<html><body><article><p>The message <code>SQLSTATE[42000]: Syntax error or access violation: 1064 You have an error in your SQL syntax</code> means that a quote is missing.</p></article></body></html>";
const HTML: (&str, &str) = ("Content-Type", "text/html; charset=utf-8");

fn waf(origin: &Origin, rest: &str) -> Waf {
    running::waf(&(to_upstream(&origin.url()) + rest))
}

fn by_target(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Origin {
    Origin::answering(move |request| answer(&request.target_text()))
}

/// The whole of a leak, behind a page of some length.
fn long_page() -> String {
    LEAK.replace("<div>", &format!("{}<div>", "<p>Nothing to see here.</p>\n".repeat(2000)))
}

fn mysql(event: &Value, disposition: u64) {
    assert_eq!(event["disposition_id"], disposition, "{event}");
    assert_eq!(event["waf"]["matched_protections"][0], "sql-data-leakage-mysql", "{event}");
    assert_eq!(event["waf"]["matches"][0]["place"], "RESPONSE_BODY", "{event}");
    assert_eq!(event["waf"]["matches"][0]["rule"], "sql-data-leakage-mysql/error", "{event}");
}

#[test]
fn leaks_are_replaced_however_they_are_framed() {
    let origin = by_target(|target| match target {
        "/chunked" => Answer::chunked(&[HTML], &LEAK.split_inclusive(' ').collect::<Vec<_>>()),
        "/long" => Answer::new(200, &[HTML], long_page()),
        "/close" => Answer::bodiless(200, &[HTML, ("Connection", "close")])
            .then(Step::Bytes(LEAK.into()))
            .then(Step::Close),
        "/plain" => Answer::new(
            500,
            &[("Content-Type", "text/plain")],
            "java.lang.NullPointerException\n\tat a.B.c(B.java:1)\n",
        ),
        "/json" => Answer::new(
            200,
            &[("Content-Type", "application/problem+json")],
            "{\"message\":\"ORA-00942: table or view does not exist\"}",
        ),
        "/article" => Answer::new(200, &[HTML], ARTICLE),
        _ => Answer::new(200, &[HTML], LEAK),
    });
    let waf = waf(&origin, "");
    for target in ["/whole", "/chunked", "/long", "/close", "/plain", "/json"] {
        let response = Request::get(target).to(waf.port);
        let id = blocked(&response, 403);
        let event = waf.event_of(&id);
        assert_eq!(event["disposition_id"], 2, "{target}: {event}");
        assert_eq!(event["http_response"]["code"], 403, "{target}: {event}");
        assert!(!response.text().contains("SQL"), "{target}");
    }
    mysql(&waf.events()[0], 2);
    let article = Request::get("/article").to(waf.port);
    assert_eq!((article.status, article.text().as_str()), (200, ARTICLE));
    assert_eq!(waf.events().len(), 6, "one event for each");
}

#[test]
fn the_connection_goes_on_after_a_replaced_response() {
    let origin = by_target(|target| match target {
        "/leak" => Answer::new(200, &[HTML], long_page()),
        _ => Answer::ok("fine"),
    });
    let waf = waf(&origin, "");
    let mut connection = Connection::open(waf.port).expect("a connection");
    for _ in 0..3 {
        let leak = connection.exchange(&Request::get("/leak")).expect("an answer");
        blocked(&leak, 403);
        assert_eq!(connection.exchange(&Request::get("/")).expect("an answer").text(), "fine");
    }
}

#[test]
fn codings_hide_nothing() {
    let origin = by_target(|target| {
        let (coding, page) = match target.trim_start_matches('/').split_once('-') {
            Some((coding, "article")) => (coding, ARTICLE.to_owned()),
            Some((coding, "long")) => (coding, long_page()),
            _ => (target.trim_start_matches('/'), LEAK.to_owned()),
        };
        Answer::new(200, &[HTML, ("Content-Encoding", coding)], coded::encode(coding, page.as_bytes()))
    });
    let waf = waf(&origin, "");
    for coding in coded::CODINGS {
        blocked(&Request::get(format!("/{coding}")).to(waf.port), 403);
        blocked(&Request::get(format!("/{coding}-long")).to(waf.port), 403);
        let article = Request::get(format!("/{coding}-article")).to(waf.port);
        assert_eq!(article.status, 200, "{coding}");
        assert_eq!(
            article.body,
            coded::encode(coding, ARTICLE.as_bytes()),
            "{coding}: the bytes are the upstream's"
        );
    }
}

#[test]
fn a_stream_that_leaks_later_is_cut() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| {
        Answer::raw(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>a\n\r\n",
        )
        .then(Step::Wait(closed.clone()))
        .then(Step::Bytes(format!("{:x}\r\n{LEAK}\r\n0\r\n\r\n", LEAK.len()).into()))
    });
    let waf = waf(&origin, "");
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send(Request::get("/").bytes()).expect("sent");
    assert_eq!(connection.head().expect("the head comes after a silence").status, 200);
    let mut seen = Vec::new();
    while !seen.ends_with(b"<p>a\n\r\n") {
        seen.extend(connection.take(64).expect("the first part comes"));
    }
    gate.open();
    let rest = connection.rest().unwrap_or_default();
    assert!(
        !rest.ends_with(b"0\r\n\r\n") && !String::from_utf8_lossy(&rest).contains("SQL"),
        "{}",
        rest.escape_ascii()
    );
    let event = waf.wait_events(1).remove(0);
    mysql(&event, 15);
    assert_eq!(event["http_response"]["code"], 200, "{event}");
    assert_eq!(event["status_detail"], "response cut", "{event}");
}

#[test]
fn events_arrive_as_they_are_sent() {
    let gates: Vec<Gate> = (0..5).map(|_| Gate::new()).collect();
    let closed = gates.clone();
    let origin = Origin::answering(move |_| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        closed.iter().enumerate().fold(Answer::raw(head), |answer, (nth, gate)| {
            let event = format!("data: event {nth}\n\n");
            answer
                .then(Step::Wait(gate.clone()))
                .then(Step::Bytes(format!("{:x}\r\n{event}\r\n", event.len()).into()))
        })
    });
    let waf = waf(&origin, "");
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send(Request::get("/events").bytes()).expect("sent");
    assert_eq!(connection.head().expect("the head comes after a silence").status, 200);
    let mut slowest = Duration::ZERO;
    for (nth, gate) in gates.iter().enumerate() {
        let start = Instant::now();
        gate.open();
        let mut seen = Vec::new();
        while !seen.ends_with(format!("event {nth}\n\n\r\n").as_bytes()) {
            seen.extend(connection.take(64).expect("the event comes"));
        }
        slowest = slowest.max(start.elapsed());
    }
    assert!(slowest < Duration::from_millis(100), "an event took {slowest:?}");
}

#[test]
fn what_is_only_detected_flows_and_is_reported_once() {
    let origin = by_target(|target| match target {
        "/chunked" => Answer::chunked(&[HTML], &[LEAK, LEAK]),
        _ => Answer::new(201, &[HTML], LEAK),
    });
    let waf = waf(&origin, "global: { mode: detect_only }\n");
    let response = Request::get("/?q=%3Cscript%3Ealert(1)%3C/script%3E").to(waf.port);
    assert_eq!((response.status, response.text().as_str()), (201, LEAK));
    let event = waf.wait_events(1).remove(0);
    assert_eq!(event["disposition_id"], 15, "{event}");
    assert_eq!(event["http_response"]["code"], 201, "{event}");
    let named = event["waf"]["matched_protections"].to_string();
    assert!(named.contains("cross-site-scripting") && named.contains("sql-data-leakage-mysql"), "{named}");
    assert_eq!(Request::get("/chunked").to(waf.port).text(), [LEAK, LEAK].concat());
    mysql(&waf.wait_events(2)[1], 15);
    assert_eq!(waf.events().len(), 2);
}

#[test]
fn answers_without_a_body_pass() {
    let origin = Origin::answering(|request| match request.target_text().as_str() {
        "/empty" => Answer::bodiless(204, &[HTML]),
        "/same" => Answer::bodiless(304, &[HTML, ("ETag", "\"x\"")]),
        "/part" => Answer::new(206, &[HTML, ("Content-Range", "bytes 0-9/100")], "0123456789"),
        _ if request.method == "HEAD" => Answer::bodiless(200, &[HTML, ("Content-Length", "500")]),
        _ => Answer::new(200, &[HTML], ""),
    });
    let waf = waf(&origin, "");
    let mut connection = Connection::open(waf.port).expect("a connection");
    for (target, status) in [("/empty", 204), ("/same", 304), ("/part", 206), ("/", 200)] {
        assert_eq!(connection.exchange(&Request::get(target)).expect("an answer").status, status, "{target}");
    }
    connection.send(Request::new("HEAD", "/").bytes()).expect("sent");
    let head = connection.response_to("HEAD").expect("an answer");
    assert_eq!((head.status, head.field("Content-Length")), (200, Some("500")));
    assert!(waf.events().is_empty(), "{:?}", waf.events());
}

#[test]
fn what_nothing_looks_at_passes_as_it_is() {
    let origin = by_target(|target| match target {
        "/image" => Answer::new(200, &[("Content-Type", "image/png")], LEAK),
        "/download" => Answer::new(200, &[("Content-Type", "application/octet-stream")], LEAK),
        "/odd" => Answer::new(200, &[HTML, ("Content-Encoding", "compress")], LEAK),
        "/broken" => Answer::new(200, &[HTML, ("Content-Encoding", "gzip")], LEAK),
        _ => Answer::new(200, &[HTML], LEAK),
    });
    let open = waf(&origin, "");
    for target in ["/image", "/download", "/odd", "/broken"] {
        assert_eq!(Request::get(target).to(open.port).text(), LEAK, "{target}");
    }
    let off = waf(&origin, "global: { disable: [sql-data-leakage] }\n");
    assert_eq!(Request::get("/").to(off.port).text(), LEAK);
}

#[test]
fn the_bound_on_inspection_holds() {
    let origin = by_target(|target| {
        let size = target.trim_start_matches("/x").parse().unwrap_or(0);
        let filler = " ".repeat(size);
        if target.starts_with("/x") { Answer::new(200, &[HTML], filler + LEAK) } else { Answer::ok("") }
    });
    let waf = waf(&origin, "global: { inspection: { max_inspect_size: 4KB } }\n");
    blocked(&Request::get("/x2000").to(waf.port), 403);
    let beyond = Request::get("/x5000").to(waf.port);
    assert_eq!((beyond.status, beyond.body.len()), (200, 5000 + LEAK.len()));
}

#[test]
fn redirects_to_where_a_parameter_says_are_refused() {
    let origin = Origin::answering(|request| {
        let target = match request.target_text() {
            login if login == "/login" => "to=https://partner.example/done".to_owned(),
            target => target,
        };
        let to = target.split_once("to=").map_or("/", |(_, to)| to).to_owned();
        Answer::new(302, &[("Location", &to)], "")
    });
    let waf = waf(&origin, "");
    for target in [
        "/go?to=https://evil.example/x",
        "/go?to=//evil.example",
        "/go?a=evil.example&to=http://evil.example:81/",
    ] {
        let id = blocked(&Request::get(target).to(waf.port), 403);
        let event = waf.event_of(&id);
        assert_eq!(event["waf"]["matched_protections"][0], "response-inspection-open-redirects", "{event}");
        assert_eq!(event["waf"]["matches"][0]["place"], "RESPONSE_HEADERS", "{event}");
        assert_eq!(event["waf"]["matches"][0]["name"], "location", "{event}");
    }
    for target in ["/go?to=/account", "/go?to=http://shop.example:8081/account"] {
        assert_eq!(Request::get(target).host("shop.example").to(waf.port).status, 302, "{target}");
    }
    let form =
        |body: &str| Request::post("/login", "application/x-www-form-urlencoded", body).to(waf.port).status;
    assert_eq!(form("a=1&next=partner.example%2Fdone"), 403, "named in the body");
    assert_eq!(form("a=1&next=done"), 302);
    let head = Request::new("HEAD", "/go?to=//evil.example");
    assert_eq!(head.to(waf.port).status, 403);
}

#[test]
fn failures_are_hidden_where_that_is_asked_for() {
    let origin = by_target(|_| Answer::new(503, &[("Content-Type", "text/plain")], "pool exhausted"));
    let open = waf(&origin, "");
    assert_eq!(Request::get("/").to(open.port).text(), "pool exhausted");
    let hidden = waf(&origin, "global: { enable: [server-data-leakage-5xx-bodies] }\n");
    blocked(&Request::get("/").to(hidden.port), 403);
}
