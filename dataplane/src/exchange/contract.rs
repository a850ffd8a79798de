//! The contract of the route, where it has one: the head of a request is held to it here, its body while it is read,
//! and the answer while it is screened.

use std::sync::Arc;

use waf_contract::{Content, Contract, Found, Judged, OperationId, ParameterFault, PathMatch, Sent};
use waf_shared::catalog::Leaf;
use waf_shared::plan::contract::Place;
use waf_shared::route::normalize;

use super::admit::Admitted;
use super::context::RequestContext;
use super::cors;
use super::findings::Findings;
use super::method_override;
use super::rejection::Rejection;
use super::rewrite;
use crate::contracts::{Counted, Counters};
use crate::metrics::watch;
use crate::refusal::Refusal;

/// An admitted request that was compared with its contract.
#[derive(Debug)]
pub(crate) struct Contracted {
    pub(crate) admitted: Admitted,
    /// The operation of the contract; none where no contract applies.
    pub(super) operation: Option<ContractedOperation>,
}

/// An operation of a contract, and what its request has to conform to.
#[derive(Debug, Clone)]
pub(crate) struct ContractedOperation {
    pub(super) contract: Arc<Contract>,
    counters: Arc<Counters>,
    pub(super) operation: OperationId,
    /// Which declared body it carries, if that is to be judged.
    content: Option<usize>,
    content_type: Vec<u8>,
}

