//! First stage: may this head come in at all? The order of checks is contracted; it decides which status wins.

use std::net::IpAddr;
use std::sync::Arc;

use waf_shared::catalog::Leaf;
use waf_shared::fields::{self, Property};
use waf_shared::limits;
use waf_shared::plan::Mode;

use super::cors;
use super::forward;
use super::grpc;
use super::method_override;
use super::quota;
use super::record::Record;
use crate::active_plan::RouteIndex;
use crate::client_address;
use crate::http1::framing::{self, Framing};
use crate::http1::head::{Malformed, RequestHead, Version};
use crate::refusal::{MISDIRECTED, NOT_FOUND, PREFLIGHT, Refusal};
use crate::request_id;
use crate::target::{self, InvalidTarget, Target};
use waf_shared::route::{Choice, climbs, name_of};

/// A head that is HTTP to the letter, before a route is chosen.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) head: Arc<RequestHead>,
    pub(crate) target: Target,
    framing: Framing,
}

impl Arrived {
    /// The Host that the request names.
    pub(crate) fn host(&self) -> Option<&[u8]> {
        host(&self.head, &self.target)
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

    /// Whether the message carries a body.
    pub(crate) fn carries_body(&self) -> bool {
        !matches!(self.framing, Framing::None | Framing::Length(0))
    }

    /// Whether this is a call of gRPC.
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
pub(crate) fn arrive(head: Arc<RequestHead>, record: &mut Record) -> Result<Arrived, Refusal> {
    record.head = Some(Arc::clone(&head));
    record.request_id = request_id::choose(head.fields.all("x-request-id"));
    record.client.set_ip(client(&head, record));
    let framing = framing::of_request(&head).map_err(|why| malformed(record, why))?;
    if head.method() == b"CONNECT" {
        let reason = "CONNECT is never forwarded";
        return Err(record.refuse(405, Leaf::RequestValidationAllowedMethods, "METHOD", reason));
    }
    let target = Target::parse(head.target(), head.method()).map_err(|why| invalid_target(record, why))?;
    let authority = target.authority(head.target());
    target::host(head.fields.all("host"), authority).map_err(|why| invalid_target(record, why))?;
    hop_by_hop(&head)
        .map_err(|why| record.refuse(400, Leaf::HttpAttacksRequestSmuggling, "HEADERS:connection", why))?;
    Ok(Arrived { head, target, framing })
}

/// Chooses the route of a message and checks what holds there.
pub(crate) fn admit(arrived: Arrived, record: &mut Record) -> Result<Admitted, Refusal> {
    let host = arrived.host();
    served(host, record)?;
    let path = arrived.target.path(arrived.head.target());
    let route = choose(record, host, path)?;
    record.route = Some(route);
    stays(record, route, host, path)?;
    quota::check(&arrived.head, record)?;
    // A target in absolute form names a host and stands in for no field (RFC 9112, 3.2).
    let has_host = host.is_some()
        && (arrived.head.version != Version::Http11
            || arrived.head.fields.first("host").is_some_and(|host| !host.is_empty()));
    let Arrived { head, target, framing } = arrived;
    let admitted = Admitted { head, target, framing, route };
    if !has_host && record.settings().accept.require_host_header {
        record.violate(Leaf::RequestValidationRequireHostHeader, "HEADERS:host", "no Host")?;
    }
    preflight(&admitted, record)?;
    method(&admitted, record)?;
    method_override::check(&admitted.head, record)?;
    lengths(&admitted, record)?;
    content_type(&admitted, record)?;
    declared_length(&admitted, record)?;
    if !admitted.target.fragment(admitted.head.target()).is_empty() {
        record.violate(Leaf::HttpComplianceUriFragments, "TARGET", "the target carries a fragment")?;
    }
    Ok(admitted)
}

/// The client's address: the peer's, or what a trusted peer says.
fn client(head: &RequestHead, record: &Record) -> IpAddr {
    let (peer, trusted) = (record.peer().ip(), &record.active_plan.plan().trusted_proxies);
    if trusted.is_empty() {
        return peer;
    }
    let sent = |name| head.fields.all(name).collect::<Vec<_>>();
    client_address::client_address(peer, trusted, &sent("x-forwarded-for"), &sent("forwarded"))
}

/// Turns away what is no HTTP, with the leaf that names the fault.
pub(crate) fn malformed(record: &mut Record, why: Malformed) -> Refusal {
    record.refuse(400, leaf_of(why), "HEAD", why.to_string())
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

fn invalid_target(record: &mut Record, why: InvalidTarget) -> Refusal {
    let leaf = match why {
        InvalidTarget::Form | InvalidTarget::UserInfo => Leaf::HttpComplianceMalformedRequestLine,
        InvalidTarget::HostRepeated | InvalidTarget::Host | InvalidTarget::HostDiffers => {
            Leaf::HttpComplianceHostHeader
        }
    };
    record.refuse(400, leaf, "HEAD", why.to_string())
}

/// Fields that `Connection` may not take out of a message: the upstream relies on them (RFC 9110 section 7.6.1).
fn hop_by_hop(head: &RequestHead) -> Result<(), &'static str> {
    for value in head.fields.all("connection") {
        for token in value.split(|b| *b == b',').map(<[u8]>::trim_ascii) {
            if fields::is(token, Property::EndToEnd) {
                return Err("Connection names an end-to-end field");
            }
        }
    }
    Ok(())
}

/// Refuses a host that the service does not have, or that the certificate of the connection does not cover. A client that
/// came by the wrong connection may try again on one of its own (RFC 9110 section 15.5.20). A missing Host names none, and
/// has a check of its own.
fn served(host: Option<&[u8]>, record: &Record) -> Result<(), Refusal> {
    let (Some(host), Some(hosts)) = (host, record.active_plan.hosts()) else { return Ok(()) };
    // Another connection to the same name would present the same certificate.
    let other = record
        .secured()
        .filter(|secured| !name_of(host).eq_ignore_ascii_case(secured.server_name.as_bytes()));
    match (hosts.contains(host), other) {
        (true, Some(secured)) if !secured.certificate.covers(name_of(host)) => Err(MISDIRECTED),
        (true, _) => Ok(()),
        (false, Some(_)) => Err(MISDIRECTED),
        (false, None) => Err(NOT_FOUND),
    }
}

fn choose(record: &mut Record, host: Option<&[u8]>, path: &[u8]) -> Result<RouteIndex, Refusal> {
    match record.active_plan.router().choose(host, path) {
        Choice::Route(index) => Ok(RouteIndex(index)),
        Choice::None => Err(NOT_FOUND),
        Choice::Ambiguous => {
            let reason = "the path can be read in two ways that lead to different routes";
            Err(record.refuse(400, Leaf::HttpComplianceMalformedRequestLine, "PATH", reason))
        }
    }
}

/// Refuses what leaves the prefix of the upstream or of a rewrite, or chooses another route once the prefix is stripped.
fn stays(record: &mut Record, chosen: RouteIndex, host: Option<&[u8]>, path: &[u8]) -> Result<(), Refusal> {
    let active_plan = Arc::clone(&record.active_plan);
    let Some((route, _)) = active_plan.route(chosen) else { return Ok(()) };
    let Some(behind) = forward::behind_prefix(path, route) else { return Ok(()) };
    let reason = if climbs(&behind.rest) {
        "the path leads above the prefix under which it is forwarded"
    } else if behind.is_whole && !active_plan.router().stays(host, chosen.0, behind.stripped, &behind.rest) {
        "without its prefix, the path can be read in two ways that lead to different routes"
    } else {
        return Ok(());
    };
    Err(record.refuse(400, Leaf::HttpComplianceMalformedRequestLine, "PATH", reason))
}

/// A preflight ends here, on a route that answers it; whatever else OPTIONS asks goes on.
fn preflight(admitted: &Admitted, record: &Record) -> Result<(), Refusal> {
    match cors::of(record) {
        Some(settings) if cors::is_preflight(&admitted.head) => {
            Err(if cors::allows(settings, &admitted.head) { PREFLIGHT } else { Refusal::blocked(403) })
        }
        _ => Ok(()),
    }
}

fn method(admitted: &Admitted, record: &mut Record) -> Result<(), Refusal> {
    let allowed = &record.settings().accept.methods;
    if allowed.iter().any(|method| method.as_bytes() == admitted.head.method()) {
        return Ok(());
    }
    record.violate(Leaf::RequestValidationAllowedMethods, "METHOD", "the method is not in accept.methods")
}

fn lengths(admitted: &Admitted, record: &mut Record) -> Result<(), Refusal> {
    let (target, fields) = (admitted.head.target().len(), admitted.head.fields.len());
    let size = admitted.head.fields.bytes_total();
    if target > limits::TARGET_BYTES_MAX {
        let reason = format!("a target of {target} bytes");
        return Err(record.refuse(414, Leaf::RequestValidationMaxUrlLength, "TARGET", reason));
    }
    let accept = &record.settings().accept;
    let (url_max, count_max, size_max) =
        (accept.max_url_length, accept.max_header_count, accept.max_header_size);
    if target > url_max as usize {
        let reason = format!("a target of {target} bytes, allowed are {url_max}");
        record.violate(Leaf::RequestValidationMaxUrlLength, "TARGET", reason)?;
    }
    if fields > limits::HEAD_FIELDS_MAX {
        let reason = format!("{fields} header fields");
        return Err(record.refuse(431, Leaf::RequestValidationMaxHeaderCount, "HEADERS", reason));
    }
    if fields > count_max as usize {
        let reason = format!("{fields} header fields, allowed are {count_max}");
        record.violate(Leaf::RequestValidationMaxHeaderCount, "HEADERS", reason)?;
    }
    if size > limits::HEAD_BYTES_MAX {
        let reason = format!("{size} bytes of header fields");
        return Err(record.refuse(431, Leaf::RequestValidationMaxHeaderSize, "HEADERS", reason));
    }
    if size as u64 > size_max {
        let reason = format!("{size} bytes of header fields, allowed are {size_max}");
        record.violate(Leaf::RequestValidationMaxHeaderSize, "HEADERS", reason)?;
    }
    Ok(())
}

fn content_type(admitted: &Admitted, record: &mut Record) -> Result<(), Refusal> {
    if !admitted.carries_body() {
        return Ok(());
    }
    let mut types = admitted.head.fields.all("content-type");
    let (first, second) = (types.next(), types.next());
    if second.is_some() {
        let reason = "more than one Content-Type";
        return Err(record.refuse(400, Leaf::HttpAttacksRequestSmuggling, "HEADERS:content-type", reason));
    }
    let Some(value) = first.filter(|value| !value.is_empty()) else {
        let reason = "a body without Content-Type";
        return record.violate(Leaf::RequestValidationRequireContentType, "HEADERS:content-type", reason);
    };
    let essence = value.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
    let allowed = &record.settings().accept.content_types;
    if allowed.is_empty() || allowed.iter().any(|t| essence.eq_ignore_ascii_case(t.as_bytes())) {
        return Ok(());
    }
    let reason = "the media type is not in accept.content_types";
    record.violate(Leaf::HttpComplianceAllowedContentTypes, "HEADERS:content-type", reason)
}

fn declared_length(admitted: &Admitted, record: &mut Record) -> Result<(), Refusal> {
    let allowed = record.settings().accept.max_body_size;
    let Framing::Length(length) = admitted.framing else { return Ok(()) };
    // Of a call each message is bounded, not their sum.
    if length <= allowed || admitted.is_grpc() {
        return Ok(());
    }
    let reason = || format!("a body of {length} bytes, allowed are {allowed}");
    // Both are told, whichever of them is in force.
    let files = if is_multipart(admitted) {
        record.violate(Leaf::FileUploadLimitsMaxTotalSize, "BODY", reason())
    } else {
        Ok(())
    };
    record.violate(Leaf::RequestValidationMaxBodySize, "BODY", reason()).and(files).map_err(Refusal::closing)
}

fn is_multipart(admitted: &Admitted) -> bool {
    let value = admitted.head.fields.first("content-type").unwrap_or_default();
    value.get(..10).is_some_and(|start| start.eq_ignore_ascii_case(b"multipart/"))
}

/// Whether the route blocks or reports, for stages that decide by it.
pub(crate) fn refuses(record: &Record) -> bool {
    record.settings().mode == Mode::Blocking
}
