//! HTTP/2 clients: requests arrive at an HTTP/1.1 upstream in the words in which they were sent, answers come back, and
//! what HTTP/1.1 could not say is refused.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use nix::sys::signal::Signal;
use tokio::net::TcpStream;
use waf_tests::frames::{
    DATA, END_HEADERS, END_STREAM, Frames, GOAWAY, HEADERS, PROTOCOL_ERROR, RST_STREAM, block, get,
};
use waf_tests::origin::{Answer, Gate, Origin, Step};
use waf_tests::polling;
use waf_tests::raw;
use waf_tests::running::{self, Waf, to_upstream};

const MIB: usize = 1 << 20;

async fn connect(waf: &Waf) -> SendRequest<Full<Bytes>> {
    let socket = TcpStream::connect(("127.0.0.1", waf.port)).await.expect("a connection");
    let (sender, connection) =
        handshake(TokioExecutor::new(), TokioIo::new(socket)).await.expect("HTTP/2 begins");
    tokio::spawn(connection);
    sender
}

fn request(waf: &Waf, method: &str, target: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::builder()
        .method(method)
        .uri(format!("http://127.0.0.1:{}{target}", waf.port))
        .header("content-type", "text/plain")
        .body(Full::new(body.into()))
        .expect("a request")
}

async fn text(response: Response<hyper::body::Incoming>) -> String {
    let body = response.into_body().collect().await.expect("a whole body").to_bytes();
    String::from_utf8_lossy(&body).into_owned()
}

