//! OpenAPI documents through their lowering and the judging of messages: every keyword on both sides, every style, and
//! the faults of a document.
#![allow(clippy::unwrap_used, reason = "a failing fixture fails the test")]

mod openapi {
    pub(crate) mod bounds;
    pub(crate) mod faults;
    pub(crate) mod keywords;
    pub(crate) mod large;
    pub(crate) mod messages;
    pub(crate) mod repeated;
    pub(crate) mod replay;
    pub(crate) mod shape;
}

use std::path::Path;

use waf_contract::Contract;
use waf_contract::compile::{Document, ReadFile, document};

/// Files of a folder, without a look at links: that is the part of whoever compiles.
struct Plain;

impl ReadFile for Plain {
    fn read(&self, path: &Path, _: Option<&Path>) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|error| format!("cannot be read: {error}"))
    }
}

/// Lowers the document `text`, in `folder`.
fn compile(folder: &Path, text: &str) -> Document {
    std::fs::write(folder.join("api.yaml"), text).unwrap();
    document(&folder.join("api.yaml"), &Plain)
}

/// The contract of a valid document.
fn contract(text: &str) -> Contract {
    let folder = tempfile::tempdir().unwrap();
    let document = compile(folder.path(), text);
    assert!(document.errors.is_empty(), "{}\n{text}", document.errors.join("\n"));
    Contract::build(document.contract).unwrap()
}
