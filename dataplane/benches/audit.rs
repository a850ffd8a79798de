//! Cost of an audit event for a worker: `cargo bench -p waf-dataplane --bench audit`. Writing the line is measured for
//! both formats; the way of a line into the stream with a reader at its other end.

use std::borrow::Cow;
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::time::{Duration, SystemTime};

use divan::{Bencher, black_box};
use waf_dataplane::audit::sink::Sink;
use waf_dataplane::audit::{self, Disposition, Event, EventFinding, Protection, Trace};
use waf_shared::catalog::Leaf;
use waf_shared::plan::{AuditFormat, Mode};

fn main() {
    divan::main();
}

const FORMATS: [AuditFormat; 2] = [AuditFormat::Ocsf, AuditFormat::Ecs];

/// Findings that an event lists at most.
const MANY: usize = 32;

/// As many findings of an injection as are wanted, in a page view as browsers send them.
fn with_event<R>(findings: usize, run: impl FnOnce(&Event<'_>) -> R) -> R {
    let leaves = [Leaf::SqlInjectionUnionSelect, Leaf::SqlInjectionLoginBypass];
    let rules = ["sql-injection-union-select/union-select", "sql-injection-login-bypass/tautology"];
    let found: Vec<EventFinding<'_>> = (0..findings)
        .map(|at| EventFinding {
            protection: Protection::Leaf(leaves[at % 2]),
            rule: Some(rules[at % 2]),
            place: Cow::Borrowed("ARGS"),
            name: Cow::Borrowed(b"q"),
            view: Some("percent"),
            offset: Some(2),
            excerpt: Cow::Borrowed(b"1' UNION SELECT password FROM users--"),
            reason: Cow::Borrowed("A second SELECT is appended to a query."),
            weight: 5,
        })
        .collect();
    run(&Event {
        time: SystemTime::now(),
        disposition: Disposition::Blocked,
        plan: "5f2b1c9d8e7a60415f2b1c9d8e7a60415f2b1c9d8e7a60415f2b1c9d8e7a6041",
        mode: Mode::Blocking,
        route_id: Some("shop"),
        request_id: "01939d5e-7b1a-7c3e-8f00-000000000001",
        client: ([203, 0, 113, 7], 54321).into(),
        listener: ([192, 0, 2, 10], 8080).into(),
        scheme: "http",
        tls: None,
        method: Some(b"GET"),
        target: Some(b"/search?q=1%27%20UNION%20SELECT%20password%20FROM%20users--&page=2&token=hunter2"),
        host: Some(b"shop.example.com:8080"),
        version: Some("HTTP/1.1"),
        user_agent: Some(b"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"),
        referer: Some(b"https://shop.example.com/catalogue/orange?page=1"),
        status: 403,
        status_detail: None,
        duration: Some(Duration::from_micros(170)),
        score: 10,
        findings: &found,
        not_inspected: &[],
        trace: Some(Trace { trace_id: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, span_id: 0xf0_67aa }),
    })
}

/// From the facts to the line.
#[divan::bench(args = FORMATS)]
fn write(bencher: Bencher<'_, '_>, format: AuditFormat) {
    measure(bencher, format, 2);
}

/// The same with as many findings as an event lists.
#[divan::bench(args = FORMATS)]
fn write_many(bencher: Bencher<'_, '_>, format: AuditFormat) {
    measure(bencher, format, MANY);
}

fn measure(bencher: Bencher<'_, '_>, format: AuditFormat, findings: usize) {
    with_event(findings, |event| {
        bencher.bench_local(|| {
            let mut line = Vec::new();
            audit::write(black_box(event), format, &mut line);
            line
        });
    });
}

/// From the line to the kernel's buffer, one request after the other: the queue, the task that writes, its answer.
#[divan::bench(args = [2, MANY])]
fn send(bencher: Bencher<'_, '_>, findings: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
    let reader = std::thread::spawn(move || {
        let mut piece = vec![0; 64 << 10];
        while theirs.read(&mut piece).is_ok_and(|count| count > 0) {}
    });
    let mut line = Vec::new();
    with_event(findings, |event| audit::write(event, AuditFormat::Ocsf, &mut line));
    let sink = {
        let _inside = runtime.enter();
        Sink::new(ours).expect("a sink")
    };
    bencher.with_inputs(|| line.clone()).bench_local_values(|line| runtime.block_on(sink.send(line)));
    drop(sink);
    drop(runtime);
    reader.join().expect("the reader ends with the stream");
}