/// Compares path, method, parameters and content type with the contract.
pub(super) fn head(
    admitted: Admitted,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<Contracted, Rejection> {
    let Some((contract, counters)) = context.active_plan.contracts().of(admitted.route.0) else {
        return Ok(Contracted { admitted, operation: None });
    };
    let began = watch();
    let outcome = compare(contract, counters, &admitted, context, findings);
    findings.measured.add_contract(watch().saturating_sub(began));
    Ok(Contracted { operation: outcome?, admitted })
}

fn compare(
    contract: &Arc<Contract>,
    counters: &Arc<Counters>,
    admitted: &Admitted,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<Option<ContractedOperation>, Rejection> {
    let Some((operation, found)) = operation(contract, counters, admitted, context, findings)? else {
        return Ok(None);
    };
    let mut contracted = ContractedOperation {
        contract: Arc::clone(contract),
        counters: Arc::clone(counters),
        operation,
        content: None,
        content_type: admitted.head.fields.first("content-type").unwrap_or_default().to_vec(),
    };
    let mut is_broken = false;
    if let Some(fault) = parameters(&contracted, &found, admitted, findings) {
        is_broken = true;
        counters.count(Counted::Invalid);
        findings.breach(context, Leaf::OpenapiParameterMismatch, place_of(fault.place), describe(&fault))?;
    }
    if let Err((leaf, place, reason)) = body(&mut contracted, admitted) {
        if !is_broken {
            counters.count(Counted::Invalid);
        }
        is_broken = true;
        findings.breach(context, leaf, place, reason)?;
    }
    let judges_body =
        contracted.judges_body() && context.settings().leaves.contains(Leaf::OpenapiBodyMismatch);
    if !is_broken && !judges_body {
        counters.count(Counted::Valid);
    }
    Ok(Some(contracted))
}

/// The operation of a request and what its path names; none where the contract declares none and that is allowed.
fn operation(
    contract: &Contract,
    counters: &Counters,
    admitted: &Admitted,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<Option<(OperationId, PathMatch)>, Rejection> {
    let (operation, found) = match find(contract, admitted, admitted.head.method(), context) {
        Found::Operation(operation, found) => (operation, found),
        Found::NoPath => {
            undeclared(counters, context, findings)?;
            return Ok(None);
        }
        // Browsers ask before they send, whether or not a document says so.
        Found::NoMethod(_) if cors::is_preflight(&admitted.head) => return Ok(None),
        Found::NoMethod(methods) => {
            undeclared_method(methods, counters, context, findings)?;
            return Ok(None);
        }
    };
    // A framework may take the method of an override for the request's.
    if let Some(wanted) = method_override::wanted(&admitted.head).map(<[u8]>::to_ascii_uppercase)
        && let Found::NoMethod(methods) = find(contract, admitted, &wanted, context)
    {
        undeclared_method(methods, counters, context, findings)?;
    }
    Ok(Some((operation, found)))
}

/// Compares the parameters: the first fault, and a remark about those that the contract does not declare.
fn parameters(
    contracted: &ContractedOperation,
    found: &PathMatch,
    admitted: &Admitted,
    findings: &mut Findings,
) -> Option<ParameterFault> {
    let fields = |name: &str| {
        let named =
            admitted.head.fields.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        named.map(|(_, value)| value).collect()
    };
    let sent = Sent { query: admitted.target.query(admitted.head.target()), fields: &fields };
    let parameters = contracted.contract.parameters(contracted.operation, found, sent);
    if parameters.fault.is_none() && parameters.has_undeclared {
        let reason = "the query has a parameter that the contract does not declare";
        findings.remark(Leaf::OpenapiParameterMismatch, "QUERY", reason);
    }
    parameters.fault
}

/// The operation, by the rewritten path; where that is not declared and the upstream's URL has a path, by both
/// together.
fn find(contract: &Contract, admitted: &Admitted, method: &[u8], context: &RequestContext) -> Found {
    let path = admitted.target.path(admitted.head.target());
    let Some((route, _)) = context.active_plan.route(admitted.route) else { return Found::NoPath };
    let mut rewritten = Vec::with_capacity(path.len());
    rewrite::rewrite(path, &route.rewrite, &mut rewritten);
    if path == b"*" {
        return Found::NoPath;
    }
    let found = contract.find(&normalize(&rewritten), method);
    if found != Found::NoPath || route.upstream.base_path.is_empty() {
        return found;
    }
    let whole = [route.upstream.base_path.as_bytes(), &rewritten].concat();
    contract.find(&normalize(&whole), method)
}

/// A method that the contract does not declare for the path; it declares `methods`.
fn undeclared_method(
    methods: Vec<String>,
    counters: &Counters,
    context: &RequestContext,
    findings: &mut Findings,
) -> Result<(), Rejection> {
    counters.count(Counted::Invalid);
    let accepted = &context.settings().accept.methods;
    let allowed = methods.into_iter().filter(|method| accepted.contains(method)).collect();
    let reason = "the contract does not declare the method for this path";
    let refused = findings.breach(context, Leaf::OpenapiMethodNotInSpec, "METHOD", reason);
    refused.map_err(|refusal| Rejection::MethodNotAllowed(refusal, allowed))
}

/// A path that the contract does not know. It is reported even where it is allowed.
fn undeclared(counters: &Counters, context: &RequestContext, findings: &mut Findings) -> Result<(), Refusal> {
    counters.shadow.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let leaf = Leaf::OpenapiPathNotInSpec;
    let reason = "the contract does not declare the path";
    if context.settings().leaves.contains(leaf) {
        counters.count(Counted::Invalid);
        return findings.breach(context, leaf, "PATH", reason);
    }
    if context.active_plan.plan().shadow_api_logging {
        findings.remark(leaf, "PATH", reason);
    }
    Ok(())
}

/// Reports whether the operation takes such a body at all.
fn body(
    contracted: &mut ContractedOperation,
    admitted: &Admitted,
) -> Result<(), (Leaf, &'static str, &'static str)> {
    let ContractedOperation { contract, operation, content_type, .. } = contracted;
    if !admitted.carries_body() {
        if !contract.requires_body(*operation) {
            return Ok(());
        }
        return Err((Leaf::OpenapiBodyMismatch, "BODY", "required: the operation needs a body"));
    }
    match contract.content(*operation, content_type) {
        Content::Declared(content) => {
            contracted.content = Some(content);
            Ok(())
        }
        Content::Undeclared => {
            let reason = "the contract does not declare the media type for this operation";
            Err((Leaf::OpenapiContentTypeNotInSpec, "HEADERS:content-type", reason))
        }
        Content::NoBody => Err((Leaf::OpenapiBodyMismatch, "BODY", "the operation takes no body")),
    }
}

impl ContractedOperation {
    /// Reports whether the request's body is to be judged.
    pub(super) fn judges_body(&self) -> bool {
        self.content.is_some()
    }

    /// Judges the body, or the first part of it; the error says what is wrong, and never the value.
    pub(super) fn judge(&self, bytes: &[u8], is_whole: bool) -> Result<(), String> {
        let Some(content) = self.content else { return Ok(()) };
        match self.contract.request_body(self.operation, content, &self.content_type, bytes, is_whole) {
            Ok(Judged::Whole) => self.counters.count(Counted::Valid),
            Ok(Judged::Prefix | Judged::Nothing) => self.counters.count(Counted::Partial),
            Err(fault) => {
                self.counters.count(Counted::Invalid);
                return Err(fault.to_string());
            }
        }
        Ok(())
    }
}

fn place_of(place: Place) -> &'static str {
    match place {
        Place::Path => "PATH",
        Place::Query => "QUERY",
        Place::Header => "HEADERS",
        Place::Cookie => "COOKIES",
    }
}

fn describe(fault: &ParameterFault) -> String {
    let place = match fault.place {
        Place::Path => "path",
        Place::Query => "query",
        Place::Header => "header",
        Place::Cookie => "cookie",
    };
    format!("{place} parameter {}: {}", fault.name, fault.fault)
}

#[cfg(test)]
mod tests;
