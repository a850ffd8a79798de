//! A `Host` that is an address. Scanners that walk address ranges send it, and so do intranets and probes: a hint, no more.

use std::net::{Ipv4Addr, Ipv6Addr};

use waf_shared::catalog::Leaf;

use super::facts::{Facts, Finding};
use crate::field::Places;
use crate::rule::{Rule, Test};

pub(super) static NUMERIC_ADDRESS: Rule = Rule {
    id: "http-compliance-host-header/numeric-address",
    leaf: Leaf::HttpComplianceHostHeader,
    weight: 2,
    places: Places::HEADERS,
    test: Test::Head,
    summary: "The Host is a numeric address instead of a name.",
    attacks: &[
        "GET / HTTP/1.1\nHost: 203.0.113.7\n\n",
        "GET / HTTP/1.1\nHost: 203.0.113.7:8080\n\n",
        "GET / HTTP/1.1\nHost: [2001:db8::1]\n\n",
    ],
    everyday: &[
        "GET / HTTP/1.1\nHost: shop.example\n\n",
        "GET / HTTP/1.1\nHost: 7.shop.example:8080\n\n",
        "GET / HTTP/1.1\nHost: localhost:3000\n\n",
    ],
};

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<Finding<'a>>) {
    if let Some(host) = facts.host.first.filter(|host| is_address(host)) {
        found.push(Finding::new(&NUMERIC_ADDRESS, "host", host));
    }
}

fn is_address(host: &[u8]) -> bool {
    if let Some(rest) = host.strip_prefix(b"[") {
        let inner = rest.split(|byte| *byte == b']').next().unwrap_or_default();
        return str::from_utf8(inner).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok());
    }
    // The last label decides at once for names.
    let name = without_port(host);
    name.last().is_some_and(u8::is_ascii_digit)
        && str::from_utf8(name).is_ok_and(|text| text.parse::<Ipv4Addr>().is_ok())
}

/// The host of an authority; an address in brackets keeps them.
pub(super) fn without_port(authority: &[u8]) -> &[u8] {
    let from = memchr::memchr(b']', authority).unwrap_or(0);
    let port = authority.get(from..).and_then(|rest| memchr::memchr(b':', rest));
    port.and_then(|at| authority.get(..from + at)).unwrap_or(authority)
}
