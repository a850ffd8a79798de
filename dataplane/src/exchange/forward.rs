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
use crate::head::{Delimited, Hop, OutgoingHead, RequestHead};
use crate::http1::framing::Framing;

/// The head of the upstream request.
pub(super) fn head(admitted: &Admitted, route: &Route, context: &RequestContext) -> OutgoingHead {
    let head = &admitted.head;
    let mut out = OutgoingHead::request(head.method(), |out| write_target(admitted, route, out));
    let host = admitted.host();
    out.field(b"Host", host.unwrap_or(route.upstream.authority.as_bytes()));
    let dropped = connection_tokens(head, context);
    let drops_extensions = upgrade::is_inspected(admitted, context);
    for (name, value) in head.fields.iter() {
        let ends_here = fields::find(name).is_some_and(|known| ends_here(name, known, context))
            || dropped.iter().any(|token| fields::are_alike(name, token))
            || is_other_trace(name, context)
            || drops_extensions && fields::are_alike(name, b"sec-websocket-extensions");
        if !ends_here {
            out.field(name, value);
        }
    }
    forwarding(head, host, context, &mut out);
    if let Some(trace) = context.trace() {
        out.field(b"traceparent", trace.traceparent().as_bytes());
    }
    out
}

/// Statements of the upstream request about its hop: that trailers are taken, and the protocols that the client would
/// switch to.
pub(super) fn hop(admitted: &Admitted) -> Hop {
    let protocols = upgrade::asked(admitted);
    Hop {
        delimited: match admitted.framing {
            Framing::Chunked => Delimited::Message,
            _ => Delimited::Head,
        },
        closes: false,
        takes_trailers: admitted.head.asks_for_trailers(),
        upgrade: if protocols.is_empty() { Vec::new() } else { vec![protocols.join(&b", "[..])] },
    }
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
    let trusted = context.trusted();
    let received: Vec<&[u8]> = head.fields.all("x-forwarded-for").collect();
    out.field(b"X-Forwarded-For", &client_address::x_forwarded_for(context.peer().ip(), trusted, &received));
    let sent = |name| head.fields.first(name).filter(|_| is_trusted(context));
    out.field(b"X-Forwarded-Proto", sent("x-forwarded-proto").unwrap_or(context.scheme().as_bytes()));
    if let Some(host) = sent("x-forwarded-host").or(host) {
        out.field(b"X-Forwarded-Host", host);
    }
    out.field(b"X-Request-Id", context.request_id().as_bytes());
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

#[cfg(test)]
mod tests {
    use waf_shared::plan::Rewrite;

    use super::super::testing;
    use super::super::testing::{contracted, exchange};
    use super::*;

    /// The request as HTTP/1 sends it to the upstream, without the fields that every request gets.
    fn forwarded(lines: &str, change: impl FnOnce(&mut Route)) -> String {
        let mut exchange = exchange(|_, route| change(route));
        let contracted = contracted(testing::head(lines), &mut exchange);
        let (admitted, context) = (&contracted.admitted, &exchange.context);
        let (route, _) = context.active_plan.route(admitted.route).expect("the route");
        let mut text = head(admitted, route, context).http1_lines().to_vec();
        crate::http1::hop::write(&hop(admitted), crate::head::Version::Http11, &mut text);
        let text = String::from_utf8(text).expect("text");
        let is_ours = |line: &&str| !line.starts_with("X-Forwarded-") && !line.starts_with("X-Request-Id");
        text.lines().filter(is_ours).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn fields_of_the_clients_hop_end_here_and_ours_are_made_anew() {
        for (lines, expected) in [
            ("GET / HTTP/1.1\nHost: a\nConnection: close\nKeep-Alive: 5", "GET / HTTP/1.1\nHost: a"),
            ("GET / HTTP/1.1\nHost: a\nConnection: x-a\nX-A: 1\nX-B: 2", "GET / HTTP/1.1\nHost: a\nX-B: 2"),
            ("GET / HTTP/1.0\nHost: a\nTE: trailers\nConnection: TE", "GET / HTTP/1.1\nHost: a"),
            (
                "GET / HTTP/1.1\nHost: a\nTE: gzip, trailers\nConnection: TE",
                "GET / HTTP/1.1\nHost: a\nTE: trailers\nConnection: TE",
            ),
            (
                "GET / HTTP/1.1\nHost: a\nUpgrade: h2c, websocket, x\nConnection: upgrade",
                "GET / HTTP/1.1\nHost: a\nUpgrade: websocket, x\nConnection: Upgrade",
            ),
            ("GET / HTTP/1.1\nHost: a\nUpgrade: websocket", "GET / HTTP/1.1\nHost: a"),
            (
                "GET / HTTP/1.1\nHost: a\nUpgrade: websocket\nConnection: upgrade\n\
                 Sec-WebSocket-Extensions: permessage-deflate\nSec_WebSocket_Extensions: x\nSec-WebSocket-Key: k",
                "GET / HTTP/1.1\nHost: a\nSec-WebSocket-Key: k\nUpgrade: websocket\nConnection: Upgrade",
            ),
            (
                "GET / HTTP/1.1\nHost: a\nUpgrade: x\nConnection: upgrade\nSec-WebSocket-Extensions: y",
                "GET / HTTP/1.1\nHost: a\nSec-WebSocket-Extensions: y\nUpgrade: x\nConnection: Upgrade",
            ),
            (
                "POST / HTTP/1.1\nHost: a\nContent-Type: a/b\nTransfer-Encoding: Chunked",
                "POST / HTTP/1.1\nHost: a\nContent-Type: a/b\nTransfer-Encoding: chunked",
            ),
            (
                "POST / HTTP/1.1\nHost: a\nContent-Type: a/b\nContent-Length: 1",
                "POST / HTTP/1.1\nHost: a\nContent-Type: a/b\nContent-Length: 1",
            ),
        ] {
            assert_eq!(forwarded(lines, |_| {}), expected, "{lines:?}");
        }
    }

    #[test]
    fn the_path_is_rewritten_and_the_query_is_the_clients() {
        for (path, base, rewrite, expected) in [
            ("/a%2Fb/../c?x=%20&y", "", Rewrite::Keep, "/a%2Fb/../c?x=%20&y"),
            ("/a?b", "/base", Rewrite::Keep, "/base/a?b"),
            ("/a/b?c", "/base", Rewrite::Prefix { strip: "/a".to_owned(), add: String::new() }, "/base/b?c"),
            ("http://a/b?c", "", Rewrite::Keep, "/b?c"),
        ] {
            let got = forwarded(&format!("GET {path} HTTP/1.1\nHost: a"), |route| {
                route.upstream.base_path = base.to_owned();
                route.rewrite = rewrite.clone();
            });
            assert_eq!(got, format!("GET {expected} HTTP/1.1\nHost: a"), "{path}");
        }
    }

    #[test]
    fn the_upstream_gets_the_bytes_of_the_client_and_our_fields() {
        let mut exchange = exchange(|_, _| {});
        let lines = "GET /A%2fb?q=%20 HTTP/1.1\nHOST: a\nx-B: 1\nConnection: x-hop\nX-Hop: 2\nX-b: 3\n\
                     X-Request-Id: 0123456789\nX-Forwarded-For: 203.0.113.9\nKeep-Alive: 5";
        let contracted = contracted(testing::head(lines), &mut exchange);
        let context = &exchange.context;
        let (route, _) = context.active_plan.route(contracted.admitted.route).expect("the route");
        let out = head(&contracted.admitted, route, context);
        assert_eq!(
            String::from_utf8_lossy(out.http1_lines()),
            "GET /A%2fb?q=%20 HTTP/1.1\r\nHost: a\r\nx-B: 1\r\nX-b: 3\r\nX-Forwarded-For: 192.0.2.1\r\n\
             X-Forwarded-Proto: http\r\nX-Forwarded-Host: a\r\nX-Request-Id: 0123456789\r\n"
        );
    }
}
