//! The metrics listener: what is counted, how it is shown, and that Prometheus and its linter take it.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;
use waf_tests::coded::encode;
use waf_tests::contract::{answered, blocked};
use waf_tests::origin::{Answer, Authority, Gate, Origin, Step};
use waf_tests::raw::{self, Connection, Request};
use waf_tests::running::{self, FOLDER, Waf, kill, to_upstream, with_metrics, with_routes};
use waf_tests::scrape::{self, Scrape};
use waf_tests::{polling, ports};

const ATTACK: &str = "/?q=1'+UNION+SELECT+password+FROM+users--";
const REQUESTS: &str = "waf_requests_total";
const ERRORS: &str = "waf_upstream_errors_total";

fn waf(routes: &str) -> Waf {
    running::waf(&with_metrics(&with_routes(routes)))
}

#[test]
fn it_is_shown_in_two_formats() {
    let origin = Origin::start();
    let waf = running::waf(&with_metrics(&to_upstream(&origin.url())));
    let old = scrape::ask(&waf, "text/plain;version=0.0.4");
    assert_eq!(old.field("Content-Type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert!(old.text().contains("# TYPE waf_requests_total counter\n"), "{}", old.text());
    let new = scrape::ask(&waf, "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5");
    assert_eq!(new.field("Content-Type"), Some("application/openmetrics-text; version=1.0.0; charset=utf-8"));
    assert!(new.text().ends_with("# EOF\n") && new.text().contains("# TYPE waf_requests counter\n"));
    let plan = waf.plan();
    assert!(old.text().contains(&format!("waf_plan_info{{plan=\"{plan}\"}} 1\n")), "{}", old.text());
    for path in ["/", "/metrics/", "/healthz"] {
        assert_eq!(Request::get(path).to(waf.metrics).status, 404, "{path}");
    }
    for method in ["POST", "DELETE", "OPTIONS"] {
        let response = Request::new(method, "/metrics").to(waf.metrics);
        assert_eq!((response.status, response.field("Allow")), (405, Some("GET, HEAD")), "{method}");
    }
    // Without labels from the start, and those of routes too: the first failure is an increase.
    let scrape = Scrape::of(&waf);
    for name in ["waf_requests_in_flight", "waf_audit_refused_total", "waf_trace_spans_dropped_total"] {
        assert!(scrape.has(name, &[]), "{name}");
    }
    assert_eq!(scrape.values(ERRORS, "kind"), ["5xx", "connect", "reset", "timeout", "tls"]);
    assert_eq!(scrape.values(REQUESTS, "route"), ["-", "default"]);
    assert_eq!(scrape.count("waf_workers", &[]), 2);
    assert!(origin.requests().is_empty(), "metrics and traffic are apart");
}

#[test]
fn the_linter_of_prometheus_is_content() {
    let origin = Origin::start();
    let waf = running::waf(&with_metrics(&to_upstream(&origin.url())));
    blocked(&Request::get(ATTACK).to(waf.port), 403);
    assert_eq!(Request::get("/").to(waf.port).status, 200);
    scrape::until(&waf, "both requests", |scrape| scrape.count(REQUESTS, &[]) == 2);
    let mut check = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool can be started (Debian package prometheus)");
    let text = scrape::ask(&waf, "text/plain").text();
    check.stdin.take().expect("asked for").write_all(text.as_bytes()).expect("promtool reads");
    let output = check.wait_with_output().expect("promtool ends");
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success() && said.is_empty(), "{}", String::from_utf8_lossy(&said));
}

/// A Prometheus that scrapes; it is ended when it is dropped.
struct Prometheus {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Prometheus {
    fn scraping(port: u16) -> Prometheus {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let config = folder.path().join("prometheus.yml");
        let text = format!(
            "global: {{ scrape_interval: 1s, scrape_timeout: 1s }}\n\
             scrape_configs:\n  - job_name: waf\n    static_configs: [ {{ targets: ['127.0.0.1:{port}'] }} ]\n"
        );
        std::fs::write(&config, text).expect("a file in the test's folder");
        let own = ports::free();
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{own}"))
            .arg("--log.level=error")
            .spawn()
            .expect("prometheus can be started (Debian package prometheus)");
        Prometheus { child, port: own, _folder: folder }
    }

    /// The value of an expression that gives one.
    fn query(&self, expression: &str) -> Option<f64> {
        let target = format!("/api/v1/query?query={}", waf_tests::contract::encode(expression));
        let response =
            Request::get(target).try_to(self.port).ok().filter(|response| response.status == 200)?;
        response.json()["data"]["result"][0]["value"][1].as_str()?.parse().ok()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_real_prometheus_scrapes_it() {
    let origin = Origin::start();
    let waf = running::waf(&with_metrics(&to_upstream(&origin.url())));
    for _ in 0..5 {
        assert_eq!(Request::get("/").to(waf.port).status, 200);
    }
    blocked(&Request::get(ATTACK).to(waf.port), 403);
    let prometheus = Prometheus::scraping(waf.metrics);
    let shows = |expression: &str, value: f64| {
        polling::until_true(&format!("{expression} to be {value}"), || {
            prometheus.query(expression).is_some_and(|got| (got - value).abs() < 0.001)
        });
    };
    shows("up", 1.0);
    shows("sum(waf_requests_total{route=\"default\",action=\"allowed\"})", 5.0);
    shows("sum(waf_requests_blocked_total{protection=\"sql-injection-union-select\"})", 1.0);
    shows("sum(waf_request_duration_seconds_count)", 6.0);
    shows("sum(waf_request_duration_seconds_bucket{le=\"+Inf\"})", 6.0);
    shows("count(waf_plan_info)", 1.0);
}

#[test]
fn requests_are_counted_by_route_and_action_over_workers_and_their_deaths() {
    let origin = Origin::start();
    let routes = format!(
        "  - id: shop\n    match: {{ paths: [/shop/*] }}\n    upstream: {0}\n\
         \x20 - id: watched\n    match: {{ paths: [/watched/*] }}\n    upstream: {0}\n    mode: detect_only\n",
        origin.url()
    );
    let waf = waf(&routes);
    let send = |target: &str, count: usize, status: u16| {
        for _ in 0..count {
            assert_eq!(Request::get(target).to(waf.port).status, status, "{target}");
        }
    };
    let attack = |path: &str| format!("{path}{}", &ATTACK[1..]);
    send("/shop/", 30, 200);
    send(&attack("/shop/"), 4, 403);
    send(&attack("/watched/"), 3, 200);
    send("/none", 2, 404);
    assert_eq!(raw::send(waf.port, "no HTTP\r\n\r\n").expect("an answer").status, 400);
    let count = |scrape: &Scrape, route: &str, action: &str| {
        scrape.count(REQUESTS, &[("route", route), ("action", action)])
    };
    let scrape = scrape::until(&waf, "40 requests", |scrape| scrape.count(REQUESTS, &[]) >= 40);
    assert_eq!((count(&scrape, "shop", "allowed"), count(&scrape, "shop", "blocked")), (30, 4));
    assert_eq!((count(&scrape, "watched", "detected"), count(&scrape, "watched", "allowed")), (3, 0));
    assert_eq!((count(&scrape, "-", "blocked"), scrape.count(REQUESTS, &[])), (3, 40));
    let union = |route| [("route", route), ("protection", "sql-injection-union-select")];
    assert_eq!(scrape.count("waf_requests_blocked_total", &union("shop")), 4);
    assert_eq!(scrape.count("waf_detected_threats_total", &union("watched")), 3);
    let malformed = [("route", "-"), ("protection", "http-compliance-malformed-request-line")];
    assert_eq!(scrape.count("waf_requests_blocked_total", &malformed), 1);
    assert_eq!(scrape.count("waf_audit_events_total", &[]), waf.wait_events(8).len() as u64);
    assert_eq!(scrape.count("waf_request_duration_seconds_count", &[("route", "shop")]), 34);
    assert_eq!(scrape.count("waf_inspection_duration_seconds_count", &[("route", "shop")]), 34);
    assert!(scrape.sum("waf_inspection_seconds_total", &[("family", "sql")]) > 0.0);
    assert!(scrape.sum("waf_inspection_seconds_total", &[("family", "-")]) > 0.0);

    let before = waf.workers();
    kill(before[0], Signal::SIGKILL);
    scrape::until(&waf, "the restart", |scrape| scrape.count("waf_worker_restarts_total", &[]) == 1);
    let whole = scrape::until(&waf, "two workers again", |scrape| {
        scrape.count("waf_workers", &[]) == 2 && scrape.count("waf_degraded", &[("what", "workers")]) == 0
    });
    assert_eq!(whole.count(REQUESTS, &[]), 40, "a death takes nothing away");
    send("/shop/", 20, 200);
    scrape::until(&waf, "60 requests", |scrape| count(scrape, "shop", "allowed") == 50);
}

#[test]
fn failures_of_upstreams_are_told_apart() {
    let origin = Origin::answering(|request| match request.target_text().as_str() {
        "/closes" => Answer::close(),
        "/garbles" => Answer::raw("this is not HTTP\r\n\r\n"),
        "/fails" => Answer::new(503, &[], "later"),
        "/breaks" => Answer::raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this").then(Step::Close),
        _ => Answer::ok("fine"),
    });
    let stranger = Origin::tls(&Authority::new("localhost"), Answer::echo);
    let silent = ports::listener();
    let silent_port = silent.local_addr().expect("bound").port();
    let routes = format!(
        "  - id: down\n    match: {{ paths: [/down] }}\n    upstream: http://127.0.0.1:{}\n\
         \x20 - id: secret\n    match: {{ paths: [/secret] }}\n    upstream: https://localhost:{}\n\
         \x20 - id: silent\n    match: {{ paths: [/silent] }}\n    upstream: http://127.0.0.1:{silent_port}\n    upstream_timeout: 1s\n\
         \x20 - id: shop\n    upstream: {}\n",
        ports::free(),
        stranger.port(),
        origin.url()
    );
    let waf = waf(&routes);
    answered(&Request::get("/down").to(waf.port), 502, "bad_gateway");
    answered(&Request::get("/secret").to(waf.port), 502, "bad_gateway");
    answered(&Request::get("/silent").to(waf.port), 504, "gateway_timeout");
    answered(&Request::get("/closes").to(waf.port), 502, "bad_gateway");
    answered(&Request::get("/garbles").to(waf.port), 502, "bad_gateway");
    assert_eq!(Request::get("/fails").to(waf.port).status, 503);
    assert!(Request::get("/breaks").try_to(waf.port).is_err(), "the client sees that bytes are missing");
    assert_eq!(Request::get("/fine").to(waf.port).status, 200);
    let scrape = scrape::until(&waf, "8 requests", |scrape| scrape.count(REQUESTS, &[]) == 8);
    for (route, kind, count) in [
        ("down", "connect", 1),
        ("secret", "tls", 1),
        ("silent", "timeout", 1),
        ("shop", "reset", 3),
        ("shop", "5xx", 1),
    ] {
        assert_eq!(scrape.count(ERRORS, &[("route", route), ("kind", kind)]), count, "{route} {kind}");
    }
    assert_eq!(scrape.count(ERRORS, &[]), 7);
    assert_eq!(scrape.count(REQUESTS, &[("action", "allowed")]), 8, "what fails upstream was allowed");
}

#[test]
fn what_became_of_bodies_is_counted() {
    let origin = Origin::start();
    let routes = format!(
        "  - id: small\n    match: {{ paths: [/small] }}\n    upstream: {0}\n    inspection: {{ max_memory_buffer: 1KB }}\n\
         \x20 - id: front\n    match: {{ paths: [/front] }}\n    upstream: {0}\n    inspection: {{ max_inspect_size: 1000 }}\n\
         \x20 - id: coded\n    match: {{ paths: [/coded] }}\n    upstream: {0}\n    inspection: {{ decompression_ratio_limit: 10 }}\n\
         \x20 - id: hasty\n    upstream: {0}\n    mode: detect_only\n    inspection: {{ evaluation_timeout: 10ms, max_inspect_size: 10MB }}\n",
        origin.url()
    );
    let waf = waf(&routes);
    let words = "two of the chairs are broken ".repeat(100);
    let post = |target: &str, body: &str| Request::post(target, "text/plain", body).to(waf.port).status;
    assert_eq!(post("/small", &words), 200);
    assert_eq!(post("/small", "short"), 200);
    assert_eq!(post("/front", &words), 200);
    let bomb = encode("gzip", "a".repeat(100_000).as_bytes());
    let request = Request::post("/coded", "text/plain", bomb).field("Content-Encoding", "gzip");
    blocked(&request.to(waf.port), 403);
    let long: Vec<String> = (0..200_000).map(|at| format!("\"the chair number {at} is broken\"")).collect();
    let long = format!("[{}]", long.join(","));
    assert_eq!(Request::post("/hasty", "application/json", &long).to(waf.port).status, 200);
    let scrape = scrape::until(&waf, "5 requests", |scrape| scrape.count(REQUESTS, &[]) == 5);
    let uninspected = (words.len() - 1000) as u64;
    for (name, route, count) in [
        ("waf_body_spooled_total", "small", 1),
        ("waf_body_uninspected_bytes_total", "front", uninspected),
        ("waf_decompression_rejected_total", "coded", 1),
        ("waf_evaluation_timeout_total", "hasty", 1),
    ] {
        assert_eq!(scrape.count(name, &[("route", route)]), count, "{name}");
        let others = scrape.values(name, "route").len();
        assert_eq!(others, 5, "{name} is there for every route");
    }
    assert_eq!(scrape.count("waf_degraded", &[]), 0);
}

#[test]
fn responses_that_rules_could_not_read_are_counted() {
    let long = "two of the chairs are broken ".repeat(100);
    let packed = encode("gzip", long.as_bytes());
    let origin = Origin::answering(move |request| {
        let html = ("Content-Type", "text/html");
        match request.target_text().as_str() {
            "/long" => Answer::new(200, &[html], long.as_str()),
            "/packed" => Answer::new(200, &[html, ("Content-Encoding", "gzip")], packed.clone()),
            "/unknown" => Answer::new(200, &[html, ("Content-Encoding", "lzma")], "x"),
            "/broken" => Answer::new(200, &[html, ("Content-Encoding", "gzip")], "no gzip at all"),
            "/image" => Answer::new(200, &[("Content-Type", "image/png")], long.as_str()),
            _ => Answer::new(200, &[html], "short"),
        }
    });
    let waf = waf(&format!(
        "  - id: front\n    upstream: {}\n    inspection: {{ max_inspect_size: 1000 }}\n",
        origin.url()
    ));
    let targets = ["/long", "/packed", "/unknown", "/broken", "/image", "/short"];
    for target in targets {
        assert_eq!(Request::get(target).to(waf.port).status, 200, "{target}");
    }
    let scrape = scrape::until(&waf, "6 requests", |scrape| scrape.count(REQUESTS, &[]) == 6);
    for (why, count) in [("length", 2), ("coding", 2)] {
        let labels = [("route", "front"), ("why", why)];
        assert_eq!(scrape.count("waf_responses_uninspected_total", &labels), count, "{why}");
    }
}

#[test]
fn a_disk_that_fails_is_shown_until_it_works() {
    let origin = Origin::start();
    let config = with_metrics(&to_upstream(&origin.url()))
        .replace(&format!("{FOLDER}/data"), &format!("{FOLDER}/other"));
    let temporary = format!("{FOLDER}/none");
    let waf = running::Start::new()
        .argument("--workers")
        .argument("1")
        .environment("TMPDIR", &temporary)
        .run(&format!("{config}global: {{ inspection: {{ max_memory_buffer: 1KB }} }}\n"));
    let spool = waf.folder().join("other/spool");
    std::fs::create_dir_all(waf.folder().join("other")).expect("a folder");
    std::fs::write(&spool, "").expect("a file where a folder is wanted");
    let words = "two of the chairs are broken ".repeat(100);
    let post = || Request::post("/", "text/plain", &words).to(waf.port);
    assert_eq!(post().status, 503);
    let missing = |scrape: &Scrape| scrape.count("waf_degraded", &[("what", "spooling")]);
    scrape::until(&waf, "the failing disk", |scrape| missing(scrape) == 1);
    std::fs::remove_file(&spool).expect("the file goes");
    assert_eq!(post().status, 200);
    scrape::until(&waf, "the disk that works", |scrape| missing(scrape) == 0);
}

#[test]
fn what_is_in_flight_is_shown() {
    let gate = Gate::new();
    let closed = gate.clone();
    let origin = Origin::answering(move |_| Answer::ok("late").after(&closed));
    let waf = running::waf(&with_metrics(&to_upstream(&origin.url())));
    let mut open: Vec<Connection> =
        (0..5).map(|_| Connection::open(waf.port).expect("a connection")).collect();
    for connection in &mut open {
        connection.send(Request::get("/").bytes()).expect("sent");
    }
    let in_flight = |scrape: &Scrape| scrape.count("waf_requests_in_flight", &[]);
    let scrape = scrape::until(&waf, "5 in flight", |scrape| in_flight(scrape) == 5);
    assert_eq!(scrape.count(REQUESTS, &[]), 0, "a request counts when it is over");
    gate.open();
    for connection in &mut open {
        assert_eq!(connection.response().expect("a response").text(), "late");
    }
    scrape::until(&waf, "none in flight", |scrape| {
        in_flight(scrape) == 0 && scrape.count(REQUESTS, &[]) == 5
    });
}

#[test]
fn reloads_are_counted_and_routes_come_and_go() {
    let origin = Origin::start();
    let config = |routes: &[&str]| {
        let routes: Vec<String> = routes
            .iter()
            .map(|id| {
                format!("  - id: {id}\n    match: {{ paths: [/{id}] }}\n    upstream: {}\n", origin.url())
            })
            .collect();
        with_metrics(&with_routes(&routes.concat()))
    };
    let waf = running::waf(&config(&["kept", "old"]));
    for path in ["/kept", "/old", "/old"] {
        assert_eq!(Request::get(path).to(waf.port).status, 200);
    }
    let first = scrape::until(&waf, "3 requests", |scrape| scrape.count(REQUESTS, &[]) == 3);
    let since = "waf_config_last_reload_success_timestamp_seconds";
    assert!(first.sum(since, &[]) > 1.0e9);
    let reloads =
        |scrape: &Scrape, result: &str| scrape.count("waf_config_reload_total", &[("result", result)]);
    assert_eq!((reloads(&first, "success"), reloads(&first, "error")), (0, 0));
    let plan = waf.plan();
    waf.reconfigure(&config(&["kept", "new"]));
    waf.until_replaced(&plan);
    assert_eq!(Request::get("/kept").to(waf.port).status, 200);
    let second = scrape::until(&waf, "the second plan's request", |scrape| {
        scrape.count(REQUESTS, &[("route", "kept")]) == 2
    });
    assert_eq!(second.values(REQUESTS, "route"), ["-", "kept", "new"], "labels are those of the plan");
    assert_eq!(second.values("waf_plan_info", "plan"), [waf.plan().as_str()]);
    assert!(second.sum(since, &[]) > first.sum(since, &[]));
    assert_eq!(reloads(&second, "success"), 1);

    waf.reconfigure("version: v1alpha1\nroutes: []\n");
    let third = scrape::until(&waf, "the refused reload", |scrape| reloads(scrape, "error") == 1);
    assert_eq!(third.count("waf_degraded", &[("what", "configuration")]), 1);
    waf.reconfigure(&config(&["kept"]));
    scrape::until(&waf, "the next reload", |scrape| {
        reloads(scrape, "success") == 2 && scrape.count("waf_degraded", &[]) == 0
    });
    // The listener goes with its port.
    let plan = waf.plan();
    waf.reconfigure(&config(&["kept"]).replace(&format!("metrics_port: {}\n", running::METRICS), ""));
    waf.until_replaced(&plan);
    polling::until_true("the listener to go", || Connection::open(waf.metrics).is_err());
}
