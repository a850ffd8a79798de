//! The filters, run by a small reader of their programs: what the kernel would answer to a call, without making it.

#![allow(clippy::unwrap_used)] // a failing test may panic
#![allow(
    clippy::cast_sign_loss,
    clippy::unnecessary_cast,
    reason = "constants whose types differ between C libraries"
)]

use super::*;

/// This test's process, as far as the filter knows.
const SELF: u64 = 4711;

const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const REFUSED: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
const MISSING: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

/// Answer of a program (`man 2 seccomp`; the layout is that of `struct seccomp_data`).
fn run(program: &BpfProgram, call: c_long, arguments: [u64; 6]) -> u32 {
    let arch: u32 = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };
    let mut data = Vec::new();
    data.extend(u32::try_from(call).unwrap().to_ne_bytes());
    data.extend(arch.to_ne_bytes());
    data.extend(0u64.to_ne_bytes());
    data.extend(arguments.iter().flat_map(|argument| argument.to_ne_bytes()));
    let (mut at, mut accumulator) = (0, 0u32);
    for _ in 0..program.len() {
        let step = &program[at];
        at += 1;
        let jump = |taken: bool| usize::from(if taken { step.jt } else { step.jf });
        match step.code {
            0x20 => {
                let from = step.k as usize;
                accumulator = u32::from_ne_bytes(data[from..from + 4].try_into().unwrap());
            }
            0x54 => accumulator &= step.k,
            0x05 => at += step.k as usize,
            0x15 => at += jump(accumulator == step.k),
            0x25 => at += jump(accumulator > step.k),
            0x35 => at += jump(accumulator >= step.k),
            0x06 => return step.k,
            other => panic!("step {other:#x} is not known here"),
        }
    }
    panic!("the program does not end");
}

/// Answer of the kernel to both filters: an error is stronger than an allowance, and of two errors the later filter's
/// holds.
fn answer(call: c_long, arguments: [u64; 6]) -> u32 {
    match run(&allowed(u32::try_from(SELF).unwrap()).unwrap(), call, arguments) {
        ALLOW => run(&unknown().unwrap(), call, arguments),
        refused => refused,
    }
}

fn with(given: &[(usize, u64)]) -> [u64; 6] {
    let mut arguments = [0; 6];
    for (at, value) in given {
        arguments[*at] = *value;
    }
    arguments
}

/// Calls that no worker makes.
const USELESS: &[libc::c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_memfd_create,
    libc::SYS_setuid,
    libc::SYS_setresuid,
    libc::SYS_setgroups,
    libc::SYS_capset,
    libc::SYS_personality,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_inotify_init1,
    libc::SYS_mknodat,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_mkdirat,
    libc::SYS_fchmodat,
    libc::SYS_fchownat,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_pkey_mprotect,
    libc::SYS_seccomp,
    libc::SYS_msgget,
    libc::SYS_shmget,
    libc::SYS_mq_open,
    libc::SYS_setpriority,
    libc::SYS_sched_setaffinity,
];

#[test]
fn calls_that_no_worker_has_a_use_for_are_refused() {
    for call in USELESS {
        // musl needs one way of tkill, which these arguments are not.
        assert_eq!(answer(*call, [0; 6]), REFUSED, "call {call}");
    }
    #[cfg(target_arch = "x86_64")]
    for call in [
        libc::SYS_fork,
        libc::SYS_vfork,
        libc::SYS_creat,
        libc::SYS_mknod,
        libc::SYS_modify_ldt,
        libc::SYS_iopl,
    ] {
        assert_eq!(answer(call, [0; 6]), REFUSED, "call {call}");
    }
    // The other interface of the same processor (x32), where numbers mean the same calls.
    assert_eq!(answer(0x4000_0000 | libc::SYS_execve, [0; 6]), REFUSED);
}

#[test]
fn newer_forms_of_calls_do_not_exist() {
    for call in [libc::SYS_clone3, libc::SYS_openat2, libc::SYS_faccessat2] {
        assert_eq!(answer(call, [0; 6]), MISSING, "call {call}");
    }
}

/// Asserts the answers to calls with arguments, by what they are made for.
fn check(rows: &[(&str, libc::c_long, [u64; 6], u32)]) {
    for (what, call, arguments, expected) in rows {
        assert_eq!(answer(*call, *arguments), *expected, "{what}");
    }
}

