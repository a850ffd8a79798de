//! Malformed messages: each is refused, and its connection carries nothing more.

use waf_tests::origin::Origin;
use waf_tests::raw::{self, Connection, Response};
use waf_tests::running::{self, to_upstream};

fn with_global(origin: &Origin, global: &str) -> String {
    format!("{}global:\n{global}", to_upstream(&origin.url()))
}

/// Messages that two readers could read in two ways, or that are not HTTP at all.
const MALFORMED: &[(&str, &str)] = &[
    ("bare LF", "GET / HTTP/1.1\nHost: a\n\n"),
    ("one bare LF", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"),
    ("bare CR in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n"),
    ("NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n"),
    ("space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
    ("space before a framing field's colon", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nhello"),
    ("obsolete folding", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"),
    ("folding of the first field", "GET / HTTP/1.1\r\n Host: a\r\nHost: b\r\n\r\n"),
    ("a field without a colon", "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n"),
    ("a field without a name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
    ("a name that is no token", "GET / HTTP/1.1\r\nHost: a\r\nX(y): b\r\n\r\n"),
    ("no version", "GET /\r\nHost: a\r\n\r\n"),
    ("two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("a tab", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("a space at the end", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
    ("lower case version", "GET / http/1.1\r\nHost: a\r\n\r\n"),
    ("HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n"),
    ("HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
    ("HTTP/01.1", "GET / HTTP/01.1\r\nHost: a\r\n\r\n"),
    ("a method that is no token", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("a control character in the target", "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("DEL in the target", "GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("a target without a slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("an asterisk for a GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("user information", "GET http://u:p@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    ("the same host twice", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
    ("a host that is none", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    ("a host with user information", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"),
    ("a list of hosts", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
    (
        "length and chunks",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ),
    (
        "chunks and length",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n",
    ),
    ("two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
    (
        "the same length twice",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    ),
    ("a list of lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nhello"),
    ("a signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello"),
    ("a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\nhello"),
    ("a length in hexadecimal", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\nhello"),
    ("an empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\nhello"),
    (
        "a length beyond 64 bits",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\nhello",
    ),
    ("identity", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n"),
    ("gzip, chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    ("chunked twice", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
    (
        "chunked in two fields",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ),
    (
        "chunked and identity",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    ),
    ("xchunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    ("quoted chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
    (
        "chunked with a control character",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    ),
    ("chunks in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (
        "Connection takes out a framing field",
        "POST / HTTP/1.1\r\nHost: a\r\nConnection: Content-Length\r\nContent-Length: 5\r\n\r\nhello",
    ),
    ("Connection takes out the Host", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close, Host\r\n\r\n"),
];

/// Bodies whose chunks are not to the letter.
const MALFORMED_CHUNKS: &[(&str, &str)] = &[
    ("a size that is no number", "x\r\nhello\r\n0\r\n\r\n"),
    ("an empty size", "\r\nhello\r\n0\r\n\r\n"),
    ("a negative size", "-5\r\nhello\r\n0\r\n\r\n"),
    ("a size with a prefix", "0x5\r\nhello\r\n0\r\n\r\n"),
    ("a size with a space before it", " 5\r\nhello\r\n0\r\n\r\n"),
    ("a size beyond 64 bits", "fffffffffffffffff\r\nhello\r\n0\r\n\r\n"),
    ("bare LF after the size", "5\nhello\r\n0\r\n\r\n"),
    ("bare LF after the data", "5\r\nhello\n0\r\n\r\n"),
    ("no line end after the data", "5\r\nhello0\r\n\r\n"),
    ("data longer than its size", "3\r\nhello\r\n0\r\n\r\n"),
    ("bare CR in an extension", "5;a\rb\r\nhello\r\n0\r\n\r\n"),
    ("bare LF in an extension", "5;a\nb\r\nhello\r\n0\r\n\r\n"),
    ("a framing field as trailer", "5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n"),
    ("a trailer that is no field", "5\r\nhello\r\n0\r\nnonsense\r\n\r\n"),
];

/// The request behind a malformed message on its connection. It must never be answered.
const NEXT: &str = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

#[test]
fn malformed_messages_are_refused_and_their_connection_closed() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let chunks = MALFORMED_CHUNKS.iter().map(|(what, body)| {
        let head =
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n";
        (*what, format!("{head}{body}"))
    });
    let messages: Vec<(&str, String)> =
        MALFORMED.iter().map(|(what, message)| (*what, (*message).to_owned())).chain(chunks).collect();
    let mut wrong = Vec::new();
    for (what, message) in &messages {
        match refused(waf.port, message) {
            Ok(()) if origin.take().is_empty() => {}
            Ok(()) => wrong.push(format!("{what}: forwarded")),
            Err(why) => {
                origin.take();
                wrong.push(format!("{what}: {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), messages.len(), wrong.join("\n"));
    let events = waf.wait_events(messages.len());
    assert_eq!(events.len(), messages.len(), "one event each");
    assert!(events.iter().all(|event| event["http_response"]["code"] == 400));
}

fn refused(port: u16, message: &str) -> Result<(), String> {
    let mut connection = Connection::open(port).map_err(|fault| fault.to_string())?;
    connection.send(format!("{message}{NEXT}")).map_err(|fault| fault.to_string())?;
    let response: Response = connection.response().map_err(|fault| fault.to_string())?;
    if response.status != 400 {
        return Err(format!("status {}", response.status));
    }
    if response.json()["error"] != "blocked" {
        return Err(format!("body {}", response.text()));
    }
    let rest = connection.rest().unwrap_or_default();
    if !rest.is_empty() {
        return Err(format!("a second answer: {}", rest.escape_ascii()));
    }
    Ok(())
}

#[test]
fn what_is_not_http_has_an_event_without_a_method() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    raw::send(waf.port, "\u{16}\u{3}\u{1} hello\r\n\r\n").expect("a response");
    let event = waf.wait_events(1).remove(0);
    assert_eq!(event["http_request"]["http_method"], "UNKNOWN");
    assert_eq!(event["activity_id"], 99);
    assert_eq!(event["http_request"]["url"]["path"], "/");
}

#[test]
fn some_things_are_refused_in_every_mode() {
    let origin = Origin::start();
    let waf = running::waf(&with_global(&origin, "  mode: detect_only\n"));
    let target = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(65_534));
    assert_eq!(raw::send(waf.port, target).expect("a response").status, 414);
    let head =
        format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", format!("X: {}\r\n", "v".repeat(65_000)).repeat(17));
    assert_eq!(raw::send(waf.port, head).expect("a response").status, 431);
    let fields = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: v\r\n".repeat(10_000));
    assert_eq!(raw::send(waf.port, fields).expect("a response").status, 431);
    for (what, message) in MALFORMED.iter().take(8) {
        assert_eq!(raw::send(waf.port, message).expect("a response").status, 400, "{what}");
    }
    assert!(origin.requests().is_empty());
}
