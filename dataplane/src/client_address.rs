//! Who the client is: the TCP peer, or whom trusted proxies name in `X-Forwarded-For` or `Forwarded` (RFC 7239). It
//! knows header values and addresses, nothing of connections or routes.
//!
//! Both headers are read from the right, because only what a trusted proxy added is true and proxies add at the right.
//! `X-Forwarded-For` is read where both are sent: it is the one that balancers maintain, while the other passes through
//! many of them as the client wrote it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use waf_shared::plan::Cidr;

/// Proxies that are followed. Honest chains have a handful; what is longer ends at the last one followed.
const HOPS_MAX: usize = 64;

/// Reports whether `address` lies in one of the `trusted` ranges.
pub fn is_trusted(address: IpAddr, trusted: &[Cidr]) -> bool {
    let octets = match address.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    };
    trusted.iter().any(|range| range.contains(octets))
}

/// The client of a connection from `peer`, whose request carried these values of `X-Forwarded-For` and `Forwarded`, in
/// the order of the head. What an untrusted peer says is not looked at. IPv4-mapped addresses come out as IPv4.
pub fn client_address(
    peer: IpAddr,
    trusted: &[Cidr],
    x_forwarded_for: &[&[u8]],
    forwarded: &[&[u8]],
) -> IpAddr {
    let peer = peer.to_canonical();
    if !is_trusted(peer, trusted) {
        return peer;
    }
    if x_forwarded_for.iter().any(|value| !value.trim_ascii().is_empty()) {
        let hops = x_forwarded_for.iter().rev().flat_map(|value| value.rsplit(|byte| *byte == b','));
        walk(peer, trusted, hops, node)
    } else {
        let hops = forwarded.iter().rev().flat_map(|value| rsplit_unquoted(value, b','));
        walk(peer, trusted, hops, forwarded_for)
    }
}

/// The value of `X-Forwarded-For` for the upstream: what a trusted `peer` sent, and the peer; or the peer alone.
pub fn x_forwarded_for(peer: IpAddr, trusted: &[Cidr], received: &[&[u8]]) -> Vec<u8> {
    let peer = peer.to_canonical();
    let mut value = Vec::new();
    if is_trusted(peer, trusted) {
        for part in received.iter().map(|part| part.trim_ascii()).filter(|part| !part.is_empty()) {
            value.extend_from_slice(part);
            value.extend_from_slice(b", ");
        }
    }
    value.extend_from_slice(peer.to_string().as_bytes());
    value
}

/// Goes from hop to hop, to the first that is not trusted. One that cannot be read, or that hides itself, ends the walk
/// at the hop that named it.
fn walk<'h>(
    peer: IpAddr,
    trusted: &[Cidr],
    hops: impl Iterator<Item = &'h [u8]>,
    read: fn(&[u8]) -> Option<IpAddr>,
) -> IpAddr {
    let mut client = peer;
    // Empty list elements are allowed and mean nothing (RFC 9110, 5.6.1).
    for hop in hops.map(<[u8]>::trim_ascii).filter(|hop| !hop.is_empty()).take(HOPS_MAX) {
        let Some(address) = read(hop) else { break };
        client = address;
        if !is_trusted(client, trusted) {
            break;
        }
    }
    client
}

/// The address that one element of `Forwarded` names as the client of that hop. None when it names none, or two.
fn forwarded_for(element: &[u8]) -> Option<IpAddr> {
    let mut found = None;
    for pair in rsplit_unquoted(element, b';') {
        let equals = memchr::memchr(b'=', pair)?;
        let (name, value) = pair.split_at_checked(equals)?;
        if name.trim_ascii().eq_ignore_ascii_case(b"for") {
            if found.is_some() {
                return None;
            }
            found = Some(unquoted(value.get(1..)?.trim_ascii())?);
        }
    }
    node(found?)
}

/// Content of a quoted-string, or the token itself. No address needs an escape, so a value with one is none.
fn unquoted(value: &[u8]) -> Option<&[u8]> {
    let inner = match value.strip_prefix(b"\"") {
        Some(rest) => rest.strip_suffix(b"\"")?,
        None => value,
    };
    (!inner.contains(&b'"') && !inner.contains(&b'\\')).then_some(inner)
}

