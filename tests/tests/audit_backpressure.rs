//! A consumer of the audit stream that is slow, stalls, and recovers: each blocked request is reported exactly once.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::Value;
use waf_shared::limits::AUDIT_WAIT_SECONDS;
use waf_tests::contract;
use waf_tests::origin::Origin;
use waf_tests::polling;
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, FOLDER, HEALTH, METRICS, PORT, Start};
use waf_tests::scrape;

/// Requests of the short form: their events are so long that some 550 fill the queue.
const REQUESTS: u64 = 1_500;

/// Bytes of the short form's queries; the event has them twice.
const LONG: usize = 60_000;

const CLIENTS: u64 = 16;

/// Lines of refused requests that arrive all the same: one a worker had begun to be written when its time was over.
const BEGUN_MAX: usize = 2;

/// Lines that the slow consumer takes before it stalls.
const TAKEN_SLOWLY: u64 = 200;

/// 1,500 with long queries, or as many usual ones as `WAF_TESTS_AUDIT_EVENTS` says (`./test --full` sets 100,000).
#[allow(clippy::disallowed_methods, reason = "a test program has no command line of its own")]
fn form() -> (u64, usize) {
    let asked = std::env::var("WAF_TESTS_AUDIT_EVENTS").ok().and_then(|text| text.parse().ok());
    asked.map_or((REQUESTS, LONG), |requests| (requests, 0))
}

/// The way the consumer takes lines.
const SLOW: u8 = 0;
const STALLED: u8 = 1;
const FREE: u8 = 2;

#[derive(Debug, Default)]
struct Consumer {
    pace: AtomicU8,
    lines: AtomicU64,
    /// Count of the events of each request.
    events: Mutex<HashMap<String, u32>>,
    /// Lines that are no event.
    torn: Mutex<Vec<String>>,
}

impl Consumer {
    fn take(&self, line: &[u8]) {
        let event: Value = serde_json::from_slice(line).unwrap_or_default();
        match event.pointer("/http_request/uid").and_then(Value::as_str) {
            Some(id) => *lock(&self.events).entry(id.to_owned()).or_default() += 1,
            None => {
                lock(&self.torn).push(String::from_utf8_lossy(line.get(..200).unwrap_or(line)).into_owned());
            }
        }
        self.lines.fetch_add(1, Ordering::AcqRel);
        if self.pace.load(Ordering::Acquire) == SLOW {
            polling::hold(Duration::from_millis(10));
        }
        while self.pace.load(Ordering::Acquire) == STALLED {
            polling::hold(Duration::from_millis(5));
        }
    }

    fn lines(&self) -> u64 {
        self.lines.load(Ordering::Acquire)
    }
}

/// Answers to clients.
#[derive(Debug, Default)]
struct Answers {
    left: AtomicU64,
    blocked: Mutex<Vec<String>>,
    refused: Mutex<Vec<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends until no request is left. Each one is answered, sooner or later, in one of two ways.
fn client(port: u16, query: usize, answers: &Answers) {
    let target = format!("/items?q=1%27%20UNION%20SELECT%20a%20FROM%20b--&p={}", "x".repeat(query));
    let request = Request::get(target);
    let mut open = None;
    while answers.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1)).is_ok() {
        let mut connection = match open.take() {
            Some(connection) => connection,
            None => {
                let mut connection = Connection::open(port).expect("a connection");
                connection.patience(Duration::from_secs(30));
                connection
            }
        };
        let response = connection.exchange(&request).expect("an answer");
        if response.status == 503 {
            lock(&answers.refused).push(contract::answered(&response, 503, "unavailable"));
        } else {
            lock(&answers.blocked).push(contract::blocked(&response, 403));
        }
        open = (!response.closes()).then_some(connection);
    }
}

