//! Messages in every form and cut: attacks, benign ones, marks in front of the content.

use std::sync::Arc;

use waf_shared::catalog::LeafSet;

use super::*;
use crate::Engine;
use crate::budget::Budget;
use crate::inspection::{Bounds, OnHit};

fn judge(engine: &Arc<Engine>, kind: MessageKind, message: &[u8], size: usize) -> Inspection {
    let leaves = LeafSet::defaults();
    let mut inspection =
        Inspection::new(Arc::clone(engine), leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    inspection.begin_message(b"/live", kind);
    for piece in message.chunks(size) {
        inspection.feed_message(piece);
    }
    inspection.finish_message(Completeness::Whole);
    inspection
}

/// The places of the findings, if the message blocks; the same in every cut.
fn places(kind: MessageKind, message: &[u8]) -> Option<Vec<String>> {
    let engine = Arc::new(crate::rules::engine());
    let found = |size: usize| {
        let inspection = judge(&engine, kind, message, size);
        let verdict = inspection.verdict();
        verdict.blocks().then(|| {
            let named = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
            verdict.matches.iter().map(|found| format!("{}:{}", found.place, named(&found.name))).collect()
        })
    };
    let whole: Option<Vec<String>> = found(message.len().max(1));
    for size in [1, 2, 3, 7, 64, 511] {
        assert_eq!(found(size), whole, "{size}: {}", message.escape_ascii());
    }
    whole
}

const ATTACK: &str = "1' union select password from users--";

#[test]
fn attacks_are_found_in_every_form_of_a_message() {
    let json = format!(r#"{{"type":"say","payload":{{"text":"{ATTACK}"}}}}"#);
    let escaped = format!(r#"{{"text":"{}"}}"#, ATTACK.replace('\'', "\\u0027").replace(' ', "\\u0020"));
    for (message, place) in [
        (ATTACK.to_owned(), "WS_MESSAGE:"),
        (json.clone(), "WS_MESSAGE:payload.text"),
        (escaped.clone(), "WS_MESSAGE:text"),
        (format!("42[\"say\",{escaped}]"), "WS_MESSAGE:text"),
        (format!("42/admin,17[\"say\",{escaped}]"), "WS_MESSAGE:text"),
        (format!("451-/admin,[\"say\",{escaped}]"), "WS_MESSAGE:text"),
        (format!("{{\"type\":6}}\u{1e}{escaped}\u{1e}"), "WS_MESSAGE:text"),
        (format!("\u{1e}{{\"type\":6}}\n\u{1e}{escaped}\n"), "WS_MESSAGE:text"),
        (format!("{{\"a\":1}}{escaped}"), "WS_MESSAGE:text"),
        (format!("{{\"a\":1}}\u{1e} no JSON \u{1e}{{\"a\":\"{ATTACK}\"}}"), "WS_MESSAGE:"),
        (format!("SEND\ndestination:/queue/a\n\n{escaped}\0"), "WS_MESSAGE:text"),
        (format!("SEND\r\nx:{ATTACK}\r\n\r\n{{}}\0"), "WS_MESSAGE:"),
        (format!("<say>{ATTACK}</say>"), "WS_MESSAGE:say"),
        (format!("text={}", ATTACK.replace(' ', "+").replace('\'', "%27")), "WS_MESSAGE:text"),
        (format!("[\"{}\"]", escaped.replace('\\', "\\\\").replace('"', "\\\"")), "WS_MESSAGE:.text"),
    ] {
        for kind in [MessageKind::Text, MessageKind::Binary] {
            let found = places(kind, message.as_bytes());
            let found = found.unwrap_or_else(|| panic!("{kind:?} {message:?} is not refused"));
            assert!(found.iter().all(|one| one.starts_with("WS_MESSAGE")), "{message:?}: {found:?}");
            assert!(found.iter().any(|one| one == place), "{message:?}: {found:?}");
        }
    }
}

#[test]
fn benign_messages_pass() {
    for message in [
        "",
        "2",
        "3probe",
        "40",
        "40/chat,{\"token\":\"eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl\"}",
        "42[\"say\",{\"text\":\"It's 5 o'clock -- or is it? Select a seat, union members first; drop by!\"}]",
        "{\"type\":\"subscribe\",\"id\":\"1\",\"payload\":{\"query\":\"subscription { a(id: \\\"7\\\") { b } }\"}}",
        "{\"protocol\":\"json\",\"version\":1}\u{1e}",
        "{\"arguments\":[\"O'Brien\",\"I'd select the blue one\"],\"target\":\"Send\",\"type\":1}\u{1e}",
        "CONNECT\naccept-version:1.2\nhost:shop.example\n\n\0",
        "SEND\ndestination:/app/chat\ncontent-type:text/plain\n\nhello & goodbye, <3\0",
        "[null,\"1\",\"room:lobby\",\"phx_join\",{}]",
        "GET UP AND GO\nnow",
        "2024-06-01T10:00:00Z,17.5,ok",
        "a=b&c=d e",
    ] {
        for kind in [MessageKind::Text, MessageKind::Binary] {
            assert_eq!(places(kind, message.as_bytes()), None, "{kind:?} {message:?}");
        }
    }
    let binary: Vec<u8> = (0..2_000_u32).map(|number| number.wrapping_mul(37).to_le_bytes()[0]).collect();
    assert_eq!(places(MessageKind::Binary, &binary), None);
}

#[test]
fn the_content_begins_behind_marks() {
    for (text, expected) in [
        ("42[\"a\"]", Content::At(2)),
        ("{\"a\":1}", Content::At(0)),
        ("42/a,7[", Content::At(6)),
        ("451-[", Content::At(4)),
        ("42 apples", Content::At(0)),
        ("42", Content::Unknown),
        ("42/room", Content::Unknown),
        ("SEND\na:b\n\nrest", Content::At(10)),
        ("SEND\r\na:b\r\n\r\nrest", Content::At(13)),
        ("SEND", Content::Unknown),
        ("Send\n\nx", Content::At(0)),
        ("SEND a\n\nx", Content::At(0)),
        ("\u{1e}{}", Content::At(1)),
    ] {
        assert_eq!(content(text.as_bytes(), false), expected, "{text:?}");
        assert_ne!(content(text.as_bytes(), true), Content::Unknown, "{text:?}");
    }
}
