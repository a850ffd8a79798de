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
    /// What the contract is to judge, without content codings.
    tap: Option<Tap>,
}

/// The first bytes of a body.
#[derive(Debug)]
pub(super) struct Tap {
    pub(super) bytes: Vec<u8>,
    bytes_max: usize,
    /// Whether more came than is kept.
    pub(super) is_cut: bool,
}

impl Tap {
    /// Keeps so many bytes.
    pub(super) fn new(bytes_max: u64) -> Tap {
        Tap { bytes: Vec::new(), bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX), is_cut: false }
    }

    fn take(&mut self, data: &[u8]) {
        let room = self.bytes_max.saturating_sub(self.bytes.len());
        self.is_cut |= data.len() > room;
        self.bytes.extend_from_slice(data.get(..room).unwrap_or(data));
    }
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
    pub(super) fn new(
        kind: BodyKind,
        codings: &[Coding],
        bounds: coding::Bounds,
        tap: Option<Tap>,
    ) -> Reading {
        let state = if kind == BodyKind::None { State::Off } else { State::On };
        let inflater = (!codings.is_empty()).then(|| Inflater::new(codings, bounds));
        Reading { kind, inflater, state, passed_over: 0, tap }
    }

    /// What was kept for the contract.
    pub(super) fn tap(&self) -> Option<&Tap> {
        self.tap.as_ref()
    }

    /// Gives back what was kept.
    pub(super) fn drop_tap(&mut self) {
        self.tap = None;
    }

    /// What is not inspected is kept for the contract all the same.
    fn tap_unread(&mut self, data: &[u8]) {
        match (&mut self.tap, &self.inflater) {
            (Some(tap), None) => tap.take(data),
            (Some(tap), Some(_)) => tap.is_cut = true,
            (None, _) => {}
        }
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
            State::Off => {
                self.tap_unread(data);
                return Ok(());
            }
            State::Finished => {
                self.tap_unread(data);
                self.passed_over = self.passed_over.saturating_add(data.len() as u64);
                return Ok(());
            }
            State::On => {}
        }
        let kind = self.kind;
        let tap = &mut self.tap;
        match &mut self.inflater {
            None => {
                if let Some(tap) = tap {
                    tap.take(data);
                }
                inspection.feed(data);
            }
            Some(inflater) if inflater.is_stopped() => {
                self.passed_over = self.passed_over.saturating_add(data.len() as u64);
                if let Some(tap) = tap {
                    tap.is_cut = true;
                }
            }
            Some(inflater) => inflater.feed(data, &mut |made| {
                if let Some(tap) = tap {
                    tap.take(made);
                }
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
