//! The gate between a client's socket and the library: in one direction the sieve, in the other a count of what leaves.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Buf as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use waf_shared::limits;

use super::flood_budget::Gain;
use super::frame::{self, Scanner};
use super::frame_filter::{Bounds, FrameFilter};
use super::stream_table::SharedStreamTable;
use crate::stream::Stream;

/// The socket with its gate.
#[derive(Debug)]
pub(super) struct Gate {
    io: Stream,
    stream_table: SharedStreamTable,
    incoming: FrameFilter,
    outgoing: Scanner,
    /// Bytes that are still thrown away once the connection is closed.
    linger_left: usize,
}

impl Gate {
    /// Over a connection whose first bytes were read into `begun` and are the preface.
    pub(super) fn new(io: Stream, begun: &[u8], bounds: Bounds, stream_table: SharedStreamTable) -> Gate {
        let mut incoming = FrameFilter::new(bounds, stream_table.clone());
        incoming.put(begun, Instant::now());
        Gate {
            io,
            stream_table,
            incoming,
            outgoing: Scanner::default(),
            linger_left: limits::LINGER_BYTES_MAX,
        }
    }

    /// Notes what leaves in `bytes`.
    fn sent(&mut self, bytes: &[u8]) {
        let now = Instant::now();
        let mut stream_table = self.stream_table.lock();
        stream_table.blocked_since = None;
        self.outgoing.scan(bytes, |head| match head.kind {
            frame::RST_STREAM => stream_table.reset(head.stream, now),
            frame::DATA | frame::HEADERS => {
                if head.has(frame::END_STREAM) {
                    stream_table.answered(head.stream);
                }
                stream_table.earn(Gain::Sent);
                if head.kind == frame::DATA {
                    stream_table.sent(head.stream, head.length);
                }
            }
            _ => {}
        });
    }
}

impl AsyncRead for Gate {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let gate = &mut *self;
        loop {
            if let Some(front) = gate.incoming.front() {
                let size = front.len().min(out.remaining());
                out.put_slice(front.get(..size).unwrap_or_default());
                front.advance(size);
                return Poll::Ready(Ok(()));
            }
            // The connection looks at the ledger after every poll of the library, so nothing has to wake it.
            if gate.stream_table.lock().fault().is_some() {
                return Poll::Pending;
            }
            let mut bytes = [0u8; limits::READ_BYTES];
            let mut piece = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut gate.io).poll_read(cx, &mut piece))?;
            if piece.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            gate.incoming.put(piece.filled(), Instant::now());
        }
    }
}

impl AsyncWrite for Gate {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.io).poll_write(cx, bytes) {
            Poll::Ready(Ok(taken)) => {
                self.sent(bytes.get(..taken).unwrap_or_default());
                Poll::Ready(Ok(taken))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                self.stream_table.lock().blocked_since.get_or_insert_with(Instant::now);
                Poll::Pending
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.io).poll_shutdown(cx))?;
        // Bytes that arrive unread would make the kernel reset the connection and throw away what it still has to send;
        // whoever closes it bounds the time.
        while self.linger_left > 0 {
            let mut bytes = [0u8; limits::READ_BYTES];
            let mut piece = ReadBuf::new(&mut bytes);
            if ready!(Pin::new(&mut self.io).poll_read(cx, &mut piece)).is_err() || piece.filled().is_empty()
            {
                break;
            }
            self.linger_left = self.linger_left.saturating_sub(piece.filled().len());
        }
        Poll::Ready(Ok(()))
    }
}
