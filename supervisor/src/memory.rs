//! Memory for the service, by the machine and its control groups.

use std::fs;

/// Memory of one of so many workers: its share of four fifths, in bytes. The rest is for the supervisor, the kernel's
/// own buffers for sockets, and what else runs.
pub fn share(workers: usize) -> Option<u64> {
    let all = limit().or_else(machine)?;
    Some(all / 5 * 4 / (workers.max(1) as u64))
}

/// Memory of the machine, in bytes.
fn machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The least of the limits that the control groups of this process set, in bytes.
pub fn limit() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let files = groups.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        match controllers {
            "" => Some(("/sys/fs/cgroup", path, "memory.max")),
            "memory" => Some(("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes")),
            _ => None,
        }
    });
    // Inside a container the group's own path may not be visible; its root is then the group.
    let read = |(root, path, file): (&str, &str, &str)| {
        let own = fs::read_to_string(format!("{root}{path}/{file}"));
        let text = own.or_else(|_| fs::read_to_string(format!("{root}/{file}"))).ok()?;
        text.trim().parse::<u64>().ok()
    };
    // The older interface says "no limit" by a number near the largest.
    files.filter_map(read).filter(|limit| *limit < 1 << 60).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_what_there_is() {
        let one = share(1).unwrap_or_default();
        assert!(one > 64 << 20, "this machine has memory: {one}");
        assert!(share(4).is_some_and(|quarter| quarter * 4 <= one && quarter * 5 > one));
        assert!(machine().is_some_and(|all| one < all));
    }
}
