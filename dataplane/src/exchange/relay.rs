//! The answer on its way to the client: its head with our header rules applied, its body as it comes.

use std::time::Duration;

use bytes::Bytes;
use waf_shared::fields::{self, Property};

use super::connection_fate::ConnectionFate;
use super::context::RequestContext;
use super::contract::Contracted;
use super::cors;
use super::findings::{Findings, ResponseFindings};
use super::response_inspection::ResponseInspector;
use super::response_relay::{self, By, within};
use crate::active_plan::HeaderRules;
use crate::head::{Delimited, Hop, OutgoingHead, ResponseHead};
use crate::http1::framing::{self, Framing};
use crate::http1::reader::Piece;
use crate::message::{Sink, Source};
use crate::refusal::Refusal;
use crate::upstream::UpstreamError;

/// Bytes that are collected before they are written.
const COALESCE_BYTES_MAX: usize = 32 << 10;

/// End of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relayed {
    /// The client has all of it, and knows.
    Whole {
        /// True if the upstream connection may carry another request.
        reusable: bool,
    },
    /// The client has all of it, and learns that from the end of the connection.
    ByClose,
    /// One side broke off.
    Cut(By),
    /// Its screening ended it after parts of it were sent.
    Stopped,
    /// Its screening refuses it, and nothing of it was sent.
    Refused(Refusal),
}

/// An answer that is ready to be relayed.
#[derive(Debug)]
pub(super) struct Answer {
    /// The head as the client gets it.
    head: OutgoingHead,
    hop: Hop,
    framing: Framing,
    reusable: bool,
    takes_trailers: bool,
    inspector: Option<ResponseInspector>,
}

