//! From the upstream to the client: bytes as they come, and between two frames a close frame of our own.

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use super::super::tunnel::Moved;
use super::session::{Stop, write_pending};
use crate::http1::reader::Reader;
use crate::websocket::{Boundary, Code};

/// The direction to the client.
#[derive(Debug)]
pub(super) struct Downstream<'s, W> {
    writer: &'s mut W,
    boundary: Boundary,
    /// Bytes that were read and not yet written.
    pending: BytesMut,
}

impl<'s, W: AsyncWrite + Unpin> Downstream<'s, W> {
    pub(super) fn new(writer: &'s mut W) -> Downstream<'s, W> {
        Downstream { writer, boundary: Boundary::default(), pending: BytesMut::new() }
    }

    /// Forwards until the upstream ends.
    pub(super) async fn run<R: AsyncRead + Unpin>(
        &mut self,
        from: &mut Reader<R>,
        moved: &Moved,
    ) -> Result<(), Stop> {
        loop {
            let bytes = from.bytes().await?;
            if bytes.is_empty() {
                self.writer.shutdown().await?;
                return Ok(());
            }
            moved.now();
            self.pending = into_mut(bytes);
            self.write().await?;
            moved.now();
        }
    }

    /// Sends a close frame behind the frame in hand, and nothing after it.
    pub(super) async fn close<R: AsyncRead + Unpin>(
        &mut self,
        code: Code,
        from: &mut Reader<R>,
    ) -> std::io::Result<()> {
        loop {
            let rest = self.boundary.up_to_next(&self.pending).len();
            self.pending.truncate(rest);
            self.write().await?;
            if self.boundary.is_here() {
                break;
            }
            let bytes = from.bytes().await?;
            if bytes.is_empty() {
                return self.writer.shutdown().await;
            }
            self.pending = into_mut(bytes);
        }
        self.writer.write_all(&code.to_client()).await?;
        self.writer.shutdown().await
    }

    async fn write(&mut self) -> std::io::Result<()> {
        let boundary = &mut self.boundary;
        write_pending(self.writer, &mut self.pending, |written| boundary.pass(written)).await
    }
}

/// The bytes without a copy, where nobody else reads them.
fn into_mut(bytes: Bytes) -> BytesMut {
    bytes.try_into_mut().unwrap_or_else(|shared| BytesMut::from(shared.as_ref()))
}
