//! One attempt to get a response over one connection: the request goes and the response comes at the same time.

use std::pin::{Pin, pin};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use waf_shared::catalog::Leaf;
use waf_shared::metrics::RouteCounter;

use super::super::admit::Admitted;
use super::super::body::{BodyFault, body_refusal};
use super::super::connection_fate::{self, ConnectionFate, RequestState};
use super::super::findings::ResponseFindings;
use super::super::inspect::Cleared;
use super::super::rejection::Rejection;
use super::super::relay::{self, Relayed};
use super::super::response_relay::By;
use super::super::tunnel::{self, Side};
use super::super::upgrade;
use super::super::websocket::{self, Session};
use super::head::{Progress, Waiting, await_head};
use super::outcome::{Answered, Failed, Notes};
use super::upload::{SendFault, upload};
use crate::head::ResponseHead;
use crate::http1::framing::{self, Framing};
use crate::http1::head::Malformed;
use crate::message::Client;
use crate::proxy::Proxy;
use crate::upstream::{Link, Outbound, Pool, Share, TunnelSlot, UpstreamError};
use crate::websocket::is_agreed as handshake_is_agreed;

/// The client's share of the connections of the origin while its request runs; given back however that ends.
pub(super) struct Held {
    pub(super) share: Option<Share>,
    /// For a request that asks for an upgrade.
    pub(super) _tunnel: Option<TunnelSlot>,
}

/// An attempt to get a response over one link.
pub(super) struct Attempt<'a> {
    pub(super) request: &'a Outbound,
    pub(super) pool: &'a Pool,
    pub(super) held: &'a mut Held,
    pub(super) proxy: &'a Proxy,
    pub(super) patience: Duration,
}

