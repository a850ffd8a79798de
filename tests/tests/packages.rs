//! Content of the Debian package: every file that it names is there, and scripts are ones that shells read.

use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::MetadataCommand;
use serde_json::Value;
use waf_tests::programs::repository;

/// The package's description, in the manifest of the crate that makes `waf`.
fn description() -> Value {
    let metadata = MetadataCommand::new()
        .manifest_path(repository().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo describes the workspace");
    let package = metadata.packages.iter().find(|package| package.name.as_str() == "waf-supervisor");
    package.expect("it is a member").metadata["deb"].clone()
}

/// True if a path, whose last part may have one `*`, names a file.
fn names_a_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).expect("names are text");
    let Some((begin, end)) = name.split_once('*') else { return path.is_file() };
    let Ok(entries) = std::fs::read_dir(path.parent().expect("it lies in a folder")) else { return false };
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .any(|name| name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end))
}

#[test]
fn what_the_package_names_is_there() {
    let description = description();
    let crate_folder = repository().join("supervisor");
    let assets: Vec<[String; 3]> =
        serde_json::from_value(description["assets"].clone()).expect("source, place, mode");
    assert!(assets.len() > 10, "{assets:?}");
    for [source, _, mode] in &assets {
        // What is built lies in the target folder, under the names that ops/debian/build gives.
        let built = source.strip_prefix("target/release/");
        let script = std::fs::read_to_string(repository().join("ops/debian/build")).expect("it is there");
        let made = |name: &str| {
            matches!(name, "waf" | "waf-compile") || script.contains(&format!("$release/{name}"))
        };
        assert!(built.map_or_else(|| names_a_file(&crate_folder.join(source)), made), "{source} is missing");
        let program = built.is_some_and(|name| name.starts_with("waf"));
        assert_eq!(mode, if program { "755" } else { "644" }, "{source}");
    }
    let places: Vec<String> = assets.iter().map(|[_, place, _]| format!("/{place}")).collect();
    let conffiles: Vec<String> =
        serde_json::from_value(description["conf-files"].clone()).expect("a list of paths");
    assert_eq!(conffiles, ["/etc/waf/waf.yaml"]);
    assert!(conffiles.iter().all(|file| places.contains(file)), "{places:?}");
    for folder in ["man/man1/", "bash-completion/completions/", "zsh/vendor-completions/", "systemd/system/"]
    {
        assert!(places.iter().any(|place| place.ends_with(folder)), "nothing for {folder}");
    }
}

#[test]
fn shells_read_the_scripts() {
    let root = repository();
    let scripts: Vec<PathBuf> = std::fs::read_dir(root.join("ops/debian/scripts"))
        .expect("they are there")
        .map(|entry| entry.expect("they can be listed").path())
        .chain(
            ["ops/acme/dns-hook-rfc2136", "ops/container/build", "ops/debian/build", "docs/build", "test"]
                .map(|path| root.join(path)),
        )
        .collect();
    assert!(scripts.len() >= 7, "{scripts:?}");
    for script in scripts {
        let text = std::fs::read_to_string(&script).expect("scripts are text");
        let shell = if text.starts_with("#!/bin/sh\n") { "sh" } else { "bash" };
        let output = Command::new(shell).arg("-n").arg(&script).output().expect("a shell can be started");
        assert!(output.status.success(), "{output:?}");
        assert!(text.lines().any(|line| line.starts_with("set -e")), "{}: a fault ends it", script.display());
    }
}
