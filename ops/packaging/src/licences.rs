//! The licences of what is linked into the programs, as their authors wrote them: one text with each package's name,
//! its expression, and the files of its archive that look like a licence or a notice.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cargo_metadata::Package;

use crate::bill::{Workspace, spdx};

/// Beginnings of the names of such files, in lower case.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// A text that is longer is something else than a licence.
const TEXT_BYTES_MAX: u64 = 256 * 1024;

/// The whole text. The same wording is printed once, beneath everybody who uses it.
pub fn text(workspace: &Workspace) -> std::io::Result<String> {
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::new();
    for package in workspace.linked().filter(|package| package.source.is_some()) {
        let expression = package.license.as_deref().map(spdx).unwrap_or_default();
        let _ = writeln!(list, "{} {}: {expression}", package.name, package.version);
        for file in files(package)? {
            let text = String::from_utf8_lossy(&std::fs::read(&file)?).replace("\r\n", "\n");
            let user = format!("{} {}", package.name, package.version);
            users.entry(text.trim().to_owned()).or_default().push(user);
        }
    }
    let mut out =
        format!("What waf {} is built from, and under which licences.\n\n{list}", env!("CARGO_PKG_VERSION"));
    out.push_str(
        "\nPrograms that are linked statically also carry the GNU C Library, under the GNU Lesser General Public License, \
         version 2.1 or later.\n",
    );
    for (text, users) in users {
        let _ = write!(out, "\n{}\n{}\n\n{text}\n", "=".repeat(80), users.join(", "));
    }
    Ok(out)
}

/// Licence files of a package, by name.
fn files(package: &Package) -> std::io::Result<Vec<PathBuf>> {
    let folder = package.manifest_path.parent().map_or(Path::new("."), |folder| folder.as_std_path());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let metadata = entry.metadata()?;
        if NAMES.iter().any(|start| name.starts_with(start))
            && metadata.is_file()
            && metadata.len() <= TEXT_BYTES_MAX
        {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_linked_crates_are_collected() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let workspace =
            Workspace::read(&root, "x86_64-unknown-linux-gnu").expect("the workspace is described");
        let text = text(&workspace).expect("sources of linked crates are there");
        for package in workspace.linked().filter(|package| package.source.is_some()) {
            let line = format!("\n{} {}: ", package.name, package.version);
            assert!(text.contains(&line), "{line}");
        }
        assert!(!text.contains("\nproptest "), "what only tests is not shipped");
        for part in ["Permission is hereby granted, free of charge", "Apache License", "tokio 1."] {
            assert!(text.contains(part), "{part}");
        }
    }
}
