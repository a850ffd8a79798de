//! The share of an upstream that one client may take, and requests whose client has left.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use waf_tests::contract::encode;
use waf_tests::frames::Frames;
use waf_tests::origin::{Answer, Gate, Origin, Received, Step};
use waf_tests::polling;
use waf_tests::ports;
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{Start, Waf, with_routes};

/// One percent of 1,024 connections.
const SHARE: usize = 10;

/// One worker, whose clients are named by `X-Forwarded-For` and may take one percent each.
fn shared(origin: &Origin) -> Waf {
    let routes = format!("  - upstream: {}\n    upstream_timeout: 60s\n", origin.url());
    let start = Start::new().argument("--workers").argument("1").argument("--client-share").argument("1");
    start.argument("--trusted-proxies").argument("127.0.0.1").run(&with_routes(&routes))
}

/// Answers `/held` when the gate opens, switches protocols where that is asked for, and greets everybody else.
fn origin(gate: &Gate) -> Origin {
    let closed = gate.clone();
    Origin::answering(move |request: &Received| {
        if request.field("Upgrade").is_some() {
            let fields = [("Connection", "Upgrade"), ("Upgrade", "lines")];
            Answer::bodiless(101, &fields).then(Step::Echo)
        } else if request.target_text() == "/held" {
            Answer::ok("late").after(&closed)
        } else {
            Answer::ok("hello")
        }
    })
}

fn of(client: &str, request: Request) -> Request {
    request.field("X-Forwarded-For", client)
}

fn send(waf: &Waf, request: &Request) -> Connection {
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send(request.bytes()).expect("sent");
    connection
}

fn tunnel(waf: &Waf, client: &str) -> (Connection, u16) {
    let request = Request::get("/live").field("Connection", "Upgrade").field("Upgrade", "lines");
    let mut connection = send(waf, &of(client, request));
    let status = connection.head().expect("a head").status;
    (connection, status)
}

#[test]
fn a_client_takes_its_share_of_an_upstream_and_gets_it_back() {
    let gate = Gate::new();
    let origin = origin(&gate);
    let waf = shared(&origin);
    for (what, own, other) in [
        ("one address", vec!["192.0.2.1"], "192.0.2.2"),
        ("an address in both spellings", vec!["192.0.2.3", "::ffff:192.0.2.3"], "::ffff:192.0.2.4"),
        ("addresses of one network", vec!["2001:db8:0:1::1", "2001:db8:0:1:ffff::9"], "2001:db8:0:2::1"),
        ("behind another proxy", vec!["192.0.2.9, 192.0.2.5", "192.0.2.5"], "192.0.2.9"),
        ("the proxy itself", vec![""], "192.0.2.6"),
    ] {
        let clients = || own.iter().cycle();
        let held = |client: &&str| send(&waf, &of(client, Request::get("/held")));
        let open: Vec<Connection> = clients().take(SHARE).map(held).collect();
        origin.wait_for(SHARE);
        let mut waiting: Vec<Connection> =
            clients().take(2).map(|client| send(&waf, &of(client, Request::get("/")))).collect();
        for _ in 0..3 {
            assert_eq!(of(other, Request::get("/")).to(waf.port).status, 200, "{what}: everybody else");
        }
        polling::hold(Duration::from_millis(100));
        assert!(waiting.iter_mut().all(Connection::is_silent), "{what}: the share is taken");
        // The clients leave; their requests are given up, and the share is free although the upstream never answers.
        drop(open);
        for connection in &mut waiting {
            assert_eq!(connection.response().expect("a response").status, 200, "{what}: afterwards");
        }
        origin.take();
    }
    assert!(waf.events().is_empty(), "{:?}", waf.events());
    gate.open();
}

#[test]
fn streams_of_one_client_take_its_share() {
    let gate = Gate::new();
    let origin = origin(&gate);
    let waf = shared(&origin);
    let fields = |path: &'static str| {
        let mut fields = waf_tests::frames::get(path);
        fields.push(("x-forwarded-for", "192.0.2.1"));
        fields
    };
    let mut connections = [Frames::open(waf.port), Frames::open(waf.port)];
    for frames in &mut connections {
        for stream in (0..50u32).map(|number| 2 * number + 1) {
            frames.request(stream, &fields("/held"));
        }
    }
    origin.wait_for(SHARE);
    for _ in 0..3 {
        assert_eq!(of("192.0.2.2", Request::get("/")).to(waf.port).status, 200);
    }
    // The rest was refused, or still waits.
    let held = origin.requests().iter().filter(|request| request.target_text() == "/held").count();
    assert_eq!(held, SHARE);
    drop(connections);
    assert_eq!(of("192.0.2.1", Request::get("/")).to(waf.port).status, 200);
    gate.open();
}

