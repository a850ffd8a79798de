//! Threads that share the batches of inputs: each works on its own counts, which are added up at the end.

use std::sync::{Mutex, PoisonError};

use crate::batches::{Batch, Batches};

/// Progress through inputs.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Bytes that were read.
    pub bytes: u64,
    /// Bytes that there are; 0 where it is not known.
    pub total: u64,
}

/// Runs `work` on each of `threads` threads with a source of batches, and adds up what they return. `report` gets the
/// progress before each batch.
pub(crate) fn run<T: Send>(
    batches: Batches,
    threads: usize,
    report: &(dyn Fn(Progress) + Sync),
    work: impl Fn(&mut dyn FnMut() -> Option<Batch>) -> T + Sync,
    mut merge: impl FnMut(T),
) {
    let batches = Mutex::new(batches);
    let next = || {
        let mut batches = batches.lock().unwrap_or_else(PoisonError::into_inner);
        let batch = batches.next();
        let (bytes, total) = batches.progress();
        report(Progress { bytes, total });
        batch
    };
    let one = || work(&mut || next());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(one)).collect();
        merge(one());
        for thread in threads {
            match thread.join() {
                Ok(part) => merge(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
}
