//! A WebSocket between a client and an upstream: messages of the client are judged before they are forwarded, frames of the
//! upstream pass. A message that is refused closes both sides.

mod downstream;
mod message;
mod rates;
mod report;
mod session;
mod upstream;

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use waf_shared::limits;

use super::tunnel::{Moved, Side, silence};
use crate::audit::Disposition;
use crate::http1::reader::Reader;
use crate::websocket::Code;
use downstream::Downstream;
pub(super) use session::Session;
use session::Stop;
use upstream::Upstream;

/// Time that either side gets to take its close frame and to close.
const CLOSE: Duration = Duration::from_secs(limits::WEBSOCKET_CLOSE_SECONDS);

/// Carries messages to the upstream and frames to the client until both have ended, one is refused, or neither side has
/// sent anything for long. Returns what was done about messages, at the worst.
pub(super) async fn run<R1, W1, R2, W2>(
    client: Side<'_, R1, W1>,
    upstream: Side<'_, R2, W2>,
    session: Session<'_>,
) -> Option<Disposition>
where
    R1: AsyncRead + Unpin,
    W1: AsyncWrite + Unpin,
    R2: AsyncRead + Unpin,
    W2: AsyncWrite + Unpin,
{
    let moved = Moved::begin();
    let mut up = Upstream::new(upstream.writer, session);
    let mut down = Downstream::new(client.writer);
    let stop = tokio::select! {
        ended = both(up.run(client.reader, &moved), down.run(upstream.reader, &moved)) => ended.err(),
        () = silence(&moved) => Some(Stop::Close(Code::GOING_AWAY)),
    };
    if let Some(Stop::Close(code)) = stop {
        let _ = tokio::join!(
            timeout(CLOSE, up.close(code)),
            timeout(CLOSE, async {
                down.close(code, upstream.reader).await?;
                drain(client.reader).await
            })
        );
    }
    up.worst()
}

/// Runs both directions. A client whose upstream has ended gets a moment to end too.
async fn both(
    up: impl Future<Output = Result<(), Stop>>,
    down: impl Future<Output = Result<(), Stop>>,
) -> Result<(), Stop> {
    let (mut up, mut down) = (std::pin::pin!(up), std::pin::pin!(down));
    tokio::select! {
        ended = up.as_mut() => {
            ended?;
            down.await
        }
        ended = down.as_mut() => {
            ended?;
            timeout(CLOSE, up).await.unwrap_or(Ok(()))
        }
    }
}

/// Reads what the client still sends, so that the end of the connection does not overtake its close frame.
async fn drain<R: AsyncRead + Unpin>(reader: &mut Reader<R>) -> std::io::Result<()> {
    while !reader.bytes().await?.is_empty() {}
    Ok(())
}

#[cfg(test)]
mod tests;
