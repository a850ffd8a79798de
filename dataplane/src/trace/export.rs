//! The task that sends spans: batches by count or time, one export under way at a time, each within its deadline. A
//! collector that is away costs the spans that wait and nothing else.

use std::time::Duration;

use opentelemetry_sdk::trace::{SpanData, SpanExporter as _};
use tokio::sync::{mpsc, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until, timeout};
use waf_shared::limits::{TRACE_BATCH_SPANS_MAX, TRACE_DELAY_MILLISECONDS, TRACE_TIMEOUT_SECONDS};
use waf_shared::plan::Tracing;

use super::dropped::{drop_spans, spans_dropped};
use super::error::TraceSetupError;
use super::span::Finished;
use super::transport;
use crate::upstream::{self, Dialer};

/// Exchanges that are made spans of in one go.
const TURN_EXCHANGES: usize = 32;

/// Between two looks at the queue: far from the time in which it fills.
const PAUSE: Duration = Duration::from_millis(20);

/// One export of spans to one collector.
pub(super) struct Export {
    exporter: opentelemetry_otlp::SpanExporter,
    notes: transport::Notes,
    /// Origin of the collector.
    collector: String,
    timeout: Duration,
    is_failing: bool,
}

impl Export {
    pub(super) fn new(settings: &Tracing, dialer: Dialer) -> Result<Export, TraceSetupError> {
        let timeout = settings
            .timeout
            .map_or(Duration::from_secs(TRACE_TIMEOUT_SECONDS), waf_shared::plan::Millis::duration);
        let (exporter, notes) = transport::exporter(settings, dialer, timeout)?;
        let collector = upstream::origin(&settings.collector);
        Ok(Export { exporter, notes, collector, timeout, is_failing: false })
    }

    /// Sends until every handle is gone or `flush` says so, and everything that came before is sent.
    pub(super) async fn run(mut self, mut queue: mpsc::Receiver<Finished>, mut flush: watch::Receiver<bool>) {
        let mut batch = Vec::new();
        while let Then::GoOn = self.gather(&mut queue, &mut flush, &mut batch).await {
            self.send(std::mem::take(&mut batch)).await;
        }
        queue.close();
        while let Ok(finished) = queue.try_recv() {
            batch.extend(finished.into_spans());
            if room(&batch) == 0 {
                self.send(std::mem::take(&mut batch)).await;
            }
        }
        self.send(batch).await;
    }

    /// Waits for a first span and then, for a moment, for more. Under load it looks at the queue now and then instead
    /// of being woken by every request, and never takes so many at once that requests of this thread would wait for it.
    async fn gather(
        &self,
        queue: &mut mpsc::Receiver<Finished>,
        flush: &mut watch::Receiver<bool>,
        batch: &mut Vec<SpanData>,
    ) -> Then {
        let mut due: Option<Instant> = None;
        let mut some = Vec::with_capacity(TURN_EXCHANGES);
        while room(batch) > 0 {
            let turn = TURN_EXCHANGES.min(room(batch));
            let taken = tokio::select! {
                taken = queue.recv_many(&mut some, turn) => taken,
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => return Then::GoOn,
                // The sender is gone only together with the queue's.
                _ = flush.wait_for(|flush| *flush) => return Then::End,
            };
            if taken == 0 {
                return Then::End;
            }
            batch.extend(some.drain(..).flat_map(Finished::into_spans));
            let due =
                *due.get_or_insert_with(|| Instant::now() + Duration::from_millis(TRACE_DELAY_MILLISECONDS));
            if taken == turn {
                yield_now().await;
            } else {
                tokio::select! {
                    () = sleep_until(due.min(Instant::now() + PAUSE)) => {}
                    _ = flush.wait_for(|flush| *flush) => return Then::End,
                }
            }
        }
        Then::GoOn
    }

    async fn send(&mut self, batch: Vec<SpanData>) {
        if batch.is_empty() {
            return;
        }
        let count = batch.len();
        let outcome = timeout(self.timeout, self.exporter.export(batch)).await;
        let noted = self.notes.take();
        let (dropped, why) = match outcome {
            Ok(Ok(())) if noted.rejected == 0 => return self.all_taken(),
            // Whatever a collector says, it rejects no more than it got.
            Ok(Ok(())) => {
                (usize::try_from(noted.rejected).map_or(count, |spans| spans.min(count)), noted.words)
            }
            // The messages of the library say less.
            Ok(Err(error)) if noted.words.is_empty() => (count, error.to_string()),
            Ok(Err(_)) => (count, noted.words),
            Err(_) => (count, "it did not answer in time".to_owned()),
        };
        drop_spans(dropped);
        // Said once, not for every batch.
        if !self.is_failing {
            let what = if dropped == count { "takes no spans" } else { "rejects some spans" };
            let collector = self.collector.as_str();
            tracing::warn!(collector, why, "the trace collector {what}: they are dropped and counted");
        }
        self.is_failing = true;
    }

    fn all_taken(&mut self) {
        if self.is_failing {
            self.is_failing = false;
            tracing::info!(dropped = spans_dropped(), "the trace collector takes spans again");
        }
    }
}

/// Exchanges whose spans find room in `batch`, whichever they are.
fn room(batch: &[SpanData]) -> usize {
    TRACE_BATCH_SPANS_MAX.saturating_sub(batch.len()) / Finished::SPANS_MAX
}

enum Then {
    GoOn,
    End,
}
