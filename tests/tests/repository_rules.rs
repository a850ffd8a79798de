//! The rules of the repository: edges between crates, what the tree must not contain, the form of files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use waf_tests::programs::{self, repository};

/// Crates that each crate may depend on.
const EDGES: &[(&str, &[&str])] = &[
    ("waf-shared", &[]),
    ("waf-languages", &[]),
    ("waf-bodies", &[]),
    ("waf-detection", &["waf-bodies", "waf-languages", "waf-shared"]),
    ("waf-contract", &["waf-bodies", "waf-shared"]),
    ("waf-compiler", &["waf-contract", "waf-detection", "waf-shared"]),
    ("waf-dataplane", &["waf-contract", "waf-detection", "waf-shared"]),
    ("waf-certificates", &["waf-shared"]),
    ("waf-supervisor", &["waf-certificates", "waf-compiler", "waf-dataplane", "waf-shared"]),
    ("waf-packaging", &["waf-compiler", "waf-supervisor"]),
    ("waf-tests", &["waf-compiler", "waf-shared"]),
];

/// Crates that may not be linked, not even indirectly.
const FORBIDDEN: &[&str] =
    &["ring", "reqwest", "openssl", "openssl-sys", "openssl-src", "native-tls", "serde_yml"];

/// Crates that `shared`, `languages`, `detection` and `contract` may not use: they hold no runtime, no sockets, no files.
const PURE: &[&str] = &["waf-shared", "waf-languages", "waf-bodies", "waf-detection", "waf-contract"];
const IMPURE: &[&str] = &["tokio", "hyper", "mio", "rustls", "nix", "rustix", "socket2", "notify"];

/// Lines of a source file that is no table.
const LINES_MAX: usize = 400;

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(repository().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo describes the workspace")
}

#[test]
fn crates_know_only_whom_they_may() {
    let metadata = metadata();
    let members: BTreeSet<&str> =
        metadata.workspace_packages().iter().map(|package| package.name.as_str()).collect();
    assert_eq!(members, EDGES.iter().map(|(name, _)| *name).collect(), "a crate came or went: change EDGES");
    for package in metadata.workspace_packages() {
        let (_, allowed) =
            EDGES.iter().find(|(name, _)| *name == package.name.as_str()).expect("compared above");
        let known =
            package.dependencies.iter().filter(|dependency| members.contains(dependency.name.as_str()));
        // A crate may depend on itself, with other features, in its tests.
        for dependency in known.filter(|dependency| dependency.name != package.name.as_str()) {
            assert!(
                allowed.contains(&dependency.name.as_str()),
                "{} knows {}",
                package.name,
                dependency.name
            );
        }
    }
}

#[test]
fn workers_do_not_read_documents() {
    for package in metadata().workspace_packages() {
        let contract = package.dependencies.iter().filter(|dependency| {
            dependency.name == "waf-contract" && dependency.kind == DependencyKind::Normal
        });
        for dependency in contract {
            let compiles = dependency.features.iter().any(|feature| feature == "compile");
            assert_eq!(compiles, package.name.as_str() == "waf-compiler", "{}", package.name);
        }
    }
}

#[test]
fn what_is_forbidden_is_not_in_the_tree() {
    // The lock file also names what no feature switches on; the tree is what is built.
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--workspace",
            "--offline",
            "--locked",
            "--prefix",
            "none",
            "--edges",
            "normal,build,dev",
        ])
        .current_dir(repository())
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let names: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains("rustls") && names.contains("aws-lc-rs"), "the tree is read as cargo prints it");
    for name in FORBIDDEN {
        assert!(!names.contains(name), "{name} is in the tree");
    }
}

#[test]
fn the_inner_crates_hold_no_runtime() {
    let metadata = metadata();
    for package in
        metadata.workspace_packages().iter().filter(|package| PURE.contains(&package.name.as_str()))
    {
        for dependency in package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal) {
            assert!(
                !IMPURE.contains(&dependency.name.as_str()),
                "{} depends on {}",
                package.name,
                dependency.name
            );
        }
    }
}

/// Files of the repository, without what is built.
fn files() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_symlink() || matches!(name, "target" | ".git") {
                continue;
            }
            if path.is_dir() {
                walk(&path, found);
            } else {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&repository(), &mut found);
    found.sort();
    assert!(found.len() > 50, "the repository is walked");
    found
}

/// A file whose content is mostly rows: the catalog, word lists, rules with their proofs.
fn is_table(text: &str) -> bool {
    let rows = text.lines().filter(|line| {
        let line = line.trim();
        line.ends_with([',', ';']) && line.contains('"')
            || line.starts_with('"')
            || line.starts_with("b\"")
            || line.starts_with("r\"")
    });
    rows.count() * 2 > text.lines().count()
}

#[test]
fn sources_have_a_purpose_and_an_end() {
    let mut wrong = Vec::new();
    for path in files().iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let text = std::fs::read_to_string(path).expect("sources are text");
        if !text.starts_with("//!") {
            wrong.push(format!("{} does not open with //!", path.display()));
        }
        let lines = text.lines().count();
        if lines > LINES_MAX && !is_table(&text) {
            wrong.push(format!("{} has {lines} lines, more than {LINES_MAX}", path.display()));
        }
        if path.file_name().is_some_and(|name| name == "mod.rs") {
            wrong.push(format!("{}: foo.rs beside foo/, never mod.rs", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_test_is_switched_off_and_nothing_is_left_to_do() {
    // Put together, so that this file does not find itself.
    let words = [
        ["#[ign", "ore"].concat(),
        ["to", "do!("].concat(),
        ["unimpl", "emented!("].concat(),
        ["dbg", "!("].concat(),
    ];
    for path in files().iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let text = std::fs::read_to_string(path).expect("sources are text");
        for word in &words {
            assert!(!text.contains(word.as_str()), "{} has {word}", path.display());
        }
    }
}

#[test]
fn the_repository_names_no_machine() {
    let root = repository();
    let root = root.to_str().expect("a path that is text");
    // Put together, so that this file does not find itself.
    let words = [
        ["/wo", "rk/"].concat(),
        ["/ho", "me/"].concat(),
        ["/ro", "ot/"].concat(),
        ["/tm", "p/wt-"].concat(),
    ];
    for path in files() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        // A rule or a test may quote a path as an attack does; paths of a machine stand alone.
        let data = path.components().any(|part| {
            matches!(part.as_os_str().to_str(), Some("rules" | "languages" | "view" | "proofs" | "corpora"))
        });
        assert!(!text.contains(root), "{} names {root}", path.display());
        for word in words.iter().filter(|_| !data) {
            assert!(!text.contains(word.as_str()), "{} names {word}", path.display());
        }
    }
}

#[test]
fn example_configurations_are_valid() {
    let folder = repository().join("ops/examples");
    let examples: BTreeMap<String, PathBuf> = std::fs::read_dir(&folder)
        .expect("the examples are there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .map(|path| (path.display().to_string(), path))
        .collect();
    assert!(examples.len() >= 4, "{examples:?}");
    for path in examples.values() {
        let output = Command::new(programs::waf_compile())
            .args(["--validate", "--no-host-checks"])
            .arg(path)
            .output()
            .expect("the program can be started");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
        assert!(!text.contains("warning"), "an example does not warn: {text}");
    }
}
