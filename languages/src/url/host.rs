//! Where a host leads: to the machine itself, to its network, to the service that tells a cloud machine its secrets. Hosts
//! are read as `inet_aton` and browsers read them: numbers in any base, any number of parts, any spelling.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::fold::{HOST_BYTES_MAX, fold};

/// Where a host leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressClass {
    /// A cloud's metadata service.
    Metadata,
    /// The machine itself, by number or by name.
    Loopback,
    /// The machine's own network.
    Internal,
    /// A name of somebody else's that resolves to whatever the name says.
    Rebinding,
    /// An address of the internet.
    PublicAddress,
    /// A name.
    Name,
    /// Nowhere.
    Nothing,
}

/// What a host means.
#[derive(Debug, Clone, Copy)]
pub struct Address {
    /// The class of the address.
    pub class: AddressClass,
    /// Written in a way that hides where it leads.
    pub disguised: bool,
    /// Given by number.
    pub numeric: bool,
}

/// Reads a host.
pub fn host(host: &[u8]) -> Address {
    let mut buffer = [0; HOST_BYTES_MAX];
    let Some((name, folded)) = fold(host, &mut buffer) else {
        return Address { class: AddressClass::Name, disguised: false, numeric: false };
    };
    let name = name.strip_suffix(b".").unwrap_or(name);
    let text = std::str::from_utf8(name).unwrap_or_default();
    if let Some((address, odd)) = version_4(text) {
        return Address { class: class_of_v4(address), disguised: odd || folded, numeric: true };
    }
    if let Some((class, mapped)) = version_6(text) {
        return Address { class, disguised: mapped || folded, numeric: true };
    }
    Address { class: reach_by_name(text), disguised: folded, numeric: false }
}

/// One to four numbers in decimal, octal or hexadecimal; whether they are written otherwise than four plain ones.
fn version_4(text: &str) -> Option<(Ipv4Addr, bool)> {
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let parts = text.split('.').count();
    if parts > 4 {
        return None;
    }
    let mut odd = parts != 4;
    let mut address = 0_u128;
    for (nth, part) in text.split('.').enumerate() {
        let (value, plain) = number(part)?;
        odd |= !plain;
        if nth + 1 == parts {
            address = (address << (8 * (5 - parts))) + value;
            odd |= parts == 4 && value > 255;
        } else {
            odd |= value > 255;
            address = (address << 8) + (value & 0xff);
        }
    }
    // Whoever computes with 32 bits forgets the rest.
    Some((Ipv4Addr::from(u32::try_from(address & 0xffff_ffff).ok()?), odd))
}

/// A number, and whether it is a plain decimal.
fn number(part: &str) -> Option<(u128, bool)> {
    let lower = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
    match lower {
        Some("") => Some((0, false)),
        Some(hex) => Some((u128::from_str_radix(hex, 16).ok()?, false)),
        None if part.len() > 1 && part.starts_with('0') => Some((u128::from_str_radix(part, 8).ok()?, false)),
        None => Some((part.parse::<u64>().ok()?.into(), true)),
    }
}

fn class_of_v4(address: Ipv4Addr) -> AddressClass {
    match address.octets() {
        [169, 254, 169, 254]
        | [169, 254, 170, 2]
        | [169, 254, 0, 23]
        | [100, 100, 100, 200]
        | [192, 0, 0, 192]
        | [168, 63, 129, 16] => AddressClass::Metadata,
        [127 | 0, ..] => AddressClass::Loopback,
        [10, ..] | [192, 168, ..] | [169, 254, ..] => AddressClass::Internal,
        [172, second, ..] if second & 0xf0 == 16 => AddressClass::Internal,
        [100, second, ..] if second & 0xc0 == 64 => AddressClass::Internal,
        _ => AddressClass::PublicAddress,
    }
}

/// An address of version 6, in brackets or not, with or without a zone; whether it hides one of version 4.
fn version_6(text: &str) -> Option<(AddressClass, bool)> {
    let inner = text.strip_prefix('[').map_or(text, |rest| rest.strip_suffix(']').unwrap_or(rest));
    if !inner.contains(':') {
        return None;
    }
    let inner = inner.split('%').next().unwrap_or_default();
    let address: Ipv6Addr = inner.parse().ok()?;
    let segments = address.segments();
    let low = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    Some(match segments {
        _ if address.is_loopback() || address.is_unspecified() => (AddressClass::Loopback, false),
        [0xfd00, 0xec2, .., 0x254] | [0xfd20, 0xce, .., 0x254] => (AddressClass::Metadata, false),
        // Mapped, compatible, translated, and 6to4.
        [0, 0, 0, 0, 0, 0xffff | 0, a, b] | [0x64, 0xff9b, 0, 0, 0, 0, a, b] | [0x2002, a, b, ..] => {
            (class_of_v4(low(a, b)), true)
        }
        [first, ..] if first & 0xe000 != 0x2000 => (AddressClass::Internal, false),
        _ => (AddressClass::PublicAddress, false),
    })
}

