//! System calls that a worker may make: a list, and what is not on it fails with EPERM. No call on it starts a program
//! or a process, looks into another process, changes what is mounted, makes memory executable that can be written, or
//! opens any socket but TCP, UDP and local ones. A call that libraries try first and can do without fails with ENOSYS,
//! which is what they expect of an old kernel.

use std::collections::BTreeMap;

use libc::c_long;
use rustix::io::Errno;
use rustix::thread::secure_computing_mode;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use super::error::ConfinementError;

/// Let through whatever their arguments are.
const FREE: &[c_long] = &[
    // Open files and sockets.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_ftruncate,
    libc::SYS_fcntl,
    libc::SYS_dup,
    // Files, as far as Landlock and permissions let them be opened.
    libc::SYS_openat,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_readlinkat,
    libc::SYS_faccessat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    // Sockets once they are open.
    libc::SYS_connect,
    libc::SYS_accept4,
    libc::SYS_shutdown,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_getsockopt,
    libc::SYS_setsockopt,
    // Waiting.
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_ppoll,
    libc::SYS_pipe2,
    libc::SYS_futex,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_sched_yield,
    libc::SYS_restart_syscall,
    // Memory that is not executable.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Threads and signals of this process.
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_set_tid_address,
    libc::SYS_sched_getaffinity,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // What time it is, what machine this is, who we are.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getcpu,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
];

/// The same under the names that older interfaces have.
#[cfg(target_arch = "x86_64")]
const FREE_HERE: &[c_long] = &[
    libc::SYS_open,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_poll,
    libc::SYS_epoll_wait,
    libc::SYS_time,
];

#[cfg(not(target_arch = "x86_64"))]
const FREE_HERE: &[c_long] = &[];

/// Newer forms of calls: who finds none uses the older form, whose arguments a filter can see, or does without.
const UNKNOWN: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_faccessat2,
    libc::SYS_epoll_pwait2,
    libc::SYS_close_range,
    libc::SYS_membarrier,
    libc::SYS_copy_file_range,
];

/// `PR_SET_VMA`, which names memory in `/proc`; allocators try it.
const PR_SET_VMA: u64 = 0x5356_4d41;

/// Flags of `clone` that make a new namespace.
const NAMESPACES: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWCGROUP) as u64;

/// Bits of a socket's type that say what it is; the others say how it behaves.
const SOCKET_TYPE_BITS: u64 = 0xf;

/// Restricts the calling thread and all that it starts, for good. How many calls are let through; none where the
/// kernel has no filters.
pub fn restrict() -> Result<Option<usize>, ConfinementError> {
    // Without filters, asking is an invalid argument.
    if secure_computing_mode() == Err(Errno::INVAL) {
        return Ok(None);
    }
    let (unknown, allowed) = (unknown()?, allowed(std::process::id())?);
    // The stricter answer of the two holds. The list comes last, because it forbids further filters.
    apply_filter(&unknown)?;
    apply_filter(&allowed)?;
    Ok(Some(rules(0)?.len()))
}

fn unknown() -> Result<BpfProgram, BackendError> {
    let rules = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    compile(rules, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))
}

fn allowed(process: u32) -> Result<BpfProgram, BackendError> {
    // What this filter answers to the others is the weaker answer.
    let mut rules = rules(process)?;
    rules.extend(UNKNOWN.iter().map(|call| (*call, Vec::new())));
    compile(rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
}

fn compile(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    let arch: TargetArch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, otherwise, matched, arch)?.try_into()
}

