//! Whole exchanges that end here, over a connection in memory.

use waf_shared::plan::Mode;

use super::testing::{self, exchange, proxy};
use super::{ConnectionFate, Exchange};

const POST: &str = "POST /a HTTP/1.1\nHost: a\nContent-Type: application/json\nContent-Length: ";

/// Runs a request that the service answers itself: the fate of its connection, the status, and whether the answer
/// announces that the connection closes.
async fn run(lines: &str, rest: &[u8], exchange: &mut Exchange) -> (ConnectionFate, u16, bool) {
    let (fate, answer) = testing::run(lines, rest, exchange, &proxy()).await;
    let status = answer.get(9..12).and_then(|status| status.parse().ok()).expect("an answer has a status");
    (fate, status, answer.contains("\r\nConnection: close\r\n"))
}

/// A refusal never leaves a part of a request on a connection that goes on, whichever stage refuses.
#[tokio::test]
async fn a_connection_outlives_a_refusal_only_when_the_request_was_read() {
    use ConnectionFate::{Close, KeepAlive};
    let attack = "GET /?q=1'+union+select+password+from+users-- HTTP/1.1\nHost: a";
    let chunked = "POST / HTTP/1.1\nHost: a\nContent-Type: application/json\nTransfer-Encoding: chunked";
    let with = |lines: &str, more: &str| format!("{lines}{more}");
    let json: &[u8] = br#"{"q":"1' union select password from users--"}"#;
    let json_chunk = [&b"2d\r\n"[..], json, b"\r\n0\r\n\r\nGET /"].concat();
    for (lines, rest, status, fate) in [
        (attack.to_owned(), &b"GET / HTTP/1.1\r\n\r\n"[..], 403, KeepAlive),
        (with(attack, "\nConnection: close"), b"", 403, Close),
        (with(attack, "\nContent-Length: 0"), b"", 403, KeepAlive),
        // Refused by the head, while a body is still on the connection.
        (with(attack, "\nContent-Type: a/b\nContent-Length: 3"), b"abc", 403, Close),
        (with(POST, "3").replace("/a", "/?q=%3Cscript%3Ealert(1)%3C/script%3E"), b"abc", 403, Close),
        ("TRACE / HTTP/1.1\nHost: a".to_owned(), b"", 405, KeepAlive),
        ("TRACE / HTTP/1.1\nHost: a\nContent-Length: 3".to_owned(), b"abc", 405, Close),
        ("GET / HTTP/1.1".to_owned(), b"", 400, KeepAlive),
        (with(POST, "9999999"), b"", 413, Close),
        // Refused by the body: before its end was read, or at it.
        (with(POST, "45"), json, 403, Close),
        (with(chunked, ""), &json_chunk, 403, Close),
        (with(POST, "6"), b"{\"a\":1", 403, KeepAlive),
        (with(chunked, ""), b"6\r\n{\"a\":1\r\n0\r\n\r\nGET /", 403, KeepAlive),
        (with(chunked, ""), b"2\r\n{}\r\nx", 400, Close),
        (with(POST, "3\nContent-Encoding: x-unknown"), b"abc", 415, Close),
        // Framing in doubt: no byte behind the head is trusted.
        (with(POST, "3\nTransfer-Encoding: chunked"), b"abc", 400, Close),
        (with(POST, "3\nContent-Length: 3"), b"abc", 400, Close),
        ("GET / HTTP/1.1\nHost: a\nConnection: host".to_owned(), b"", 400, Close),
        ("CONNECT a:80 HTTP/1.1\nHost: a:80".to_owned(), b"", 405, Close),
        ("GET http://b/ HTTP/1.1\nHost: a".to_owned(), b"", 400, Close),
    ] {
        let mut exchange = exchange(|_, _| {});
        let got = run(&lines, rest, &mut exchange).await;
        assert_eq!(got, (fate, status, fate == Close), "{lines:?} {:?}", String::from_utf8_lossy(rest));
    }
}

#[tokio::test]
async fn a_stop_closes_connections() {
    let proxy = proxy();
    proxy.drain(std::time::Duration::ZERO).await;
    let mut exchange = exchange(|_, _| {});
    let (fate, answer) = testing::run("TRACE / HTTP/1.1\nHost: a", b"", &mut exchange, &proxy).await;
    assert_eq!(fate, ConnectionFate::Close);
    assert!(answer.contains("\r\nConnection: close\r\n"), "{answer}");
}

#[tokio::test]
async fn clients_of_http10_are_answered_in_their_terms() {
    for (lines, fate, connection) in [
        ("TRACE / HTTP/1.0\nHost: a", ConnectionFate::Close, "close"),
        ("TRACE / HTTP/1.0\nHost: a\nConnection: keep-alive", ConnectionFate::KeepAlive, "keep-alive"),
    ] {
        let (got, answer) = testing::run(lines, b"", &mut exchange(|_, _| {}), &proxy()).await;
        assert_eq!(got, fate, "{lines:?}");
        assert!(answer.contains(&format!("\r\nConnection: {connection}\r\n")), "{answer}");
    }
}

#[tokio::test]
async fn detection_alone_refuses_what_cannot_be_forwarded() {
    for (lines, rest, status) in [
        ("CONNECT a:80 HTTP/1.1\nHost: a:80", &b""[..], 405),
        ("GET / HTTP/1.1\nHost: a\nHost: b", b"", 400),
        ("POST / HTTP/1.1\nHost: a\nContent-Type: a/b\nTransfer-Encoding: chunked", b"zz\r\n", 400),
    ] {
        let mut exchange = exchange(|_, route| route.settings.mode = Mode::DetectOnly);
        assert_eq!(run(lines, rest, &mut exchange).await.1, status, "{lines:?}");
    }
}
