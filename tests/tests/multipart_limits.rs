//! Limits of uploads on both sides of their bounds, and uploads that stream: what was judged passes, what comes later is
//! judged before it passes.

use std::time::Duration;

use waf_tests::contract::blocked;
use waf_tests::limit::Limit;
use waf_tests::multipart::{CONTENT_TYPE, END, field, file, post};
use waf_tests::origin::{Answer, Gate, Origin, Step};
use waf_tests::polling;
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, Start, Waf, resident_kib, to_upstream, with_routes};

const ATTACK: &str = "<script>alert(document.cookie)</script>";

fn count(value: u64) -> usize {
    usize::try_from(value).expect("test sizes are small")
}

fn text_file(number: u64) -> String {
    format!("{}some text", file(&format!("letter{number}.txt"), "text/plain"))
}

#[test]
fn file_limit() {
    Limit {
        leaf: "file-upload-limits-max-file-count",
        status: 403,
        setting: &|files| format!("multipart: {{ file_limit: {files} }}"),
        request: &|target, files| post(target, &(0..files).map(text_file).collect::<Vec<_>>()),
        global: 2,
        route: 12,
    }
    .check();
}

#[test]
fn file_size() {
    Limit {
        leaf: "file-upload-limits-max-file-size",
        status: 403,
        setting: &|bytes| format!("multipart: {{ file_size: {bytes} }}"),
        request: &|target, bytes| {
            post(target, &[format!("{}{}", file("letter.txt", "text/plain"), "a".repeat(count(bytes)))])
        },
        global: 1000,
        route: 300_000,
    }
    .check();
}

#[test]
fn total_size_is_max_body_size() {
    let origin = Origin::start();
    let routes = format!(
        "  - upstream: {0}\n\
         \x20 - match: {{ paths: [/files/*] }}\n    upstream: {0}\n    disable: [request-validation-max-body-size]\n\
         \x20 - match: {{ paths: [/body/*] }}\n    upstream: {0}\n    disable: [file-upload-limits-max-total-size]\n\
         \x20 - match: {{ paths: [/off/*] }}\n    upstream: {0}\n    disable: [file-upload-limits-max-total-size, request-validation-max-body-size]\n",
        origin.url()
    );
    let waf =
        running::waf(&format!("{}global: {{ accept: {{ max_body_size: 1000 }} }}\n", with_routes(&routes)));
    let ask = |target: &str, over: usize| {
        let parts = |length| [format!("{}{}", file("letter.txt", "text/plain"), "a".repeat(length))];
        let frame = waf_tests::multipart::body(&parts(0)).len();
        post(target, &parts(1000 + over - frame)).to(waf.port)
    };
    for target in ["/", "/files/", "/body/", "/off/"] {
        assert_eq!(ask(target, 0).status, 200, "{target}");
    }
    for (target, leaf) in [
        ("/files/", "file-upload-limits-max-total-size"),
        ("/body/", "request-validation-max-body-size"),
        ("/", "file-upload-limits-max-total-size"),
        ("/", "request-validation-max-body-size"),
    ] {
        let event = waf.event_of(&blocked(&ask(target, 1), 413));
        assert!(event["waf"]["matched_protections"].to_string().contains(leaf), "{leaf}: {event}");
    }
    assert_eq!(ask("/off/", 1).status, 200);
}

