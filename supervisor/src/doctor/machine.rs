//! Checks of the kernel and the container: rights to drop, confinement, memory, cores, descriptors.

use nix::sys::resource::{Resource, getrlimit};
use rustix::system::uname;
use rustix::thread::{CapabilitySet, capabilities};
use waf_dataplane::confinement::identity::User;
use waf_dataplane::confinement::{calls, files};

use super::row::Row;
use crate::cli::{self, Process};
use crate::crashes::Memory;
use crate::memory;
use crate::user;

/// Descriptors below which a worker serves few connections: it takes one or two for each.
const DESCRIPTORS_ENOUGH: u64 = 4_096;

/// Megabytes that a worker needs with room for requests: it takes some 60 before the first one.
const WORKER_MEGABYTES: u64 = 128;

const MEGABYTE: u64 = 1 << 20;

pub(super) fn rows(process: &Process) -> Vec<Row> {
    let mut rows = vec![kernel()];
    rows.extend(users(process.user.as_deref()));
    rows.extend(confinement());
    rows.push(match Memory::create() {
        Ok(_) => Row::ok("shared memory", "memory that is sealed against a change of its size can be had"),
        Err(error) => Row::error(
            "shared memory",
            format!("memfd_create: {error}"),
            "rate limits need it: allow memfd_create and file seals in the container's profile",
        ),
    });
    rows.push(descriptors());
    rows.extend(resources(process.workers.get() as u64));
    rows.push(match cli::managed() {
        (false, false) => Row::ok("service manager", "none that wants reports, no sockets handed over"),
        (notify, sockets) => Row::ok(
            "service manager",
            format!("gets reports: {}; hands over sockets: {}", yes(notify), yes(sockets)),
        ),
    });
    rows
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

fn kernel() -> Row {
    let name = uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    Row::ok("kernel", format!("{} {} {}", text(name.sysname()), text(name.release()), text(name.machine())))
}

/// Who the service is and who its workers become.
fn users(wanted: Option<&str>) -> Vec<Row> {
    let effective = capabilities(None).map(|sets| sets.effective);
    let effective = effective.unwrap_or(CapabilitySet::empty());
    let ours = nix::unistd::geteuid();
    let user = match user::of_workers(wanted) {
        Ok(None) => Row::ok("user", format!("{ours}; workers stay {ours}")),
        Ok(Some(User { uid: 0, .. })) => Row::warning(
            "user",
            "root; workers stay root",
            "let them become somebody without rights: leave --user out, or name another user",
        ),
        Ok(Some(user)) if !effective.contains(CapabilitySet::SETUID | CapabilitySet::SETGID) => Row::error(
            "user",
            format!("root without CAP_SETUID and CAP_SETGID; workers cannot become {user}"),
            "start as an unprivileged user, give root both capabilities, or let workers stay with --user 0:0",
        ),
        Ok(Some(user)) => Row::ok("user", format!("root; workers become {user}")),
        Err(error) => Row::error("user", error.to_string(), "name a user that exists, as USER, UID:GID"),
    };
    let names: Vec<String> = effective.iter_names().map(|(name, _)| name.to_ascii_lowercase()).collect();
    let held = match names.len() {
        0 => "none".to_owned(),
        held if held > 8 => format!("{held} of them"),
        _ => names.join(", "),
    };
    vec![user, Row::ok("capabilities", format!("the supervisor has {held}; workers have none"))]
}

/// Tries each restriction on a thread that ends with it.
fn confinement() -> Vec<Row> {
    let tried = std::thread::spawn(|| {
        let privileges = rustix::thread::set_no_new_privs(true);
        let files = files::restrict(&[]).map_err(|error| error.to_string());
        let calls = calls::restrict().map_err(|error| error.to_string());
        (privileges, files, calls)
    });
    let Ok((privileges, files, calls)) = tried.join() else {
        return vec![Row::error("confinement", "trying it failed", "report this")];
    };
    let privileges = match privileges {
        Ok(()) => Row::ok("no new privileges", "can be promised"),
        Err(error) => Row::error(
            "no new privileges",
            error.to_string(),
            "workers do not start without it: use a newer kernel",
        ),
    };
    let files = match files {
        Ok(Some(abi)) if abi >= files::ABI_WANTED => Row::ok("landlock", format!("version {abi}")),
        Ok(Some(abi)) => Row::warning(
            "landlock",
            format!("version {abi} of {}", files::ABI_WANTED),
            "a newer kernel also restricts ports (6.7), device controls (6.10) and signals (6.12)",
        ),
        Ok(None) => Row::warning(
            "landlock",
            "the kernel has none: workers can open what their user can",
            "use a kernel from 5.13 with CONFIG_SECURITY_LANDLOCK, and `landlock` in its parameter lsm=",
        ),
        Err(error) => {
            Row::error("landlock", error, "workers do not start: allow landlock_* in the container's profile")
        }
    };
    let calls = match calls {
        Ok(Some(calls)) => Row::ok("seccomp", format!("{calls} system calls are let through")),
        Ok(None) => Row::warning(
            "seccomp",
            "the kernel has no filters: workers can make any system call",
            "use a kernel with CONFIG_SECCOMP_FILTER",
        ),
        Err(error) => {
            Row::error("seccomp", error, "workers do not start: allow seccomp in the container's profile")
        }
    };
    vec![privileges, files, calls]
}

fn descriptors() -> Row {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((_, hard)) if hard >= DESCRIPTORS_ENOUGH => {
            Row::ok("descriptors", format!("{hard} for each process"))
        }
        Ok((_, hard)) => Row::warning(
            "descriptors",
            format!("{hard} for each process: a worker keeps {} connections at most", hard / 2),
            "raise the hard limit (ulimit -Hn, LimitNOFILE= of the unit) to 65536",
        ),
        Err(error) => Row::warning("descriptors", error.to_string(), "see that getrlimit is allowed"),
    }
}

/// Memory and cores against the number of workers.
fn resources(workers: u64) -> Vec<Row> {
    let memory = match memory::limit() {
        None => Row::ok("memory", "no limit but the machine's"),
        Some(limit) if limit / MEGABYTE >= workers * WORKER_MEGABYTES => {
            Row::ok("memory", format!("{} MB for {workers} workers", limit / MEGABYTE))
        }
        Some(limit) => Row::warning(
            "memory",
            format!("{} MB for {workers} workers", limit / MEGABYTE),
            format!("give {} MB, or fewer --workers", workers * WORKER_MEGABYTES),
        ),
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let cores = if workers <= cores.max(2) {
        Row::ok("cores", format!("{cores} for {workers} workers"))
    } else {
        Row::warning(
            "cores",
            format!("{cores} for {workers} workers"),
            format!("more workers than cores take memory and serve no faster: --workers {}", cores.max(2)),
        )
    };
    vec![memory, cores]
}
