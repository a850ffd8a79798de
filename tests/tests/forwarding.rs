//! Messages between client and upstream: fields, bodies and framing, in both directions.

use waf_tests::contract::{blocked, encode};
use waf_tests::origin::{Answer, Origin, Received};
use waf_tests::raw::{self, Connection, Ending, Request};
use waf_tests::running::{self, Start, Waf, to_upstream};

/// One worker, so that one pool of upstream connections serves.
fn single(config: &str) -> Waf {
    Start::new().argument("--workers").argument("1").run(config)
}

#[test]
fn request_fields_keep_order_case_and_repetition() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let sent = [
        ("X-b", "1"),
        ("COOKIE", "a=1"),
        ("x-A", "two words, and a comma"),
        ("X-b", "2"),
        ("cookie", "b=2"),
        ("Accept-ENCODING", "gzip, br"),
        ("X-Empty", ""),
        ("X-Latin", "caf\u{e9}"),
        ("If-None-Match", "\"x\""),
        ("authorization", "Bearer abc.def"),
    ];
    let request = sent.iter().fold(Request::get("/"), |request, (name, value)| request.field(name, value));
    assert_eq!(request.to(waf.port).status, 200, "{:?}", waf.events());
    let received = origin.only();
    let own: Vec<(&str, &str)> = received
        .fields
        .iter()
        .filter(|(name, _)| sent.iter().any(|(known, _)| name == known))
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(own, sent);
}