/// An address with or without brackets and port; not `unknown`, nor an obfuscated name.
fn node(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text.trim_ascii()).ok()?;
    let address = if let Some(bracketed) = text.strip_prefix('[') {
        let (address, port) = bracketed.split_once(']')?;
        let port_is_valid = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
        IpAddr::V6(port_is_valid.then(|| address.parse::<Ipv6Addr>().ok())??)
    } else if let Ok(address) = text.parse::<IpAddr>() {
        address
    } else {
        let (address, port) = text.split_once(':')?;
        IpAddr::V4(is_port(port).then(|| address.parse::<Ipv4Addr>().ok())??)
    };
    Some(address.to_canonical())
}

/// A port, or an obfuscated one.
fn is_port(port: &str) -> bool {
    let obfuscated =
        |rest: &str| rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    let number = || port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
    !port.is_empty() && (number() || port.strip_prefix('_').is_some_and(obfuscated))
}

/// Parts of `value` between `separator`s outside quotes, from the right: a quote that a client left open further left
/// cannot swallow what a proxy added.
fn rsplit_unquoted(value: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(value);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut quoted = false;
        let at = (0..text.len()).rev().find(|at| {
            let byte = text.get(*at).copied();
            if byte == Some(b'"') && !is_escaped(text, *at) {
                quoted = !quoted;
            }
            !quoted && byte == Some(separator)
        });
        let (left, part) = match at.and_then(|at| text.split_at_checked(at)) {
            Some((left, right)) => (Some(left), right.get(1..).unwrap_or_default()),
            None => (None, text),
        };
        rest = left;
        Some(part)
    })
}

