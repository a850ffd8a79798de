//! A `Host` that is an address. Scanners that walk address ranges send it, and so do intranets and probes: a hint, no more.
//! In another notation than the usual one it is an attack: clients write addresses in their usual form (RFC 3986
//! section 3.2.2), and the other notations exist to pass a list of hosts.

use std::net::{Ipv4Addr, Ipv6Addr};

use waf_shared::catalog::Leaf;

use super::facts::{Facts, Finding};
use crate::field::Places;
use crate::lang::url;
use crate::rule::{Rule, RuleMatcher, STRONG};

pub(super) static NUMERIC_ADDRESS: Rule = Rule {
    id: "http-compliance-host-header/numeric-address",
    leaf: Leaf::HttpComplianceHostHeader,
    weight: 2,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Host is a numeric address instead of a name.",
    attacks: &[
        "GET / HTTP/1.1\nHost: 203.0.113.7\n\n",
        "GET / HTTP/1.1\nHost: 203.0.113.7:8080\n\n",
        "GET / HTTP/1.1\nHost: [2001:db8::1]\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\n\n",
        "GET / HTTP/1.1\nHost: 7.shop.example:8080\n\n",
        "GET / HTTP/1.1\nHost: localhost:3000\n\n",
    ],
};

pub(super) static DISGUISED_ADDRESS: Rule = Rule {
    id: "http-compliance-host-header/disguised-address",
    leaf: Leaf::HttpComplianceHostHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Host is an address in a notation that hides which one it is.",
    attacks: &[
        "GET / HTTP/1.1\nHost: 0x7f000001\n\n",
        "GET / HTTP/1.1\nHost: 2130706433:8080\n\n",
        "GET / HTTP/1.1\nHost: 0177.0.0.1\n\n",
        "GET / HTTP/1.1\nHost: 127.1\n\n",
        "GET / HTTP/1.1\nHost: 0x7f.0.0.0x1:80\n\n",
        "GET / HTTP/1.1\nHost: 169.254.43518\n\n",
        "GET / HTTP/1.1\nHost: 127.0.0.01.\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: 127.0.0.1:8080\n\n",
        "GET / HTTP/1.1\nHost: [::1]:8080\n\n",
        "GET / HTTP/1.1\nHost: [::ffff:192.0.2.1]\n\n",
        "GET / HTTP/1.1\nHost: 0x7f.example\n\n",
        "GET / HTTP/1.1\nHost: 3.shop.example\n\n",
        "GET / HTTP/1.1\nHost: 1e100.net\n\n",
        "GET / HTTP/1.1\nHost: 4f2a9c01b7d3:3000\n\n",
    ],
};

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<Finding<'a>>) {
    let Some(host) = facts.host.first else { return };
    if is_address(host) {
        found.push(Finding::new(&NUMERIC_ADDRESS, "host", host));
    } else if is_disguised(host) {
        found.push(Finding::new(&DISGUISED_ADDRESS, "host", host));
    }
}

/// Whether a host is an address of version 4 in other numbers than four decimal ones.
fn is_disguised(host: &[u8]) -> bool {
    if !host.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let address = url::host(without_port(host));
    address.numeric && address.disguised
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