impl Answer {
    /// Decides framing and writes the head for `client`, whose connection has this fate.
    pub(super) fn new(
        response: &ResponseHead,
        cleared: (&Contracted, &[u8]),
        (client, fate): (&Sink<'_>, ConnectionFate),
        context: &RequestContext,
        findings: &mut Findings,
    ) -> Result<Answer, UpstreamError> {
        let admitted = &cleared.0.admitted;
        let framing =
            framing::of_response(response, admitted.head.method()).map_err(UpstreamError::Malformed)?;
        let delimited = client.delimiter(framing);
        let reusable = response.allows_next()
            && framing != Framing::UntilClose
            && !framing::announces_unsent(response, framing, admitted.head.method());
        let closes = fate != ConnectionFate::KeepAlive || delimited == Delimited::Connection;
        let head = final_head(response, context);
        let inspector = ResponseInspector::of(response, framing, cleared, context, findings);
        let takes_trailers = admitted.head.takes_trailers();
        let hop = Hop { delimited, closes, ..Hop::default() };
        Ok(Answer { head, hop, framing, reusable, takes_trailers, inspector })
    }

    /// Relays head and body, screened where rules look at them, and says what was found. Waits at most `patience`
    /// between bytes of the upstream's.
    pub(super) async fn relay(
        self,
        upstream: &mut Source<'_>,
        client: &mut Sink<'_>,
        patience: Duration,
    ) -> (Relayed, ResponseFindings) {
        let Answer { head, hop, framing, reusable, takes_trailers, inspector } = self;
        let delimited = hop.delimited;
        upstream.delimit(framing);
        client.take_trailers(takes_trailers);
        let mut judged = ResponseFindings::default();
        let mut relayed = None;
        match inspector {
            Some(inspector) => {
                let start = response_relay::Start { head: &head, hop: &hop, patience };
                let (outcome, found) = response_relay::relay(start, inspector, upstream, client).await;
                judged = found;
                relayed = match outcome {
                    response_relay::Outcome::Sent => Some(whole(delimited, reusable)),
                    response_relay::Outcome::Cut(by) => Some(Relayed::Cut(by)),
                    response_relay::Outcome::Stopped => Some(Relayed::Stopped),
                    response_relay::Outcome::Refused(refusal) => Some(Relayed::Refused(refusal)),
                    response_relay::Outcome::Passed => None,
                };
            }
            None => client.head(&head, &hop),
        }
        let relayed = match relayed {
            Some(relayed) => relayed,
            None => flow(upstream, client, (delimited, reusable), patience).await,
        };
        (relayed, judged)
    }
}

/// Relays what is left of a body, unread.
async fn flow(
    upstream: &mut Source<'_>,
    client: &mut Sink<'_>,
    (delimited, reusable): (Delimited, bool),
    patience: Duration,
) -> Relayed {
    loop {
        // What has arrived with the head or the last piece goes out in the same write.
        let mut end = match collect(upstream, client) {
            Ok(end) => end,
            Err(Broken) => {
                let _ = client.flush().await;
                return Relayed::Cut(By::Upstream);
            }
        };
        if end.is_none() {
            if client.flush().await.is_err() {
                return Relayed::Cut(By::Client);
            }
            match within(patience, upstream.body()).await {
                Some(Ok(Piece::Data(data))) => client.data(data),
                Some(Ok(Piece::End(trailers))) => end = Some(trailers),
                // The client must see that bytes are missing: no last chunk, no full length, a connection that ends.
                Some(Err(_)) => return Relayed::Cut(By::Upstream),
                None => return Relayed::Cut(By::Silence),
            }
        }
        if let Some(trailers) = end {
            client.end(&trailers);
            return match client.flush().await {
                Err(_) => Relayed::Cut(By::Client),
                Ok(()) => whole(delimited, reusable),
            };
        }
    }
}

fn whole(delimited: Delimited, reusable: bool) -> Relayed {
    if delimited == Delimited::Connection { Relayed::ByClose } else { Relayed::Whole { reusable } }
}

struct Broken;

/// Queues what is buffered; the trailers when the body is complete.
fn collect(upstream: &mut Source<'_>, client: &mut Sink<'_>) -> Result<Option<Bytes>, Broken> {
    while client.pending() < COALESCE_BYTES_MAX {
        match upstream.body_buffered().map_err(|_| Broken)? {
            Some(Piece::Data(data)) => client.data(data),
            Some(Piece::End(trailers)) => return Ok(Some(trailers)),
            None => break,
        }
    }
    Ok(None)
}

/// The head of an interim response as the client gets it: that of the upstream, without rules of ours.
pub(super) fn interim_head(response: &ResponseHead, context: &RequestContext) -> OutgoingHead {
    let mut out = OutgoingHead::response(response.status, response.reason());
    copy_fields(response, context, &mut out);
    out
}

/// The head that reports the protocol to which the upstream switched.
pub(super) fn switching_head(response: &ResponseHead, context: &RequestContext) -> (OutgoingHead, Hop) {
    let upgrade = response.fields.all("upgrade").map(<[u8]>::to_vec).collect();
    (final_head(response, context), Hop { upgrade, ..Hop::default() })
}

fn final_head(response: &ResponseHead, context: &RequestContext) -> OutgoingHead {
    let mut out = OutgoingHead::response(response.status, response.reason());
    let has_request_id = copy_fields(response, context, &mut out);
    if !has_request_id {
        out.field(b"X-Request-Id", context.request_id().as_bytes());
    }
    if let (Some(settings), Some(head)) = (cors::of(context), context.head()) {
        cors::answer(settings, head, Some(&response.fields), &mut out);
    }
    add_headers(response, context.active_plan.header_rules(context.route()), &mut out);
    out
}

/// Copies the fields that are relayed, and reports whether the request id is one of them.
fn copy_fields(response: &ResponseHead, context: &RequestContext, out: &mut OutgoingHead) -> bool {
    let rules = context.active_plan.header_rules(context.route());
    // Fields of one hop end here anyway: the usual options name no other and cost nothing.
    let is_other = |token: &&[u8]| !fields::is_exactly(token, Property::Hop);
    let named: Vec<&[u8]> = response.fields.tokens("connection").filter(is_other).collect();
    let replaces_cors = cors::of(context).is_some();
    let is_empty = matches!(response.status, 100..=199 | 204);
    let mut has_request_id = false;
    for (name, value) in response.fields.iter() {
        let is_kept_back = fields::is_exactly(name, Property::Hop)
            || (is_empty && name.eq_ignore_ascii_case(b"content-length"))
            || is_named(name, &named)
            || rules.strips(name)
            || (replaces_cors && cors::is_ours(name));
        if !is_kept_back {
            has_request_id |= name.eq_ignore_ascii_case(b"x-request-id");
            out.field(name, value);
        }
    }
    has_request_id
}

/// Reports whether `Connection` takes a field out of a response. An upstream that takes out its own framing or content
/// would break the message; such tokens are ignored.
fn is_named(name: &[u8], named: &[&[u8]]) -> bool {
    named.iter().any(|token| token.eq_ignore_ascii_case(name))
        && !name.eq_ignore_ascii_case(b"content-length")
        && !name.eq_ignore_ascii_case(b"content-type")
}

fn add_headers(response: &ResponseHead, rules: &HeaderRules, out: &mut OutgoingHead) {
    for header in &rules.add {
        if header.replaces
            || response.fields.first(&header.name).is_none()
            || rules.strips(header.name.as_bytes())
        {
            out.field(header.name.as_bytes(), header.value.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::plan::AddHeader;

    use super::super::testing::{contracted, exchange, head, response, with_client};
    use super::*;
    use crate::message::Client;

    #[test]
    fn fields_of_one_hop_end_here_and_others_keep_case_and_order() {
        let add = |name: &str| AddHeader { name: name.to_owned(), value: "1".to_owned(), replaces: false };
        let exchange = exchange(|plan, _| {
            plan.global.response_headers.add = vec![add("x-a"), add("X-New")];
            plan.global.response_headers.strip = vec!["server".to_owned()];
        });
        let lines = "HTTP/1.1 200 Fine\nServer: s\nX-A: a\nKeep-Alive: 1\n\
                     Connection: X-Hop, content-length, close\nx-hop: h\nContent-Length: 3\n\
                     Proxy-Authenticate: p\nUpgrade: u\nTE: t\nx-request-id: theirs\nkeep_alive: 2";
        let out = final_head(&response(lines), &exchange.context);
        assert_eq!(
            String::from_utf8_lossy(out.http1_lines()),
            "HTTP/1.1 200 Fine\r\nX-A: a\r\nContent-Length: 3\r\nx-request-id: theirs\r\nkeep_alive: 2\r\n\
             X-New: 1\r\n"
        );
    }

    #[test]
    fn interim_heads_and_switches_are_the_upstreams() {
        let exchange = exchange(|_, _| {});
        let hints = response("HTTP/1.1 103 Early Hints\nLink: </a>\nContent-Length: 1\nConnection: x");
        let out = interim_head(&hints, &exchange.context);
        assert_eq!(out.http1_lines(), b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n");
        let switching = response("HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade");
        let (out, hop) = switching_head(&switching, &exchange.context);
        assert!(!out.fields().any(|(name, _)| matches!(name, b"Upgrade" | b"Connection")));
        assert_eq!(
            (hop.upgrade, hop.closes, hop.delimited),
            (vec![b"websocket".to_vec()], false, Delimited::Head)
        );
    }

    #[tokio::test]
    async fn responses_are_delimited_for_the_version_of_the_client() {
        let chunked = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked";
        let (sized, endless) = ("HTTP/1.1 200 OK\nContent-Length: 3", "HTTP/1.1 200 OK");
        for (version, lines, expected, ending) in [
            ("1.1", sized, Delimited::Head, ""),
            ("1.1", chunked, Delimited::Message, "Transfer-Encoding: chunked\r\n"),
            ("1.1", endless, Delimited::Message, "Transfer-Encoding: chunked\r\n"),
            ("1.0", endless, Delimited::Connection, "Connection: close\r\n"),
            ("1.0", sized, Delimited::Head, "Connection: keep-alive\r\n"),
        ] {
            let mut exchange = exchange(|_, _| {});
            let request = head(&format!("GET / HTTP/{version}\nHost: a"));
            let (request_version, contracted) = (request.version, contracted(request, &mut exchange));
            let (context, findings) = (&exchange.context, &mut exchange.findings);
            let cleared = (&contracted, &b""[..]);
            let (delimited, got, _) = with_client(b"", async |client: &mut Client<'_>| {
                client.writer.speak(request_version);
                let way = (&client.writer, ConnectionFate::KeepAlive);
                let answer = Answer::new(&response(lines), cleared, way, context, findings);
                let answer = answer.expect("valid framing");
                client.writer.head(&answer.head, &answer.hop);
                client.writer.flush().await.expect("memory takes it");
                answer.hop.delimited
            })
            .await;
            assert_eq!(delimited, expected, "{version} {lines:?}");
            let (_, last) = got.split_once("X-Request-Id: ").expect("every answer has an id");
            let (_, last) = last.split_once("\r\n").expect("a line ends");
            assert!(last.ends_with(&format!("{ending}\r\n")), "{version} {lines:?}: {last:?}");
            assert_eq!(last.contains("Connection: "), ending.contains("Connection: "), "{version}: {last:?}");
        }
    }
}
