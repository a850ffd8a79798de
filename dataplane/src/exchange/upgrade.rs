//! Upgrades (RFC 9110 section 7.8): which protocols a client may ask the upstream for, and whether the upstream chose
//! one of them. It knows no socket; what follows a switch is the business of [`super::tunnel`].

use waf_shared::catalog::Leaf;

use super::admit::Admitted;
use super::context::RequestContext;
use crate::head::ResponseHead;
use crate::http1::head::is_token;
use crate::websocket;

/// Names of protocols that carry HTTP: requests in them would reach the upstream unseen.
const CARRY_HTTP: &[&str] = &["http", "h2", "h2c", "h3", "tls"];

/// The protocols that are asked for on the client's behalf; none unless this is a GET without a body.
pub(super) fn asked(admitted: &Admitted) -> Vec<&[u8]> {
    let head = &admitted.head;
    if head.method() != b"GET" || admitted.carries_body() || !head.asks_for_switch() {
        return Vec::new();
    }
    head.fields.tokens("upgrade").filter(|protocol| is_tunnelled(protocol)).collect()
}

/// Reports whether messages of a WebSocket are inspected, which the client asks for: extensions that change frames are not
/// offered to the upstream then.
pub(super) fn is_inspected(admitted: &Admitted, context: &RequestContext) -> bool {
    context.settings().leaves.contains(Leaf::WebsocketMessages)
        && asked(admitted).iter().any(|protocol| websocket::is_named(protocol))
}

/// Reports whether the upstream chose WebSocket.
pub(super) fn is_websocket(response: &ResponseHead) -> bool {
    response.fields.tokens("upgrade").any(websocket::is_named)
}

/// Reports whether the upstream's 101 chose nothing but what was asked for.
pub(super) fn is_agreed(response: &ResponseHead, asked: &[&[u8]]) -> bool {
    let mut chosen = response.fields.tokens("upgrade").peekable();
    chosen.peek().is_some() && chosen.all(|c| asked.iter().any(|protocol| protocol.eq_ignore_ascii_case(c)))
}

fn is_tunnelled(protocol: &[u8]) -> bool {
    let mut parts = protocol.split(|b| *b == b'/');
    let (name, version) = (parts.next().unwrap_or_default(), parts.next());
    let is_name = |text: &[u8]| !text.is_empty() && text.iter().all(|b| is_token(*b));
    is_name(name)
        && version.is_none_or(is_name)
        && parts.next().is_none()
        && !CARRY_HTTP.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn protocols_that_carry_http_are_not_asked_for() {
        for protocol in ["websocket", "WebSocket", "IRC/6.9", "x"] {
            assert!(is_tunnelled(protocol.as_bytes()), "{protocol}");
        }
        for protocol in ["h2c", "H2C", "HTTP/2.0", "http", "TLS/1.2", "", "a b", "a/", "/1", "a/b/c", "a;b"] {
            assert!(!is_tunnelled(protocol.as_bytes()), "{protocol}");
        }
    }

    #[test]
    fn only_what_was_asked_for_is_agreed() {
        let agreed = |fields: &str| {
            let text = format!("HTTP/1.1 101 Switching Protocols\r\n{fields}\r\n");
            let head = ResponseHead::parse(Bytes::from(text)).expect("a good head");
            is_agreed(&head, &[b"websocket"])
        };
        assert!(agreed("Upgrade: WebSocket\r\n"));
        for fields in ["", "Upgrade: h2c\r\n", "Upgrade: websocket, h2c\r\n", "Upgrade:\r\n"] {
            assert!(!agreed(fields), "{fields:?}");
        }
    }
}
