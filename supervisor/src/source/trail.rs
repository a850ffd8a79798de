//! Trail of a path: every directory entry whose replacement changes what the path names. A watch on a file itself
//! goes deaf when the file is renamed over, so it is these entries' directories that are watched. It knows paths and
//! links, nothing of watching.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Symbolic links followed; the kernel stops at 40 as well.
const LINKS_MAX: usize = 40;

/// The entries, each as `<directory without links>/<name>`: every link on the way, and what stands at its end. Where
/// a part of the path does not exist, the entry that would begin it is the end.
pub(super) fn trail(path: &Path) -> Vec<PathBuf> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut pending = names(&absolute);
    let mut here = PathBuf::from("/");
    let mut entries = Vec::new();
    let mut links = 0;
    while let Some(name) = pending.pop_front() {
        if name == ".." {
            here.pop();
            continue;
        }
        let entry = here.join(&name);
        if let Ok(target) = std::fs::read_link(&entry)
            && links < LINKS_MAX
        {
            links += 1;
            entries.push(entry);
            if target.is_absolute() {
                here = PathBuf::from("/");
            }
            let mut rest = names(&target);
            rest.append(&mut pending);
            pending = rest;
        } else if pending.is_empty() || !entry.is_dir() {
            entries.push(entry);
            break;
        } else {
            here = entry;
        }
    }
    entries
}

fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_on_the_way_are_part_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir(root.join("v1")).unwrap();
        fs::write(root.join("v1/waf.yaml"), "").unwrap();
        symlink("v1", root.join("..data")).unwrap();
        symlink("..data/waf.yaml", root.join("waf.yaml")).unwrap();
        let expected = ["waf.yaml", "..data", "v1/waf.yaml"].map(|name| root.join(name));
        assert_eq!(trail(&root.join("waf.yaml")), expected);
    }

    #[test]
    fn it_ends_where_nothing_is_and_in_a_circle() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        assert_eq!(trail(&root.join("none/waf.yaml")), [root.join("none")]);
        symlink("b", root.join("a")).unwrap();
        symlink("a", root.join("b")).unwrap();
        let circle = trail(&root.join("a"));
        assert_eq!(circle.len(), LINKS_MAX + 1);
    }
}
