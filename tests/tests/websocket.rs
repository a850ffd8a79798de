//! WebSockets through the service: every rule of RFC 6455 holds as it does without the service, and messages are judged.

use std::net::SocketAddr;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpListener;
use tokio_tungstenite::accept_async;
use waf_tests::origin::{Answer, Origin, Step};
use waf_tests::ports;
use waf_tests::raw::Request;
use waf_tests::running::{self, Waf, to_upstream, with_metrics, with_routes};
use waf_tests::scrape::{self, Scrape};
use waf_tests::websocket::{
    ACCEPT, BINARY, CLOSE, FIN, PING, PONG, Received, Socket, TEXT, close, frame, handshake,
};

const ATTACK: &str = "1' union select password from users--";

/// Answers every message with itself, for as long as the runtime lives.
fn echo(runtime: &tokio::runtime::Runtime) -> SocketAddr {
    let listener = ports::listener();
    let address = listener.local_addr().expect("bound");
    listener.set_nonblocking(true).expect("a listener can be set to non-blocking");
    runtime.spawn(async move {
        let listener = TcpListener::from_std(listener).expect("a runtime is here");
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

fn runtime() -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.expect("a runtime")
}

/// An upstream that switches to WebSocket and sends back every byte.
fn mirror() -> Origin {
    Origin::answering(|_| {
        let fields = [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", ACCEPT)];
        Answer::bodiless(101, &fields).then(Step::Echo)
    })
}

/// Conversations that follow the rules, each with its name.
fn valid() -> Vec<(&'static str, Vec<u8>)> {
    let payload = |length: usize| "It's a select message. ".repeat(length / 23 + 1)[..length].to_owned();
    let bytes: Vec<u8> = (0..=255).collect();
    let mut cases = vec![
        ("an empty binary message", frame(FIN | BINARY, "")),
        ("every byte", frame(FIN | BINARY, &bytes)),
        ("characters of many bytes", frame(FIN | TEXT, "κόσμε 日本 \u{1f600}")),
        (
            "a character cut by fragments",
            [frame(TEXT, [0xe6]), frame(0, [0x97]), frame(FIN, [0xa5])].concat(),
        ),
        ("empty fragments", [frame(TEXT, ""), frame(0, ""), frame(FIN, "")].concat()),
        ("two messages", [frame(FIN | TEXT, "a"), frame(FIN | BINARY, "b")].concat()),
        ("a ping without content", frame(FIN | PING, "")),
        ("a ping of 125 bytes", frame(FIN | PING, [7; 125])),
        ("pings in a row", frame(FIN | PING, "p").repeat(10)),
        ("a pong that nobody asked for", [frame(FIN | PONG, "x"), frame(FIN | TEXT, "a")].concat()),
        ("a ping within a message", [frame(TEXT, "a"), frame(FIN | PING, "p"), frame(FIN, "b")].concat()),
        ("a close frame without content", frame(FIN | CLOSE, "")),
        ("a close frame with a reason", frame(FIN | CLOSE, [&[3, 0xe8][..], b"bye"].concat())),
    ];
    for length in [0, 1, 125, 126, 127, 128, 65_535, 65_536, 300_000] {
        cases.push(("a text of some length", frame(FIN | TEXT, payload(length))));
    }
    for code in [1000, 1001, 1003, 1007, 1011, 3000, 4999] {
        cases.push(("a close frame with a code", close(code)));
    }
    cases
}

/// Answer of an upstream to a conversation that ends with a close frame.
fn answers(mut socket: Socket, sent: &[u8]) -> Vec<Received> {
    socket.send(sent);
    socket.send(close(1000));
    socket.rest()
}

#[test]
fn conversations_by_the_rules_are_what_they_are_without_the_service() {
    let runtime = runtime();
    let upstream = echo(&runtime);
    let waf = running::waf(&to_upstream(&format!("http://{upstream}")));
    for (what, sent) in valid() {
        let direct = answers(Socket::at(upstream), &sent);
        let through = answers(Socket::open(waf.port, "/live"), &sent);
        assert!(!direct.is_empty(), "{what}");
        assert_eq!(through, direct, "{what}");
    }
    assert!(waf.events().is_empty(), "{:?}", waf.events());
}

#[test]
fn conversations_against_the_rules_end_with_their_code() {
    let origin = mirror();
    let waf = running::waf(&to_upstream(&origin.url()));
    let cases: [(&str, Vec<u8>, u16); 12] = [
        ("each reserved bit", frame(FIN | 0x40 | TEXT, "a"), 1002),
        ("the second reserved bit", frame(FIN | 0x20 | TEXT, "a"), 1002),
        ("the third reserved bit", frame(FIN | 0x10 | TEXT, "a"), 1002),
        ("a reserved kind", frame(FIN | 7, "a"), 1002),
        ("a reserved control kind", frame(FIN | 15, "a"), 1002),
        ("no mask", vec![0x81, 1, b'a'], 1002),
        ("a fragmented ping", frame(PING, "a"), 1002),
        ("a ping of 126 bytes", frame(FIN | PING, [0; 126]), 1002),
        ("a continuation of nothing", frame(0, "a"), 1002),
        ("a message within another", [frame(TEXT, "a"), frame(TEXT, "b")].concat(), 1002),
        ("a code that may not be sent", close(1006), 1002),
        ("text that is not UTF-8", frame(FIN | TEXT, [0xed, 0xa0, 0x80]), 1007),
    ];
    for (number, (what, sent, code)) in cases.into_iter().enumerate() {
        let mut socket = Socket::open(waf.port, "/live");
        socket.send(&sent);
        assert_eq!(socket.closed_with(), Some(code), "{what}");
        let events = waf.wait_events(number + 1);
        let found = &events[number]["waf"];
        assert_eq!(found["matched_protections"][0], "websocket-messages", "{what}: {found}");
    }
}

#[test]
fn attacks_in_messages_close_the_connection_and_have_one_event() {
    let origin = mirror();
    let waf = running::waf(&to_upstream(&origin.url()));
    let json = format!(r#"{{"say":{{"text":"{ATTACK}"}}}}"#);
    let (middle, end) = (json.len() / 2, json.len() - 3);
    let cut = [
        frame(TEXT, &json[..middle]),
        frame(FIN | PING, ""),
        frame(0, &json[middle..end]),
        frame(FIN, &json[end..]),
    ];
    for (number, (sent, name)) in [
        (frame(FIN | TEXT, ATTACK), None),
        (frame(FIN | BINARY, ATTACK), None),
        (frame(FIN | TEXT, &json), Some("say.text")),
        (cut.concat(), Some("say.text")),
        (frame(FIN | TEXT, format!("42[\"say\",{json}]")), Some("say.text")),
    ]
    .into_iter()
    .enumerate()
    {
        let mut socket = Socket::open(waf.port, "/live?room=7");
        socket.send(frame(FIN | TEXT, "hello"));
        assert_eq!(socket.receive().map(|frame| frame.payload), Some(b"hello".to_vec()));
        socket.send([&sent[..], &frame(FIN | TEXT, "behind it")].concat());
        assert_eq!(socket.closed_with(), Some(1008), "{name:?}");
        let events = waf.wait_events(number + 1);
        assert_eq!(events.len(), number + 1);
        let found = &events[number]["waf"]["matches"][0];
        assert_eq!((found["place"].as_str(), found["name"].as_str()), (Some("WS_MESSAGE"), name), "{found}");
        let event = events[number].to_string();
        assert!(event.contains("message 2, closed with 1008"), "{event}");
        assert!(event.contains("room=7") && event.contains("\"Blocked\""), "{event}");
    }
}

fn echoes(waf: &Waf, target: &str, text: &str) -> bool {
    let mut socket = Socket::open(waf.port, target);
    socket.send(frame(FIN | TEXT, text));
    socket.receive().is_some_and(|frame| frame.payload == text.as_bytes())
}

#[test]
fn modes_exceptions_and_routes_decide_about_messages() {
    let origin = mirror();
    let url = origin.url();
    let except = "exceptions: [{ protections: [sql], in: ['WS_MESSAGE:query'] }]";
    let whole = "exceptions: [{ protections: [sql], in: [WS_MESSAGE] }]";
    let routes = [
        ("watched", "mode: detect_only"),
        ("except", except),
        ("whole", whole),
        ("tunnel", "disable: [websocket-messages]"),
    ]
    .map(|(name, setting)| {
        format!("  - id: {name}\n    match: {{ paths: [/{name}] }}\n    upstream: {url}\n    {setting}\n")
    });
    let waf = running::waf(&with_metrics(&with_routes(&routes.concat())));
    let json = format!(r#"{{"query":"{ATTACK}"}}"#);
    let other = format!(r#"{{"text":"{ATTACK}"}}"#);
    for (target, text, passes, events) in [
        ("/watched", json.as_str(), true, 1),
        ("/except", &json, true, 0),
        ("/except", &other, false, 1),
        ("/whole", &other, true, 0),
        ("/whole", ATTACK, true, 0),
        ("/tunnel", ATTACK, true, 0),
    ] {
        let before = waf.events().len();
        assert_eq!(echoes(&waf, target, text), passes, "{target} {text}");
        assert_eq!(waf.wait_events(before + events).len(), before + events, "{target} {text}");
    }
    assert!(waf.events()[0].to_string().contains("\"message 1\""), "{:?}", waf.events());
    let counted = |metrics: &Scrape, route, result| {
        metrics.count("waf_websocket_messages_total", &[("route", route), ("result", result)])
    };
    scrape::until(&waf, "messages by result", |metrics| {
        counted(metrics, "watched", "detected") == 1
            && counted(metrics, "except", "clean") == 1
            && counted(metrics, "except", "blocked") == 1
            && metrics.count("waf_tunnels_uninspected_total", &[("route", "tunnel")]) == 1
    });
}

#[test]
fn extensions_are_not_offered_where_messages_are_inspected() {
    let origin = mirror();
    let url = origin.url();
    let routes = format!(
        "  - match: {{ paths: [/tunnel] }}\n    upstream: {url}\n    disable: [websocket-messages]\n\
         \x20 - upstream: {url}\n"
    );
    let waf = running::waf(&with_routes(&routes));
    for (target, expected) in [("/live", None), ("/tunnel", Some("permessage-deflate"))] {
        let request = handshake(target).field("Sec-WebSocket-Extensions", "permessage-deflate");
        let mut connection = waf_tests::raw::Connection::open(waf.port).expect("a connection");
        connection.send(request.bytes()).expect("sent");
        assert_eq!(connection.head().expect("a head").status, 101);
        assert_eq!(origin.only().field("Sec-WebSocket-Extensions"), expected, "{target}");
    }
}

#[test]
fn a_switch_without_a_whole_handshake_is_a_bad_gateway() {
    let switch = |extra: (&'static str, &'static str)| {
        Origin::answering(move |_| {
            let fields = [("Connection", "Upgrade"), ("Upgrade", "websocket"), extra];
            Answer::bodiless(101, &fields).then(Step::Echo)
        })
    };
    let without_key = Request::get("/")
        .field("Connection", "Upgrade")
        .field("Upgrade", "websocket")
        .field("Sec-WebSocket-Version", "13");
    for (what, extra, request) in [
        ("no answer to the key", ("X-A", "b"), handshake("/")),
        ("another answer", ("Sec-WebSocket-Accept", "AAAAAAAAAAAAAAAAAAAAAAAAAAA="), handshake("/")),
        ("no key", ("Sec-WebSocket-Accept", ACCEPT), without_key),
    ] {
        let origin = switch(extra);
        let waf = running::waf(&to_upstream(&origin.url()));
        assert_eq!(request.to(waf.port).status, 502, "{what}");
    }
}

#[test]
fn floods_and_long_messages_are_bounded() {
    let origin = mirror();
    let settings = "accept: { max_body_size: 64KB }";
    let routes = format!("  - upstream: {}\n    {settings}\n", origin.url());
    let waf = running::waf(&with_routes(&routes));
    for (what, sent, code) in [
        ("pings", frame(FIN | PING, "p").repeat(20_000), 1008),
        ("empty fragments", [frame(TEXT, ""), frame(0, "").repeat(20_000)].concat(), 1008),
        ("a long message", frame(FIN | BINARY, vec![0xff; 70_000]), 1009),
        ("a message of one-byte frames", [frame(BINARY, "x"), frame(0, "x").repeat(70_000)].concat(), 1008),
    ] {
        let mut socket = Socket::open(waf.port, "/live");
        socket.send(&sent);
        assert_eq!(socket.closed_with(), Some(code), "{what}");
    }
}
