//! Upgrades: WebSocket through the service with another implementation on both ends, and what is never switched to.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message};
use tokio_tungstenite::{WebSocketStream, accept_async, client_async, tungstenite};
use waf_tests::contract::{blocked, encode};
use waf_tests::origin::{Answer, Authority, Origin, Step};
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, Start, Waf, to_upstream};
use waf_tests::{polling, ports};

/// Messages of the long echo.
const MESSAGES: usize = 100_000;

/// Answers every message with itself, on the runtime that it is called in.
fn echo() -> SocketAddr {
    let listener = ports::listener();
    let address = listener.local_addr().expect("bound");
    listener.set_nonblocking(true).expect("a listener can be set to non-blocking");
    let listener = TcpListener::from_std(listener).expect("a runtime is here");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let Ok(mut socket) = accept_async(stream).await else { return };
                while let Some(Ok(message)) = socket.next().await {
                    let is_data = message.is_text() || message.is_binary();
                    if is_data && socket.send(message).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

fn run(test: impl AsyncFnOnce(Waf)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let config = to_upstream(&format!("http://{}", echo()));
        let waf = tokio::task::spawn_blocking(move || running::waf(&config)).await.expect("it starts");
        tokio::time::timeout(polling::PATIENCE * 4, test(waf)).await.expect("it ends in time");
    });
}

async fn open(port: u16, target: &str) -> Result<WebSocketStream<TcpStream>, tungstenite::Error> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
    client_async(format!("ws://shop.example{target}"), stream).await.map(|(socket, _)| socket)
}

#[test]
fn a_hundred_thousand_messages_come_back_in_order() {
    run(async |waf| {
        let (mut send, mut receive) = open(waf.port, "/live").await.expect("a WebSocket").split();
        let sending = tokio::spawn(async move {
            for number in 0..MESSAGES {
                send.feed(Message::text(format!("message {number}"))).await.expect("taken");
            }
            send.flush().await.expect("sent");
            send
        });
        for number in 0..MESSAGES {
            let message = receive.next().await.expect("a message").expect("a good message");
            assert_eq!(message.into_text().expect("text").as_str(), format!("message {number}"));
        }
        drop(sending.await.expect("everything is sent"));
        assert!(waf.events().is_empty(), "{:?}", waf.events());
    });
}

#[test]
fn pings_large_messages_and_closing() {
    run(async |waf| {
        let mut socket = open(waf.port, "/live?room=7").await.expect("a WebSocket");
        socket.send(Message::Ping("are you there".into())).await.expect("sent");
        let pong = socket.next().await.expect("a frame").expect("a good frame");
        assert_eq!(pong, Message::Pong("are you there".into()));
        let large: Vec<u8> = (0..1_000_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        socket.send(Message::binary(large.clone())).await.expect("sent");
        let back = socket.next().await.expect("a message").expect("a good message");
        assert!(back.into_data() == large, "a large message changed on its way");
        let frame = CloseFrame { code: CloseCode::Normal, reason: "done".into() };
        socket.close(Some(frame.clone())).await.expect("sent");
        let close = socket.next().await.expect("a frame").expect("a good frame");
        assert_eq!(close, Message::Close(Some(frame)));
        assert!(socket.next().await.is_none(), "the connection ends after the closing handshake");
    });
}

#[test]
fn a_handshake_is_inspected() {
    run(async |waf| {
        let target = format!("/live?q={}", encode("<script>alert(1)</script>"));
        let refused = open(waf.port, &target).await.expect_err("an attack");
        let tungstenite::Error::Http(response) = refused else { panic!("{refused}") };
        assert_eq!(response.status(), 403);
        assert_eq!(waf.wait_events(1).len(), 1);
    });
}

fn handshake(protocol: &str) -> Request {
    Request::get("/live")
        .field("Connection", "keep-alive, Upgrade")
        .field("Upgrade", protocol)
        .field("Sec-WebSocket-Version", "13")
        .field("Sec-WebSocket-Key", &generate_key())
}

#[test]
fn an_upstream_that_does_not_switch_answers_as_ever() {
    let origin = Origin::answering(|_| Answer::new(200, &[], "no switch"));
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for _ in 0..2 {
        let response = connection.exchange(&handshake("websocket")).expect("a response");
        assert_eq!((response.status, response.text().as_str()), (200, "no switch"));
        let received = origin.only();
        assert_eq!(received.field("Upgrade"), Some("websocket"));
        assert_eq!(received.field("Connection"), Some("Upgrade"));
    }
    blocked(&Request::get("/?q=%3Cscript%3Ealert(1)%3C/script%3E").to(waf.port), 403);
}

#[test]
fn upgrades_to_http_and_half_asked_ones_are_not_forwarded() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let post =
        Request::post("/", "text/plain", "x").field("Connection", "Upgrade").field("Upgrade", "websocket");
    let settings = Request::get("/")
        .field("Connection", "Upgrade, HTTP2-Settings")
        .field("Upgrade", "h2c")
        .field("HTTP2-Settings", "AAMAAABkAAQAAP__");
    for (what, request) in [
        ("h2c", handshake("h2c")),
        ("settings of h2c", settings),
        ("HTTP/2.0", handshake("HTTP/2.0")),
        ("TLS", handshake("TLS/1.0")),
        ("without Connection", Request::get("/").field("Upgrade", "websocket")),
        ("a POST", post),
    ] {
        assert_eq!(request.to(waf.port).status, 200, "{what}: {:?}", waf.events());
        let received = origin.only();
        assert_eq!(received.field("Upgrade"), None, "{what}");
        assert_eq!(received.field("HTTP2-Settings"), None, "{what}");
    }
    assert_eq!(handshake("h2c, websocket").to(waf.port).status, 200);
    assert_eq!(origin.only().field("Upgrade"), Some("websocket"), "only what is tunnelled is asked for");
}

