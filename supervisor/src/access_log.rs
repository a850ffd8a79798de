//! The file of the access log: opened here, because confined workers open none, and handed to each of them. It knows files
//! and descriptors, nothing of what is written.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;
/// Rights of a file that is made: what the owner's group may read is for those who ship logs.
const MODE: u32 = 0o640;

/// Destination of the access log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AccessLog {
    /// No access log.
    #[default]
    None,
    /// Beside the log of the service.
    Stderr,
    /// Appended to this file.
    File(PathBuf),
}

/// The reason why there is no access log.
#[derive(Debug, thiserror::Error)]
pub enum AccessLogError {
    /// The file cannot be opened.
    #[error("the log `{0}` cannot be opened: {1}")]
    Open(PathBuf, #[source] io::Error),
    /// It is something else than a file.
    #[error("the log `{0}` is not a file")]
    NotAFile(PathBuf),
    /// It is where audit events go.
    #[error("the log `{0}` is standard output, which carries audit events alone")]
    Stdout(PathBuf),
    /// Standard error cannot be had.
    #[error("standard error cannot be used for a log: {0}")]
    Stderr(#[source] io::Error),
}

impl AccessLog {
    /// As the command line writes it.
    pub fn parse(text: &str) -> Result<AccessLog, String> {
        match text {
            "none" => Ok(AccessLog::None),
            "stderr" => Ok(AccessLog::Stderr),
            "" | "-" | "stdout" => Err("not `none`, `stderr` or a file".to_owned()),
            file => Ok(AccessLog::File(PathBuf::from(file))),
        }
    }

    /// A descriptor that lines are written to; none while there is no log. A file is opened anew each time, so that one
    /// that was moved away is left.
    pub fn open(&self) -> Result<Option<OwnedFd>, AccessLogError> {
        match self {
            AccessLog::None => Ok(None),
            AccessLog::Stderr => {
                io::stderr().as_fd().try_clone_to_owned().map(Some).map_err(AccessLogError::Stderr)
            }
            AccessLog::File(path) => append(path).map(Some),
        }
    }
}

fn append(path: &Path) -> Result<OwnedFd, AccessLogError> {
    let failed = |error| AccessLogError::Open(path.to_owned(), error);
    let opened = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(MODE)
        // A pipe that nobody reads must not hold up the start.
        .custom_flags(OFlag::O_NONBLOCK.bits() | OFlag::O_NOCTTY.bits())
        .open(path);
    let file = opened.map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    let kind = about.file_type();
    if !kind.is_file() && !kind.is_char_device() {
        return Err(AccessLogError::NotAFile(path.to_owned()));
    }
    if kind.is_file() && is_stdout(&about) {
        return Err(AccessLogError::Stdout(path.to_owned()));
    }
    Ok(file.into())
}

fn is_stdout(about: &Metadata) -> bool {
    let stdout = io::stdout().as_fd().try_clone_to_owned().map(File::from);
    let stdout = stdout.and_then(|file| file.metadata());
    stdout.is_ok_and(|stdout| (stdout.dev(), stdout.ino()) == (about.dev(), about.ino()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn destinations_are_words_or_files() {
        for (text, expected) in [
            ("none", Some(AccessLog::None)),
            ("stderr", Some(AccessLog::Stderr)),
            ("/var/log/waf/access.log", Some(AccessLog::File("/var/log/waf/access.log".into()))),
            ("./none", Some(AccessLog::File("./none".into()))),
            ("stdout", None),
            ("-", None),
            ("", None),
        ] {
            assert_eq!(AccessLog::parse(text).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_file_is_appended_to_and_opened_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("access.log");
        std::fs::write(&path, "before\n").unwrap();
        let log = AccessLog::File(path.clone());
        let write = |text: &str| File::from(log.open().unwrap().unwrap()).write_all(text.as_bytes()).unwrap();
        write("one\n");
        std::fs::rename(&path, folder.path().join("access.log.1")).unwrap();
        write("two\n");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two\n");
        assert_eq!(std::fs::read_to_string(folder.path().join("access.log.1")).unwrap(), "before\none\n");
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o137, 0, "others may not read it");
    }

    #[test]
    fn what_is_no_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        for path in [folder.path().to_owned(), pipe, folder.path().join("none/access.log")] {
            let error = AccessLog::File(path.clone()).open().unwrap_err().to_string();
            assert!(error.contains(&*path.to_string_lossy()), "{error}");
        }
        assert!(AccessLog::None.open().unwrap().is_none());
    }
}
