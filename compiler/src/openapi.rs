//! Contracts: each document that a route names is read once, with the files beside it that it refers to, and lowered into
//! the plan. It must not know what a worker does with it.

mod discriminator;
mod files;
mod node;
mod operations;
mod parameters;
mod schemas;
mod servers;
mod spot;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waf_shared::plan::contract::Contract;

use crate::diagnostic::{Sink, quoted};
use crate::resolve::Resolved;
use crate::{Options, code, raw, source};
use files::Files;
use operations::Lowering;

/// Warnings about one document that are shown; who mends these finds the others in the next run.
const WARNINGS_MAX: usize = 10;

/// One document, read.
struct Document {
    /// Of all files, in the order in which they are first referred to.
    digest: [u8; 32],
    /// Index of its contract among the plan's, once a route has used it.
    index: Option<u32>,
    contract: Contract,
    /// What is wrong with it, each with its place.
    errors: Vec<String>,
    warnings: Vec<String>,
    /// Whether a warning was shown for it.
    is_reported: bool,
}

/// Reads every contract, reports those that cannot be used, and puts the others into the plan. Without host checks
/// absolute paths are left alone: they belong to a machine. The result is every file that is named, absolute, in order.
pub(crate) fn contracts(
    document: &raw::Document,
    resolved: &mut Resolved,
    base_dir: &Path,
    options: &Options,
    sink: &mut Sink,
) -> Vec<PathBuf> {
    let mut read: BTreeMap<PathBuf, Document> = BTreeMap::new();
    let mut files: Vec<PathBuf> = Vec::new();
    for raw in document.routes.iter().flat_map(|at| &at.value) {
        let openapi = raw.value.openapi.as_ref();
        let Some(spec) = openapi.and_then(|at| at.value.spec.as_ref()) else { continue };
        let found = resolved.routes.iter_mut().find(|route| route.plan.id.0 == raw.value.name());
        let plan = found.and_then(|route| route.plan.openapi.as_mut());
        if !options.host_checks && Path::new(&spec.value.0).is_absolute() {
            // Nothing is known of it here: it stands for a contract without paths, in a plan that nobody serves.
            if let Some(plan) = plan {
                plan.contract = used(&mut resolved.contracts, Contract::default());
            }
            continue;
        }
        let path = source::absolute(base_dir, &spec.value.0);
        let document = read.entry(path.clone()).or_insert_with(|| lowered(&path, &mut files));
        let place = &raw.value.place;
        for error in &document.errors {
            let message = format!(
                "{place}.openapi.spec must exist and parse as OpenAPI 3.x: {} {error}",
                quoted(&spec.value.0)
            );
            sink.error(code::UNUSABLE_PATH, spec.line, message);
        }
        if !std::mem::replace(&mut document.is_reported, true) {
            for warning in document.warnings.iter().take(WARNINGS_MAX) {
                let message = format!("{place}.openapi.spec: {} {warning}", quoted(&spec.value.0));
                sink.warning(code::UNCHECKED_CONTRACT, spec.line, message);
            }
        }
        if let Some(plan) = plan.filter(|_| document.errors.is_empty()) {
            let contracts = &mut resolved.contracts;
            let contract = &mut document.contract;
            plan.contract = *document.index.get_or_insert_with(|| used(contracts, std::mem::take(contract)));
            plan.spec_digest = document.digest;
        }
    }
    files.sort();
    files.dedup();
    files
}

fn used(contracts: &mut Vec<Contract>, contract: Contract) -> u32 {
    contracts.push(contract);
    u32::try_from(contracts.len() - 1).unwrap_or(u32::MAX)
}

/// Reads and lowers the document at `path`; every file that it needs is added to `named`.
fn lowered(path: &Path, named: &mut Vec<PathBuf>) -> Document {
    let mut document = Document {
        digest: [0; 32],
        index: None,
        contract: Contract::default(),
        errors: Vec::new(),
        warnings: Vec::new(),
        is_reported: false,
    };
    let files = match Files::load(path, named) {
        Ok(files) => files,
        Err(why) => {
            document.errors.push(why);
            return document;
        }
    };
    document.digest = files.digest();
    if let Err(why) = check_head(files.root().node) {
        document.errors.push(format!("does not parse: {why}"));
        return document;
    }
    let mut lowering = Lowering::new(&files);
    lowering.document();
    (document.contract, document.errors, document.warnings) = lowering.finish();
    document
}

/// Lowers a document that refers to no other file; the error lists what is wrong with it.
pub(crate) fn of_text(text: &str) -> Result<Contract, Vec<String>> {
    let files = Files::of_text(text).map_err(|why| vec![why])?;
    check_head(files.root().node).map_err(|why| vec![why])?;
    let mut lowering = Lowering::new(&files);
    lowering.document();
    let (contract, errors, _) = lowering.finish();
    if errors.is_empty() { Ok(contract) } else { Err(errors) }
}

/// Whether a document is OpenAPI 3.x at all.
fn check_head(root: &node::Node) -> Result<(), String> {
    match root.get("openapi").map(node::Node::text) {
        Some(Some(version)) if version.starts_with("3.0.") || version.starts_with("3.1.") => {}
        Some(Some(version)) => {
            return Err(format!("its version is {}, known are 3.0 and 3.1", quoted(version)));
        }
        _ => return Err("it has no `openapi` version".to_owned()),
    }
    if root.get("info").and_then(node::Node::members).is_none() {
        return Err("it has no `info` object".to_owned());
    }
    let parts = ["paths", "components", "webhooks"];
    match parts.iter().find_map(|part| root.get(part).map(|value| (part, value))) {
        Some((_, value)) if value.members().is_some() => Ok(()),
        Some((part, _)) => Err(format!("its `{part}` is not an object")),
        None => Err("it has no `paths`".to_owned()),
    }
}
