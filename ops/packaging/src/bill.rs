//! The bill of materials of the programs: CycloneDX 1.5 as JSON. Every package of the lock file is in it; what is
//! linked into the programs is `required`, what only builds or tests them, or belongs to other systems, is `excluded`.
//! The same sources give the same bytes: it carries no serial number and no time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId, TargetKind};
use serde_json::{Value, json};

use crate::lock::{self, Locked};

/// Crates whose programs are shipped.
const SHIPPED: [&str; 2] = ["waf-supervisor", "waf-compiler"];

/// The workspace as cargo knows it, and its lock file.
#[derive(Debug)]
pub struct Workspace {
    metadata: Metadata,
    /// Every package of the lock file.
    pub locked: Vec<Locked>,
    linked: BTreeSet<PackageId>,
}

/// A fault that keeps the workspace from being described.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// Cargo did not say.
    #[error("cargo does not describe the workspace")]
    Metadata(#[from] cargo_metadata::Error),
    /// No lock file.
    #[error("{path} cannot be read")]
    Lock {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl Workspace {
    /// Reads the workspace at `root`, without the network. `target` is the triple for which the programs are built.
    pub fn read(root: &Path, target: &str) -> Result<Workspace, WorkspaceError> {
        let options = ["--locked", "--offline", "--filter-platform", target].map(str::to_owned);
        let metadata =
            MetadataCommand::new().manifest_path(root.join("Cargo.toml")).other_options(options).exec()?;
        let path = root.join("Cargo.lock");
        let text = std::fs::read_to_string(&path).map_err(|source| WorkspaceError::Lock { path, source })?;
        let linked = linked(&metadata);
        Ok(Workspace { metadata, locked: lock::read(&text), linked })
    }

    /// Packages that are linked into the programs, with what their manifests say.
    pub fn linked(&self) -> impl Iterator<Item = &Package> {
        self.metadata.packages.iter().filter(|package| self.linked.contains(&package.id))
    }

    /// The bill as CycloneDX.
    pub fn bill(&self) -> Value {
        let known: BTreeMap<(&str, String), &Package> =
            self.metadata.packages.iter().map(|p| ((p.name.as_str(), p.version.to_string()), p)).collect();
        let components = self.locked.iter().map(|locked| {
            let package = known.get(&(locked.name.as_str(), locked.version.clone())).copied();
            component(locked, package, package.is_some_and(|package| self.linked.contains(&package.id)))
        });
        let dependencies = self.locked.iter().map(|locked| {
            let on: Vec<String> = locked.dependencies(&self.locked).map(Locked::purl).collect();
            json!({ "ref": locked.purl(), "dependsOn": on })
        });
        let shipped = self.locked.iter().filter(|locked| SHIPPED.contains(&locked.name.as_str()));
        let shipped: Vec<String> = shipped.map(Locked::purl).collect();
        let own = json!({ "ref": "waf", "dependsOn": shipped });
        json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": { "component": {
                "type": "application",
                "bom-ref": "waf",
                "name": "waf",
                "version": env!("CARGO_PKG_VERSION"),
                "licenses": [{ "expression": env!("CARGO_PKG_LICENSE") }],
            }},
            "components": components.collect::<Vec<_>>(),
            "dependencies": std::iter::once(own).chain(dependencies).collect::<Vec<_>>(),
        })
    }
}

fn component(locked: &Locked, package: Option<&Package>, linked: bool) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": locked.purl(),
        "name": locked.name,
        "version": locked.version,
        "purl": locked.purl(),
        "scope": if linked { "required" } else { "excluded" },
    });
    if let Some(checksum) = &locked.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if let Some(expression) = package.and_then(|package| package.license.as_deref()) {
        component["licenses"] = json!([{ "expression": spdx(expression) }]);
    }
    component
}

/// Older manifests write `MIT/Apache-2.0` for a choice.
pub fn spdx(expression: &str) -> String {
    expression.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
}

/// Packages of the shipped programs: everything that they reach without the packages that only build or test.
fn linked(metadata: &Metadata) -> BTreeSet<PackageId> {
    let nodes: BTreeMap<&PackageId, _> =
        metadata.resolve.iter().flat_map(|resolve| &resolve.nodes).map(|node| (&node.id, node)).collect();
    let at_build_time: BTreeSet<&PackageId> = metadata
        .packages
        .iter()
        .filter(|package| package.targets.iter().any(|target| target.kind.contains(&TargetKind::ProcMacro)))
        .map(|package| &package.id)
        .collect();
    let shipped = metadata.packages.iter().filter(|package| SHIPPED.contains(&package.name.as_str()));
    let mut waiting: Vec<&PackageId> = shipped.map(|package| &package.id).collect();
    let mut linked = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if at_build_time.contains(id) || !linked.insert(id.clone()) {
            continue;
        }
        let dependencies = nodes.get(id).into_iter().flat_map(|node| &node.deps);
        waiting.extend(
            dependencies
                .filter(|dependency| {
                    dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
                })
                .map(|dependency| &dependency.pkg),
        );
    }
    linked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Workspace {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        Workspace::read(&root, "x86_64-unknown-linux-gnu").expect("the workspace is described")
    }

    #[test]
    fn every_locked_crate_is_in_the_bill() {
        let bill = workspace().bill();
        let components = bill["components"].as_array().expect("a list");
        let lock = include_str!("../../../Cargo.lock");
        let packages = lock.matches("\n[[package]]\n").count();
        assert!(packages > 100 && components.len() == packages, "{} of {packages}", components.len());
        let scope = |name: &str| {
            let found = components.iter().find(|component| component["name"] == name);
            found.unwrap_or_else(|| panic!("{name} is in it"))["scope"].as_str().expect("a word")
        };
        for name in ["tokio", "rustls", "aws-lc-sys", "waf-dataplane", "h2"] {
            assert_eq!(scope(name), "required", "{name}");
        }
        for name in ["proptest", "serde_derive", "clap_mangen", "waf-tests", "waf-packaging", "cc"] {
            assert_eq!(scope(name), "excluded", "{name}");
        }
        for component in components.iter().filter(|component| component["scope"] == "required") {
            let expression = component["licenses"][0]["expression"].as_str().unwrap_or_default();
            assert!(!expression.is_empty() && !expression.contains('/'), "{component}");
            let own = component["name"].as_str().is_some_and(|name| name.starts_with("waf-"));
            assert_eq!(component["hashes"][0]["content"].as_str().map(str::len), (!own).then_some(64));
        }
        // Every reference names a component.
        let known: BTreeSet<&str> =
            components.iter().filter_map(|component| component["bom-ref"].as_str()).collect();
        assert_eq!(known.len(), packages);
        for entry in bill["dependencies"].as_array().expect("a list") {
            for on in entry["dependsOn"].as_array().expect("a list") {
                assert!(known.contains(on.as_str().expect("a reference")), "{entry}");
            }
        }
        assert_eq!(bill, workspace().bill(), "the same sources give the same bill");
    }

    #[test]
    fn expressions_are_those_of_spdx() {
        assert_eq!(spdx("MIT/Apache-2.0"), "MIT OR Apache-2.0");
        assert_eq!(spdx("MIT OR Apache-2.0"), "MIT OR Apache-2.0");
    }
}
