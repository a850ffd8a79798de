//! Notes of an exchange while it runs.

use std::sync::Arc;
use std::time::Instant;

use super::context::Context;
use super::span::{Action, Call};
use super::tracer::Tracer;

/// Stages that an exchange notes at most; it has fewer.
const STAGES_MAX: usize = 16;

/// Notes of an exchange that runs.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) tracer: Arc<Tracer>,
    pub(crate) context: Context,
    pub(crate) action: Action,
    /// Status that the client got; zero when it got none.
    pub(crate) status: u16,
    pub(crate) call: Option<Call>,
    stages: Vec<(&'static str, Instant)>,
}

impl Exchange {
    pub(crate) fn new(tracer: Arc<Tracer>, context: Context) -> Exchange {
        Exchange { tracer, context, action: Action::default(), status: 0, call: None, stages: Vec::new() }
    }

    /// Adds a stage that is over since `at`.
    pub(crate) fn stage(&mut self, name: &'static str, at: Instant) {
        if self.context.is_sampled && self.stages.len() < STAGES_MAX {
            self.stages.push((name, at));
        }
    }

    pub(crate) fn take_stages(&mut self) -> Vec<(&'static str, Instant)> {
        std::mem::take(&mut self.stages)
    }
}
