//! A request body on its way through: read from the client within its limits, inspected, held until it may pass, then
//! handed on piece by piece. Violations that end it are its faults; all of them are noted for the record.

mod buffer;
mod faults;
mod reading;
mod setup;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::time::timeout;
use waf_detection::inspection::Inspection;
use waf_detection::rule::RuleMatcher;
use waf_detection::verdict::Verdict;
use waf_shared::catalog::{Leaf, LeafSet};
use waf_shared::fields;
use waf_shared::plan::Mode;

use super::admit::leaf_of;
use super::context::RequestContext;
use super::contract::ContractedOperation;
use super::findings::{Findings, NotInspected};
use super::rejection::Rejection;
use super::tap::PieceTap;
use crate::grpc::Messages;
use crate::http1::body::trailer_fields;
use crate::http1::head::Malformed;
use crate::http1::reader::{BodyError, Piece};
use crate::message::Source;
use crate::metrics::watch;
use crate::min_rate::MinRate;
use crate::refusal::{Refusal, TIMEOUT};
pub(super) use setup::Described;

use buffer::BodyBuffer;
use reading::Reading;

/// A request body.
#[derive(Debug)]
pub(crate) struct Body {
    inspection: Box<Inspection>,
    reading: Reading,
    buffer: BodyBuffer,
    min_rate: Option<MinRate>,
    stall: Duration,
    /// The field that the rate limit counts by.
    key_field: Option<String>,
    /// True if what is held may go to the upstream.
    may_pass: bool,
    /// True if the disk failed.
    cannot_hold: bool,
    /// True if what is held goes on before it is judged, since it can be held no longer.
    passes_early: bool,
    /// Set once the client has sent everything: the trailer lines.
    end: Option<Bytes>,
    bytes: u64,
    /// The messages of a call of gRPC, until one is not to be read.
    messages: Option<Messages>,
    rules: Rules,
    /// The operation that the body is held to, until it was judged.
    operation: Option<ContractedOperation>,
    /// Time that comparing with the contract took.
    contract_time: Duration,
    noted: Vec<Noted>,
    /// Receiver of every piece.
    tap: Option<Arc<PieceTap>>,
}

/// Settings of the route that a body is measured by.
#[derive(Debug, Clone, Copy)]
struct Rules {
    leaves: LeafSet,
    mode: Mode,
    bytes_max: u64,
    inspected_max: u64,
    bytes_per_second: u64,
    is_multipart: bool,
    /// True if a breach of the contract refuses the request.
    refuses_breaches: bool,
}

/// A violation found on the way.
#[derive(Debug)]
struct Noted {
    leaf: Leaf,
    reason: Cow<'static, str>,
}

/// The end of a body or a part of it.
#[derive(Debug)]
pub(crate) enum Next {
    Data(Bytes),
    /// Nothing is left but what [`Body::at_end`] says.
    End,
}

/// The reason why the rest of a body does not come.
#[derive(Debug)]
pub(crate) enum BodyFault {
    /// It is refused; the reason is noted, or is in the verdict.
    Refused(Refusal),
    /// The client stopped sending.
    Unfinished,
    /// The client broke the framing.
    Malformed(Malformed),
    /// The connection failed.
    Gone,
}

impl Body {
    /// The first bytes of what is held.
    pub(crate) fn beginning(&self, bytes_max: usize) -> Vec<u8> {
        self.buffer.beginning(bytes_max)
    }

    /// Reads and holds until what was read may pass.
    pub(super) async fn clear(&mut self, reader: &mut Source<'_>) -> Result<(), BodyFault> {
        while !self.may_pass {
            if let Some(data) = self.advance(reader).await? {
                self.keep(data).await?;
            }
        }
        Ok(())
    }

    /// The next part that may pass, held or fresh from the client.
    pub(crate) async fn next(&mut self, reader: &mut Source<'_>) -> Result<Next, BodyFault> {
        loop {
            if self.may_pass {
                match self.buffer.pop().await {
                    Ok(Some(data)) => return Ok(Next::Data(data)),
                    Ok(None) => {}
                    Err(error) => return Err(self.lost(&error)),
                }
                if self.end.is_some() {
                    return Ok(Next::End);
                }
            }
            if let Some(data) = self.advance(reader).await? {
                if self.may_pass && self.buffer.is_empty() {
                    return Ok(Next::Data(data));
                }
                self.keep(data).await?;
            }
        }
    }

    /// Takes what is held without waiting, for one write together with the head.
    pub(crate) fn pop_held(&mut self) -> Option<Bytes> {
        if self.may_pass { self.buffer.pop_ready() } else { None }
    }

    /// Reports whether the client has sent all of it.
    pub(crate) fn has_come(&self) -> bool {
        self.end.is_some()
    }