/// For each call that is let through, the arguments with which it is: any of its rules, all of a rule's conditions. No
/// rule means any arguments.
#[allow(
    clippy::cast_sign_loss,
    clippy::unnecessary_cast,
    reason = "constants whose types differ between C libraries; none is negative"
)]
fn rules(process: u32) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        FREE.iter().chain(FREE_HERE).map(|call| (*call, Vec::new())).collect();
    let mut only = |call: c_long, ways: &[&[Condition]]| -> Result<(), BackendError> {
        let ways = ways.iter().map(|conditions| {
            let conditions = conditions.iter().map(Condition::compile).collect::<Result<Vec<_>, _>>()?;
            SeccompRule::new(conditions)
        });
        rules.insert(call, ways.collect::<Result<_, _>>()?);
        Ok(())
    };
    // Threads of this process, never another process or a namespace.
    let thread = libc::CLONE_THREAD as u64;
    only(libc::SYS_clone, &[&[Masked(0, thread | NAMESPACES, thread)]])?;
    only(libc::SYS_tgkill, &[&[Is(0, u64::from(process))]])?;
    // With this C library a thread ends itself by this call. It may reach another process of the same user, but not one of
    // another: with no capability, the kernel forbids it.
    #[cfg(target_env = "musl")]
    only(libc::SYS_tkill, &[&[Is(1, libc::SIGABRT as u64)]])?;
    let (name, names) = (libc::PR_SET_NAME as u64, libc::PR_GET_NAME as u64);
    only(libc::SYS_prctl, &[&[Is(0, name)], &[Is(0, names)], &[Is(0, PR_SET_VMA)]])?;
    // To ask, and of itself alone.
    only(libc::SYS_prlimit64, &[&[Is(0, 0), Whole(2, 0)]])?;
    // Code is mapped from files, and never written; nothing else becomes code.
    let (write, execute) = (libc::PROT_WRITE as u64, libc::PROT_EXEC as u64);
    let (shared, anonymous) = (libc::MAP_SHARED as u64, libc::MAP_ANONYMOUS as u64);
    let code = [Masked(2, write, 0), Masked(3, shared | anonymous, 0)];
    only(libc::SYS_mmap, &[&[Masked(2, execute, 0)], &code])?;
    only(libc::SYS_mprotect, &[&[Masked(2, execute, 0)]])?;
    // No raw sockets, and no families beside these. The C library asks for a netlink socket and does without.
    let (stream, datagram) = (libc::SOCK_STREAM as u64, libc::SOCK_DGRAM as u64);
    let families = [libc::AF_INET, libc::AF_INET6, libc::AF_UNIX];
    let sockets: Vec<[Condition; 2]> = families
        .iter()
        .flat_map(|family| {
            [stream, datagram]
                .map(|kind| [Is(0, family.unsigned_abs().into()), Masked(1, SOCKET_TYPE_BITS, kind)])
        })
        .collect();
    only(libc::SYS_socket, &sockets.iter().map(<[_; 2]>::as_slice).collect::<Vec<_>>())?;
    only(libc::SYS_socketpair, &[&[Is(0, libc::AF_UNIX as u64)]])?;
    // Whether stderr is a terminal, and whether a socket waits.
    #[allow(clippy::unnecessary_cast, reason = "other C libraries have other types for requests")]
    let asked =
        [libc::TCGETS, libc::FIONBIO, libc::FIONREAD, libc::FIOCLEX].map(|request| [Is(1, request as u64)]);
    only(libc::SYS_ioctl, &asked.iter().map(<[_; 1]>::as_slice).collect::<Vec<_>>())?;
    Ok(rules)
}

/// Condition on an argument. Arguments are counted from 0.
#[derive(Debug, Clone, Copy)]
enum Condition {
    /// Its lower 32 bits are this.
    Is(u8, u64),
    /// All of its 64 bits are this.
    Whole(u8, u64),
    /// Under a mask, its 64 bits are this.
    Masked(u8, u64, u64),
}

use Condition::{Is, Masked, Whole};

impl Condition {
    fn compile(&self) -> Result<SeccompCondition, BackendError> {
        let (argument, length, operator, value) = match *self {
            Is(argument, value) => (argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value),
            Whole(argument, value) => (argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, value),
            Masked(argument, mask, value) => {
                (argument, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(mask), value)
            }
        };
        SeccompCondition::new(argument, length, operator, value)
    }
}

#[cfg(test)]
mod tests;
