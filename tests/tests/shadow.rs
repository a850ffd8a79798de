//! A second plan beside the one in force: what it would decide differently is counted and logged, no answer changes, and a
//! reload that would refuse what passes is refused by its gate.

use std::path::Path;

use nix::sys::signal::Signal;
use serde_json::Value;
use waf_tests::origin::Origin;
use waf_tests::polling;
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, Start, Waf, kill, with_metrics, with_routes};
use waf_tests::scrape::{self, Scrape};

const RELOADS: &str = "waf_config_reload_total";
const DIFFERENCES: &str = "waf_shadow_differences_total";
const REQUESTS: &str = "waf_shadow_requests_total";
const ATTACK: &str = "/?q=1'+union+select+password+from+users--";
const JSON: &str = r#"{"q":"1' union select password from users--"}"#;

fn config(origin: &Origin, more: &str) -> String {
    with_metrics(&with_routes(&format!("  - id: shop\n    upstream: {}\n{more}", origin.url())))
}

fn lenient(origin: &Origin) -> String {
    config(origin, "    disable: [sql]\n")
}

fn status(waf: &Waf, target: &str) -> u16 {
    Request::get(target).to(waf.port).status
}

fn gated() -> Start {
    Start::new().argument("--reload-gate").argument("3s").argument("--shadow-share").argument("100%")
}

/// Asks for `target` until `is_there`; every answer meanwhile has this status.
fn ask_until(waf: &Waf, target: &str, expected: u16, what: &str, is_there: impl Fn(&Scrape) -> bool) {
    polling::until_true(what, || {
        assert_eq!(status(waf, target), expected, "{target}");
        is_there(&Scrape::of(waf))
    });
}

#[test]
fn a_reload_that_would_refuse_what_passes_is_refused_by_its_gate() {
    let origin = Origin::start();
    let waf = gated().run(&lenient(&origin));
    let before = waf.plan();
    waf.reconfigure(&config(&origin, ""));
    waf.wait_log(&["the new configuration judges requests before it is applied"]);
    ask_until(&waf, ATTACK, 200, "the refused reload", |scrape| {
        scrape.count(RELOADS, &[("result", "gate")]) == 1
    });
    let line = waf.wait_log(&["would refuse too much of what passes now", "route shop: sql-"]);
    assert!(line.contains("100.000%") && line.contains("0.1%"), "{line}");
    assert_eq!((waf.plan(), status(&waf, ATTACK)), (before.clone(), 200), "the plan before it serves on");
    assert_eq!(Scrape::of(&waf).count(RELOADS, &[("result", "error")]), 0);
    assert!(waf.events().is_empty(), "a second plan has no events");
    // The operator insists.
    waf.signal(Signal::SIGHUP);
    waf.until_replaced(&before);
    assert_eq!(status(&waf, ATTACK), 403);
}

#[test]
fn a_reload_that_refuses_no_more_passes_its_gate() {
    let origin = Origin::start();
    let waf = gated().run(&config(&origin, ""));
    let before = waf.plan();
    waf.reconfigure(&config(&origin, "    disable: [php]\n"));
    waf.wait_log(&["the new configuration judges requests before it is applied"]);
    // What is refused now counts for nothing; what passes goes on passing.
    assert_eq!(status(&waf, ATTACK), 403);
    ask_until(&waf, "/?q=coffee", 200, "the new plan", |_| waf.plan() != before);
    waf.wait_log(&["the new configuration passes its gate"]);
    assert_eq!(Scrape::of(&waf).count(RELOADS, &[("result", "gate")]), 0);
    // A change that is taken back is applied at once.
    let second = waf.plan();
    waf.reconfigure(&config(&origin, ""));
    let begun = |line: &&String| line.contains("the new configuration judges requests before it is applied");
    polling::until_true("a second gate", || waf.log().iter().filter(begun).count() == 2);
    waf.reconfigure(&config(&origin, "    disable: [php]\n"));
    waf.wait_log(&["its gate is given up"]);
    assert_eq!(waf.plan(), second);
}