impl Attempt<'_> {
    pub(super) async fn run(
        &mut self,
        mut link: Link,
        cleared: &mut Cleared,
        client: &mut Client<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<Answered, Failed> {
        let peer = link.peer();
        let exchanged = self.exchange(&mut link, cleared, client, notes).await;
        let answered = match exchanged.map_err(|failed| failed.at(peer))? {
            Exchanged::Answered(response) => self.finish(response, link, client, notes),
            Exchanged::Switched(response) => {
                self.held.share = None;
                switch((&response, &cleared.contracted.admitted), (client, link), self.proxy, notes).await
            }
        };
        answered.map_err(|failed| failed.at(peer))
    }

    /// Sends the request and relays the response, both at once.
    async fn exchange(
        &self,
        link: &mut Link,
        cleared: &mut Cleared,
        client: &mut Client<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<Exchanged, Failed> {
        let Cleared { contracted, body, parameters, .. } = cleared;
        let admitted = &contracted.admitted;
        let patience = self.patience;
        let (upstream, mut answering) = link.open(self.request, patience).await.map_err(unopened)?;
        let (done, sent) = oneshot::channel();
        let mut upload = pin!(upload(upstream, body, &mut client.reader, done));
        let mut progress = Progress { sent, sending: true, deadline: Instant::now() + patience, fault: None };
        let mut waiting = Waiting { progress: &mut progress, patience, client: &mut client.writer };
        let response = await_head(upload.as_mut(), &mut waiting, &mut answering, admitted, notes).await?;
        if let Some(call) = notes.call {
            (call.answered, call.status) = (Some(std::time::Instant::now()), Some(response.status));
        }
        if response.status == 101 {
            return Ok(Exchanged::Switched(response));
        }
        if response.status >= 500 {
            notes.findings.measured.count(RouteCounter::Upstream5xx);
        }
        // Decided as late as possible: the client learns of a stop that began while the upstream worked. A response that
        // comes before the request is whole ends the connection: the rest may never be read.
        let state = if progress.sent_all() { RequestState::Drained } else { RequestState::Undrained };
        let fate = connection_fate::derive(state, Some(&admitted.head), self.proxy.is_stopping());
        let cleared = (&*contracted, parameters.as_slice());
        let answer =
            relay::Answer::new(&response, cleared, (&client.writer, fate), notes.context, notes.findings)?;
        let mut source = answering.into_body(declared_length(&response, admitted.head.method()));
        let relay = pin!(answer.relay(&mut source, &mut client.writer, patience));
        let (relayed, found) = both(relay, upload, &mut progress).await?;
        notes.findings.add_response(notes.context, found);
        let sent_all = progress.sent_all();
        Ok(Exchanged::Answered(Response {
            status: response.status,
            relayed,
            sent_all,
            fate,
            fault: progress.fault,
        }))
    }

    /// Decides what a response that was relayed comes to.
    fn finish(
        &self,
        response: Response,
        link: Link,
        client: &Client<'_>,
        notes: &mut Notes<'_>,
    ) -> Result<Answered, Failed> {
        let Response { status, relayed, sent_all, fate, fault } = response;
        let mut detail = None;
        if let Some(SendFault::Client(fault)) = &fault {
            // A response that is still held back has not begun: the client learns the reason.
            if !client.writer.has_begun() {
                return Err(Failed::Rejected(body_refusal(fault, notes.findings)));
            }
            if matches!(fault, BodyFault::Refused(_)) {
                detail = Some(CUT);
            }
        }
        let fate = match relayed {
            Relayed::Refused(refusal) => return Err(Failed::Rejected(refusal.into())),
            Relayed::Stopped => {
                detail = Some(CUT);
                ConnectionFate::Abort
            }
            Relayed::Whole { reusable } => {
                if reusable && sent_all {
                    self.pool.release(link);
                }
                fate
            }
            Relayed::ByClose => ConnectionFate::Close,
            Relayed::Cut(by) => {
                match by {
                    By::Client => {}
                    By::Upstream => notes.findings.measured.count(RouteCounter::UpstreamReset),
                    By::Silence => notes.findings.measured.count(RouteCounter::UpstreamTimeout),
                }
                ConnectionFate::Abort
            }
        };
        Ok(Answered { status, fate, detail })
    }
}

/// Relays the response while the rest of the request is sent.
async fn both(
    mut relay: Pin<&mut impl Future<Output = (Relayed, ResponseFindings)>>,
    mut upload: Pin<&mut impl Future<Output = ()>>,
    progress: &mut Progress,
) -> Result<(Relayed, ResponseFindings), Failed> {
    loop {
        tokio::select! {
            biased;
            relayed = relay.as_mut() => return Ok(relayed),
            () = upload.as_mut() => return Err(Failed::Rejected(Rejection::Gone)),
            result = &mut progress.sent, if progress.sending => {
                progress.sending = false;
                progress.fault = result.unwrap_or(Ok(())).err();
                // An upstream that stops reading may still be answering; a client that breaks off is gone.
                if matches!(progress.fault, Some(SendFault::Client(_))) {
                    return Ok((Relayed::Cut(By::Client), ResponseFindings::default()));
                }
            }
        }
    }
}

/// The detail of a response that was ended after parts of it were sent.
const CUT: &str = "response cut";

/// The outcome of an exchange with the upstream.
enum Exchanged {
    Answered(Response),
    /// The upstream switches to the protocol that it was asked for.
    Switched(ResponseHead),
}

/// A response that was relayed as far as it went.
struct Response {
    status: u16,
    relayed: Relayed,
    sent_all: bool,
    /// The fate that the head announced to the client.
    fate: ConnectionFate,
    fault: Option<SendFault>,
}

/// Relays the switch to the client, and carries bytes from then on.
async fn switch(
    (response, admitted): (&ResponseHead, &Admitted),
    (client, mut link): (&mut Client<'_>, Link),
    proxy: &Proxy,
    notes: &mut Notes<'_>,
) -> Result<Answered, Failed> {
    let malformed = || UpstreamError::Malformed(Malformed::StartLine);
    let Link::Http1(connection) = &mut link else { return Err(malformed().into()) };
    if !upgrade::is_agreed(response, &upgrade::asked(admitted)) {
        return Err(malformed().into());
    }
    let leaves = notes.context.settings().leaves;
    let is_inspected = upgrade::is_websocket(response) && leaves.contains(Leaf::WebsocketMessages);
    if is_inspected && !handshake_is_agreed(&admitted.head, response) {
        return Err(malformed().into());
    }
    connection.leave_slot();
    notes.findings.measured.is_upgraded = true;
    let (head, hop) = relay::switching_head(response, notes.context);
    client.writer.head(&head, &hop);
    client.writer.flush().await.map_err(|_| Failed::Rejected(Rejection::Gone))?;
    let (Some(reader), Some(writer)) = (client.reader.connection(), client.writer.connection()) else {
        return Err(malformed().into());
    };
    let upstream = Side { reader: &mut connection.reader, writer: &mut connection.writer };
    let client = Side { reader, writer };
    if is_inspected {
        let path = admitted.target.path(admitted.head.target());
        let session = Session { context: notes.context, proxy, path };
        notes.findings.measured.messages = websocket::run(client, upstream, session).await;
    } else {
        notes.findings.set_tunnel();
        tunnel::run(client, upstream).await;
    }
    Ok(Answered { status: 101, fate: ConnectionFate::Abort, detail: None })
}

/// A connection that ended before it took the request.
fn unopened(error: UpstreamError) -> Failed {
    match error {
        UpstreamError::Reset(error) => Failed::Unanswered(error),
        error => error.into(),
    }
}

fn declared_length(response: &ResponseHead, method: &[u8]) -> Option<u64> {
    match framing::of_response(response, method) {
        Ok(Framing::Length(length)) => Some(length),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::response;
    use super::*;

    #[test]
    fn the_length_of_a_response_is_the_one_that_frames_it() {
        for (lines, method, expected) in [
            ("HTTP/1.1 200 OK\nContent-Length: 7", "GET", Some(7)),
            ("HTTP/1.1 200 OK\nContent-Length: 7", "HEAD", None),
            ("HTTP/1.1 304 N\nContent-Length: 7", "GET", None),
            ("HTTP/1.1 200 OK", "GET", None),
        ] {
            assert_eq!(declared_length(&response(lines), method.as_bytes()), expected, "{method} {lines:?}");
        }
    }
}
