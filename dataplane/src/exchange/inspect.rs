//! Second stage: what does the request say? The head at once, the body as it comes. Only here a [`Cleared`] is made, so
//! that nothing which was not inspected can be forwarded.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use nix::time::{ClockId, clock_gettime};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;
use waf_detection::body::{BodyKind, Cut};
use waf_detection::budget::Budget;
use waf_detection::inspection::{Bounds, Inspection, OnHit};
use waf_detection::verdict::Verdict;
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::Turned;
use super::admit::{Admitted, leaf_of, refuses};
use super::record::Record;
use crate::http1::body::Decoder;
use crate::http1::head::Version;
use crate::http1::reader::{BodyError, Piece, Reader};
use crate::refusal::{Refusal, TIMEOUT};

/// Inspections that wait for their next request with their buffers, shared by a worker's connections.
#[derive(Debug, Default)]
#[expect(
    clippy::vec_box,
    reason = "an inspection is large and travels boxed through the stages; here it only changes hands"
)]
pub(crate) struct Spare(Mutex<Vec<Box<Inspection>>>);

/// Inspections that are kept; more run at once only under a flood, and are made anew then.
const SPARE_MAX: usize = 64;

impl Spare {
    fn take(&self) -> Option<Box<Inspection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Keeps an inspection for the next request.
    pub(crate) fn put(&self, inspection: Box<Inspection>) {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_MAX {
            spare.push(inspection);
        }
    }
}

/// A request whose head was inspected.
#[derive(Debug)]
pub(crate) struct Inspected {
    admitted: Admitted,
    inspection: Box<Inspection>,
}

/// A request that may be forwarded: its head and what is held of its body were inspected; the rest is read through
/// [`Body::next`], which keeps the limits.
#[derive(Debug)]
pub(crate) struct Cleared {
    /// The admitted head.
    pub(crate) admitted: Admitted,
    /// Its body.
    pub(crate) body: Body,
    inspection: Box<Inspection>,
    _proof: (),
}

impl Cleared {
    /// What was found, when it would block.
    pub(crate) fn verdict(&self) -> Option<&Verdict> {
        Some(self.inspection.verdict()).filter(|v| v.blocks())
    }

    /// Gives the inspection back, for the next request.
    pub(crate) fn into_inspection(self) -> Box<Inspection> {
        self.inspection
    }
}

/// A request body on its way through.
#[derive(Debug)]
pub(crate) struct Body {
    held: VecDeque<Bytes>,
    decoder: Decoder,
    /// Set once the client has sent everything: the trailer lines.
    end: Option<Bytes>,
    bytes: u64,
    bytes_max: u64,
    refuses: bool,
}

/// The end of a body or a part of it.
#[derive(Debug)]
pub(crate) enum Next {
    Data(Bytes),
    /// Trailer lines as they came.
    End(Bytes),
}

/// Why the rest of a body did not come.
#[derive(Debug)]
pub(crate) enum BodyFault {
    /// Over `max_body_size`.
    TooLarge,
    /// The client stopped sending.
    Stalled,
    /// The client went away, or broke the framing.
    Broken(BodyError),
}

/// Inspects path, query and header fields.
pub(crate) fn head(admitted: Admitted, spare: &Spare, record: &mut Record) -> Result<Inspected, Turned> {
    let settings = record.settings();
    let bounds = Bounds {
        json_depth: settings.inspection.json_depth,
        json_keys: settings.inspection.json_keys,
        max_inspect_size: settings.inspection.max_inspect_size,
    };
    let on_hit = if refuses(record) { OnHit::Stop } else { OnHit::GoOn };
    let budget = Budget { limit: settings.inspection.evaluation_timeout.duration(), clock: thread_cpu_time };
    let mut inspection = match spare.take() {
        Some(mut inspection) => {
            inspection.reset(settings.leaves, bounds, on_hit, budget);
            inspection
        }
        None => {
            let engine = Arc::clone(record.serving.engine());
            Box::new(Inspection::new(engine, settings.leaves, bounds, on_hit, budget))
        }
    };
    let raw = admitted.head.target();
    inspection.path(admitted.target.path(raw));
    if let Some(query) = admitted.target.query(raw) {
        inspection.query(query);
    }
    for (name, value) in admitted.head.fields.iter() {
        inspection.header(name, value);
    }
    match judge(&inspection, record) {
        Ok(()) => Ok(Inspected { admitted, inspection }),
        Err(refusal) => Err(Turned::Found(refusal, inspection)),
    }
}

