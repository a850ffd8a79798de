//! The contract of the route, where it has one: the head of a request is held to it here, its body while it is read, and the
//! answer while it is screened.

use std::sync::Arc;

use waf_contract::{Content, Contract, Found, Judged, OperationId, ParameterFault, Sent};
use waf_shared::catalog::Leaf;
use waf_shared::plan::contract::Place;
use waf_shared::route::normalize;

use super::admit::Admitted;
use super::cors;
use super::forward;
use super::method_override;
use super::record::Record;
use crate::contracts::{Counted, Counters};
use crate::metrics::watch;
use crate::refusal::Refusal;

/// A request that has an operation of the contract.
#[derive(Debug, Clone)]
pub(crate) struct Contracted {
    pub(super) contract: Arc<Contract>,
    counters: Arc<Counters>,
    pub(super) operation: OperationId,
    /// Which declared body it carries, if that is to be judged.
    content: Option<usize>,
    content_type: Vec<u8>,
}

/// Compares path, method, parameters and content type with the contract.
pub(crate) fn head(admitted: &Admitted, record: &mut Record) -> Result<(), Refusal> {
    let active_plan = Arc::clone(&record.active_plan);
    let Some((contract, counters)) = active_plan.contracts().of(admitted.route.0) else { return Ok(()) };
    let began = watch();
    let outcome = compare(contract, counters, admitted, record);
    record.compared(watch().saturating_sub(began));
    outcome
}

fn compare(
    contract: &Arc<Contract>,
    counters: &Arc<Counters>,
    admitted: &Admitted,
    record: &mut Record,
) -> Result<(), Refusal> {
    let (operation, found) = match find(contract, admitted, admitted.head.method(), record) {
        Found::Operation(operation, found) => (operation, found),
        Found::NoPath => return undeclared(counters, record),
        // Browsers ask before they send, whether or not a document says so.
        Found::NoMethod(_) if cors::is_preflight(&admitted.head) => return Ok(()),
        Found::NoMethod(methods) => return undeclared_method(methods, counters, record),
    };
    // A framework may take the method of an override for the request's.
    if let Some(wanted) = method_override::wanted(&admitted.head).map(<[u8]>::to_ascii_uppercase)
        && let Found::NoMethod(methods) = find(contract, admitted, &wanted, record)
    {
        undeclared_method(methods, counters, record)?;
    }
    let raw = admitted.head.target();
    let fields = |name: &str| {
        let named =
            admitted.head.fields.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name.as_bytes()));
        named.map(|(_, value)| value).collect()
    };
    let sent = Sent { query: admitted.target.query(raw), fields: &fields };
    let parameters = contract.parameters(operation, &found, sent);
    let mut contracted = Contracted {
        contract: Arc::clone(contract),
        counters: Arc::clone(counters),
        operation,
        content: None,
        content_type: admitted.head.fields.first("content-type").unwrap_or_default().to_vec(),
    };
    let mut is_broken = false;
    if let Some(fault) = &parameters.fault {
        is_broken = true;
        counters.count(Counted::Invalid);
        record.breach(Leaf::OpenapiParameterMismatch, place_of(fault.place), describe(fault))?;
    } else if parameters.has_undeclared {
        let reason = "the query has a parameter that the contract does not declare";
        record.remark(Leaf::OpenapiParameterMismatch, "QUERY", reason);
    }
    let body = body(&mut contracted, admitted);
    if let Err((leaf, place, reason)) = body {
        if !is_broken {
            counters.count(Counted::Invalid);
        }
        is_broken = true;
        record.breach(leaf, place, reason)?;
    }
    let judges_body =
        contracted.judges_body() && record.settings().leaves.contains(Leaf::OpenapiBodyMismatch);
    if !is_broken && !judges_body {
        counters.count(Counted::Valid);
    }
    record.contracted = Some(contracted);
    Ok(())
}

/// The operation, by the rewritten path; where that is not declared and the upstream's URL has a path, by both together.
fn find(contract: &Contract, admitted: &Admitted, method: &[u8], record: &Record) -> Found {
    let path = admitted.target.path(admitted.head.target());
    let Some((route, _)) = record.active_plan.route(admitted.route) else { return Found::NoPath };
    let mut rewritten = Vec::with_capacity(path.len());
    forward::rewrite(path, &route.rewrite, &mut rewritten);
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
fn undeclared_method(methods: Vec<String>, counters: &Counters, record: &mut Record) -> Result<(), Refusal> {
    counters.count(Counted::Invalid);
    let accepted = &record.settings().accept.methods;
    record.allow = Some(methods.into_iter().filter(|method| accepted.contains(method)).collect());
    let reason = "the contract does not declare the method for this path";
    record.breach(Leaf::OpenapiMethodNotInSpec, "METHOD", reason)
}

/// A path that the contract does not know. It is told even where it is let through.
fn undeclared(counters: &Counters, record: &mut Record) -> Result<(), Refusal> {
    counters.shadow.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let leaf = Leaf::OpenapiPathNotInSpec;
    let reason = "the contract does not declare the path";
    if record.settings().leaves.contains(leaf) {
        counters.count(Counted::Invalid);
        return record.breach(leaf, "PATH", reason);
    }
    if record.active_plan.plan().shadow_api_logging {
        record.remark(leaf, "PATH", reason);
    }
    Ok(())
}

/// Whether the operation takes such a body at all.
fn body(contracted: &mut Contracted, admitted: &Admitted) -> Result<(), (Leaf, &'static str, &'static str)> {
    let Contracted { contract, operation, content_type, .. } = contracted;
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

impl Contracted {
    /// Whether the request's body is to be judged.
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
