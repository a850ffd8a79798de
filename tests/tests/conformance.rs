//! Transparency, by rows: what a client sends is what the upstream receives, and what the upstream answers is what the
//! client receives. Every row runs with default protections; the request's own bytes are compared, not a reading of them.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use waf_tests::origin::{Answer, Gate, Origin, Received, Step};
use waf_tests::polling;
use waf_tests::raw::{Connection, Ending, Request};
use waf_tests::running::{self, Waf, to_upstream};

/// Framing of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framed {
    Absent,
    Length,
    Chunked,
}

/// Answers with the status and the framing that the request's fields ask for, telling the body back.
fn answer(request: &Received) -> Answer {
    let status: u16 = request.field("X-Status").and_then(|text| text.parse().ok()).unwrap_or(200);
    let fields = [("Content-Type", "text/plain"), ("X-Kept", "as  it , was; \"so\"")];
    let body = String::from_utf8_lossy(&request.body).into_owned();
    if matches!(status, 204 | 304) || request.method == "HEAD" {
        return Answer::bodiless(status, &fields);
    }
    match request.field("X-Framing") {
        Some("chunked") => {
            let middle = (0..=body.len() / 2).rev().find(|at| body.is_char_boundary(*at)).unwrap_or(0);
            let parts: Vec<&str> =
                [&body[..middle], &body[middle..]].into_iter().filter(|part| !part.is_empty()).collect();
            Answer::chunked(&fields, &parts)
        }
        Some("close") => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Kept: as  it , was; \"so\"\r\n\r\n";
            Answer::raw(format!("{head}{body}")).then(Step::Close)
        }
        _ => Answer::new(status, &fields, body),
    }
}

fn send(
    connection: &mut Connection,
    waf: &Waf,
    request: &Request,
    method: &str,
    what: &str,
) -> waf_tests::raw::Response {
    connection.send(request.bytes()).expect("sent");
    let response = connection.response_to(method);
    response.unwrap_or_else(|fault| panic!("{what}: {fault} {:?}", waf.events()))
}

/// A request with `body` as it is framed.
fn framed(method: &str, target: &str, body: &str, how: Framed) -> (Request, Vec<u8>) {
    let request = Request::new(method, target);
    match how {
        Framed::Absent => (request, Vec::new()),
        Framed::Length => (request.field("Content-Type", "text/plain").body(body), Vec::new()),
        Framed::Chunked => {
            let mut text = String::new();
            for piece in body.as_bytes().chunks(700) {
                write!(text, "{:x}\r\n{}\r\n", piece.len(), String::from_utf8_lossy(piece)).expect("text");
            }
            text.push_str("0\r\n\r\n");
            let request = request.field("Content-Type", "text/plain").field("Transfer-Encoding", "chunked");
            (request, text.into_bytes())
        }
    }
}

#[test]
fn methods_bodies_and_framings() {
    let origin = Origin::answering(answer);
    let waf = running::waf(&to_upstream(&origin.url()));
    let long = "a line of the body\n".repeat(2000);
    let mut rows = 0;
    for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        let bodies = match method {
            "POST" | "PUT" | "PATCH" => {
                vec![
                    ("", Framed::Length),
                    ("short", Framed::Length),
                    ("short", Framed::Chunked),
                    (long.as_str(), Framed::Length),
                    (long.as_str(), Framed::Chunked),
                ]
            }
            _ => vec![("", Framed::Absent)],
        };
        for (body, how) in bodies {
            for back in ["length", "chunked", "close"] {
                rows += 1;
                let what = format!("{method} {how:?} of {} bytes, answered by {back}", body.len());
                let mut connection = Connection::open(waf.port).expect("a connection");
                let (request, chunks) = framed(method, "/row", body, how);
                let request = request.field("X-Framing", back);
                connection.send(request.bytes()).expect("sent");
                connection.send(chunks).expect("sent");
                let response = connection.response_to(method);
                let response = response.unwrap_or_else(|fault| panic!("{what}: {fault} {:?}", waf.events()));
                let received = origin.only();
                assert_eq!((response.status, received.method.as_str()), (200, method), "{what}");
                assert!(received.body == body.as_bytes(), "{what}: the body changed on its way up");
                let framing = (received.field("Content-Length"), received.field("Transfer-Encoding"));
                match how {
                    Framed::Absent => assert_eq!(framing, (None, None), "{what}"),
                    Framed::Length => {
                        assert_eq!(framing, (Some(body.len().to_string().as_str()), None), "{what}");
                    }
                    Framed::Chunked => assert_eq!(framing, (None, Some("chunked")), "{what}"),
                }
                assert_eq!(response.field("X-Kept"), Some("as  it , was; \"so\""), "{what}");
                if method != "HEAD" {
                    assert!(response.body == body.as_bytes(), "{what}: the body changed on its way back");
                    let ending = if back == "length" { Ending::Length } else { Ending::Chunked };
                    assert_eq!(response.ending, ending, "{what}");
                }
            }
        }
    }
    assert!(rows >= 57, "{rows} rows");
}

#[test]
fn statuses_pass() {
    let origin = Origin::answering(answer);
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for status in [
        200, 201, 202, 203, 204, 205, 206, 207, 226, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403,
        404, 405, 406, 409, 410, 412, 416, 418, 422, 425, 428, 429, 451, 499, 503, 504, 599,
    ] {
        let request = Request::get("/status").field("X-Status", &status.to_string());
        let response = send(&mut connection, &waf, &request, "GET", &status.to_string());
        assert_eq!(response.status, status);
        assert_eq!(response.reason, format!("Status {status}"), "the upstream's own words");
        origin.only();
    }
}

