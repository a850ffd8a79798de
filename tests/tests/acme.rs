//! Certificates from a real authority: ordered by both challenges, kept over a restart, renewed under load, and what
//! happens when hosts or the authority fail, or the clock is wrong.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use waf_tests::clock;
use waf_tests::origin::Authority;
use waf_tests::pebble::{BINDING, Pebble, Setup};
use waf_tests::polling;
use waf_tests::programs;
use waf_tests::raw::Request;
use waf_tests::running::Waf;
use waf_tests::site::{Site, certificate, find, missing, ordered, until_served};
use waf_tests::tls::Client;

/// Three hosts at once.
fn three_hosts(challenge: &str) {
    let hosts = ["one.example", "two.example", "three.example"];
    let site = Site::new();
    let pebble = Setup::new(site.validation()).start();
    let client = Client::trusting(&[&pebble.issuing_root()], &["http/1.1"]);
    let waf = site.run(&pebble, challenge, &hosts);
    for host in hosts {
        until_served(&waf, &client, host);
    }
    for host in hosts {
        assert_eq!(client.ask(waf.port, host, "/").status, 200, "{host}");
    }
    polling::until_true("no host to be missing", || missing(&waf).is_none());
    let log = waf.log();
    assert!(log.iter().any(|line| line.contains("the challenge is answered") && line.contains(challenge)));
    let accounts = log.iter().filter(|line| line.contains("an ACME account was made")).count();
    assert_eq!(accounts, 1, "three orders share one account");
    assert!(log.iter().all(|line| !line.contains("PRIVATE KEY") && !line.contains("key_pkcs8")));
    polling::until_true("the challenges to be taken away", || {
        site.files().iter().all(|name| {
            Path::new(name).extension().is_none_or(|kind| kind != "json") || name == "account.json"
        })
    });
    let files = site.files();
    for name in ["account.json", "lock", "one.example.pem", "two.example.pem", "three.example.pem"] {
        assert!(files.contains(name), "{name} is not among {files:?}");
    }
    assert_eq!(files.len(), 5, "nothing half written lies there: {files:?}");
}

#[test]
fn three_hosts_at_once_by_http_01() {
    three_hosts("http-01");
}

#[test]
fn three_hosts_at_once_by_tls_alpn_01() {
    three_hosts("tls-alpn-01");
}

#[test]
fn a_restart_serves_what_is_there_and_orders_nothing() {
    let site = Site::new();
    let pebble = Setup::new(site.validation()).start();
    let client = Client::trusting(&[&pebble.issuing_root()], &["http/1.1"]);
    let waf = site.run(&pebble, "http-01,tls-alpn-01", &["one.example"]);
    let first = until_served(&waf, &client, "one.example");
    // The file is there once the service says so; it may have been served from memory a moment before.
    polling::until_true("the file", || site.files().contains("one.example.pem"));
    drop(waf);

    let waf = site.run(&pebble, "http-01", &["one.example"]);
    assert_eq!(certificate(&waf, &client, "one.example"), Some(first), "served from the first handshake on");
    assert_eq!(missing(&waf), None);
    let listing = list(&waf, &pebble);
    assert!(listing.contains("one.example") && listing.contains("ACME"), "{listing}");
    drop(waf);

    // A file that was cut off is set aside, and asked for anew.
    let path = find(site.data.path(), "one.example.pem");
    let whole = std::fs::read(&path).expect("it was written");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("it can be written");
    let waf = site.run(&pebble, "http-01", &["one.example"]);
    until_served(&waf, &client, "one.example");
    waf.wait_log(&["one.example.pem.broken"]);
    waf.wait_log(&["a certificate was issued"]);
    // Pebble refuses a part of all requests for their nonce: an order that meets that too often is begun again.
    let log = waf.log();
    let count = |what: &str| log.iter().filter(|line| line.contains(what)).count();
    assert_eq!(count("a certificate was issued"), 1, "{}", log.join("\n"));
    assert!(ordered(&waf) <= 1 + count("no certificate could be had"), "{}", log.join("\n"));
}

