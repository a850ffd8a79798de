//! The recording of one request: its head, and its body up to a bound, as a line when the exchange ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waf_shared::limits::RECORD_BODY_BYTES_MAX;
use waf_shared::metrics::RouteCounter;

use super::context::{Arrival, RequestContext};
use crate::audit::recorded::{self, Recorded};
use crate::http1::reader::Piece;
use crate::proxy::Proxy;
use crate::record::Recording;

/// One request that is recorded.
#[derive(Debug)]
pub(super) struct Capture {
    recording: Arc<Recording>,
    body: Mutex<CapturedBody>,
}

/// A body as far as it came.
#[derive(Debug, Default)]
struct CapturedBody {
    bytes: Vec<u8>,
    /// True if more came than is kept.
    is_cut: bool,
    has_ended: bool,
}

impl Capture {
    /// The recording of the request that `context` describes, if it is one of the share.
    pub(super) fn begin(proxy: &Proxy, context: &RequestContext) -> Option<Capture> {
        let recording = proxy.recording();
        let is_proxied = !matches!(context.arrival(), Arrival::Redirect);
        (is_proxied && recording.takes_next())
            .then(|| Capture { recording: Arc::clone(recording), body: Mutex::default() })
    }

    /// Keeps the next piece of the body.
    pub(super) fn piece(&self, piece: &Piece) {
        let mut body = self.lock();
        match piece {
            Piece::Data(data) if body.bytes.len() + data.len() > RECORD_BODY_BYTES_MAX => {
                body.is_cut = true;
                body.bytes = Vec::new();
            }
            Piece::Data(data) if !body.is_cut => body.bytes.extend_from_slice(data),
            Piece::Data(_) => {}
            Piece::End(_) => body.has_ended = true,
        }
    }

    /// Queues the line of a request that was counted as `action`.
    pub(super) fn finish(&self, context: &RequestContext, action: Option<RouteCounter>) {
        let (Some(head), Some(action)) = (context.head(), action) else { return };
        let body = self.lock();
        let is_whole = body.has_ended && !body.is_cut;
        let recorded = Recorded {
            time: context.time(),
            request_id: context.request_id(),
            route: context.route_id(),
            decision: match action {
                RouteCounter::Blocked => "blocked",
                RouteCounter::Detected => "detected",
                _ => "allowed",
            },
            method: head.method(),
            target: head.target(),
            body: is_whole.then_some(body.bytes.as_slice()),
        };
        self.recording.log().send(recorded::write(&recorded, head.fields.iter()));
    }

    fn lock(&self) -> MutexGuard<'_, CapturedBody> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
