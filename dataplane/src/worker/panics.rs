//! Faults of the program, counted.

use std::sync::Arc;

use waf_shared::metrics::WorkerCounter;

use crate::metrics::Metrics;

/// Counts faults of the program. Each ends the task of one connection or stream; nothing that it read is forwarded.
pub(super) fn count(metrics: &Arc<Metrics>) {
    let (metrics, report) = (metrics.clone(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        metrics.add(WorkerCounter::InternalErrors, 1);
        report(panic);
    }));
}
