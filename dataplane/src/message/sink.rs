//! The place that a message goes to. Calls queue; [`Sink::flush`] sends, with a bound on the receiver's patience.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use h2::Reason;
use tokio::io::WriteHalf;
use waf_shared::limits;

use crate::head::{Delimited, Hop, OutgoingHead, Version};
use crate::http1::framing::Framing;
use crate::http1::hop;
use crate::http2::Outgoing;
use crate::min_rate::Patience;
use crate::stream::Stream;
use crate::wire;

/// Bytes of a body for which a queue has room when a head is put into it.
const BODY_ROOM_BYTES: usize = 2 << 10;

/// The outgoing side of one message.
#[derive(Debug)]
pub(crate) struct Sink<'c> {
    to: To<'c>,
    /// Time that the receiver may let bytes wait.
    patience: Patience,
    has_begun: bool,
    takes_trailers: bool,
    /// Counter of the bytes of the body.
    counter: Option<Arc<AtomicU64>>,
    /// The version of the receiver.
    version: Version,
}

#[derive(Debug)]
enum To<'c> {
    Http1 { io: &'c mut WriteHalf<Stream>, out: Vec<u8>, is_chunked: bool },
    Http2(Box<Outgoing>),
}

impl<'c> Sink<'c> {
    /// To an HTTP/1 client.
    pub(crate) fn to_client(io: &'c mut WriteHalf<Stream>) -> Sink<'c> {
        Sink::http1(io, Duration::from_secs(limits::CLIENT_STALL_SECONDS))
    }

    /// To an HTTP/1 peer that may take no byte for as long as `stall`.
    pub(crate) fn http1(io: &'c mut WriteHalf<Stream>, stall: Duration) -> Sink<'c> {
        Sink {
            to: To::Http1 { io, out: Vec::new(), is_chunked: false },
            patience: Patience::new(stall),
            has_begun: false,
            takes_trailers: true,
            counter: None,
            version: Version::Http11,
        }
    }

    /// To a client's stream.
    pub(crate) fn to_stream(stream: Outgoing) -> Sink<'c> {
        Sink::to_upstream(stream, Duration::from_secs(limits::CLIENT_STALL_SECONDS))
    }

    /// To a stream of an upstream, whose head was sent.
    pub(crate) fn to_upstream(stream: Outgoing, stall: Duration) -> Sink<'c> {
        let patience = Patience::new(stall);
        Sink {
            to: To::Http2(Box::new(stream)),
            patience,
            has_begun: false,
            takes_trailers: true,
            counter: None,
            version: Version::Http2,
        }
    }

    /// Gives the receiver up also when it takes fewer bytes a second of what waits for it; 0 is off.
    pub(crate) fn keep_min_rate(&mut self, bytes_per_second: u64) {
        self.patience.keep_min_rate(bytes_per_second);
    }

    /// Sets the version of a client, which its head says.
    pub(crate) fn speak(&mut self, version: Version) {
        self.version = version;
    }

    /// The delimiter of a body with this framing.
    pub(crate) fn delimiter(&self, framing: Framing) -> Delimited {
        match framing {
            Framing::None | Framing::Length(_) => Delimited::Head,
            Framing::Chunked | Framing::UntilClose if self.version.delimits_messages() => Delimited::Message,
            Framing::Chunked | Framing::UntilClose => Delimited::Connection,
        }
    }

    /// Queues a head, and what the message says about its hop.
    pub(crate) fn head(&mut self, head: &OutgoingHead, hop: &Hop) {
        self.has_begun = true;
        match &mut self.to {
            To::Http1 { out, is_chunked, .. } => {
                // Room for a small body too, which goes out in the same write.
                out.reserve(head.http1_lines().len() + BODY_ROOM_BYTES);
                out.extend_from_slice(head.http1_lines());
                hop::write(hop, self.version, out);
                out.extend_from_slice(b"\r\n");
                *is_chunked = hop.delimited == Delimited::Message;
            }
            To::Http2(stream) => stream.head(head),
        }
    }

    /// Reports whether a final head was queued: from then on there is no other answer.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Adds the bytes of the body that come from now on to `counter`.
    pub(crate) fn count(&mut self, counter: Arc<AtomicU64>) {
        self.counter = Some(counter);
    }

    /// Queues a part of the body.
    pub(crate) fn data(&mut self, data: Bytes) {
        if let Some(counter) = &self.counter {
            counter.fetch_add(data.len() as u64, Ordering::Relaxed);
        }
        match &mut self.to {
            To::Http1 { out, is_chunked: true, .. } => wire::push_chunk(out, &data),
            To::Http1 { out, .. } => out.extend_from_slice(&data),
            To::Http2(stream) => stream.data(data),
        }
    }

    /// Says whether the receiver reads trailers; until then it is taken to.
    pub(crate) fn take_trailers(&mut self, takes_trailers: bool) {
        self.takes_trailers = takes_trailers;
    }

    /// Queues the end, with trailer lines where the message can carry them and the receiver reads them.
    pub(crate) fn end(&mut self, trailers: &[u8]) {
        let trailers = if self.takes_trailers { trailers } else { &[] };
        match &mut self.to {
            To::Http1 { out, is_chunked: true, .. } => wire::push_last_chunk(out, trailers),
            To::Http1 { .. } => {}
            To::Http2(stream) => stream.end(trailers),
        }
    }

    /// Bytes that are queued.
    pub(crate) fn pending(&self) -> usize {
        match &self.to {
            To::Http1 { out, .. } => out.len(),
            To::Http2(stream) => stream.pending(),
        }
    }

    /// Sends what is queued.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Http1 { io, out, .. } => {
                wire::write_all(*io, out, &mut self.patience).await?;
                out.clear();
                Ok(())
            }
            To::Http2(stream) => stream.flush(&mut self.patience).await,
        }
    }

    /// Sends an interim (1xx) head at once, where the receiver reads such heads.
    pub(crate) async fn interim(&mut self, head: &OutgoingHead) -> io::Result<()> {
        if !self.version.has_interim_responses() {
            return Ok(());
        }
        match &mut self.to {
            To::Http1 { io, .. } => {
                let text = [head.http1_lines(), b"\r\n"].concat();
                wire::write_all(*io, &text, &mut self.patience).await
            }
            To::Http2(stream) => stream.interim(head),
        }
    }

    /// The connection beneath, where it carries nothing else.
    pub(crate) fn connection(&mut self) -> Option<&mut WriteHalf<Stream>> {
        match &mut self.to {
            To::Http1 { io, .. } => Some(&mut **io),
            To::Http2(_) => None,
        }
    }

    /// Breaks the message off. A connection that carries one message at a time is closed by its owner instead.
    pub(crate) fn abort(&mut self, reason: Reason) {
        match &mut self.to {
            To::Http1 { .. } => {}
            To::Http2(stream) => stream.reset(reason),
        }
    }

    /// Ends once the receiver has said that it wants no more; never where it cannot say so.
    pub(crate) fn gone(&self) -> impl Future<Output = ()> + Send + use<> {
        let gone = match &self.to {
            To::Http1 { .. } => None,
            To::Http2(stream) => Some(stream.gone()),
        };
        async move {
            match gone {
                Some(gone) => gone.await,
                None => std::future::pending().await,
            }
        }
    }
}
