//! Stops: what is in flight is finished, and nothing else begins.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use waf_tests::contract::encode;
use waf_tests::load::Load;
use waf_tests::origin::{Answer, Gate, Origin, Step};
use waf_tests::polling;
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, Start, to_upstream};

const END: Duration = Duration::from_secs(20);

/// An origin whose `/slow` waits for the gate.
fn gated(gate: &Gate) -> Origin {
    let closed = gate.clone();
    Origin::answering(move |request| {
        let answer = Answer::ok("hello");
        if request.target_text() == "/slow" { answer.after(&closed) } else { answer }
    })
}

#[test]
fn a_stop_lets_requests_in_flight_finish() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let gate = Gate::new();
        let origin = gated(&gate);
        let mut waf = running::waf(&to_upstream(&origin.url()));
        let mut open = Connection::open(waf.port).expect("a connection");
        open.send(Request::get("/slow").bytes()).expect("sent");
        origin.wait_for(1);
        waf.signal(signal);
        let unready = polling::until("readiness to end", || {
            waf.ask("/readyz").ok().filter(|response| response.status != 200)
        });
        assert_eq!((unready.status, waf.ask("/healthz").expect("health is answered").status), (503, 200));
        polling::until_true("the port to close", || Connection::open(waf.port).is_err());
        assert!(waf.is_running(), "a request is in flight");
        gate.open();
        let response = open.response().expect("what is in flight is finished");
        assert_eq!((response.text().as_str(), response.closes()), ("hello", true));
        assert_eq!(waf.wait_exit(END).code(), Some(0), "{signal}");
    }
}

#[test]
fn the_signal_that_opens_logs_again_elsewhere_ends_nothing() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    waf.signal(Signal::SIGUSR1);
    waf.wait_log(&["INFO", "SIGUSR1 does nothing here"]);
    assert_eq!(Request::get("/").to(waf.port).status, 200);
}

#[test]
fn a_stop_under_load_cuts_nothing() {
    let origin = Origin::start();
    let mut waf = running::waf(&to_upstream(&origin.url()));
    let load = Load::start(waf.port, 8, &Request::get("/"), |response| {
        if response.status == 200 { Ok(()) } else { Err(format!("status {}", response.status)) }
    });
    load.wait_for(100);
    waf.signal(Signal::SIGTERM);
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    let tally = load.stop();
    // New connections are refused, as they should be. Nothing that a connection carried may be cut.
    let cut: Vec<_> =
        tally.failures.iter().filter(|failure| !failure.cause.starts_with("connecting")).collect();
    let fresh = cut.iter().filter(|failure| failure.answered_before == 0).count();
    assert!(cut.len() == fresh, "answers were cut: {cut:?}");
    assert!(fresh <= 8, "connections that were accepted by nobody: {cut:?}");
}

#[test]
fn a_second_signal_ends_at_once() {
    let gate = Gate::new();
    let origin = gated(&gate);
    let mut waf = running::waf(&to_upstream(&origin.url()));
    let mut open = Connection::open(waf.port).expect("a connection");
    open.send(Request::get("/slow").bytes()).expect("sent");
    origin.wait_for(1);
    let workers = waf.workers();
    waf.signal(Signal::SIGTERM);
    polling::until_true("readiness to end", || {
        waf.ask("/readyz").is_ok_and(|response| response.status == 503)
    });
    let second = Instant::now();
    waf.signal(Signal::SIGTERM);
    waf.wait_exit(Duration::from_secs(5));
    assert!(second.elapsed() < Duration::from_secs(5));
    polling::until_true("the workers to end", || workers.iter().all(|pid| !running::is_alive(*pid)));
    gate.open();
}

#[test]
fn a_drain_has_an_end() {
    let gate = Gate::new();
    let origin = gated(&gate);
    let mut waf = Start::new().argument("--drain").argument("1").run(&to_upstream(&origin.url()));
    let mut open = Connection::open(waf.port).expect("a connection");
    open.send(Request::get("/slow").bytes()).expect("sent");
    origin.wait_for(1);
    let start = Instant::now();
    waf.signal(Signal::SIGTERM);
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(900) && took < Duration::from_secs(10), "{took:?}");
    assert!(open.response().is_err(), "it was cut");
    gate.open();
}

#[test]
fn a_tunnel_is_served_until_the_drain_ends() {
    let origin = Origin::answering(|_| {
        Answer::raw("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: lines\r\n\r\n")
            .then(Step::Echo)
    });
    let mut waf = Start::new().argument("--drain").argument("2").run(&to_upstream(&origin.url()));
    let mut tunnel = Connection::open(waf.port).expect("a connection");
    let upgrade = Request::get("/").field("Connection", "Upgrade").field("Upgrade", "lines");
    tunnel.send(upgrade.bytes()).expect("sent");
    assert_eq!(tunnel.head().expect("a head").status, 101);
    let start = Instant::now();
    waf.signal(Signal::SIGTERM);
    tunnel.send("still here").expect("the tunnel stands while the service drains");
    assert_eq!(tunnel.take(10).expect("an echo"), b"still here");
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(1900) && took < Duration::from_secs(12), "{took:?}");
    assert!(tunnel.is_closed(), "it ends with the drain");
}

#[test]
fn idle_connections_do_not_hold_up_a_stop() {
    let origin = Origin::start();
    let mut waf = running::waf(&to_upstream(&origin.url()));
    let mut idle = Connection::open(waf.port).expect("a connection");
    assert_eq!(idle.exchange(&Request::get("/")).expect("a response").status, 200);
    let start = Instant::now();
    waf.signal(Signal::SIGTERM);
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(idle.is_closed());
}

#[test]
fn every_event_is_written_before_the_end() {
    let origin = Origin::start();
    let mut waf = running::waf(&to_upstream(&origin.url()));
    let attack = Request::get(format!("/?q={}", encode("<script>alert(1)</script>")));
    let mut connection = Connection::open(waf.port).expect("a connection");
    for _ in 0..200 {
        assert_eq!(connection.exchange(&attack).expect("a response").status, 403);
    }
    waf.signal(Signal::SIGTERM);
    assert_eq!(waf.wait_exit(END).code(), Some(0));
    assert_eq!(waf.wait_events(200).len(), 200);
}