#[test]
fn types_and_extensions() {
    let origin = Origin::start();
    let routes = format!(
        "  - upstream: {0}\n\
         \x20 - match: {{ paths: [/own/*] }}\n    upstream: {0}\n    multipart: {{ allowed_types: [image/png], double_extension: false }}\n\
         \x20 - match: {{ paths: [/off/*] }}\n    upstream: {0}\n    disable: [file-upload-limits]\n",
        origin.url()
    );
    let waf = running::waf(&format!(
        "{}global: {{ multipart: {{ allowed_types: [text/plain] }} }}\n",
        with_routes(&routes)
    ));
    let status = |target: &str, name: &str, media_type: &str, content: &str| {
        let part = format!("{}{content}", file(name, media_type));
        post(target, &[part]).to(waf.port).status
    };
    assert_eq!(status("/", "a.txt", "text/plain", "some text"), 200);
    assert_eq!(status("/", "a.csv", "text/csv", "some text"), 403);
    assert_eq!(status("/own/", "a.txt", "text/plain", "some text"), 403);
    assert_eq!(status("/own/", "a.dat", "image/png", "unknown content"), 200);
    assert_eq!(status("/off/", "a.csv", "text/csv", "some text"), 200);
    assert_eq!(status("/", "a.php.txt", "text/plain", "some text"), 403);
    assert_eq!(
        status("/off/", "a.php.txt", "text/plain", "some text"),
        status("/off/", "a.php.txt", "text/plain", "")
    );
}

/// An origin that reads what comes, and a service with one worker before it.
fn streaming(global: &str) -> (Origin, Waf) {
    let origin =
        Origin::early(|_| Answer { steps: vec![Step::ReadBody] }.then(Answer::ok("thanks").steps.remove(0)));
    let waf = Start::new().argument("--workers").argument("1").run(&format!(
        "{}global: {{ accept: {{ max_body_size: 1GB }}, multipart: {{ {global} }} }}\n",
        to_upstream(&origin.url())
    ));
    (origin, waf)
}

/// An upload whose first file has begun: the upstream has its head.
fn begun(origin: &Origin, waf: &Waf, first: &str, bytes: usize) -> Connection {
    let mut connection = Connection::open(waf.port).expect("a connection");
    let start = format!("{first}{}", file("photo.raw", "application/octet-stream"));
    let start = start.strip_prefix("\r\n").unwrap_or(&start);
    connection
        .send(format!(
            "POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: {CONTENT_TYPE}\r\nContent-Length: {}\r\n\r\n{start}",
            start.len() + bytes
        ))
        .expect("sent");
    connection.send(vec![b'x'; 300_000]).expect("sent");
    let received = origin.wait_for(1);
    assert!(!received[0].complete, "file contents stream");
    connection
}

#[test]
fn files_stream_and_later_fields_are_judged() {
    for (name, later, status) in [
        ("honest", field("note", "thanks a lot"), 200),
        ("attack", field("note", ATTACK), 403),
        ("third file", format!("{}x{}y", file("b.txt", "text/plain"), file("c.txt", "text/plain")), 403),
        ("file name", format!("{}x", file("b.php.jpg", "image/jpeg")), 403),
    ] {
        let (origin, waf) = streaming("file_limit: 2");
        let later = format!("{later}{END}");
        let mut connection = begun(&origin, &waf, &field("title", "holiday"), 300_000 + later.len());
        connection.send(&later).expect("sent");
        let response = connection.response().expect("a response");
        assert_eq!(response.status, status, "{name}");
        if status == 403 {
            let id = blocked(&response, 403);
            assert_eq!(waf.event_of(&id)["disposition_id"], 2, "{name}");
        }
        polling::until_true("the end of the request", || {
            origin.requests().pop().is_some_and(|request| request.complete == (status == 200))
        });
    }
}

#[test]
fn a_file_that_grows_too_large_is_broken_off() {
    let (origin, waf) = streaming("file_size: 1MB");
    let mut connection = begun(&origin, &waf, "", 20 << 20);
    let chunk = vec![b'x'; 64 << 10];
    // It is refused before it is whole.
    for _ in 0..30 {
        if connection.send(&chunk).is_err() {
            break;
        }
    }
    blocked(&connection.response().expect("a response"), 403);
    assert!(origin.requests().iter().all(|request| !request.complete));
}

#[test]
fn a_field_before_a_file_is_judged_before_anything_passes() {
    let (origin, waf) = streaming("file_limit: 2");
    let parts = [field("note", ATTACK), format!("{}{}", file("a.txt", "text/plain"), "x".repeat(500_000))];
    blocked(&post("/up", &parts).to(waf.port), 403);
    assert!(origin.requests().is_empty());
}