#[test]
fn every_block_is_told_once_however_slow_the_consumer_is() {
    let (requests, query) = form();
    let origin = Origin::start();
    let consumer = Arc::new(Consumer::default());
    let taking = Arc::clone(&consumer);
    let mut waf = Start::new().consumed_by(move |line| taking.take(line)).run(&format!(
        "version: v1alpha1\nport: {PORT}\nhealth_port: {HEALTH}\nmetrics_port: {METRICS}\ndata_dir: {FOLDER}/data\n\
         global: {{accept: {{max_url_length: 65536}}, inspection: {{evaluation_timeout: 5s}}}}\n\
         routes:\n  - upstream: {}\n",
        origin.url()
    ));
    let answers = Arc::new(Answers { left: AtomicU64::new(requests), ..Answers::default() });
    let began_at = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (port, answers) = (waf.port, Arc::clone(&answers));
            std::thread::spawn(move || client(port, query, &answers))
        })
        .collect();

    let within = |what: &str, done: &dyn Fn() -> bool| {
        let limit = Duration::from_secs(if query == 0 { 600 } else { 60 });
        assert!(
            polling::within(limit, || done().then_some(())).is_some(),
            "{what}: {} lines",
            consumer.lines()
        );
    };
    within("lines at the slow pace", &|| consumer.lines() >= TAKEN_SLOWLY);
    consumer.pace.store(STALLED, Ordering::Release);
    // The queue fills, requests wait for ten seconds, then they are refused. Every client has been, so that nobody's time
    // is over in the moment in which the consumer recovers.
    within("a refusal of each client", &|| lock(&answers.refused).len() as u64 >= CLIENTS);
    let before = answers.left.load(Ordering::Acquire);
    assert!(before > 0, "the queue held every event: nothing had to wait");
    consumer.pace.store(FREE, Ordering::Release);
    for client in clients {
        client.join().expect("every request was answered");
    }
    let refusals = lock(&answers.refused).len() as u64;
    let told = requests - refusals;
    // What the metrics say is what clients and the consumer saw.
    let scrape = scrape::until(&waf, "every request and every event", |scrape| {
        scrape.count("waf_requests_total", &[]) == requests
            && scrape.count("waf_audit_events_total", &[]) >= told
    });
    assert_eq!(scrape.count("waf_requests_total", &[("action", "blocked")]), requests);
    assert_eq!(scrape.count("waf_audit_refused_total", &[]), refusals);
    let union = [("protection", "sql-injection-union-select")];
    assert_eq!(scrape.count("waf_requests_blocked_total", &union), told, "what was refused counts for none");
    let waited = scrape.sum("waf_audit_backpressure_seconds_total", &[]);
    assert!(
        waited >= (refusals * AUDIT_WAIT_SECONDS) as f64,
        "{refusals} requests waited their time: {waited} s"
    );
    assert!(waited < CLIENTS as f64 * began_at.elapsed().as_secs_f64(), "{waited} s");
    assert_eq!(scrape.count("waf_degraded", &[]), 0, "nothing was lost");
    waf.signal(Signal::SIGTERM);
    assert!(waf.wait_exit(Duration::from_mins(1)).success());

    let (blocked, refused) = (lock(&answers.blocked), lock(&answers.refused));
    assert_eq!((blocked.len() + refused.len()) as u64, requests);
    within("every line", &|| consumer.lines() >= blocked.len() as u64);
    assert!(lock(&consumer.torn).is_empty(), "{:?}", lock(&consumer.torn).first());
    let events = lock(&consumer.events);
    let wrong: Vec<_> = blocked.iter().filter(|id| events.get(*id) != Some(&1)).collect();
    assert!(wrong.is_empty(), "{} of {} blocks are not told exactly once", wrong.len(), blocked.len());
    let begun = refused.iter().filter(|id| events.contains_key(*id)).count();
    assert!(begun <= BEGUN_MAX, "{begun} of {} refused requests were told", refused.len());
    assert_eq!(events.len(), blocked.len() + begun, "no event of anything else");
    println!("{} blocked and told, {} refused", blocked.len(), refused.len());
}

#[test]
fn what_is_only_detected_waits_for_room_before_it_goes_on() {
    let origin = Origin::start();
    let consumer = Arc::new(Consumer::default());
    consumer.pace.store(STALLED, Ordering::Release);
    let taking = Arc::clone(&consumer);
    let waf = Start::new().consumed_by(move |line| taking.take(line)).run(&format!(
        "version: v1alpha1\nport: {PORT}\nhealth_port: {HEALTH}\nmetrics_port: {METRICS}\ndata_dir: {FOLDER}/data\n\
         global: {{accept: {{max_url_length: 65536}}, inspection: {{evaluation_timeout: 5s}}}}\n\
         routes:\n  - upstream: {0}\n  - match: {{paths: [/seen/*]}}\n    upstream: {0}\n    mode: detect_only\n",
        origin.url()
    ));
    let answers = Arc::new(Answers { left: AtomicU64::new(REQUESTS), ..Answers::default() });
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (port, answers) = (waf.port, Arc::clone(&answers));
            std::thread::spawn(move || client(port, LONG, &answers))
        })
        .collect();
    let full = polling::within(Duration::from_mins(1), || {
        (lock(&answers.refused).len() as u64 >= CLIENTS).then_some(())
    });
    assert!(full.is_some(), "the queue is full");
    let attack = Request::get("/seen/x?q=1%27%20UNION%20SELECT%20a%20FROM%20b--");
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.patience(Duration::from_secs(30));
    let refused = connection.exchange(&attack).expect("an answer");
    contract::answered(&refused, 503, "unavailable");
    assert_eq!(Request::get("/seen/x?q=orange").to(waf.port).status, 200, "what has no event waits for none");
    consumer.pace.store(FREE, Ordering::Release);
    for client in clients {
        client.join().expect("every request was answered");
    }
    assert_eq!(attack.to(waf.port).status, 200);
    assert_eq!(origin.take().len(), 2, "what was refused did not go on");
}

#[test]
fn a_consumer_that_is_gone_is_shown_until_one_is_back() {
    let origin = Origin::start();
    let folder = tempfile::tempdir().expect("a folder for the test");
    let pipe = folder.path().join("events");
    mkfifo(&pipe, Mode::S_IRWXU).expect("a named pipe");
    let reading = || {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(&pipe).expect("the pipe can be read")
    };
    let consumer = reading();
    let waf =
        Start::new().writing_to(&pipe).run(&running::with_metrics(&running::to_upstream(&origin.url())));
    let block =
        || contract::blocked(&Request::get("/?q=1%27%20UNION%20SELECT%20a%20FROM%20b--").to(waf.port), 403);
    let until = |what: &str, missing: u64, events: u64| {
        scrape::until(&waf, what, |scrape| {
            scrape.count("waf_degraded", &[("what", "audit")]) == missing
                && scrape.count("waf_audit_events_total", &[]) == events
        });
    };
    let first = block();
    until("the first event", 0, 1);
    drop(consumer);
    let lost = block();
    until("the loss", 1, 1);
    waf.wait_log(&["ERROR", "audit events are lost: stdout cannot be written"]);
    let mut consumer = reading();
    let last = block();
    until("the end of it", 0, 2);
    waf.wait_log(&["INFO", "audit events are written again"]);
    let mut text = String::new();
    // Non-blocking: what was written is read, then there is nothing more for now.
    let _ = consumer.read_to_string(&mut text);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains(&first) && lines[1].contains(&last), "{text}");
    assert!(!text.contains(&lost), "{text}");
}
