//! From `waf.yaml` to a checked plan, in three typed steps: source text to a spanned tree, the tree to what is written
//! ([`raw`]), that to what holds ([`resolve`]); checks look at both, and what passes them becomes the plan. Nothing
//! here is asynchronous, and only [`source`] touches files.

pub mod code;
pub mod field;

mod diagnostic;
mod source;
mod tree;

pub mod date;
mod names;
mod pattern;
mod raw;
mod read;

mod headers;
mod presets;
mod resolve;
mod setting;
mod toggles;

mod check;
mod openapi;
pub mod tracing;

mod effective;
mod inspector;

mod audit_event;
mod batches;
mod input;
pub mod parallel;
pub mod progress_bar;

pub mod catalog;
pub mod changes;
pub mod check_request;
pub mod cli;
pub mod difference;
pub mod event_report;
pub mod exclusions;
mod plan_json;
pub mod policy;
pub mod reference;
pub mod replay;
pub mod report;
pub mod rules;
pub mod schema;
pub mod suggest;

pub use diagnostic::{Diagnostic, Severity};
pub use input::lines;
pub use raw::document;

use std::path::{Path, PathBuf};

use waf_shared::limits::CONFIG_BYTES_MAX;
use waf_shared::plan::{self, Cidr, Digest, Plan};

use diagnostic::Sink;
use read::{FromNode, Reader};
use resolve::Resolved;

/// Inputs of a compilation beside the text.
#[derive(Debug, Clone)]
pub struct Options {
    /// True to check conditions of this machine, such as a writable `data_dir`.
    pub host_checks: bool,
    /// Peers whose forwarding headers are believed.
    pub trusted_proxies: Vec<Cidr>,
    /// Variables of the environment about traces.
    pub tracing: tracing::Environment,
    /// Files of policy tests, which a configuration from a file has to pass.
    pub policy_tests: Vec<PathBuf>,
    /// Today, by which exceptions expire.
    pub today: date::Date,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            host_checks: true,
            trusted_proxies: Vec::new(),
            tracing: tracing::Environment::default(),
            policy_tests: Vec::new(),
            today: date::Date::at(std::time::SystemTime::now()),
        }
    }
}

/// A valid configuration, compiled.
#[derive(Debug)]
pub struct Compiled {
    /// The plan that workers serve.
    pub plan: Plan,
    /// The plan as workers read it.
    pub bytes: Vec<u8>,
    /// The plan's name.
    pub digest: Digest,
    /// Warnings, by line.
    pub warnings: Vec<Diagnostic>,
    /// Files that the configuration names, absolute, each once.
    pub files: Vec<PathBuf>,
    resolved: Resolved,
}

/// Compiles the configuration at `path`. The error holds all errors and the warnings, by line.
pub fn compile_file(path: &Path, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    let name = path.display().to_string();
    match source::read_text(path) {
        Ok(text) => tested(compile_text(&name, &text, &source::base_dir(path), options)?, options),
        Err(error) => Err(unreadable(&name, &error)),
    }
}

/// The text of a file that is no configuration, under the bound of one.
pub fn read_text(path: &Path) -> Result<String, String> {
    source::read_text(path).map_err(|error| format!("{}: the file {error}", path.display()))
}

/// The configuration, if it passes the policy tests.
fn tested(mut compiled: Compiled, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    if options.policy_tests.is_empty() {
        return Ok(compiled);
    }
    let report = compiled.policy_tests(&options.policy_tests);
    if !report.is_ok() {
        return Err(report.findings());
    }
    let here = Path::new(".");
    compiled
        .files
        .extend(options.policy_tests.iter().map(|file| source::absolute(here, &file.to_string_lossy())));
    Ok(compiled)
}

/// Compiles what `stream` delivers, under `name`.
pub fn compile_stream(
    name: &str,
    stream: impl std::io::Read,
    base_dir: &Path,
    options: &Options,
) -> Result<Compiled, Vec<Diagnostic>> {
    match source::text_of(stream) {
        Ok(text) => compile_text(name, &text, base_dir, options),
        Err(error) => Err(unreadable(name, &error)),
    }
}

/// Compiles `text`; relative paths start from `base_dir`. The error holds all errors and the warnings, by line.
pub fn compile_text(
    name: &str,
    text: &str,
    base_dir: &Path,
    options: &Options,
) -> Result<Compiled, Vec<Diagnostic>> {
    if text.len() > CONFIG_BYTES_MAX {
        return Err(unreadable(name, &source::SourceError::TooLarge));
    }
    let mut sink = Sink::of(name, text);
    let Some(tree) = tree::read(text, &mut sink) else { return Err(sink.finish()) };
    let route_names = resolve::route_names(&tree);
    let mut reader = Reader::new(&mut sink, &route_names);
    let kind = field::FieldKind::Section(raw::document());
    let Some(document) = raw::Document::from_node(&mut reader, &tree, &kind) else {
        return Err(sink.finish());
    };
    check::written(&document, options, &mut sink);
    let mut resolved = resolve::resolve(&document);
    let files = openapi::contracts(&document, &mut resolved, base_dir, options, &mut sink);
    check::held(&document, &resolved, &mut sink);
    let tracing = tracing::resolve(&document, &options.tracing, &mut sink);
    if sink.errors() > 0 {
        return Err(sink.finish());
    }
    let plan = lower(&mut resolved, tracing, options);
    match plan::encode(&plan) {
        Ok((bytes, digest)) => Ok(Compiled { plan, bytes, digest, warnings: sink.finish(), files, resolved }),
        Err(error) => {
            sink.error(code::PLAN_TOO_LARGE, 1, error.to_string());
            Err(sink.finish())
        }
    }
}

fn unreadable(name: &str, error: &source::SourceError) -> Vec<Diagnostic> {
    let line = if let source::SourceError::NotUtf8(line) = error { *line } else { 1 };
    let mut sink = Sink::new(name, line);
    sink.error(code::UNREADABLE, line, format!("the configuration {error}"));
    sink.finish()
}

fn lower(resolved: &mut Resolved, tracing: Option<plan::Tracing>, options: &Options) -> Plan {
    Plan {
        listen: resolved.listen.clone(),
        data_dir: resolved.data_dir.clone(),
        health_port: resolved.health_port,
        metrics_port: resolved.metrics_port,
        audit_format: resolved.audit_format,
        tracing,
        trusted_proxies: options.trusted_proxies.clone(),
        protocol: resolved.protocol.clone(),
        shadow_api_logging: resolved.shadow_api_logging,
        global: resolved.global.clone(),
        error_response: resolved.error_response.clone(),
        contracts: std::mem::take(&mut resolved.contracts),
        exceptions: resolved.exceptions.iter().map(|exception| exception.plan.clone()).collect(),
        routes: resolved.routes.iter().map(|route| route.plan.clone()).collect(),
    }
}
