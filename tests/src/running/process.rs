//! Processes as the system shows them.

use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

/// Live children of a process.
pub fn children(parent: i32) -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut children: Vec<i32> =
        pids.filter(|pid| state(*pid).is_some_and(|(s, p)| p == parent && s != 'Z')).collect();
    children.sort_unstable();
    children
}

/// True if a process runs and is no zombie.
pub fn is_alive(pid: i32) -> bool {
    state(pid).is_some_and(|(state, _)| state != 'Z')
}

/// Resident memory.
pub fn resident_kib(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}

/// Processor time of a process so far, its own and the kernel's for it, in steps of the system's clock (10 ms mostly).
pub fn processor_time(pid: i32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_ascii_whitespace();
    // The 14th and 15th of proc(5), of which the first two stand before the parenthesis.
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

/// Sends a signal; a process that is gone is fine.
pub fn kill(pid: i32, signal: Signal) {
    let _ = nix::sys::signal::kill(Pid::from_raw(pid), signal);
}

/// State letter and parent.
fn state(pid: i32) -> Option<(char, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, parentheses too.
    let mut rest = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    Some((rest.next()?.chars().next()?, rest.next()?.parse().ok()?))
}
