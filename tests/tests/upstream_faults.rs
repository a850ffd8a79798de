//! Upstreams that are down, slow, broken or gone, and what their clients then see.

use std::time::{Duration, Instant};

use waf_tests::contract::answered;
use waf_tests::origin::{Answer, Authority, Gate, Origin, Received, Step};
use waf_tests::ports;
use waf_tests::raw::{Connection, Fault, Request};
use waf_tests::running::{self, Start, Waf, to_upstream, with_routes};

fn single(config: &str) -> Waf {
    Start::new().argument("--workers").argument("1").run(config)
}

#[test]
fn an_upstream_that_is_down_is_502() {
    let waf = running::waf(&to_upstream(&format!("http://127.0.0.1:{}", ports::free())));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for _ in 0..2 {
        answered(&connection.exchange(&Request::get("/")).expect("a response"), 502, "bad_gateway");
    }
    assert!(waf.events().is_empty(), "upstream errors are no audit events");
}

#[test]
fn an_upstream_that_comes_back_serves_again() {
    let listener = ports::listener();
    let port = listener.local_addr().expect("bound").port();
    drop(listener);
    let waf = running::waf(&to_upstream(&format!("http://127.0.0.1:{port}")));
    answered(&Request::get("/").to(waf.port), 502, "bad_gateway");
    let listener = std::net::TcpListener::bind(("127.0.0.1", port)).expect("still free");
    let server = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = listener.accept().expect("the service connects");
        let read = stream.read(&mut [0; 4096]).expect("a request");
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nback").expect("answered");
        read
    });
    assert_eq!(Request::get("/").to(waf.port).text(), "back");
    assert!(server.join().expect("served") > 0);
}

#[test]
fn a_slow_upstream_is_504_at_the_deadline() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
    let waf =
        running::waf(&with_routes(&format!("  - upstream: {}\n    upstream_timeout: 1s\n", origin.url())));
    let start = Instant::now();
    answered(&Request::get("/").to(waf.port), 504, "gateway_timeout");
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(950) && took < Duration::from_secs(5), "{took:?}");
    gate.open();
}

#[test]
fn an_upstream_that_stops_in_its_body_is_visible() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |request| {
        let head = match request.target_text().as_str() {
            "/length" => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart",
            _ => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n",
        };
        Answer::raw(head).then(Step::Wait(closed.clone())).then(Step::Close)
    });
    let waf =
        running::waf(&with_routes(&format!("  - upstream: {}\n    upstream_timeout: 1s\n", origin.url())));
    for target in ["/length", "/chunked"] {
        let fault = Request::get(target).try_to(waf.port).expect_err("half a response is none");
        assert!(matches!(fault, Fault::Closed(_) | Fault::Receive(..)), "{target}: {fault}");
    }
    gate.open();
}

