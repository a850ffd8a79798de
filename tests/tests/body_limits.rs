//! Limits of bodies, each on both sides of its bound: global, on a route, in `detect_only`, and switched off.

use std::time::Duration;

use waf_tests::coded::{CODINGS, encode};
use waf_tests::contract::blocked;
use waf_tests::limit::{Limit, chunked};
use waf_tests::origin::{Answer, Origin};
use waf_tests::polling;
use waf_tests::raw::{self, Connection, Request};
use waf_tests::running::{self, Start, to_upstream, with_routes};

fn size(value: u64) -> usize {
    usize::try_from(value).expect("test sizes are small")
}

#[test]
fn max_body_size() {
    Limit {
        leaf: "request-validation-max-body-size",
        status: 413,
        setting: &|bytes| format!("accept: {{ max_body_size: {bytes} }}"),
        request: &|target, bytes| Request::post(target, "text/plain", "a".repeat(size(bytes))),
        global: 1000,
        route: 3000,
    }
    .check();
}

#[test]
fn max_body_size_of_a_chunked_body() {
    let origin = Origin::start();
    let config = format!(
        "{}global: {{ accept: {{ max_body_size: 1000 }} }}\n",
        with_routes(&format!(
            "  - upstream: {0}\n  - match: {{ paths: [/seen/*] }}\n    upstream: {0}\n    mode: detect_only\n",
            origin.url()
        ))
    );
    let waf = running::waf(&config);
    let ask = |target: &str, bytes: usize| {
        raw::send(waf.port, chunked(target, "text/plain", &vec![b'a'; bytes])).expect("a response")
    };
    assert_eq!(ask("/", 1000).status, 200);
    blocked(&ask("/", 1001), 413);
    assert_eq!(ask("/seen/", 1001).status, 200);
    let event = waf.wait_events(2).pop().expect("an event");
    assert_eq!(event["disposition_id"], 15);
    assert_eq!(origin.take().len(), 2);
}

#[test]
fn json_depth() {
    Limit {
        leaf: "json-parsing-max-depth",
        status: 403,
        setting: &|depth| format!("inspection: {{ json_depth: {depth} }}"),
        request: &|target, depth| {
            let text = format!("{}1{}", "[".repeat(size(depth)), "]".repeat(size(depth)));
            Request::post(target, "application/json", text)
        },
        global: 3,
        route: 30,
    }
    .check();
}

#[test]
fn json_keys() {
    Limit {
        leaf: "json-parsing-max-keys",
        status: 403,
        setting: &|keys| format!("inspection: {{ json_keys: {keys} }}"),
        request: &|target, keys| {
            let keys: Vec<String> = (0..keys).map(|key| format!("\"k{key}\":1")).collect();
            Request::post(target, "application/json", format!("{{{}}}", keys.join(",")))
        },
        global: 4,
        route: 2000,
    }
    .check();
}

#[test]
fn decompression_ratio() {
    for coding in CODINGS {
        Limit {
            leaf: "resource-limits-decompression-ratio",
            status: 403,
            setting: &|ratio| format!("inspection: {{ decompression_ratio_limit: {ratio} }}"),
            request: &|target, ratio| {
                let request = Request::new("POST", target).field("Content-Type", "text/plain");
                request.field("Content-Encoding", coding).body(of_ratio(coding, size(ratio)))
            },
            global: 20,
            route: 60,
        }
        .check();
    }
}

/// A body that needs just this ratio: a run of one letter, which every coding brings to a few bytes.
fn of_ratio(coding: &str, ratio: usize) -> Vec<u8> {
    let about = ratio * encode(coding, &[b'a'; 1000]).len();
    let bodies = (about / 2..about * 2).map(|letters| (letters, encode(coding, &vec![b'a'; letters])));
    let mut fitting = bodies.filter(|(letters, body)| letters.div_ceil(body.len()) == ratio);
    fitting.next().expect("one of them fits").1
}

#[test]
fn xml_depth() {
    Limit {
        leaf: "xml-parsing-max-depth",
        status: 403,
        setting: &|depth| format!("inspection: {{ xml_depth: {depth} }}"),
        request: &|target, depth| {
            let text = format!("{}text{}", "<a>".repeat(size(depth)), "</a>".repeat(size(depth)));
            Request::post(target, "application/xml", text)
        },
        global: 3,
        route: 30,
    }
    .check();
}

#[test]
fn xml_entities() {
    Limit {
        leaf: "xml-parsing-entity-expansion",
        status: 403,
        setting: &|entities| format!("inspection: {{ xml_entities: {entities} }}"),
        request: &|target, entities| {
            let uses = "&a; ".repeat(size(entities));
            let text = format!("<!DOCTYPE r [<!ENTITY a \"word\">]><r>{uses}</r>");
            Request::post(target, "application/xml", text)
        },
        global: 3,
        route: 200,
    }
    .check();
}