fn list(waf: &Waf, pebble: &Pebble) -> String {
    let output = std::process::Command::new(programs::waf())
        .args(["certificates", "--config"])
        .arg(waf.config())
        .args(["--acme-directory", &pebble.directory()])
        .output()
        .expect("the program can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn one_host_that_is_refused_keeps_no_other_waiting() {
    let site = Site::new();
    let pebble = Setup::new(site.validation()).start();
    pebble.break_name("refused.example");
    let client = Client::trusting(&[&pebble.issuing_root()], &["http/1.1"]);
    let waf = site.run(&pebble, "http-01", &["refused.example", "one.example", "two.example"]);
    for host in ["one.example", "two.example"] {
        until_served(&waf, &client, host);
    }
    waf.wait_log(&["no certificate could be had", "refused.example", "retry_s"]);
    polling::until_true("the missing host alone", || missing(&waf).as_deref() == Some("refused.example"));
    assert_eq!(client.ask(waf.port, "one.example", "/").status, 200);
    // Handshakes for it fail cleanly, and port 80 goes on.
    assert_eq!(client.alert(waf.port, "refused.example"), rustls::AlertDescription::UnrecognisedName);
    let moved = Request::get("/").host("refused.example").to(waf.http);
    assert_eq!(moved.status, 308);
}

#[test]
fn an_authority_that_is_down_at_the_start_is_asked_again() {
    let site = Site::new();
    let setup = Setup::new(site.validation());
    let waf = site.start(&setup.directory(), &setup.root(), "http-01").run(&site.config(&["one.example"]));
    waf.wait_log(&["no certificate could be had", "cannot be reached"]);
    assert_eq!(missing(&waf).as_deref(), Some("one.example"));
    let pebble = setup.start();
    let client = Client::trusting(&[&pebble.issuing_root()], &["http/1.1"]);
    until_served(&waf, &client, "one.example");
}

#[test]
fn an_account_is_bound_where_the_authority_asks_for_it() {
    let site = Site::new();
    let pebble = Setup::new(site.validation()).binding().start();
    let client = Client::trusting(&[&pebble.issuing_root()], &["http/1.1"]);
    let config = site.config(&["one.example"]);
    let unbound = site.start(&pebble.directory(), &pebble.root(), "http-01");
    let waf = unbound.run(&config);
    waf.wait_log(&["no certificate could be had", "externalAccountRequired"]);
    drop(waf);
    let bound = unbound.environment("WAF_ACME_EAB_KID", BINDING.0).environment("WAF_ACME_EAB_KEY", BINDING.1);
    let waf = bound.run(&config);
    until_served(&waf, &client, "one.example");
}

#[test]
fn a_certificate_of_a_short_life_is_renewed_under_load_without_a_failed_request() {
    let site = Site::new();
    let pebble = Setup::new(site.validation()).start();
    let waf = site.run(&pebble, "tls-alpn-01", &["one.example"]);
    let issuing = pebble.issuing_root();
    until_served(&waf, &Client::trusting(&[&issuing], &["http/1.1"]), "one.example");
    drop(waf);

    // In its place one that is past the half of its short life.
    let authority = Authority::new("unused.example");
    let (chain, key) = authority.issue_for(&["one.example"], Duration::from_hours(1), Duration::from_mins(1));
    let path = find(site.data.path(), "one.example.pem");
    std::fs::write(&path, format!("{key}\n{chain}\n# end\n")).expect("it can be written");

    let client = Client::trusting(&[&issuing, &authority.root_pem], &["http/1.1"]);
    let renewed = Client::trusting(&[&issuing], &["http/1.1"]);
    let start = site.start(&pebble.directory(), &pebble.root(), "tls-alpn-01");
    let waf = start.run(&site.config(&["one.example"]));
    let (stop, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    assert_eq!(client.ask(waf.port, "one.example", "/").status, 200);
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        // A connection that was there before goes on over the change.
        let mut kept = client.connect(waf.port, "one.example").expect("a handshake");
        let request = Request::get("/").host("one.example");
        let done = polling::within(Duration::from_secs(40), || {
            assert_eq!(kept.exchange(&request).expect("an answer").status, 200);
            certificate(&waf, &renewed, "one.example")
        });
        let after = asked.load(Ordering::Relaxed) + 50;
        polling::within(Duration::from_secs(20), || (asked.load(Ordering::Relaxed) > after).then_some(()));
        assert_eq!(kept.exchange(&request).expect("an answer").status, 200);
        stop.store(true, Ordering::Relaxed);
        assert!(done.is_some(), "no renewal:\n{}", waf.log().join("\n"));
    });
    assert!(asked.load(Ordering::Relaxed) > 50);
}

#[test]
fn names_below_a_wildcard_get_certificates_when_they_are_asked_for() {
    let site = Site::new();
    let pebble = Setup::new(site.validation()).start();
    let client = Client::trusting(&[&pebble.issuing_root()], &["http/1.1"]);
    let waf = site.run(&pebble, "http-01", &["*.shop.example"]);
    assert_eq!(missing(&waf), None);
    assert_eq!(client.alert(waf.port, "a.shop.example"), rustls::AlertDescription::UnrecognisedName);
    assert_eq!(client.alert(waf.port, "stranger.example"), rustls::AlertDescription::UnrecognisedName);
    until_served(&waf, &client, "a.shop.example");
    assert_eq!(client.ask(waf.port, "a.shop.example", "/").status, 200);
    assert!(waf.log().iter().all(|line| !line.contains("stranger.example") || !line.contains("ordered")));
    drop(waf);
    // It is kept.
    let waf = site.run(&pebble, "http-01", &["*.shop.example"]);
    assert!(certificate(&waf, &client, "a.shop.example").is_some());
}

#[test]
fn a_root_that_cannot_be_read_is_a_failed_start() {
    let site = Site::new();
    let start = site.start("https://127.0.0.1:1/dir", Path::new("/dev/null"), "http-01");
    let mut waf = start.launch(&site.config(&["one.example"]));
    assert_eq!(waf.wait_exit(Duration::from_secs(20)).code(), Some(1));
    waf.wait_log(&["/dev/null", "no certificate in it"]);
}

#[test]
fn a_clock_that_is_a_day_off_changes_nothing_but_the_log() {
    for (offset, told) in [("+1d", "ahead of"), ("-1d", "behind")] {
        let site = Site::new();
        let pebble = Setup::new(site.validation()).start();
        let client = Client::trusting(&[&pebble.issuing_root()], &["http/1.1"]);
        let start = site
            .start(&pebble.directory(), &pebble.root(), "http-01,tls-alpn-01")
            .environment("LD_PRELOAD", &clock::library())
            .environment("FAKETIME", offset);
        let waf = start.run(&site.config(&["one.example"]));
        let served = until_served(&waf, &client, "one.example");
        waf.wait_log(&["this machine's clock is", told]);
        polling::until_true("the file", || site.files().contains("one.example.pem"));
        drop(waf);
        // What is not valid yet by this clock serves all the same, and is not ordered again.
        let waf = start.run(&site.config(&["one.example"]));
        assert_eq!(certificate(&waf, &client, "one.example"), Some(served), "{offset}");
        waf.wait_log(&["this machine's clock is", told]);
        assert_eq!(ordered(&waf), 0, "{offset}");
    }
}
