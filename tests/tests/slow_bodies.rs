//! Clients that send a body slowly, and those that only look slow. The window is 5 seconds after a grace of 5, so these
//! tests take that long; they run side by side.

use std::time::{Duration, Instant};

use waf_tests::contract::answered;
use waf_tests::origin::{Answer, Gate, Origin, Step};
use waf_tests::polling;
use waf_tests::raw::{Connection, Response};
use waf_tests::running::{self, with_routes};

const BYTES: usize = 100_000;

/// Sends the head of an upload, then `piece` every `pause` until the service answers or `limit` is over, then the rest.
fn trickle(
    port: u16,
    target: &str,
    content_type: &str,
    piece: usize,
    pause: Duration,
    limit: Duration,
) -> (Response, Duration) {
    let began = Instant::now();
    let mut connection = Connection::open(port).expect("a connection");
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: a\r\nContent-Type: {content_type}\r\nContent-Length: {BYTES}\r\n\r\n"
    );
    connection.send(head).expect("sent");
    let mut sent = 0;
    while began.elapsed() < limit && connection.is_silent() && sent + piece < BYTES {
        if piece > 0 && connection.send(vec![b'a'; piece]).is_err() {
            break;
        }
        sent += piece;
        polling::hold(pause);
    }
    if connection.is_silent() {
        let _ = connection.send(vec![b'a'; BYTES - sent]);
    }
    (connection.response().expect("a response"), began.elapsed())
}

#[test]
fn a_body_has_to_come_at_a_pace() {
    let origin = Origin::start();
    let url = origin.url();
    let routes = format!(
        "  - upstream: {url}\n\
         \x20 - match: {{ paths: [/seen/*] }}\n    upstream: {url}\n    mode: detect_only\n\
         \x20 - match: {{ paths: [/off/*] }}\n    upstream: {url}\n    disable: [request-validation-slow-clients]\n"
    );
    let waf = running::waf(&with_routes(&routes));
    let free = running::waf(&format!(
        "{}global: {{ protocol: {{ slow_request_min_rate_bps: 0 }} }}\n",
        with_routes(&routes)
    ));
    let half = Duration::from_millis(500);
    let long = Duration::from_secs(13);
    let text = "text/plain";
    let (waf, free) = (&waf, &free);
    std::thread::scope(|scope| {
        let one = |port, target, content_type, piece| {
            scope.spawn(move || trickle(port, target, content_type, piece, half, long))
        };
        let slow = [
            one(waf.port, "/slow", text, 1),
            one(waf.port, "/silent", text, 0),
            // Bytes of files and binaries stream; the pace is the same.
            one(waf.port, "/streamed", "application/octet-stream", 200),
        ];
        let fine = [
            one(waf.port, "/steady", text, 700),
            one(waf.port, "/seen/slow", text, 1),
            one(waf.port, "/off/slow", text, 1),
            one(free.port, "/free", text, 1),
        ];
        for client in slow {
            let (response, took) = client.join().expect("a client");
            let id = answered(&response, 408, "timeout");
            assert!(response.closes());
            assert!(took > Duration::from_secs(9) && took < Duration::from_secs(20), "{took:?}");
            let event = waf.event_of(&id);
            assert_eq!(event["disposition_id"], 2, "{event}");
            assert!(
                event["waf"]["matched_protections"].to_string().contains("request-validation-slow-clients")
            );
        }
        for client in fine {
            let (response, _) = client.join().expect("a client");
            assert_eq!(response.status, 200, "{}", response.text());
        }
    });
    let detected = waf.wait_events(4).into_iter().filter(|event| event["disposition_id"] == 15).count();
    assert_eq!(detected, 1, "the route that only looks tells it once");
    assert!(free.events().is_empty());
}

#[test]
fn an_upstream_that_is_slow_makes_no_client_slow() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::early(move |_| {
        let wait = Answer { steps: vec![Step::Wait(closed.clone()), Step::ReadBody] };
        wait.then(Answer::ok("thanks").steps.remove(0))
    });
    let config = with_routes(&format!("  - upstream: {}\n", origin.url()));
    let waf = running::waf(&(config + "global: { accept: { max_body_size: 1GB } }\n"));
    let size = 32 << 20;
    let mut connection = Connection::open(waf.port).expect("a connection");
    let head = format!(
        "POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nContent-Length: {size}\r\n\r\n"
    );
    connection.send(head).expect("sent");
    connection.write_patience(Duration::from_millis(500));
    let chunk = vec![b'a'; 1 << 20];
    let sent = connection.push(&chunk, size).expect("the connection lives");
    assert!(sent < size);
    // Longer than any window: the client would send, were it let.
    polling::hold(Duration::from_secs(11));
    assert!(connection.is_silent(), "the client was refused");
    gate.open();
    connection.write_patience(Duration::from_secs(20));
    assert_eq!(connection.push(&chunk, size - sent).expect("the connection lives"), size - sent);
    assert_eq!(connection.response().expect("a response").text(), "thanks");
}
