//! HTTP/2 connections that cost more than they bring: ended by the configured bounds, with one event, in both modes,
//! while others are served.

use std::io;
use std::time::Instant;

use serde_json::Value;
use waf_tests::frames::{
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, Frames, GOAWAY, HEADERS, PING,
    PRIORITY, REFUSED_STREAM, RST_STREAM, SETTINGS, WINDOW_UPDATE, block, frame, get,
};
use waf_tests::origin::{Answer, Gate, Origin};
use waf_tests::polling;
use waf_tests::raw::Request;
use waf_tests::running::{self, Waf, to_upstream};

const MODES: [&str; 2] = ["blocking", "detect_only"];

fn waf(origin: &Origin, mode: &str, protocol: &str) -> Waf {
    let global = format!("global:\n  mode: {mode}\n  disable: [http2]\n  protocol: {{{protocol}}}\n");
    running::waf(&format!("{}{global}", to_upstream(&origin.url())))
}

fn leaf(event: &Value) -> &str {
    event["waf"]["matched_protections"][0].as_str().expect("a name")
}

/// Sends `frames` until the connection is ended; returns the code of GOAWAY when one came.
fn flood(waf: &Waf, frames: impl Iterator<Item = Vec<u8>>) -> Option<u32> {
    let mut client = Frames::open(waf.port);
    for bytes in frames {
        match client.push(&bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => panic!("nobody reads: {error}"),
            Err(_) => break,
        }
    }
    client.until(GOAWAY).map(|goaway| goaway.code())
}

#[test]
fn floods_are_ended_with_one_event() {
    let head = block(&get("/"));
    let open = frame(HEADERS, END_HEADERS, 1, &block(&[&get("/")[1..], &[(":method", "POST")]].concat()));
    let streams = || (0..5_000u32).map(|n| 2 * n + 1);
    let floods: Vec<(&str, Vec<u8>)> = vec![
        (
            "rapid reset",
            streams()
                .flat_map(|id| {
                    let request = frame(HEADERS, END_HEADERS | END_STREAM, id, &head);
                    [request, frame(RST_STREAM, 0, id, &8u32.to_be_bytes())].concat()
                })
                .collect(),
        ),
        (
            "resets that we are made to send",
            streams()
                .flat_map(|id| {
                    let request = frame(HEADERS, END_HEADERS | END_STREAM, id, &head);
                    [request, frame(WINDOW_UPDATE, 0, id, &0x7fff_ffffu32.to_be_bytes())].concat()
                })
                .collect(),
        ),
        ("SETTINGS", frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 100]).repeat(2_000)),
        ("PING", frame(PING, 0, 0, b"abcdefgh").repeat(20_000)),
        ("PRIORITY", streams().flat_map(|id| frame(PRIORITY, 0, id, &[0, 0, 0, 0, 1])).collect()),
        ("WINDOW_UPDATE", frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1]).repeat(20_000)),
        ("unknown", frame(0xbb, 0, 0, b"x").repeat(20_000)),
        ("empty DATA", [open, frame(DATA, 0, 1, b"").repeat(2_000)].concat()),
    ];
    for mode in MODES {
        let origin = Origin::start();
        let waf = waf(&origin, mode, "");
        for (at, (name, bytes)) in floods.iter().enumerate() {
            let before = waf.events().len();
            assert_eq!(flood(&waf, std::iter::once(bytes.clone())), Some(ENHANCE_YOUR_CALM), "{name}");
            let about = |events: Vec<Value>| {
                let new = events.into_iter().skip(before).filter(|event| leaf(event) == "http2-frame-flood");
                new.collect::<Vec<_>>()
            };
            let events = polling::until(name, || Some(about(waf.events())).filter(|e| !e.is_empty()));
            assert_eq!((events.len(), &events[0]["disposition_id"]), (1, &2.into()), "{name}");
            assert_eq!(Request::get("/").to(waf.port).status, 200, "after {name}, {at}");
        }
    }
}

#[test]
fn continuation_frames_are_counted_as_configured() {
    for mode in MODES {
        let origin = Origin::start();
        let waf = waf(&origin, mode, "http2_max_continuation_frames: 3");
        let parts = |count: usize| {
            let mut bytes = frame(HEADERS, END_STREAM, 1, &block(&get("/")));
            for at in 1..=count {
                let flags = if at == count { END_HEADERS } else { 0 };
                bytes.extend(frame(CONTINUATION, flags, 1, &block(&[("x-a", "1")])));
            }
            bytes
        };
        let mut client = Frames::open(waf.port);
        client.push(&parts(3)).expect("sent");
        assert!(client.end_of(1).is_some_and(|frame| frame.kind != RST_STREAM));
        assert_eq!(flood(&waf, std::iter::once(parts(4))), Some(ENHANCE_YOUR_CALM));
        let events = waf.wait_events(1);
        assert_eq!((events.len(), leaf(&events[0])), (1, "http2-frame-flood"));
        assert_eq!(origin.requests().len(), 1);
    }
}

