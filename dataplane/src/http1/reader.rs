//! Brings bytes to the codec: one buffered reader for client and upstream connections. It knows no deadline; callers
//! do.

use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use waf_shared::limits::READ_BYTES;

use super::body::{Decoder, Step};
use super::head::{self, Malformed, Scan};

/// The reason why a head could not be read.
#[derive(Debug, thiserror::Error)]
pub enum HeadError {
    /// The connection ended before the first byte.
    #[error("the connection was closed")]
    Closed,
    /// The connection ended inside the head.
    #[error("the connection was closed inside a message head")]
    Truncated,
    /// The head is longer than allowed.
    #[error("the message head is too long")]
    TooLong,
    /// The bytes are no head.
    #[error("{0}")]
    Malformed(Malformed),
    /// The socket failed.
    #[error("reading a message head failed")]
    Io(#[from] io::Error),
}

/// The reason why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The connection ended inside the body.
    #[error("the connection was closed inside a message body")]
    Truncated,
    /// The framing is malformed.
    #[error("{0}")]
    Malformed(Malformed),
    /// The socket failed.
    #[error("reading a message body failed")]
    Io(#[from] io::Error),
}

/// A part of a body.
#[derive(Debug)]
pub enum Piece {
    /// Data; never empty.
    Data(Bytes),
    /// The end, with trailer lines as they came.
    End(Bytes),
}

/// A buffered reader.
#[derive(Debug)]
pub struct Reader<R> {
    io: R,
    buffer: BytesMut,
    scanned: usize,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    /// Over a fresh connection.
    pub fn new(io: R) -> Reader<R> {
        Reader { io, buffer: BytesMut::new(), scanned: 0 }
    }

    /// Reports whether bytes are waiting in the buffer.
    pub fn has_buffered(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// Bytes that wait in the buffer, for events about heads that could not be read.
    pub fn buffered(&self) -> &[u8] {
        &self.buffer
    }

    /// Reads once; 0 is the end of the connection.
    pub async fn fill(&mut self) -> io::Result<usize> {
        poll_fn(|cx| self.poll_fill(cx)).await
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.buffer.reserve(READ_BYTES);
        // The limit keeps one connection from growing its buffer to whatever the allocator had at hand.
        let mut limited = (&mut self.io).take(READ_BYTES as u64);
        let read = pin!(limited.read_buf(&mut self.buffer)).poll(cx);
        if read.is_pending() && self.buffer.is_empty() {
            // A connection that waits for a message needs no memory for it yet, and most connections wait.
            self.buffer = BytesMut::new();
        }
        read
    }

    /// Ends with the connection. What comes before is kept; once that is `bytes_max`, nothing more is read and the end
    /// is not seen. A wait that is given up loses nothing.
    pub async fn ended(&mut self, bytes_max: usize) {
        // A small piece: a client that waits for its answer seldom sends anything, and many wait at once.
        let mut piece = [0u8; 256];
        while self.buffer.len() < bytes_max {
            match self.io.read(&mut piece).await {
                Ok(read @ 1..) => self.buffer.extend_from_slice(piece.get(..read).unwrap_or_default()),
                Ok(0) | Err(_) => return,
            }
        }
        std::future::pending::<()>().await;
    }

    /// Whatever comes next, read as bytes alone; empty at the end of the connection. A wait that is given up loses
    /// nothing.
    pub async fn bytes(&mut self) -> io::Result<Bytes> {
        self.scanned = 0;
        if self.buffer.is_empty() {
            self.fill().await?;
        }
        Ok(self.buffer.split().freeze())
    }

    /// The connection without the buffer.
    pub fn into_inner(self) -> R {
        self.io
    }

    /// The connection and what is buffered of it.
    pub fn into_parts(self) -> (R, BytesMut) {
        (self.io, self.buffer)
    }

    /// Takes empty lines off the front (RFC 9112 section 2.2 allows clients one after a body).
    pub fn skip_empty_line(&mut self) {
        if self.scanned == 0 && self.buffer.starts_with(b"\r\n") {
            let _ = self.buffer.split_to(2);
        }
    }

    /// The next head, of at most `bytes_max` bytes.
    pub async fn head(&mut self, bytes_max: usize) -> Result<Bytes, HeadError> {
        loop {
            match head::scan(&self.buffer, &mut self.scanned) {
                Scan::Malformed(why) => return Err(HeadError::Malformed(why)),
                Scan::Complete(length) if length > bytes_max => return Err(HeadError::TooLong),
                Scan::Complete(length) => {
                    self.scanned = 0;
                    return Ok(head::take(&mut self.buffer, length));
                }
                Scan::Incomplete if self.buffer.len() > bytes_max => return Err(HeadError::TooLong),
                Scan::Incomplete => {}
            }
            if self.fill().await? == 0 {
                return Err(if self.buffer.is_empty() { HeadError::Closed } else { HeadError::Truncated });
            }
        }
    }

    /// The next piece of the body that `decoder` decodes.
    pub async fn body(&mut self, decoder: &mut Decoder) -> Result<Piece, BodyError> {
        loop {
            match decoder.step(&mut self.buffer).map_err(BodyError::Malformed)? {
                Step::Data(data) => return Ok(Piece::Data(data)),
                Step::End(trailers) => return Ok(Piece::End(trailers)),
                Step::NeedMore => {}
            }
            if self.fill().await? == 0 {
                return if decoder.ends_with_connection() {
                    Ok(Piece::End(Bytes::new()))
                } else {
                    Err(BodyError::Truncated)
                };
            }
        }
    }

    /// The next piece when it needs no reading: lets a caller join it with what it is about to write.
    pub fn body_buffered(&mut self, decoder: &mut Decoder) -> Result<Option<Piece>, BodyError> {
        Ok(match decoder.step(&mut self.buffer).map_err(BodyError::Malformed)? {
            Step::Data(data) => Some(Piece::Data(data)),
            Step::End(trailers) => Some(Piece::End(trailers)),
            Step::NeedMore => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    /// Bytes of memory that a reader keeps after each of these was read and more was waited for in vain.
    async fn kept(pieces: &[&[u8]], take: usize) -> (Vec<u8>, usize) {
        let (ours, mut theirs) = tokio::io::duplex(64 << 10);
        let mut reader = Reader::new(ours);
        for piece in pieces {
            theirs.write_all(piece).await.expect("taken");
            assert_eq!(reader.fill().await.expect("read"), piece.len());
        }
        let _ = reader.buffer.split_to(take);
        let waits = poll_fn(|cx| Poll::Ready(reader.poll_fill(cx).is_pending())).await;
        assert!(waits, "there is nothing more");
        (reader.buffer.to_vec(), reader.buffer.capacity())
    }

    #[tokio::test]
    async fn a_connection_that_waits_for_a_message_keeps_no_buffer() {
        let large = vec![b'x'; READ_BYTES];
        for (pieces, take) in
            [(&[][..], 0), (&[&b"GET /"[..]][..], 5), (&[&b"a"[..], b"b"], 2), (&[&large], READ_BYTES)]
        {
            assert_eq!(kept(pieces, take).await, (Vec::new(), 0), "{take} taken");
        }
    }

    #[tokio::test]
    async fn a_wait_within_a_message_loses_nothing() {
        for (pieces, take, left) in [
            (&[&b"GET /"[..]][..], 0, &b"GET /"[..]),
            (&[&b"GET /"[..], b" HTTP"], 4, b"/ HTTP"),
            (&[&b"ab"[..]], 1, b"b"),
        ] {
            assert_eq!(kept(pieces, take).await.0, left);
        }
    }
}
