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
