//! The body of a request before its first byte: what its head and its route say about reading it.

use std::time::Duration;

use bytes::Bytes;
use waf_detection::body::BodyKind;
use waf_detection::inspection::Inspection;
use waf_shared::catalog::Leaf;
use waf_shared::limits;
use waf_shared::plan::Settings;

use super::buffer::BodyBuffer;
use super::reading::{ContractBuffer, Reading};
use super::{Body, Rules};
use crate::coding::{self, Coding};
use crate::exchange::context::RequestContext;
use crate::exchange::contract::{Contracted, ContractedOperation};
use crate::grpc::Messages;
use crate::min_rate::MinRate;

/// Description of the body by the head.
#[derive(Debug)]
pub(in crate::exchange) struct Described<'a> {
    pub(in crate::exchange) contracted: &'a Contracted,
    pub(in crate::exchange) kind: BodyKind,
    pub(in crate::exchange) codings: &'a [Coding],
}

impl Body {
    /// Of a request whose head was inspected.
    pub(in crate::exchange) fn new(
        described: &Described<'_>,
        inspection: Box<Inspection>,
        context: &RequestContext,
    ) -> Body {
        let Described { contracted, kind, codings } = *described;
        let admitted = &contracted.admitted;
        let (settings, plan) = (context.settings(), context.active_plan.plan());
        let operation = judged_operation(contracted, settings);
        let buffer = operation.map(|_| ContractBuffer::new(settings.inspection.max_inspect_size));
        let reading = Reading::new(kind, codings, bounds(settings), buffer);
        // Calls of gRPC may stay open and silent for long: they are neither held nor paced.
        let is_stream = admitted.is_grpc();
        let is_paced = !is_stream
            && settings.leaves.contains(Leaf::RequestValidationSlowClients)
            && admitted.carries_body();
        let bytes_per_second = plan.protocol.slow_request_min_rate_bps;
        let stall = if is_stream { limits::STREAM_STALL_SECONDS } else { limits::BODY_STALL_SECONDS };
        // A call of gRPC may begin with the server's message: its head waits for none of the client's.
        let is_unstarted = is_stream && kind == BodyKind::Binary;
        let may_pass = operation.is_none() && (reading.may_pass(&inspection) || is_unstarted);
        Body {
            may_pass: !admitted.carries_body() || may_pass,
            end: (!admitted.carries_body()).then(Bytes::new),
            inspection,
            reading,
            buffer: BodyBuffer::new(
                settings.inspection.max_memory_buffer,
                context.active_plan.spool().clone(),
            ),
            min_rate: Some(bytes_per_second).filter(|_| is_paced).and_then(MinRate::of_body),
            stall: Duration::from_secs(stall),
            key_field: context.limit_key().map(str::to_owned),
            cannot_hold: false,
            passes_early: false,
            bytes: 0,
            messages: is_stream.then(Messages::default),
            rules: rules(kind, context),
            operation: operation.cloned(),
            contract_time: Duration::ZERO,
            noted: Vec::new(),
            tap: context.tap().cloned(),
        }
    }
}

/// Bounds on taking the content codings off.
fn bounds(settings: &Settings) -> coding::Bounds {
    let ratio = settings.inspection.decompression_ratio_limit;
    let is_ratio_on = settings.leaves.contains(Leaf::ResourceLimitsDecompressionRatio);
    coding::Bounds {
        bytes_max: settings.accept.max_body_size.saturating_mul(u64::from(ratio)),
        ratio_max: if is_ratio_on { ratio } else { u32::MAX },
    }
}

/// The operation that the body has to conform to, where it is compared with one.
fn judged_operation<'c>(contracted: &'c Contracted, settings: &Settings) -> Option<&'c ContractedOperation> {
    let admitted = &contracted.admitted;
    contracted.operation.as_ref().filter(|operation| {
        operation.judges_body()
            && admitted.carries_body()
            && !admitted.is_grpc()
            && settings.leaves.contains(Leaf::OpenapiBodyMismatch)
    })
}

fn rules(kind: BodyKind, context: &RequestContext) -> Rules {
    let settings = context.settings();
    Rules {
        leaves: settings.leaves,
        mode: settings.mode,
        bytes_max: settings.accept.max_body_size,
        inspected_max: settings.inspection.max_inspect_size,
        bytes_per_second: context.active_plan.plan().protocol.slow_request_min_rate_bps,
        is_multipart: kind == BodyKind::Multipart,
        refuses_breaches: context.refuses_breaches(),
    }
}
