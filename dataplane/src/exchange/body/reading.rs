//! The way of the bytes of one body to the inspection: as they are, inflated, or not at all.

use std::ops::ControlFlow;

use waf_detection::body::{BodyKind, Completeness};
use waf_detection::inspection::{Inspection, Progress};

use crate::coding::{self, Ancillary, Coding, CodingFault, Inflater, Made};

/// The reading of one body.
#[derive(Debug)]
pub(super) struct Reading {
    kind: BodyKind,
    inflater: Option<Inflater>,
    state: State,
    /// True if no fault of the coding is looked for any more.
    is_faulty: bool,
    /// Bytes as they came that were not inspected.
    passed_over: u64,
    /// Bytes that the contract is to judge, without content codings.
    tap: Option<ContractBuffer>,
}

/// The first bytes of a body.
#[derive(Debug)]
pub(super) struct ContractBuffer {
    pub(super) bytes: Vec<u8>,
    bytes_max: usize,
    /// True if more came than is kept.
    pub(super) is_cut: bool,
}

impl ContractBuffer {
    /// Keeps so many bytes.
    pub(super) fn new(bytes_max: u64) -> ContractBuffer {
        ContractBuffer {
            bytes: Vec::new(),
            bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX),
            is_cut: false,
        }
    }

    fn take(&mut self, data: &[u8]) {
        let room = self.bytes_max.saturating_sub(self.bytes.len());
        self.is_cut |= data.len() > room;
        self.bytes.extend_from_slice(data.get(..room).unwrap_or(data));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// There is no body, or its type and its first bytes are of no text.
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
        tap: Option<ContractBuffer>,
    ) -> Reading {
        let state = if kind == BodyKind::None { State::Off } else { State::On };
        let inflater = (!codings.is_empty()).then(|| Inflater::new(codings, bounds, Ancillary::Refused));
        Reading { kind, inflater, state, is_faulty: false, passed_over: 0, tap }
    }

    /// Bytes that were kept for the contract.
    pub(super) fn tap(&self) -> Option<&ContractBuffer> {
        self.tap.as_ref()
    }

    /// Gives back what was kept.
    pub(super) fn drop_tap(&mut self) {
        self.tap = None;
    }

    /// Keeps bytes that are not inspected for the contract.
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

    /// Reports whether the body is inspected at all.
    pub(super) fn is_off(&self) -> bool {
        self.state == State::Off
    }

    /// Reports whether everything that was fed may pass.
    pub(super) fn may_pass(&self, inspection: &Inspection) -> bool {
        let is_cleared = self.state != State::On
            || (self.kind == BodyKind::Multipart && inspection.progress() != Progress::Open);
        // A coded body is small for what it holds: none passes before its ratio is known.
        let is_bounded = self.is_faulty
            || self
                .inflater
                .as_ref()
                .is_none_or(|inflater| inflater.is_past_prefix() || inflater.is_stopped());
        is_cleared && is_bounded && !inspection.is_encoded_open()
    }

    /// Feeds the next bytes as they came.
    pub(super) fn feed(&mut self, data: &[u8], inspection: &mut Inspection) -> Result<(), CodingFault> {
        let was_on = self.state == State::On;
        if self.state == State::Finished
            || (was_on && self.inflater.as_ref().is_some_and(Inflater::is_stopped))
        {
            self.passed_over = self.passed_over.saturating_add(data.len() as u64);
        }
        match self.inflater.take() {
            Some(mut inflater) => {
                let inflated = self.inflate(&mut inflater, data, inspection);
                self.inflater = Some(inflater);
                inflated?;
            }
            None if was_on => {
                if let Some(tap) = &mut self.tap {
                    tap.take(data);
                }
                inspection.feed(data);
            }
            None => {}
        }
        if !was_on {
            self.tap_unread(data);
        }
        if !inspection.reads_body() {
            self.state = State::Off;
        }
        // Out of time, the inspection takes nothing more; where the mode allows that, the rest is forwarded too.
        if inspection.verdict().timed_out {
            inspection.finish_encoded(Completeness::CutOff);
            self.give_up(inspection);
        } else if is_cut_off(self.kind, inspection) {
            self.give_up(inspection);
        }
        Ok(())
    }

    /// Feeds the next bytes of a coded body: as they came, between two codings, and inflated. They are inflated to the
    /// end, however much of what comes out is inspected: the ratio is one of whole bodies.
    fn inflate(
        &mut self,
        inflater: &mut Inflater,
        data: &[u8],
        inspection: &mut Inspection,
    ) -> Result<(), CodingFault> {
        inspection.feed_encoded(0, data);
        if self.is_faulty {
            return Ok(());
        }
        if inflater.is_stopped()
            && let Some(tap) = &mut self.tap
        {
            tap.is_cut = true;
        }
        inflater.feed_all(data, &mut |made, bytes| {
            match made {
                Made::Between => inspection.feed_encoded(1, bytes),
                Made::Content if self.state == State::On => self.content(bytes, inspection),
                Made::Content => {
                    if let Some(tap) = &mut self.tap {
                        tap.is_cut = true;
                    }
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// Feeds what came out of all codings.
    fn content(&mut self, bytes: &[u8], inspection: &mut Inspection) {
        if let Some(tap) = &mut self.tap {
            tap.take(bytes);
        }
        inspection.feed(bytes);
        if is_cut_off(self.kind, inspection) {
            self.give_up(inspection);
        }
    }

    /// Judges what was fed as the prefix that it is, and reads no further.
    pub(super) fn give_up(&mut self, inspection: &mut Inspection) {
        if self.state == State::On {
            inspection.finish_body(Completeness::CutOff);
            self.state = State::Finished;
        }
    }

    /// The coding was found to be broken: what is fed from now on is not inflated.
    pub(super) fn stop_inflating(&mut self, inspection: &mut Inspection) {
        self.is_faulty = true;
        self.give_up(inspection);
    }

    /// The body has ended.
    pub(super) fn finish(&mut self, inspection: &mut Inspection) -> Result<(), CodingFault> {
        let inflater = self.inflater.as_ref().filter(|_| !self.is_faulty);
        let whole = inflater.map_or(Ok(()), Inflater::finish);
        if self.state == State::On {
            let is_stopped = self.inflater.as_ref().is_some_and(Inflater::is_stopped);
            let cut = if is_stopped || whole.is_err() { Completeness::CutOff } else { Completeness::Whole };
            inspection.finish_body(cut);
            self.state = if inspection.reads_body() { State::Finished } else { State::Off };
        }
        inspection.finish_encoded(Completeness::Whole);
        whole
    }
}

/// Reports whether `max_inspect_size` ended the inspection before the body ended. In multipart bodies files are still
/// counted.
fn is_cut_off(kind: BodyKind, inspection: &Inspection) -> bool {
    kind != BodyKind::Multipart && inspection.progress() == Progress::Cleared && inspection.uninspected() > 0
}
