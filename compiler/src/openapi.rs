//! Contracts of routes: each document that a route names is read once and put into the plan. It must not know what a
//! document says: that is the part of `waf_contract::compile`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waf_contract::compile::{self, ReadFile};
use waf_shared::plan::contract::Contract;

use crate::diagnostic::{Sink, quoted};
use crate::names::PlainText;
use crate::read::At;
use crate::resolve::Resolved;
use crate::{Options, code, raw, source};

/// Warnings about one document that are shown; whoever fixes these finds the others in the next run.
const WARNINGS_MAX: usize = 10;

/// One document, read.
struct Document {
    lowered: compile::Document,
    /// Index of its contract among the plan's, once a route has used it.
    index: Option<u32>,
    /// True if a warning was shown for it.
    is_reported: bool,
}

/// Files on disk. A link may lead to another place in the folder of the document, as ConfigMaps do, and not out of it.
struct Disk;

impl ReadFile for Disk {
    fn read(&self, path: &Path, folder: Option<&Path>) -> Result<String, String> {
        let real = |path: &Path| path.canonicalize().map_err(|error| format!("cannot be read: {error}"));
        if let Some(folder) = folder
            && !real(path)?.starts_with(real(folder)?)
        {
            return Err("lies outside of the document's folder".to_owned());
        }
        source::read_text(path).map_err(|error| error.to_string())
    }
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
        let document = read.entry(path.clone()).or_insert_with(|| {
            let mut lowered = compile::document(&path, &Disk);
            files.append(&mut lowered.files);
            Document { lowered, index: None, is_reported: false }
        });
        report(document, &raw.value.place, spec, sink);
        if let Some(plan) = plan.filter(|_| document.lowered.errors.is_empty()) {
            let contracts = &mut resolved.contracts;
            let contract = &mut document.lowered.contract;
            plan.contract = *document.index.get_or_insert_with(|| used(contracts, std::mem::take(contract)));
            plan.spec_digest = document.lowered.digest;
        }
    }
    files.sort();
    files.dedup();
    files
}

/// Reports the faults of a document at each route that names it, and its warnings once.
fn report(document: &mut Document, place: &str, spec: &At<PlainText>, sink: &mut Sink) {
    let file = quoted(&spec.value.0);
    for error in &document.lowered.errors {
        let message = format!("{place}.openapi.spec must exist and parse as OpenAPI 3.x: {file} {error}");
        sink.error(code::UNUSABLE_PATH, spec.line, message);
    }
    if !std::mem::replace(&mut document.is_reported, true) {
        for warning in document.lowered.warnings.iter().take(WARNINGS_MAX) {
            let message = format!("{place}.openapi.spec: {file} {warning}");
            sink.warning(code::UNCHECKED_CONTRACT, spec.line, message);
        }
    }
}

fn used(contracts: &mut Vec<Contract>, contract: Contract) -> u32 {
    contracts.push(contract);
    u32::try_from(contracts.len() - 1).unwrap_or(u32::MAX)
}
