//! Large bodies stream in both directions, and a slow reader holds up the sender instead of filling memory.

use std::time::Duration;

use waf_tests::origin::{Answer, Gate, Origin, Step};
use waf_tests::polling;
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{Start, Waf, resident_kib, to_upstream};

const MIB: usize = 1 << 20;

/// Memory that a worker may take for one stalled transfer: its own buffers; those of the sockets are the kernel's.
const GROWTH_KIB_MAX: u64 = 8 << 10;

fn single(config: &str) -> (Waf, i32) {
    let waf = Start::new().argument("--workers").argument("1").run(config);
    let workers = waf.workers();
    assert_eq!(workers.len(), 1, "one worker was asked for");
    (waf, workers[0])
}

fn large() -> Origin {
    Origin::answering(|request| {
        let size = 64 * MIB;
        let head = match request.target_text().as_str() {
            "/chunked" => {
                let chunk = [format!("{MIB:x}\r\n").into_bytes(), vec![b'x'; MIB], b"\r\n".to_vec()].concat();
                return Answer::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    .then(Step::Repeat(chunk, 64))
                    .then(Step::Bytes(b"0\r\n\r\n".to_vec()));
            }
            _ => format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: {size}\r\n\r\n"
            ),
        };
        Answer::raw(head).then(Step::Repeat(vec![b'x'; MIB], 64))
    })
}

#[test]
fn large_downloads_arrive_whole() {
    let origin = large();
    let (waf, worker) = single(&to_upstream(&origin.url()));
    let before = resident_kib(worker);
    for target in ["/length", "/chunked"] {
        let response = Request::get(target).to(waf.port);
        assert_eq!(response.body.len(), 64 * MIB, "{target}");
        assert!(response.body.iter().all(|byte| *byte == b'x'), "{target}");
    }
    let grown = resident_kib(worker).saturating_sub(before);
    assert!(grown < GROWTH_KIB_MAX, "the worker grew by {grown} KiB");
}

#[test]
fn a_slow_reader_holds_up_the_upstream() {
    let origin = large();
    let (waf, worker) = single(&to_upstream(&origin.url()));
    assert_eq!(Request::get("/warm").to(waf.port).body.len(), 64 * MIB);
    let before = resident_kib(worker);
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send(Request::get("/length").bytes()).expect("sent");
    let head = connection.head().expect("a head");
    assert_eq!(head.status, 200);
    // Time for a proxy without backpressure to read everything.
    polling::hold(Duration::from_millis(700));
    let grown = resident_kib(worker).saturating_sub(before);
    assert!(grown < GROWTH_KIB_MAX, "the worker grew by {grown} KiB");
    let mut read = 0;
    while read < 64 * MIB {
        let part = connection.take(MIB).expect("the rest comes");
        assert!(!part.is_empty(), "cut after {read} bytes");
        read += part.len();
    }
    assert_eq!(read, 64 * MIB);
}

#[test]
fn a_slow_upstream_holds_up_the_uploader() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::early(move |_| {
        let wait = Answer { steps: vec![Step::Wait(closed.clone()), Step::ReadBody] };
        wait.then(Answer::ok("thanks").steps.remove(0))
    });
    let (waf, worker) =
        single(&(to_upstream(&origin.url()) + "global: { accept: { max_body_size: 1GB } }\n"));
    let before = resident_kib(worker);
    let mut connection = Connection::open(waf.port).expect("a connection");
    let size = 64 * MIB;
    connection
        .send(format!(
            "POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nContent-Length: {size}\r\n\r\n"
        ))
        .expect("sent");
    connection.write_patience(Duration::from_millis(700));
    let chunk = vec![b'x'; MIB];
    let sent = connection.push(&chunk, size).expect("the connection lives");
    assert!(sent < 48 * MIB, "{sent} bytes went although the upstream took none");
    let grown = resident_kib(worker).saturating_sub(before);
    assert!(grown < GROWTH_KIB_MAX, "the worker grew by {grown} KiB");
    gate.open();
    connection.write_patience(Duration::from_secs(20));
    assert_eq!(connection.push(&chunk, size - sent).expect("the connection lives"), size - sent);
    assert_eq!(connection.response().expect("a response").text(), "thanks");
    let received =
        polling::until("the whole upload", || origin.requests().pop().filter(|request| request.complete));
    assert_eq!(received.body_bytes, size as u64);
}

#[test]
fn a_response_streams_while_it_is_made() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| {
        Answer::raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ndata: \r\n")
            .then(Step::Wait(closed.clone()))
            .then(Step::Bytes(b"3\r\n1\n\n\r\n0\r\n\r\n".to_vec()))
    });
    let (waf, _) = single(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send(Request::get("/events").bytes()).expect("sent");
    assert_eq!(connection.head().expect("the head comes at once").status, 200);
    let mut first = Vec::new();
    while !first.ends_with(b"data: \r\n") {
        first.extend(connection.take(64).expect("the first event comes before the second is made"));
    }
    gate.open();
    let rest = String::from_utf8(connection_rest(&mut connection)).expect("text");
    assert!(rest.contains("1\n\n") && rest.ends_with("0\r\n\r\n"), "{rest:?}");
}

fn connection_rest(connection: &mut Connection) -> Vec<u8> {
    let mut rest = Vec::new();
    while !rest.ends_with(b"0\r\n\r\n") {
        let part = connection.take(4096).expect("the rest comes");
        assert!(!part.is_empty(), "the stream was cut: {}", rest.escape_ascii());
        rest.extend(part);
    }
    rest
}

#[test]
fn an_upload_streams_while_it_is_sent() {
    let origin =
        Origin::early(|_| Answer { steps: vec![Step::ReadBody] }.then(Answer::ok("thanks").steps.remove(0)));
    let (waf, _) = single(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection
        .send("POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nContent-Length: 1000000\r\n\r\n")
        .expect("sent");
    connection.send(vec![b'x'; 500_000]).expect("sent");
    let received = origin.wait_for(1);
    assert!(!received[0].complete, "the upstream sees the head before the client has sent everything");
    connection.send(vec![b'x'; 500_000]).expect("sent");
    assert_eq!(connection.response().expect("a response").text(), "thanks");
}

#[test]
fn a_client_that_goes_away_frees_its_upstream_connection() {
    let origin = large();
    let (waf, worker) = single(&to_upstream(&origin.url()));
    assert_eq!(Request::get("/warm").to(waf.port).body.len(), 64 * MIB);
    let files = || std::fs::read_dir(format!("/proc/{worker}/fd")).map(Iterator::count).unwrap_or_default();
    let before = files();
    for _ in 0..20 {
        let mut connection = Connection::open(waf.port).expect("a connection");
        connection.send(Request::get("/length").bytes()).expect("sent");
        assert_eq!(connection.head().expect("a head").status, 200);
    }
    polling::until_true("the connections to go", || files() <= before + 1);
}
