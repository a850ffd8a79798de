//! Version 2: a binary header (section 2.2 of the specification).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::sender::Sender;

/// First bytes of the header.
pub(super) const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";

/// Bytes behind the signature: version and command, family and transport, length of the rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fixed {
    version_command: u8,
    family: u8,
    /// Bytes of addresses and TLVs.
    pub(super) length: usize,
}

impl Fixed {
    pub(super) fn new([version_command, family, high, low]: [u8; 4]) -> Fixed {
        Fixed { version_command, family, length: usize::from(u16::from_be_bytes([high, low])) }
    }

    /// Reads addresses and TLVs; none if they are malformed.
    pub(super) fn parse(self, rest: &[u8]) -> Option<Sender> {
        match self.version_command {
            // LOCAL: the proxy speaks for itself, and the rest is to be ignored.
            0x20 => return Some(Sender::Proxy),
            0x21 => {}
            _ => return None,
        }
        let (sender, tlvs) = match self.family {
            // Unspecified: the rest is to be ignored.
            0x00 => return Some(Sender::Unknown),
            0x11 => v4(rest)?,
            0x21 => v6(rest)?,
            // A UNIX socket has no address that means anything here.
            0x31 => (Sender::Unknown, rest.get(UNIX_BYTES..)?),
            // No datagram comes over a connection.
            _ => return None,
        };
        are_whole(tlvs).then_some(sender)
    }
}

/// Two paths of UNIX sockets.
const UNIX_BYTES: usize = 216;

fn v4(rest: &[u8]) -> Option<(Sender, &[u8])> {
    let (source, rest) = rest.split_first_chunk::<4>()?;
    let (_, rest) = rest.split_first_chunk::<4>()?;
    let (port, tlvs) = ports(rest)?;
    Some((Sender::Address(SocketAddr::new(IpAddr::V4(Ipv4Addr::from(*source)), port)), tlvs))
}

fn v6(rest: &[u8]) -> Option<(Sender, &[u8])> {
    let (source, rest) = rest.split_first_chunk::<16>()?;
    let (_, rest) = rest.split_first_chunk::<16>()?;
    let (port, tlvs) = ports(rest)?;
    Some((Sender::Address(SocketAddr::new(IpAddr::V6(Ipv6Addr::from(*source)), port)), tlvs))
}

/// The port of the source, and what follows the ports.
fn ports(rest: &[u8]) -> Option<(u16, &[u8])> {
    let ([high, low, _, _], tlvs) = rest.split_first_chunk::<4>()?;
    Some((u16::from_be_bytes([*high, *low]), tlvs))
}

/// Reports whether TLVs fill the rest to its end. Their values mean nothing here.
fn are_whole(mut tlvs: &[u8]) -> bool {
    while let Some(([_, high, low], rest)) = tlvs.split_first_chunk::<3>() {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let Some(after) = rest.get(length..) else { return false };
        tlvs = after;
    }
    tlvs.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const V4: [u8; 12] = [192, 0, 2, 1, 198, 51, 100, 2, 0x12, 0x67, 1, 187];

    fn read(version_command: u8, family: u8, rest: &[u8]) -> Option<Sender> {
        let length = u16::try_from(rest.len()).expect("short").to_be_bytes();
        Fixed::new([version_command, family, length[0], length[1]]).parse(rest)
    }

    fn address(text: &str) -> Sender {
        Sender::Address(text.parse().expect("an address"))
    }

    #[test]
    fn addresses_are_read_and_tlvs_are_passed_over() {
        let mut v6 = Ipv6Addr::LOCALHOST.octets().to_vec();
        v6.extend(Ipv6Addr::UNSPECIFIED.octets());
        v6.extend([0, 1, 0, 2]);
        let with = |tlvs: &[u8]| [&V4, tlvs].concat();
        assert_eq!(read(0x21, 0x11, &V4), Some(address("192.0.2.1:4711")));
        assert_eq!(read(0x21, 0x21, &v6), Some(address("[::1]:1")));
        for tlvs in [&[4, 0, 0][..], &[1, 0, 2, b'h', b'2'], &[0xea, 0, 1, 0, 3, 0, 4, 1, 2, 3, 4]] {
            assert_eq!(read(0x21, 0x11, &with(tlvs)), Some(address("192.0.2.1:4711")), "{tlvs:?}");
        }
        assert_eq!(read(0x20, 0x00, &[]), Some(Sender::Proxy));
        assert_eq!(read(0x20, 0x11, &V4), Some(Sender::Proxy), "LOCAL ignores the rest");
        assert_eq!(read(0x20, 0xff, &[1, 2, 3]), Some(Sender::Proxy));
        assert_eq!(read(0x21, 0x00, &[1, 2, 3]), Some(Sender::Unknown));
        assert_eq!(read(0x21, 0x31, &[0; UNIX_BYTES]), Some(Sender::Unknown));
    }

    #[test]
    fn anything_else_is_malformed() {
        let with = |tlvs: &[u8]| [&V4, tlvs].concat();
        for (version_command, family, rest) in [
            (0x11, 0x11, V4.to_vec()),
            (0x31, 0x11, V4.to_vec()),
            (0x22, 0x11, V4.to_vec()),
            (0x2f, 0x11, V4.to_vec()),
            (0x01, 0x11, V4.to_vec()),
            (0x21, 0x10, V4.to_vec()),
            (0x21, 0x12, V4.to_vec()),
            (0x21, 0x13, V4.to_vec()),
            (0x21, 0x22, vec![0; 36]),
            (0x21, 0x32, vec![0; UNIX_BYTES]),
            (0x21, 0x41, V4.to_vec()),
            (0x21, 0x11, V4[..11].to_vec()),
            (0x21, 0x11, Vec::new()),
            (0x21, 0x21, V4.to_vec()),
            (0x21, 0x21, vec![0; 35]),
            (0x21, 0x31, vec![0; UNIX_BYTES - 1]),
            (0x21, 0x11, with(&[4])),
            (0x21, 0x11, with(&[4, 0])),
            (0x21, 0x11, with(&[4, 0, 1])),
            (0x21, 0x11, with(&[4, 0xff, 0xff, 0])),
            (0x21, 0x11, with(&[4, 0, 0, 4])),
        ] {
            assert_eq!(read(version_command, family, &rest), None, "{version_command:x} {family:x} {rest:?}");
        }
    }
}
