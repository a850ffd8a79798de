//! Parts that both directions of a WebSocket share: the exchange that it belongs to, the reasons why it ends, and a write that can
//! be given up.

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::super::context::RequestContext;
use crate::proxy::Proxy;
use crate::websocket::Code;

/// The parts of an exchange that its WebSocket reads.
#[derive(Debug, Clone, Copy)]
pub(in crate::exchange) struct Session<'e> {
    pub(in crate::exchange) context: &'e RequestContext,
    pub(in crate::exchange) proxy: &'e Proxy,
    /// Path of the request that opened it.
    pub(in crate::exchange) path: &'e [u8],
}

/// The reason why a WebSocket ends before its sides close it.
#[derive(Debug)]
pub(super) enum Stop {
    /// Both sides get a close frame with this code.
    Close(Code),
    /// A side failed, or an event could not be written.
    Cut,
}

impl From<std::io::Error> for Stop {
    fn from(_: std::io::Error) -> Stop {
        Stop::Cut
    }
}

/// Writes all of `pending`. A wait that is given up loses nothing: what was not written stays.
pub(super) async fn write_pending<W: AsyncWrite + Unpin>(
    writer: &mut W,
    pending: &mut bytes::BytesMut,
    mut written: impl FnMut(&[u8]),
) -> std::io::Result<()> {
    while !pending.is_empty() {
        let size = writer.write(pending).await?;
        if size == 0 {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
        written(&pending.split_to(size));
    }
    writer.flush().await
}
