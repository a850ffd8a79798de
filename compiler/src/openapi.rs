//! Contracts: each file that a route names is read once, must parse as OpenAPI 3.x, and its digest goes into the plan.
//! The only module that knows `serde_yaml`'s reading side. It must not know what a contract says about requests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_yaml::Value;

use crate::diagnostic::{Sink, quoted};
use crate::resolve::Resolved;
use crate::{Options, code, raw, source};

/// Reads every contract, reports those that cannot be used, and fills in the digests of the others. Without host checks
/// absolute paths are left alone: they belong to a machine. The result is every file that is named, absolute, in order.
pub(crate) fn contracts(
    document: &raw::Document,
    resolved: &mut Resolved,
    base_dir: &Path,
    options: &Options,
    sink: &mut Sink,
) -> Vec<PathBuf> {
    let mut read: BTreeMap<PathBuf, Result<[u8; 32], String>> = BTreeMap::new();
    for raw in document.routes.iter().flat_map(|at| &at.value) {
        let openapi = raw.value.openapi.as_ref();
        let Some(spec) = openapi.and_then(|at| at.value.spec.as_ref()) else { continue };
        if !options.host_checks && Path::new(&spec.value.0).is_absolute() {
            continue;
        }
        let path = source::absolute(base_dir, &spec.value.0);
        let outcome = read.entry(path.clone()).or_insert_with(|| contract(&path));
        match outcome {
            Ok(digest) => {
                let route = resolved.routes.iter_mut().find(|route| route.plan.id.0 == raw.value.name());
                if let Some(openapi) = route.and_then(|route| route.plan.openapi.as_mut()) {
                    openapi.spec_digest = *digest;
                }
            }
            Err(why) => {
                let message = format!(
                    "{}.openapi.spec must exist and parse as OpenAPI 3.x: {} {why}",
                    raw.value.place,
                    quoted(&spec.value.0)
                );
                sink.error(code::UNUSABLE_PATH, spec.line, message);
            }
        }
    }
    read.into_keys().collect()
}

fn contract(path: &Path) -> Result<[u8; 32], String> {
    let text = source::read_text(path).map_err(|error| error.to_string())?;
    let document: Value = serde_yaml::from_str(&text).map_err(|error| format!("does not parse: {error}"))?;
    let wrong = |what: &str| Err(format!("does not parse: {what}"));
    match document.get("openapi") {
        Some(Value::String(version)) if version.starts_with("3.") => {}
        Some(Value::String(version)) => return wrong(&format!("its version is {}", quoted(version))),
        _ => return wrong("it has no `openapi` version"),
    }
    if !document.get("info").is_some_and(Value::is_mapping) {
        return wrong("it has no `info` object");
    }
    let parts = ["paths", "components", "webhooks"];
    match parts.iter().find_map(|part| document.get(part).map(|value| (part, value))) {
        Some((_, value)) if value.is_mapping() => Ok(waf_shared::plan::Digest::of(text.as_bytes()).0),
        Some((part, _)) => wrong(&format!("its `{part}` is not an object")),
        None => wrong("it has no `paths`"),
    }
}