#[test]
fn evaluation_timeout() {
    let leaf = "resource-limits-evaluation-timeout";
    let origin = Origin::start();
    let routes = format!(
        "  - upstream: {0}\n\
         \x20 - match: {{ paths: [/own/*] }}\n    upstream: {0}\n    inspection: {{ evaluation_timeout: 60s }}\n\
         \x20 - match: {{ paths: [/off/*] }}\n    upstream: {0}\n    disable: [{leaf}]\n\
         \x20 - match: {{ paths: [/seen/*] }}\n    upstream: {0}\n    mode: detect_only\n",
        origin.url()
    );
    let waf = running::waf(&format!(
        "{}global: {{ inspection: {{ evaluation_timeout: 10ms, max_inspect_size: 10MB }} }}\n",
        with_routes(&routes)
    ));
    let words: Vec<String> = (0..200_000).map(|at| format!("\"the chair number {at} is broken\"")).collect();
    let long = format!("[{}]", words.join(","));
    let ask = |target: &str, body: &str| Request::post(target, "application/json", body).to(waf.port);
    assert_eq!(ask("/", "[\"the chair is broken\"]").status, 200);
    // It is answered before it is whole; a client that goes on regardless would lose the answer.
    let mut connection = Connection::open(waf.port).expect("a connection");
    let bytes = Request::post("/", "application/json", &long).bytes();
    for piece in bytes.chunks(64 << 10) {
        if !connection.is_silent() || connection.send(piece).is_err() {
            break;
        }
        polling::hold(Duration::from_millis(20));
    }
    let event = waf.event_of(&blocked(&connection.response().expect("a response"), 403));
    assert!(event["waf"]["matched_protections"].to_string().contains(leaf), "{event}");
    assert_eq!(ask("/own/", &long).status, 200);
    assert_eq!(ask("/off/", &long).status, 200);
    assert_eq!(ask("/seen/", &long).status, 200);
    let event = waf.wait_events(2).pop().expect("an event");
    assert!(event["waf"]["matched_protections"].to_string().contains(leaf), "{event}");
    assert_eq!(event["disposition_id"], 15);
}

#[test]
fn nothing_passes_before_it_is_cleared() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for (content_type, begin, end, status) in [
        ("application/json", "{\"a\":\"honest\",", "\"b\":\"words\"}", 200),
        ("application/json", "{\"a\":\"honest\",", "\"b\":\"<script>alert(1)</script>\"}", 403),
        ("application/x-www-form-urlencoded", "a=honest&", "b=%3Cscript%3Ealert(1)%3C/script%3E", 403),
        ("text/plain", "honest words ", "<script>alert(1)</script>", 403),
    ] {
        let connections = origin.connections();
        let mut connection = Connection::open(waf.port).expect("a connection");
        let head = format!(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{begin}",
            begin.len() + end.len()
        );
        connection.send(head).expect("sent");
        polling::hold(Duration::from_millis(100));
        assert_eq!(origin.connections(), connections, "the upstream was asked too early");
        connection.send(end).expect("sent");
        assert_eq!(connection.response().expect("a response").status, status, "{content_type} {end}");
        origin.drop_connections();
    }
    assert_eq!(origin.take().len(), 1);
}

#[test]
fn argument_count_and_names() {
    let leaf = "request-validation-argument-limits";
    let origin = Origin::start();
    let routes = format!(
        "  - upstream: {0}\n  - match: {{ paths: [/off/*] }}\n    upstream: {0}\n    disable: [{leaf}]\n",
        origin.url()
    );
    let waf = running::waf(&with_routes(&routes));
    let form = |target: &str, body: String| {
        Request::post(target, "application/x-www-form-urlencoded", body).to(waf.port)
    };
    let many = |count: usize| vec!["a=1"; count].join("&");
    let named = |length: usize| format!("{}=1", "n".repeat(length));
    assert_eq!(form("/", many(1000)).status, 200);
    blocked(&form("/", many(1001)), 403);
    assert_eq!(form("/", named(1024)).status, 200);
    blocked(&form("/", named(1025)), 403);
    // Without `=` it is a value.
    assert_eq!(form("/", "n".repeat(2000)).status, 200);
    assert_eq!(form("/off/", many(1001)).status, 200);
    assert_eq!(Request::get(format!("/?{}", many(1000))).to(waf.port).status, 200);
    blocked(&Request::get(format!("/?{}", many(1001))).to(waf.port), 403);
    blocked(&Request::get(format!("/?{}", named(1025))).to(waf.port), 403);
}

