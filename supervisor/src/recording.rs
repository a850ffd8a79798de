//! The folder of recorded requests: files are made here, because confined workers open none, and handed to each of them.
//! Old files are deleted, so that all of them together stay within their bound. It knows files and sizes, nothing of
//! what is written.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use nix::fcntl::OFlag;
use waf_shared::control::{Share, ToWorker};

/// Rights of a file: recordings hold what clients sent.
const MODE: u32 = 0o600;

/// Rights of a folder that is made.
const FOLDER_MODE: u32 = 0o700;

/// Parts of the bound: a worker fills one of them at a time.
const PARTS_PER_WORKER: u64 = 4;

/// Names that are tried for a file.
const NAMES_MAX: u32 = 1000;

/// Least size of a file.
const FILE_BYTES_MIN: u64 = 64 << 10;

/// Settings of recordings.
#[derive(Debug, Clone)]
pub struct Recording {
    folder: PathBuf,
    share: Share,
    /// Bytes of all files together.
    size: u64,
    /// Bytes of one file.
    file_bytes: u64,
    workers: u64,
}

/// The reason why nothing can be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The folder cannot be used.
    #[error("requests cannot be recorded in `{0}`: {1}")]
    Folder(PathBuf, #[source] io::Error),
    /// The bound is too small to be parted.
    #[error("--record-size is too small: {workers} workers need at least {needed} bytes")]
    Size {
        /// Their number.
        workers: u64,
        /// Least size.
        needed: u64,
    },
}

impl Recording {
    /// Settings for so many workers.
    pub fn new(folder: PathBuf, share: Share, size: u64, workers: usize) -> Recording {
        let workers = workers.max(1) as u64;
        Recording { folder, share, size, file_bytes: size / (PARTS_PER_WORKER * workers), workers }
    }

    /// Makes the folder and writes into it once, so that a fault is one of the start.
    pub fn prepare(self) -> Result<Recording, RecordingError> {
        if self.file_bytes < FILE_BYTES_MIN {
            let needed = FILE_BYTES_MIN * PARTS_PER_WORKER * self.workers;
            return Err(RecordingError::Size { workers: self.workers, needed });
        }
        let failed = |error| RecordingError::Folder(self.folder.clone(), error);
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&self.folder).map_err(failed)?;
        let (path, _) = self.create().map_err(failed)?;
        fs::remove_file(path).map_err(failed)?;
        Ok(self)
    }

    /// The message that goes with a file.
    pub fn message(&self) -> ToWorker {
        ToWorker::Record { share: self.share, bytes_max: self.file_bytes }
    }

    /// A fresh file, for which older ones may have been deleted.
    pub fn open(&self) -> io::Result<OwnedFd> {
        self.make_room()?;
        self.create().map(|(_, file)| file.into())
    }

    fn create(&self) -> io::Result<(PathBuf, File)> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
        for number in 0..NAMES_MAX {
            // Names sort as the files were made.
            let path = self.folder.join(format!("requests-{now:013}-{number:03}.jsonl"));
            let made = OpenOptions::new()
                .append(true)
                .create_new(true)
                .mode(MODE)
                .custom_flags(OFlag::O_NOFOLLOW.bits())
                .open(&path);
            match made {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Deletes the oldest files until the next one fits, and what workers still write fits too.
    fn make_room(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if is_ours(Path::new(&entry.file_name())) {
                files.push((entry.path(), entry.metadata()?.len()));
            }
        }
        files.sort();
        let allowed = self.size.saturating_sub(self.file_bytes.saturating_mul(self.workers));
        let mut sum: u64 = files.iter().map(|(_, bytes)| bytes).sum();
        for (path, bytes) in files {
            if sum <= allowed {
                break;
            }
            fs::remove_file(path)?;
            sum = sum.saturating_sub(bytes);
        }
        Ok(())
    }
}

/// True for the name of a recording, and for nothing else that lies in the folder.
fn is_ours(name: &Path) -> bool {
    let digits = name.to_str().and_then(|name| name.strip_prefix("requests-")?.strip_suffix(".jsonl"));
    let parts = digits.and_then(|digits| digits.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    parts.is_some_and(|(time, number)| is_number(time) && is_number(number))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    const SIZE: u64 = 1 << 20;

    fn recording(folder: &Path, workers: usize) -> Recording {
        Recording::new(folder.join("recorded"), Share(1_000), SIZE, workers).prepare().unwrap()
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let mut files: Vec<_> =
            fs::read_dir(folder.join("recorded")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    #[test]
    fn all_files_together_stay_within_the_bound() {
        let folder = tempfile::tempdir().unwrap();
        let recording = recording(folder.path(), 2);
        assert!(files(folder.path()).is_empty(), "what was written to try it is gone");
        let other = folder.path().join("recorded/notes.jsonl");
        fs::write(&other, vec![b'n'; 2 * SIZE as usize]).unwrap();
        for _ in 0..40 {
            let mut file = File::from(recording.open().unwrap());
            file.write_all(&vec![b'x'; recording.file_bytes as usize]).unwrap();
            let made: Vec<_> = files(folder.path()).into_iter().filter(|path| *path != other).collect();
            let sum: u64 = made.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
            assert!(sum <= SIZE && !made.is_empty(), "{sum}");
        }
        assert!(other.exists(), "what is not a recording stays");
        let made = files(folder.path()).into_iter().find(|path| *path != other).unwrap();
        assert_eq!(fs::metadata(made).unwrap().mode() & 0o777, MODE);
        assert_eq!(fs::metadata(folder.path().join("recorded")).unwrap().mode() & 0o777, FOLDER_MODE);
    }

    #[test]
    fn faults_are_those_of_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: PathBuf, size, workers| Recording::new(path, Share(1), size, workers).prepare();
        fs::write(folder.path().join("file"), "").unwrap();
        for path in ["file", "file/below"] {
            let error = at(folder.path().join(path), SIZE, 1).unwrap_err();
            assert!(matches!(error, RecordingError::Folder(..)), "{error}");
        }
        for (size, workers, fits) in [
            (SIZE, 4, true),
            (SIZE, 5, false),
            (0, 1, false),
            (256 << 10, 1, true),
            ((256 << 10) - 1, 1, false),
        ] {
            assert_eq!(at(folder.path().join("new"), size, workers).is_ok(), fits, "{size} {workers}");
        }
    }

    #[test]
    fn names_of_recordings_are_told_apart() {
        for (name, expected) in [
            ("requests-0000000000001-000.jsonl", true),
            ("requests-1-1.jsonl", true),
            ("requests-.jsonl", false),
            ("requests-1.jsonl", false),
            ("requests-1-a.jsonl", false),
            ("requests-1-1.jsonl.gz", false),
            ("requests-1-1-1.jsonl", false),
            ("notes.jsonl", false),
        ] {
            assert_eq!(is_ours(Path::new(name)), expected, "{name}");
        }
    }
}