fn shadowed(share: &str) -> Start {
    Start::new()
        .argument("--shadow")
        .argument(&format!("{FOLDER}/shadow.yaml"))
        .argument("--shadow-share")
        .argument(share)
        .argument("--shadow-log")
        .argument(&format!("{FOLDER}/shadow.jsonl"))
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn post(body: &str) -> Request {
    Request::post("/orders", "application/json", body)
}

#[test]
fn a_shadow_plan_judges_and_answers_nothing() {
    let origin = Origin::start();
    let waf = shadowed("100%").file("shadow.yaml", &config(&origin, "")).run(&lenient(&origin));
    ask_until(&waf, ATTACK, 200, "a difference", |scrape| {
        scrape.count(DIFFERENCES, &[("route", "shop"), ("decision", "blocked")]) > 0
    });
    assert_eq!(post(JSON).to(waf.port).status, 200);
    assert_eq!(status(&waf, "/?token=hunter2hunter2&q=coffee"), 200);
    let log = waf.folder().join("shadow.jsonl");
    let found = polling::until("the lines of query and body", || {
        let found = lines(&log);
        found.iter().any(|line| line["method"] == "POST").then_some(found)
    });
    for line in &found {
        assert_eq!(
            (&line["in_force"]["decision"], &line["shadow"]["decision"]),
            (&"allowed".into(), &"blocked".into())
        );
        assert_eq!((&line["in_force"]["route"], &line["shadow"]["route"]), (&"shop".into(), &"shop".into()));
        assert_eq!(line["in_force"]["plan"], waf.plan());
        assert!(line["rules"][0].as_str().is_some_and(|rule| rule.starts_with("sql-")), "{line}");
    }
    assert!(waf.events().is_empty(), "a second plan has no events");
    scrape::until(&waf, "the same decision", |scrape| scrape.count(REQUESTS, &[("result", "same")]) > 0);
    assert_eq!(Scrape::of(&waf).count(REQUESTS, &[("result", "error")]), 0);
    // A worker that is replaced judges too.
    let blocked = |scrape: &Scrape| scrape.sum(DIFFERENCES, &[("decision", "blocked")]);
    for pid in waf.workers() {
        kill(pid, Signal::SIGKILL);
    }
    let so_far = blocked(&Scrape::of(&waf));
    polling::until_true("a difference after the restart", || {
        let _ = Request::get(ATTACK).try_to(waf.port);
        blocked(&Scrape::of(&waf)) > so_far
    });
}

#[test]
fn the_file_of_a_shadow_plan_is_followed() {
    let origin = Origin::start();
    let waf = shadowed("1").file("shadow.yaml", "version: v1alpha1\nport: nowhere\n").run(&lenient(&origin));
    waf.wait_log(&["the shadow configuration is not valid"]);
    let before = waf.plan();
    let write = |text: &str| std::fs::write(waf.folder().join("shadow.yaml"), text).expect("written");
    let upstream = origin.url();
    let all = format!("version: v1alpha1\nport: 8080\nroutes:\n  - id: shop\n    upstream: {upstream}\n");
    write(&all);
    let blocked = |scrape: &Scrape| scrape.count(DIFFERENCES, &[("decision", "blocked")]);
    ask_until(&waf, ATTACK, 200, "a difference", |scrape| blocked(scrape) > 0);
    write("routes: []\n");
    waf.wait_log(&["the one before it judges on"]);
    let so_far = blocked(&Scrape::of(&waf));
    ask_until(&waf, ATTACK, 200, "one more difference", |scrape| blocked(scrape) > so_far);
    assert_eq!(waf.plan(), before, "nothing was reloaded");
    assert!(Scrape::of(&waf).sum(RELOADS, &[]) < 1.0);
}

#[test]
fn a_log_on_standard_output_is_refused() {
    let origin = Origin::start();
    let file = Path::new("/dev/stdout").to_string_lossy().into_owned();
    let mut waf = Start::new().argument("--shadow-log").argument(&file).launch(&lenient(&origin));
    assert_eq!(waf.wait_exit(polling::PATIENCE).code(), Some(1));
    waf.wait_log(&["is not a file"]);
}
