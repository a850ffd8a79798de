//! The access log: a line for each request, secrets masked, reopened on SIGHUP, and never in a request's way.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::Value;
use waf_tests::contract::encode;
use waf_tests::origin::{Answer, Origin};
use waf_tests::polling;
use waf_tests::ports;
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, Start, Waf, to_upstream, with_metrics, with_routes};
use waf_tests::scrape;

const SCRIPT: &str = "<script>alert(1)</script>";

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")))
        .collect()
}

/// The line of a request, once it is there.
fn line_of(path: &Path, id: &str) -> Value {
    polling::until("a line of the access log", || {
        lines(path).into_iter().find(|line| line["request_id"] == id)
    })
}

fn to_file() -> Start {
    Start::new().argument("--access-log").argument(&format!("{FOLDER}/access.log"))
}

fn file(waf: &Waf) -> PathBuf {
    waf.folder().join("access.log")
}

#[test]
fn every_request_has_a_line() {
    let origin = Origin::answering(|_| Answer::ok("0123456789"));
    let url = origin.url();
    let waf = to_file().run(&with_routes(&format!(
        "  - id: shop\n    match: {{ paths: [/shop/*] }}\n    upstream: {url}\n\
         \x20 - id: watched\n    match: {{ paths: [/watched/*] }}\n    upstream: {url}\n    mode: detect_only\n\
         \x20 - id: down\n    match: {{ paths: [/down/*] }}\n    upstream: http://127.0.0.1:{}\n",
        ports::free()
    )));
    let attack = encode(SCRIPT);
    for (target, status, route, bytes, verdict) in [
        ("/shop/a%20b?x=1".to_owned(), 200, Some("shop"), Some(10), "allowed"),
        (format!("/shop/1?q={attack}"), 403, Some("shop"), None, "blocked"),
        (format!("/watched/1?q={attack}"), 200, Some("watched"), Some(10), "detected"),
        ("/elsewhere".to_owned(), 404, None, None, "blocked"),
        ("/down/1".to_owned(), 502, Some("down"), None, "allowed"),
    ] {
        let response = Request::get(&target).host("shop.example").to(waf.port);
        assert_eq!(response.status, status, "{target}");
        let line = line_of(&file(&waf), response.field("X-Request-Id").unwrap_or_default());
        assert_eq!(line["method"], "GET", "{line}");
        assert_eq!(line["host"], "shop.example", "{line}");
        assert_eq!(line["client"], "127.0.0.1", "{line}");
        assert_eq!(line["status"], status, "{line}");
        assert_eq!(line["route"].as_str(), route, "{line}");
        assert_eq!(line["verdict"], verdict, "{line}");
        assert_eq!(line["bytes"].as_u64(), Some(bytes.unwrap_or(response.body.len() as u64)), "{line}");
        assert!(line["duration_us"].as_u64().is_some_and(|time| time > 0), "{line}");
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        assert_eq!((line["path"].as_str(), line["query"].as_str().unwrap_or_default()), (Some(path), query));
    }
    // A head that cannot be read, and secrets.
    let broken = waf_tests::raw::send(waf.port, "GET / HTTP/1.1\r\nHost: a\r\nBad Name: 1\r\n\r\n")
        .expect("an answer");
    let line = line_of(&file(&waf), broken.field("X-Request-Id").unwrap_or_default());
    assert_eq!((line["status"].as_u64(), line["verdict"].as_str()), (Some(400), Some("blocked")), "{line}");
    let secret = Request::get("/shop/1?token=hunter2hunter2&page=2").to(waf.port);
    let line = line_of(&file(&waf), secret.field("X-Request-Id").unwrap_or_default());
    assert_eq!(line["query"], "token=***&page=2");
    assert!(waf.out().iter().all(|line| !line.contains("duration_us")), "standard output has events alone");
}

#[test]
fn the_file_is_opened_anew_on_sighup() {
    let origin = Origin::start();
    let waf = to_file().run(&to_upstream(&origin.url()));
    let ask = || Request::get("/").to(waf.port).field("X-Request-Id").unwrap_or_default().to_owned();
    line_of(&file(&waf), &ask());
    let moved = waf.folder().join("access.log.1");
    std::fs::rename(file(&waf), &moved).expect("renamed");
    line_of(&moved, &ask());
    waf.signal(Signal::SIGHUP);
    // Each worker changes over by itself; a request that both serve in turn ends in the new file.
    polling::until_true("lines in the new file", || {
        let id = ask();
        polling::within(Duration::from_secs(1), || {
            lines(&file(&waf)).into_iter().find(|line| line["request_id"] == *id)
        })
        .is_some()
    });
    assert!(lines(&moved).len() >= 2);
}

#[test]
fn it_may_go_to_standard_error_and_is_off_by_default() {
    let origin = Origin::start();
    let waf = Start::new().argument("--access-log").argument("stderr").run(&to_upstream(&origin.url()));
    let response = Request::get("/x").to(waf.port);
    let line = waf.wait_log(&["\"duration_us\":", response.field("X-Request-Id").unwrap_or_default()]);
    let line: Value = serde_json::from_str(&line).expect("a line of JSON");
    assert_eq!((line["path"].as_str(), line["verdict"].as_str()), (Some("/x"), Some("allowed")));

    let mut quiet = Start::new().run(&to_upstream(&origin.url()));
    assert_eq!(Request::get("/x").to(quiet.port).status, 200);
    quiet.signal(Signal::SIGTERM);
    assert!(quiet.wait_exit(Duration::from_secs(20)).success());
    assert!(quiet.log().iter().all(|line| !line.contains("duration_us")));
}

#[test]
fn lines_that_wait_are_written_at_a_stop() {
    let origin = Origin::start();
    let mut waf = to_file().run(&to_upstream(&origin.url()));
    for _ in 0..50 {
        assert_eq!(Request::get("/").to(waf.port).status, 200);
    }
    waf.signal(Signal::SIGTERM);
    assert!(waf.wait_exit(Duration::from_secs(20)).success());
    assert_eq!(lines(&file(&waf)).len(), 50);
}

#[test]
fn a_file_that_takes_nothing_is_counted_and_stops_nobody() {
    let origin = Origin::start();
    let waf = Start::new()
        .argument("--access-log")
        .argument("/dev/full")
        .run(&with_metrics(&to_upstream(&origin.url())));
    for _ in 0..20 {
        assert_eq!(Request::get("/").to(waf.port).status, 200);
    }
    waf.wait_log(&["WARN", "the access log cannot be written"]);
    scrape::until(&waf, "lines that are gone", |scrape| {
        scrape.count("waf_access_log_dropped_total", &[]) == 20
    });
}

#[test]
fn what_cannot_be_a_log_is_an_error_of_the_start() {
    let origin = Origin::start();
    for (path, words) in [
        (format!("{FOLDER}/none/access.log"), "cannot be opened"),
        (FOLDER.to_owned(), "cannot be opened"),
        ("/dev/stdout".to_owned(), "is not a file"),
    ] {
        let mut waf =
            Start::new().argument("--access-log").argument(&path).launch(&to_upstream(&origin.url()));
        assert_eq!(waf.wait_exit(Duration::from_secs(20)).code(), Some(1), "{path}");
        waf.wait_log(&["the log", words]);
    }
}
