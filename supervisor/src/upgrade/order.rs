//! `waf upgrade`: finds the running supervisor, asks it to upgrade, and says how it went. It looks at processes from outside,
//! through `/proc` and a descriptor of the process, so that it can never signal another one that got the same number.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, geteuid, pidfd_open, pidfd_send_signal};

use super::status::{ObservedStatus, Phase, UpgradeReport};

/// Between two looks at the status.
const LOOK: Duration = Duration::from_millis(20);

/// For a supervisor to take notice of a signal.
const NOTICE: Duration = Duration::from_secs(10);

/// Beyond the time that the new program gets; how long that is, the supervisor knows.
const OUTCOME: Duration = Duration::from_hours(1);

/// A fault that keeps an upgrade from happening.
#[derive(Debug, thiserror::Error)]
pub enum OrderError {
    /// `/proc` cannot be read.
    #[error("processes cannot be looked at in /proc: {0}")]
    Proc(#[source] io::Error),
    /// Nothing to upgrade.
    #[error("no running waf was found that this user may upgrade: name it with --pid, or run this as root")]
    Nobody,
    /// More than one.
    #[error("more than one waf runs: name one with --pid\n{0}")]
    Several(String),
    /// The named process is none.
    #[error("process {0} is no running waf")]
    NotOne(i32),
    /// The named process may not be looked into.
    #[error("process {pid} cannot be looked into: {source}. Run this as its user or as root")]
    Hidden {
        /// Which one.
        pid: i32,
        /// Error of the system.
        source: io::Error,
    },
    /// It cannot be asked.
    #[error("process {pid} cannot be signalled: {source}")]
    Signal {
        /// Which one.
        pid: i32,
        /// Error of the system.
        source: io::Error,
    },
    /// It is in no state for it.
    #[error("process {0} {1}")]
    Busy(i32, &'static str),
    /// It did not take notice.
    #[error("process {0} took no notice of the signal within {n} s", n = NOTICE.as_secs())]
    Deaf(i32),
    /// It ended, and no new one serves.
    #[error("process {0} ended, and no new one took over: its log says why")]
    Ended(i32),
    /// The new program came to nothing.
    #[error("not upgraded, process {pid} serves on: {why}. Its log says more")]
    Failed {
        /// The old process.
        pid: i32,
        /// Its status.
        why: String,
    },
}

/// A supervisor of this machine.
struct Supervisor {
    pid: i32,
    status: ObservedStatus,
    report: UpgradeReport,
}

/// Upgrades the supervisor `pid`, or the only one. Returns the old process and the one that serves now.
pub fn upgrade(pid: Option<i32>) -> Result<(i32, u32), OrderError> {
    let pid = match pid {
        Some(pid) => pid,
        None => the_only_one()?,
    };
    let process = Pid::from_raw(pid).filter(|_| pid > 0).ok_or(OrderError::NotOne(pid))?;
    // From here on the number stands for this process and no other.
    let held = pidfd_open(process, PidfdFlags::empty()).map_err(|_| OrderError::NotOne(pid))?;
    let Supervisor { status, report: before, .. } = look(pid)?.ok_or(OrderError::NotOne(pid))?;
    match before.phase {
        Phase::Serving => {}
        Phase::Starting => return Err(OrderError::Busy(pid, "is itself still starting")),
        Phase::Upgrading => return Err(OrderError::Busy(pid, "is being upgraded already")),
        Phase::Replaced => return Err(OrderError::Busy(pid, "has handed over to another process and ends")),
        Phase::Stopping => return Err(OrderError::Busy(pid, "is ending")),
    }
    pidfd_send_signal(&held, Signal::USR2)
        .map_err(|errno| OrderError::Signal { pid, source: errno.into() })?;
    outcome(pid, &held, &status, before.asked)
}

fn outcome(pid: i32, held: &OwnedFd, status: &ObservedStatus, asked: u64) -> Result<(i32, u32), OrderError> {
    let began = Instant::now();
    loop {
        let has_ended = ended(held, LOOK);
        let report = status.read();
        match report {
            Some(UpgradeReport { phase: Phase::Replaced, successor: Some(successor), .. }) => {
                return Ok((pid, successor));
            }
            _ if has_ended => return Err(OrderError::Ended(pid)),
            Some(report) if report.asked > asked && report.phase != Phase::Upgrading => {
                let why = report.why.unwrap_or_else(|| "it is ending".to_owned());
                return Err(OrderError::Failed { pid, why });
            }
            Some(report) if report.asked == asked && began.elapsed() > NOTICE => {
                return Err(OrderError::Deaf(pid));
            }
            _ if began.elapsed() > OUTCOME => return Err(OrderError::Deaf(pid)),
            _ => {}
        }
    }
}

/// Waits for the end of a process, for a while.
fn ended(process: &OwnedFd, time: Duration) -> bool {
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
    poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&time)).is_ok_and(|ready| ready > 0)
}

/// The one supervisor in charge that this user may look into; those that finish after an upgrade do not count.
fn the_only_one() -> Result<i32, OrderError> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").map_err(OrderError::Proc)? {
        let pid = entry.ok().and_then(|entry| entry.file_name().to_str()?.parse().ok());
        // What ends meanwhile and what belongs to others is passed over.
        if let Some(Ok(Some(supervisor))) = pid.filter(|pid| is_within_reach(*pid)).map(look) {
            found.push(supervisor);
        }
    }
    found.retain(|supervisor| !matches!(supervisor.report.phase, Phase::Replaced | Phase::Stopping));
    if found.len() > 1 {
        // One that is just being started by another belongs to it.
        found.retain(|supervisor| supervisor.report.phase != Phase::Starting);
    }
    match found.as_slice() {
        [] => Err(OrderError::Nobody),
        [one] => Ok(one.pid),
        several => {
            let lines: Vec<String> = several.iter().map(|one| described(one.pid)).collect();
            Err(OrderError::Several(lines.join("\n")))
        }
    }
}

/// Root sees everybody's, others their own.
fn is_within_reach(pid: i32) -> bool {
    let user = geteuid();
    user.is_root() || fs::metadata(process(pid)).is_ok_and(|process| process.uid() == user.as_raw())
}

fn look(pid: i32) -> Result<Option<Supervisor>, OrderError> {
    let status = match ObservedStatus::of(&process(pid)) {
        Ok(status) => status,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(OrderError::Hidden { pid, source }),
    };
    let Some(status) = status else { return Ok(None) };
    // It may be caught while it is being written.
    let report = (0..10).find_map(|_| {
        status.read().or_else(|| {
            std::thread::sleep(LOOK);
            None
        })
    });
    Ok(report.map(|report| Supervisor { pid, status, report }))
}

fn process(pid: i32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

/// A process as a person knows it again.
fn described(pid: i32) -> String {
    let line = fs::read(process(pid).join("cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    let line: String = line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(200).collect();
    let user =
        fs::metadata(process(pid)).map_or_else(|_| "?".to_owned(), |process| process.uid().to_string());
    format!("  {pid} (user {user}): {}", line.trim())
}