#[test]
fn max_inspect_size_ends_the_inspection() {
    let origin = Origin::start();
    let routes = format!(
        "  - upstream: {0}\n\
         \x20 - match: {{ paths: [/own/*] }}\n    upstream: {0}\n    inspection: {{ max_inspect_size: 40KB }}\n\
         \x20 - match: {{ paths: [/told/*] }}\n    upstream: {0}\n    enable: [resource-limits-max-inspection-size]\n",
        origin.url()
    );
    let waf = running::waf(&format!(
        "{}global: {{ inspection: {{ max_inspect_size: 20KB }} }}\n",
        with_routes(&routes)
    ));
    let attack = "<script>alert(1)</script>";
    let ask = |target: &str, before: usize| {
        Request::post(target, "text/plain", format!("{}{attack}", "x ".repeat(before / 2))).to(waf.port)
    };
    blocked(&ask("/", (20 << 10) - attack.len()), 403);
    assert_eq!(ask("/", 20 << 10).status, 200, "behind what is inspected");
    blocked(&ask("/own/", (40 << 10) - attack.len()), 403);
    assert_eq!(ask("/own/", 40 << 10).status, 200);
    let quiet = waf.wait_events(2).len();
    // Where the protection is enabled, the rest is worth a line, and nothing else.
    assert_eq!(Request::post("/told/", "text/plain", "x ".repeat(10 << 10)).to(waf.port).status, 200);
    assert_eq!(ask("/told/", 20 << 10).status, 200);
    let events = waf.wait_events(quiet + 1);
    assert_eq!(events.len(), quiet + 1, "{events:#?}");
    let event = &events[quiet];
    assert_eq!(event["disposition_id"], 17, "{event}");
    assert!(event["waf"]["matched_protections"].to_string().contains("resource-limits-max-inspection-size"));
    assert_eq!(event["waf"]["not_inspected"][0], format!("{} bytes of the body", attack.len()));
    assert_eq!(origin.take().len(), 4);
}

#[test]
fn a_long_body_arrives_whole() {
    // The inspected part is held, the rest streams; no byte may be lost or repeated where they meet.
    let origin = Origin::answering(Answer::echo);
    let waf = running::waf(&to_upstream(&origin.url()));
    for bytes in [1, 16_383, 131_071, 131_072, 131_073, 500_001] {
        let body: Vec<u8> = (b'a'..b'w').cycle().take(bytes).collect();
        let response = Request::post("/", "text/plain", &body).to(waf.port);
        assert_eq!(response.status, 200, "{bytes}: {}", response.text());
        let head = response.body.iter().position(|byte| *byte == b'\n').expect("a first line");
        assert!(response.body[head + 1..] == body, "{bytes} bytes were changed");
        let response = raw::send(waf.port, chunked("/", "text/plain", &body)).expect("a response");
        assert!(response.body[head + 1..] == body, "{bytes} bytes in a chunk were changed");
    }
}

#[test]
fn what_does_not_fit_into_memory_waits_on_disk() {
    let origin = Origin::answering(Answer::echo);
    let routes = format!(
        "  - upstream: {0}\n  - match: {{ paths: [/own/*] }}\n    upstream: {0}\n    inspection: {{ max_memory_buffer: 60KB }}\n",
        origin.url()
    );
    let waf = running::waf(&format!(
        "{}global: {{ inspection: {{ max_inspect_size: 1MB, max_memory_buffer: 1 }} }}\n",
        with_routes(&routes)
    ));
    let body: Vec<u8> = (b'a'..b'y').cycle().take(700_000).collect();
    for target in ["/", "/own/"] {
        let response = Request::post(target, "text/plain", &body).to(waf.port);
        assert_eq!(response.status, 200);
        assert!(response.body.ends_with(&body), "{target}");
    }
    let spool = waf.folder().join("data/spool");
    assert!(spool.is_dir(), "bodies wait in the data directory");
    assert_eq!(std::fs::read_dir(spool).expect("a folder").count(), 0, "no name is left behind");
}

#[test]
fn a_disk_that_fails_is_503() {
    let origin = Origin::answering(Answer::echo);
    let routes = format!(
        "  - upstream: {0}\n\
         \x20 - match: {{ paths: [/seen/*] }}\n    upstream: {0}\n    mode: detect_only\n\
         \x20 - match: {{ paths: [/large/*] }}\n    upstream: {0}\n    inspection: {{ max_memory_buffer: 1MB }}\n",
        origin.url()
    );
    let waf = Start::new().environment("TMPDIR", "@FOLDER@/missing").file("data", "no folder").run(&format!(
        "{}global: {{ inspection: {{ max_memory_buffer: 1KB }} }}\n",
        with_routes(&routes).replace("@FOLDER@/data", "@FOLDER@/other")
    ));
    // A file stands where the folder for bodies would be made.
    std::fs::create_dir_all(waf.folder().join("other")).expect("a folder");
    std::fs::write(waf.folder().join("other/spool"), "").expect("a file");
    let body = "x ".repeat(5_000);
    let ask = |target: &str, body: &str| Request::post(target, "text/plain", body).to(waf.port);
    assert_eq!(ask("/", "small").status, 200);
    let id = blocked(&ask("/", &body), 503);
    let event = waf.event_of(&id);
    assert!(
        event["waf"]["matched_protections"].to_string().contains("resource-limits-max-memory"),
        "{event}"
    );
    assert_eq!(ask("/large/", &body).status, 200, "it fits into memory");
    let seen = ask("/seen/", &body);
    assert_eq!(seen.status, 200);
    assert!(seen.text().ends_with(&body));
    assert_eq!(waf.wait_events(2).pop().expect("an event")["disposition_id"], 15);
}
