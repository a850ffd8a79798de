//! Clients that take their answers too slowly are cut, whatever they do to look alive; slow ones that take enough, and
//! those whose upstream has nothing to say, are not.

use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketType, connect, socket, sockopt};
use waf_tests::frames::{DATA, Frames, HEADERS, RST_STREAM, WINDOW_UPDATE, get};
use waf_tests::origin::{Answer, Gate, Origin, Step};
use waf_tests::polling;
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, to_upstream};

/// Bytes of the large answer: far more than sockets hold.
const LARGE: usize = 64 << 20;

/// Bytes that a client takes at the end, to see whether it was cut.
const MORE: usize = 128 << 10;

/// Time that a slow client goes on: a little longer than it may.
const LONG: Duration = Duration::from_secs(14);

/// SETTINGS_INITIAL_WINDOW_SIZE.
const INITIAL_WINDOW: u16 = 4;

fn large(head: &str, piece: Vec<u8>) -> Answer {
    let count = LARGE / (64 << 10);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n{head}\r\n\r\n");
    Answer::raw(head).then(Step::Repeat(piece, count))
}

fn origin(gate: &Gate) -> Origin {
    let closed = gate.clone();
    Origin::answering(move |request| match request.target_text().as_str() {
        "/large" => large(&format!("Content-Length: {LARGE}"), vec![b'x'; 64 << 10]),
        "/chunked" => {
            let chunk = [b"10000\r\n".to_vec(), vec![b'x'; 64 << 10], b"\r\n".to_vec()].concat();
            large("Transfer-Encoding: chunked", chunk).then(Step::Bytes(b"0\r\n\r\n".to_vec()))
        }
        "/small" => Answer::ok("x".repeat(50_000)),
        "/events" => Answer::raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
            .then(Step::Wait(closed.clone()))
            .then(Step::Bytes(b"data: 2\n\n".to_vec()))
            .then(Step::Close),
        _ => Answer::ok("hello"),
    })
}

/// Does `step` every `pause` for [`LONG`], until it says that it is over.
fn for_long(pause: Duration, mut step: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while Instant::now() < end && step() {
        polling::hold(pause);
    }
}

/// A connection for which the kernel takes little: what a slow client takes is to be its own taking.
fn slow_connection(port: u16) -> Connection {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    sockopt::set_socket_recv_buffer_size(&socket, 8192).expect("a socket option");
    connect(&socket, &SocketAddr::from(([127, 0, 0, 1], port))).expect("a connection");
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(polling::PATIENCE)).expect("a socket option");
    Connection::over(stream)
}

/// Takes `piece` bytes of an answer every `pause`, then as fast as it can; how many came, and whether it goes on.
fn read(port: u16, target: &str, piece: usize, pause: Duration) -> (usize, bool) {
    let mut client = slow_connection(port);
    client.send(Request::get(target).bytes()).expect("sent");
    client.head().expect("a head");
    let mut bytes = 0;
    for_long(pause, || {
        let mut left = piece;
        while left > 0 {
            match client.take(left) {
                Ok(taken) if !taken.is_empty() => {
                    left -= taken.len();
                    bytes += taken.len();
                }
                Ok(_) | Err(_) => return false,
            }
        }
        true
    });
    // More than sockets hold: it comes only from a service that still sends.
    let enough = bytes + MORE;
    while bytes < enough {
        match client.take(1 << 20) {
            Ok(taken) if !taken.is_empty() => bytes += taken.len(),
            Ok(_) | Err(_) => return (bytes, false),
        }
    }
    (bytes, true)
}

/// Opens `step` bytes of a stream's window every quarter of a second; what ends the stream.
fn widen(port: u16, target: &str, step: u32) -> Option<u8> {
    let mut client = Frames::with_settings(port, &[(INITIAL_WINDOW, 0)]);
    client.request(1, &get(target));
    for_long(Duration::from_millis(250), || {
        step == 0 || client.send(WINDOW_UPDATE, 0, 1, &step.to_be_bytes()).is_ok()
    });
    client.end_of(1).map(|frame| frame.kind)
}

