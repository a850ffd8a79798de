//! The line of an exchange in the access log, written when the exchange ends, however it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use waf_shared::metrics::RouteCounter;

use super::context::RequestContext;
use super::rejection::STATUS_LEFT;
use crate::access_log::AccessLog;
use crate::audit::access::{Access, write};
use crate::head::RequestHead;

/// Notes for the line of an exchange.
#[derive(Debug)]
pub(super) struct AccessNotes {
    log: Arc<AccessLog>,
    /// Bytes of the body that went to the client.
    bytes: Arc<AtomicU64>,
    /// None until an answer is chosen: a client that left before has none.
    pub(super) status: Option<u16>,
}

impl AccessNotes {
    /// None while the log is off.
    pub(super) fn new(log: &Arc<AccessLog>) -> Option<AccessNotes> {
        log.is_on().then(|| AccessNotes { log: Arc::clone(log), bytes: Arc::default(), status: None })
    }

    /// Counter of the bytes of the body.
    pub(super) fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes)
    }

    /// Queues the line of a request that ended as `action` says.
    pub(super) fn finish(&self, context: &RequestContext, action: RouteCounter) {
        let head = context.head().map(AsRef::as_ref);
        self.log.send(write(&Access {
            time: context.time(),
            client: context.client(),
            listener: context.local(),
            scheme: context.scheme(),
            method: head.map(RequestHead::method),
            target: head.map(RequestHead::target),
            host: head.and_then(|head| head.fields.first("host")),
            status: self.status.unwrap_or(STATUS_LEFT),
            bytes: self.bytes.load(Ordering::Relaxed),
            duration: context.elapsed(),
            route: context.route_id(),
            request_id: context.request_id(),
            verdict: match action {
                RouteCounter::Blocked => "blocked",
                RouteCounter::Detected => "detected",
                _ => "allowed",
            },
        }));
    }
}