    /// The trailers, once nothing but them is left to send.
    pub(crate) fn at_end(&self) -> Option<&Bytes> {
        self.end.as_ref().filter(|_| self.may_pass && self.buffer.is_empty())
    }

    /// The verdict, when it would block.
    pub(crate) fn verdict(&self) -> Option<&Verdict> {
        Some(self.inspection.verdict()).filter(|verdict| verdict.blocks())
    }

    /// Gives the inspection back, for the event and for the next request.
    pub(crate) fn into_inspection(self) -> Box<Inspection> {
        self.inspection
    }

    /// Moves everything that was noted to the findings of the exchange.
    pub(super) fn report(&mut self, context: &RequestContext, findings: &mut Findings) {
        findings.measure(&self.inspection);
        findings.measured.add_contract(std::mem::take(&mut self.contract_time));
        for Noted { leaf, reason } in self.noted.drain(..) {
            findings.add_of_body(context, leaf, reason);
        }
        let rest = self.reading.uninspected(&self.inspection);
        findings.add_not_inspected(NotInspected {
            rest,
            files: self.inspection.file_rest(),
            body: if self.reading.is_off() { self.bytes } else { 0 },
        });
        if self.buffer.has_spooled() {
            tracing::debug!(request_id = context.request_id(), "a part of the body waited on disk");
        }
        findings.measured.has_spooled |= self.buffer.has_spooled();
        findings.measured.cannot_spool |= self.cannot_hold;
        let leaf = Leaf::ResourceLimitsMaxInspectionSize;
        if rest > 0 && self.rules.leaves.contains(leaf) {
            findings.add_of_body(
                context,
                leaf,
                format!("{rest} bytes of the body were not inspected").into(),
            );
        }
    }

    /// Reads one piece and inspects it; `None` at the end.
    async fn advance(&mut self, reader: &mut Source<'_>) -> Result<Option<Bytes>, BodyFault> {
        let piece = self.read(reader).await?;
        if let Some(tap) = &self.tap {
            tap.take(&piece);
        }
        self.observe(&piece)?;
        match piece {
            Piece::Data(data) => Ok(Some(data)),
            Piece::End(_) => Ok(None),
        }
    }

    /// Inspects a piece and keeps the limits.
    pub(super) fn observe(&mut self, piece: &Piece) -> Result<(), BodyFault> {
        match piece {
            Piece::Data(data) => {
                self.bytes = self.bytes.saturating_add(data.len() as u64);
                self.measure(data)?;
                if let Err(fault) = self.reading.feed(data, &mut self.inspection) {
                    self.coding_fault(fault)?;
                }
                self.judge()?;
                if self.reading.tap().is_some_and(|tap| tap.is_cut) {
                    self.hold_to_contract(false)?;
                }
                let is_judged = self.operation.is_none() && self.reading.may_pass(&self.inspection);
                self.may_pass = self.passes_early || is_judged;
            }
            Piece::End(trailers) => {
                for (name, value) in trailer_fields(trailers) {
                    // It was counted by what the head says.
                    let key = self.key_field.as_deref().unwrap_or_default().as_bytes();
                    if fields::are_alike(name, key) {
                        return Err(BodyFault::Malformed(Malformed::Trailer));
                    }
                    self.inspection.header(name, value);
                }
                self.end = Some(trailers.clone());
                if let Err(fault) = self.reading.finish(&mut self.inspection) {
                    self.coding_fault(fault)?;
                }
                self.judge()?;
                self.hold_to_contract(true)?;
                self.may_pass = true;
            }
        }
        Ok(())
    }

    /// Waits for the client, as long as its pace allows.
    async fn read(&mut self, reader: &mut Source<'_>) -> Result<Piece, BodyFault> {
        loop {
            let began = Instant::now();
            let min_rate = self.min_rate.as_ref().map(MinRate::patience);
            let patience = min_rate.map_or(self.stall, |min_rate| min_rate.min(self.stall));
            let Ok(piece) = timeout(patience, reader.body()).await else {
                if min_rate.is_none_or(|min_rate| min_rate > self.stall) {
                    return Err(BodyFault::Unfinished);
                }
                let rate = self.rules.bytes_per_second;
                let reason = format!("the body came slower than {rate} bytes a second");
                self.violate(Leaf::RequestValidationSlowClients, reason)?;
                // Reported once; where the mode allows it, only silence ends the wait.
                self.min_rate = None;
                continue;
            };
            let piece = piece.map_err(|error| match error {
                BodyError::Truncated => BodyFault::Unfinished,
                BodyError::Malformed(why) => BodyFault::Malformed(why),
                BodyError::Io(_) => BodyFault::Gone,
            })?;
            if let (Some(min_rate), Piece::Data(data)) = (&mut self.min_rate, &piece) {
                min_rate.came(began.elapsed(), data.len());
            }
            return Ok(piece);
        }
    }

