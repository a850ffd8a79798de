//! Confinement of a worker before it serves: rights, files, system calls, resources. It is applied once, by the first
//! thread of a process, while there is no other. It knows processes and the kernel, nothing of requests.
//!
//! A measure that the kernel lacks is left out and logged; any other failure is an error, and the worker does not
//! start.

pub mod calls;
pub mod descriptors;
mod error;
pub mod files;
pub mod identity;
pub mod resources;

use std::fmt;
use std::path::PathBuf;

pub use error::ConfinementError;
use identity::User;

/// Measures that are in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    /// Who the worker is.
    pub user: User,
    /// The version of Landlock's interface that is used; none where the kernel has no Landlock.
    pub landlock_abi: Option<u32>,
    /// Number of system calls that are allowed; none where the kernel has no seccomp filters.
    pub calls: Option<usize>,
    /// Open files at once.
    pub files_max: u64,
    /// Measures that this kernel, or this container, does not support.
    pub lacking: Vec<&'static str>,
}

impl fmt::Display for InForce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user, landlock_abi, calls, files_max, lacking } = self;
        write!(f, "confined: user={user} capabilities=none no_new_privs dumpable=no nofile={files_max}")?;
        match landlock_abi {
            Some(abi) => write!(f, " landlock_abi={abi}")?,
            None => f.write_str(" landlock=none")?,
        }
        match calls {
            Some(calls) => write!(f, " seccomp={calls} calls allowed")?,
            None => f.write_str(" seccomp=none")?,
        }
        if !lacking.is_empty() {
            write!(f, " lacking={}", lacking.join(", "))?;
        }
        Ok(())
    }
}

/// Confines the calling thread and all that it starts. `become_user` is who a process that was started as root goes on
/// as; without one it stays who it is. `anchors` are files and folders of trust anchors beside the system's.
pub fn apply(become_user: Option<User>, anchors: &[PathBuf]) -> Result<InForce, ConfinementError> {
    let mut lacking = Vec::new();
    // What a library reads of its own process once has to be read while it can be.
    let _ = rustix::param::page_size();
    // Raising one's own likelihood of being killed needs no right, but the file belongs to whom the process was.
    resources::be_killed_first(&mut lacking);
    let files_max = resources::limit()?;
    identity::give_up_rights(become_user)?;
    let landlock_abi = files::restrict(&files::needed(anchors))?;
    if landlock_abi.is_none() {
        lacking.push("Landlock (files and ports stay open to the worker as to its user)");
    } else if landlock_abi < Some(files::ABI_WANTED) {
        lacking.push("newer versions of Landlock");
    }
    let calls = calls::restrict()?;
    if calls.is_none() {
        lacking.push("seccomp filters (every system call stays open to the worker)");
    }
    Ok(InForce { user: identity::current(), landlock_abi, calls, files_max, lacking })
}
