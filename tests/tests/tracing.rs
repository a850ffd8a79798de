//! Traces, as a collector, an upstream and the audit stream see them.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use waf_tests::collector::{Collector, Span, Speaks, attribute};
use waf_tests::contract::blocked;
use waf_tests::origin::{Authority, Origin};
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, HEALTH, PORT, Start, Waf, with_metrics};
use waf_tests::scrape::{self, Scrape};
use waf_tests::{polling, ports};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";
const ATTACK: &str = "/items?q=1%27%20UNION%20SELECT%20a%20FROM%20b--";

fn traced(origin: &Origin, section: &str) -> String {
    format!(
        "version: v1alpha1\nport: {PORT}\nhealth_port: {HEALTH}\ndata_dir: {FOLDER}/data\n\
         tracing: {section}\nroutes:\n  - id: shop\n    upstream: {}\n",
        origin.url()
    )
}

fn one_worker() -> Start {
    Start::new().argument("--workers").argument("1")
}

fn sampled() -> String {
    format!("00-{TRACE}-{CALLER}-01")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn of_kind(spans: &[Span], kind: SpanKind) -> &Span {
    let found: Vec<&Span> = spans.iter().filter(|span| span.kind == kind as i32).collect();
    assert_eq!(found.len(), 1, "{kind:?} in {spans:?}");
    found[0]
}

fn says(span: &Span, expected: &[(&str, &str)]) {
    for (name, value) in expected {
        assert_eq!(attribute(&span.attributes, name).as_deref(), Some(*value), "{name} of {span:?}");
    }
}

#[test]
fn both_protocols_carry_the_spans_of_a_request() {
    for speaks in [Speaks::Grpc, Speaks::Http] {
        let (origin, collector) = (Origin::start(), Collector::start(speaks, None));
        let waf = one_worker().run(&traced(
            &origin,
            &format!(
                "{{enabled: true, protocol: {}, endpoint: 'http://127.0.0.1:{}', headers: {{authorization: Bearer x}}, service: {{name: front, namespace: shops, version: '7'}}}}",
                speaks.word(),
                collector.port
            ),
        ));
        let response = Request::get("/a%2Fb?x=1&token=hunter2")
            .field("traceparent", &sampled())
            .field("tracestate", "vendor=1")
            .field("User-Agent", "probe/1")
            .to(waf.port);
        assert_eq!(response.status, 200);
        let spans = collector.wait_spans(2);
        let (server, client) = (of_kind(&spans, SpanKind::Server), of_kind(&spans, SpanKind::Client));

        assert_eq!((hex(&server.trace_id).as_str(), hex(&server.parent_span_id).as_str()), (TRACE, CALLER));
        assert_eq!(server.name, "GET shop");
        assert_eq!(server.trace_state, "vendor=1");
        let plan = waf.plan();
        says(
            server,
            &[
                ("http.request.method", "GET"),
                ("url.scheme", "http"),
                ("url.path", "/a%2Fb"),
                ("url.query", "x=1&token=***"),
                ("http.response.status_code", "200"),
                ("network.protocol.version", "1.1"),
                ("user_agent.original", "probe/1"),
                ("client.address", "127.0.0.1"),
                ("waf.action", "allowed"),
                ("waf.route.id", "shop"),
                ("waf.plan", &plan),
                ("waf.request.id", response.field("X-Request-Id").unwrap_or_default()),
            ],
        );
        let stages: Vec<&str> = server.events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(stages, ["admitted", "head inspected", "cleared", "upstream answered", "answered"]);
        let times: Vec<u64> = server.events.iter().map(|event| event.time_unix_nano).collect();
        assert!(times.is_sorted() && times[0] >= server.start_time_unix_nano, "{server:?}");
        assert!(times[4] <= server.end_time_unix_nano, "{server:?}");

        assert_eq!((&client.trace_id, &client.parent_span_id), (&server.trace_id, &server.span_id));
        assert_eq!(client.name, "GET");
        says(
            client,
            &[
                ("http.request.method", "GET"),
                ("server.address", "127.0.0.1"),
                ("server.port", &origin.port().to_string()),
                ("http.response.status_code", "200"),
                ("url.full", &format!("{}/a%2Fb?x=1&token=***", origin.url())),
            ],
        );
        let received = origin.only();
        let passed: Vec<&str> = received
            .fields
            .iter()
            .filter(|(name, _)| name == "traceparent")
            .map(|(_, value)| value.as_str())
            .collect();
        assert_eq!(passed, [format!("00-{TRACE}-{}-01", hex(&client.span_id))]);
        assert_eq!(received.field("tracestate"), Some("vendor=1"));

        let export = &collector.exports()[0];
        assert_eq!(export.header("authorization"), Some("Bearer x"));
        assert_eq!(export.path, if speaks == Speaks::Http { "/v1/traces" } else { "" });
        for pair in [("service.name", "front"), ("service.namespace", "shops"), ("service.version", "7")] {
            assert!(export.resource.contains(&(pair.0.to_owned(), pair.1.to_owned())), "{export:?}");
        }
    }
}

#[test]
fn a_block_is_a_span_without_a_call_and_its_event_names_it() {
    let (origin, collector) = (Origin::start(), Collector::start(Speaks::Grpc, None));
    let waf = one_worker().run(&traced(&origin, &endpoint(&collector)));
    let id = blocked(&Request::get(ATTACK).field("tracestate", "lost=1").to(waf.port), 403);
    let spans = collector.wait_spans(1);
    let server = of_kind(&spans, SpanKind::Server);
    assert!(server.parent_span_id.is_empty() && server.trace_state.is_empty(), "a trace that begins here");
    let event = waf.event_of(&id);
    let name = event["metadata"]["event_code"].as_str().unwrap_or_default();
    let rules: Vec<&str> = event["waf"]["matched_rules"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|rule| rule.as_str())
        .collect();
    says(
        server,
        &[
            ("waf.action", "blocked"),
            ("http.response.status_code", "403"),
            ("waf.matched_rules", &rules.join(" ")),
            ("waf.anomaly_score", &event["waf"]["anomaly_score"].to_string()),
        ],
    );
    let protections = attribute(&server.attributes, "waf.matched_protections").unwrap_or_default();
    assert!(protections.starts_with(name) && !name.is_empty(), "{protections}");
    assert_eq!(event["metadata"]["correlation_uid"], hex(&server.trace_id));
    assert_eq!(event["unmapped"]["span_id"], hex(&server.span_id));

    // A head that is not HTTP makes a span too, of a method that no client names.
    let _ = waf_tests::raw::send(waf.port, "GET / HTTP/1.1\r\nHost: a\r\n broken\r\n\r\n");
    let spans = collector.wait_spans(2);
    assert_eq!(spans[1].name, "HTTP");
    says(&spans[1], &[("http.request.method", "_OTHER"), ("http.response.status_code", "400")]);

    // Events in the other format name their spans, too.
    let before = waf.plan();
    let ecs =
        traced(&origin, &endpoint(&collector)).replacen("tracing:", "audit_log: {format: ecs}\ntracing:", 1);
    waf.reconfigure(&ecs);
    waf.until_replaced(&before);
    let id = blocked(&Request::get(ATTACK).to(waf.port), 403);
    let spans = collector.wait_spans(3);
    let event = polling::until("the event in the other format", || {
        waf.events().into_iter().find(|event| event["http"]["request"]["id"] == id.as_str())
    });
    assert_eq!(event["trace"]["id"], hex(&spans[2].trace_id));
    assert_eq!(event["span"]["id"], hex(&spans[2].span_id));
}

fn endpoint(collector: &Collector) -> String {
    format!("{{enabled: true, endpoint: 'http://127.0.0.1:{}'}}", collector.port)
}

#[test]
fn an_upstream_that_fails_is_told_in_one_word() {
    let collector = Collector::start(Speaks::Grpc, None);
    let origin = Origin::start();
    let dead = traced(&origin, &endpoint(&collector))
        .replace(&origin.url(), &format!("http://127.0.0.1:{}", ports::free()));
    let waf = one_worker().run(&dead);
    assert_eq!(Request::get("/").to(waf.port).status, 502);
    let spans = collector.wait_spans(2);
    let (server, client) = (of_kind(&spans, SpanKind::Server), of_kind(&spans, SpanKind::Client));
    says(client, &[("error.type", "connect")]);
    says(server, &[("error.type", "502"), ("http.response.status_code", "502")]);
    assert_eq!(server.status.as_ref().map(|status| status.code), Some(2), "an error");
}

#[test]
fn a_caller_that_does_not_sample_is_followed() {
    let (origin, collector) = (Origin::start(), Collector::start(Speaks::Grpc, None));
    let waf = one_worker().run(&traced(&origin, &endpoint(&collector)));
    let unsampled = format!("00-{TRACE}-{CALLER}-00");
    assert_eq!(Request::get("/quiet").field("traceparent", &unsampled).to(waf.port).status, 200);
    let passed = origin.only();
    let passed = passed.field("traceparent").unwrap_or_default();
    assert!(passed.starts_with(&format!("00-{TRACE}-")) && passed.ends_with("-00"), "{passed}");
    assert!(!passed.contains(CALLER), "our own span is the upstream's caller");
    let id = blocked(&Request::get(ATTACK).field("traceparent", &unsampled).to(waf.port), 403);
    assert_eq!(waf.event_of(&id)["unmapped"]["trace_id"], TRACE, "events carry ids all the same");
    // Spans leave in order: once this one is here, the others are not coming.
    assert_eq!(Request::get("/loud").to(waf.port).status, 200);
    let spans = collector.wait_spans(2);
    assert!(spans.iter().all(|span| hex(&span.trace_id) != TRACE), "{spans:?}");
}

#[test]
fn tls_and_the_environment_complete_the_section() {
    for speaks in [Speaks::Grpc, Speaks::Http] {
        let authority = Authority::new("127.0.0.1");
        let (origin, collector) = (Origin::start(), Collector::start(speaks, Some(&authority)));
        let section = format!("{{enabled: true, protocol: {}, insecure: false}}", speaks.word());
        let waf = one_worker()
            .file("roots.pem", &authority.root_pem)
            .environment("SSL_CERT_FILE", "@FOLDER@/roots.pem")
            .environment("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("127.0.0.1:{}", collector.port))
            .environment("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=a%20b")
            .environment("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=prod,service.name=no")
            .environment("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-tenant=other")
            .environment("OTEL_SERVICE_NAME", "no")
            .environment("OTEL_TRACES_SAMPLER", "always_off")
            .environment("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
            .run(&traced(&origin, &section));
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        assert_eq!(collector.wait_spans(2).len(), 2);
        let export = &collector.exports()[0];
        assert_eq!(export.header("x-tenant"), Some("a b"), "{export:?}");
        for pair in [("deployment.environment", "prod"), ("service.name", "waf")] {
            assert!(export.resource.contains(&(pair.0.to_owned(), pair.1.to_owned())), "{export:?}");
        }
    }
}

#[test]
fn a_collector_that_fails_is_named_with_the_reason() {
    let stranger = Authority::new("127.0.0.1");
    let misnamed = Authority::new("collector.example");
    let known = Authority::new("127.0.0.1");
    let untrusted = "its certificate is not trusted: invalid peer certificate";
    for speaks in [Speaks::Grpc, Speaks::Http] {
        for (authority, reason) in [
            (Some(&stranger), untrusted),
            (Some(&misnamed), untrusted),
            (None, "it does not accept connections"),
        ] {
            let origin = Origin::start();
            let collector = authority.map(|authority| Collector::start(speaks, Some(authority)));
            let port = collector.as_ref().map_or_else(ports::free, |collector| collector.port);
            let section = format!(
                "{{enabled: true, protocol: {}, insecure: false, endpoint: 'https://127.0.0.1:{port}'}}",
                speaks.word()
            );
            let waf = one_worker()
                .file("roots.pem", &format!("{}{}", known.root_pem, misnamed.root_pem))
                .environment("SSL_CERT_FILE", "@FOLDER@/roots.pem")
                .run(&traced(&origin, &section));
            assert_eq!(Request::get("/").to(waf.port).status, 200);
            let line = waf.wait_log(&["the trace collector takes no spans", reason]);
            assert!(line.contains(&format!("https://127.0.0.1:{port}")), "{line}");
            assert!(
                line.contains(&format!("127.0.0.1:{port}: {reason}")) && !line.contains("it answers"),
                "{line}"
            );
        }
    }
}

#[test]
fn off_means_no_traffic_and_untouched_headers() {
    let (origin, collector) = (Origin::start(), Collector::start(Speaks::Grpc, None));
    let start = one_worker()
        .environment("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://127.0.0.1:{}", collector.port));
    let waf = start.run(&traced(&origin, "{enabled: false}"));
    assert_eq!(Request::get("/").field("traceparent", &sampled()).to(waf.port).status, 200);
    assert_eq!(origin.only().field("traceparent"), Some(sampled().as_str()));
    let id = blocked(&Request::get(ATTACK).to(waf.port), 403);
    assert!(waf.event_of(&id).get("unmapped").is_none());
    // Switched on by a reload, the same service exports; nothing came before.
    let before = waf.plan();
    assert_eq!(collector.connections(), 0);
    waf.reconfigure(&traced(&origin, "{enabled: true}"));
    waf.until_replaced(&before);
    polling::until("spans of requests behind the reload", || {
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        polling::within(Duration::from_secs(2), || (collector.connections() > 0).then_some(()))
    });
    assert!(collector.wait_spans(2).len() >= 2);
}

#[test]
fn a_collector_that_is_away_costs_no_request_and_no_stop() {
    let origin = Origin::start();
    let silent = Collector::start(Speaks::Nothing, None);
    for (port, speaks) in
        [(silent.port, Speaks::Grpc), (silent.port, Speaks::Http), (ports::free(), Speaks::Grpc)]
    {
        let section = format!(
            "{{enabled: true, protocol: {}, timeout: 100ms, endpoint: 'http://127.0.0.1:{port}'}}",
            speaks.word()
        );
        let mut waf: Waf = one_worker().run(&with_metrics(&traced(&origin, &section)));
        for _ in 0..50 {
            assert_eq!(Request::get("/").to(waf.port).status, 200);
        }
        waf.wait_log(&["WARN", "the trace collector takes no spans"]);
        scrape::until(&waf, "spans that are gone", |scrape| {
            scrape.count("waf_trace_spans_dropped_total", &[]) >= 100
        });
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        let began = Instant::now();
        waf.signal(Signal::SIGTERM);
        assert!(waf.wait_exit(Duration::from_secs(10)).success());
        assert!(
            began.elapsed() < Duration::from_secs(6),
            "a stop waits for no collector: {:?}",
            began.elapsed()
        );
    }
}

#[test]
fn spans_that_a_collector_rejects_count_as_dropped() {
    for speaks in [Speaks::Grpc, Speaks::Http] {
        let (origin, collector) = (Origin::start(), Collector::start(speaks, None));
        let section = endpoint(&collector).replace('{', &format!("{{protocol: {}, ", speaks.word()));
        let waf = one_worker().run(&with_metrics(&traced(&origin, &section)));
        let dropped = |scrape: &Scrape| scrape.count("waf_trace_spans_dropped_total", &[]);
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        collector.wait_spans(2);
        // One of two; then more than there are, which can only mean all of them.
        collector.reject(1);
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        scrape::until(&waf, "the rejected span", |scrape| dropped(scrape) == 1);
        waf.wait_log(&["WARN", "the trace collector rejects some spans", "too old"]);
        collector.reject(1_000);
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        scrape::until(&waf, "both spans", |scrape| dropped(scrape) == 3);
        collector.reject(0);
        assert_eq!(Request::get("/").to(waf.port).status, 200);
        waf.wait_log(&["the trace collector takes spans again", "\"dropped\":3"]);
        assert_eq!(collector.wait_spans(8).len(), 8, "nothing is sent twice");
    }
}

#[test]
fn a_stop_sends_what_waits() {
    let (origin, collector) = (Origin::start(), Collector::start(Speaks::Grpc, None));
    let mut waf = one_worker().run(&traced(&origin, &endpoint(&collector)));
    for _ in 0..10 {
        assert_eq!(Request::get("/").to(waf.port).status, 200);
    }
    waf.signal(Signal::SIGTERM);
    assert!(waf.wait_exit(Duration::from_secs(10)).success());
    assert_eq!(collector.wait_spans(20).len(), 20);
}
