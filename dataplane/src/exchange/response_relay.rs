//! Relaying a response that is screened. In blocking mode it is held until it is judged: to its end or to the bound on
//! inspection, a stream only until it falls silent. What then follows is judged before it passes.

use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::timeout;
use waf_shared::limits;

use super::findings::ResponseFindings;
use super::response_inspection::ResponseInspector;
use crate::head::{Hop, OutgoingHead};
use crate::http1::reader::Piece;
use crate::message::{Sink, Source};
use crate::refusal::Refusal;

/// Bytes that are judged and written at once.
const BATCH_BYTES_MAX: usize = 32 << 10;

/// Beginning of a response.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) head: &'a OutgoingHead,
    pub(super) hop: &'a Hop,
    /// Time that the upstream may be silent.
    pub(super) patience: Duration,
}

/// Outcome of relaying.
#[derive(Debug)]
pub(super) enum Outcome {
    /// All of it was sent.
    Sent,
    /// All that is screened was queued; the rest is relayed unread.
    Passed,
    /// One side broke off.
    Cut(By),
    /// A finding ended it after parts of it were sent.
    Stopped,
    /// It is refused, and nothing of it was sent.
    Refused(Refusal),
}

/// Who broke an answer off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The client.
    Client,
    /// The upstream, by closing or by bytes that are not HTTP.
    Upstream,
    /// The upstream, by saying nothing for too long.
    Silence,
}

/// Relays head and body as far as they are screened, and says what was found.
pub(super) async fn relay(
    start: Start<'_>,
    mut inspector: ResponseInspector,
    upstream: &mut Source<'_>,
    client: &mut Sink<'_>,
) -> (Outcome, ResponseFindings) {
    let outcome = match inspector.refusal() {
        Some(refusal) => Outcome::Refused(refusal),
        None => run(start, &mut inspector, upstream, client).await,
    };
    (outcome, inspector.into_judged())
}

async fn run(
    start: Start<'_>,
    inspector: &mut ResponseInspector,
    upstream: &mut Source<'_>,
    client: &mut Sink<'_>,
) -> Outcome {
    let mut batch = Batch::default();
    if let Break(outcome) = begin(start, inspector, upstream, client, &mut batch).await {
        return outcome;
    }
    inspector.release();
    while !inspector.is_over() {
        if let Break(outcome) = step(start.patience, inspector, upstream, client, &mut batch).await {
            return outcome;
        }
    }
    // The piece in hand was judged as far as anything is.
    if inspector.refusal().is_some() {
        return Outcome::Stopped;
    }
    batch.queue(client);
    Outcome::Passed
}

/// Queues the head, after what is held was judged.
async fn begin(
    start: Start<'_>,
    inspector: &mut ResponseInspector,
    upstream: &mut Source<'_>,
    client: &mut Sink<'_>,
    batch: &mut Batch,
) -> ControlFlow<Outcome> {
    if !inspector.holds() {
        client.head(start.head, start.hop);
        return Continue(());
    }
    let end = hold(start, inspector, upstream, batch).await;
    if let Some(refusal) = inspector.refusal() {
        return Break(Outcome::Refused(refusal));
    }
    client.head(start.head, start.hop);
    batch.queue(client);
    match end {
        Held::All(trailers) => Break(finish(client, &trailers).await),
        Held::Broken(by) => Break(cut(client, by).await),
        Held::Enough => Continue(()),
    }
}

/// Sends what was judged, and judges the next piece.
async fn step(
    patience: Duration,
    inspector: &mut ResponseInspector,
    upstream: &mut Source<'_>,
    client: &mut Sink<'_>,
    batch: &mut Batch,
) -> ControlFlow<Outcome> {
    let Ok(end) = batch.gather(upstream, inspector) else {
        return Break(cut(client, By::Upstream).await);
    };
    match &end {
        Some(_) => inspector.finish(),
        None if inspector.holds() && !batch.is_empty() => inspector.probe(),
        None => {}
    }
    if inspector.refusal().is_some() {
        return Break(Outcome::Stopped);
    }
    batch.queue(client);
    if let Some(trailers) = end {
        return Break(finish(client, &trailers).await);
    }
    if client.flush().await.is_err() {
        return Break(Outcome::Cut(By::Client));
    }
    match within(patience, upstream.body()).await {
        Some(Ok(Piece::Data(data))) => batch.push(data, inspector),
        Some(Ok(Piece::End(trailers))) => {
            inspector.finish();
            if inspector.refusal().is_some() {
                return Break(Outcome::Stopped);
            }
            return Break(finish(client, &trailers).await);
        }
        Some(Err(_)) => return Break(Outcome::Cut(By::Upstream)),
        None => return Break(Outcome::Cut(By::Silence)),
    }
    Continue(())
}

/// End of holding.
enum Held {
    /// The body is complete; its trailers.
    All(Bytes),
    /// As much is judged as is held.
    Enough,
    /// The upstream broke off, or fell silent.
    Broken(By),
}

