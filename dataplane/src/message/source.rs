//! Where the body of a message comes from. It knows no deadline; callers do.

use bytes::Bytes;
use tokio::io::ReadHalf;
use waf_shared::limits;

use crate::http1::body::Decoder;
use crate::http1::reader::{BodyError, Piece, Reader};
use crate::http2::Incoming;
use crate::stream::Stream;

/// The incoming side of one message.
#[derive(Debug)]
pub(crate) enum Source<'c> {
    /// A connection that carries one message after the other.
    Http1(&'c mut Reader<ReadHalf<Stream>>),
    /// A stream of a connection that carries many.
    Http2(Incoming),
    /// Nothing comes.
    Empty,
}

impl Source<'_> {
    /// Whether a part of the body is known to have arrived already.
    pub(crate) fn has_buffered(&self) -> bool {
        match self {
            Source::Http1(reader) => reader.has_buffered(),
            Source::Http2(_) | Source::Empty => false,
        }
    }

    /// Ends once the sender has closed its connection or broken it off; what it sends meanwhile is kept. A stream says so
    /// in another way.
    pub(crate) async fn gone(&mut self) {
        match self {
            Source::Http1(reader) => reader.ended(limits::PIPELINED_BYTES_MAX).await,
            Source::Http2(_) | Source::Empty => std::future::pending().await,
        }
    }

    /// The next piece of the body. `decoder` finds its end on a connection that has no frames.
    pub(crate) async fn body(&mut self, decoder: &mut Decoder) -> Result<Piece, BodyError> {
        match self {
            Source::Http1(reader) => reader.body(decoder).await,
            Source::Http2(stream) => stream.piece().await,
            Source::Empty => Ok(Piece::End(Bytes::new())),
        }
    }

    /// The next piece when it needs no waiting: lets a caller join it with what it is about to send.
    pub(crate) fn body_buffered(&mut self, decoder: &mut Decoder) -> Result<Option<Piece>, BodyError> {
        match self {
            Source::Http1(reader) => reader.body_buffered(decoder),
            Source::Http2(stream) => stream.piece_buffered(),
            Source::Empty => Ok(Some(Piece::End(Bytes::new()))),
        }
    }
}
