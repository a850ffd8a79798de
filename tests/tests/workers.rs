//! Workers that die, and workers that are fed what is no plan.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use waf_compiler::{Options, compile_text};
use waf_shared::control::{FRAME_VERSION, Generation, ToSupervisor, ToWorker, encode};
use waf_shared::plan::{Digest, FORMAT_VERSION, Millis};
use waf_tests::control::Worker;
use waf_tests::load::Load;
use waf_tests::origin::{Answer, Gate, Origin};
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, is_alive, kill, to_upstream};
use waf_tests::{polling, ports};

const CLIENTS: usize = 16;

#[test]
fn a_killed_worker_takes_only_its_requests_with_it() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let before = waf.workers();
    assert_eq!(before.len(), 2, "two workers by default");
    let load = Load::start(waf.port, CLIENTS, &Request::get("/"), |response| {
        if response.status == 200 { Ok(()) } else { Err(format!("status {}", response.status)) }
    });
    load.wait_for(100);

    let done = Arc::new(AtomicBool::new(false));
    let (health, stop) = (waf.health, done.clone());
    let probe = std::thread::spawn(move || {
        let mut statuses = BTreeSet::new();
        while !stop.load(Ordering::Relaxed) {
            statuses.insert(Request::get("/readyz").try_to(health).map_or(0, |response| response.status));
        }
        statuses
    });
    let killed = Instant::now();
    kill(before[0], Signal::SIGKILL);
    let after = polling::until("a new worker", || {
        Some(waf.workers()).filter(|workers| workers.len() == 2 && !workers.contains(&before[0]))
    });
    let replaced = killed.elapsed();
    assert!(after.contains(&before[1]), "the other worker was left alone");
    waf.wait_log(&["worker", "dead"]);
    load.wait_for(200);
    done.store(true, Ordering::Relaxed);
    let tally = load.stop();
    println!("replaced after {replaced:?}, {} of {} requests failed", tally.failures.len(), tally.answers);
    assert!(replaced < Duration::from_secs(1), "replaced after {replaced:?}");
    assert!(tally.failures.len() <= CLIENTS, "{} failures: {:?}", tally.failures.len(), tally.failures);
    for failure in &tally.failures {
        assert!(!failure.cause.contains("connecting"), "a connection attempt was refused: {failure:?}");
        assert!(failure.at.duration_since(killed) < Duration::from_secs(1), "{failure:?}");
    }
    assert_eq!(probe.join().expect("the probe ran"), BTreeSet::from([200]), "readiness is a latch");
}

#[test]
fn both_workers_killed_are_both_replaced() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let before = waf.workers();
    for pid in &before {
        kill(*pid, Signal::SIGKILL);
    }
    polling::until_true("two new workers", || {
        let now = waf.workers();
        now.len() == 2 && now.iter().all(|pid| !before.contains(pid))
    });
    // The socket was never closed: a connection waits in it until a worker takes it.
    assert_eq!(Request::get("/").to(waf.port).status, 200);
}

#[test]
fn workers_do_not_outlive_their_supervisor() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
    let waf = running::waf(&to_upstream(&origin.url()));
    let workers = waf.workers();
    let mut open = Connection::open(waf.port).expect("a connection");
    open.send(Request::get("/").bytes()).expect("sent");
    origin.wait_for(1);
    kill(waf.pid(), Signal::SIGKILL);
    gate.open();
    assert_eq!(open.response().expect("what is in flight is finished").text(), "late");
    polling::until_true("the workers to end", || workers.iter().all(|pid| !is_alive(*pid)));
}

/// A plan that answers for itself: its number stands in every answer.
fn plan(origin: &Origin, number: usize) -> (Vec<u8>, Digest) {
    let text = format!(
        "version: v1alpha1\nport: 80\ndata_dir: /nowhere\n\
         global: {{ response_headers: {{ inject: {{ response-headers-add-referrer-policy: plan-{number} }} }} }}\n\
         routes:\n  - upstream: {}\n",
        origin.url()
    );
    let options = Options { host_checks: false, ..Options::default() };
    let compiled = compile_text("plan.yaml", &text, Path::new("/"), &options).expect("a valid configuration");
    (compiled.bytes, compiled.digest)
}

/// A worker that serves plan 1 on the listener.
fn serving(origin: &Origin, listener: &TcpListener) -> Worker {
    let worker = Worker::start();
    let (bytes, digest) = plan(origin, 1);
    worker.offer(1, digest, &bytes, listener);
    assert_eq!(worker.hear(), ToSupervisor::Prepared(Generation(1)));
    worker.say(&ToWorker::Commit(Generation(1)));
    assert_eq!(worker.hear(), ToSupervisor::Active(Generation(1)));
    worker
}

fn served_by(listener: &TcpListener) -> String {
    let port = listener.local_addr().expect("bound").port();
    let response = Request::get("/").to(port);
    assert_eq!(response.status, 200);
    response.field("Referrer-Policy").unwrap_or_default().to_owned()
}

