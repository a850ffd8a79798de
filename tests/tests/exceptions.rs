//! Exceptions on the wire: exactly one finding in one place passes, from the next plan on, and is counted.

use waf_tests::contract::{blocked, encode};
use waf_tests::origin::Origin;
use waf_tests::programs;
use waf_tests::raw::Request;
use waf_tests::running::{self, with_metrics, with_routes};
use waf_tests::scrape::{self, Scrape};

const FORM: &str = "application/x-www-form-urlencoded";
const SQL: &str = "1' UNION SELECT password FROM users--";
const COUNTED: &str = "waf_exceptions_total";

fn post(path: &str, name: &str, value: &str) -> Request {
    Request::post(path, FORM, format!("{name}={}", encode(value)))
}

#[test]
fn a_finding_passes_where_an_exception_names_it_and_nowhere_else() {
    let origin = Origin::start();
    let config = with_metrics(&with_routes(&format!(
        "  - id: reports\n    match: {{ paths: [/reports/*] }}\n    upstream: {0}\n    exceptions:\n      \
           - protections: [sql-injection]\n        in: ['ARGS:query', 'JSON:report.query', 'HEADERS:x-query']\n        \
             methods: [POST]\n        paths: [/reports/run]\n        reason: users write SQL here\n  \
           - id: rest\n    upstream: {0}\n",
        origin.url()
    )));
    let waf = running::waf(&config);
    let json = |key: &str| {
        Request::post("/reports/run", "application/json", format!(r#"{{"report":{{"{key}":"{SQL}"}}}}"#))
    };
    let multipart =
        format!("--b\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\n{SQL}\r\n--b--\r\n");
    for (what, request) in [
        ("form", post("/reports/run", "query", SQL)),
        ("query", Request::post(format!("/reports/run?query={}", encode(SQL)), FORM, "a=1")),
        ("json", json("query")),
        ("multipart", Request::post("/reports/run", "multipart/form-data; boundary=b", multipart)),
        ("header", post("/reports/run", "a", "1").field("X-Query", SQL)),
    ] {
        assert_eq!(request.to(waf.port).status, 200, "{what}");
    }
    assert!(waf.events().is_empty(), "what is excepted makes no event");
    for (what, request) in [
        ("another field", post("/reports/run", "name", SQL)),
        ("another rule", post("/reports/run", "query", "<script>alert(1)</script>")),
        ("another path", post("/reports/list", "query", SQL)),
        ("another reading of the path", post("/reports/run/..%2flist", "query", SQL)),
        ("another method", Request::get(format!("/reports/run?query={}", encode(SQL)))),
        (
            "an override of the method",
            post("/reports/run", "query", SQL).field("X-HTTP-Method-Override", "PUT"),
        ),
        ("another route", post("/run", "query", SQL)),
        ("another key", json("name")),
        ("a cookie", post("/reports/run", "a", "1").field("Cookie", &format!("query={}", encode(SQL)))),
        ("a further field", Request::post("/reports/run", FORM, format!("query=1&more={}", encode(SQL)))),
    ] {
        blocked(&request.to(waf.port), 403);
        assert_eq!(origin.requests().len(), 5, "{what}");
    }
    let labels = |name: &str| [("route", "reports"), ("exception", name)].map(|(k, v)| (k, v.to_owned()));
    let labels = labels("sql-injection in ARGS:query+2");
    let labels: Vec<(&str, &str)> = labels.iter().map(|(key, value)| (*key, value.as_str())).collect();
    scrape::until(&waf, "every request that was spared", |scrape| scrape.count(COUNTED, &labels) == 5);
    assert_eq!(Scrape::of(&waf).values(COUNTED, "route"), ["reports"]);
}

#[test]
fn an_exception_comes_and_goes_with_the_plan() {
    let origin = Origin::start();
    let plain = with_metrics(&with_routes(&format!("  - id: all\n    upstream: {}\n", origin.url())));
    let excepted = format!(
        "{plain}    exceptions: [{{protections: [sql-injection], in: ['ARGS:q'], expires: 2020-01-31}}]\n"
    );
    let waf = running::waf(&plain);
    let request = || post("/", "q", SQL).to(waf.port);
    blocked(&request(), 403);
    assert!(Scrape::of(&waf).values(COUNTED, "route").is_empty());
    let before = waf.plan();
    waf.reconfigure(&excepted);
    let with = waf.until_replaced(&before);
    assert_eq!(request().status, 200);
    waf.wait_log(&["routes[all].exceptions[0] expired on 2020-01-31: it still holds"]);
    waf.wait_log(&["reloaded", "route all: exceptions"]);
    waf.reconfigure(&plain);
    waf.until_replaced(&with);
    blocked(&request(), 403);
    // An exception that names what does not exist never becomes a plan.
    waf.reconfigure(&excepted.replace("sql-injection", "sql-injektion"));
    waf.wait_log(&["`sql-injektion` is not a known protection name"]);
    blocked(&request(), 403);
}

#[test]
fn a_false_alarm_becomes_an_exception_in_two_commands() {
    let origin = Origin::start();
    let config = with_routes(&format!(
        "  # written by users\n  - id: reports\n    match: {{ paths: [/reports/*] }}\n    mode: detect_only\n    upstream: {0}\n",
        origin.url()
    ));
    let waf = running::waf(&config);
    for day in ["monday", "tuesday"] {
        let page = format!("http://shop.example/reports/{day}");
        let request = post("/reports/7/run", "query", SQL).host("shop.example").field("Referer", &page);
        assert_eq!(request.to(waf.port).status, 200);
    }
    waf.wait_events(2);
    let events = waf.folder().join("events.jsonl");
    std::fs::write(&events, waf.out().join("\n")).expect("the folder can be written");
    let run = |more: &[&str]| {
        let mut command = std::process::Command::new(programs::waf_compile());
        command.args(["suggest", "--config"]).arg(waf.config()).args(more).arg(&events);
        let output = command.output().expect("waf-compile runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let shown = run(&[]);
    assert!(shown.contains("ARGS:query: 2 requests of 1 client, likely a false alarm"), "{shown}");
    let before = waf.plan();
    assert!(run(&["--apply"]).contains("1 exceptions written"), "the second command");
    waf.until_replaced(&before);
    let written = std::fs::read_to_string(waf.config()).expect("the configuration");
    assert!(
        written.contains("  # written by users\n") && written.contains(r#"in: ["ARGS:query"]"#),
        "{written}"
    );
    assert_eq!(post("/reports/9/run", "query", SQL).to(waf.port).status, 200);
    assert_eq!(post("/reports/9/run", "name", SQL).to(waf.port).status, 200);
    let last = waf.wait_events(3);
    assert_eq!(last.len(), 3, "the excepted field makes no event, another one does");
    assert_eq!(last[2]["waf"]["matches"][0]["name"], "name");
}
