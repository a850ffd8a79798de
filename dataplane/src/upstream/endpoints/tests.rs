//! Choices among addresses, under a clock of the test.

use std::collections::BTreeMap;

use super::*;

fn address(last: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, last], 80))
}

fn endpoints(lasts: &[u8], now: Instant) -> Endpoints {
    let endpoints = Endpoints::default();
    endpoints.resolved(lasts.iter().copied().map(address), now);
    endpoints
}

fn next(endpoints: &Endpoints, now: Instant) -> Option<Chosen> {
    endpoints.choose(Candidates::Current, &[], now)
}

/// Requests by last byte of the address.
fn spread<'c>(chosen: impl IntoIterator<Item = &'c Chosen>) -> BTreeMap<u8, usize> {
    let mut spread = BTreeMap::new();
    for chosen in chosen {
        let std::net::IpAddr::V4(ip) = chosen.address.ip() else { panic!("IPv4") };
        *spread.entry(ip.octets()[3]).or_insert(0) += 1;
    }
    spread
}

fn after(now: Instant, seconds: u64) -> Instant {
    now + Duration::from_secs(seconds)
}

#[test]
fn requests_go_where_the_fewest_are_outstanding() {
    let now = Instant::now();
    let endpoints = endpoints(&[1, 2, 3], now);
    let held: Vec<_> = (0..9).filter_map(|_| next(&endpoints, now)).collect();
    assert_eq!(spread(&held), BTreeMap::from([(1, 3), (2, 3), (3, 3)]));
    // Those of the first address end: it takes what comes until all are even.
    let (ended, kept): (Vec<_>, Vec<_>) = held.into_iter().partition(|one| one.address == address(1));
    drop(ended);
    let more: Vec<_> = (0..3).filter_map(|_| next(&endpoints, now)).collect();
    assert_eq!(spread(&more), BTreeMap::from([(1, 3)]));
    drop((more, kept));
    let turns: Vec<_> = (0..6).filter_map(|_| next(&endpoints, now).map(|one| one.address)).collect();
    assert_eq!(turns[..3], turns[3..], "equal ones take turns");
    endpoints.failed(address(2), now);
    let turns: Vec<_> = (0..4).filter_map(|_| next(&endpoints, now).map(|one| one.address)).collect();
    assert_eq!(turns[..2], turns[2..], "also beside one that is left out");
}

#[test]
fn an_address_that_fails_is_left_out_for_growing_and_bounded_pauses() {
    let mut now = Instant::now();
    let endpoints = endpoints(&[1, 2], now);
    for (failure, pause) in [1, 2, 4, 8, 16, 32, 60, 60, 60].into_iter().enumerate() {
        assert_eq!(endpoints.failed(address(1), now), failure == 0, "reported once");
        for seconds in [0, pause - 1] {
            let chosen = next(&endpoints, after(now, seconds)).map(|one| one.address);
            assert_eq!(chosen, Some(address(2)), "failure {failure}, {seconds} s");
        }
        now = after(now, pause);
        // One request tries it again; those beside it go elsewhere until its outcome is known.
        let held: Vec<_> = (0..4).filter_map(|_| next(&endpoints, now)).collect();
        assert_eq!(spread(&held), BTreeMap::from([(1, 1), (2, 3)]), "failure {failure}");
        assert_eq!(endpoints.counts(), EndpointCounts { available: 1, left_out: 1 });
    }
    assert!(endpoints.connected(address(1)), "it is back");
    assert!(!endpoints.connected(address(1)), "which is reported once");
    let held: Vec<_> = (0..4).filter_map(|_| next(&endpoints, now)).collect();
    assert_eq!(spread(&held), BTreeMap::from([(1, 2), (2, 2)]));
    assert_eq!(endpoints.counts(), EndpointCounts { available: 2, left_out: 0 });
}

#[test]
fn an_attempt_that_was_given_up_blocks_the_next_one_for_a_bounded_time() {
    let now = Instant::now();
    let endpoints = endpoints(&[1, 2], now);
    endpoints.failed(address(1), now);
    let (first, later) = (after(now, 1), after(now, 1 + CONNECT_SECONDS));
    // Nothing is reported about these.
    let given_up: Vec<_> = (0..2).filter_map(|_| next(&endpoints, first)).collect();
    assert_eq!(spread(&given_up).len(), 2);
    drop(given_up);
    assert_eq!(next(&endpoints, after(first, 1)).map(|one| one.address), Some(address(2)));
    let held: Vec<_> = (0..2).filter_map(|_| next(&endpoints, later)).collect();
    assert_eq!(spread(&held).len(), 2, "tried again");
}

#[test]
fn a_request_never_fails_by_what_others_met() {
    let now = Instant::now();
    for lasts in [&[1][..], &[1, 2], &[1, 2, 3, 4]] {
        let endpoints = endpoints(lasts, now);
        for last in lasts {
            endpoints.failed(address(*last), now);
        }
        let mut tried = Vec::new();
        while let Some(chosen) = endpoints.choose(Candidates::Current, &tried, now) {
            assert_eq!(endpoints.untried(&tried), lasts.len() - tried.len());
            assert!(!tried.contains(&chosen.address), "each address once");
            tried.push(chosen.address);
        }
        assert_eq!(tried.len(), lasts.len());
    }
    assert!(next(&Endpoints::default(), now).is_none());
}

#[test]
fn new_connections_go_to_the_last_answer_and_open_ones_serve_a_while() {
    let now = Instant::now();
    let endpoints = endpoints(&[1, 2], now);
    endpoints.failed(address(2), now);
    let moved = after(now, 3);
    endpoints.resolved([2, 3].map(address).into_iter(), moved);
    assert_eq!(endpoints.counts(), EndpointCounts { available: 1, left_out: 1 }, "what was known of 2 stays");
    assert!(!endpoints.is_current(address(1)) && endpoints.is_current(address(3)));
    let held: Vec<_> = (0..4).filter_map(|_| next(&endpoints, now)).collect();
    assert_eq!(spread(&held), BTreeMap::from([(3, 4)]));
    let open = endpoints.choose(Candidates::Known, &[], now).map(|one| one.address);
    assert_eq!(open, Some(address(1)), "it has fewer");
    endpoints.resolved([address(3)].into_iter(), after(now, UPSTREAM_ADDRESS_SECONDS));
    let known = endpoints.choose(Candidates::Known, &[address(2), address(3)], now);
    assert!(known.is_none(), "{known:?}");
}

#[test]
fn the_name_is_resolved_again_now_and_then() {
    let now = Instant::now();
    assert!(!Endpoints::default().begin_refresh(now), "the first request resolves");
    let endpoints = endpoints(&[1], now);
    assert!(!endpoints.begin_refresh(after(now, UPSTREAM_RESOLVE_SECONDS - 1)));
    let due = after(now, UPSTREAM_RESOLVE_SECONDS);
    assert!(endpoints.begin_refresh(due) && !endpoints.begin_refresh(due), "by one request");
}

#[test]
fn addresses_are_bounded() {
    let now = Instant::now();
    let endpoints = Endpoints::default();
    for round in 0..8_u16 {
        let answer = (0..500_u16).map(|port| SocketAddr::from(([192, 0, 2, 1], 1 + round * 500 + port)));
        endpoints.resolved(answer, now);
        assert_eq!(endpoints.counts().available as usize, UPSTREAM_ADDRESSES_MAX);
        assert!(endpoints.table().endpoints.len() <= 2 * UPSTREAM_ADDRESSES_MAX);
    }
}
