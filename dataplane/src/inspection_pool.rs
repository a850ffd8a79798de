//! Inspections between requests: their buffers are large, and a worker's connections share them.

use std::sync::{Mutex, PoisonError};

use waf_detection::inspection::Inspection;

/// Inspections that wait for their next request.
#[derive(Debug, Default)]
#[expect(
    clippy::vec_box,
    reason = "an inspection is large and travels boxed through the stages; here it only changes hands"
)]
pub(crate) struct InspectionPool(Mutex<Vec<Box<Inspection>>>);

/// Inspections that are kept; more run at once only under a flood, and are made anew then.
const POOLED_MAX: usize = 64;

impl InspectionPool {
    /// An inspection of an earlier request.
    pub(crate) fn take(&self) -> Option<Box<Inspection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Keeps an inspection for the next request.
    pub(crate) fn put(&self, inspection: Box<Inspection>) {
        let mut inspections = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inspections.len() < POOLED_MAX {
            inspections.push(inspection);
        }
    }
}
