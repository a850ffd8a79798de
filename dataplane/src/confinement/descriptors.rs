//! Descriptors that a worker inherits. Three are meant for it: the control socket, the audit stream and the log; all
//! others come over the control socket later. What somebody else left open above them, such as a file that a shell or
//! a service manager opened for the supervisor, is closed.

use std::fs;
use std::io;

use nix::sys::resource::{Resource, getrlimit};

/// The first descriptor that is not meant for a worker.
const FIRST: i32 = 3;

/// Folder in which a process sees its own descriptors.
const OWN: &str = "/proc/self/fd";

/// Descriptors that are tried one by one where the system does not list them.
const TRIED_MAX: i32 = 1 << 20;

/// Closes every descriptor above the standard ones. To be called before this process opens any itself.
pub fn close_inherited() {
    let open = listed().unwrap_or_else(|_| (FIRST..tried_max()).collect());
    for descriptor in open.into_iter().filter(|descriptor| *descriptor >= FIRST) {
        // The one that the list was read by is closed already.
        let _ = nix::unistd::close(descriptor);
    }
}

fn listed() -> io::Result<Vec<i32>> {
    let mut open = Vec::new();
    for entry in fs::read_dir(OWN)? {
        open.extend(entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()));
    }
    Ok(open)
}

fn tried_max() -> i32 {
    let soft = getrlimit(Resource::RLIMIT_NOFILE).map_or(1024, |(soft, _)| soft);
    i32::try_from(soft).unwrap_or(TRIED_MAX).min(TRIED_MAX)
}