    /// Refuses the request when the verdict blocks and the mode says so.
    fn judge(&self) -> Result<(), BodyFault> {
        match refusal(&self.inspection, self.rules.mode) {
            Some(refusal) => Err(BodyFault::Refused(refusal)),
            None => Ok(()),
        }
    }

    /// Judges what there is of the body by the contract, once.
    fn hold_to_contract(&mut self, is_whole: bool) -> Result<(), BodyFault> {
        let (Some(operation), Some(tap)) = (self.operation.take(), self.reading.tap()) else {
            return Ok(());
        };
        let began = watch();
        let judged = operation.judge(&tap.bytes, is_whole && !tap.is_cut);
        self.contract_time = watch().saturating_sub(began);
        self.reading.drop_tap();
        let Err(reason) = judged else { return Ok(()) };
        let leaf = Leaf::OpenapiBodyMismatch;
        self.note(leaf, reason.into());
        if !self.rules.refuses_breaches {
            return Ok(());
        }
        Err(BodyFault::Refused(Refusal::blocked(leaf.row().status)))
    }

    async fn keep(&mut self, data: Bytes) -> Result<(), BodyFault> {
        if let Err(error) = self.buffer.push(data).await {
            tracing::warn!(%error, "a body cannot be spooled to disk");
            self.cannot_hold = true;
            self.buffer.give_up_disk();
            self.violate(Leaf::ResourceLimitsMaxMemory, "the body cannot be spooled to disk")?;
        }
        // In `detect_only` the rest streams through the inspection and past it. Where the leaf is off, memory has no bound
        // but that of the inspection: what is not judged yet waits there.
        let is_too_much = self.buffer.memory_bytes() > self.rules.inspected_max;
        if self.cannot_hold && (self.rules.mode != Mode::Blocking || is_too_much) {
            self.passes_early = true;
            self.may_pass = true;
        }
        Ok(())
    }

    /// Refuses a body whose held part is lost: no mode can forward it.
    fn lost(&mut self, error: &std::io::Error) -> BodyFault {
        tracing::warn!(%error, "a spooled body cannot be read back");
        let leaf = Leaf::ResourceLimitsMaxMemory;
        self.note(leaf, "the spooled body cannot be read back".into());
        BodyFault::Refused(Refusal::blocked(leaf.row().status))
    }

    /// Notes a violation of `leaf`, if that is in force, and reports whether it refuses the request.
    fn violate(&mut self, leaf: Leaf, reason: impl Into<Cow<'static, str>>) -> Result<(), BodyFault> {
        if !self.rules.leaves.contains(leaf) {
            return Ok(());
        }
        self.note(leaf, reason.into());
        if self.rules.mode != Mode::Blocking {
            return Ok(());
        }
        let refusal = if leaf == Leaf::RequestValidationSlowClients {
            TIMEOUT
        } else {
            Refusal::blocked(leaf.row().status)
        };
        Err(BodyFault::Refused(refusal))
    }

    fn note(&mut self, leaf: Leaf, reason: Cow<'static, str>) {
        if self.noted.iter().all(|noted| noted.leaf != leaf) {
            self.noted.push(Noted { leaf, reason });
        }
    }
}

/// Place of violations of a body.
const PLACE: &str = "BODY";

/// The refusal by an inspection, if there is one.
pub(super) fn refusal(inspection: &Inspection, mode: Mode) -> Option<Refusal> {
    let verdict = inspection.verdict();
    if !verdict.blocks() || mode != Mode::Blocking {
        return None;
    }
    // What the head as a whole shows has its protection's status; what a value holds is always 403.
    let head = || verdict.matches.iter().find(|found| matches!(found.rule.matcher, RuleMatcher::RequestHead));
    let leaf =
        verdict.violations.first().map(|violation| violation.leaf).or_else(|| head().map(|h| h.rule.leaf));
    Some(Refusal::blocked(leaf.map_or(403, |leaf| leaf.row().status)))
}

/// The rejection of a request with a broken body.
pub(crate) fn body_refusal(fault: &BodyFault, findings: &mut Findings) -> Rejection {
    match fault {
        BodyFault::Refused(refusal) => Rejection::Refused(*refusal),
        BodyFault::Unfinished => {
            // The record keeps it whatever the mode: a message that never ends cannot be forwarded.
            let _ = findings.refuse(
                408,
                Leaf::RequestValidationSlowClients,
                PLACE,
                "the body was never finished",
            );
            Rejection::Refused(TIMEOUT)
        }
        BodyFault::Malformed(why) => {
            Rejection::Refused(findings.refuse(400, leaf_of(*why), PLACE, why.to_string()))
        }
        BodyFault::Gone => Rejection::Gone,
    }
}

#[cfg(test)]
mod tests;
