//! The lock that elects one replica to order certificates: those that share a `data_dir` would otherwise order the same
//! ones and answer each other's challenges. It knows a file, nothing of what is elected for.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Held by whoever is elected; the system lets it go when the process ends.
#[derive(Debug)]
pub(super) struct Elected {
    _lock: File,
}

/// Tries to be elected. `None` when another process is.
pub(super) fn elect(path: &Path) -> io::Result<Option<Elected>> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Elected { _lock: file })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn one_is_elected_and_the_next_one_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("acme/lock");
        let first = elect(&path).unwrap().unwrap();
        assert!(elect(&path).unwrap().is_none());
        drop(first);
        assert!(elect(&path).unwrap().is_some());
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(elect(&folder.path().join("file/lock")).is_err());
    }
}
