//! `waf health` and `waf doctor`: what they say, and with which exit status.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use waf_tests::origin::Origin;
use waf_tests::ports;
use waf_tests::programs;
use waf_tests::running::{self, Waf, to_upstream};

fn run(arguments: &[&str]) -> Output {
    Command::new(programs::waf())
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the program can be started")
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn healthy(waf: &Waf, more: &[&str]) -> (Option<i32>, String, String) {
    let config = waf.config().display().to_string();
    said(&run(&[["health", "--config", &config].as_slice(), more].concat()))
}

#[test]
fn a_service_that_is_ready_is_healthy() {
    let origin = Origin::start();
    let mut waf = running::waf(&to_upstream(&origin.url()));
    let ok = (Some(0), "ok\n".to_owned(), String::new());
    assert_eq!(healthy(&waf, &[]), ok);
    assert_eq!(healthy(&waf, &["--live"]), ok);
    let url = format!("http://localhost:{}/healthz", waf.health);
    assert_eq!(said(&run(&["health", "--url", &url])), ok);

    // A file that is broken says nothing about the service, which serves on.
    let config = std::fs::read_to_string(waf.config()).expect("the configuration");
    waf.reconfigure(&format!("{config}routes: 7\n"));
    waf.wait_log(&["not valid"]);
    assert_eq!(healthy(&waf, &[]), ok);

    let (code, out, err) =
        said(&run(&["health", "--url", &format!("http://127.0.0.1:{}/nothing", waf.health)]));
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.ends_with("answers 404: not found\n") && err.lines().count() == 1, "{err}");

    waf.signal(nix::sys::signal::Signal::SIGTERM);
    waf.wait_exit(Duration::from_secs(20));
    let (code, _, err) = healthy(&waf, &[]);
    assert_eq!(code, Some(1));
    assert!(err.contains("does not answer"), "{err}");
}

#[test]
fn what_does_not_answer_is_not_waited_for() {
    // It accepts and says nothing.
    let listener = ports::listener();
    let port = listener.local_addr().expect("bound").port();
    let began = Instant::now();
    let (code, _, err) = said(&run(&["health", "--url", &format!("http://127.0.0.1:{port}/readyz")]));
    assert_eq!(code, Some(1), "{err}");
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    let (code, _, err) = said(&run(&["health", "--config", "/nothing/waf.yaml"]));
    assert_eq!(code, Some(1));
    assert!(err.starts_with("/nothing/waf.yaml cannot be read"), "{err}");
    assert_eq!(run(&["health", "--url", "http://a/", "--live"]).status.code(), Some(2));
}

#[test]
fn the_doctor_looks_at_everything_and_says_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let config = folder.path().join("waf.yaml");
    let port = ports::free();
    let write = |data_dir: &str, more: &str| {
        let text = format!(
            "version: v1alpha1\nport: {port}\ndata_dir: {data_dir}\nroutes:\n  - upstream: http://a\n{more}"
        );
        std::fs::write(&config, text).expect("a file in the test's folder");
    };
    let doctor = |more: &[&str]| {
        let config = config.display().to_string();
        said(&run(&[["doctor", "--config", &config].as_slice(), more].concat()))
    };
    let folder_name = folder.path().display().to_string();
    write(&folder_name, "");
    let (code, out, _) = doctor(&[]);
    assert_eq!(code, Some(0), "{out}");
    for what in [
        "kernel",
        "user",
        "capabilities",
        "no new privileges",
        "landlock",
        "seccomp",
        "shared memory",
        "descriptors",
        "memory",
        "cores",
        "service manager",
        "configuration",
        "port",
        "data_dir",
        "trust anchors",
    ] {
        let row = out.lines().find(|line| line.get(9..).is_some_and(|rest| rest.starts_with(what)));
        let row = row.unwrap_or_else(|| panic!("no row about {what}:\n{out}"));
        assert!(["ok", "warning"].contains(&row.split(' ').next().unwrap_or_default()), "{row}");
    }
    assert!(out.lines().last().is_some_and(|line| line.starts_with("0 errors, ")), "{out}");

    // A port that somebody has may be this service's own.
    let held = std::net::TcpListener::bind(("0.0.0.0", port)).expect("a free port");
    let (code, out, _) = doctor(&[]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains(&format!("{port} is in use")), "{out}");
    drop(held);

    write("/proc/nothing", "");
    let (code, out, _) = doctor(&[]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("error    data_dir") && out.contains("-> make /proc/nothing"), "{out}");

    write(&folder_name, "colour: blue\n");
    let (code, out, _) = doctor(&[]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("error    configuration     1 error, the first: "), "{out}");

    write(&folder_name, "");
    let (code, out, _) = doctor(&["--user", "no-such-user"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("there is no user `no-such-user`"), "{out}");
}
