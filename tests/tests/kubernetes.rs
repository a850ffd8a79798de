//! A ConfigMap that changes under running pods, and one that is broken from the start, with the probes of the kubelet
//! looking on all the time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use waf_tests::load::Load;
use waf_tests::origin::Origin;
use waf_tests::polling;
use waf_tests::raw::{Request, Response};
use waf_tests::running::{FOLDER, HEALTH, PORT, Start};

/// A configuration that is seen in its answers.
fn config(origin: &Origin, number: usize) -> String {
    format!(
        "version: v1alpha1\nport: {PORT}\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\n\
         global:\n  response_headers:\n    inject:\n      response-headers-add-referrer-policy: plan-{number}\n\
         routes:\n  - upstream: {}\n",
        origin.url()
    )
}

/// Files that hold a fault each, with where the log has to see it.
fn broken(origin: &Origin) -> [(String, &'static str); 4] {
    let good = config(origin, 0);
    [
        (good.replace("routes:", "rotues:"), "rotues"),
        (good.replace("version: v1alpha1", "version: v2"), "waf.yaml:1:"),
        ("routes: [".to_owned(), "waf.yaml:"),
        (String::new(), "waf.yaml:"),
    ]
}

/// Probes that ask as the kubelet does, only more often, and remember every answer.
struct Probes {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<Result<u16, String>>>,
}

impl Probes {
    fn start(port: u16, path: &'static str) -> Probes {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut answers = Vec::new();
            while !stopped.load(Ordering::SeqCst) {
                let answer = Request::get(path).try_to(port);
                answers.push(answer.map(|response| response.status).map_err(|fault| format!("{fault:?}")));
                polling::hold(Duration::from_millis(10));
            }
            answers
        });
        Probes { stop, thread }
    }

    fn stop(self) -> Vec<Result<u16, String>> {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.join().expect("probing does not fail")
    }
}

fn plan_in(response: &Response) -> Option<&str> {
    response.field("Referrer-Policy")
}

#[test]
fn a_broken_config_map_never_makes_a_ready_pod_unready() {
    let origin = Origin::start();
    let waf = Start::new().mounted().run(&config(&origin, 1));
    let probes = ["/readyz", "/healthz"].map(|path| Probes::start(waf.health, path));
    let load = Load::start(waf.port, 2, &Request::get("/"), |response| {
        let stamped = plan_in(response).is_some_and(|plan| plan.starts_with("plan-"));
        if response.status == 200 && stamped { Ok(()) } else { Err(format!("{response:?}")) }
    });
    let mut plans = BTreeSet::from([waf.plan()]);
    for (index, (text, words)) in broken(&origin).iter().enumerate() {
        let (plan, told) = (waf.plan(), refusals(&waf.log()));
        waf.swap(text);
        polling::until_true("the log to say what is wrong", || {
            refusals(&waf.log()) > told && waf.log().iter().any(|line| line.contains(words))
        });
        assert_eq!(waf.plan(), plan, "what served before serves on");
        // The next version holds, and is taken as if nothing had been.
        waf.swap(&config(&origin, index + 2));
        plans.insert(waf.until_replaced(&plan));
        let expected = format!("plan-{}", index + 2);
        assert_eq!(plan_in(&Request::get("/").to(waf.port)), Some(expected.as_str()));
    }
    load.wait_for(20);
    let tally = load.stop();
    assert!(tally.failures.is_empty(), "{:?}", tally.failures.first());
    assert_eq!(plans.len(), 5);
    for answers in probes.map(Probes::stop) {
        assert!(answers.len() > 20, "{} probes", answers.len());
        let bad: Vec<_> = answers.iter().filter(|answer| **answer != Ok(200)).collect();
        assert!(bad.is_empty(), "{} of {} probes: {bad:?}", bad.len(), answers.len());
    }
}

/// Number of log lines about files that were not taken.
fn refusals(log: &[String]) -> usize {
    log.iter().filter(|line| line.contains("the new configuration is not valid")).count()
}

#[test]
fn a_fresh_pod_with_a_broken_config_map_never_becomes_ready_and_says_why() {
    let origin = Origin::start();
    for (text, words) in broken(&origin) {
        let mut waf = Start::new().mounted().launch(&text);
        let probes = Probes::start(waf.health, "/readyz");
        let status = waf.wait_exit(polling::PATIENCE);
        assert_eq!(status.code(), Some(1), "the kubelet starts it again, later and later");
        waf.wait_log(&[words]);
        let answers = probes.stop();
        assert!(answers.iter().all(Result::is_err), "nobody answers: {answers:?}");
        assert!(waf.out().is_empty(), "audit events alone go to standard output");
    }
}
