//! The request as the upstream gets it: the client's bytes, minus what belongs to one hop, plus the forwarding fields
//! and the rewrite.

use waf_shared::fields::{self, Field, Property};
use waf_shared::plan::Route;

use super::admit::Admitted;
use super::context::RequestContext;
use super::rewrite::rewrite;
use super::trusted_peers::{is_believed, is_trusted};
use super::upgrade;
use crate::client_address;
use crate::head::{OutgoingHead, RequestHead};
use crate::http1::framing::Framing;

/// The head of the upstream request.
pub(super) fn head(admitted: &Admitted, route: &Route, context: &RequestContext) -> OutgoingHead {
    let head = &admitted.head;
    let mut out = OutgoingHead::request(head.method(), |out| write_target(admitted, route, out));
    let host = admitted.host();
    out.field(b"Host", host.unwrap_or(route.upstream.authority.as_bytes()));
    let dropped = connection_tokens(head, context);
    for (name, value) in head.fields.iter() {
        let ends_here = fields::find(name).is_some_and(|known| ends_here(name, known, context))
            || dropped.iter().any(|token| fields::are_alike(name, token))
            || is_other_trace(name, context);
        if !ends_here {
            out.field(name, value);
        }
    }
    if admitted.framing == Framing::Chunked {
        out.field(b"Transfer-Encoding", b"chunked");
    }
    forwarding(head, host, context, &mut out);
    if let Some(trace) = context.trace() {
        out.field(b"traceparent", trace.traceparent().as_bytes());
    }
    hop(admitted, &mut out);
    out
}

/// Reports whether a field that [`fields`] knows is not forwarded.
fn ends_here(name: &[u8], known: &Field, context: &RequestContext) -> bool {
    if known.is(Property::Hop) || known.is(Property::Own) {
        return true;
    }
    // A twin is not what a trusted proxy sets; many forward it as the client wrote it.
    known.is(Property::Client) && (fields::is_twin(name) || !is_believed(known, context))
}

fn forwarding(head: &RequestHead, host: Option<&[u8]>, context: &RequestContext, out: &mut OutgoingHead) {
    let trusted = &context.active_plan.plan().trusted_proxies;
    let received: Vec<&[u8]> = head.fields.all("x-forwarded-for").collect();
    out.field(b"X-Forwarded-For", &client_address::x_forwarded_for(context.peer().ip(), trusted, &received));
    let sent = |name| head.fields.first(name).filter(|_| is_trusted(context));
    out.field(b"X-Forwarded-Proto", sent("x-forwarded-proto").unwrap_or(context.scheme().as_bytes()));
    if let Some(host) = sent("x-forwarded-host").or(host) {
        out.field(b"X-Forwarded-Host", host);
    }
    out.field(b"X-Request-Id", context.request_id().as_bytes());
}

/// Adds the fields of our own hop: that trailers are taken, and the protocol that the client would switch to.
fn hop(admitted: &Admitted, out: &mut OutgoingHead) {
    let protocols = upgrade::asked(admitted);
    let takes_trailers = upgrade::asks_for_trailers(&admitted.head);
    let options: &[u8] = match (takes_trailers, protocols.is_empty()) {
        (true, true) => b"TE",
        (true, false) => b"TE, Upgrade",
        (false, true) => return,
        (false, false) => b"Upgrade",
    };
    if takes_trailers {
        out.field(b"TE", b"trailers");
    }
    if !protocols.is_empty() {
        out.field(b"Upgrade", &protocols.join(&b", "[..]));
    }
    out.field(b"Connection", options);
}

/// While tracing is on, the upstream's caller is our own span; `tracestate` goes on with a trace that could be read.
fn is_other_trace(name: &[u8], context: &RequestContext) -> bool {
    context.trace().is_some_and(|trace| {
        name.eq_ignore_ascii_case(b"traceparent")
            || (name.eq_ignore_ascii_case(b"tracestate") && !trace.has_parent())
    })
}

/// Fields that the client's `Connection` takes out. The field that a rate limit counts by stays: a client could
/// otherwise name a key here that the upstream never sees.
fn connection_tokens<'h>(head: &'h RequestHead, context: &RequestContext) -> Vec<&'h [u8]> {
    let key = context.limit_key().unwrap_or_default().as_bytes();
    head.fields
        .tokens("connection")
        .filter(|t| {
            !t.eq_ignore_ascii_case(b"close")
                && !t.eq_ignore_ascii_case(b"keep-alive")
                && !fields::are_alike(t, key)
        })
        .collect()
}

/// Writes path and query: the client's own unless the route rewrites the path.
fn write_target(admitted: &Admitted, route: &Route, out: &mut Vec<u8>) {
    let raw = admitted.head.target();
    let path = admitted.target.path(raw);
    if path == b"*" {
        out.push(b'*');
    } else {
        out.extend_from_slice(route.upstream.base_path.as_bytes());
        rewrite(path, &route.rewrite, out);
    }
    if let Some(query) = admitted.target.query(raw) {
        out.push(b'?');
        out.extend_from_slice(query);
    }
    out.extend_from_slice(admitted.target.fragment(raw));
}
