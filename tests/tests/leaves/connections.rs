//! Protections of connections and of the machine, which take a service of their own: each again as the only one enabled.

use waf_shared::catalog::families;
use waf_tests::contract::{answered, blocked};
use waf_tests::frames::{
    END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, Frames, GOAWAY, HEADERS, PING, REFUSED_STREAM, RST_STREAM,
    block, frame, get,
};
use waf_tests::origin::{Answer, Gate, Origin, Step};
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{Start, Waf, to_upstream};
use waf_tests::websocket::{ACCEPT, Socket};

use super::protections;

/// A service with one protection, and settings of `global` beside it.
fn with(leaf: &str, settings: &str, origin: &Origin) -> String {
    // A protection that is a family by itself cannot be named in both lists.
    let others: Vec<&str> = families().iter().copied().filter(|family| *family != leaf).collect();
    let all = others.join(", ");
    format!("{}global:\n  disable: [{all}]\n  enable: [{leaf}]\n  {settings}\n", to_upstream(&origin.url()))
}

fn waf(leaf: &str, settings: &str, origin: &Origin) -> Waf {
    Start::new().run(&with(leaf, settings, origin))
}

fn is_named(waf: &Waf, leaf: &str) {
    assert_eq!(protections(&waf.wait_events(1)[0]), [leaf]);
}

#[test]
fn frame_floods_are_ended() {
    let leaf = "http2-frame-flood";
    let origin = Origin::start();
    let waf = waf(leaf, "", &origin);
    let mut client = Frames::open(waf.port);
    // The connection may be gone before all of it is written.
    let _ = client.push(&frame(PING, 0, 0, b"abcdefgh").repeat(20_000));
    assert_eq!(client.until(GOAWAY).map(|goaway| goaway.code()), Some(ENHANCE_YOUR_CALM));
    is_named(&waf, leaf);
}

#[test]
fn frames_of_a_websocket_follow_their_rules() {
    let leaf = "websocket-messages";
    let fields = [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", ACCEPT)];
    let origin = Origin::answering(move |_| Answer::bodiless(101, &fields).then(Step::Echo));
    let waf = waf(leaf, "", &origin);
    let mut socket = Socket::open(waf.port, "/");
    socket.send([0x81, 1, b'a']);
    assert_eq!(socket.closed_with(), Some(1002));
    is_named(&waf, leaf);
}

#[test]
fn header_bombs_are_refused() {
    let leaf = "http2-header-bomb";
    let origin = Origin::start();
    let waf = waf(leaf, "protocol: { http2_max_decoded_header_bytes: 8192 }", &origin);
    let value = "a".repeat(9_000);
    let fields = [&get("/")[..], &[("x-a", value.as_str())]].concat();
    let mut client = Frames::open(waf.port);
    let _ = client.push(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &block(&fields)));
    assert_eq!(client.until(GOAWAY).map(|goaway| goaway.code()), Some(ENHANCE_YOUR_CALM));
    is_named(&waf, leaf);
}

#[test]
fn streams_beyond_the_limit_are_refused() {
    let leaf = "http2-max-streams";
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
    let waf = waf(leaf, "protocol: { http2_max_concurrent_streams: 1 }", &origin);
    let mut client = Frames::open(waf.port);
    for stream in [1, 3] {
        client.request(stream, &get("/"));
    }
    let reset = client.until(RST_STREAM).expect("a reset");
    assert_eq!((reset.stream, reset.code()), (3, REFUSED_STREAM));
    gate.open();
    is_named(&waf, leaf);
}

#[test]
fn slow_heads_are_not_waited_for() {
    let leaf = "request-validation-slow-clients";
    let origin = Origin::start();
    let waf = waf(leaf, "protocol: { slow_request_header_timeout: 1s }", &origin);
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send("GET / HTTP/1.1\r\nHost: shop").expect("sent");
    answered(&connection.response().expect("a response"), 408, "timeout");
    is_named(&waf, leaf);
}

#[test]
fn bodies_without_room_are_refused() {
    let leaf = "resource-limits-max-memory";
    let origin = Origin::start();
    let config = with(leaf, "inspection: { max_memory_buffer: 1KB }", &origin);
    let start = Start::new().environment("TMPDIR", "@FOLDER@/missing").file("data", "no folder");
    let waf = start.run(&config.replace("@FOLDER@/data", "@FOLDER@/other"));
    // A file is in the place of the folder for bodies.
    std::fs::create_dir_all(waf.folder().join("other")).expect("a folder");
    std::fs::write(waf.folder().join("other/spool"), "").expect("a file");
    blocked(&Request::post("/", "text/plain", "x ".repeat(5_000)).to(waf.port), 503);
    is_named(&waf, leaf);
}
