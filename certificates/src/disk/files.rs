//! Files that appear whole or not at all, and what to do when they cannot. It blocks, and knows no certificate.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{act} {}: {source}{}", path.display(), remedy(source))]
pub struct StoreError {
    /// The act that failed.
    pub act: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Error of the system.
    pub source: io::Error,
}

/// Remedy for an operator, as the end of a sentence; empty where there is none.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free space on the file system of data_dir, or put data_dir on a larger one"
        }
        io::ErrorKind::ReadOnlyFilesystem => "; mount the volume of data_dir writable",
        io::ErrorKind::PermissionDenied => "; give the user that the service runs as access to data_dir",
        io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory | io::ErrorKind::AlreadyExists => {
            "; something else lies there: move it away"
        }
        _ => "",
    }
}

/// The contents of a regular file; `None` when there is none.
pub(crate) fn read(path: &Path, bytes_max: usize) -> io::Result<Option<Vec<u8>>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // Opening a pipe would wait for its other end.
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(Some(bytes)) }
}

/// Writes beside, then renames: a reader, or a machine that loses power, finds the old contents or the new ones.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let failed = |act: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| StoreError { act, path, source }
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    // Only the replica that holds the lock writes: what lies there is of one that died.
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed("cannot write", &beside)(error));
        }
        _ => {}
    }
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path))
        .and_then(|()| File::open(folder)?.sync_all());
    written.map_err(|error| {
        // Nothing half written stays; the error names the file that was meant.
        let _ = fs::remove_file(&beside);
        failed("cannot write", path)(error)
    })
}

/// Renames a file out of the way. One earlier one of the same name goes.
pub(super) fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".broken");
    let aside = PathBuf::from(aside);
    match fs::rename(path, &aside) {
        Ok(()) => Ok(aside),
        Err(source) => Err(StoreError { act: "cannot set aside", path: path.to_owned(), source }),
    }
}

/// Makes a folder that its owner alone reads, and those above it.
fn make_folder(folder: &Path) -> Result<(), StoreError> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|source| StoreError {
        act: "cannot make the folder",
        path: folder.to_owned(),
        source,
    })
}

/// Opens a file for locks, made when there is none.
pub(crate) fn open_lock(path: &Path) -> Result<File, StoreError> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    let opened = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path);
    opened.map_err(|source| StoreError { act: "cannot open", path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_place_and_the_remedy() {
        for (number, remedy) in [
            (nix::errno::Errno::ENOSPC, "free space"),
            (nix::errno::Errno::EDQUOT, "free space"),
            (nix::errno::Errno::EROFS, "writable"),
            (nix::errno::Errno::EACCES, "access"),
            (nix::errno::Errno::ENOTDIR, "move it away"),
        ] {
            let error = StoreError {
                act: "cannot write",
                path: "/data/acme/a.pem".into(),
                source: io::Error::from_raw_os_error(number as i32),
            };
            let text = error.to_string();
            assert!(text.starts_with("cannot write /data/acme/a.pem: ") && text.contains(remedy), "{text}");
        }
    }
}
