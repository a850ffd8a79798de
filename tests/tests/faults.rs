//! Faults that no other file of tests is about: a worker that says nothing, a clock that jumps, files that are replaced
//! in every way that editors and volumes know. docs/reliability.md lists the tests of all faults.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use waf_shared::limits::PREPARE_SECONDS;
use waf_tests::clock::Clock;
use waf_tests::load::{Load, Tally};
use waf_tests::origin::{Answer, Gate, Origin};
use waf_tests::polling;
use waf_tests::ports;
use waf_tests::raw::{Request, Response};
use waf_tests::running::{self, HEALTH, PORT, Start, Waf, kill, to_upstream, with_routes};

fn stamped(origin: &Origin, stamp: &str) -> String {
    with_routes(&format!(
        "  - upstream: {}\n    response_headers:\n      inject:\n        response-headers-add-frame-options: {stamp}\n",
        origin.url()
    ))
}

fn stamp(response: &Response) -> String {
    response.field("x-frame-options").unwrap_or_default().to_owned()
}

fn ok(response: &Response) -> Result<(), String> {
    if response.status == 200 { Ok(()) } else { Err(format!("status {}", response.status)) }
}

fn without_failures(tally: &Tally) {
    assert!(tally.answers > 0, "there was load");
    assert!(
        tally.failures.is_empty(),
        "{} failures, first {:?}",
        tally.failures.len(),
        tally.failures.first()
    );
}

fn reloads(waf: &Waf) -> usize {
    waf.log().iter().filter(|line| line.contains("reloaded")).count()
}

#[test]
fn a_worker_that_says_nothing_is_replaced_and_the_reload_goes_on() {
    let origin = Origin::start();
    let waf = running::waf(&stamped(&origin, "one"));
    let (before, workers) = (waf.plan(), waf.workers());
    let silent = *workers.first().expect("two workers");
    kill(silent, Signal::SIGSTOP);
    let began = Instant::now();
    waf.reconfigure(&stamped(&origin, "two"));
    let patience = Duration::from_secs(PREPARE_SECONDS) + polling::PATIENCE;
    polling::within(patience, || (waf.workers() != workers && waf.workers().len() == 2).then_some(()))
        .expect("the silent worker is replaced");
    let took = began.elapsed();
    assert!(took >= Duration::from_secs(PREPARE_SECONDS), "it had its time: {took:?}");
    waf.until_replaced(&before);
    assert!(!waf.workers().contains(&silent));
    for _ in 0..8 {
        assert_eq!(stamp(&Request::get("/").to(waf.port)), "two", "both workers serve the new plan");
    }
}

#[test]
fn a_clock_that_jumps_changes_no_deadline_and_no_window() {
    const DAY: Duration = Duration::from_hours(24);
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |request| {
        let answer = Answer::ok("hello");
        if request.target_text() == "/slow" { answer.after(&closed) } else { answer }
    });
    let limit = "rate_limit: { requests: 3, window: 1h, source: { type: ip } }";
    let config = |stamp: &str| {
        with_routes(&format!(
            "  - match: {{ paths: [/limited] }}\n    upstream: {url}\n    {limit}\n  - upstream: {url}\n    \
             upstream_timeout: 2s\n    response_headers:\n      inject:\n        response-headers-add-frame-options: {stamp}\n",
            url = origin.url()
        ))
    };
    let clock = Clock::new();
    let waf = clock.shown_to(Start::new()).run(&config("zero"));
    let limited = || Request::get("/limited").to(waf.port).status;
    assert_eq!([limited(), limited(), limited(), limited()], [200, 200, 200, 429]);
    let load = Load::start(waf.port, 4, &Request::get("/"), ok);
    let jumps: [(&str, &dyn Fn()); 3] = [
        ("forward", &|| clock.ahead(DAY)),
        ("back", &|| clock.behind(DAY)),
        ("right", &|| clock.ahead(Duration::ZERO)),
    ];
    for (name, jump) in jumps {
        let began = Instant::now();
        let slow = std::thread::spawn({
            let port = waf.port;
            move || Request::get("/slow").to(port).status
        });
        polling::hold(Duration::from_millis(200));
        jump();
        load.wait_for(200);
        assert_eq!(limited(), 429, "{name}: the window is as long as it was");
        let before = waf.plan();
        waf.reconfigure(&config(name));
        waf.until_replaced(&before);
        waf.wait_log(&["reloaded", &clock.date()]);
        assert_eq!(slow.join().expect("an answer"), 504);
        let took = began.elapsed();
        assert!(took >= Duration::from_millis(1_900), "{name}: {took:?}");
    }
    without_failures(&load.stop());
    gate.open();
}

#[test]
fn each_change_of_a_file_is_one_reload_however_it_is_made() {
    let origin = Origin::start();
    let waf = running::waf(&stamped(&origin, "zero"));
    let changes: [(&str, &dyn Fn(&Waf, &str)); 4] = [
        ("renamed", &|waf, text| waf.reconfigure(text)),
        ("in-two-steps", &|waf, text| waf.write_in_two_steps(text)),
        ("recreated", &|waf, text| {
            std::fs::remove_file(waf.config()).expect("the file is there");
            polling::hold(Duration::from_millis(20));
            waf.reconfigure(text);
        }),
        ("renamed-again", &|waf, text| waf.reconfigure(text)),
    ];
    for (done, (name, change)) in changes.into_iter().enumerate() {
        let before = waf.plan();
        change(&waf, &stamped(&origin, name));
        waf.until_replaced(&before);
        assert_eq!(stamp(&Request::get("/").to(waf.port)), name);
        // Long enough for another to follow, were there one.
        polling::hold(Duration::from_millis(500));
        assert_eq!(reloads(&waf), done + 1, "{name}: {:?}", waf.log());
    }
}

#[test]
fn ten_good_reloads_cut_no_connection() {
    let origin = Origin::start();
    let waf = running::waf(&stamped(&origin, "zero"));
    let load = Load::start(waf.port, 8, &Request::get("/"), ok);
    load.wait_for(50);
    for number in 1..=10 {
        let before = waf.plan();
        waf.reconfigure(&stamped(&origin, &format!("n{number}")));
        waf.until_replaced(&before);
    }
    load.wait_for(50);
    let tally = load.stop();
    assert_eq!(tally.connections, 8, "no reused connection was cut");
    without_failures(&tally);
}

#[test]
fn a_port_in_use_at_the_start_is_named() {
    let taken = ports::listener();
    let port = taken.local_addr().expect("bound").port();
    let config = to_upstream("http://127.0.0.1:9");
    for (field, text) in [
        ("port", config.replace(PORT, &port.to_string())),
        ("health_port", config.replace(HEALTH, &port.to_string())),
    ] {
        let mut waf = Start::new().launch(&text);
        assert_eq!(waf.wait_exit(polling::PATIENCE).code(), Some(1), "{field}");
        waf.wait_log(&[&format!("`{field}` {port} cannot be bound"), "in use"]);
    }
}