#[test]
fn the_bytes_of_targets_pass() {
    let origin = Origin::answering(answer);
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for target in [
        "/",
        "/a",
        "/a/",
        "/a//b",
        "/%61",
        "/%7Euser",
        "/~user",
        "/a%20b",
        "/caf%C3%A9",
        "/a;v=1",
        "/a,b",
        "/a:b",
        "/a@b",
        "/(a)",
        "/a'b",
        "/a!b",
        "/a*b",
        "/a$b",
        "/a+b",
        "/a=b",
        "/a&b",
        "/%E6%97%A5%E6%9C%AC",
        "/?",
        "/?a",
        "/?a=",
        "/?=b",
        "/?a=1&a=2",
        "/?a=1&&b=2",
        "/?a=b=c",
        "/?a=%20+%2B",
        "/?q=caf%C3%A9",
        "/?a[]=1",
        "/?a?b",
        "/?a=/b/c",
        "/?t=12:30",
        "/index.html?x=1;y=2",
        "/v1.2/items/7",
    ] {
        let response = send(&mut connection, &waf, &Request::get(target), "GET", target);
        assert_eq!(response.status, 200, "{target}: {:?}", waf.events());
        assert_eq!(origin.only().target_text(), target.escape_default().to_string(), "{target}");
    }
}

#[test]
fn values_of_fields_pass() {
    let origin = Origin::answering(answer);
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for (name, value) in [
        ("Accept", "text/html;q=0.8, */*;q=0.1"),
        ("Accept-Language", "de-CH, de;q=0.9"),
        ("Accept-Encoding", "gzip, br, zstd"),
        ("Authorization", "Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln"),
        ("Cookie", "a=1; b=two; c=\"3\""),
        ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("If-Match", "\"x\", W/\"y\""),
        ("Range", "bytes=0-99"),
        ("Cache-Control", "max-age=0, no-cache"),
        ("Referer", "http://shop.example/a?b=c"),
        ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
        ("X-Empty", ""),
        ("x-lower", "a"),
        ("X-UPPER", "A"),
        ("X-Tab", "a\tb"),
        ("X-Latin", "caf\u{e9}"),
        ("X-Long", "0123456789012345678901234567890123456789012345678901234567890123456789"),
        ("X_Underscore", "1"),
        ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        ("Prefer", "return=minimal; wait=10"),
    ] {
        let response = send(&mut connection, &waf, &Request::get("/").field(name, value), "GET", name);
        assert_eq!(response.status, 200, "{name}: {:?}", waf.events());
        let received = origin.only();
        assert!(
            received.fields.iter().any(|(n, v)| (n.as_str(), v.as_str()) == (name, value)),
            "{received:?}"
        );
    }
}

/// Bytes of the large download.
const LARGE: usize = 100 << 20;

#[test]
fn a_large_chunked_download_is_whole() {
    let piece = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
    let origin = Origin::answering(move |_| {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        Answer::raw(head)
            .then(Step::Repeat(piece.clone(), LARGE / 0x10000))
            .then(Step::Bytes(b"0\r\n\r\n".to_vec()))
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let response = Request::get("/large").to(waf.port);
    assert_eq!((response.status, response.body.len(), response.ending), (200, LARGE, Ending::Chunked));
    assert!(response.body.iter().all(|byte| *byte == b'x'));
}

/// Events of the stream, and the pace at which its upstream sends them.
const EVENTS: usize = 5;
const PACE: Duration = Duration::from_secs(1);

/// Time that a reader may wait for an event that was sent.
const EVENT_TIME_MAX: Duration = Duration::from_millis(100);

#[test]
fn events_of_a_stream_arrive_as_they_are_sent() {
    let slowest = slowest_event();
    assert!(slowest < EVENT_TIME_MAX, "an event took {slowest:?}");
}

/// Sends one event a second through the service, each checked, and returns the longest time from sending to reading.
fn slowest_event() -> Duration {
    let gates: Vec<Gate> = (0..EVENTS).map(|_| Gate::new()).collect();
    let opened = gates.clone();
    let origin = Origin::answering(move |_| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        let stream = gates.iter().enumerate().fold(Answer::raw(head), |answer, (number, gate)| {
            let event = format!("data: {number}\n\n");
            let chunk = format!("{:x}\r\n{event}\r\n", event.len());
            answer.then(Step::Wait(gate.clone())).then(Step::Bytes(chunk.into_bytes()))
        });
        stream.then(Step::Bytes(b"0\r\n\r\n".to_vec()))
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send(Request::get("/events").bytes()).expect("sent");
    origin.wait_for(1);
    let mut slowest = Duration::ZERO;
    for (number, gate) in opened.iter().enumerate() {
        polling::hold(PACE);
        let sent = Instant::now();
        gate.open();
        if number == 0 {
            assert_eq!(connection.head().expect("a head").status, 200);
        }
        let mut text = Vec::new();
        while !text.ends_with(b"\n\n\r\n") {
            text.extend(connection.take(1).expect("a byte"));
        }
        slowest = slowest.max(sent.elapsed());
        assert!(String::from_utf8_lossy(&text).contains(&format!("data: {number}\n\n")));
    }
    assert!(waf.events().is_empty(), "{:?}", waf.events());
    slowest
}