#[test]
fn tunnels_have_slots_of_their_own() {
    let gate = Gate::new();
    let origin = origin(&gate);
    let waf = shared(&origin);
    let (own, other) = ("192.0.2.1", "192.0.2.2");
    let mut open: Vec<Connection> = (0..SHARE)
        .map(|_| {
            let (connection, status) = tunnel(&waf, own);
            assert_eq!(status, 101);
            connection
        })
        .collect();
    assert_eq!(tunnel(&waf, own).1, 503, "beyond the share");
    assert_eq!(tunnel(&waf, other).1, 101, "another client");
    // Each of them could take all that a client may: none has taken a part of the requests' share.
    let held: Vec<Connection> = (0..SHARE).map(|_| send(&waf, &of(own, Request::get("/held")))).collect();
    polling::until_true("all requests at the origin", || {
        origin.requests().iter().filter(|request| request.target_text() == "/held").count() == SHARE
    });
    drop(held);
    assert_eq!(of(own, Request::get("/")).to(waf.port).status, 200);
    let last = open.last_mut().expect("a tunnel");
    last.send("a line\n").expect("sent");
    assert_eq!(last.take(7).expect("an echo"), b"a line\n", "tunnels are not touched by it");
    drop(open);
    let again = polling::until("the tunnels' places", || {
        let (connection, status) = tunnel(&waf, own);
        (status == 101).then_some(connection)
    });
    drop(again);
    gate.open();
}

/// An upstream that reads a request, answers `begins` of it, and then watches its connection.
fn watching(listener: &TcpListener, begins: &[u8]) -> TcpStream {
    let (mut stream, _) = listener.accept().expect("a connection");
    stream.set_read_timeout(Some(polling::PATIENCE)).expect("a socket option");
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while !bytes.ends_with(b"\r\n\r\n") && !bytes.ends_with(b"0123456789") {
        let read = stream.read(&mut piece).expect("a request");
        assert!(read > 0, "the request broke off");
        bytes.extend_from_slice(&piece[..read]);
    }
    stream.write_all(begins).expect("taken");
    stream
}

#[test]
fn a_client_that_leaves_ends_the_work_of_the_upstream() {
    let listener = ports::listener();
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    let waf = Start::new().run(&with_routes(&format!("  - upstream: {url}\n    upstream_timeout: 60s\n")));
    let get = Request::get("/").bytes();
    let post = Request::post("/", "text/plain", "0123456789").bytes();
    let old = b"GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n".to_vec();
    let two = [get.clone(), Request::get("/second").bytes()].concat();
    let part = [get.clone(), b"GET /second HTTP/1.1\r\nHo".to_vec()].concat();
    let stream = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n";
    let length = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nsome";
    for (what, request, begins) in [
        ("a request", &get, &b""[..]),
        ("a request with a body", &post, b""),
        ("HTTP/1.0", &old, b""),
        ("with another request behind it", &two, b""),
        ("with a part of another behind it", &part, b""),
        ("after an interim answer", &get, b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"),
        ("during a stream", &get, stream),
        ("during a body", &get, length),
    ] {
        for breaks_off in [false, true] {
            let mut client = Connection::open(waf.port).expect("a connection");
            client.send(request).expect("sent");
            let mut upstream = watching(&listener, begins);
            if breaks_off {
                client.break_off();
            } else {
                drop(client);
            }
            let end = upstream.read(&mut [0; 16]);
            assert!(
                matches!(end, Ok(0)) || end.is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionReset),
                "{what}, {breaks_off}: the upstream still works"
            );
        }
    }
    assert!(waf.events().is_empty(), "nothing was found: {:?}", waf.events());
}

#[test]
fn what_was_found_is_reported_with_499_when_the_client_leaves() {
    let listener = ports::listener();
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    let config = with_routes(&format!("  - upstream: {url}\n"));
    let waf = Start::new().run(&format!("{config}global:\n  mode: detect_only\n"));
    let attack = Request::get(format!("/?q={}", encode("<script>alert(1)</script>"))).bytes();
    let mut client = Connection::open(waf.port).expect("a connection");
    client.send(&attack).expect("sent");
    let _upstream = watching(&listener, b"");
    drop(client);
    let event = waf.wait_events(1).remove(0);
    assert_eq!(
        (&event["http_response"]["code"], &event["status_detail"]),
        (&499.into(), &"client closed request".into())
    );
    assert_eq!(event["disposition_id"], 15, "it was not blocked");
}

#[test]
fn a_client_that_sends_on_while_it_waits_is_answered_in_order() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |request| {
        let answer = Answer::echo(request);
        if request.target_text() == "/0" { answer.after(&closed) } else { answer }
    });
    let waf = Start::new().run(&with_routes(&format!("  - upstream: {}\n", origin.url())));
    let mut client = Connection::open(waf.port).expect("a connection");
    client.send(Request::get("/0").bytes()).expect("sent");
    origin.wait_for(1);
    // More than is kept for it: the rest waits in the sockets.
    let filler = "x".repeat(8_000);
    for number in 1..20 {
        client.send(Request::get(format!("/{number}")).field("X-Filler", &filler).bytes()).expect("sent");
    }
    assert!(client.is_silent());
    gate.open();
    for number in 0..20 {
        let response = client.response().expect("a response");
        assert_eq!((response.status, response.text()), (200, format!("GET /{number}\n")));
    }
    assert!(waf.events().is_empty(), "{:?}", waf.events());
}
