//! One message of a client: judged as its fragments come, and held until it may be forwarded.

use bytes::BytesMut;
use tokio::time::Instant;
use waf_detection::body::Completeness;
use waf_detection::inspection::{Inspection, MessageKind};
use waf_shared::catalog::Leaf;
use waf_shared::limits;

use super::super::{body, inspect};
use super::session::Session;
use crate::websocket::{Code, Fault, Header, Utf8, unmask};

/// The judgement of what came so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// Nothing is refused.
    Allowed,
    /// The message is refused.
    Refused,
}

/// One message.
#[derive(Debug)]
pub(super) struct Message {
    began: Instant,
    is_text: bool,
    mode: waf_shared::plan::Mode,
    utf8: Utf8,
    bytes: u64,
    bytes_max: u64,
    fragments: u32,
    inspection: Box<Inspection>,
    /// True until all that is ever judged has been: the frames so far are kept.
    is_held: bool,
    held: Vec<u8>,
    /// Payload of the piece in hand without its mask.
    plain: Vec<u8>,
}

impl Message {
    /// A message that begins now.
    pub(super) fn new(is_text: bool, session: Session<'_>) -> Message {
        let settings = session.context.settings();
        let mut inspection = inspect::begin(session.proxy.inspections(), session.context);
        let kind = if is_text { MessageKind::Text } else { MessageKind::Binary };
        inspection.begin_message(session.path, kind);
        let is_bounded = settings.leaves.contains(Leaf::RequestValidationMaxBodySize);
        Message {
            began: Instant::now(),
            is_text,
            mode: settings.mode,
            utf8: Utf8::default(),
            bytes: 0,
            bytes_max: if is_bounded { settings.accept.max_body_size } else { u64::MAX },
            fragments: 0,
            inspection,
            is_held: true,
            held: Vec::new(),
            plain: Vec::new(),
        }
    }

    pub(super) fn began(&self) -> Instant {
        self.began
    }

    /// Returns `true` while its frames are kept.
    pub(super) fn is_held(&self) -> bool {
        self.is_held
    }

    /// The inspection, which has judged all that it could.
    pub(super) fn into_inspection(self) -> Box<Inspection> {
        self.inspection
    }

    pub(super) fn inspection(&self) -> &Inspection {
        &self.inspection
    }

    /// Begins a frame of the message.
    pub(super) fn begin_frame(&mut self, header: &Header, out: &mut BytesMut) -> Result<(), Fault> {
        if self.bytes.saturating_add(header.length) > self.bytes_max {
            return Err(Fault::new(Code::TOO_LONG, "a message is longer than accept.max_body_size"));
        }
        self.fragments = self.fragments.saturating_add(1);
        if self.is_held && self.fragments > limits::WEBSOCKET_FRAGMENTS_MAX {
            return Err(Fault::new(Code::POLICY, "a message has too many fragments"));
        }
        if self.is_held {
            header.write(&mut self.held);
        } else {
            let mut head = Vec::new();
            header.write(&mut head);
            out.extend_from_slice(&head);
        }
        Ok(())
    }

    /// Takes payload: its masked bytes, the mask, and how much of the frame came before.
    pub(super) fn data(
        &mut self,
        (data, mask, offset): (&[u8], [u8; 4], u64),
        out: &mut BytesMut,
    ) -> Result<Judged, Fault> {
        self.bytes = self.bytes.saturating_add(data.len() as u64);
        if !self.is_held {
            out.extend_from_slice(data);
            return Ok(Judged::Allowed);
        }
        self.held.extend_from_slice(data);
        self.plain.clear();
        unmask(data, mask, offset, &mut self.plain);
        if self.is_text && self.utf8.feed(&self.plain).is_err() {
            return Err(NOT_UTF8);
        }
        self.inspection.feed_message(&self.plain);
        if self.inspection.is_message_open() {
            return Ok(self.judged());
        }
        Ok(self.release(Completeness::CutOff, out))
    }

    /// Takes the end of the message.
    pub(super) fn finish(&mut self, out: &mut BytesMut) -> Result<Judged, Fault> {
        if !self.is_held {
            return Ok(Judged::Allowed);
        }
        if self.is_text && self.utf8.finish().is_err() {
            return Err(NOT_UTF8);
        }
        Ok(self.release(Completeness::Whole, out))
    }

    /// Judges what is left, and forwards what is held unless the message is refused.
    fn release(&mut self, completeness: Completeness, out: &mut BytesMut) -> Judged {
        self.inspection.finish_message(completeness);
        let judged = self.judged();
        if judged == Judged::Allowed {
            out.extend_from_slice(&self.held);
            self.held.clear();
            self.is_held = false;
        }
        judged
    }

    fn judged(&self) -> Judged {
        match body::refusal(&self.inspection, self.mode) {
            Some(_) => Judged::Refused,
            None => Judged::Allowed,
        }
    }
}

const NOT_UTF8: Fault = Fault::new(Code::NOT_UTF8, "a text message is not UTF-8");
