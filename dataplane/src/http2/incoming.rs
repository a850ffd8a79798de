//! The data that comes on one HTTP/2 stream, whichever side of it we are.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::RecvStream;

use super::stream_table::SharedStreamTable;
use super::translate;
use crate::http1::body::check_trailers;
use crate::http1::head::Malformed;
use crate::http1::reader::{BodyError, Piece};

/// The data that comes on a stream.
#[derive(Debug)]
pub(crate) struct Incoming {
    body: RecvStream,
    /// The ledger of the client's connection, which keeps trailers as they came; none towards an upstream.
    stream_table: Option<SharedStreamTable>,
    /// Bytes that Content-Length still promises.
    left: Option<u64>,
    mismatch: LengthMismatch,
}

/// Set once the message that comes turns out to be malformed: nothing but a reset may answer it then.
#[derive(Debug, Clone, Default)]
pub(super) struct LengthMismatch(Arc<AtomicBool>);

impl LengthMismatch {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    fn check<T>(&self, read: Result<T, Malformed>) -> Result<T, BodyError> {
        if read.is_err() {
            self.0.store(true, Ordering::Release);
        }
        read.map_err(BodyError::Malformed)
    }
}

impl Incoming {
    /// From a client that declared `length`.
    pub(super) fn from_client(
        body: RecvStream,
        stream_table: SharedStreamTable,
        length: Option<u64>,
        mismatch: LengthMismatch,
    ) -> Incoming {
        Incoming { body, stream_table: Some(stream_table), left: length, mismatch }
    }

    /// From an upstream that declared `length`.
    pub(crate) fn from_upstream(body: RecvStream, length: Option<u64>) -> Incoming {
        Incoming { body, stream_table: None, left: length, mismatch: LengthMismatch::default() }
    }

    /// The next piece.
    pub(crate) async fn piece(&mut self) -> Result<Piece, BodyError> {
        poll_fn(|cx| self.poll_piece(cx)).await
    }

    /// The next piece, if it is here.
    pub(crate) fn piece_buffered(&mut self) -> Result<Option<Piece>, BodyError> {
        match self.poll_piece(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(piece) => piece.map(Some),
            Poll::Pending => Ok(None),
        }
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Result<Piece, BodyError>> {
        loop {
            match self.body.poll_data(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(Ok(data))) if data.is_empty() => {}
                Poll::Ready(Some(Ok(data))) => {
                    // What is taken here is passed on or dropped before the next piece is asked for.
                    let _ = self.body.flow_control().release_capacity(data.len());
                    return Poll::Ready(self.count(&data).map(|()| Piece::Data(data)));
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(broken(error))),
                Poll::Ready(None) => break,
            }
        }
        let trailers = match self.body.poll_trailers(cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Err(error)) => return Poll::Ready(Err(broken(error))),
            Poll::Ready(Ok(trailers)) => trailers,
        };
        if self.left.is_some_and(|left| left > 0) {
            return Poll::Ready(self.mismatch.check(Err(Malformed::ContentLength)));
        }
        let kept =
            self.stream_table.as_ref().and_then(|l| l.lock().take_trailers(self.body.stream_id().as_u32()));
        let lines = kept.unwrap_or_else(|| {
            let lines = trailers.map(|t| translate::lines(&t)).unwrap_or_default();
            check_trailers(&lines).map(|()| lines)
        });
        Poll::Ready(self.mismatch.check(lines).map(Piece::End))
    }

    /// The data of a message is as long as its Content-Length says (RFC 9113 section 8.1.1).
    fn count(&mut self, data: &Bytes) -> Result<(), BodyError> {
        if let Some(left) = &mut self.left {
            let rest = left.checked_sub(data.len() as u64).ok_or(Malformed::ContentLength);
            *left = self.mismatch.check(rest)?;
        }
        Ok(())
    }
}

fn broken(error: h2::Error) -> BodyError {
    match error.get_io() {
        Some(io) if io.kind() == io::ErrorKind::UnexpectedEof => BodyError::Truncated,
        _ if error.is_io() => BodyError::Truncated,
        _ => BodyError::Io(io::Error::new(io::ErrorKind::ConnectionReset, error)),
    }
}
