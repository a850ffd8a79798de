//! Load over keep-alive connections that records every failure with its cause.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::polling;
use crate::raw::{Connection, Request, Response};

/// Running load.
#[derive(Debug)]
pub struct Load {
    stop: Arc<AtomicBool>,
    answers: Arc<AtomicU64>,
    threads: Vec<JoinHandle<Tally>>,
}

/// Outcome of the requests.
#[derive(Debug, Default)]
pub struct Tally {
    /// Requests that got the answer they should.
    pub answers: u64,
    /// Requests that did not.
    pub failures: Vec<Failure>,
    /// Connections that were opened.
    pub connections: u64,
}

/// One failed request.
#[derive(Debug)]
pub struct Failure {
    /// When it was noticed.
    pub at: Instant,
    /// Reason of the failure.
    pub cause: String,
    /// Answers that its connection had carried before.
    pub answered_before: u32,
}

/// A request of a connection and the expected response.
pub type Check = dyn Fn(&Response) -> Result<(), String> + Send + Sync;

impl Load {
    /// Starts `connections` clients that repeat `request` without a pause.
    pub fn start(
        port: u16,
        connections: usize,
        request: &Request,
        check: impl Fn(&Response) -> Result<(), String> + Send + Sync + 'static,
    ) -> Load {
        Load::paced(port, connections, None, request, check)
    }

    /// The same with at most `rate` requests a second, all clients together. Who is held up goes on from there.
    pub fn paced(
        port: u16,
        connections: usize,
        rate: Option<u32>,
        request: &Request,
        check: impl Fn(&Response) -> Result<(), String> + Send + Sync + 'static,
    ) -> Load {
        let pause = rate.map(|rate| Duration::from_secs(1) * connections as u32 / rate);
        let (stop, answers) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let check: Arc<Check> = Arc::new(check);
        let client = || {
            let (stop, answers, request, check) =
                (stop.clone(), answers.clone(), request.clone(), check.clone());
            std::thread::spawn(move || run(port, pause, &request, &*check, &stop, &answers))
        };
        let threads = (0..connections).map(|_| client()).collect();
        Load { stop, answers, threads }
    }

    /// Good answers so far.
    pub fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// Waits until `count` more good answers have come.
    pub fn wait_for(&self, count: u64) {
        let goal = self.answers() + count;
        polling::until_true("answers under load", || self.answers() >= goal);
    }

    /// Lets every request in flight finish and adds up.
    pub fn stop(self) -> Tally {
        self.stop.store(true, Ordering::Relaxed);
        let mut sum = Tally::default();
        for thread in self.threads {
            let tally = thread.join().expect("a client thread does not panic");
            sum.answers += tally.answers;
            sum.connections += tally.connections;
            sum.failures.extend(tally.failures);
        }
        sum
    }
}

fn run(
    port: u16,
    pause: Option<Duration>,
    request: &Request,
    check: &Check,
    stop: &AtomicBool,
    answers: &AtomicU64,
) -> Tally {
    let mut tally = Tally::default();
    let mut open = None;
    let mut due = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        if let Some(pause) = pause {
            let now = Instant::now();
            std::thread::sleep(due.saturating_duration_since(now));
            due = (due + pause).max(now);
        }
        let mut connection = match open.take() {
            Some(connection) => connection,
            None => match Connection::open(port) {
                Ok(connection) => {
                    tally.connections += 1;
                    connection
                }
                Err(fault) => {
                    fail(&mut tally, fault.to_string(), 0);
                    continue;
                }
            },
        };
        let before = connection.answered();
        let outcome = connection.exchange(request).map_err(|fault| fault.to_string()).and_then(|response| {
            check(&response)?;
            Ok(response)
        });
        match outcome {
            Ok(response) => {
                tally.answers += 1;
                answers.fetch_add(1, Ordering::Relaxed);
                open = (!response.closes()).then_some(connection);
            }
            Err(cause) => fail(&mut tally, cause, before),
        }
    }
    tally
}

fn fail(tally: &mut Tally, cause: String, answered_before: u32) {
    tally.failures.push(Failure { at: Instant::now(), cause, answered_before });
    // A server that is away would otherwise be asked some ten thousand times a second.
    polling::hold(Duration::from_millis(5));
}
