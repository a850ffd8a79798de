//! The confinement of a worker, applied to this very program: a table of what it must not be able to do any more, and
//! one of what it must. Started as root it becomes somebody else, as a worker does; started by anybody else, and by
//! root in the second run, it stays who it is. Restrictions cannot be taken back, so each run is a process of its own.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a failing test may panic

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::kill;
use nix::unistd::{Gid, Uid, chroot, geteuid, getppid, setgroups, setresgid, setresuid};
use socket2::{Domain, Protocol, Socket, Type};
use waf_dataplane::confinement::{self, identity::User};

/// Nobody that exists.
const STRANGER: u32 = 61_234;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [_, "confined", user, outside, port] => confined(user, Path::new(outside), port.parse().unwrap()),
        // What test runners ask of every test program.
        [_, "--list", ..] => {
            println!("a_confined_process_can_do_what_it_needs_and_nothing_else: test");
            ExitCode::SUCCESS
        }
        _ => drive(),
    }
}

/// Starts one process for each way to be confined.
fn drive() -> ExitCode {
    let folder = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777))
        .tempdir()
        .unwrap();
    let outside = folder.path().join("outside");
    fs::write(&outside, "a secret").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    std::thread::spawn(move || while listener.accept().is_ok() {});
    let users = if geteuid().is_root() { ["become", "stay"].as_slice() } else { ["as-is"].as_slice() };
    for user in users {
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["confined", user])
            .arg(&outside)
            .arg(&port)
            .stdin(Stdio::null())
            .status()
            .unwrap();
        if !status.success() {
            println!("{user}: failed with {status}");
            return ExitCode::FAILURE;
        }
        println!("{user}: ok");
    }
    ExitCode::SUCCESS
}

