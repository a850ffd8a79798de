//! Fields by which HTTP/1 says what a message means for its own hop (RFC 9112 sections 6, 7.4 and 9.6).

use crate::head::{Delimited, Hop, Version};
use crate::wire::push_field;

/// Appends the fields of `hop` for a receiver of `version`.
pub(crate) fn write(hop: &Hop, version: Version, out: &mut Vec<u8>) {
    if hop.delimited == Delimited::Message {
        push_field(out, b"Transfer-Encoding", b"chunked");
    }
    if hop.takes_trailers {
        push_field(out, b"TE", b"trailers");
    }
    for protocols in &hop.upgrade {
        push_field(out, b"Upgrade", protocols);
    }
    let options = [
        (hop.takes_trailers, &b"TE"[..]),
        (!hop.upgrade.is_empty(), b"Upgrade"),
        (hop.closes, b"close"),
        (!hop.closes && version.announces_persistence(), b"keep-alive"),
    ];
    let mut chosen = options.into_iter().filter_map(|(is_chosen, option)| is_chosen.then_some(option));
    if let Some(first) = chosen.next() {
        out.extend_from_slice(b"Connection: ");
        out.extend_from_slice(first);
        for option in chosen {
            out.extend_from_slice(b", ");
            out.extend_from_slice(option);
        }
        out.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_is_a_field_or_an_option() {
        let upgrade = || vec![b"websocket".to_vec()];
        for (hop, version, expected) in [
            (Hop::default(), Version::Http11, ""),
            (Hop::default(), Version::Http10, "Connection: keep-alive\r\n"),
            (Hop { closes: true, ..Hop::default() }, Version::Http11, "Connection: close\r\n"),
            (Hop { closes: true, ..Hop::default() }, Version::Http10, "Connection: close\r\n"),
            (
                Hop { delimited: Delimited::Message, ..Hop::default() },
                Version::Http11,
                "Transfer-Encoding: chunked\r\n",
            ),
            (
                Hop { delimited: Delimited::Connection, closes: true, ..Hop::default() },
                Version::Http10,
                "Connection: close\r\n",
            ),
            (
                Hop { takes_trailers: true, ..Hop::default() },
                Version::Http11,
                "TE: trailers\r\nConnection: TE\r\n",
            ),
            (
                Hop { takes_trailers: true, upgrade: upgrade(), ..Hop::default() },
                Version::Http11,
                "TE: trailers\r\nUpgrade: websocket\r\nConnection: TE, Upgrade\r\n",
            ),
            (
                Hop { upgrade: upgrade(), ..Hop::default() },
                Version::Http11,
                "Upgrade: websocket\r\nConnection: Upgrade\r\n",
            ),
        ] {
            let mut out = Vec::new();
            write(&hop, version, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{hop:?}");
        }
    }
}
