//! OpenAPI documents through the compiler and the judging of messages: every keyword on both sides, every style, and what a
//! document may not be.

mod faults;
mod keywords;
mod large;
mod messages;
mod replay;
mod shape;

use std::path::Path;

use waf_contract::Contract;

/// Compiles a configuration whose one route has the document `text`, in `folder`.
fn compile(folder: &Path, text: &str) -> Result<waf_compiler::Compiled, Vec<waf_compiler::Diagnostic>> {
    std::fs::write(folder.join("api.yaml"), text).unwrap();
    let config = folder.join("waf.yaml");
    std::fs::write(
        &config,
        "version: v1alpha1\nroutes:\n  - upstream: http://a\n    openapi:\n      spec: api.yaml\n",
    )
    .unwrap();
    let options = waf_compiler::Options { host_checks: false, ..waf_compiler::Options::default() };
    waf_compiler::compile_file(&config, &options)
}

/// The contract of a document that holds, as a worker gets it.
fn contract(text: &str) -> Contract {
    let folder = tempfile::tempdir().unwrap();
    let compiled = compile(folder.path(), text).unwrap_or_else(|list| {
        let list: Vec<String> = list.iter().map(ToString::to_string).collect();
        panic!("{}\n{text}", list.join("\n"))
    });
    let (plan, _) = waf_shared::plan::decode(&compiled.bytes).unwrap();
    Contract::build(plan.contracts.into_iter().next().unwrap()).unwrap()
}