/// Reports whether a backslash stands before `at`. Two of them are as good as one here: no address has any.
fn is_escaped(text: &[u8], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'\\')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

    use proptest::prelude::*;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// `10.0.0.0/8` and `2001:db8:aa::/48`.
    fn trusted() -> Vec<Cidr> {
        let range = |address: &str, prefix_bits| {
            let address = match ip(address) {
                IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
                IpAddr::V6(address) => address.octets(),
            };
            Cidr { address, prefix_bits }
        };
        vec![range("10.0.0.0", 96 + 8), range("2001:db8:aa::", 48)]
    }

    fn bytes<'t>(values: &[&'t str]) -> Vec<&'t [u8]> {
        values.iter().map(|value| value.as_bytes()).collect()
    }

    #[test]
    fn x_forwarded_for_is_read_from_the_right() {
        for (peer, values, client) in [
            ("203.0.113.5", &["198.51.100.1"][..], "203.0.113.5"),
            ("::ffff:203.0.113.5", &[], "203.0.113.5"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &[""], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.9.9.9"], "198.51.100.1"),
            ("10.0.0.1", &["1.1.1.1", "198.51.100.1 ,10.9.9.9", ", ,"], "198.51.100.1"),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1"),
            ("10.0.0.1", &["2001:db8::7"], "2001:db8::7"),
            ("10.0.0.1", &["[2001:db8::7]:443"], "2001:db8::7"),
            ("2001:db8:aa::1", &["::ffff:198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["198.51.100.1, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1, unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["1.1.1.1, 300.0.0.1"], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1:port"], "10.0.0.1"),
        ] {
            assert_eq!(
                client_address(ip(peer), &trusted(), &bytes(values), &[]),
                ip(client),
                "{peer} {values:?}"
            );
        }
    }

    #[test]
    fn forwarded_is_read_from_the_right() {
        for (values, client) in [
            (&["for=198.51.100.1"][..], "198.51.100.1"),
            (&["For=198.51.100.1;proto=https;by=10.0.0.1"], "198.51.100.1"),
            (&["proto=https; for = \"198.51.100.1:80\""], "198.51.100.1"),
            (&["for=1.1.1.1, for=198.51.100.1, for=10.0.0.2"], "198.51.100.1"),
            (&["for=\"[2001:db8:cafe::17]:4711\""], "2001:db8:cafe::17"),
            (&["for=\"[2001:db8:cafe::17]:_port\""], "2001:db8:cafe::17"),
            (&["for=1.1.1.1", "for=198.51.100.1"], "198.51.100.1"),
            (&["for=198.51.100.1;host=\"a,b;c\""], "198.51.100.1"),
            // A quote that the client left open ends at what the proxy added.
            (&["for=\"evil, for=198.51.100.1"], "198.51.100.1"),
            (&["for=\"evil, for=\"[2001:db8::7]\""], "2001:db8::7"),
            (&["for=198.51.100.1, for=_hidden"], "10.0.0.1"),
            (&["for=198.51.100.1, for=unknown, for=10.0.0.2"], "10.0.0.2"),
            (&["for=198.51.100.1, proto=https"], "10.0.0.1"),
            (&["for=198.51.100.1;for=1.1.1.1"], "10.0.0.1"),
            (&["for=\"198.51.100\\.1\""], "10.0.0.1"),
            (&["for"], "10.0.0.1"),
        ] {
            assert_eq!(
                client_address(ip("10.0.0.1"), &trusted(), &[], &bytes(values)),
                ip(client),
                "{values:?}"
            );
        }
        let untrusted = client_address(ip("203.0.113.5"), &trusted(), &[], &[b"for=198.51.100.1"]);
        assert_eq!(untrusted, ip("203.0.113.5"));
    }

    #[test]
    fn of_both_headers_the_maintained_one_counts() {
        let client = client_address(ip("10.0.0.1"), &trusted(), &[b"198.51.100.1"], &[b"for=1.1.1.1"]);
        assert_eq!(client, ip("198.51.100.1"));
    }

    #[test]
    fn long_chains_end() {
        let value = vec!["10.0.0.7"; 100_000].join(",");
        assert_eq!(client_address(ip("10.0.0.1"), &trusted(), &[value.as_bytes()], &[]), ip("10.0.0.7"));
    }

    #[test]
    fn the_upstream_is_told_what_is_known() {
        for (peer, received, sent) in [
            ("203.0.113.5", &["1.1.1.1"][..], "203.0.113.5"),
            ("::ffff:203.0.113.5", &[], "203.0.113.5"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["1.1.1.1, 2.2.2.2", " ", "unknown "], "1.1.1.1, 2.2.2.2, unknown, 10.0.0.1"),
        ] {
            let value = x_forwarded_for(ip(peer), &trusted(), &bytes(received));
            assert_eq!(String::from_utf8_lossy(&value), sent);
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(
            forwarded in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..4),
            like in prop::collection::vec("[\"\\\\,;=for\\[\\]:.0-9 ]{0,60}", 0..4),
        ) {
            for values in [forwarded.iter().map(Vec::as_slice).collect::<Vec<_>>(), like.iter().map(String::as_bytes).collect()] {
                client_address(ip("10.0.0.1"), &trusted(), &values, &[]);
                client_address(ip("10.0.0.1"), &trusted(), &[], &values);
                x_forwarded_for(ip("10.0.0.1"), &trusted(), &values);
            }
        }

        #[test]
        fn what_a_proxy_appends_cannot_be_hidden(client in "[ -~]{0,60}", address in any::<u32>()) {
            let address = IpAddr::V4(Ipv4Addr::from(address));
            prop_assume!(!is_trusted(address, &trusted()));
            // A client can end its own part with a backslash or an open quote; neither reaches over the comma.
            let listed = format!("{client}, {address}");
            prop_assert_eq!(client_address(ip("10.0.0.1"), &trusted(), &[listed.as_bytes()], &[]), address);
            for element in [format!("for={address}"), format!("for=\"{address}\"")] {
                let value = format!("{client}, {element}");
                let found = client_address(ip("10.0.0.1"), &trusted(), &[], &[value.as_bytes()]);
                prop_assert_eq!(found, address, "{}", value);
            }
        }
    }
}
