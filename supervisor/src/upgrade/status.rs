//! Status of a supervisor's upgrades: a small memory file that whoever may look into the process can read under
//! `/proc`, also after its end. It makes a supervisor known as one, too. It knows a file, nothing of upgrades.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{pread, pwrite};
use serde::{Deserialize, Serialize};
use tracing::warn;

/// As `/proc` shows it.
const NAME: &str = "waf-upgrade";

/// Beginning of a link under `/proc/<pid>/fd` to it.
const LINK: &str = "/memfd:waf-upgrade";

/// Bytes of the file, always: what is shorter is filled up, so that one write replaces it all.
const BYTES: usize = 4096;

/// Bytes of a reason; with every character escaped it still has room.
const REASON_BYTES_MAX: usize = 512;

/// Mode bits of a link under `/proc/<pid>/fd` to a descriptor that is open for writing.
const WRITES: u32 = 0o200;

/// Descriptors of a process that are looked at.
const DESCRIPTORS_LOOKED_AT_MAX: usize = 65_536;

/// Content of the status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpgradeReport {
    /// Phase of the process.
    pub phase: Phase,
    /// Upgrades that were asked for, refused ones too.
    pub asked: u64,
    /// Reason why the last one came to nothing.
    pub why: Option<String>,
    /// The process that serves instead.
    pub successor: Option<u32>,
}

/// Phase of a supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// An older one is in charge, or none yet.
    Starting,
    /// In charge.
    Serving,
    /// In charge, while a successor gets ready.
    Upgrading,
    /// A successor is in charge; what is in flight is finished here.
    Replaced,
    /// The service ends.
    Stopping,
}

/// The file, and its content.
#[derive(Debug)]
pub struct UpgradeStatus {
    file: Option<OwnedFd>,
    report: UpgradeReport,
}

impl UpgradeStatus {
    /// An empty one. Without memory for it upgrades go on all the same, and nobody can see how.
    pub fn create() -> UpgradeStatus {
        let file = memfd_create(NAME, MemfdFlags::CLOEXEC)
            .inspect_err(
                |errno| warn!(error = %io::Error::from(*errno), "`waf upgrade` cannot find this process"),
            )
            .ok();
        let report = UpgradeReport { phase: Phase::Starting, asked: 0, why: None, successor: None };
        let mut status = UpgradeStatus { file, report };
        status.change(|_| {});
        status
    }

    /// Posts something else.
    pub fn change(&mut self, change: impl FnOnce(&mut UpgradeReport)) {
        change(&mut self.report);
        if let Some(why) = &mut self.report.why {
            why.truncate(why.floor_char_boundary(REASON_BYTES_MAX));
        }
        let Some(file) = &self.file else { return };
        let mut text = serde_json::to_vec(&self.report).unwrap_or_default();
        text.resize(BYTES, b' ');
        // Memory that was written once can be written again.
        let _ = pwrite(file, &text, 0);
    }

    /// The content.
    pub fn report(&self) -> &UpgradeReport {
        &self.report
    }
}

/// The status of another process, found and open: it can be read when the process is gone.
#[derive(Debug)]
pub struct ObservedStatus(File);

impl ObservedStatus {
    /// Looks through the descriptors of a process. `None` when it has no status of its own: it is no supervisor. A
    /// process that only reads the status of another one, as this one does, has no descriptor of it that is open for
    /// writing.
    pub fn of(process: &Path) -> io::Result<Option<ObservedStatus>> {
        for entry in std::fs::read_dir(process.join("fd"))?.take(DESCRIPTORS_LOOKED_AT_MAX) {
            let link = entry?.path();
            let is_status = std::fs::read_link(&link)
                .is_ok_and(|target| target.as_os_str().to_string_lossy().starts_with(LINK));
            let writes = || link.symlink_metadata().is_ok_and(|link| link.mode() & WRITES != 0);
            if is_status && writes() {
                return File::open(&link).map(|file| Some(ObservedStatus(file)));
            }
        }
        Ok(None)
    }

    /// The content; `None` while it is being written.
    pub fn read(&self) -> Option<UpgradeReport> {
        let mut text = [0; BYTES];
        let read = pread(&self.0, &mut text, 0).ok()?;
        serde_json::from_slice(text.get(..read)?).ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a failing test may panic
mod tests {
    use super::*;

    /// A process other than this one, whose threads may have boards of their own.
    fn other(program: &str, status: std::process::Stdio) -> std::process::Child {
        let mut command = std::process::Command::new(program);
        command.stdin(std::process::Stdio::piped()).stdout(status).spawn().unwrap()
    }

    #[test]
    fn a_process_that_only_reads_a_status_is_not_a_supervisor() {
        let status = UpgradeStatus::create();
        let owner = status.file.as_ref().unwrap();
        let by_path = |write: bool| {
            let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(owner));
            std::fs::OpenOptions::new().read(true).write(write).open(path).unwrap()
        };
        for (file, is_supervisor) in
            [(by_path(false), false), (by_path(true), true), (File::from(owner.try_clone().unwrap()), true)]
        {
            let mut child = other("cat", file.into());
            let found = ObservedStatus::of(Path::new(&format!("/proc/{}", child.id()))).unwrap();
            assert_eq!(found.is_some(), is_supervisor);
            drop(child.stdin.take());
            child.wait().unwrap();
        }
    }

    #[test]
    fn what_is_posted_is_found_through_the_process() {
        let own = Path::new("/proc/self");
        let mut status = UpgradeStatus::create();
        let found = ObservedStatus::of(own).unwrap().unwrap();
        assert_eq!(found.read().as_ref(), Some(status.report()));
        status.change(|report| {
            report.phase = Phase::Serving;
            report.why = Some("\u{1}".repeat(10_000));
        });
        let read = found.read().unwrap();
        assert_eq!((read.phase, read.why.unwrap().len()), (Phase::Serving, REASON_BYTES_MAX));
        drop(status);
        assert!(found.read().is_some(), "it outlives its process");
    }
}
