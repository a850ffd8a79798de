//! Which replica orders certificates: those that share a `data_dir` would otherwise order the same ones. A lock elects
//! one; the others hold another lock together, by which the elected one knows that there are others. It knows files,
//! nothing of what is elected for.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use crate::disk::StoreError;
use crate::disk::files::open_lock;

/// Held by whoever is elected; the system lets it go when the process ends.
#[derive(Debug)]
pub(super) struct Elected {
    _lock: File,
}

/// Tries to be elected. `None` when another process is.
pub(super) fn elect(path: &Path) -> Result<Option<Elected>, StoreError> {
    Ok(take(path, File::try_lock)?.map(|lock| Elected { _lock: lock }))
}

/// Held by each replica that is not elected.
#[derive(Debug)]
pub(super) struct Present {
    _lock: File,
}

/// Says that this replica is there. `None` while the elected one looks: try again in a moment.
pub(super) fn appear(path: &Path) -> Result<Option<Present>, StoreError> {
    Ok(take(path, File::try_lock_shared)?.map(|lock| Present { _lock: lock }))
}

/// Locks the file at `path`; `None` while another process holds it otherwise.
fn take(
    path: &Path,
    lock: impl FnOnce(&File) -> Result<(), TryLockError>,
) -> Result<Option<File>, StoreError> {
    let file = open_lock(path)?;
    match lock(&file) {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => {
            Err(StoreError { act: "cannot lock", path: path.to_owned(), source })
        }
    }
}

/// True if other replicas are there. An unknown answer counts as yes.
pub(super) fn has_others(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => file.try_lock().is_err(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
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
        let error = elect(&folder.path().join("file/lock")).unwrap_err().to_string();
        assert!(error.contains("file") && error.contains("move it away"), "{error}");
    }

    #[test]
    fn the_elected_one_knows_whether_it_is_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("acme/replicas");
        assert!(!has_others(&path));
        let (second, third) = (appear(&path).unwrap().unwrap(), appear(&path).unwrap().unwrap());
        assert!(has_others(&path));
        drop(second);
        assert!(has_others(&path));
        drop(third);
        assert!(!has_others(&path));
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(has_others(&folder.path().join("file/replicas")));
    }
}
