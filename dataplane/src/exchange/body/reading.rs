//! How the bytes of one body reach the inspection: as they are, inflated, or not at all.

use std::ops::ControlFlow;

use waf_detection::body::{BodyKind, Cut};
use waf_detection::inspection::{Inspection, Progress};

use crate::coding::{self, Coding, Fault, Inflater};

/// The reading of one body.
#[derive(Debug)]
pub(super) struct Reading {
    kind: BodyKind,
    inflater: Option<Inflater>,
    state: State,
    /// Bytes as they came that were not inflated.
    passed_over: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Bodies of this type are not inspected.
    Off,
    On,
    /// All that is ever judged has been; the rest is only counted.
    Finished,
}

impl Reading {
    /// Of a body of `kind` to which `codings` were applied.
    pub(super) fn new(kind: BodyKind, codings: &[Coding], bounds: coding::Bounds) -> Reading {
        let state = if kind == BodyKind::None { State::Off } else { State::On };
        let inflater = (!codings.is_empty()).then(|| Inflater::new(codings, bounds));
        Reading { kind, inflater, state, passed_over: 0 }
    }

    /// Bytes that should have been inspected and were not.
    pub(super) fn uninspected(&self, inspection: &Inspection) -> u64 {
        if self.state == State::Off { 0 } else { self.passed_over.saturating_add(inspection.uninspected()) }
    }

    /// Whether bodies of this type are inspected at all.
    pub(super) fn is_off(&self) -> bool {
        self.state == State::Off
    }

    /// Whether everything that was fed may pass.
    pub(super) fn may_pass(&self, inspection: &Inspection) -> bool {
        self.state != State::On
            || (self.kind == BodyKind::Multipart && inspection.progress() != Progress::Open)
    }

    /// Feeds the next bytes as they came.
    pub(super) fn feed(&mut self, data: &[u8], inspection: &mut Inspection) -> Result<(), Fault> {
        match self.state {
            State::Off => return Ok(()),
            State::Finished => {
                self.passed_over = self.passed_over.saturating_add(data.len() as u64);
                return Ok(());
            }
            State::On => {}
        }
        let kind = self.kind;
        match &mut self.inflater {
            None => inspection.feed(data),
            Some(inflater) if inflater.is_stopped() => {
                self.passed_over = self.passed_over.saturating_add(data.len() as u64);
            }
            Some(inflater) => inflater.feed(data, &mut |made| {
                inspection.feed(made);
                if is_cut_off(kind, inspection) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?,
        }
        // Out of time, the inspection takes nothing more; where the mode lets that pass, the rest does too.
        if is_cut_off(kind, inspection) || inspection.verdict().timed_out {
            self.give_up(inspection);
        }
        Ok(())
    }

    /// Judges what was fed as the prefix that it is, and reads no further.
    pub(super) fn give_up(&mut self, inspection: &mut Inspection) {
        if self.state == State::On {
            inspection.finish_body(Cut::CutOff);
            self.state = State::Finished;
        }
    }

    /// The body has ended.
    pub(super) fn finish(&mut self, inspection: &mut Inspection) -> Result<(), Fault> {
        if self.state != State::On {
            return Ok(());
        }
        let whole = self.inflater.as_ref().map_or(Ok(()), Inflater::finish);
        let cut = match &self.inflater {
            Some(inflater) if inflater.is_stopped() || whole.is_err() => Cut::CutOff,
            _ => Cut::Whole,
        };
        inspection.finish_body(cut);
        self.state = State::Finished;
        whole
    }
}

/// Whether `max_inspect_size` ended the inspection before the body ended. In multipart bodies files are still counted.
fn is_cut_off(kind: BodyKind, inspection: &Inspection) -> bool {
    kind != BodyKind::Multipart && inspection.progress() == Progress::Cleared && inspection.uninspected() > 0
}
