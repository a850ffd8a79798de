//! The request on its way to the upstream, and the client while it waits for the answer.

use std::io;

use tokio::sync::oneshot;

use super::super::body::{Body, BodyFault, Next};
use crate::message::{Sink, Source};

/// Bytes of head and held body that are written at once.
const COALESCE_BYTES_MAX: usize = 64 << 10;

/// Sends the request, says through `done` how that ended, and ends itself when the client has left.
pub(super) async fn upload(
    upstream: Sink<'_>,
    body: &mut Body,
    client: &mut Source<'_>,
    done: oneshot::Sender<Result<(), SendFault>>,
) {
    let sent = send(upstream, body, client).await;
    // Who no longer waits for it has given the exchange up.
    let _ = done.send(sent);
    client.gone().await;
}

/// Fault that stopped sending.
pub(super) enum SendFault {
    Client(BodyFault),
    Upstream(io::Error),
}

/// Sends the queued head and the body; the upstream sees the message complete only if the client completed it.
async fn send(mut upstream: Sink<'_>, body: &mut Body, client: &mut Source<'_>) -> Result<(), SendFault> {
    loop {
        while upstream.pending() < COALESCE_BYTES_MAX
            && let Some(data) = body.pop_held()
        {
            upstream.data(data);
        }
        if let Some(trailers) = body.at_end() {
            upstream.end(trailers);
            return upstream.flush().await.map_err(SendFault::Upstream);
        }
        upstream.flush().await.map_err(SendFault::Upstream)?;
        match body.next(client).await.map_err(SendFault::Client)? {
            Next::Data(data) => upstream.data(data),
            Next::End => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use waf_shared::plan::Mode;

    use super::super::super::inspect::{self, Cleared};
    use super::super::super::testing::{contracted, exchange, head, with_client};
    use super::*;
    use crate::head::{Delimited, Hop, OutgoingHead};
    use crate::inspection_pool::InspectionPool;
    use crate::message::Client;
    use crate::stream::Stream;

    /// The bytes that an upstream gets of a chunked body, and whether sending ended well.
    async fn sent(rest: &[u8]) -> (String, bool) {
        let lines = "POST / HTTP/1.1\nHost: a\nContent-Type: image/png\nTransfer-Encoding: chunked";
        let mut exchange = exchange(|_, route| route.settings.mode = Mode::DetectOnly);
        let contracted = contracted(head(lines), &mut exchange);
        let framing = contracted.admitted.framing;
        let (context, findings) = (&exchange.context, &mut exchange.findings);
        let (ours, mut theirs) = tokio::io::duplex(64 << 10);
        let (is_sent, ..) = with_client(rest, async |client: &mut Client<'_>| {
            client.reader.delimit(framing);
            let inspected = inspect::head(contracted, &InspectionPool::default(), context, findings);
            let Ok(inspected) = inspected else { return false };
            let cleared = inspect::body(inspected, client, context, findings).await;
            let Ok(Cleared { mut body, .. }) = cleared else { return false };
            let (_reader, mut writer) = tokio::io::split(Stream::Memory(ours));
            let mut upstream = Sink::http1(&mut writer, std::time::Duration::from_secs(1));
            let hop = Hop { delimited: Delimited::Message, ..Hop::default() };
            upstream.head(&OutgoingHead::request(b"POST", |out| out.push(b'/')), &hop);
            send(upstream, &mut body, &mut client.reader).await.is_ok()
        })
        .await;
        let mut got = Vec::new();
        let _ = tokio::io::AsyncReadExt::read_to_end(&mut theirs, &mut got).await;
        (String::from_utf8_lossy(&got).into_owned(), is_sent)
    }

    #[tokio::test(start_paused = true)]
    async fn an_upstream_sees_the_end_of_a_message_only_if_the_client_sent_it() {
        let whole = b"3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 1\r\n\r\n";
        let (got, is_sent) = sent(whole).await;
        assert!(
            is_sent && got.starts_with("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "{got:?}"
        );
        assert!(got.ends_with("0\r\nX-Sum: 1\r\n\r\n"), "{got:?}");
        for broken in [&b"3\r\nabc\r\n2\r\nde"[..], b"3\r\nabc\r\nx\r\n", b"3\r\nabc\r\n0\r\nHost: b\r\n\r\n"]
        {
            let (got, is_sent) = sent(broken).await;
            assert!(!is_sent && !got.contains("0\r\n\r\n") && !got.contains("\r\n0\r\n"), "{got:?}");
        }
    }
}
