//! Proofs by DNS from a real authority: wildcards are ordered and renewed, and neither port 80 nor 443 is asked.

use std::time::Duration;

use waf_tests::origin::Authority;
use waf_tests::pebble::{Pebble, Setup, Validation};
use waf_tests::running::{Start, Waf};
use waf_tests::site::{Site, certificate, find, missing, ordered, until_served};
use waf_tests::tls::Client;
use waf_tests::zone::Zone;
use waf_tests::{polling, ports};

const RECORD: &str = "_acme-challenge.shop.example";

/// An authority that finds nobody at the ports of other challenges.
fn authority(zone: &Zone) -> Pebble {
    zone.asked_by(Setup::new(Validation { http: ports::free(), https: ports::free() })).start()
}

fn start(site: &Site, zone: &Zone, pebble: &Pebble) -> Start {
    let start = site.start(&pebble.directory(), &pebble.root(), "dns-01");
    zone.known_to(start, pebble.names_management())
}

fn until_cleaned_up(zone: &Zone, waf: &Waf) {
    polling::until_true("the records to be removed", || {
        zone.records(RECORD).is_none_or(|records| records.is_empty())
    });
    assert!(waf.log().iter().all(|line| !line.contains("may be left")), "{}", waf.log().join("\n"));
}

#[test]
fn a_wildcard_is_ordered_and_renewed() {
    let (site, zone) = (Site::new(), Zone::new("shop.example"));
    let pebble = authority(&zone);
    let issuing = pebble.issuing_root();
    let client = Client::trusting(&[&issuing], &["http/1.1"]);
    // The domain and the wildcard below it are proven by one name, at the same time.
    let hosts = ["*.shop.example", "www.shop.example", "shop.example"];
    let waf = start(&site, &zone, &pebble).run(&site.config(&hosts));
    let below = until_served(&waf, &client, "any.shop.example");
    assert_eq!(certificate(&waf, &client, "www.shop.example"), Some(below.clone()), "the wildcard's");
    assert_ne!(until_served(&waf, &client, "shop.example"), below);
    assert_eq!(client.ask(waf.port, "any.shop.example", "/").status, 200);
    polling::until_true("no host to be missing", || missing(&waf).is_none());
    let failures = waf.log().iter().filter(|line| line.contains("no certificate could be had")).count();
    assert!(ordered(&waf) <= 2 + failures, "two names, two orders: {}", waf.log().join("\n"));
    until_cleaned_up(&zone, &waf);
    polling::until_true("the file", || site.files().contains("_wildcard.shop.example.pem"));
    drop(waf);

    // In its place one that is past the half of its short life.
    let old = Authority::new("unused.example");
    let (chain, key) = old.issue_for(&["*.shop.example"], Duration::from_hours(1), Duration::from_mins(1));
    let path = find(site.data.path(), "_wildcard.shop.example.pem");
    std::fs::write(&path, format!("{key}\n{chain}\n# end\n")).expect("it can be written");
    let waf = start(&site, &zone, &pebble).run(&site.config(&hosts));
    let both = Client::trusting(&[&issuing, &old.root_pem], &["http/1.1"]);
    assert!(certificate(&waf, &both, "any.shop.example").is_some(), "the old one serves meanwhile");
    assert_ne!(until_served(&waf, &client, "any.shop.example"), below);
    waf.wait_log(&["a certificate was issued", "*.shop.example"]);
    until_cleaned_up(&zone, &waf);
    assert!(waf.log().iter().all(|line| !line.contains("http-01")), "{}", waf.log().join("\n"));
}

#[test]
fn a_hook_that_fails_is_reported_and_nothing_is_asked_of_the_authority() {
    let (site, zone) = (Site::new(), Zone::new("shop.example"));
    let pebble = authority(&zone);
    let start = site.start(&pebble.directory(), &pebble.root(), "dns-01");
    // A shell that is called with `present` looks for a file of that name.
    let start = start.argument("--acme-dns-hook").argument("/bin/sh");
    let waf = start.run(&site.config(&["*.shop.example"]));
    waf.wait_log(&["the DNS hook writes", RECORD, "present"]);
    waf.wait_log(&["no certificate could be had", "*.shop.example", "exit status", "retry_s"]);
    assert!(waf.log().iter().all(|line| !line.contains("the challenge is answered")));
}
