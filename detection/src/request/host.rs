//! A `Host` that is an address. Scanners that walk address ranges send it, and so do intranets and probes: a hint, no more.
//! In another notation than the usual one it is an attack: clients write addresses in their usual form (RFC 3986
//! section 3.2.2), and the other notations exist to pass a list of hosts.

use std::net::{Ipv4Addr, Ipv6Addr};

use waf_languages::url;

use super::facts::{Facts, Finding};
use crate::rules::request_head::host::{DISGUISED_ADDRESS, NUMERIC_ADDRESS};

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
