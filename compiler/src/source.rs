//! The only module that touches files: the configuration itself, the contracts that it names, and the directory that it
//! wants to write to. It must not know what is in them.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use waf_shared::limits::CONFIG_BYTES_MAX;

/// A fault of a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    /// Opening or reading failed.
    #[error("cannot be read: {0}")]
    Read(#[source] std::io::Error),
    /// Longer than any configuration.
    #[error("is larger than {CONFIG_BYTES_MAX} bytes")]
    TooLarge,
    /// Not text.
    #[error("is not UTF-8: line {0} holds a byte that begins no character; save the file as UTF-8")]
    NotUtf8(u32),
}

/// Reads a file as text.
pub(crate) fn read_text(path: &Path) -> Result<String, SourceError> {
    let file = File::open(path).map_err(SourceError::Read)?;
    text_of(file)
}

/// Reads a stream as text.
pub(crate) fn text_of(stream: impl Read) -> Result<String, SourceError> {
    let mut bytes = Vec::new();
    stream.take(CONFIG_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(SourceError::Read)?;
    if bytes.len() > CONFIG_BYTES_MAX {
        return Err(SourceError::TooLarge);
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = good.split(|byte| *byte == b'\n').count();
        SourceError::NotUtf8(u32::try_from(line).unwrap_or(u32::MAX))
    })
}

/// The directory that relative paths of the configuration at `path` start from.
pub(crate) fn base_dir(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// `path`, taken from `base`, as an absolute one; symbolic links stay, so that a watcher sees them swapped.
pub(crate) fn absolute(base: &Path, path: &str) -> PathBuf {
    let joined = base.join(path);
    std::path::absolute(&joined).unwrap_or(joined)
}

/// Tries whether files can be made in `directory`, or it could be made: in the nearest directory that exists. Nothing
/// is left behind. The error is for people: the fault, and the right that is missing.
pub(crate) fn check_writable(directory: &Path) -> Result<(), String> {
    let wanted = std::path::absolute(directory).map_err(|error| error.to_string())?;
    for ancestor in wanted.ancestors() {
        match std::fs::metadata(ancestor) {
            Ok(found) if !found.is_dir() => {
                return Err(std::io::Error::from(std::io::ErrorKind::NotADirectory).to_string());
            }
            Ok(_) => return try_file(ancestor).map_err(|error| missing_right(&error, ancestor, &wanted)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(missing_right(&error, ancestor, &wanted)),
        }
    }
    Err(std::io::Error::from(std::io::ErrorKind::NotFound).to_string())
}

/// The fault, and for a missing right whose it is.
fn missing_right(error: &std::io::Error, tried: &Path, wanted: &Path) -> String {
    if error.kind() != std::io::ErrorKind::PermissionDenied {
        return error.to_string();
    }
    let user =
        std::fs::metadata("/proc/self").map_or("this user".to_owned(), |own| format!("user {}", own.uid()));
    let tried = tried.display();
    let way = if tried.to_string() == wanted.display().to_string() {
        format!("{user} needs the right to create files in {tried}")
    } else {
        format!(
            "{user} needs the right to create it in {tried}, or a directory that is made beforehand and belongs to {user}"
        )
    };
    format!("{error}; {way}")
}

fn try_file(directory: &Path) -> std::io::Result<()> {
    let probe = directory.join(format!(".waf-writable-{}", std::process::id()));
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&probe);
    match made {
        Ok(file) => {
            drop(file);
            std::fs::remove_file(&probe)
        }
        // Another check of this process is at it: it could make the file.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing temporary directory fails the test")]
mod tests {
    use super::*;

    #[test]
    fn creatable_counts_as_writable_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert!(check_writable(&dir.path().join("a/b")).is_ok());
        assert!(check_writable(dir.path()).is_ok());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let file = dir.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert!(check_writable(&file).is_err() && check_writable(&file.join("below")).is_err());
    }

    #[test]
    fn a_missing_right_names_the_user_and_the_directory() {
        let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        let (data, waf) = (Path::new("/data"), Path::new("/data/waf"));
        let user = format!("user {}", std::fs::metadata("/proc/self").unwrap().uid());
        let own = missing_right(&denied, waf, waf);
        assert!(own.ends_with(&format!("; {user} needs the right to create files in /data/waf")), "{own}");
        let parent = missing_right(&denied, data, waf);
        assert!(
            parent.contains(&format!("{user} needs the right to create it in /data, or a directory")),
            "{parent}"
        );
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(!missing_right(&full, data, waf).contains("right"));
    }

    #[test]
    fn files_that_are_no_text() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("waf.yaml");
        std::fs::write(&file, b"a: 1\nb: \xff").unwrap();
        assert!(matches!(read_text(&file), Err(SourceError::NotUtf8(2))));
        assert!(matches!(read_text(dir.path()), Err(SourceError::Read(_))));
        let long = std::io::repeat(b'a');
        assert!(matches!(text_of(long), Err(SourceError::TooLarge)));
    }
}