fn confined(user: &str, outside: &Path, port: u16) -> ExitCode {
    let stranger = User { uid: STRANGER, gid: STRANGER };
    if user == "stay" {
        // Somebody without rights from the start.
        setgroups(&[]).unwrap();
        let (uid, gid) = (Uid::from_raw(STRANGER), Gid::from_raw(STRANGER));
        setresgid(gid, gid, gid).unwrap();
        setresuid(uid, uid, uid).unwrap();
    }
    let mut inherited = File::open(outside).unwrap();
    let in_force = confinement::apply((user == "become").then_some(stranger), &[]).unwrap();
    println!("{user}: {in_force}");
    let mut wrong = Vec::new();
    let mut check = |what: &str, must: bool, outcome: io::Result<()>| {
        if outcome.is_ok() != must {
            wrong.push(format!("{what}: {outcome:?}"));
        }
    };
    for (what, outcome) in allowed(port) {
        check(what, true, outcome);
    }
    let mut text = String::new();
    check("reading a file that was open before", true, inherited.read_to_string(&mut text).map(drop));
    check("being who it should be", true, is(geteuid().as_raw() == STRANGER || user == "as-is"));
    if in_force.calls.is_some() {
        for (what, outcome) in refused_by_seccomp() {
            check(what, false, outcome);
        }
    }
    if in_force.landlock_abi.is_some() {
        for (what, outcome) in refused_by_landlock(outside) {
            check(what, false, outcome);
        }
    }
    // Whatever the kernel has.
    check(
        "becoming root again",
        false,
        setresuid(Uid::from_raw(0), Uid::from_raw(0), Uid::from_raw(0)).map_err(io::Error::from),
    );
    check("looking into its parent", false, File::open(format!("/proc/{}/mem", getppid())).map(drop));
    for line in &wrong {
        println!("{user}: {line}");
    }
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn is(held: bool) -> io::Result<()> {
    if held { Ok(()) } else { Err(io::Error::other("not so")) }
}

fn refused_by_seccomp() -> Vec<(&'static str, io::Result<()>)> {
    let socket = |domain: i32, kind, protocol| Socket::new(Domain::from(domain), kind, protocol).map(drop);
    vec![
        ("starting a program", Command::new("/bin/true").status().map(drop)),
        ("becoming another program", Err::<(), _>(Command::new("/bin/true").exec())),
        ("a raw socket", socket(libc::AF_INET, Type::RAW, Some(Protocol::ICMPV4))),
        ("a raw IPv6 socket", socket(libc::AF_INET6, Type::RAW, Some(Protocol::ICMPV6))),
        ("a packet socket", socket(libc::AF_PACKET, Type::DGRAM, None)),
        ("a netlink socket", socket(libc::AF_NETLINK, Type::RAW, None)),
        ("binding a TCP port", TcpListener::bind("127.0.0.1:0").map(drop)),
        ("binding a UDP port", UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("a signal to its parent", kill(getppid(), None).map_err(io::Error::from)),
        ("another root folder", chroot("/").map_err(io::Error::from)),
        ("higher limits", setrlimit(Resource::RLIMIT_NOFILE, 64, 64).map_err(io::Error::from)),
        (
            "anonymous memory with a name",
            rustix::fs::memfd_create("x", rustix::fs::MemfdFlags::CLOEXEC).map(drop).map_err(io::Error::from),
        ),
        (
            "being readable by others",
            rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable)
                .map_err(io::Error::from),
        ),
    ]
}

fn refused_by_landlock(outside: &Path) -> Vec<(&'static str, io::Result<()>)> {
    let folder = outside.parent().unwrap();
    vec![
        ("reading a file outside", File::open(outside).map(drop)),
        ("writing a file outside", File::options().write(true).open(outside).map(drop)),
        ("making a file", File::create(folder.join("new")).map(drop)),
        ("making a file without a name", tempfile::tempfile_in(folder).map(drop)),
        ("making a folder", fs::create_dir(folder.join("new")).map(drop)),
        ("removing a file", fs::remove_file(outside)),
        ("renaming a file", fs::rename(outside, folder.join("other"))),
        ("listing a folder", fs::read_dir(folder).map(drop)),
        ("listing the root folder", fs::read_dir("/").map(drop)),
        ("reading its own environment", File::open("/proc/self/environ").map(drop)),
        ("a program's file", File::open("/bin/sh").map(drop)),
    ]
}

fn allowed(port: u16) -> Vec<(&'static str, io::Result<()>)> {
    let anchors = fs::read_dir("/etc/ssl/certs");
    vec![
        ("a thread", std::thread::spawn(|| 7).join().map(drop).map_err(|_| io::Error::other("it panicked"))),
        ("a panic with a backtrace", is(panicked())),
        (
            "resolving a name",
            ("localhost", port).to_socket_addrs().and_then(|mut found| is(found.next().is_some())),
        ),
        (
            "connecting",
            TcpStream::connect_timeout(&([127, 0, 0, 1], port).into(), Duration::from_secs(5)).map(drop),
        ),
        ("a pair of local sockets", UnixStream::pair().and_then(|(mut one, _other)| one.write_all(b"x"))),
        ("a runtime with threads, timers, signals and sockets", runtime(port)),
        ("memory", is(vec![1u8; 64 << 20].len() == 64 << 20)),
        ("randomness", is(random())),
        ("a line on stderr", writeln!(io::stderr(), "a line on stderr")),
        // Where there are any; a link among them leads elsewhere.
        (
            "trust anchors",
            match anchors {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
                Ok(entries) => entries.flatten().take(5).try_for_each(|entry| match fs::read(entry.path()) {
                    Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
                    _ => Ok(()),
                }),
            },
        ),
    ]
}

fn random() -> bool {
    let mut bytes = [0; 16];
    aws_lc_rs::rand::fill(&mut bytes).is_ok() && bytes != [0; 16]
}

fn panicked() -> bool {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = std::panic::catch_unwind(|| {
        let trace = std::backtrace::Backtrace::force_capture().to_string();
        assert!(trace.is_empty(), "{trace}");
    });
    std::panic::set_hook(hook);
    outcome.is_err()
}

fn runtime(port: u16) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let _signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::time::sleep(Duration::from_millis(1)).await;
        tokio::net::TcpStream::connect(("localhost", port)).await?;
        tokio::task::spawn_blocking(|| ()).await.map_err(io::Error::other)
    })
}
