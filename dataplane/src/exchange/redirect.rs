//! What port 80 says beside HTTPS: the answer to an authority's challenge, or where to go. Nothing is proxied here.

use waf_shared::catalog::Leaf;
use waf_shared::route::name_of;

use super::Rejection;
use super::admit::Arrived;
use super::context::RequestContext;
use super::findings::Findings;
use crate::answer::Reply;
use crate::refusal::{CHALLENGE, NOT_FOUND, REDIRECT, Refusal};
use crate::tls::Tls;

/// The answer to a message: challenges first, then configured hosts, which get the same address with `https`.
pub(super) fn answer(
    arrived: &Arrived,
    tls: &Tls,
    context: &RequestContext,
    findings: &mut Findings,
) -> Rejection {
    let raw = arrived.head.target();
    if let Err(refusal) = length(raw, context, findings) {
        return refusal.into();
    }
    let is_read = matches!(arrived.head.method(), b"GET" | b"HEAD");
    if let Some(text) = tls.http_challenge(arrived.target.path(raw)).filter(|_| is_read) {
        return Rejection::Answered(CHALLENGE, Reply::Challenge(text));
    }
    let known =
        arrived.host().filter(|host| context.active_plan.hosts().is_some_and(|hosts| hosts.contains(host)));
    let Some(host) = known else { return NOT_FOUND.into() };
    Rejection::Answered(REDIRECT, Reply::Location(location(host, arrived)))
}

/// The limit that holds before a route is chosen.
fn length(target: &[u8], context: &RequestContext, findings: &mut Findings) -> Result<(), Refusal> {
    let allowed = context.settings().accept.max_url_length as usize;
    if target.len() <= allowed {
        return Ok(());
    }
    let reason = format!("a target of {} bytes, allowed are {allowed}", target.len());
    findings.violate(context, Leaf::RequestValidationMaxUrlLength, "TARGET", reason)
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
