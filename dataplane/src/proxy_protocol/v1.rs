//! Version 1: one line of ASCII (section 2.1 of the specification).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::sender::Sender;

/// First bytes of the line.
pub(super) const PREFIX: &[u8] = b"PROXY ";

/// Bytes of the longest line, its end included.
pub(super) const LINE_BYTES_MAX: usize = 107;

/// Reads a line with its CRLF; none if it is malformed.
pub(super) fn parse(line: &[u8]) -> Option<Sender> {
    let line =
        line.strip_suffix(b"\r\n").filter(|line| line.iter().all(|byte| (b' '..=b'~').contains(byte)))?;
    let rest = std::str::from_utf8(line.strip_prefix(PREFIX)?).ok()?;
    // What follows UNKNOWN is to be ignored.
    if rest == "UNKNOWN" || rest.starts_with("UNKNOWN ") {
        return Some(Sender::Unknown);
    }
    let mut words = rest.split(' ');
    let (family, source, target) = (words.next()?, words.next()?, words.next()?);
    let (source_port, _) = (port(words.next()?)?, port(words.next()?)?);
    let (source, _) = match family {
        "TCP4" => (v4(source)?, v4(target)?),
        "TCP6" => (v6(source)?, v6(target)?),
        _ => return None,
    };
    words.next().is_none().then_some(Sender::Address(SocketAddr::new(source, source_port)))
}

fn v4(text: &str) -> Option<IpAddr> {
    text.parse::<Ipv4Addr>().ok().map(IpAddr::V4)
}

fn v6(text: &str) -> Option<IpAddr> {
    text.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
}

/// Digits without a leading zero.
fn port(text: &str) -> Option<u16> {
    let is_canonical =
        text == "0" || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
    text.parse().ok().filter(|_| is_canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_to_the_letter_are_read() {
        for (line, expected) in [
            ("PROXY TCP4 192.0.2.1 198.51.100.2 4711 443\r\n", Some("192.0.2.1:4711")),
            ("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", Some("255.255.255.255:65535")),
            ("PROXY TCP4 192.0.2.1 198.51.100.2 0 443\r\n", Some("192.0.2.1:0")),
            ("PROXY TCP6 2001:db8::1 2001:DB8::2 1 2\r\n", Some("[2001:db8::1]:1")),
            ("PROXY TCP6 ::1 ::1 1 2\r\n", Some("[::1]:1")),
            ("PROXY UNKNOWN\r\n", None),
            ("PROXY UNKNOWN ffff:f:f ignored 65535\r\n", None),
        ] {
            let expected =
                expected.map_or(Sender::Unknown, |text| Sender::Address(text.parse().expect("an address")));
            assert_eq!(parse(line.as_bytes()), Some(expected), "{line}");
        }
    }

    #[test]
    fn anything_else_is_malformed() {
        for line in [
            "",
            "\r\n",
            "PROXY \r\n",
            "PROXY",
            "proxy TCP4 192.0.2.1 198.51.100.2 4711 443\r\n",
            "PROXY tcp4 192.0.2.1 198.51.100.2 4711 443\r\n",
            "PROXY UNKNOWNX\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.2 4711 443\n",
            "PROXY TCP4 192.0.2.1 198.51.100.2 4711 443",
            "PROXY TCP4 192.0.2.1 198.51.100.2 4711\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.2 4711 443 \r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.2 4711 443 x\r\n",
            "PROXY  TCP4 192.0.2.1 198.51.100.2 4711 443\r\n",
            "PROXY TCP4\t192.0.2.1 198.51.100.2 4711 443\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.2 04711 443\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.2 +4711 443\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.2 65536 443\r\n",
            "PROXY TCP4 192.0.2.1 198.51.100.2 -1 443\r\n",
            "PROXY TCP4 192.0.2.01 198.51.100.2 4711 443\r\n",
            "PROXY TCP4 192.0.2 198.51.100.2 4711 443\r\n",
            "PROXY TCP4 192.0.2.1 2001:db8::2 4711 443\r\n",
            "PROXY TCP4 2001:db8::1 2001:db8::2 4711 443\r\n",
            "PROXY TCP6 192.0.2.1 198.51.100.2 4711 443\r\n",
            "PROXY TCP6 [2001:db8::1] [2001:db8::2] 4711 443\r\n",
            "PROXY TCP6 fe80::1%eth0 2001:db8::2 4711 443\r\n",
            "PROXY UDP4 192.0.2.1 198.51.100.2 4711 443\r\n",
            "PROXY UNKNOWN \0\r\n",
            "PROXY UNKNOWN\r\nGET / HTTP/1.1\r\n",
        ] {
            assert_eq!(parse(line.as_bytes()), None, "{line:?}");
        }
    }
}
