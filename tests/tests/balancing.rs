//! Upstreams whose name has several addresses: which of them gets a request, and what happens when one of them fails.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};

use waf_tests::contract::answered;
use waf_tests::origin::{Answer, Gate, Origin, Received};
use waf_tests::raw::Request;
use waf_tests::running::{self, NAMES, Start, Waf, to_upstream, with_metrics};
use waf_tests::{polling, ports, scrape};

const ENDPOINTS: &str = "waf_upstream_endpoints";

fn address(last: u8, port: u16) -> SocketAddr {
    (Ipv4Addr::new(127, 0, 0, last), port).into()
}

/// Lines of hosts(5) that give `shop.test` these addresses.
fn names(lasts: &[u8]) -> String {
    lasts.iter().fold("127.0.0.1 localhost\n".to_owned(), |mut lines, last| {
        let _ = writeln!(lines, "127.0.0.{last} shop.test");
        lines
    })
}

/// Origins at 127.0.0.`lasts`, all on the same port; each answers with the last byte of its address unless `answer` does.
fn origins(
    lasts: &[u8],
    answer: impl Fn(u8, &Received) -> Option<Answer> + Clone + Send + Sync + 'static,
) -> (u16, Vec<Origin>) {
    let port = ports::free();
    let begin = |last: &u8| {
        let (last, answer) = (*last, answer.clone());
        let origin = Origin::at(address(last, port), move |request| {
            answer(last, request).unwrap_or_else(|| Answer::ok(last.to_string()))
        });
        origin.expect("a free port is free at every loopback address")
    };
    (port, lasts.iter().map(begin).collect())
}

/// A service with one worker before `shop.test`; none where names cannot be replaced.
fn waf(port: u16, lasts: &[u8]) -> Option<Waf> {
    if !Start::can_replace_names() {
        eprintln!("names cannot be replaced here: this needs root and mount namespaces");
        return None;
    }
    let start = Start::new().argument("--workers").argument("1").names(&names(lasts));
    Some(start.run(&with_metrics(&to_upstream(&format!("http://shop.test:{port}")))))
}

/// Waits until the metrics show so many addresses by state.
fn until_endpoints(waf: &Waf, available: u64, left_out: u64) {
    scrape::until(waf, &format!("{available} available, {left_out} left out"), |scrape| {
        let count = |state| scrape.count(ENDPOINTS, &[("state", state)]);
        (count("available"), count("left_out")) == (available, left_out)
    });
}

fn text(waf: &Waf, request: &Request) -> String {
    let response = request.to(waf.port);
    assert_eq!(response.status, 200, "{response:?}");
    response.text()
}

#[test]
fn requests_go_where_the_fewest_are_outstanding() {
    let gate = Gate::new();
    let held = gate.clone();
    let (port, origins) = origins(&[2, 3, 4], move |_, request| {
        (request.target_text() == "/slow").then(|| Answer::ok("at last").after(&held))
    });
    let Some(waf) = waf(port, &[2, 3, 4]) else { return };
    for _ in 0..30 {
        text(&waf, &Request::get("/"));
    }
    let counts: Vec<usize> = origins.iter().map(|origin| origin.take().len()).collect();
    assert_eq!(counts, [10, 10, 10], "one after the other they take turns");
    std::thread::scope(|scope| {
        let mut waiting = Vec::new();
        for number in 1..=2 {
            waiting.push(scope.spawn(|| text(&waf, &Request::get("/slow"))));
            polling::until_true("the request at an origin", || {
                origins.iter().map(|origin| origin.requests().len()).sum::<usize>() == number
            });
        }
        let busy = origins.iter().filter(|origin| origin.requests().len() == 1).count();
        assert_eq!(busy, 2, "two requests wait at two addresses");
        let free = origins.iter().position(|origin| origin.requests().is_empty()).expect("one is free");
        for _ in 0..5 {
            assert_eq!(text(&waf, &Request::get("/")), (free + 2).to_string(), "it has fewer");
        }
        gate.open();
        for request in waiting {
            assert_eq!(request.join().expect("the request ends"), "at last");
        }
    });
    until_endpoints(&waf, 3, 0);
}

