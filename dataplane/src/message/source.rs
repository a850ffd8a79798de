//! The place that the body of a message comes from. It finds the end of the body, and so knows whether the message was
//! read whole. It knows no deadline; callers do.

use bytes::Bytes;
use tokio::io::ReadHalf;
use waf_shared::limits;

use crate::http1::body::Decoder;
use crate::http1::framing::Framing;
use crate::http1::reader::{BodyError, Piece, Reader};
use crate::http2::Incoming;
use crate::stream::Stream;

/// The incoming side of one message.
#[derive(Debug)]
pub(crate) struct Source<'c> {
    from: From<'c>,
    /// Finds the end of the body; none until the framing is known.
    decoder: Option<Decoder>,
    /// True if the end of the message was read.
    has_ended: bool,
}

#[derive(Debug)]
enum From<'c> {
    /// A connection that carries one message after the other.
    Http1(&'c mut Reader<ReadHalf<Stream>>),
    /// A stream of a connection that carries many.
    Http2(Incoming),
    /// Nothing comes.
    Empty,
}

impl<'c> Source<'c> {
    /// Source on an HTTP/1 connection. Nothing is read until [`Source::delimit`] says where the message ends.
    pub(crate) fn http1(reader: &'c mut Reader<ReadHalf<Stream>>) -> Source<'c> {
        Source { from: From::Http1(reader), decoder: None, has_ended: false }
    }

    /// Source on an HTTP/2 stream, whose frames end the message.
    pub(crate) fn http2(incoming: Incoming) -> Source<'c> {
        Source { from: From::Http2(incoming), decoder: None, has_ended: false }
    }

    /// A message without a body.
    pub(crate) fn empty() -> Source<'c> {
        Source { from: From::Empty, decoder: None, has_ended: true }
    }

    /// Sets the framing of the message, which its head declares.
    pub(crate) fn delimit(&mut self, framing: Framing) {
        let decoder = Decoder::new(framing);
        self.has_ended |= decoder.is_done();
        self.decoder = Some(decoder);
    }

    /// Reports whether the message was read to its end. One whose framing is unknown never was.
    pub(crate) fn is_drained(&self) -> bool {
        self.has_ended
    }

    /// Reports whether a part of the body is known to have arrived already.
    pub(crate) fn has_buffered(&self) -> bool {
        match &self.from {
            From::Http1(reader) => reader.has_buffered(),
            From::Http2(_) | From::Empty => false,
        }
    }

    /// Ends once the sender has closed its connection or broken it off; bytes that it sends meanwhile are kept. A
    /// stream reports that in another way.
    pub(crate) async fn gone(&mut self) {
        match &mut self.from {
            From::Http1(reader) => reader.ended(limits::PIPELINED_BYTES_MAX).await,
            From::Http2(_) | From::Empty => std::future::pending().await,
        }
    }

    /// The next piece of the body. A wait that is given up loses nothing.
    pub(crate) async fn body(&mut self) -> Result<Piece, BodyError> {
        let piece = match (&mut self.from, &mut self.decoder) {
            (From::Http1(reader), Some(decoder)) => reader.body(decoder).await,
            (From::Http1(_), None) => Err(BodyError::Truncated),
            (From::Http2(stream), _) => stream.piece().await,
            (From::Empty, _) => Ok(Piece::End(Bytes::new())),
        };
        self.note(piece)
    }

    /// The next piece when it needs no waiting: lets a caller join it with what it is about to send.
    pub(crate) fn body_buffered(&mut self) -> Result<Option<Piece>, BodyError> {
        let piece = match (&mut self.from, &mut self.decoder) {
            (From::Http1(reader), Some(decoder)) => reader.body_buffered(decoder),
            (From::Http1(_), None) => Err(BodyError::Truncated),
            (From::Http2(stream), _) => stream.piece_buffered(),
            (From::Empty, _) => Ok(Some(Piece::End(Bytes::new()))),
        };
        piece?.map(|piece| self.note(Ok(piece))).transpose()
    }

    /// The connection beneath, where it carries nothing else.
    pub(crate) fn connection(&mut self) -> Option<&mut Reader<ReadHalf<Stream>>> {
        match &mut self.from {
            From::Http1(reader) => Some(&mut **reader),
            From::Http2(_) | From::Empty => None,
        }
    }

    fn note(&mut self, piece: Result<Piece, BodyError>) -> Result<Piece, BodyError> {
        self.has_ended |= matches!(piece, Ok(Piece::End(_)));
        piece
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    /// Reads the body that `bytes` begin with and reports whether the source was drained before and after, and what
    /// follows it.
    async fn read(bytes: &[u8], framing: Option<Framing>) -> (bool, bool, Vec<u8>) {
        let (ours, mut theirs) = tokio::io::duplex(1 << 10);
        theirs.write_all(bytes).await.expect("taken");
        let (half, _writer) = tokio::io::split(Stream::Memory(ours));
        let mut reader = Reader::new(half);
        reader.fill().await.expect("read");
        let mut source = Source::http1(&mut reader);
        if let Some(framing) = framing {
            source.delimit(framing);
        }
        let before = source.is_drained();
        while let Ok(Some(Piece::Data(_))) = source.body_buffered() {}
        let after = source.is_drained();
        (before, after, reader.buffered().to_vec())
    }

    #[tokio::test]
    async fn a_message_is_drained_at_its_end_and_never_before() {
        for (bytes, framing, before, after, left) in [
            (&b"GET /"[..], Framing::None, true, true, &b"GET /"[..]),
            (b"GET /", Framing::Length(0), true, true, b"GET /"),
            (b"abcGET /", Framing::Length(3), false, true, b"GET /"),
            (b"ab", Framing::Length(3), false, false, b""),
            (b"1\r\na\r\n0\r\n\r\nGET /", Framing::Chunked, false, true, b"GET /"),
            (b"1\r\na\r\n0\r\n\r", Framing::Chunked, false, false, b"\r"),
            (b"1\r\na\r\nx\r\n", Framing::Chunked, false, false, b"x\r\n"),
        ] {
            let read = read(bytes, Some(framing)).await;
            assert_eq!(read, (before, after, left.to_vec()), "{framing:?} of {bytes:?}");
        }
    }

    #[tokio::test]
    async fn a_message_without_known_framing_is_neither_read_nor_drained() {
        for bytes in [&b""[..], b"GET / HTTP/1.1\r\n\r\n", b"0\r\n\r\n"] {
            if bytes.is_empty() {
                continue;
            }
            assert_eq!(read(bytes, None).await, (false, false, bytes.to_vec()), "{bytes:?}");
        }
        assert!(Source::empty().is_drained());
    }
}
