//! Content of the configuration's files at one moment: contents by their SHA-256, and stamps that show cheaply whether
//! a look at the contents is worth it. It knows files, nothing of what they mean.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use waf_shared::limits::CONFIG_BYTES_MAX;

/// Bytes read at once.
const READ_BYTES: usize = 64 << 10;

/// The files at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Snapshot {
    files: BTreeMap<PathBuf, (Stamp, Content)>,
}

/// Metadata of a file; `None` when there is no such file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp(Option<(u64, u64, u64, i64, i64, i64, i64)>);

/// Content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Sha256([u8; 32]),
    Missing,
    /// Not readable, or no regular file.
    Unreadable,
}

impl Snapshot {
    /// Reads the files. Bytes beyond the bound of a configuration are not looked at: the compiler refuses them.
    pub(super) fn take<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        // The stamp is older than the contents: a change in between makes the next comparison of stamps fail.
        let files = files.into_iter().map(|path| (path.clone(), (stamp(path), content(path)))).collect();
        Self { files }
    }

    /// True if the same files have the same content.
    pub(super) fn same_contents(&self, other: &Self) -> bool {
        self.files.len() == other.files.len()
            && self.files.iter().all(|(path, (_, content))| other.content(path) == Some(*content))
    }

    /// True if a file that both know has another content.
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.files
            .iter()
            .any(|(path, (_, content))| other.content(path).is_some_and(|there| there != *content))
    }

    /// A file that was there before and is missing, when nothing else has changed.
    pub(super) fn only_missing<'a>(&'a self, before: &Self) -> Option<&'a Path> {
        let mut changed = self
            .files
            .iter()
            .filter(|(path, (_, content))| before.content(path) != Some(*content))
            .peekable();
        let (first, _) = *changed.peek()?;
        changed.all(|(_, (_, content))| *content == Content::Missing).then_some(first.as_path())
    }

    /// True if every stamp is as it was.
    pub(super) fn same_stamps(&self) -> bool {
        self.files.iter().all(|(path, (known, _))| stamp(path) == *known)
    }

    /// The files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.keys()
    }

    fn content(&self, path: &Path) -> Option<Content> {
        self.files.get(path).map(|(_, content)| *content)
    }
}

fn stamp(path: &Path) -> Stamp {
    Stamp(std::fs::metadata(path).ok().map(|meta| {
        let times = (meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec());
        (meta.dev(), meta.ino(), meta.len(), times.0, times.1, times.2, times.3)
    }))
}

fn content(path: &Path) -> Content {
    match hash(path) {
        Ok(Some(digest)) => Content::Sha256(digest),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Content::Missing,
        Ok(None) | Err(_) => Content::Unreadable,
    }
}

fn hash(path: &Path) -> io::Result<Option<[u8; 32]>> {
    // Opening a pipe would wait for its other end.
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path)?.take(CONFIG_BYTES_MAX as u64 + 1);
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let got = file.read(&mut buffer)?;
        if got == 0 {
            return Ok(Some(hasher.finalize().into()));
        }
        hasher.update(buffer.get(..got).unwrap_or_default());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn contents_are_compared_and_a_missing_file_is_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let files = ["a", "b"].map(|name| dir.path().join(name));
        for file in &files {
            fs::write(file, "1").unwrap();
        }
        let before = Snapshot::take(&files);
        assert!(before.same_stamps());
        fs::write(&files[0], "1").unwrap();
        assert!(Snapshot::take(&files).same_contents(&before));
        fs::remove_file(&files[0]).unwrap();
        let missing = Snapshot::take(&files);
        assert!(!before.same_stamps() && !missing.same_contents(&before));
        assert_eq!(missing.only_missing(&before), Some(files[0].as_path()));
        fs::write(&files[1], "2").unwrap();
        assert_eq!(Snapshot::take(&files).only_missing(&before), None);
        assert!(Snapshot::take(&files[1..]).differs(&before));
        assert!(!Snapshot::take(&files[..0]).differs(&before));
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let dir = tempfile::tempdir().unwrap();
        let snapshot = Snapshot::take([&dir.path().to_path_buf()]);
        assert_eq!(snapshot.content(dir.path()), Some(Content::Unreadable));
    }
}
