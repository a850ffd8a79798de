//! The request as the upstream gets it: the client's bytes, minus what belongs to one hop, plus the forwarding fields
//! and the rewrite.

use std::borrow::Cow;
use std::sync::Once;

use waf_shared::fields::{self, Field, Property};
use waf_shared::plan::{Listen, Rewrite, Route};

use super::admit::Admitted;
use super::context::RequestContext;
use super::quota;
use super::upgrade;
use crate::client_address;
use crate::head::{OutgoingHead, RequestHead};
use crate::http1::framing::Framing;
use waf_shared::route::normalize;

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

/// Whether a field that [`fields`] knows is not forwarded.
fn ends_here(name: &[u8], known: &Field, context: &RequestContext) -> bool {
    if known.is(Property::Hop) || known.is(Property::Own) {
        return true;
    }
    // A twin is not what a trusted proxy sets; many let it pass as the client wrote it.
    known.is(Property::Client) && (fields::is_twin(name) || !is_believed(known, context))
}

/// Whether the upstream gets what the peer says of the client. Without any trusted proxy on a plain port, the balancer in
/// front cannot be told from a client, and applications may depend on what it sets.
fn is_believed(known: &Field, context: &RequestContext) -> bool {
    static WARNING: Once = Once::new();
    if is_trusted(context) {
        return true;
    }
    if !is_open(context) {
        return false;
    }
    WARNING.call_once(|| {
        tracing::warn!(
            field = known.name,
            "a field that describes the client is forwarded from any peer; --trusted-proxies names those that may set it"
        );
    });
    true
}

/// Whether nothing says which peers are proxies: mode 3 without `--trusted-proxies`.
fn is_open(context: &RequestContext) -> bool {
    let plan = context.active_plan.plan();
    matches!(plan.listen, Listen::Plain { .. }) && plan.trusted_proxies.is_empty()
}

/// Whether the peer may set a field that describes the client, as far as it identifies the client here.
pub(crate) fn identifies(name: &[u8], context: &RequestContext) -> bool {
    let describes = |field: &Field| field.is(Property::Client) || field.is(Property::Own);
    !fields::find(name).is_some_and(describes) || is_trusted(context) || is_open(context)
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

/// What our own hop says: that trailers are taken, and what the client would switch to.
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

fn is_trusted(context: &RequestContext) -> bool {
    client_address::is_trusted(context.peer().ip(), &context.active_plan.plan().trusted_proxies)
}

/// Fields that the client's `Connection` takes out. The field that a rate limit counts by stays: a client could otherwise
/// name a key here that the upstream never sees.
fn connection_tokens<'h>(head: &'h RequestHead, context: &RequestContext) -> Vec<&'h [u8]> {
    let key = quota::key_field(context).unwrap_or_default().as_bytes();
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

/// The rewritten path.
pub(crate) fn rewrite(path: &[u8], rewrite: &Rewrite, out: &mut Vec<u8>) {
    match rewrite {
        Rewrite::Keep => out.extend_from_slice(path),
        Rewrite::Path(whole) => out.extend_from_slice(whole.as_bytes()),
        Rewrite::Prefix { strip, add } => {
            out.extend_from_slice(add.trim_end_matches('/').as_bytes());
            match below(path, strip) {
                Some(rest) => write_rest(&rest, out),
                None => out.extend_from_slice(path),
            }
        }
    }
}

/// The part of a path that the upstream gets behind a prefix.
#[derive(Debug)]
pub(crate) struct BehindPrefix<'p> {
    pub(crate) rest: Cow<'p, [u8]>,
    /// What was taken off in front of it.
    pub(crate) stripped: &'p [u8],
    /// Whether it is all that the upstream gets.
    pub(crate) is_whole: bool,
}

/// What `route` makes of the client's path behind its prefixes; `None` when it has none, or replaces the path.
pub(crate) fn behind_prefix<'p>(path: &'p [u8], route: &'p Route) -> Option<BehindPrefix<'p>> {
    let (strip, add) = match &route.rewrite {
        Rewrite::Path(_) => return None,
        Rewrite::Keep => ("", ""),
        Rewrite::Prefix { strip, add } => (strip.as_str(), add.trim_end_matches('/')),
    };
    if route.upstream.base_path.is_empty() && strip.is_empty() && add.is_empty() {
        return None;
    }
    let (rest, stripped) = match below(path, strip) {
        Some(rest) => (rest, strip.as_bytes()),
        None => (Cow::Borrowed(path), &b""[..]),
    };
    Some(BehindPrefix { rest, stripped, is_whole: route.upstream.base_path.is_empty() && add.is_empty() })
}

/// What follows `prefix` in a path. The path was matched in its normal form; when only that form carries the prefix, it is
/// that form which is forwarded.
fn below<'p>(path: &'p [u8], prefix: &str) -> Option<Cow<'p, [u8]>> {
    match strip_prefix(path, prefix.as_bytes()) {
        Some(rest) => Some(Cow::Borrowed(rest)),
        None => strip_prefix(&normalize(path), prefix.as_bytes()).map(|rest| Cow::Owned(rest.to_vec())),
    }
}

fn write_rest(rest: &[u8], out: &mut Vec<u8>) {
    if !rest.starts_with(b"/") {
        out.push(b'/');
    }
    out.extend_from_slice(rest);
}

/// What follows `prefix`, when that ends at the end of a segment.
fn strip_prefix<'p>(path: &'p [u8], prefix: &[u8]) -> Option<&'p [u8]> {
    let prefix = prefix.strip_suffix(b"/").unwrap_or(prefix);
    path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_rewritten() {
        let prefix =
            |strip: &str, add: &str| Rewrite::Prefix { strip: strip.to_owned(), add: add.to_owned() };
        for (path, rule, want) in [
            ("/api/x%2Fy", prefix("/api", ""), "/x%2Fy"),
            ("/api", prefix("/api", ""), "/"),
            ("/api/", prefix("/api/", ""), "/"),
            ("/apix", prefix("/api", ""), "/apix"),
            ("/api/x", prefix("/api", "/v2"), "/v2/x"),
            ("/x", prefix("", "/v2/"), "/v2/x"),
            ("/%61pi/x", prefix("/api", ""), "/x"),
            ("/a/../api/x", prefix("/api", ""), "/x"),
            ("/a", Rewrite::Path("/b".to_owned()), "/b"),
            ("/a//b/", Rewrite::Keep, "/a//b/"),
        ] {
            let mut out = Vec::new();
            rewrite(path.as_bytes(), &rule, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), want, "{path} {rule:?}");
        }
    }
}
