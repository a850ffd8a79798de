//! Conversations over WebSockets in memory: what reaches the upstream, and with which code the client is closed.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex, split};
use waf_shared::catalog::Leaf;
use waf_shared::plan::{Mode, Plan, Route};

use super::super::testing::{exchange, head, proxy};
use super::*;
use crate::websocket::unmask;

const ATTACK: &str = "1' union select password from users--";
const FIN: u8 = 0x80;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE_FRAME: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;
const MASK: [u8; 4] = [0x5a, 0x00, 0xff, 0x13];

/// A frame of a client; `first` is its first byte.
fn frame(first: u8, payload: impl AsRef<[u8]>) -> Vec<u8> {
    let payload = payload.as_ref();
    let mut out = vec![first];
    match payload.len() {
        length @ 0..=125 => out.push(0x80 | length as u8),
        length @ 126..=65_535 => {
            out.push(0xfe);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
        length => {
            out.push(0xff);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&MASK);
    unmask(payload, MASK, 0, &mut out);
    out
}

/// A text in fragments of `size` bytes, with a ping behind each.
fn fragments(opcode: u8, payload: &str, size: usize) -> Vec<u8> {
    let pieces: Vec<&[u8]> = payload.as_bytes().chunks(size).collect();
    let mut out = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let last = if index + 1 == pieces.len() { FIN } else { 0 };
        out.extend(frame(last | if index == 0 { opcode } else { 0 }, piece));
        if last == 0 {
            out.extend(frame(FIN | PING, b"p"));
        }
    }
    out
}

/// The outcome of one conversation.
#[derive(Debug)]
struct Outcome {
    /// Bytes that the upstream got.
    upstream: Vec<u8>,
    /// Bytes that the client got.
    client: Vec<u8>,
    worst: Option<Disposition>,
}

impl Outcome {
    /// The code of the close frame that the client got last, if it is one of the service.
    fn code(&self) -> Option<u16> {
        match self.client.last_chunk() {
            Some([0x88, 2, high, low]) => Some(u16::from_be_bytes([*high, *low])),
            _ => None,
        }
    }
}

/// Outcome of `sent` by a client in pieces, while the upstream sends `answer`.
async fn converse(
    (sent, size): (&[u8], usize),
    answer: &[u8],
    change: impl FnOnce(&mut Plan, &mut Route),
) -> Outcome {
    let mut exchange = exchange(change);
    let request = Arc::new(head("GET /live HTTP/1.1\nHost: a"));
    exchange.context.add_head(request);
    exchange.context.add_route(crate::active_plan::RouteIndex(0));
    let proxy = proxy();
    let ((mut client, ours), (mut upstream, theirs)) = (duplex(1 << 20), duplex(1 << 20));
    upstream.write_all(answer).await.expect("taken");
    let running = async {
        let ((client_reader, mut client_writer), (upstream_reader, mut upstream_writer)) =
            (split(ours), split(theirs));
        let (mut client_reader, mut upstream_reader) =
            (Reader::new(client_reader), Reader::new(upstream_reader));
        let client = Side { reader: &mut client_reader, writer: &mut client_writer };
        let upstream = Side { reader: &mut upstream_reader, writer: &mut upstream_writer };
        let session = Session { context: &exchange.context, proxy: &proxy, path: b"/live" };
        run(client, upstream, session).await
    };
    let talking = async {
        for piece in sent.chunks(size) {
            if client.write_all(piece).await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
        let _ = client.shutdown().await;
        let got = to_end(&mut upstream).await;
        drop(upstream);
        (got, to_end(&mut client).await)
    };
    let (worst, (upstream, client)) = tokio::join!(running, talking);
    Outcome { upstream, client, worst }
}

async fn to_end(stream: &mut DuplexStream) -> Vec<u8> {
    let mut got = Vec::new();
    let _ = stream.read_to_end(&mut got).await;
    got
}

async fn blocking(sent: &[u8], size: usize) -> Outcome {
    converse((sent, size), b"", |_, _| {}).await
}

#[tokio::test(start_paused = true)]
async fn benign_messages_reach_the_upstream_as_they_were_sent() {
    let long: String = "It's a long message -- select the best of it. ".repeat(20_000);
    let large: Vec<u8> = (0..700_000_u32).map(|number| number.wrapping_mul(37).to_le_bytes()[0]).collect();
    for (what, sent) in [
        ("a text", frame(FIN | TEXT, "hello")),
        ("an empty text", frame(FIN | TEXT, "")),
        ("JSON", frame(FIN | TEXT, r#"{"say":"It's 5 o'clock"}"#)),
        ("bytes", frame(FIN | BINARY, [0xff, 0, 1, 0xfe])),
        (
            "many",
            [frame(FIN | TEXT, "a"), frame(FIN | BINARY, "b"), frame(FIN | PING, "c")].concat().repeat(100),
        ),
        ("pongs", frame(FIN | PONG, "")),
        ("a long text", frame(FIN | TEXT, &long)),
        ("a long binary", frame(FIN | BINARY, &large)),
        ("a text of two characters of many bytes, cut", fragments(TEXT, "日本", 6)),
    ] {
        for size in [1 << 20, 1_000, 7] {
            if sent.len() / size > 20_000 {
                continue;
            }
            let outcome = blocking(&sent, size).await;
            assert!(outcome.upstream == sent, "{what} in pieces of {size}");
            assert!(outcome.client.is_empty() && outcome.worst.is_none(), "{what}: {outcome:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn control_frames_pass_a_message_that_is_held() {
    let sent = fragments(TEXT, "one two three", 5);
    let outcome = blocking(&sent, 4).await;
    let mut expected = frame(FIN | PING, b"p").repeat(2);
    expected.extend(frame(TEXT, "one t"));
    expected.extend(frame(0, "wo th"));
    expected.extend(frame(FIN, "ree"));
    assert_eq!(outcome.upstream, expected);
}

#[tokio::test(start_paused = true)]
async fn attacks_are_refused_in_every_fragmentation() {
    let json = format!(r#"{{"type":"say","text":"{ATTACK}"}}"#);
    let escaped = json.replace('\'', "\\u0027");
    for payload in [ATTACK, &json, &escaped, &format!("42[\"say\",{escaped}]")] {
        for opcode in [TEXT, BINARY] {
            for fragment in [1, 2, 7, payload.len()] {
                let first = frame(FIN | TEXT, "hello");
                let attack = fragments(opcode, payload, fragment);
                let sent = [&first[..], &attack, &frame(FIN | TEXT, "behind")].concat();
                for size in [1, 13, 1 << 16] {
                    let outcome = blocking(&sent, size).await;
                    let what = format!("{payload} as {opcode} in fragments of {fragment}, pieces of {size}");
                    assert_eq!(outcome.code(), Some(1008), "{what}");
                    assert_eq!(outcome.worst, Some(Disposition::Blocked), "{what}");
                    assert!(outcome.upstream.starts_with(&first), "{what}");
                    let is_ours = outcome.upstream.get(outcome.upstream.len() - 8..).unwrap_or_default();
                    assert!(is_ours.starts_with(&[0x88, 0x82]), "{what}: the upstream gets a close frame");
                    let pings = payload.len().div_ceil(fragment) - 1;
                    let allowed = first.len() + 7 * pings + 8;
                    assert!(outcome.upstream.len() <= allowed, "{what}: no part of it is forwarded");
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn attacks_are_reported_and_forwarded_in_detect_only() {
    let sent = [frame(FIN | TEXT, ATTACK), frame(FIN | TEXT, "hello")].concat();
    let outcome = converse((&sent, 1 << 16), b"", |_, route| route.settings.mode = Mode::DetectOnly).await;
    assert_eq!((outcome.upstream, outcome.worst), (sent, Some(Disposition::Detected)));
}

#[tokio::test(start_paused = true)]
async fn breaks_of_the_protocol_close_the_connection_in_every_mode() {
    let close = |code: u16, reason: &[u8]| frame(FIN | CLOSE_FRAME, [&code.to_be_bytes(), reason].concat());
    let fragment = frame(TEXT, "a");
    for (what, sent, code) in [
        ("an extension", frame(FIN | 0x40 | TEXT, "hello"), 1002),
        ("an unknown kind", frame(FIN | 3, "hello"), 1002),
        ("an unknown control kind", frame(FIN | 0xb, "hello"), 1002),
        ("no mask", vec![0x81, 1, b'a'], 1002),
        ("a long ping", frame(FIN | PING, [0; 126]), 1002),
        ("a fragmented ping", frame(PING, ""), 1002),
        ("a continuation of nothing", frame(FIN, "a"), 1002),
        ("a message in another", [&fragment[..], &frame(FIN | TEXT, "b")].concat(), 1002),
        ("a close frame of one byte", frame(FIN | CLOSE_FRAME, [3]), 1002),
        ("a close frame with a reserved code", close(1005, b""), 1002),
        ("a close frame with an unknown code", close(2000, b""), 1002),
        ("a close frame with broken text", close(1000, b"\xff"), 1007),
        ("text that is not UTF-8", frame(FIN | TEXT, [0xc0, 0xaf]), 1007),
        ("text that ends within a character", frame(FIN | TEXT, [b'a', 0xe6, 0x97]), 1007),
        ("a message beyond the limit", frame(FIN | BINARY, vec![0xff; 5_000]), 1009),
        ("fragments beyond the limit", [frame(BINARY, [0xff; 900]), frame(FIN, [0xff; 200])].concat(), 1009),
        ("a flood of pings", frame(FIN | PING, "").repeat(501), 1008),
        ("a flood of empty fragments", [frame(TEXT, ""), frame(0, "").repeat(501)].concat(), 1008),
    ] {
        for mode in [Mode::Blocking, Mode::DetectOnly] {
            for size in [1, 1 << 16] {
                let outcome = converse((&sent, size), b"", |_, route| {
                    route.settings.mode = mode;
                    route.settings.leaves.insert(Leaf::RequestValidationMaxBodySize);
                    route.settings.accept.max_body_size = 1_000;
                })
                .await;
                assert_eq!(outcome.code(), Some(code), "{what} {mode:?} {size}");
                assert_eq!(outcome.worst, Some(Disposition::Blocked), "{what} {mode:?} {size}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_valid_close_frame_is_the_last_that_the_upstream_gets() {
    for payload in [&b""[..], &[3, 0xe8], &[3, 0xe9, b'b', b'y', b'e'], &[0x0f, 0xa0]] {
        let close = frame(FIN | CLOSE_FRAME, payload);
        let sent = [&frame(TEXT, "a")[..], &close, &frame(FIN, ATTACK), &frame(FIN | 3, "")].concat();
        let outcome = blocking(&sent, 1 << 16).await;
        assert_eq!((outcome.upstream, outcome.worst), (close, None));
    }
}

#[tokio::test(start_paused = true)]
async fn a_close_frame_of_the_service_stands_between_frames_of_the_upstream() {
    let answer = [&[0x81, 5][..], b"hello", &[0x82, 126, 0x01, 0x00], &[7; 256]].concat();
    let outcome = converse((&frame(FIN | TEXT, ATTACK), 1 << 16), &answer, |_, _| {}).await;
    let borders = [0, 7, answer.len()];
    let received = outcome.client.len() - 4;
    assert!(borders.contains(&received), "{received}");
    assert_eq!((outcome.code(), &outcome.client[..received]), (Some(1008), &answer[..received]));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_never_whole_is_given_up() {
    let (mut client, ours) = duplex(1 << 16);
    let (_upstream, theirs) = duplex(1 << 16);
    let mut exchange = exchange(|_, _| {});
    exchange.context.add_route(crate::active_plan::RouteIndex(0));
    let proxy = proxy();
    client.write_all(&frame(TEXT, "a")).await.expect("taken");
    let ((client_reader, mut client_writer), (upstream_reader, mut upstream_writer)) =
        (split(ours), split(theirs));
    let (mut client_reader, mut upstream_reader) = (Reader::new(client_reader), Reader::new(upstream_reader));
    let began = tokio::time::Instant::now();
    let worst = run(
        Side { reader: &mut client_reader, writer: &mut client_writer },
        Side { reader: &mut upstream_reader, writer: &mut upstream_writer },
        Session { context: &exchange.context, proxy: &proxy, path: b"/" },
    )
    .await;
    assert_eq!(worst, Some(Disposition::Blocked));
    let lived = began.elapsed().as_secs();
    let limit = limits::WEBSOCKET_MESSAGE_SECONDS;
    assert!((limit..=limit + limits::WEBSOCKET_CLOSE_SECONDS).contains(&lived), "{lived} s");
}
