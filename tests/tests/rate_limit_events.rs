//! Events and metrics of rate limits: one event for each refused request, and in `detect_only` one a key and window.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use waf_tests::origin::Origin;
use waf_tests::polling;
use waf_tests::rate_limit::{BY_ADDRESS, BY_KEY, admitted, limit, limited, with_key};
use waf_tests::raw::Request;
use waf_tests::running::{self, with_metrics};
use waf_tests::scrape::{self, Scrape};

fn of_limit(event: &Value) -> bool {
    event["waf"]["matched_protections"].as_array().is_some_and(|names| names.contains(&json!("rate-limit")))
}

#[test]
fn each_refused_request_has_an_event_and_is_counted() {
    let origin = Origin::start();
    let waf = running::waf(&with_metrics(&limited(&origin, &limit(2, "10m", BY_KEY))));
    assert_eq!(admitted(&waf, 12, &with_key("secret-of-alice")), 2);
    assert_eq!(admitted(&waf, 4, &with_key("bob")), 2);
    let events = waf.wait_events(12);
    let ids: BTreeSet<&str> =
        events.iter().filter_map(|event| event["http_request"]["uid"].as_str()).collect();
    assert_eq!((events.len(), ids.len()), (12, 12), "an event for each of them");
    for event in &events {
        assert_eq!(
            (event["disposition_id"].as_u64(), event["status_code"].as_str()),
            (Some(2), Some("429")),
            "{event}"
        );
        assert_eq!(event["waf"]["matched_protections"], json!(["rate-limit"]));
        assert_eq!(event["waf"]["cwe"], json!(["CWE-400", "CWE-770"]));
        assert_eq!(event["waf"]["matches"][0]["weight"], 5);
        assert_eq!(event["firewall_rule"]["rate_limit"], 2);
        assert!(!event.to_string().contains("secret-of-alice"), "a key may be a secret: {event}");
    }
    let name = "waf_requests_blocked_total";
    let labels = [("route", "default"), ("protection", "rate-limit")];
    let is_counted = |scrape: &Scrape| scrape.has(name, &labels) && scrape.count(name, &labels) == 12;
    scrape::until(&waf, "each of them counted", is_counted);
}

#[test]
fn detect_only_has_one_event_a_window() {
    let origin = Origin::start();
    let config = format!("{}  mode: detect_only\n", limited(&origin, &limit(2, "1s", BY_KEY)));
    let waf = running::waf(&config);
    assert_eq!(admitted(&waf, 12, &with_key("secret-of-alice")), 12);
    let event = waf.wait_events(1).remove(0);
    assert_eq!(
        (event["disposition_id"].as_u64(), event["status_code"].as_str()),
        (Some(15), Some("200")),
        "{event}"
    );
    assert!(of_limit(&event) && !event.to_string().contains("secret-of-alice"), "{event}");
    // Another key has an event of its own.
    assert_eq!(admitted(&waf, 4, &with_key("bob")), 4);
    let second = waf.wait_events(2).remove(1);
    assert!(of_limit(&second));
    // Alice's next event is of the next window, and counts what was left out of the first: nine of ten requests.
    let third = polling::until("the event of the next window", || {
        with_key("secret-of-alice").to(waf.port);
        waf.events().into_iter().nth(2)
    });
    let reason = third["waf"]["matches"][0]["reason"].as_str().unwrap_or_default();
    let untold = reason.split_once("; ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(untold.is_some_and(|count| count >= 9), "{reason}");
}

#[test]
fn detect_only_refuses_nothing_and_tells_once() {
    let origin = Origin::start();
    let config = format!("{}  mode: detect_only\n", limited(&origin, &limit(2, "10m", BY_ADDRESS)));
    let waf = running::waf(&config);
    assert_eq!(admitted(&waf, 10, &Request::get("/")), 10);
    let attack = Request::get("/?q=%3Cscript%3Ealert(1)%3C/script%3E").field("X-Request-Id", "the-last-one");
    assert_eq!(admitted(&waf, 1, &attack), 1);
    // Events come in the order of their requests: whatever there was before the attack is there with it.
    let last = waf.event_of("the-last-one");
    assert!(!of_limit(&last), "{last}");
    let events = waf.events();
    assert_eq!(events.len(), 2, "{events:?}");
    let event = &events[0];
    assert!(of_limit(event));
    assert_eq!(
        (event["disposition_id"].as_u64(), event["status_code"].as_str()),
        (Some(15), Some("200")),
        "{event}"
    );
}