/// Gathers until the response may go; what was judged by then speaks through the screen.
async fn hold(
    start: Start<'_>,
    inspector: &mut ResponseInspector,
    upstream: &mut Source<'_>,
    batch: &mut Batch,
) -> Held {
    let silence = Duration::from_millis(limits::RESPONSE_SILENCE_MILLISECONDS);
    let patience = if inspector.is_stream() { silence.min(start.patience) } else { start.patience };
    let held = loop {
        if inspector.refusal().is_some() || inspector.is_over() || batch.bytes >= inspector.held_max() {
            break Held::Enough;
        }
        match within(patience, upstream.body()).await {
            Some(Ok(Piece::Data(data))) => batch.push(data, inspector),
            Some(Ok(Piece::End(trailers))) => {
                inspector.finish();
                return Held::All(trailers);
            }
            None if inspector.is_stream() && patience < start.patience => break Held::Enough,
            Some(Err(_)) => break Held::Broken(By::Upstream),
            None => break Held::Broken(By::Silence),
        }
    };
    inspector.probe();
    held
}

/// Pieces that were judged and not yet queued.
#[derive(Debug, Default)]
struct Batch {
    pieces: Vec<Bytes>,
    bytes: usize,
}

struct Broken;

impl Batch {
    fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    fn push(&mut self, data: Bytes, inspector: &mut ResponseInspector) {
        inspector.take(&data);
        self.bytes += data.len();
        self.pieces.push(data);
    }

    /// Takes what has arrived; the trailers when the body is complete.
    fn gather(
        &mut self,
        upstream: &mut Source<'_>,
        inspector: &mut ResponseInspector,
    ) -> Result<Option<Bytes>, Broken> {
        while self.bytes < BATCH_BYTES_MAX {
            match upstream.body_buffered().map_err(|_| Broken)? {
                Some(Piece::Data(data)) => self.push(data, inspector),
                Some(Piece::End(trailers)) => return Ok(Some(trailers)),
                None => break,
            }
        }
        Ok(None)
    }

    fn queue(&mut self, client: &mut Sink<'_>) {
        self.bytes = 0;
        for piece in self.pieces.drain(..) {
            client.data(piece);
        }
    }
}

async fn finish(client: &mut Sink<'_>, trailers: &[u8]) -> Outcome {
    client.end(trailers);
    match client.flush().await {
        Ok(()) => Outcome::Sent,
        Err(_) => Outcome::Cut(By::Client),
    }
}

/// Sends the bytes that were judged; the client sees that others are missing.
async fn cut(client: &mut Sink<'_>, by: By) -> Outcome {
    let _ = client.flush().await;
    Outcome::Cut(by)
}

/// Waits for `work` for at most `patience`.
pub(super) async fn within<T>(patience: Duration, work: impl Future<Output = T>) -> Option<T> {
    timeout(patience, work).await.ok()
}

#[cfg(test)]
mod tests {
    use waf_shared::plan::Mode;

    use super::super::testing::{LEAK, contracted, exchange, head, response, with_client};
    use super::*;
    use crate::http1::framing;
    use crate::http1::reader::Reader;
    use crate::message::Client;
    use crate::stream::Stream;

    /// The outcome of relaying a response that the upstream wrote whole, the bytes that the client got, and whether
    /// rules found something.
    async fn relay_body(body: &str, mode: Mode) -> (String, String, bool) {
        let (ours, mut theirs) = tokio::io::duplex(64 << 10);
        tokio::io::AsyncWriteExt::write_all(&mut theirs, body.as_bytes()).await.expect("taken");
        drop(theirs);
        let (half, _writer) = tokio::io::split(Stream::Memory(ours));
        let mut reader = Reader::new(half);
        let mut upstream = Source::http1(&mut reader);
        let length = body.len();
        let response =
            response(&format!("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: {length}"));
        let framing = framing::of_response(&response, b"GET").expect("valid framing");
        upstream.delimit(framing);
        let mut exchange = exchange(|_, route| route.settings.mode = mode);
        let contracted = contracted(head("GET / HTTP/1.1\nHost: a"), &mut exchange);
        let (context, findings) = (&exchange.context, &mut exchange.findings);
        let inspector = ResponseInspector::of(&response, framing, (&contracted, b""), context, findings);
        let inspector = inspector.expect("rules look at responses by default");
        let out = OutgoingHead::response(200, b"OK");
        let ((outcome, found), got, _) = with_client(b"", async |client: &mut Client<'_>| {
            let patience = Duration::from_secs(1);
            let start = Start { head: &out, hop: &Hop::default(), patience };
            relay(start, inspector, &mut upstream, &mut client.writer).await
        })
        .await;
        (format!("{outcome:?}"), got, found.verdict.is_some())
    }

    #[tokio::test]
    async fn a_leak_is_refused_before_a_byte_of_it_or_reported() {
        let (outcome, got, found) = relay_body(LEAK, Mode::Blocking).await;
        assert!(outcome.starts_with("Refused") && got.is_empty() && found, "{outcome} {got}");
        let (outcome, got, found) = relay_body(LEAK, Mode::DetectOnly).await;
        assert!(got.ends_with(LEAK) && found, "{outcome} {got}");
    }

    #[tokio::test]
    async fn a_benign_response_is_relayed_whole() {
        for mode in [Mode::Blocking, Mode::DetectOnly] {
            let (outcome, got, found) = relay_body("<p>hello</p>", mode).await;
            assert_eq!((outcome.as_str(), found), ("Sent", false), "{mode:?}");
            assert_eq!(got, "HTTP/1.1 200 OK\r\n\r\n<p>hello</p>", "{mode:?}");
        }
    }
}
