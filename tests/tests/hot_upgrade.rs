//! A running service is replaced by the program that lies in its place: nobody notices, and a new program that is of no use
//! changes nothing.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use waf_tests::contract::encode;
use waf_tests::load::Load;
use waf_tests::origin::{Answer, Gate, Origin};
use waf_tests::raw::{Connection, Request, Response};
use waf_tests::running::{self, Start, Waf, is_alive, kill, to_upstream, with_metrics};
use waf_tests::{polling, programs};

/// For an old process to finish.
const END: Duration = Duration::from_secs(20);

/// Requests a second that the load aims at.
const RATE: u32 = 2_000;

const CLIENTS: usize = 16;

fn is_good(response: &Response) -> Result<(), String> {
    if response.status == 200 && response.text() == "hello" {
        Ok(())
    } else {
        Err(format!("status {}: {}", response.status, response.text()))
    }
}

/// Asks `path` of the health listener without a pause until told to stop; says which answers came, 0 for none.
fn probing(port: u16, path: &'static str) -> (Arc<AtomicBool>, std::thread::JoinHandle<BTreeSet<u16>>) {
    let done = Arc::new(AtomicBool::new(false));
    let stop = done.clone();
    let probe = std::thread::spawn(move || {
        let mut statuses = BTreeSet::new();
        while !stop.load(Ordering::Relaxed) {
            statuses.insert(Request::get(path).try_to(port).map_or(0, |response| response.status));
            polling::hold(Duration::from_millis(2));
        }
        statuses
    });
    (done, probe)
}

fn reload(waf: &Waf, origin: &Origin, number: usize) {
    let before = waf.plan();
    let text = format!(
        "    response_headers: {{ inject: {{ response-headers-add-referrer-policy: plan-{number} }} }}\n"
    );
    waf.reconfigure(&(to_upstream(&origin.url()) + &text));
    waf.until_replaced(&before);
}

#[test]
fn an_upgrade_and_twenty_reloads_under_load_lose_nothing() {
    let origin = Origin::start();
    let mut waf = Start::new().linked().run(&to_upstream(&origin.url()));
    let (done, probe) = probing(waf.health, "/readyz");
    let began = Instant::now();
    let load = Load::paced(waf.port, CLIENTS, Some(RATE), &Request::get("/"), is_good);
    load.wait_for(200);
    (1..=10).for_each(|number| reload(&waf, &origin, number));
    let before = load.answers();
    let upgrading = Instant::now();
    let said = waf.upgrade().expect("an upgrade");
    let (took, meanwhile) = (upgrading.elapsed(), load.answers() - before);
    assert!(said.starts_with("upgraded: process "), "{said}");
    (11..=20).for_each(|number| reload(&waf, &origin, number));
    assert_eq!(waf.wait_exit(END).code(), Some(0), "the old process has finished");
    load.wait_for(200);
    let lasted = began.elapsed();
    let tally = load.stop();
    done.store(true, Ordering::Relaxed);
    println!(
        "{} answers in {lasted:?}: {:.0} a second; the upgrade took {took:?}, with {meanwhile} answers meanwhile",
        tally.answers,
        tally.answers as f64 / lasted.as_secs_f64()
    );
    assert!(tally.failures.is_empty(), "{} failures: {:?}", tally.failures.len(), tally.failures.first());
    // Each of them was told once that its connection ends, and opened another one.
    assert_eq!(tally.connections, 2 * CLIENTS as u64);
    assert_eq!(probe.join().expect("the probe ran"), BTreeSet::from([200]), "it was ready all the time");
    assert_eq!(waf.workers().len(), 2);
}

#[test]
fn events_of_both_processes_are_whole_and_none_is_missing() {
    const LONG: usize = 6_000;
    let origin = Origin::start();
    let config = to_upstream(&origin.url());
    let mut waf = Start::new().linked().run(&config);
    let attack = format!("/?a={}&q={}", "x".repeat(LONG), encode("<script>alert(1)</script>"));
    let refused = Arc::new(AtomicU64::new(0));
    let count = refused.clone();
    let load = Load::start(waf.port, 8, &Request::get(attack), move |response| {
        count.fetch_add(1, Ordering::Relaxed);
        if response.status == 403 { Ok(()) } else { Err(format!("status {}", response.status)) }
    });
    load.wait_for(100);
    for _ in 0..2 {
        waf.upgrade().expect("an upgrade");
        load.wait_for(100);
    }
    let tally = load.stop();
    assert!(tally.failures.is_empty(), "{:?}", tally.failures.first());
    let events = waf.wait_events(refused.load(Ordering::Relaxed) as usize);
    assert_eq!(events.len() as u64, tally.answers, "one event for each refusal");
    let longest = waf.out().iter().map(String::len).max().unwrap_or_default();
    assert!(longest > 2 * 4096, "longer than what a pipe takes in one piece: {longest}");
}

