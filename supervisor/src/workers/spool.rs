//! Files for bodies that wait on disk: made here, because a confined worker opens none, and handed over without a name.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use tokio::sync::{mpsc, watch};
use tracing::debug;
use waf_shared::control::{ToWorker, encode};
use waf_shared::limits::REASON_BYTES_MAX;

use super::{FdPayload, Outgoing};

/// Answers a worker's questions one after the other: a disk that hangs takes one thread for each worker, and the worker
/// does not wait for ever.
pub(super) async fn give(
    mut asked: mpsc::Receiver<u64>,
    folder: watch::Receiver<PathBuf>,
    outgoing: mpsc::Sender<Outgoing>,
) {
    while let Some(ticket) = asked.recv().await {
        let folder = folder.borrow().clone();
        let made = tokio::task::spawn_blocking(move || unnamed(&folder)).await;
        let (file, refused) = match made.map_err(io::Error::other).flatten() {
            Ok(file) => (Some(file.into()), None),
            Err(error) => {
                debug!(%error, "no file for a body can be made");
                let mut text = error.to_string();
                text.truncate(text.floor_char_boundary(REASON_BYTES_MAX));
                (None, Some(text))
            }
        };
        let payload = FdPayload { file, ..FdPayload::default() };
        // A message of this size can always be written.
        let Ok(frame) = encode(&ToWorker::Spool { ticket, refused }, payload.descriptors()) else { continue };
        if outgoing.send(Outgoing { frame: frame.into(), payload }).await.is_err() {
            return;
        }
    }
}

/// A file that vanishes with its last descriptor: in `folder`, which is made when needed, else in the system's folder
/// for temporary files.
fn unnamed(folder: &Path) -> io::Result<File> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.and_then(|()| tempfile::tempfile_in(folder)).or_else(|_| tempfile::tempfile_in(std::env::temp_dir()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_and_no_name_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("data/spool");
        unnamed(&spool).unwrap().set_len(100).unwrap();
        assert_eq!(std::fs::read_dir(&spool).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_replaced() {
        unnamed(Path::new("/dev/null/spool")).unwrap();
    }
}