/// An upload to an origin that answers early with a part of this type, the service, and what the client still has to say.
fn answered_early(media_type: &str) -> (Origin, Waf, Connection, String, Gate) {
    let gate = Gate::new();
    let (closed, media_type) = (gate.clone(), media_type.to_owned());
    let origin = Origin::early(move |_| {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: 100\r\n\r\nbegun");
        Answer::raw(head).then(Step::Wait(closed.clone()))
    });
    let config = format!("{}global: {{ accept: {{ max_body_size: 1GB }} }}\n", to_upstream(&origin.url()));
    let waf = running::waf(&config);
    let later = format!("{}{END}", field("note", ATTACK));
    let connection = begun(&origin, &waf, "", 300_000 + later.len());
    (origin, waf, connection, later, gate)
}

#[test]
fn a_violation_after_the_answer_began_closes_the_connection() {
    let (_origin, waf, mut connection, later, gate) = answered_early("application/octet-stream");
    let head = connection.head().expect("the answer has begun");
    assert_eq!(head.status, 200);
    connection.send(&later).expect("sent");
    let rest = connection.rest().unwrap_or_default();
    assert!(rest.len() < 100, "{}", rest.escape_ascii());
    let event = waf.wait_events(1).pop().expect("an event");
    assert_eq!(event["disposition_id"], 15, "{event}");
    assert_eq!(
        (event["status_code"].as_str(), event["status_detail"].as_str()),
        (Some("200"), Some("response cut"))
    );
    gate.open();
}

#[test]
fn a_violation_while_the_answer_is_held_back_is_answered() {
    let (_origin, waf, mut connection, later, gate) = answered_early("text/plain");
    polling::hold(Duration::from_millis(300));
    assert!(connection.is_silent(), "an answer of known length is judged before it passes");
    connection.send(&later).expect("sent");
    let id = blocked(&connection.response().expect("a response"), 403);
    assert_eq!(waf.event_of(&id)["disposition_id"], 2);
    gate.open();
}

#[test]
fn large_uploads_take_little_memory() {
    let (origin, waf) = streaming("file_size: 1GB");
    let worker = waf.workers()[0];
    let warm = post("/up", &[text_file(1)]).to(waf.port);
    assert_eq!(warm.status, 200);
    origin.take();
    let before = resident_kib(worker);
    let bytes = 64 << 20;
    let later = format!("{}{END}", field("note", "thanks"));
    let mut connection = begun(&origin, &waf, &field("title", "holiday"), bytes + later.len());
    connection.write_patience(Duration::from_secs(20));
    let left = bytes - 300_000;
    assert_eq!(connection.push(&vec![b'x'; 1 << 20], left).expect("the connection lives"), left);
    connection.send(&later).expect("sent");
    assert_eq!(connection.response().expect("a response").text(), "thanks");
    let grown = resident_kib(worker).saturating_sub(before);
    assert!(grown < 16 << 10, "the worker grew by {grown} KiB");
}

#[test]
fn an_inspected_part_that_is_used_up_lets_the_rest_pass() {
    let origin = Origin::start();
    let waf = running::waf(&format!(
        "{}global: {{ inspection: {{ max_inspect_size: 10KB }}, multipart: {{ file_limit: 1 }} }}\n",
        to_upstream(&origin.url())
    ));
    let long = field("text", &"honest words ".repeat(1000));
    assert_eq!(post("/", &[long.clone(), field("note", ATTACK)]).to(waf.port).status, 200, "not inspected");
    // Files are counted all the same.
    blocked(&post("/", &[long, text_file(1), text_file(2)]).to(waf.port), 403);
    // File contents do not count as inspected.
    let large = format!("{}{}", file("a.txt", "text/plain"), "honest words ".repeat(3000));
    blocked(&post("/", &[large, field("note", ATTACK)]).to(waf.port), 403);
    assert_eq!(Request::get("/").to(waf.port).status, 200);
}