#[test]
fn header_blocks_are_measured_decoded_as_configured() {
    for mode in MODES {
        let origin = Origin::start();
        let waf = waf(&origin, mode, "http2_max_decoded_header_bytes: 8192");
        let fields = |bytes: usize| {
            let value = "a".repeat(bytes - "x-a".len() - 32);
            let base: usize = get("/").iter().map(|(n, v)| n.len() + v.len() + 32).sum();
            let value = value.get(base..).expect("room").to_owned();
            block(&[&get("/")[..], &[("x-a", value.as_str())]].concat())
        };
        let request = |bytes| frame(HEADERS, END_HEADERS | END_STREAM, 1, &fields(bytes));
        let mut client = Frames::open(waf.port);
        client.push(&request(8_192)).expect("sent");
        assert!(client.end_of(1).is_some_and(|frame| frame.kind != RST_STREAM));
        assert_eq!(flood(&waf, std::iter::once(request(8_193))), Some(ENHANCE_YOUR_CALM));
        // A table entry that is named again and again: small on the wire, large once decoded.
        let mut bomb = block(&get("/"));
        bomb.extend([&[0x40, 3][..], b"x-a", &[0x7f, 0x81, 0x06], &[b'a'; 896], &[0xbe; 4_000]].concat());
        assert_eq!(
            flood(&waf, std::iter::once(frame(HEADERS, END_HEADERS | END_STREAM, 1, &bomb))),
            Some(ENHANCE_YOUR_CALM)
        );
        let events = waf.wait_events(2);
        assert_eq!(events.iter().map(leaf).collect::<Vec<_>>(), ["http2-header-bomb"; 2]);
    }
}

#[test]
fn streams_are_counted_as_configured() {
    for mode in MODES {
        let gate = Gate::new();
        let closed = gate.clone();
        let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
        let waf = waf(&origin, mode, "http2_max_concurrent_streams: 3");
        let mut client = Frames::open(waf.port);
        let settings = client.until(SETTINGS).expect("SETTINGS");
        assert!(settings.payload.chunks(6).any(|setting| setting == [0, 3, 0, 0, 0, 3]), "{settings:?}");
        for stream in [1, 3, 5, 7, 9] {
            client.request(stream, &get("/"));
        }
        for stream in [7, 9] {
            let reset = client.until(RST_STREAM).expect("a reset");
            assert_eq!((reset.stream, reset.code()), (stream, REFUSED_STREAM));
        }
        gate.open();
        let mut ended: Vec<_> = std::iter::from_fn(|| client.next_frame())
            .filter(|frame| frame.kind == DATA && frame.flags & END_STREAM != 0)
            .take(3)
            .map(|frame| frame.stream)
            .collect();
        ended.sort_unstable();
        assert_eq!(ended, [1, 3, 5]);
        client.request(11, &get("/"));
        assert!(client.end_of(11).is_some_and(|frame| frame.kind != RST_STREAM), "there is room again");
        let events = waf.wait_events(1);
        assert_eq!((events.len(), leaf(&events[0])), (1, "http2-max-streams"));
    }
}

#[test]
fn what_the_protocol_forbids_ends_the_connection_with_an_event() {
    let head = block(&get("/"));
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (
            "an interrupted header block",
            [frame(HEADERS, END_STREAM, 1, &head), frame(PING, 0, 0, &[0; 8])].concat(),
        ),
        ("CONTINUATION alone", frame(CONTINUATION, END_HEADERS, 1, &head)),
        ("padding beyond the frame", frame(HEADERS, END_HEADERS | 8, 1, &[200, 0x82])),
        ("no HPACK", frame(HEADERS, END_HEADERS | END_STREAM, 1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
        ("a frame too large", frame(DATA, 0, 1, &vec![0; 16_385])),
        ("a stream of the server's", frame(HEADERS, END_HEADERS | END_STREAM, 2, &head)),
        ("DATA on an idle stream", frame(DATA, 0, 1, b"x")),
        ("a window overrun", frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0xff, 0xff, 0xff])),
        ("PING of seven bytes", frame(PING, 0, 0, &[0; 7])),
        ("SETTINGS on a stream", frame(SETTINGS, 0, 1, &[])),
    ];
    let origin = Origin::start();
    let waf = waf(&origin, "blocking", "");
    for (at, (name, bytes)) in cases.iter().enumerate() {
        let code = flood(&waf, std::iter::once(bytes.clone()));
        assert!(code.is_some_and(|code| code != 0), "{name}: {code:?}");
        let events = waf.wait_events(at + 1);
        assert_eq!(
            (events.len(), leaf(&events[at])),
            (at + 1, "http-compliance-malformed-request-line"),
            "{name}"
        );
    }
    assert!(origin.requests().is_empty());
}

#[test]
fn a_header_block_without_its_end_is_not_waited_for() {
    let origin = Origin::start();
    let waf = waf(&origin, "blocking", "slow_request_header_timeout: 2s");
    let begun = Instant::now();
    let mut client = Frames::open(waf.port);
    client.send(HEADERS, END_STREAM, 1, &block(&get("/"))).expect("sent");
    assert_eq!(client.until(GOAWAY).map(|goaway| goaway.code()), Some(ENHANCE_YOUR_CALM));
    assert!(begun.elapsed().as_secs() < 8, "{:?}", begun.elapsed());
    assert_eq!(leaf(&waf.wait_events(1)[0]), "request-validation-slow-clients");
}

#[test]
fn a_window_that_stays_shut_is_not_waited_for() {
    let origin = Origin::answering(|_| Answer::ok(vec![b'x'; 1 << 20]));
    let waf = waf(&origin, "blocking", "");
    let mut client = Frames::with_settings(waf.port, &[(4, 0)]);
    client.request(1, &get("/"));
    client.request(3, &get("/"));
    let begun = Instant::now();
    let resets: Vec<_> = std::iter::from_fn(|| client.until(RST_STREAM)).take(2).collect();
    assert_eq!(resets.len(), 2);
    let took = begun.elapsed().as_secs();
    assert!((8..16).contains(&took), "{took}");
    client.send(SETTINGS, ACK, 0, &[]).expect("the connection itself goes on");
}
