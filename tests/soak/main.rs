//! The soak: two services under a mixed load that is reloaded all the time and loses a worker now and then, watched for
//! what grows and for what fails. `WAF_TESTS_SOAK=1800 cargo test --release --workspace --test soak -- --nocapture` runs
//! it for half an hour and prints the table of docs/measurements.md; without the variable it takes 20 seconds.

mod clients;
mod judge;
mod record;
mod services;
mod upstream;
mod watch;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use record::Record;
use services::Services;
use waf_tests::running::kill;

/// Duration, and intervals of what happens meanwhile.
#[derive(Debug, Clone, Copy)]
struct Plan {
    time: Duration,
    reload: Duration,
    kill: Duration,
    sample: Duration,
}

impl Plan {
    #[allow(clippy::disallowed_methods, reason = "a test program has no command line of its own")]
    fn asked() -> Plan {
        let asked = std::env::var("WAF_TESTS_SOAK").ok().and_then(|text| text.parse().ok());
        match asked.map(Duration::from_secs) {
            Some(time) => Plan {
                time,
                reload: Duration::from_secs(10),
                kill: Duration::from_mins(1),
                sample: Duration::from_secs(5),
            },
            None => Plan {
                time: Duration::from_secs(20),
                reload: Duration::from_secs(2),
                kill: Duration::from_secs(6),
                sample: Duration::from_millis(500),
            },
        }
    }
}

#[test]
fn nothing_grows_and_nothing_fails() {
    let plan = Plan::asked();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let upstream = runtime.block_on(upstream::start());
    let services = Services::start(upstream);
    let record = Arc::new(Record::new());
    let clients = runtime.block_on(async { clients::start(&services, &record) });
    let samples = disturb(plan, &services, &record);
    record.stop.store(true, Ordering::Relaxed);
    runtime.block_on(async {
        for client in clients {
            client.await.expect("a client does not panic");
        }
    });
    let table = judge::table(plan.time, &samples, &record);
    println!("{table}");
    let wrong = judge::wrong(plan.time, &samples, &record, &services);
    assert!(wrong.is_empty(), "{}\n{table}", wrong.join("\n"));
}

/// Reloads, kills and takes samples until the time is over.
fn disturb(plan: Plan, services: &Services, record: &Record) -> Vec<watch::Sample> {
    let start = Instant::now();
    let [mut reload, mut kill_next, mut sample] =
        [plan.reload, plan.kill, plan.sample].map(|step| start + step);
    let (mut reloads, mut kills, mut samples) = (0, 0, Vec::new());
    while start.elapsed() < plan.time {
        let next = reload.min(kill_next).min(sample);
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        let now = Instant::now();
        if now >= reload {
            reload += plan.reload;
            reloads += 1;
            services.reload(reloads);
        }
        // The last requests are to find every worker in place.
        if now >= kill_next && start.elapsed() + plan.kill / 2 < plan.time {
            kill_next += plan.kill;
            kills += 1;
            let victim = services.youngest_worker(kills);
            record.killed();
            kill(victim, Signal::SIGKILL);
        } else if now >= kill_next {
            kill_next += plan.kill;
        }
        if now >= sample {
            sample += plan.sample;
            samples.push(watch::sample(services, record, start));
        }
    }
    println!("{reloads} reloads of each service, {kills} workers killed");
    samples
}