/// One stream whose window stays shut beside one that moves; which of them is broken off.
fn shut_beside_one_that_moves(port: u16) -> u32 {
    let mut client = Frames::with_settings(port, &[(INITIAL_WINDOW, 0)]);
    client.send(WINDOW_UPDATE, 0, 0, &(1u32 << 30).to_be_bytes()).expect("sent");
    client.request(1, &get("/large"));
    client.request(3, &get("/large"));
    for_long(Duration::from_millis(250), || client.send(WINDOW_UPDATE, 0, 3, &700u32.to_be_bytes()).is_ok());
    client.until(RST_STREAM).expect("a stream is broken off").stream
}

/// Takes an answer in windows of 8 KB, four of them a second, then all of the rest; whether it came whole.
fn steady_stream(port: u16) -> bool {
    let mut client = Frames::with_settings(port, &[(INITIAL_WINDOW, 0)]);
    client.request(1, &get("/small"));
    for_long(Duration::from_secs(3), || client.send(WINDOW_UPDATE, 0, 1, &8192u32.to_be_bytes()).is_ok());
    client.send(WINDOW_UPDATE, 0, 1, &65_535u32.to_be_bytes()).expect("sent");
    client.end_of(1).is_some_and(|frame| matches!(frame.kind, DATA | HEADERS))
}

#[test]
fn slow_readers_are_cut_and_steady_ones_are_not() {
    let gate = Gate::new();
    let origin = origin(&gate);
    let waf = running::waf(&to_upstream(&origin.url()));
    let port = waf.port;
    let quarter = Duration::from_millis(250);
    std::thread::scope(|scope| {
        let cut = [
            ("nothing", "/large", 0, quarter),
            ("a byte at a time", "/large", 1, quarter),
            ("200 bytes a second", "/large", 50, quarter),
            ("chunks, 200 bytes a second", "/chunked", 50, quarter),
            ("little, and seldom", "/large", 1000, Duration::from_secs(3)),
        ]
        .map(|(what, target, piece, pause)| (what, scope.spawn(move || read(port, target, piece, pause))));
        let streams =
            [("no window", "/small", 0), ("a byte at a time", "/small", 1), ("too little", "/large", 100)]
                .map(|(what, target, step)| (what, scope.spawn(move || widen(port, target, step))));
        let beside = scope.spawn(move || shut_beside_one_that_moves(port));
        let steady = [("80 KB a second", 20 << 10), ("8 KB a second", 2 << 10), ("3 KB a second", 768)]
            .map(|(what, piece)| (what, scope.spawn(move || read(port, "/large", piece, quarter))));
        let steady_stream = scope.spawn(move || steady_stream(port));
        let events = scope.spawn(move || {
            let mut client = Connection::open(port).expect("a connection");
            client.send(Request::get("/events").bytes()).expect("sent");
            client.response().expect("a response").text()
        });
        polling::hold(LONG);
        gate.open();
        for (what, client) in cut {
            let (bytes, goes_on) = client.join().expect("it ends");
            assert!(!goes_on, "{what}: {bytes} bytes came");
        }
        for (what, client) in streams {
            let end = client.join().expect("it ends");
            assert!(end.is_none_or(|kind| kind == RST_STREAM), "{what}: {end:?}");
        }
        assert_eq!(beside.join().expect("it ends"), 1, "the one that is shut");
        for (what, client) in steady {
            let (bytes, goes_on) = client.join().expect("it ends");
            assert!(goes_on, "{what}: {bytes} bytes came");
        }
        assert!(steady_stream.join().expect("it ends"), "a steady stream");
        assert_eq!(events.join().expect("it ends"), "data: 1\n\ndata: 2\n\n", "time of the upstream's");
    });
}
