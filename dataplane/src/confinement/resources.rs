//! Resources that a worker may take: no core file, which would hold keys and requests; no more open files than it was
//! given; and the first place in line when the system runs out of memory, so that the supervisor survives.
//!
//! Three limits are not set, for a reason each. The number of processes counts everything that runs as the same user,
//! so that another service could keep a worker from starting threads; the filter of system calls forbids new
//! processes. The size of files would hold for a log that stderr leads to. Address space is not memory: the tables of
//! rate limits reserve much and touch little.

use std::fs;
use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::error::ConfinementError;

/// File in which a process sets how readily it is killed when memory is short, from -1000 to 1000.
const OOM_SCORE: &str = "/proc/self/oom_score_adj";

/// Points that a worker adds to the score that it inherits: a fifth of all memory counts as used by it on top of what
/// is.
const OOM_STEP: i32 = 200;

const OOM_SCORE_MAX: i32 = 1000;

/// Makes this process more likely to be killed than the one that started it.
pub fn be_killed_first(lacking: &mut Vec<&'static str>) {
    if raise_score().is_err() {
        lacking.push("/proc/self/oom_score_adj (the supervisor may be killed first when memory is short)");
    }
}

fn raise_score() -> io::Result<()> {
    let inherited: i32 =
        fs::read_to_string(OOM_SCORE)?.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
    let raised = inherited.saturating_add(OOM_STEP).min(OOM_SCORE_MAX);
    fs::write(OOM_SCORE, raised.to_string())
}

/// Sets the limits and returns how many files may be open at once.
pub fn limit() -> Result<u64, ConfinementError> {
    let set = |what, resource, value| {
        setrlimit(resource, value, value)
            .map_err(|source| ConfinementError::Limit { what, source: source.into() })
    };
    set("core files", Resource::RLIMIT_CORE, 0)?;
    set("locked memory", Resource::RLIMIT_MEMLOCK, 0)?;
    let (files, _) = getrlimit(Resource::RLIMIT_NOFILE)
        .map_err(|source| ConfinementError::Limit { what: "open files", source: source.into() })?;
    set("open files", Resource::RLIMIT_NOFILE, files)?;
    Ok(files)
}
