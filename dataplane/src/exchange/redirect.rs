//! What port 80 says beside HTTPS: the answer to an authority's challenge, or where to go. Nothing is proxied here.

use waf_shared::catalog::Leaf;
use waf_shared::route::name_of;

use super::admit::Arrived;
use super::record::{Record, Reply};
use crate::refusal::{CHALLENGE, NOT_FOUND, REDIRECT, Refusal};
use crate::tls::Tls;

/// Answers a message: challenges first, then configured hosts, which get the same address with `https`.
pub(super) fn answer(arrived: &Arrived, tls: &Tls, record: &mut Record) -> Refusal {
    let raw = arrived.head.target();
    if let Err(refusal) = length(raw, record) {
        return refusal;
    }
    let is_read = matches!(arrived.head.method(), b"GET" | b"HEAD");
    if let Some(text) = tls.http_challenge(arrived.target.path(raw)).filter(|_| is_read) {
        record.set_reply(Reply::Challenge(text));
        return CHALLENGE;
    }
    let known =
        arrived.host().filter(|host| record.active_plan.hosts().is_some_and(|hosts| hosts.contains(host)));
    let Some(host) = known else { return NOT_FOUND };
    record.set_reply(Reply::Location(location(host, arrived)));
    REDIRECT
}

/// The limit that holds before a route is chosen.
fn length(target: &[u8], record: &mut Record) -> Result<(), Refusal> {
    let allowed = record.settings().accept.max_url_length as usize;
    if target.len() <= allowed {
        return Ok(());
    }
    let reason = format!("a target of {} bytes, allowed are {allowed}", target.len());
    record.violate(Leaf::RequestValidationMaxUrlLength, "TARGET", reason)
}

/// Path and query are the client's own bytes. The port is HTTPS's own: whatever port this process listens on, clients
/// come by 443.
fn location(host: &[u8], arrived: &Arrived) -> Vec<u8> {
    let raw = arrived.head.target();
    let mut location = b"https://".to_vec();
    location.extend(name_of(host).iter().map(u8::to_ascii_lowercase));
    // The asterisk of OPTIONS stands for no path (RFC 9110 section 7.1).
    let path = arrived.target.path(raw);
    location.extend_from_slice(if path == b"*" { b"/" } else { path });
    if let Some(query) = arrived.target.query(raw) {
        location.push(b'?');
        location.extend_from_slice(query);
    }
    location
}