#[test]
fn a_truncated_response_is_never_completed() {
    let origin = Origin::answering(|request| match request.target_text().as_str() {
        "/length" => Answer::raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart").then(Step::Close),
        "/chunk" => Answer::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n")
            .then(Step::Close),
        "/half" => {
            Answer::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\npart").then(Step::Close)
        }
        _ => Answer::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n")
            .then(Step::Reset),
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    for target in ["/length", "/chunk", "/half", "/reset"] {
        let fault = Request::get(target).try_to(waf.port).expect_err("half a response is none");
        assert!(matches!(fault, Fault::Closed(_) | Fault::Receive(..)), "{target}: {fault}");
    }
}

#[test]
fn what_is_no_http_is_502() {
    let origin = Origin::answering(|request| match request.target_text().as_str() {
        "/ssh" => Answer::raw("SSH-2.0-OpenSSH_9.6\r\n\r\n").then(Step::Close),
        "/half" => Answer::raw("HTTP/1.1 200 OK\r\nContent-Le").then(Step::Close),
        "/both" => {
            Answer::raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        }
        "/two" => Answer::raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"),
        "/name" => Answer::raw("HTTP/1.1 200 OK\r\nBad Name: 1\r\nContent-Length: 0\r\n\r\n"),
        "/reset" => Answer::reset(),
        _ => Answer::close(),
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    for target in ["/ssh", "/half", "/both", "/two", "/name", "/reset", "/close"] {
        let response = Request::get(target).to(waf.port);
        assert_eq!(response.status, 502, "{target}");
        answered(&response, 502, "bad_gateway");
    }
}

/// The origin closes a connection at the moment at which a second request comes over it.
fn closes_reused() -> Origin {
    let seen = std::sync::Mutex::new(std::collections::HashMap::<usize, u32>::new());
    Origin::answering(move |request| {
        let mut seen = seen.lock().expect("nobody panics while holding it");
        let count = seen.entry(request.connection).or_default();
        *count += 1;
        if *count == 1 { Answer::ok("hello") } else { Answer::close() }
    })
}

#[test]
fn a_get_on_a_stale_connection_is_tried_once_more() {
    let origin = closes_reused();
    let waf = single(&to_upstream(&origin.url()));
    assert_eq!(Request::get("/first").to(waf.port).status, 200);
    assert_eq!(Request::get("/second").to(waf.port).status, 200, "the client sees nothing of it");
    let targets: Vec<String> =
        origin.requests().iter().map(waf_tests::origin::Received::target_text).collect();
    assert_eq!(targets, ["/first", "/second", "/second"]);
}

#[test]
fn an_answer_that_began_is_not_asked_for_again() {
    // An interim answer says that the request was read: asking again might act twice.
    let origin = Origin::answering(|request| {
        if request.target_text() == "/first" {
            Answer::ok("hello")
        } else {
            Answer::raw("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n").then(Step::Close)
        }
    });
    let waf = single(&to_upstream(&origin.url()));
    assert_eq!(Request::get("/first").to(waf.port).status, 200);
    answered(&Request::get("/second").to(waf.port), 502, "bad_gateway");
    assert_eq!(origin.requests().len(), 2);
}

#[test]
fn one_retry_and_no_more() {
    let origin = Origin::answering(|request| {
        if request.target_text() == "/first" { Answer::ok("hello") } else { Answer::close() }
    });
    let waf = single(&to_upstream(&origin.url()));
    assert_eq!(Request::get("/first").to(waf.port).status, 200);
    answered(&Request::get("/second").to(waf.port), 502, "bad_gateway");
    assert_eq!(origin.requests().len(), 3);
}

#[test]
fn a_post_is_never_tried_again() {
    let origin = closes_reused();
    let waf = single(&to_upstream(&origin.url()));
    assert_eq!(Request::get("/first").to(waf.port).status, 200);
    answered(&Request::post("/order", "text/plain", "one pair of shoes").to(waf.port), 502, "bad_gateway");
    assert_eq!(origin.requests().iter().filter(|request| request.method == "POST").count(), 1);
    assert_eq!(Request::new("POST", "/order").body("").to(waf.port).status, 200, "a fresh connection");
    answered(&Request::new("POST", "/order").body("").to(waf.port), 502, "bad_gateway");
    assert_eq!(origin.requests().iter().filter(|request| request.method == "POST").count(), 3);
}

#[test]
fn idle_upstream_connections_that_closed_are_not_used() {
    let origin = Origin::start();
    let waf = single(&to_upstream(&origin.url()));
    for number in 0..5 {
        let order = Request::post("/order", "text/plain", format!("order {number}"));
        assert_eq!(order.to(waf.port).status, 200);
        origin.drop_connections();
        // The close has to arrive before the next request leaves; what is under test is that it is noticed.
        waf_tests::polling::hold(Duration::from_millis(30));
    }
    assert_eq!(origin.requests().len(), 5);
}

#[test]
fn an_early_answer_reaches_a_client_that_still_uploads() {
    let origin = Origin::early(|_| {
        Answer::new(413, &[("Connection", "close"), ("X-Early", "1")], "too much").then(Step::Close)
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    let head = "POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nContent-Length: 8000000\r\n\r\n";
    connection.send(head).expect("sent");
    connection.send(vec![b'a'; 512 << 10]).expect("sent");
    let response = connection.response().expect("the upstream's answer");
    assert_eq!(
        (response.status, response.field("X-Early"), response.text().as_str()),
        (413, Some("1"), "too much")
    );
    assert_eq!(
        response.field("Connection"),
        Some("close"),
        "the client learns that its upload is not read on"
    );
    // The rest of the upload must not be read as a request.
    let _ = connection.send("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
    let rest = connection.rest().unwrap_or_default();
    assert!(rest.is_empty(), "a second answer: {}", rest.escape_ascii());
}

/// A server without TLS, which says so to whoever opens with it, as servers do.
fn speaks_plain_http() -> u16 {
    use std::io::{Read as _, Write as _};
    let listener = ports::listener();
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let read = stream.read(&mut [0; 4096]);
            let answer = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
            if read.is_ok() && stream.write_all(answer).is_err() {
                return;
            }
        }
    });
    port
}

#[test]
fn https_upstreams_are_verified() {
    let known = Authority::new("localhost");
    let other = Authority::new("other.example");
    let stranger = Authority::new("localhost");
    let good = Origin::tls(&known, Answer::echo);
    let misnamed = Origin::tls(&other, Answer::echo);
    let untrusted = Origin::tls(&stranger, Answer::echo);
    let plain = speaks_plain_http();
    let config = with_routes(&format!(
        "  - match: {{ paths: [/good/*] }}\n    upstream: https://localhost:{}\n\
         \x20 - match: {{ paths: [/misnamed/*] }}\n    upstream: https://localhost:{}\n\
         \x20 - match: {{ paths: [/untrusted/*] }}\n    upstream: https://localhost:{}\n\
         \x20 - match: {{ paths: [/plain/*] }}\n    upstream: https://localhost:{}\n",
        good.port(),
        misnamed.port(),
        untrusted.port(),
        plain
    ));
    let waf = Start::new()
        .file("roots.pem", &format!("{}{}", known.root_pem, other.root_pem))
        .environment("SSL_CERT_FILE", "@FOLDER@/roots.pem")
        .run(&config);
    for _ in 0..2 {
        let response = Request::post("/good/x", "text/plain", "over TLS").to(waf.port);
        assert_eq!((response.status, response.text().as_str()), (200, "POST /good/x\nover TLS"));
    }
    let reason = "its certificate is not trusted: invalid peer certificate";
    for (target, port, reason) in [
        ("/misnamed/x", misnamed.port(), reason),
        ("/untrusted/x", untrusted.port(), reason),
        ("/plain/x", plain, "the TLS handshake failed"),
    ] {
        let id = answered(&Request::get(target).to(waf.port), 502, "bad_gateway");
        waf.wait_log(&["the upstream failed", &id, &format!("https://localhost:{port}"), reason]);
    }
    assert!(misnamed.requests().is_empty() && untrusted.requests().is_empty());
}

/// An answer that belongs to no request.
const STRAY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray";

/// Answers `/first` with `head`, then `behind` once the gate is open; and everything else as it should.
fn sends_behind(
    head: &'static str,
    behind: &'static [u8],
    gate: &Gate,
) -> impl Fn(&Received) -> Answer + use<> {
    let closed = gate.clone();
    move |request: &Received| match request.target_text().as_str() {
        "/first" => Answer::raw(head).then(Step::Wait(closed.clone())).then(Step::Bytes(behind.to_vec())),
        _ => Answer::ok("right"),
    }
}

#[test]
fn a_body_that_no_answer_has_never_answers_another_request() {
    for (method, head) in [
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 59\r\n\r\n"),
        ("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        ("HEAD", "HTTP/1.1 404 Not Found\r\nContent-Length: 59\r\n\r\n"),
        ("HEAD", "HTTP/1.1 200 OK\r\n\r\n"),
        ("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 59\r\n\r\n"),
        ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 59\r\n\r\n"),
        ("GET", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ] {
        let gate = Gate::new();
        let origin = Origin::answering(sends_behind(head, STRAY, &gate));
        let waf = single(&to_upstream(&origin.url()));
        let mut connection = Connection::open(waf.port).expect("a connection");
        connection.send(Request::new(method, "/first").bytes()).expect("sent");
        connection.response_to(method).expect("a response");
        // The stray bytes come when the next request has been sent.
        let mut other = Connection::open(waf.port).expect("a connection");
        other.send(Request::get("/second").bytes()).expect("sent");
        gate.open();
        let response = other.response().expect("a response");
        assert_eq!((response.status, response.text().as_str()), (200, "right"), "{method} {head:?}");
    }
}

#[test]
fn bytes_behind_an_answer_never_answer_another_request() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    let length = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    for (head, behind) in [
        (length, STRAY),
        (length, b"\r\n"),
        (length, b"x"),
        (chunked, STRAY),
        (chunked, b"\r\n"),
        ("HTTP/1.1 204 No Content\r\n\r\n", STRAY),
        ("HTTP/1.1 304 Not Modified\r\n\r\n", STRAY),
    ] {
        for is_tls in [false, true] {
            let gate = Gate::new();
            let authority = Authority::new("127.0.0.1");
            let answer = sends_behind(head, behind, &gate);
            let origin = if is_tls { Origin::tls(&authority, answer) } else { Origin::answering(answer) };
            let waf = Start::new()
                .argument("--workers")
                .argument("1")
                .file("roots.pem", &authority.root_pem)
                .environment("SSL_CERT_FILE", "@FOLDER@/roots.pem")
                .run(&to_upstream(&origin.url()));
            assert!(Request::get("/first").to(waf.port).status < 400);
            gate.open();
            // Until they have come; what is under test is that they are noticed.
            waf_tests::polling::hold(Duration::from_millis(30));
            let response = Request::get("/second").to(waf.port);
            assert_eq!((response.status, response.text().as_str()), (200, "right"), "{head:?} {is_tls}");
            assert_eq!(origin.connections(), 2, "the first connection is not used again");
        }
    }
}

#[test]
fn connections_whose_answers_end_where_they_say_are_used_again() {
    for is_tls in [false, true] {
        let authority = Authority::new("127.0.0.1");
        let answer = |request: &Received| match request.target_text().as_str() {
            "/204" => Answer::bodiless(204, &[]),
            "/304" => Answer::bodiless(304, &[("ETag", "\"1\"")]),
            "/empty" => Answer::new(200, &[], ""),
            "/chunked" => Answer::chunked(&[], &["one", "two"]),
            _ => Answer::ok("hello"),
        };
        let origin = if is_tls { Origin::tls(&authority, answer) } else { Origin::answering(answer) };
        let waf = Start::new()
            .argument("--workers")
            .argument("1")
            .file("roots.pem", &authority.root_pem)
            .environment("SSL_CERT_FILE", "@FOLDER@/roots.pem")
            .run(&to_upstream(&origin.url()));
        // On one connection: the next request is read when the answer before it is over on both sides.
        let mut client = Connection::open(waf.port).expect("a connection");
        for path in ["/", "/204", "/304", "/empty", "/chunked", "/", "/"] {
            assert!(client.exchange(&Request::get(path)).expect("a response").status < 400, "{path}");
        }
        assert_eq!(client.exchange(&Request::new("HEAD", "/empty")).expect("a response").status, 200);
        assert_eq!(client.exchange(&Request::get("/")).expect("a response").status, 200);
        assert_eq!(origin.connections(), 1, "TLS: {is_tls}");
    }
}
