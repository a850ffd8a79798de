//! Resources that run out: file descriptors, memory, and the patience with a request that kills workers.

use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use waf_tests::origin::{Answer, Gate, Origin};
use waf_tests::polling;
use waf_tests::programs;
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, Ports, Start, Waf, is_alive, kill, to_upstream};

/// Open files of each process in the test of descriptors.
const FILES: usize = 160;

fn only(waf: &Waf) -> i32 {
    *waf.workers().first().expect("one worker")
}

/// A figure of a process, in KiB.
fn kib(pid: i32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process lives");
    let figure = status.lines().find_map(|line| line.strip_prefix(name)).expect("a figure");
    figure.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// The service with one worker, under a limit of the shell.
fn limited(limit: &str, config: &str) -> Waf {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let ports = Ports::free();
    let path = folder.path().join("waf.yaml");
    let text = config
        .replace(running::PORT, &ports.traffic.to_string())
        .replace(running::HEALTH, &ports.health.to_string())
        .replace(running::FOLDER, &folder.path().display().to_string());
    std::fs::write(&path, text).expect("a file in the test's folder");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limit} && exec \"$0\" \"$@\"")]);
    command.arg(programs::waf()).arg("--config").arg(&path).args(["--workers", "1"]);
    running::start(command, ports, folder, path).ready().expect("the service becomes ready")
}

#[test]
fn connections_beyond_the_descriptors_are_told_so_and_health_answers() {
    let origin = Origin::start();
    let waf = limited(&format!("ulimit -n {FILES}"), &to_upstream(&origin.url()));
    assert_eq!(Request::get("/").to(waf.port).status, 200);
    // More than there are places for, each with a request that never ends.
    let mut open: Vec<Connection> =
        (0..FILES / 2).map(|_| Connection::open(waf.port).expect("a connection")).collect();
    for connection in &mut open {
        connection.send("GET / HTTP/1.1\r\nHost: a\r\nX: ").expect("sent");
    }
    let refused = polling::until("an answer from the reserve", || {
        let answer = Request::get("/").try_to(waf.port).ok()?;
        (answer.status == 503).then_some(answer)
    });
    assert!(refused.closes());
    assert!(refused.field("X-Request-Id").is_some(), "an answer like any other");
    assert_eq!(waf.ask("/readyz").expect("health answers").status, 200);
    drop(open);
    polling::until_true("the service to recover", || {
        Request::get("/").try_to(waf.port).is_ok_and(|answer| answer.status == 200)
    });
    assert_eq!(waf.workers().len(), 1);
}

/// Bodies that are inspected as a whole, and held meanwhile.
const LARGE_BODIES: &str =
    "global: { inspection: { max_inspect_size: 10MB, max_memory_buffer: 10MB, evaluation_timeout: 60s } }\n";

/// Connections that have each sent a body of 9 MB but for its last byte, as far as it was taken.
fn held_bodies(port: u16, count: usize) -> Vec<Connection> {
    const BODY_BYTES: usize = 9 << 20;
    let head = format!(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: {BODY_BYTES}\r\n\r\n"
    );
    let bytes: Vec<u8> =
        b"two of the chairs are broken ".iter().copied().cycle().take(BODY_BYTES - 1).collect();
    let send = || {
        let mut connection = Connection::open(port).ok()?;
        connection.send(&head).ok()?;
        connection.send(&bytes).ok()?;
        Some(connection)
    };
    (0..count).filter_map(|_| send()).collect()
}

#[test]
fn a_worker_that_takes_too_much_memory_turns_requests_away_and_recovers() {
    let origin = Origin::start();
    let config = format!("{}{LARGE_BODIES}", to_upstream(&origin.url()));
    let one = || Start::new().argument("--workers").argument("1");
    let at_rest = {
        let waf = one().run(&config);
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        kib(only(&waf), "RssAnon:")
    };
    let budget = format!("{}KB", at_rest + (16 << 10));
    let waf = one().argument("--worker-memory").argument(&budget).run(&config);
    let worker = only(&waf);
    let mut open = held_bodies(waf.port, 5);
    waf.wait_log(&["memory is short"]);
    polling::until_true("a request that is refused", || {
        Request::get("/").try_to(waf.port).is_ok_and(|answer| answer.status == 503 && answer.closes())
    });
    let finished = |connection: &mut Connection| {
        connection.send("e").is_ok() && connection.response().is_ok_and(|answer| answer.status == 200)
    };
    let finished = open.iter_mut().filter_map(|connection| finished(connection).then_some(())).count();
    assert!(finished >= 2, "what was in flight is finished: {finished}");
    drop(open);
    polling::until_true("the worker to serve again", || {
        Request::get("/").try_to(waf.port).is_ok_and(|answer| answer.status == 200)
    });
    assert_eq!(only(&waf), worker, "it never died");
}

#[test]
fn a_worker_that_gets_no_memory_dies_alone_and_is_replaced() {
    let origin = Origin::start();
    let config = format!("{}{LARGE_BODIES}", to_upstream(&origin.url()));
    let at_rest = {
        let waf = Start::new().argument("--workers").argument("1").run(&config);
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        kib(only(&waf), "VmSize:")
    };
    // Address space is all that a test can take away; it is taken from both processes.
    let waf = limited(&format!("ulimit -v {}", at_rest + (20 << 10)), &config);
    let worker = only(&waf);
    let _open = held_bodies(waf.port, 28);
    polling::until_true("the worker to die", || !is_alive(worker));
    polling::until_true("another one", || waf.workers().first().is_some_and(|now| *now != worker));
    assert_eq!(waf.ask("/healthz").expect("the supervisor lives").status, 200);
    polling::until_true("the new one to serve", || {
        Request::get("/").try_to(waf.port).is_ok_and(|answer| answer.status == 200)
    });
}

#[test]
fn a_request_that_kills_workers_twice_is_named() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
    let waf = Start::new().argument("--workers").argument("1").run(&to_upstream(&origin.url()));
    let named = "it may be what kills them";
    // The same request twice, with values of its own each time, and others once each.
    for (round, secret) in ["first-secret", "other-secret"].into_iter().enumerate() {
        let worker = only(&waf);
        let deadly = Request::get(format!("/deadly?q={secret}")).field("X-Deadly", secret).bytes();
        let harmless = Request::get(format!("/harmless/{round}")).bytes();
        let mut open = Vec::new();
        for bytes in [deadly, harmless] {
            let mut connection = Connection::open(waf.port).expect("a connection");
            connection.send(bytes).expect("sent");
            open.push(connection);
        }
        origin.wait_for(2 * (round + 1));
        assert!(!waf.log().iter().any(|line| line.contains(named)), "one death proves nothing");
        kill(worker, Signal::SIGKILL);
        polling::until_true("another worker", || waf.workers().first().is_some_and(|now| *now != worker));
    }
    let line = waf.wait_log(&[named, "x-deadly", "path of 7 B in 1 segments"]);
    assert!(line.contains("\"ERROR\"") && line.contains("GET"), "{line}");
    polling::hold(Duration::from_millis(50));
    let log = waf.log().join("\n");
    assert_eq!(log.matches(named).count(), 1, "only the request that was there both times:\n{log}");
    for secret in ["first-secret", "other-secret", "/deadly"] {
        assert!(!log.contains(secret), "{secret} stands in the log");
    }
    gate.open();
    // It is served like any other: a shape proves nothing.
    assert_eq!(Request::get("/deadly?q=third-secret").field("X-Deadly", "x").to(waf.port).status, 200);
}
