//! The health listener.

use waf_tests::origin::Origin;
use waf_tests::programs;
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, HEALTH, to_upstream};

#[test]
fn endpoints_and_methods() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    for path in ["/healthz", "/readyz"] {
        let response = Request::get(path).to(waf.health);
        assert_eq!((response.status, response.text().as_str()), (200, "ok"), "{path}");
        assert_eq!(Request::get(format!("{path}?verbose=1")).to(waf.health).status, 200);
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            let response = Request::new(method, path).to(waf.health);
            assert_eq!(response.status, 405, "{method} {path}");
            assert!(response.field("Allow").is_some_and(|allow| allow.contains("GET")), "{response:?}");
        }
    }
    for path in ["/", "/health", "/healthz/", "/metrics", "/readyz/x"] {
        assert_eq!(Request::get(path).to(waf.health).status, 404, "{path}");
    }
    assert!(origin.requests().is_empty(), "health and traffic are apart");
}

#[test]
fn the_digest_is_the_plans() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let shown = waf.plan();
    assert!(
        shown.len() == 64 && shown.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase()),
        "{shown}"
    );
    assert_eq!(waf.ask("/healthz").expect("a response").field("X-Waf-Plan"), Some(shown.as_str()));
    let output = std::process::Command::new(programs::waf_compile())
        .arg("plan")
        .arg(waf.config())
        .output()
        .expect("the program can be started");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(&shown), "waf-compile plan does not show {shown}:\n{text}");
}

#[test]
fn without_a_port_there_is_no_listener() {
    let origin = Origin::start();
    let config = to_upstream(&origin.url()).replace(&format!("health_port: {HEALTH}\n"), "");
    let waf = running::Start::new().launch(&config);
    waf.wait_log(&["health_port", "/readyz"]);
    waf.wait_log(&["metrics_port", "/metrics"]);
    waf_tests::polling::until_true("traffic", || {
        Request::get("/").try_to(waf.port).is_ok_and(|response| response.status == 200)
    });
    assert!(Connection::open(waf.health).is_err());
}

#[test]
fn probes_survive_a_prober_that_says_nothing() {
    let origin = Origin::start();
    let waf = running::waf(&to_upstream(&origin.url()));
    let silent: Vec<Connection> =
        (0..8).map(|_| Connection::open(waf.health).expect("a connection")).collect();
    assert_eq!(Request::get("/readyz").to(waf.health).status, 200);
    drop(silent);
}