#[test]
fn hop_by_hop_fields_end_here() {
    let origin = Origin::answering(|_| {
        let own = [
            ("Connection", "keep-alive, X-Between"),
            ("Keep-Alive", "timeout=5"),
            ("Proxy-Connection", "keep-alive"),
            ("X-Between", "1"),
            ("X-End", "1"),
        ];
        Answer::new(200, &own, "ok")
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let request = Request::get("/")
        .field("Connection", "keep-alive, X-Hop")
        .field("X-Hop", "1")
        .field("Keep-Alive", "timeout=5")
        .field("Proxy-Connection", "keep-alive")
        .field("Proxy-Authorization", "Basic YTpi")
        .field("TE", "trailers")
        .field("Upgrade", "h2c")
        .field("X-End", "1");
    let response = request.to(waf.port);
    assert_eq!(response.status, 200, "{:?}", waf.events());
    let received = origin.only();
    for name in ["X-Hop", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Upgrade"] {
        assert_eq!(received.field(name), None, "{name} was forwarded");
    }
    assert_eq!((received.field("TE"), received.field("Connection")), (Some("trailers"), Some("TE")));
    assert_eq!(received.field("X-End"), Some("1"));
    for name in ["X-Between", "Keep-Alive", "Proxy-Connection"] {
        assert_eq!(response.field(name), None, "{name} came back");
    }
    assert_eq!(response.field("X-End"), Some("1"));
}

#[test]
fn responses_without_a_body_have_none() {
    let origin =
        Origin::answering(|request| match (request.method.as_str(), request.target_text().as_str()) {
            ("HEAD", _) => Answer::bodiless(200, &[("Content-Length", "1234"), ("X-Kind", "head")]),
            (_, "/204") => Answer::bodiless(204, &[("X-Kind", "none")]),
            (_, "/304") => Answer::bodiless(304, &[("ETag", "\"x\""), ("Content-Length", "1234")]),
            _ => Answer::ok("body"),
        });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    let head = connection.exchange(&Request::new("HEAD", "/")).expect("a response");
    assert_eq!(
        (head.status, head.field("Content-Length"), head.field("X-Kind")),
        (200, Some("1234"), Some("head"))
    );
    let none = connection.exchange(&Request::get("/204")).expect("a response");
    assert_eq!(none.status, 204);
    assert_eq!(
        (none.field("Content-Length"), none.field("Transfer-Encoding")),
        (None, None),
        "RFC 9110 section 8.6"
    );
    let unchanged = connection.exchange(&Request::get("/304")).expect("a response");
    assert_eq!((unchanged.status, unchanged.field("ETag")), (304, Some("\"x\"")));
    let last = connection.exchange(&Request::get("/")).expect("the connection is still in step");
    assert_eq!(last.text(), "body");
}

#[test]
fn chunked_bodies_pass_both_ways() {
    let origin = Origin::answering(|request| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        Answer::chunked(&[("Content-Type", "text/plain")], &["got ", &body, "!"])
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for _ in 0..2 {
        let request = "POST /up HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n\
                       5\r\nhello\r\n006;ext=1\r\n world\r\n0\r\n\r\n";
        connection.send(request).expect("sent");
        let response = connection.response().expect("a response");
        assert_eq!((response.text().as_str(), response.ending), ("got hello world!", Ending::Chunked));
        let received = origin.only();
        assert_eq!((received.body.as_slice(), received.complete), (&b"hello world"[..], true));
        assert_eq!(received.field("Transfer-Encoding"), Some("chunked"));
        assert_eq!(received.field("Content-Length"), None);
    }
}

#[test]
fn trailers_pass_both_ways() {
    let origin = Origin::answering(|_| {
        Answer::raw(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 7\r\n\r\n",
        )
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nTE: trailers\r\nTrailer: X-End\r\n\r\n\
                   5\r\nhello\r\n0\r\nX-End: here\r\n\r\n";
    connection.send(request).expect("sent");
    let response = connection.response().expect("a response");
    assert_eq!((response.text().as_str(), response.trailers.as_str()), ("ok", "X-Sum: 7\r\n"));
    assert_eq!(origin.only().trailers, "X-End: here\r\n");
}

#[test]
fn a_body_of_known_length_keeps_it() {
    let origin = Origin::answering(Answer::echo);
    let waf = running::waf(&to_upstream(&origin.url()));
    let body: Vec<u8> = (0..=255u8).cycle().take(300_000).collect();
    let response = Request::post("/up", "application/octet-stream", &body).to(waf.port);
    assert_eq!(response.status, 200, "{:?}", waf.events());
    assert!(response.body.ends_with(&body), "the body came back changed");
    let received = origin.only();
    assert_eq!(received.all("Content-Length").collect::<Vec<_>>(), ["300000"]);
    assert_eq!(received.field("Transfer-Encoding"), None);
    // An empty body is announced as one.
    assert_eq!(Request::new("POST", "/up").body("").to(waf.port).status, 200);
    assert_eq!(origin.only().all("Content-Length").collect::<Vec<_>>(), ["0"]);
}

#[test]
fn a_client_that_asks_for_100_gets_it_before_it_sends() {
    let origin = Origin::answering(Answer::echo);
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection
        .send("PUT /up HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        .expect("sent");
    assert_eq!(connection.head().expect("an interim response").status, 100);
    connection.send("hello").expect("sent");
    let response = connection.response().expect("a response");
    assert_eq!((response.status, response.text().as_str()), (200, "PUT /up\nhello"));
}

#[test]
fn a_refused_client_is_not_asked_for_its_body() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    let target = format!("/up?q={}", encode("<script>alert(1)</script>"));
    connection
        .send(format!("PUT {target} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"))
        .expect("sent");
    let response = connection.response().expect("a response");
    assert!(response.interim.is_empty(), "{response:?}");
    blocked(&response, 403);
    assert!(response.closes() && connection.is_closed());
    assert!(origin.requests().is_empty());
}

#[test]
fn connections_are_kept_and_pipelines_answered_in_order() {
    let origin = Origin::answering(Answer::echo);
    let waf = single(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for number in 0..50 {
        let response = connection.exchange(&Request::get(format!("/{number}"))).expect("a response");
        assert_eq!(response.text(), format!("GET /{number}\n"));
        assert!(!response.closes());
    }
    assert_eq!(origin.connections(), 1, "the upstream connection is kept too");
    let mut pipeline = Vec::new();
    for number in 0..10 {
        pipeline.extend(Request::post(format!("/{number}"), "text/plain", format!("body {number}")).bytes());
    }
    connection.send(pipeline).expect("sent");
    for number in 0..10 {
        let response = connection.response().expect("a response");
        assert_eq!(response.text(), format!("POST /{number}\nbody {number}"));
    }
}

#[test]
fn a_block_does_not_end_a_connection_that_is_in_step() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for _ in 0..3 {
        let attack = Request::get(format!("/?q={}", encode("<script>alert(1)</script>")));
        blocked(&connection.exchange(&attack).expect("a response"), 403);
        assert_eq!(connection.exchange(&Request::get("/")).expect("a response").text(), "hello");
    }
}

#[test]
fn connection_close_is_heeded() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    let response = connection.exchange(&Request::get("/").field("Connection", "close")).expect("a response");
    assert_eq!((response.text().as_str(), response.closes()), ("hello", true));
    assert!(connection.is_closed());
}

#[test]
fn http_1_0_clients_are_served_in_their_way() {
    let origin = Origin::answering(|_| Answer::chunked(&[], &["hel", "lo"]));
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n").expect("sent");
    let response = connection.response().expect("a response");
    assert_eq!((response.status, response.text().as_str()), (200, "hello"));
    assert_eq!(response.field("Transfer-Encoding"), None, "HTTP/1.0 knows no chunks");
    assert!(connection.is_closed());
    assert_eq!(origin.only().version, "HTTP/1.1");
}

#[test]
fn http_1_0_keep_alive() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for _ in 0..2 {
        connection.send("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n").expect("sent");
        let response = connection.response().expect("a response");
        assert_eq!((response.text().as_str(), response.ending), ("hello", Ending::Length));
        assert!(
            response.all("Connection").any(|value| value.eq_ignore_ascii_case("keep-alive")),
            "{response:?}"
        );
    }
}

#[test]
fn a_response_that_ends_with_its_connection_is_whole() {
    let origin = Origin::answering(|_| {
        Answer::raw("HTTP/1.1 200 OK\r\n\r\nuntil the end").then(waf_tests::origin::Step::Close)
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    for _ in 0..2 {
        assert_eq!(Request::get("/").to(waf.port).text(), "until the end");
    }
}

#[test]
fn ranges_and_encodings_pass_unchanged() {
    let zipped: &[u8] = &[0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 0, 255];
    let origin = Origin::answering(move |request: &Received| match request.field("Range") {
        Some("bytes=2-4") => {
            Answer::new(206, &[("Content-Range", "bytes 2-4/10"), ("Accept-Ranges", "bytes")], "cde")
        }
        _ => Answer::new(200, &[("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")], zipped),
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let part = Request::get("/file").field("Range", "bytes=2-4").to(waf.port);
    assert_eq!(
        (part.status, part.field("Content-Range"), part.text().as_str()),
        (206, Some("bytes 2-4/10"), "cde")
    );
    let whole = Request::get("/file").field("Accept-Encoding", "gzip").to(waf.port);
    assert_eq!((whole.field("Content-Encoding"), whole.body.as_slice()), (Some("gzip"), zipped));
    assert_eq!(whole.field("Vary"), Some("Accept-Encoding"));
}

#[test]
fn interim_responses_do_not_confuse() {
    let origin = Origin::answering(|_| {
        Answer::raw(
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        )
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for _ in 0..2 {
        let response = connection.exchange(&Request::get("/")).expect("a response");
        assert_eq!((response.status, response.text().as_str()), (200, "ok"));
        assert_eq!(response.interim, [103]);
    }
    connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").expect("sent");
    let hints = connection.head().expect("an interim response");
    assert_eq!((hints.status, hints.field("Link"), hints.fields.len()), (103, Some("</a.css>"), 1));
    assert_eq!(connection.response().expect("a response").text(), "ok");
    let old = raw::send(waf.port, "GET / HTTP/1.0\r\nHost: a\r\n\r\n").expect("a response");
    assert_eq!((old.status, old.interim.len()), (200, 0), "HTTP/1.0 knows no interim responses");
}

#[test]
fn what_browsers_send_instead_of_grpc_goes_over_http1() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for content_type in ["application/grpc-web", "application/grpc-web+proto", "application/grpc-web-text"] {
        let call = Request::post("/shop.Orders/List", content_type, "\0\0\0\0\0");
        assert_eq!(call.to(waf.port).status, 200, "{content_type}");
        assert_eq!(origin.only().field("Content-Type"), Some(content_type));
    }
}

#[test]
fn trailers_go_to_clients_that_take_them() {
    let origin = Origin::answering(|_| {
        Answer::raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 7\r\n\r\n")
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let plain = Request::get("/").to(waf.port);
    assert_eq!((plain.text().as_str(), plain.trailers.as_str()), ("ok", ""));
    assert_eq!(origin.only().field("TE"), None);
    let taking = Request::get("/").field("TE", "deflate, trailers").to(waf.port);
    assert_eq!((taking.text().as_str(), taking.trailers.as_str()), ("ok", "X-Sum: 7\r\n"));
    assert_eq!(origin.only().field("TE"), Some("trailers"));
}

#[test]
fn nothing_is_read_past_a_refused_message() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    // The body of a refused request must never be taken for the next one.
    let inner = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
    let target = format!("/?q={}", encode("<script>alert(1)</script>"));
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection
        .send(format!(
            "POST {target} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{inner}",
            inner.len()
        ))
        .expect("sent");
    blocked(&connection.response().expect("a response"), 403);
    assert!(connection.is_closed(), "a second answer");
    assert!(origin.requests().is_empty());
    assert_eq!(raw::send(waf.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").expect("a response").text(), "hello");
}
