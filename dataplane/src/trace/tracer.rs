//! The queue of finished exchanges, and the task that empties it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use waf_shared::limits::TRACE_QUEUE_EXCHANGES_MAX;
use waf_shared::plan::Tracing;

use super::dropped::drop_spans;
use super::error::TraceSetupError;
use super::export;
use super::span::Finished;
use crate::upstream::Dialer;

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