/// Names of the machine itself.
const LOOPBACK: &[&str] = &[
    "broadcasthost",
    "ip6-allnodes",
    "ip6-allrouters",
    "ip6-localhost",
    "ip6-loopback",
    "ipv6-localhost",
    "ipv6-loopback",
    "localhost",
    "localhost.localdomain",
    "localhost4",
    "localhost4.localdomain4",
    "localhost6",
    "localhost6.localdomain6",
    "loopback",
];

/// Names of metadata services.
const METADATA: &[&str] = &[
    "alibaba.zstack.internal",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.azure.internal",
    "metadata.google.internal",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
    "rancher-metadata",
];

/// Domains whose names resolve within a network.
const INTERNAL: &[&str] =
    &["cluster.local", "default.svc", "internal", "kubernetes.default", "localdomain", "consul"];

/// Domains whose names resolve to the address that the name spells, or to the machine itself.
const REBINDING: &[&str] = &[
    "1u.ms",
    "lacolhost.com",
    "localdomain.pw",
    "localtest.me",
    "lvh.me",
    "nip.io",
    "rbndr.us",
    "rebind.network",
    "sslip.io",
    "vcap.me",
    "xip.io",
    "fuf.me",
    "traefik.me",
    "local.gd",
    "localho.st",
];

fn reach_by_name(name: &str) -> AddressClass {
    let under = |domains: &[&str]| {
        domains.iter().any(|domain| {
            name.strip_suffix(domain).is_some_and(|head| head.is_empty() || head.ends_with('.'))
        })
    };
    if !name.contains(|byte: char| byte.is_ascii_alphanumeric()) {
        AddressClass::Nothing
    } else if METADATA.contains(&name) {
        AddressClass::Metadata
    } else if LOOPBACK.contains(&name) || name.ends_with(".localhost") {
        AddressClass::Loopback
    } else if under(REBINDING) {
        AddressClass::Rebinding
    } else if under(INTERNAL) && name.contains('.') {
        AddressClass::Internal
    } else {
        AddressClass::Name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_every_spelling() {
        use AddressClass::{Internal, Loopback, Metadata, PublicAddress};
        for (text, class, disguised) in [
            ("169.254.169.254", Metadata, false),
            ("2852039166", Metadata, true),
            ("7147006462", Metadata, true),
            ("0xA9.0xFE.0xA9.0xFE", Metadata, true),
            ("0251.00376.000251.0000376", Metadata, true),
            ("169.254.43518", Metadata, true),
            ("169.16689662", Metadata, true),
            ("0x41414141A9FEA9FE", Metadata, true),
            ("[::ffff:a9fe:a9fe]", Metadata, true),
            ("[0:0:0:0:0:ffff:169.254.169.254]", Metadata, true),
            ("①⑥⑨.②⑤④.⑯⑨｡②⑤④", Metadata, true),
            ("⓪ⓧⓐ⑨｡⓪ⓧⓕⓔ｡⓪ⓧⓐ⑨｡⓪ⓧⓕⓔ", Metadata, true),
            ("169。254。169。254", Metadata, true),
            ("127.1", Loopback, true),
            ("0177.0.0.01", Loopback, true),
            ("127.0.0.1", Loopback, false),
            ("0.0.0.0", Loopback, false),
            ("[::]", Loopback, false),
            ("[0000::1]", Loopback, false),
            ("ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", Loopback, true),
            ("3232235777", Internal, true),
            ("[fe80::1:2:3:4%eth0]", Internal, false),
            ("[fe80::1%zone1]", Internal, false),
            ("8.8.8.8", PublicAddress, false),
            ("[2606:4700::1111]", PublicAddress, false),
        ] {
            let address = host(text.as_bytes());
            assert_eq!((address.class, address.disguised), (class, disguised), "{text}");
        }
    }

    #[test]
    fn names_are_known() {
        for (text, class) in [
            ("LOCALHOST", AddressClass::Loopback),
            ("metadata.google.internal", AddressClass::Metadata),
            ("127.127.127.127.nip.io", AddressClass::Rebinding),
            ("kubernetes.default.svc.cluster.local", AddressClass::Internal),
            ("gateway.docker.internal", AddressClass::Internal),
            ("example.org", AddressClass::Name),
            ("mylocalhost", AddressClass::Name),
            ("internal", AddressClass::Name),
            ("...", AddressClass::Nothing),
            ("1and1.example", AddressClass::Name),
        ] {
            assert_eq!(host(text.as_bytes()).class, class, "{text}");
        }
    }
}