#[test]
fn what_is_in_flight_is_finished_by_the_old_process_and_new_requests_go_to_the_new_one() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |request| {
        let answer = Answer::ok("hello");
        if request.target_text() == "/slow" { answer.after(&closed) } else { answer }
    });
    let mut waf = Start::new().linked().run(&with_metrics(&to_upstream(&origin.url())));
    let (old, workers) = (waf.pid(), waf.workers());
    // A careless `kill` to the whole group is not for workers.
    for worker in &workers {
        kill(*worker, Signal::SIGUSR2);
    }
    let mut slow = Connection::open(waf.port).expect("a connection");
    slow.send(Request::get("/slow").bytes()).expect("sent");
    origin.wait_for(1);
    assert_eq!(waf.workers(), workers);
    waf.upgrade().expect("an upgrade");
    assert!(is_alive(old), "a request is in flight");
    for _ in 0..20 {
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        assert_eq!(waf.ask("/readyz").expect("an answer").status, 200);
    }
    let allowed = || {
        let text = Request::get("/metrics").to(waf.metrics).text();
        let lines =
            text.lines().filter(|line| line.starts_with("waf_requests_total{") && line.contains("allowed"));
        lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum::<f64>()
    };
    let counted =
        polling::until("the new process to count", || Some(allowed()).filter(|count| *count >= 20.0));
    assert!((counted - 20.0).abs() < f64::EPSILON, "counters begin anew: {counted}");
    gate.open();
    let response = slow.response().expect("what is in flight is finished");
    assert_eq!((response.text().as_str(), response.closes()), ("hello", true));
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    // The one that took over is a whole service: it reloads, replaces workers, and stops.
    waf.signal(Signal::SIGHUP);
    waf.wait_log(&["reloaded"]);
    let workers = waf.workers();
    kill(workers[0], Signal::SIGKILL);
    polling::until_true("a new worker", || waf.workers().len() == 2 && !waf.workers().contains(&workers[0]));
    let pid = waf.pid();
    waf.signal(Signal::SIGTERM);
    polling::until_true("its end", || !is_alive(pid));
}

/// Puts a program in the place of the one that runs.
fn replace_program(waf: &Waf, text: &str) {
    let (place, beside) = (waf.folder().join("waf"), waf.folder().join("new"));
    std::fs::write(&beside, text).expect("a file in the test's folder");
    std::fs::set_permissions(&beside, std::fs::Permissions::from_mode(0o755)).expect("it can be executed");
    std::fs::rename(&beside, &place).expect("the file can be renamed");
}

fn restore_program(waf: &Waf) {
    let (place, beside) = (waf.folder().join("waf"), waf.folder().join("new"));
    std::fs::hard_link(programs::waf(), &beside)
        .or_else(|_| std::fs::copy(programs::waf(), &beside).map(|_| ()))
        .expect("the program can be linked");
    std::fs::rename(&beside, &place).expect("the file can be renamed");
}

#[test]
fn a_new_program_that_is_of_no_use_leaves_the_old_one() {
    let origin = Origin::start();
    let config = to_upstream(&origin.url());
    let mut waf = Start::new().linked().run(&config);
    let (done, probe) = probing(waf.health, "/readyz");
    let (pid, workers) = (waf.pid(), waf.workers());
    let load = Load::paced(waf.port, 4, Some(RATE / 10), &Request::get("/"), is_good);
    for (program, why) in [
        ("#!/bin/sh\necho spoilt >&2\nexit 1\n", "ended before it was ready (exit status: 1)"),
        ("#!/bin/sh\nexit 0\n", "ended before it was ready (exit status: 0)"),
        ("#!/bin/sh\nkill -SEGV $$\n", "ended before it was ready (signal: 11"),
        ("neither a program nor a script", "cannot be started"),
    ] {
        replace_program(&waf, program);
        let said = waf.upgrade().expect_err(why);
        assert!(said.contains(why) && said.contains(&format!("process {pid} serves on")), "{said}");
        waf.wait_log(&["not upgraded", why]);
        assert_eq!(waf.pid(), pid);
        polling::until_true("the new process to be gone", || waf.candidate().is_none());
    }
    waf.wait_log(&["spoilt"]);
    restore_program(&waf);
    // The program is good and the file is not: the old plan serves on in the old process.
    waf.reconfigure("version: v1alpha1\nunknown: 1\n");
    waf.wait_log(&["waf.yaml:2:"]);
    let said = waf.upgrade().expect_err("the configuration is broken");
    assert!(said.contains("exit status: 1"), "{said}");
    waf.reconfigure(&config);
    assert_eq!(waf.workers(), workers, "nothing happened to those that serve");
    waf.upgrade().expect("a good program and a good configuration");
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    load.wait_for(50);
    let tally = load.stop();
    done.store(true, Ordering::Relaxed);
    assert!(tally.failures.is_empty(), "{:?}", tally.failures.first());
    assert_eq!(probe.join().expect("the probe ran"), BTreeSet::from([200]));
}