#[tokio::test]
async fn requests_and_answers_pass() {
    let origin = Origin::answering(|request| {
        let body = format!("{} {}", request.method, request.body.escape_ascii());
        Answer::new(
            201,
            &[("Content-Type", "text/plain"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")],
            body,
        )
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut client = connect(&waf).await;
    let response = client.send_request(request(&waf, "POST", "/a%2Fb?x=1", "body")).await.expect("an answer");
    assert_eq!(response.status(), StatusCode::CREATED);
    let cookies: Vec<_> = response.headers().get_all("set-cookie").iter().collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
    assert!(
        response.headers().contains_key("x-request-id") && !response.headers().contains_key("connection")
    );
    assert_eq!(text(response).await, "POST body");
    let received = origin.only();
    assert_eq!((received.target_text().as_str(), received.version.as_str()), ("/a%2Fb?x=1", "HTTP/1.1"));
    assert_eq!(received.field("host"), Some(format!("127.0.0.1:{}", waf.port).as_str()));
    assert_eq!((received.field("content-length"), received.field("transfer-encoding")), (Some("4"), None));
}

#[tokio::test]
async fn bodies_of_unknown_length_and_answers_without_one_pass() {
    let origin = Origin::answering(|request| match request.target_text().as_str() {
        "/chunked" => Answer::chunked(&[("Content-Type", "text/plain")], &["one", "two"]),
        "/none" => Answer::bodiless(204, &[]),
        _ => Answer::echo(request),
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut client = connect(&waf).await;
    let response = client.send_request(request(&waf, "GET", "/chunked", "")).await.expect("an answer");
    assert_eq!(text(response).await, "onetwo");
    let response = client.send_request(request(&waf, "GET", "/none", "")).await.expect("an answer");
    assert_eq!((response.status(), text(response).await), (StatusCode::NO_CONTENT, String::new()));
    let response = client.send_request(request(&waf, "HEAD", "/head", "")).await.expect("an answer");
    assert_eq!((response.status(), text(response).await), (StatusCode::OK, String::new()));

    let mut frames = Frames::open(waf.port);
    let mut fields = get("/echo");
    fields[0].1 = "POST";
    fields.push(("content-type", "text/plain"));
    frames.send(HEADERS, END_HEADERS, 1, &block(&fields)).expect("sent");
    frames.send(DATA, 0, 1, b"first ").expect("sent");
    frames.send(DATA, END_STREAM, 1, b"second").expect("sent");
    assert!(frames.end_of(1).is_some_and(|frame| frame.kind != RST_STREAM));
    let received = origin.requests().into_iter().find(|r| r.method == "POST").expect("it came");
    assert_eq!(
        (received.body.as_slice(), received.field("transfer-encoding")),
        (&b"first second"[..], Some("chunked"))
    );
}

#[test]
fn the_head_is_forwarded_in_its_own_words() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut frames = Frames::open(waf.port);
    let mut fields = get("/a|b?q=\"{x}\"&p=%41");
    fields.extend([
        ("cookie", "a=1"),
        ("x-b", "2"),
        ("cookie", "c=3"),
        ("x-a", "1"),
        ("x-b", "3"),
        ("te", "trailers"),
    ]);
    frames.request(1, &fields);
    assert!(frames.end_of(1).is_some_and(|frame| frame.kind != RST_STREAM));
    let received = origin.only();
    assert_eq!(received.target_text(), "/a|b?q=\\\"{x}\\\"&p=%41");
    let own: Vec<_> = received.fields.iter().filter(|(n, _)| n == "cookie" || n.starts_with("x-")).collect();
    let own: Vec<_> = own.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(own, [("cookie", "a=1; c=3"), ("x-b", "2"), ("x-a", "1"), ("x-b", "3")]);
    assert_eq!((received.field("host"), received.field("te")), (Some("a.example"), Some("trailers")));
}

#[test]
fn interim_responses_reach_the_client() {
    let origin = Origin::answering(|_| {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";
        Answer::raw(format!(
            "HTTP/1.1 100 Continue\r\n\r\n{hints}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        ))
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut frames = Frames::open(waf.port);
    frames.request(1, &get("/"));
    let mut heads = 0;
    let last = std::iter::from_fn(|| frames.next_frame()).filter(|frame| frame.stream == 1).find(|frame| {
        heads += u32::from(frame.kind == HEADERS);
        frame.kind == RST_STREAM || frame.flags & END_STREAM != 0
    });
    let last = last.expect("an answer");
    assert_eq!((heads, last.kind, last.payload.as_slice()), (2, DATA, &b"ok"[..]));
}

#[test]
fn trailers_pass_both_ways() {
    let origin = Origin::answering(|_| {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        Answer::raw(format!("{head}2\r\nok\r\n0\r\nX-Sum: 7\r\n\r\n"))
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut frames = Frames::open(waf.port);
    let mut fields = get("/");
    fields[0].1 = "POST";
    fields.push(("content-type", "text/plain"));
    frames.send(HEADERS, END_HEADERS, 1, &block(&fields)).expect("sent");
    frames.send(DATA, 0, 1, b"hello").expect("sent");
    frames.send(HEADERS, END_HEADERS | END_STREAM, 1, &block(&[("x-check", "5")])).expect("sent");
    let end = frames.end_of(1).expect("an answer");
    assert_eq!((end.kind, origin.only().trailers.as_str()), (HEADERS, "x-check: 5\r\n"));
}

#[test]
fn malformed_heads_are_refused_with_an_event_and_the_connection_goes_on() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("X-Upper", "1")], "http-attacks-request-smuggling"),
        (&[("x-a", "b\r\nX-Inj: 1")], "http-attacks-request-smuggling"),
        (&[("x-a", "b\0")], "http-compliance-null-bytes"),
        (&[("x:a", "b")], "http-attacks-request-smuggling"),
        (&[("transfer-encoding", "chunked")], "http-attacks-request-smuggling"),
        (&[("connection", "x-a")], "http-attacks-request-smuggling"),
        (&[("te", "gzip")], "http-attacks-request-smuggling"),
        (&[("content-length", "5")], "http-compliance-content-length"),
        (&[(":path", "/twice")], "http-compliance-malformed-request-line"),
        (&[("x-a", "1"), (":scheme", "http")], "http-compliance-malformed-request-line"),
        (&[(":status", "200")], "http-compliance-malformed-request-line"),
    ];
    for mode in ["blocking", "detect_only"] {
        let origin = Origin::start();
        let waf = running::waf(&format!("{}global:\n  mode: {mode}\n", to_upstream(&origin.url())));
        let mut frames = Frames::open(waf.port);
        let mut stream = 1;
        for (at, (extra, leaf)) in cases.iter().enumerate() {
            frames.request(stream, &[&get("/")[..], extra].concat());
            let reset = frames.until(RST_STREAM).expect("a reset");
            assert_eq!((reset.stream, reset.code()), (stream, PROTOCOL_ERROR), "{extra:?}");
            let events = waf.wait_events(at + 1);
            let event = &events[at];
            assert_eq!(event["waf"]["matched_protections"][0], *leaf, "{extra:?}");
            assert_eq!((&event["http_response"]["code"], &event["disposition_id"]), (&400.into(), &2.into()));
            stream += 2;
        }
        assert!(origin.requests().is_empty());
        frames.request(stream, &get("/"));
        assert!(frames.end_of(stream).is_some_and(|frame| frame.kind != RST_STREAM));
        assert_eq!(waf.events().len(), cases.len());
    }
}

#[test]
fn hosts_must_agree_and_methods_be_allowed() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut frames = Frames::open(waf.port);
    frames.request(1, &[&get("/")[..], &[("host", "b.example")]].concat());
    frames.request(3, &[(":method", "CONNECT"), (":authority", "a.example:80")]);
    frames.request(5, &get("/?q=<script>alert(1)</script>"));
    let mut ends: Vec<_> = std::iter::from_fn(|| frames.next_frame())
        .filter(|frame| frame.kind == DATA && frame.flags & END_STREAM != 0)
        .take(3)
        .map(|frame| frame.stream)
        .collect();
    ends.sort_unstable();
    assert_eq!((ends, origin.requests().len()), (vec![1, 3, 5], 0));
    let mut found: Vec<_> = waf
        .wait_events(3)
        .iter()
        .map(|event| {
            assert_eq!(event["http_request"]["version"], "HTTP/2");
            (event["http_response"]["code"].as_u64(), event["waf"]["matched_protections"][0].to_string())
        })
        .collect();
    found.sort();
    assert_eq!((found[0].0, found[0].1.as_str()), (Some(400), "\"http-compliance-host-header\""));
    assert_eq!((found[1].0, found[2].0), (Some(403), Some(405)));
    assert!(found[1].1.contains("cross-site-scripting"), "{found:?}");
}

#[test]
fn data_is_as_long_as_declared() {
    for (length, sent) in [("0", "x"), ("5", "hell"), ("5", "hello!")] {
        let origin = Origin::start();
        let waf = running::waf(&to_upstream(&origin.url()));
        let mut frames = Frames::open(waf.port);
        let mut fields = get("/");
        fields[0].1 = "POST";
        fields.extend([("content-type", "text/plain"), ("content-length", length)]);
        frames.send(HEADERS, END_HEADERS, 1, &block(&fields)).expect("sent");
        frames.send(DATA, END_STREAM, 1, sent.as_bytes()).expect("sent");
        let end = frames.end_of(1).expect("an end");
        assert_eq!((end.kind, end.code()), (RST_STREAM, PROTOCOL_ERROR), "{length} {sent}");
        assert_eq!(waf.wait_events(1)[0]["waf"]["matched_protections"][0], "http-compliance-content-length");
        assert!(!origin.requests().iter().any(|request| request.complete), "{length} {sent}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_run_side_by_side() {
    let origin = Origin::answering(|request| match request.target_text().as_str() {
        "/large" => Answer::ok(vec![b'x'; MIB]),
        _ => Answer::ok(request.target_text()),
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let client = connect(&waf).await;
    let mut running = Vec::new();
    for number in 0..200 {
        let mut client = client.clone();
        let (target, blocked) = match number % 4 {
            0 => (format!("/{number}?q=%27%20or%201=1--%20"), true),
            1 => ("/large".to_owned(), false),
            _ => (format!("/{number}"), false),
        };
        let asked = request(&waf, "GET", &target, "");
        running.push(tokio::spawn(async move {
            client.ready().await.expect("room");
            let response = client.send_request(asked).await.expect("an answer");
            let (status, body) = (response.status(), text(response).await);
            match (blocked, target.as_str()) {
                (true, _) => assert_eq!(status, StatusCode::FORBIDDEN, "{target}"),
                (false, "/large") => assert_eq!((status, body.len()), (StatusCode::OK, MIB)),
                (false, _) => assert_eq!((status, body), (StatusCode::OK, target)),
            }
        }));
    }
    for one in running {
        one.await.expect("as it should be");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_upload_and_a_large_download_pass_whole() {
    let origin = Origin::answering(|request| match request.method.as_str() {
        "POST" => Answer::ok(request.body_bytes.to_string()),
        _ => Answer::raw(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 32 * MIB))
            .then(Step::Repeat(vec![b'x'; MIB], 32)),
    });
    let waf =
        running::waf(&format!("{}global:\n  accept: {{max_body_size: 64MB}}\n", to_upstream(&origin.url())));
    let mut client = connect(&waf).await;
    let response = client.send_request(request(&waf, "GET", "/", "")).await.expect("an answer");
    assert_eq!(text(response).await.len(), 32 * MIB);
    let mut upload = request(&waf, "POST", "/", vec![0u8; 32 * MIB]);
    upload.headers_mut().insert("content-type", "application/octet-stream".parse().expect("a value"));
    let response = client.send_request(upload).await.expect("an answer");
    assert_eq!(text(response).await, (32 * MIB).to_string());
}

#[test]
fn a_reset_by_the_client_ends_the_request_to_the_upstream() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::early(move |_| Answer::ok("late").after(&closed));
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut frames = Frames::open(waf.port);
    let mut fields = get("/");
    fields[0].1 = "POST";
    fields.extend([("content-type", "application/octet-stream"), ("content-length", "100")]);
    frames.send(HEADERS, END_HEADERS, 1, &block(&fields)).expect("sent");
    frames.send(DATA, 0, 1, b"part").expect("sent");
    frames.request(3, &get("/"));
    polling::until_true("a connection to the upstream", || origin.connections() >= 1);
    frames.send(RST_STREAM, 0, 1, &8u32.to_be_bytes()).expect("sent");
    gate.open();
    assert!(frames.end_of(3).is_some_and(|frame| frame.kind != RST_STREAM), "the other stream goes on");
    assert!(!origin.requests().iter().any(|request| request.method == "POST" && request.complete));
}

#[test]
fn a_client_that_is_gone_is_not_waited_for() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let waf = running::waf(&to_upstream(&format!("http://127.0.0.1:{port}")));
    let mut frames = Frames::open(waf.port);
    frames.request(1, &get("/"));
    let (mut upstream, _) = listener.accept().expect("a request");
    upstream.set_read_timeout(Some(Duration::from_secs(10))).expect("a socket option");
    let mut bytes = [0; 4096];
    assert!(std::io::Read::read(&mut upstream, &mut bytes).expect("its head") > 0);
    frames.send(RST_STREAM, 0, 1, &8u32.to_be_bytes()).expect("sent");
    assert_eq!(std::io::Read::read(&mut upstream, &mut bytes).expect("its end"), 0);
}

#[test]
fn a_stop_finishes_streams_and_says_goodbye() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
    let mut waf = running::waf(&to_upstream(&origin.url()));
    let mut frames = Frames::open(waf.port);
    frames.request(1, &get("/slow"));
    origin.wait_for(1);
    waf.signal(Signal::SIGTERM);
    let goodbye = frames.until(GOAWAY).expect("GOAWAY");
    assert_eq!(goodbye.code(), 0);
    gate.open();
    assert!(frames.end_of(1).is_some_and(|frame| frame.kind != RST_STREAM));
    drop(frames);
    assert_eq!(waf.wait_exit(Duration::from_secs(20)).code(), Some(0));
}

#[test]
fn the_port_speaks_both_versions() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    assert_eq!(raw::Request::get("/").to(waf.port).status, 200);
    let answer = raw::send(waf.port, "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n").expect("an answer");
    assert_eq!(answer.status, 400);
    assert_eq!(waf.wait_events(1)[0]["waf"]["matched_protections"][0], "http-compliance-http-version");
}
