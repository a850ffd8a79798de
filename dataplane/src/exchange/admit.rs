//! First stage: may this head come in at all? The order of checks is contracted; it decides which status wins.

use std::sync::Arc;

use waf_shared::catalog::Leaf;
use waf_shared::fields::{self, Property};
use waf_shared::limits;

use super::context::RequestContext;
use super::cors;
use super::findings::Findings;
use super::method_override;
use super::quota;
use super::rewrite;
use crate::active_plan::RouteIndex;
use crate::grpc;
use crate::head::RequestHead;
use crate::http1::framing::{self, Framing};
use crate::http1::head::Malformed;
use crate::refusal::{MISDIRECTED, NOT_FOUND, PREFLIGHT, Refusal};
use crate::target::{self, InvalidTarget, Target};
use waf_shared::route::{Choice, climbs, name_of};

/// A head that is HTTP to the letter, before a route is chosen.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) head: Arc<RequestHead>,
    pub(crate) target: Target,
    pub(super) framing: Framing,
}

impl Arrived {
    /// The Host that the request names.
    pub(crate) fn host(&self) -> Option<&[u8]> {
        host(&self.head, &self.target)
    }

    fn path(&self) -> &[u8] {
        self.target.path(self.head.target())
    }
}

/// The Host that a checked message names; an empty one counts as missing.
fn host<'m>(head: &'m RequestHead, target: &Target) -> Option<&'m [u8]> {
    let field = head.fields.first("host").filter(|host| !host.is_empty());
    field.or_else(|| target.authority(head.target()))
}

/// A head that has a route and passed every check on its shape.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) head: Arc<RequestHead>,
    pub(crate) target: Target,
    pub(crate) framing: Framing,
    pub(crate) route: RouteIndex,
}

impl Admitted {
    /// The Host that the request names.
    pub(crate) fn host(&self) -> Option<&[u8]> {
        host(&self.head, &self.target)
    }

    /// Reports whether the message carries a body.
    pub(crate) fn carries_body(&self) -> bool {
        !matches!(self.framing, Framing::None | Framing::Length(0))
    }

    /// Reports whether this is a call of gRPC.
    pub(crate) fn is_grpc(&self) -> bool {
        grpc::is_call(&self.head)
    }

    /// The type by which the body is inspected.
    pub(crate) fn media_type(&self) -> &[u8] {
        let declared = self.head.fields.first("content-type").unwrap_or_default();
        // Without frames of HTTP/2 it is a body of no type that anybody knows.
        if grpc::is_type(declared) && !self.is_grpc() { b"" } else { declared }
    }
}

/// Checks what holds for every message, wherever it goes.
pub(super) fn arrive(head: Arc<RequestHead>, findings: &mut Findings) -> Result<Arrived, Refusal> {
    let framing = framing::of_request(&head).map_err(|why| malformed(findings, why))?;
    if head.method() == b"CONNECT" {
        let reason = "CONNECT is never forwarded";
        return Err(findings.refuse(405, Leaf::RequestValidationAllowedMethods, "METHOD", reason));
    }
    let target = Target::parse(head.target(), head.method()).map_err(|why| invalid_target(findings, why))?;
    let authority = target.authority(head.target());
    target::host(head.fields.all("host"), authority).map_err(|why| invalid_target(findings, why))?;
    hop_by_hop(&head)
        .map_err(|why| findings.refuse(400, Leaf::HttpAttacksRequestSmuggling, "HEADERS:connection", why))?;
    Ok(Arrived { head, target, framing })
}

