//! The opening handshake (RFC 6455 sections 4.1 and 4.2): whether both sides agreed on WebSocket without extensions.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

use crate::head::{RequestHead, ResponseHead};

/// Appended to the key of a client before it is hashed.
const ACCEPT_SUFFIX: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Characters of a key: 16 bytes in base64.
const KEY_CHARACTERS: usize = 24;
/// The only version.
const VERSION: &[u8] = b"13";

/// Returns `true` for the protocol, with or without a version.
pub(crate) fn is_named(protocol: &[u8]) -> bool {
    protocol.split(|byte| *byte == b'/').next().is_some_and(|name| name.eq_ignore_ascii_case(b"websocket"))
}

/// Reports whether `response` completes the handshake that `request` asks for. No extension may be in it: none was offered.
pub(crate) fn is_agreed(request: &RequestHead, response: &ResponseHead) -> bool {
    let mut keys = request.fields.all("sec-websocket-key");
    let mut versions = request.fields.all("sec-websocket-version");
    let mut accepts = response.fields.all("sec-websocket-accept");
    let (Some(key), None) = (keys.next(), keys.next()) else { return false };
    let (Some(accepted), None) = (accepts.next(), accepts.next()) else { return false };
    versions.next() == Some(VERSION)
        && versions.next().is_none()
        && response.fields.tokens("upgrade").count() == 1
        && response.fields.first("sec-websocket-extensions").is_none()
        && key.len() == KEY_CHARACTERS
        && accepted == accept(key).as_slice()
}

/// The answer to a key.
fn accept(key: &[u8]) -> Vec<u8> {
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, &[key, ACCEPT_SUFFIX].concat());
    base64(hash.as_ref())
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (place, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let index = usize::try_from(bits >> shift & 63).unwrap_or_default();
            let character = ALPHABET.get(index).copied().unwrap_or(b'=');
            out.push(if place > three.len() { b'=' } else { character });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    /// The example of RFC 6455 section 1.3.
    const KEY: &str = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    const ACCEPT: &str = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
    const VERSION: &str = "Sec-WebSocket-Version: 13\r\n";

    fn agreed(asked: &str, chosen: &str) -> bool {
        let request = format!("GET /live HTTP/1.1\r\nHost: a\r\n{asked}\r\n");
        let response = format!("HTTP/1.1 101 Switching Protocols\r\n{chosen}\r\n");
        let request = RequestHead::parse(Bytes::from(request)).expect("a good head");
        let response = ResponseHead::parse(Bytes::from(response)).expect("a good head");
        is_agreed(&request, &response)
    }

    #[test]
    fn only_a_whole_handshake_is_agreed() {
        let upgrade = "Upgrade: websocket\r\n";
        let asked = format!("{KEY}{VERSION}");
        assert!(agreed(&asked, &format!("{upgrade}{ACCEPT}")));
        assert!(agreed(&asked, &format!("Upgrade: WebSocket\r\n{ACCEPT}Sec-WebSocket-Protocol: chat\r\n")));
        for (what, asked, chosen) in [
            ("no key", VERSION.to_owned(), format!("{upgrade}{ACCEPT}")),
            ("two keys", format!("{KEY}{asked}"), format!("{upgrade}{ACCEPT}")),
            ("no version", KEY.to_owned(), format!("{upgrade}{ACCEPT}")),
            ("an old version", format!("{KEY}Sec-WebSocket-Version: 8\r\n"), format!("{upgrade}{ACCEPT}")),
            ("no answer to the key", asked.clone(), upgrade.to_owned()),
            ("two answers", asked.clone(), format!("{upgrade}{ACCEPT}{ACCEPT}")),
            (
                "another answer",
                asked.clone(),
                format!("{upgrade}Sec-WebSocket-Accept: {}\r\n", "A".repeat(28)),
            ),
            ("an extension", asked.clone(), format!("{upgrade}{ACCEPT}Sec-WebSocket-Extensions: x\r\n")),
            ("two protocols", asked.clone(), format!("Upgrade: websocket, x\r\n{ACCEPT}")),
        ] {
            assert!(!agreed(&asked, &chosen), "{what}");
        }
    }

    #[test]
    fn the_protocol_is_known_in_any_case() {
        for name in ["websocket", "WebSocket", "WEBSOCKET/13"] {
            assert!(is_named(name.as_bytes()), "{name}");
        }
        for name in ["", "web", "websockets", "x/websocket"] {
            assert!(!is_named(name.as_bytes()), "{name}");
        }
    }
}
