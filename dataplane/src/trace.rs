//! Traces: one server span for each request, a client span for its call of the upstream, exported by OTLP. A request
//! hands what is known of it to a bounded queue and never waits; what finds no place there, or no collector, is counted
//! and gone. While tracing is off none of this exists.

mod context;
mod export;
mod span;
mod transport;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use opentelemetry_sdk::trace::{IdGenerator as _, RandomIdGenerator};
use tokio::sync::{mpsc, watch};
use waf_shared::limits::TRACE_QUEUE_EXCHANGES_MAX;
use waf_shared::plan::Tracing;

pub(crate) use context::Context;
pub(crate) use span::{Action, Call, Exchange, Finished, TracedRequest, bounded};

use crate::upstream::{Dialer, TlsSetupError};

/// Spans that this process made and no collector took.
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Spans that this process made and no collector took: the queue was full, or an export failed.
pub fn spans_dropped() -> u64 {
    DROPPED.load(Ordering::Relaxed)
}

fn drop_spans(count: usize) {
    DROPPED.fetch_add(count as u64, Ordering::Relaxed);
}

/// The reason why traces cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum TraceSetupError {
    /// TLS to the collector cannot be had.
    #[error("the collector cannot be reached by TLS")]
    Tls(#[from] TlsSetupError),
    /// The library refused the settings.
    #[error("traces cannot be exported: {0}")]
    Exporter(String),
    /// There is no runtime that the export could live in.
    #[error("traces need a runtime")]
    Runtime,
}

/// The way of spans out of this process. The export ends when the last handle is gone and the queue is empty.
#[derive(Debug)]
pub(crate) struct Tracer {
    settings: Tracing,
    queue: mpsc::Sender<Finished>,
    /// True if the export should send what it has at once.
    flush: watch::Sender<bool>,
    ended: watch::Receiver<bool>,
}

impl Tracer {
    /// Starts an export as `settings` say, or goes on with that of `previous` when nothing changed. Has to be called
    /// inside a runtime.
    pub(crate) fn build(
        settings: &Tracing,
        previous: Option<&Arc<Tracer>>,
    ) -> Result<Arc<Tracer>, TraceSetupError> {
        if let Some(previous) = previous.filter(|previous| previous.settings == *settings) {
            return Ok(Arc::clone(previous));
        }
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| TraceSetupError::Runtime)?;
        let dialer = Dialer::new(&settings.collector)?;
        let (queue, waiting) = mpsc::channel(TRACE_QUEUE_EXCHANGES_MAX);
        let (flush, flushing) = watch::channel(false);
        let (end, ended) = watch::channel(false);
        let export = export::Export::new(settings, dialer)?;
        runtime.spawn(async move {
            export.run(waiting, flushing).await;
            end.send_replace(true);
        });
        Ok(Arc::new(Tracer { settings: settings.clone(), queue, flush, ended }))
    }

    /// Takes a finished exchange, if there is room.
    pub(crate) fn submit(&self, finished: Finished) {
        let spans = finished.spans();
        if self.queue.try_send(finished).is_err() {
            drop_spans(spans);
        }
    }

    /// Sends what waits, for at most `limit`; the export takes nothing afterwards.
    pub(crate) async fn finish(&self, limit: Duration) {
        self.flush.send_replace(true);
        let mut ended = self.ended.clone();
        let _ = tokio::time::timeout(limit, ended.wait_for(|ended| *ended)).await;
    }
}

fn fresh_trace() -> u128 {
    u128::from_be_bytes(RandomIdGenerator::default().new_trace_id().to_bytes())
}

fn fresh_span() -> u64 {
    u64::from_be_bytes(RandomIdGenerator::default().new_span_id().to_bytes())
}