/// Chooses the route of a message.
pub(super) fn route(
    arrived: &Arrived,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<RouteIndex, Refusal> {
    let host = arrived.host();
    is_served(host, context)?;
    match context.active_plan.router().choose(host, arrived.path()) {
        Choice::Route(index) => Ok(RouteIndex(index)),
        Choice::None => Err(NOT_FOUND),
        Choice::Ambiguous => {
            let reason = "the path can be read in two ways that lead to different routes";
            Err(findings.refuse(400, Leaf::HttpComplianceMalformedRequestLine, "PATH", reason))
        }
    }
}

/// Checks a message against the settings of its route.
pub(super) fn admit(
    arrived: Arrived,
    route: RouteIndex,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<Admitted, Refusal> {
    let host = arrived.host();
    stays(&arrived, route, context, findings)?;
    quota::check(&arrived.head, context, findings)?;
    // A target in absolute form names a host and replaces no field (RFC 9112, 3.2).
    let has_host = host.is_some()
        && (!arrived.head.needs_host_field()
            || arrived.head.fields.first("host").is_some_and(|host| !host.is_empty()));
    let Arrived { head, target, framing } = arrived;
    let admitted = Admitted { head, target, framing, route };
    if !has_host && context.settings().accept.require_host_header {
        findings.violate(context, Leaf::RequestValidationRequireHostHeader, "HEADERS:host", "no Host")?;
    }
    preflight(&admitted, context)?;
    method(&admitted, context, findings)?;
    method_override::check(&admitted.head, context, findings)?;
    lengths(&admitted, context, findings)?;
    content_type(&admitted, context, findings)?;
    declared_length(&admitted, context, findings)?;
    if !admitted.target.fragment(admitted.head.target()).is_empty() {
        findings.violate(
            context,
            Leaf::HttpComplianceUriFragments,
            "TARGET",
            "the target carries a fragment",
        )?;
    }
    Ok(admitted)
}

/// Refuses a message that is not HTTP, with the leaf that names the fault.
fn malformed(findings: &mut Findings, why: Malformed) -> Refusal {
    findings.refuse(400, leaf_of(why), "HEAD", why.to_string())
}

/// The protection that a fault of syntax belongs to.
pub(crate) fn leaf_of(why: Malformed) -> Leaf {
    match why {
        Malformed::StartLine | Malformed::PseudoField => Leaf::HttpComplianceMalformedRequestLine,
        Malformed::Version => Leaf::HttpComplianceHttpVersion,
        Malformed::ContentLength => Leaf::HttpComplianceContentLength,
        Malformed::LengthAndEncoding => Leaf::HttpComplianceConflictingLength,
        Malformed::Control => Leaf::HttpComplianceNullBytes,
        Malformed::BareLf
        | Malformed::BareCr
        | Malformed::FieldLine
        | Malformed::ObsFold
        | Malformed::TransferEncoding
        | Malformed::Chunk
        | Malformed::ConnectionField
        | Malformed::Trailer => Leaf::HttpAttacksRequestSmuggling,
    }
}

fn invalid_target(findings: &mut Findings, why: InvalidTarget) -> Refusal {
    let leaf = match why {
        InvalidTarget::Form | InvalidTarget::UserInfo => Leaf::HttpComplianceMalformedRequestLine,
        InvalidTarget::HostRepeated | InvalidTarget::Host | InvalidTarget::HostDiffers => {
            Leaf::HttpComplianceHostHeader
        }
    };
    findings.refuse(400, leaf, "HEAD", why.to_string())
}

/// Fields that `Connection` may not take out of a message: the upstream relies on them (RFC 9110 section 7.6.1).
fn hop_by_hop(head: &RequestHead) -> Result<(), &'static str> {
    if head.fields.tokens("connection").any(|token| fields::is(token, Property::EndToEnd)) {
        return Err("Connection names an end-to-end field");
    }
    Ok(())
}

/// Refuses a host that the service does not have, or that the certificate of the connection does not cover. A client
/// that came by the wrong connection may try again on one of its own (RFC 9110 section 15.5.20). A missing Host names
/// none, and has a check of its own.
fn is_served(host: Option<&[u8]>, context: &RequestContext) -> Result<(), Refusal> {
    let (Some(host), Some(hosts)) = (host, context.active_plan.hosts()) else { return Ok(()) };
    // Another connection to the same name would present the same certificate.
    let other = context
        .secured()
        .filter(|secured| !name_of(host).eq_ignore_ascii_case(secured.server_name.as_bytes()));
    match (hosts.contains(host), other) {
        (true, Some(secured)) if !secured.certificate.covers(name_of(host)) => Err(MISDIRECTED),
        (true, _) => Ok(()),
        (false, Some(_)) => Err(MISDIRECTED),
        (false, None) => Err(NOT_FOUND),
    }
}

/// Refuses what leaves the prefix of the upstream or of a rewrite, or chooses another route once the prefix is
/// stripped.
fn stays(
    arrived: &Arrived,
    chosen: RouteIndex,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<(), Refusal> {
    let active_plan = &context.active_plan;
    let Some((route, _)) = active_plan.route(chosen) else { return Ok(()) };
    let (host, path) = (arrived.host(), arrived.path());
    let Some(behind) = rewrite::behind_prefix(path, route) else { return Ok(()) };
    let reason = if climbs(&behind.rest) {
        "the path leads above the prefix under which it is forwarded"
    } else if behind.is_whole && !active_plan.router().stays(host, chosen.0, behind.stripped, &behind.rest) {
        "without its prefix, the path can be read in two ways that lead to different routes"
    } else {
        return Ok(());
    };
    Err(findings.refuse(400, Leaf::HttpComplianceMalformedRequestLine, "PATH", reason))
}

/// A preflight ends here, on a route that answers it; whatever else OPTIONS asks goes on.
fn preflight(admitted: &Admitted, context: &RequestContext) -> Result<(), Refusal> {
    match cors::of(context) {
        Some(settings) if cors::is_preflight(&admitted.head) => {
            Err(if cors::allows(settings, &admitted.head) { PREFLIGHT } else { Refusal::blocked(403) })
        }
        _ => Ok(()),
    }
}

fn method(admitted: &Admitted, context: &RequestContext, findings: &mut Findings) -> Result<(), Refusal> {
    let allowed = &context.settings().accept.methods;
    if allowed.iter().any(|method| method.as_bytes() == admitted.head.method()) {
        return Ok(());
    }
    findings.violate(
        context,
        Leaf::RequestValidationAllowedMethods,
        "METHOD",
        "the method is not in accept.methods",
    )
}

fn lengths(admitted: &Admitted, context: &RequestContext, findings: &mut Findings) -> Result<(), Refusal> {
    let (target, fields) = (admitted.head.target().len(), admitted.head.fields.len());
    let size = admitted.head.fields.bytes_total();
    if target > limits::TARGET_BYTES_MAX {
        let reason = format!("a target of {target} bytes");
        return Err(findings.refuse(414, Leaf::RequestValidationMaxUrlLength, "TARGET", reason));
    }
    let accept = &context.settings().accept;
    let (url_max, count_max, size_max) =
        (accept.max_url_length, accept.max_header_count, accept.max_header_size);
    if target > url_max as usize {
        let reason = format!("a target of {target} bytes, allowed are {url_max}");
        findings.violate(context, Leaf::RequestValidationMaxUrlLength, "TARGET", reason)?;
    }
    if fields > limits::HEAD_FIELDS_MAX {
        let reason = format!("{fields} header fields");
        return Err(findings.refuse(431, Leaf::RequestValidationMaxHeaderCount, "HEADERS", reason));
    }
    if fields > count_max as usize {
        let reason = format!("{fields} header fields, allowed are {count_max}");
        findings.violate(context, Leaf::RequestValidationMaxHeaderCount, "HEADERS", reason)?;
    }
    if size > limits::HEAD_BYTES_MAX {
        let reason = format!("{size} bytes of header fields");
        return Err(findings.refuse(431, Leaf::RequestValidationMaxHeaderSize, "HEADERS", reason));
    }
    if size as u64 > size_max {
        let reason = format!("{size} bytes of header fields, allowed are {size_max}");
        findings.violate(context, Leaf::RequestValidationMaxHeaderSize, "HEADERS", reason)?;
    }
    Ok(())
}

fn content_type(
    admitted: &Admitted,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<(), Refusal> {
    if !admitted.carries_body() {
        return Ok(());
    }
    let mut types = admitted.head.fields.all("content-type");
    let (first, second) = (types.next(), types.next());
    if second.is_some() {
        let reason = "more than one Content-Type";
        return Err(findings.refuse(400, Leaf::HttpAttacksRequestSmuggling, "HEADERS:content-type", reason));
    }
    let Some(value) = first.filter(|value| !value.is_empty()) else {
        let reason = "a body without Content-Type";
        return findings.violate(
            context,
            Leaf::RequestValidationRequireContentType,
            "HEADERS:content-type",
            reason,
        );
    };
    let essence = value.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
    let allowed = &context.settings().accept.content_types;
    if allowed.is_empty() || allowed.iter().any(|t| essence.eq_ignore_ascii_case(t.as_bytes())) {
        return Ok(());
    }
    let reason = "the media type is not in accept.content_types";
    findings.violate(context, Leaf::HttpComplianceAllowedContentTypes, "HEADERS:content-type", reason)
}

fn declared_length(
    admitted: &Admitted,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<(), Refusal> {
    let allowed = context.settings().accept.max_body_size;
    let Framing::Length(length) = admitted.framing else { return Ok(()) };
    // Of a call each message is bounded, not their sum.
    if length <= allowed || admitted.is_grpc() {
        return Ok(());
    }
    let reason = || format!("a body of {length} bytes, allowed are {allowed}");
    // Both are reported, whichever of them is in force.
    let files = if is_multipart(admitted) {
        findings.violate(context, Leaf::FileUploadLimitsMaxTotalSize, "BODY", reason())
    } else {
        Ok(())
    };
    findings.violate(context, Leaf::RequestValidationMaxBodySize, "BODY", reason()).and(files)
}

fn is_multipart(admitted: &Admitted) -> bool {
    let value = admitted.head.fields.first("content-type").unwrap_or_default();
    value.get(..10).is_some_and(|start| start.eq_ignore_ascii_case(b"multipart/"))
}

#[cfg(test)]
mod tests;
