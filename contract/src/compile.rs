//! OpenAPI documents in YAML or JSON, lowered into the form that a plan carries. A document is read with the files
//! beside it that it refers to; whoever compiles hands in how files are read. It must not know configurations, or what
//! a worker does with a contract.

mod circles;
mod discriminator;
mod files;
mod location;
mod node;
mod operations;
mod parameters;
mod schemas;
mod servers;

pub use files::ReadFile;

use std::path::{Path, PathBuf};

use waf_shared::plan::contract::Contract;
use waf_shared::quote::quoted;

use files::Files;
use operations::Lowering;

/// A document, lowered.
#[derive(Debug, Default)]
pub struct Document {
    /// Digest of all its files, in the order in which they are first referred to.
    pub digest: [u8; 32],
    /// The contract; it is of use only without errors.
    pub contract: Contract,
    /// Faults, each with its place.
    pub errors: Vec<String>,
    /// Parts that are not checked, each with its place.
    pub warnings: Vec<String>,
    /// Every file that was looked for, in that order.
    pub files: Vec<PathBuf>,
}

/// Reads and lowers the document at `path`.
pub fn document(path: &Path, reader: &dyn ReadFile) -> Document {
    let mut document = Document::default();
    let files = match Files::load(path, reader, &mut document.files) {
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

/// Lowers a document that refers to no other file; the error lists its faults.
pub fn text(text: &str) -> Result<Contract, Vec<String>> {
    let files = Files::of_text(text).map_err(|why| vec![why])?;
    check_head(files.root().node).map_err(|why| vec![why])?;
    let mut lowering = Lowering::new(&files);
    lowering.document();
    let (contract, errors, _) = lowering.finish();
    if errors.is_empty() { Ok(contract) } else { Err(errors) }
}

/// Checks that a document is OpenAPI 3.x at all.
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