#[test]
fn a_worker_rejects_what_is_no_plan_and_serves_on() {
    let origin = Origin::start();
    let listener = ports::listener();
    let mut worker = serving(&origin, &listener);
    let (good, digest) = plan(&origin, 2);
    let changed = |at: usize, to: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        bytes
    };
    let middle = good.len() / 2;
    let flipped = changed(middle, &[good[middle] ^ 1]);
    let cases: Vec<(&str, Vec<u8>, Digest)> = vec![
        ("nothing", Vec::new(), digest),
        ("one byte", good[..1].to_vec(), digest),
        ("an envelope alone", good[..52].to_vec(), digest),
        ("half", good[..middle].to_vec(), digest),
        ("all but the last byte", good[..good.len() - 1].to_vec(), digest),
        ("a byte more", [good.clone(), vec![0]].concat(), digest),
        ("a flipped bit", flipped, digest),
        ("another magic", changed(0, b"NOTAPLAN"), digest),
        ("a newer format", changed(8, &(FORMAT_VERSION + 1).to_le_bytes()), digest),
        ("a length that lies", changed(12, &u64::MAX.to_le_bytes()), digest),
        ("another digest in the envelope", changed(20, &[7; 32]), digest),
        ("another digest in the offer", good.clone(), Digest([7; 32])),
        ("text", b"version: v1alpha1\n".repeat(100), digest),
        ("zeros", vec![0; 1 << 20], digest),
    ];
    let mut generation = 1;
    for (what, bytes, digest) in cases {
        generation += 1;
        worker.offer(generation, digest, &bytes, &listener);
        match worker.hear() {
            ToSupervisor::Rejected { generation: of, why } => {
                assert_eq!(of, Generation(generation), "{what}");
                assert!(!why.is_empty(), "{what}");
            }
            other => panic!("{what}: {other:?}"),
        }
        assert_eq!(served_by(&listener), "plan-1", "{what}");
        assert!(worker.is_running(), "{what}");
    }
    // After all that a good plan is taken.
    worker.offer(100, digest, &good, &listener);
    assert_eq!(worker.hear(), ToSupervisor::Prepared(Generation(100)));
    assert_eq!(served_by(&listener), "plan-1", "prepared is not committed");
    worker.say(&ToWorker::Commit(Generation(100)));
    assert_eq!(worker.hear(), ToSupervisor::Active(Generation(100)));
    assert_eq!(served_by(&listener), "plan-2");
}

#[test]
fn an_abandoned_plan_is_forgotten() {
    let origin = Origin::start();
    let listener = ports::listener();
    let worker = serving(&origin, &listener);
    let (bytes, digest) = plan(&origin, 2);
    worker.offer(2, digest, &bytes, &listener);
    assert_eq!(worker.hear(), ToSupervisor::Prepared(Generation(2)));
    worker.say(&ToWorker::Abandon(Generation(2)));
    assert_eq!(served_by(&listener), "plan-1");
    worker.offer(3, digest, &bytes, &listener);
    assert_eq!(worker.hear(), ToSupervisor::Prepared(Generation(3)));
    worker.say(&ToWorker::Commit(Generation(3)));
    assert_eq!(worker.hear(), ToSupervisor::Active(Generation(3)));
    assert_eq!(served_by(&listener), "plan-2");
}

#[test]
fn a_worker_that_is_told_nonsense_ends_by_itself() {
    let commit = encode(&ToWorker::Commit(Generation(1)), 0).expect("a message can be written");
    let changed = |at: usize, to: &[u8]| {
        let mut bytes = commit.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        bytes
    };
    for (what, bytes) in [
        ("no frame", b"GET / HTTP/1.1\r\n\r\n".to_vec()),
        ("another version", changed(4, &(FRAME_VERSION + 1).to_le_bytes())),
        ("a length beyond the bound", changed(8, &u32::MAX.to_le_bytes())),
        ("a payload that is no message", [&commit[..12], &[0xff; 12][..]].concat()),
        ("descriptors that do not come", changed(6, &3u16.to_le_bytes())),
    ] {
        let origin = Origin::start();
        let listener = ports::listener();
        let mut worker = serving(&origin, &listener);
        worker.send(&bytes);
        let status = worker.wait_exit();
        assert!(status.code().is_some(), "{what}: ended by a signal, {status:?}");
        assert!(!status.success(), "{what}: {status:?}");
    }
}

#[test]
fn a_truncated_frame_is_not_waited_for_for_ever() {
    let origin = Origin::start();
    let listener = ports::listener();
    let mut worker = serving(&origin, &listener);
    let commit = encode(&ToWorker::Commit(Generation(1)), 0).expect("a message can be written");
    worker.send(&commit[..commit.len() - 3]);
    assert_eq!(served_by(&listener), "plan-1", "half a frame changes nothing");
    let status = worker.wait_exit();
    assert!(status.code().is_some_and(|code| code != 0), "{status:?}");
}

#[test]
fn a_worker_without_a_supervisor_finishes_and_ends() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
    let listener = ports::listener();
    let mut worker = serving(&origin, &listener);
    let port = listener.local_addr().expect("bound").port();
    let mut open = Connection::open(port).expect("a connection");
    open.send(Request::get("/").bytes()).expect("sent");
    origin.wait_for(1);
    worker.hang_up();
    gate.open();
    assert_eq!(open.response().expect("what is in flight is finished").text(), "late");
    worker.wait_exit();
}

#[test]
fn a_worker_drains_when_told() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
    let listener = ports::listener();
    let mut worker = serving(&origin, &listener);
    let port = listener.local_addr().expect("bound").port();
    let mut open = Connection::open(port).expect("a connection");
    open.send(Request::get("/").bytes()).expect("sent");
    origin.wait_for(1);
    worker.say(&ToWorker::Drain(Millis(20_000)));
    polling::hold(Duration::from_millis(100));
    assert!(worker.is_running(), "a request is in flight");
    gate.open();
    let response = open.response().expect("what is in flight is finished");
    assert_eq!((response.text().as_str(), response.closes()), ("late", true));
    assert!(worker.wait_exit().success());
}