#[test]
fn threads_and_limits_of_its_own_are_allowed() {
    let wide = 1 << 32;
    let (thread, process) = (libc::CLONE_THREAD as u64 | libc::CLONE_VM as u64, libc::SIGCHLD as u64);
    check(&[
        ("a thread", libc::SYS_clone, with(&[(0, thread)]), ALLOW),
        ("a process", libc::SYS_clone, with(&[(0, process)]), REFUSED),
        (
            "a process that shares memory",
            libc::SYS_clone,
            with(&[(0, process | libc::CLONE_VM as u64 | libc::CLONE_VFORK as u64)]),
            REFUSED,
        ),
        (
            "a thread with a namespace",
            libc::SYS_clone,
            with(&[(0, thread | libc::CLONE_NEWUSER as u64)]),
            REFUSED,
        ),
        ("a signal to a thread of its own", libc::SYS_tgkill, with(&[(0, SELF), (1, 7), (2, 6)]), ALLOW),
        ("a signal to another process", libc::SYS_tgkill, with(&[(0, 1), (1, 1), (2, 9)]), REFUSED),
        ("its threads' names", libc::SYS_prctl, with(&[(0, 15)]), ALLOW),
        (
            "being readable again",
            libc::SYS_prctl,
            with(&[(0, libc::PR_SET_DUMPABLE as u64), (1, 1)]),
            REFUSED,
        ),
        ("its limits", libc::SYS_prlimit64, with(&[(1, 7), (3, 0x7fff)]), ALLOW),
        ("new limits", libc::SYS_prlimit64, with(&[(1, 7), (2, 0x7fff)]), REFUSED),
        ("new limits high in memory", libc::SYS_prlimit64, with(&[(1, 7), (2, wide)]), REFUSED),
        ("another's limits", libc::SYS_prlimit64, with(&[(0, 1), (1, 7)]), REFUSED),
    ]);
}

#[test]
fn memory_is_written_or_executed() {
    let (read, write, execute) = (libc::PROT_READ as u64, libc::PROT_WRITE as u64, libc::PROT_EXEC as u64);
    let (private, shared, anonymous) =
        (libc::MAP_PRIVATE as u64, libc::MAP_SHARED as u64, libc::MAP_ANONYMOUS as u64);
    check(&[
        ("memory", libc::SYS_mmap, with(&[(2, read | write), (3, private | anonymous)]), ALLOW),
        ("shared memory", libc::SYS_mmap, with(&[(2, read | write), (3, shared)]), ALLOW),
        ("a library's code", libc::SYS_mmap, with(&[(2, read | execute), (3, private)]), ALLOW),
        ("code that can be written", libc::SYS_mmap, with(&[(2, write | execute), (3, private)]), REFUSED),
        (
            "code out of nothing",
            libc::SYS_mmap,
            with(&[(2, read | execute), (3, private | anonymous)]),
            REFUSED,
        ),
        ("code that others write", libc::SYS_mmap, with(&[(2, read | execute), (3, shared)]), REFUSED),
        ("memory protected", libc::SYS_mprotect, with(&[(2, read)]), ALLOW),
        ("memory turned into code", libc::SYS_mprotect, with(&[(2, read | execute)]), REFUSED),
    ]);
}

#[test]
fn sockets_are_of_the_kinds_that_a_worker_needs() {
    let (inet, inet6, local) = (libc::AF_INET as u64, libc::AF_INET6 as u64, libc::AF_UNIX as u64);
    let (stream, datagram, raw) = (libc::SOCK_STREAM as u64, libc::SOCK_DGRAM as u64, libc::SOCK_RAW as u64);
    let mode = (libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) as u64;
    check(&[
        ("TCP", libc::SYS_socket, with(&[(0, inet), (1, stream | mode)]), ALLOW),
        ("UDP", libc::SYS_socket, with(&[(0, inet6), (1, datagram)]), ALLOW),
        ("a local socket", libc::SYS_socket, with(&[(0, local), (1, stream | mode)]), ALLOW),
        ("a raw socket", libc::SYS_socket, with(&[(0, inet), (1, raw)]), REFUSED),
        ("a raw socket in disguise", libc::SYS_socket, with(&[(0, inet), (1, raw | mode)]), REFUSED),
        ("packets", libc::SYS_socket, with(&[(0, libc::AF_PACKET as u64), (1, datagram)]), REFUSED),
        ("netlink", libc::SYS_socket, with(&[(0, libc::AF_NETLINK as u64), (1, raw)]), REFUSED),
        (
            "the kernel's cryptography",
            libc::SYS_socket,
            with(&[(0, libc::AF_ALG as u64), (1, stream)]),
            REFUSED,
        ),
        ("virtual machines", libc::SYS_socket, with(&[(0, libc::AF_VSOCK as u64), (1, stream)]), REFUSED),
        ("a pair", libc::SYS_socketpair, with(&[(0, local), (1, stream)]), ALLOW),
        ("a terminal?", libc::SYS_ioctl, with(&[(0, 2), (1, libc::TCGETS)]), ALLOW),
        ("a terminal's input", libc::SYS_ioctl, with(&[(0, 2), (1, libc::TIOCSTI)]), REFUSED),
        ("a disk's size", libc::SYS_ioctl, with(&[(0, 2), (1, 0x1260)]), REFUSED),
    ]);
}

#[test]
fn no_call_is_on_two_lists() {
    let mut seen = std::collections::BTreeSet::new();
    for call in FREE.iter().chain(FREE_HERE).chain(UNKNOWN) {
        assert!(seen.insert(*call), "call {call} is listed twice");
    }
}