#[test]
fn a_new_program_that_hangs_is_ended() {
    let origin = Origin::start();
    let start = Start::new().linked().argument("--upgrade-timeout").argument("1");
    let mut waf = start.run(&to_upstream(&origin.url()));
    replace_program(&waf, "#!/bin/sh\nexec sleep 30\n");
    let said = waf.upgrade().expect_err("it says nothing");
    assert!(said.contains("was not ready within 1 s"), "{said}");
    polling::until_true("the new process to be gone", || waf.candidate().is_none());
    assert_eq!(Request::get("/").to(waf.port).status, 200);
    waf.wait_log(&["not upgraded", "was not ready within 1 s"]);
}

#[test]
fn one_upgrade_at_a_time_and_a_stop_ends_it() {
    let origin = Origin::start();
    let mut waf = Start::new().linked().run(&to_upstream(&origin.url()));
    replace_program(&waf, "#!/bin/sh\nexec sleep 30\n");
    waf.signal(Signal::SIGUSR2);
    let candidate = polling::until("the new process", || waf.candidate());
    let said = waf.upgrade().expect_err("one is under way");
    assert!(said.contains("being upgraded already"), "{said}");
    waf.signal(Signal::SIGUSR2);
    waf.wait_log(&["no upgrade", "under way already"]);
    assert!(is_alive(candidate));
    let start = Instant::now();
    waf.signal(Signal::SIGTERM);
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    waf.wait_log(&["the upgrade is given up"]);
    polling::until_true("the new process to be gone", || !is_alive(candidate));
}

#[test]
fn a_supervisor_that_dies_during_an_upgrade_leaves_the_service_to_the_new_one() {
    let origin = Origin::start();
    let mut waf = Start::new().linked().run(&to_upstream(&origin.url()));
    // The new program begins on a signal.
    let (go, program) = (waf.folder().join("go"), programs::waf());
    let script = format!(
        "#!/bin/sh\nwhile ! [ -e {} ]; do sleep 0.02; done\nexec {} \"$@\"\n",
        go.display(),
        program.display()
    );
    replace_program(&waf, &script);
    waf.signal(Signal::SIGUSR2);
    let candidate = polling::until("the new process", || waf.candidate());
    let old = waf.pid();
    kill(old, Signal::SIGKILL);
    std::fs::write(&go, "").expect("a file in the test's folder");
    waf.wait_log(&["this one takes over"]);
    waf.take_over(candidate);
    polling::until_true("readiness", || waf.ask("/readyz").is_ok_and(|response| response.status == 200));
    assert_eq!(Request::get("/").to(waf.port).status, 200);
}

#[test]
fn the_command_names_what_it_cannot_do() {
    let origin = Origin::start();
    let (one, other) = (running::waf(&to_upstream(&origin.url())), running::waf(&to_upstream(&origin.url())));
    let ask = |arguments: &[&str]| {
        let output = Command::new(programs::waf()).arg("upgrade").args(arguments).output();
        let output = output.expect("the program can be started");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = ask(&[]);
    assert_eq!(code, Some(1));
    assert!(said.contains("more than one waf runs"), "{said}");
    for waf in [&one, &other] {
        assert!(
            said.contains(&waf.pid().to_string()) && said.contains(&*waf.config().to_string_lossy()),
            "{said}"
        );
    }
    let (code, said) = ask(&["--pid", &std::process::id().to_string()]);
    assert_eq!((code, said.contains("is no running waf")), (Some(1), true), "{said}");
    let (code, said) = ask(&["--pid", &one.workers()[0].to_string()]);
    assert_eq!((code, said.contains("is no running waf")), (Some(1), true), "{said}");
    assert_eq!(ask(&["--pid", "0"]).0, Some(2));
    assert_eq!(Request::get("/").to(one.port).status, 200);
}

#[test]
fn rate_limits_hold_across_an_upgrade() {
    let origin = Origin::start();
    let limit = "global:\n  rate_limit: { requests: 5, window: 10m, source: { type: ip } }\n";
    let mut waf = Start::new().linked().run(&(to_upstream(&origin.url()) + limit));
    let ask = || Request::get("/").to(waf.port).status;
    assert_eq!([ask(), ask(), ask()], [200; 3]);
    waf.upgrade().expect("an upgrade");
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    let ask = || Request::get("/").to(waf.port).status;
    assert_eq!([ask(), ask(), ask(), ask()], [200, 200, 429, 429], "three were counted by the old process");
}