#[test]
fn an_address_that_refuses_is_left_out_and_comes_back() {
    let (port, mut origins) = origins(&[2, 3], |_, _| None);
    // The last address has no origin from the start.
    let Some(waf) = waf(port, &[2, 3, 4]) else { return };
    for round in 0..12 {
        let request = if round % 2 == 0 {
            Request::get("/")
        } else {
            // Nothing was sent yet when a connection is refused: the method does not matter.
            Request::post("/order", "text/plain", "one pair of shoes")
        };
        text(&waf, &request);
    }
    waf.wait_log(&["an address of the upstream is left out", &format!("127.0.0.4:{port}"), "shop.test"]);
    until_endpoints(&waf, 2, 1);
    assert!(origins.iter().all(|origin| origin.requests().len() == 6), "the others share its part");
    drop(origins.remove(0));
    for _ in 0..12 {
        assert_eq!(text(&waf, &Request::get("/")), "3");
    }
    until_endpoints(&waf, 1, 2);
    drop(origins.remove(0));
    answered(&Request::get("/").to(waf.port), 502, "bad_gateway");
    until_endpoints(&waf, 0, 3);
    let back = Origin::at(address(4, port), |_| Answer::ok("back")).expect("the port is still free");
    assert_eq!(text(&waf, &Request::get("/")), "back", "all are left out, so all are tried");
    until_endpoints(&waf, 1, 2);
    let again = Origin::at(address(2, port), |_| Answer::ok("again")).expect("the port is still free");
    polling::until_true("requests at the address that accepts again", || {
        text(&waf, &Request::get("/"));
        !again.requests().is_empty()
    });
    waf.wait_log(&["an address of the upstream accepts connections again", &format!("127.0.0.2:{port}")]);
    until_endpoints(&waf, 2, 1);
    drop(back);
}

#[test]
fn a_request_that_was_sent_goes_to_no_second_address() {
    let (port, origins) = origins(&[2, 3], |last, _| (last == 2).then(Answer::close));
    let Some(waf) = waf(port, &[2, 3]) else { return };
    let mut statuses = BTreeSet::new();
    for number in 0..6 {
        let order = Request::post("/order", "text/plain", format!("order {number}"));
        statuses.insert(order.to(waf.port).status);
    }
    let orders: usize = origins.iter().map(|origin| origin.requests().len()).sum();
    assert_eq!((statuses, orders), (BTreeSet::from([200, 502]), 6));
    assert_eq!(origins[0].requests().len(), 3, "an answer is not what is judged");
    until_endpoints(&waf, 2, 0);
}

#[test]
fn the_addresses_of_a_name_are_followed() {
    let (port, origins) = origins(&[2, 3], |_, _| None);
    let Some(waf) = waf(port, &[2]) else { return };
    assert_eq!(text(&waf, &Request::get("/")), "2");
    until_endpoints(&waf, 1, 0);
    // In place: the file is mounted.
    std::fs::write(waf.folder().join(NAMES), names(&[3])).expect("a file in the test's folder");
    // An open connection serves all of these, so that the name is resolved again beside them.
    polling::until_true("requests at the added address", || text(&waf, &Request::get("/")) == "3");
    polling::until_true("no more requests at the address that is gone", || {
        origins[0].take();
        (0..4).for_each(|_| drop(text(&waf, &Request::get("/"))));
        origins[0].requests().is_empty()
    });
    until_endpoints(&waf, 1, 0);
}

#[test]
fn two_workers_show_one_number() {
    let (port, _origins) = origins(&[2, 3], |_, _| None);
    if !Start::can_replace_names() {
        return;
    }
    let start = Start::new().names(&names(&[2, 3]));
    let waf = start.run(&with_metrics(&to_upstream(&format!("http://shop.test:{port}"))));
    for _ in 0..20 {
        text(&waf, &Request::get("/"));
    }
    until_endpoints(&waf, 2, 0);
    let plain = running::with_routes("  - upstream: http://127.0.0.1:9\n");
    waf.reconfigure(&with_metrics(&plain));
    scrape::until(&waf, "no address of an upstream that no plan names", |scrape| !scrape.has(ENDPOINTS, &[]));
}