#[test]
fn a_switch_that_was_not_asked_for_is_a_bad_gateway() {
    for (what, chosen, request) in [
        ("no upgrade asked", "websocket", Request::get("/")),
        ("another protocol", "h2c", handshake("websocket")),
        ("h2c asked", "h2c", handshake("h2c")),
    ] {
        let origin = Origin::answering(move |_| {
            Answer::bodiless(101, &[("Connection", "Upgrade"), ("Upgrade", chosen)])
        });
        let waf = running::waf(&to_upstream(&origin.url()));
        assert_eq!(request.to(waf.port).status, 502, "{what}");
    }
}

#[test]
fn what_comes_with_the_switch_is_not_lost_and_an_end_is_passed_on() {
    let origin = Origin::answering(|_| {
        Answer::raw(
            "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: lines\r\nX-A: 1\r\n\r\nfirst line\n",
        )
        .then(waf_tests::origin::Step::Close)
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.patience(Duration::from_secs(20));
    connection.send(handshake("lines").bytes()).expect("sent");
    let head = connection.head().expect("a head");
    assert_eq!((head.status, head.field("Upgrade"), head.field("X-A")), (101, Some("lines"), Some("1")));
    assert_eq!(head.field("Connection"), Some("Upgrade"));
    assert!(head.field("Content-Length").or(head.field("Transfer-Encoding")).is_none());
    connection.finish();
    assert_eq!(connection.rest().expect("an end"), b"first line\n");
}

#[test]
fn an_upstream_behind_tls_can_switch() {
    let authority = Authority::new("127.0.0.1");
    let origin = Origin::tls(&authority, |_| {
        Answer::bodiless(101, &[("Connection", "Upgrade"), ("Upgrade", "lines")]).then(Step::Echo)
    });
    let waf = Start::new()
        .file("roots.pem", &authority.root_pem)
        .environment("SSL_CERT_FILE", "@FOLDER@/roots.pem")
        .run(&to_upstream(&origin.url()));
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send(handshake("lines").bytes()).expect("sent");
    assert_eq!(connection.head().expect("a head").status, 101);
    for line in ["a line\n", "another line\n"] {
        connection.send(line).expect("sent");
        let mut back = Vec::new();
        while back.len() < line.len() {
            back.extend(connection.take(line.len() - back.len()).expect("an echo"));
        }
        assert_eq!(back, line.as_bytes());
    }
}
