//! The fate of a client's connection after an exchange, derived here and nowhere else: from what is left of the request
//! on the connection, from what its head says, and from whether the worker stops. Refusals have no say in it.

use crate::head::RequestHead;

/// The fate of a connection after an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConnectionFate {
    /// It may carry the next request.
    KeepAlive,
    /// It is closed once the client has had time to read the answer.
    Close,
    /// It is closed at once: the answer on it cannot be completed.
    Abort,
}

/// The request on a connection, as far as the next one depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestState {
    /// It was read to its end: the next byte begins the next request.
    Drained,
    /// Its framing is unknown or in doubt, or a part of it was not read. It must never be read as the next request.
    Undrained,
}

/// The fate of a connection whose answer was sent whole (RFC 9112 section 9.3). Without a head nothing is reused.
pub(super) fn derive(state: RequestState, head: Option<&RequestHead>, is_stopping: bool) -> ConnectionFate {
    if state == RequestState::Drained && !is_stopping && head.is_some_and(RequestHead::allows_next) {
        ConnectionFate::KeepAlive
    } else {
        ConnectionFate::Close
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::head::Version;

    fn head(text: &str) -> RequestHead {
        let text = format!("{text}\r\n\r\n");
        RequestHead::parse(Bytes::from(text)).expect("a valid head")
    }

    #[test]
    fn only_a_drained_request_of_a_willing_client_is_followed_by_another() {
        use RequestState::{Drained, Undrained};
        for (text, state, is_stopping, expected) in [
            ("GET / HTTP/1.1", Drained, false, ConnectionFate::KeepAlive),
            ("GET / HTTP/1.1\r\nConnection: keep-alive, TE", Drained, false, ConnectionFate::KeepAlive),
            ("GET / HTTP/1.0\r\nConnection: Keep-Alive", Drained, false, ConnectionFate::KeepAlive),
            ("GET / HTTP/1.1", Undrained, false, ConnectionFate::Close),
            ("GET / HTTP/1.1", Drained, true, ConnectionFate::Close),
            ("GET / HTTP/1.1\r\nConnection: CLOSE", Drained, false, ConnectionFate::Close),
            ("GET / HTTP/1.1\r\nConnection: x, close", Drained, false, ConnectionFate::Close),
            ("GET / HTTP/1.1\r\nConnection: x\r\nConnection: close", Drained, false, ConnectionFate::Close),
            ("GET / HTTP/1.0", Drained, false, ConnectionFate::Close),
            ("GET / HTTP/1.0\r\nConnection: keep-alive, close", Drained, false, ConnectionFate::Close),
            ("GET / HTTP/1.0\r\nConnection: Keep-Alive", Undrained, false, ConnectionFate::Close),
        ] {
            assert_eq!(derive(state, Some(&head(text)), is_stopping), expected, "{text:?} {state:?}");
        }
        assert_eq!(derive(Drained, None, false), ConnectionFate::Close);
    }

    #[test]
    fn a_stream_of_http2_leaves_its_connection_to_the_protocol() {
        let fields: &[(&[u8], &[u8])] = &[(b"host", b"a")];
        let head = RequestHead::assemble(b"GET", b"/", Version::Http2, fields, true);
        assert_eq!(derive(RequestState::Drained, Some(&head), false), ConnectionFate::KeepAlive);
        assert_eq!(derive(RequestState::Drained, Some(&head), true), ConnectionFate::Close);
        assert_eq!(derive(RequestState::Undrained, Some(&head), false), ConnectionFate::Close);
    }
}