/// Reads and inspects the part of the body that must be cleared before anything is forwarded.
pub(crate) async fn body<R, W>(
    inspected: Inspected,
    reader: &mut Reader<R>,
    writer: &mut W,
    record: &mut Record,
) -> Result<Cleared, Turned>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let Inspected { admitted, mut inspection } = inspected;
    let mut body = Body {
        held: VecDeque::new(),
        decoder: Decoder::new(admitted.framing),
        end: None,
        bytes: 0,
        bytes_max: record.settings().accept.max_body_size,
        refuses: refuses(record) && record.settings().leaves.contains(Leaf::RequestValidationMaxBodySize),
    };
    if !admitted.carries_body() {
        body.end = Some(Bytes::new());
        return Ok(Cleared { admitted, body, inspection, _proof: () });
    }
    if admitted.head.version == Version::Http11
        && admitted.head.fields.first("expect").is_some()
        && !reader.has_buffered()
    {
        writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(|_| Turned::Gone)?;
    }
    let mut kind = inspection.body(admitted.head.fields.first("content-type").unwrap_or_default());
    if kind != BodyKind::None && is_encoded(&admitted) {
        // What cannot be read must not be judged as if it were the text that it hides.
        kind = BodyKind::None;
        let reason = "the body has a content coding that is not inspected yet";
        if record.violate(Leaf::HttpComplianceMalformedBody, "HEADERS:content-encoding", reason).is_err() {
            return Err(Turned::Refused(Refusal::blocked(415).closing()));
        }
    }
    let mut left = match kind {
        BodyKind::None => 0,
        _ => record.settings().inspection.max_inspect_size,
    };
    let mut held = VecDeque::new();
    while left > 0 {
        match body.next(reader).await {
            Ok(Next::Data(data)) => {
                let part = data.get(..data.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
                let part = part.unwrap_or_default();
                inspection.feed(part);
                left -= part.len() as u64;
                held.push_back(data);
                if let Err(refusal) = judge(&inspection, record) {
                    return Err(Turned::Found(refusal.closing(), inspection));
                }
            }
            Ok(Next::End(trailers)) => {
                body.end = Some(trailers);
                break;
            }
            Err(fault) => return Err(body_refusal(&fault, record)),
        }
    }
    if kind != BodyKind::None {
        inspection.finish_body(if body.end.is_some() { Cut::Whole } else { Cut::CutOff });
        if let Err(refusal) = judge(&inspection, record) {
            let refusal = if body.end.is_some() { refusal } else { refusal.closing() };
            return Err(Turned::Found(refusal, inspection));
        }
    }
    body.held = held;
    Ok(Cleared { admitted, body, inspection, _proof: () })
}

impl Body {
    /// The next part, held or fresh from the client.
    pub(crate) async fn next<R: AsyncRead + Unpin>(
        &mut self,
        reader: &mut Reader<R>,
    ) -> Result<Next, BodyFault> {
        if let Some(data) = self.held.pop_front() {
            return Ok(Next::Data(data));
        }
        if let Some(trailers) = &self.end {
            return Ok(Next::End(trailers.clone()));
        }
        let stall = Duration::from_secs(limits::BODY_STALL_SECONDS);
        let piece = timeout(stall, reader.body(&mut self.decoder)).await.map_err(|_| BodyFault::Stalled)?;
        match piece.map_err(BodyFault::Broken)? {
            Piece::Data(data) => {
                self.bytes += data.len() as u64;
                if self.refuses && self.bytes > self.bytes_max {
                    return Err(BodyFault::TooLarge);
                }
                Ok(Next::Data(data))
            }
            Piece::End(trailers) => {
                self.end = Some(trailers.clone());
                Ok(Next::End(trailers))
            }
        }
    }

    /// Takes what is held without waiting, for one write together with the head.
    pub(crate) fn pop_held(&mut self) -> Option<Bytes> {
        self.held.pop_front()
    }

    /// The trailers, once nothing but them is left to send.
    pub(crate) fn at_end(&self) -> Option<&Bytes> {
        self.end.as_ref().filter(|_| self.held.is_empty())
    }

    /// Whether more than `max_body_size` came (in `detect_only` it goes on).
    pub(crate) fn is_over_size(&self) -> bool {
        self.bytes > self.bytes_max
    }
}

fn is_encoded(admitted: &Admitted) -> bool {
    let mut codings =
        admitted.head.fields.all("content-encoding").flat_map(|value| value.split(|b| *b == b','));
    codings.any(|coding| {
        !coding.trim_ascii().is_empty() && !coding.trim_ascii().eq_ignore_ascii_case(b"identity")
    })
}

/// What a broken body means for the client.
pub(crate) fn body_refusal(fault: &BodyFault, record: &mut Record) -> Turned {
    match fault {
        BodyFault::TooLarge => {
            let reason = format!("a body of more than {} bytes", record.settings().accept.max_body_size);
            let leaf = Leaf::RequestValidationMaxBodySize;
            match record.violate(leaf, "BODY", reason) {
                Err(refusal) => Turned::Refused(refusal.closing()),
                Ok(()) => Turned::Refused(Refusal::blocked(leaf.row().status).closing()),
            }
        }
        BodyFault::Stalled | BodyFault::Broken(BodyError::Truncated) => {
            // The record keeps it whatever the mode: a message that never ends cannot be forwarded.
            let _ =
                record.refuse(408, Leaf::RequestValidationSlowClients, "BODY", "the body was never finished");
            Turned::Refused(TIMEOUT)
        }
        BodyFault::Broken(BodyError::Malformed(why)) => {
            Turned::Refused(record.refuse(400, leaf_of(*why), "BODY", why.to_string()))
        }
        BodyFault::Broken(BodyError::Io(_)) => Turned::Gone,
    }
}

/// Turns the client away when the verdict blocks and the mode says so.
fn judge(inspection: &Inspection, record: &Record) -> Result<(), Refusal> {
    let verdict = inspection.verdict();
    if !verdict.blocks() || !refuses(record) {
        return Ok(());
    }
    let status = verdict.violations.first().map_or(403, |violation| violation.leaf.row().status);
    Err(Refusal::blocked(status))
}

/// CPU time of this thread: what `evaluation_timeout` counts.
fn thread_cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
