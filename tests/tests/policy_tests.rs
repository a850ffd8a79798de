//! Policy tests before a plan comes into force: a reload whose tests fail is refused, and so is a start.

use std::time::Duration;

use waf_tests::origin::Origin;
use waf_tests::raw::Request;
use waf_tests::running::{FOLDER, Start, with_metrics, with_routes};
use waf_tests::scrape::{self, Scrape};

const RELOADS: &str = "waf_config_reload_total";
const TESTS: &str = "tests:
  - name: attacks on the shop
    request: GET /?q=1'+union+select+password+from+users--
    expect: {verdict: refused, status: 403}
  - name: searches of the shop
    request: GET /?q=coffee
    expect: {verdict: passes, route: shop}
";

fn config(origin: &Origin, more: &str) -> String {
    with_metrics(&with_routes(&format!("  - id: shop\n    upstream: {}\n{more}", origin.url())))
}

fn start() -> Start {
    Start::new()
        .file("tests.yaml", TESTS)
        .argument("--policy-tests")
        .argument(&format!("{FOLDER}/tests.yaml"))
}

#[test]
fn a_reload_whose_tests_fail_is_refused() {
    let origin = Origin::start();
    let waf = start().run(&config(&origin, ""));
    let attack = || Request::get("/?q=1'+union+select+password+from+users--").to(waf.port).status;
    let before = waf.plan();
    assert_eq!(attack(), 403);
    waf.reconfigure(&config(&origin, "    disable: [sql]\n"));
    waf.wait_log(&["policy-test", "attacks on the shop: the verdict is passes, expected refused"]);
    scrape::until(&waf, "the refused reload", |scrape| scrape.count(RELOADS, &[("result", "tests")]) == 1);
    assert_eq!((waf.plan(), attack()), (before.clone(), 403), "the plan before it serves on");
    assert_eq!(Scrape::of(&waf).count(RELOADS, &[("result", "error")]), 0);
    // A plan that passes comes into force, and a change of the tests alone is looked at too.
    waf.reconfigure(&config(&origin, "    disable: [php]\n"));
    waf.until_replaced(&before);
    assert_eq!(attack(), 403);
    let stricter = TESTS.replace("{verdict: passes, route: shop}", "{verdict: refused}");
    std::fs::write(waf.folder().join("tests.yaml"), stricter).expect("the folder can be written");
    scrape::until(&waf, "the tests that changed", |scrape| {
        scrape.count(RELOADS, &[("result", "tests")]) == 2
    });
}

#[test]
fn a_start_whose_tests_fail_is_refused() {
    let origin = Origin::start();
    let mut waf = start().launch(&config(&origin, "    mode: detect_only\n"));
    assert_eq!(waf.wait_exit(Duration::from_secs(20)).code(), Some(1));
    waf.wait_log(&["tests.yaml:2: attacks on the shop: the verdict is detected, expected refused"]);
}
