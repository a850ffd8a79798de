//! The router against tables of cases.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use crate::plan::Segment;

use super::*;

mod naive;

type Patterns = Vec<(Vec<HostPattern>, Vec<PathPattern>)>;

fn router(routes: &Patterns) -> Router {
    Router::of(routes.iter().map(|(hosts, paths)| (hosts.as_slice(), paths.as_slice())))
}

fn segments_of(text: &str) -> Vec<Segment> {
    let mut segments: Vec<Segment> = text
        .split('/')
        .filter(|segment| !segment.is_empty())
        .map(|segment| match segment {
            "*" => Segment::One,
            "**" => Segment::AnyNumber,
            literal => Segment::Literal(literal.to_owned()),
        })
        .collect();
    if text.ends_with("/*") {
        segments.pop();
        segments.push(Segment::AnyNumber);
    }
    segments
}

fn hosts_of(text: &str) -> Vec<HostPattern> {
    text.split_whitespace()
        .map(|host| match host.strip_prefix('*') {
            Some(suffix) => HostPattern::Subdomains(suffix.to_owned()),
            None => HostPattern::Exact(host.to_owned()),
        })
        .collect()
}

/// Routes of `hosts path` lines, the most specific first.
fn routes(lines: &[(&str, &str)]) -> Patterns {
    lines
        .iter()
        .enumerate()
        .map(|(rank, (hosts, path))| {
            let pattern =
                PathPattern { text: (*path).to_owned(), segments: segments_of(path), rank: rank as u32 };
            (hosts_of(hosts), vec![pattern])
        })
        .collect()
}

fn check(lines: &[(&str, &str)], cases: &[(&str, &str, Choice)]) {
    let router = router(&routes(lines));
    for (host, path, expected) in cases {
        let host = (!host.is_empty()).then_some(host.as_bytes());
        assert_eq!(router.choose(host, path.as_bytes()), *expected, "{host:?} {path}");
    }
}

#[test]
fn the_most_specific_path_wins() {
    let lines = [
        ("", "/v1/users/profile"),
        ("", "/v1/users/*"),
        ("", "/v1/*/detail/*"),
        ("", "/v1/*"),
        ("", "/files/**/raw"),
        ("", "/"),
    ];
    let is = Choice::Route;
    check(
        &lines,
        &[
            ("", "/v1/users/profile", is(0)),
            ("", "/v1/users/profile/", is(0)),
            ("", "/v1/users/profile/x", is(1)),
            ("", "/v1/users/Profile", is(1)),
            ("", "/v1/users", is(1)),
            ("", "/v1/users/", is(1)),
            ("", "/v1/things/detail", is(2)),
            ("", "/v1/things/detail/a/b", is(2)),
            ("", "/v1/things", is(3)),
            ("", "/v1", is(3)),
            ("", "/v12", Choice::None),
            ("", "/files/raw", is(4)),
            ("", "/files/a/b/raw", is(4)),
            ("", "/files/raw/raw/raw", is(4)),
            ("", "/files/a/b/rawer", Choice::None),
            ("", "/", is(5)),
            ("", "", is(5)),
            ("", "/other", Choice::None),
        ],
    );
}

#[test]
fn hosts_narrow_the_choice() {
    let lines = [("a.example.com", "/*"), ("*.example.com", "/*"), ("b.org c.org", "/x/*"), ("", "/x/*")];
    let is = Choice::Route;
    check(
        &lines,
        &[
            ("A.Example.com:8443", "/x", is(0)),
            ("b.example.com.", "/x", is(1)),
            ("deep.b.example.com", "/", is(1)),
            ("example.com", "/x", is(3)),
            ("example.com", "/", Choice::None),
            ("c.org", "/x/y", is(2)),
            ("[2001:db8::1]:80", "/x/y", is(3)),
            ("", "/x/y", is(3)),
        ],
    );
}

#[test]
fn paths_are_normalised_before_they_are_matched() {
    let lines = [("", "/admin/*"), ("", "/caf\u{e9}"), ("", "/a%20b/*"), ("", "/.well-known/*"), ("", "/*")];
    let is = Choice::Route;
    check(
        &lines,
        &[
            ("", "/%61dmin", is(0)),
            ("", "/admin/x/../y", is(0)),
            ("", "/admin/%2e/y", is(0)),
            ("", "/admin/.", is(0)),
            ("", "/x/../y", is(4)),
            ("", "/../y", is(4)),
            ("", "/admin/...", is(0)),
            ("", "/caf%c3%a9", is(1)),
            ("", "/caf%C3%A9/", is(1)),
            ("", "/a%20b/c", is(2)),
            ("", "/.well-known/x", is(3)),
            ("", "/ADMIN", is(4)),
            ("", "/100%", is(4)),
        ],
    );
}

#[test]
fn readings_that_choose_differently_are_refused() {
    let lines = [("", "/admin/*"), ("", "/*")];
    check(
        &lines,
        &[
            // Dot segments, which some routers match and others resolve.
            ("", "/x/../admin/y", Choice::Ambiguous),
            ("", "/x/%2e%2E/admin", Choice::Ambiguous),
            ("", "/x/.%2e/admin", Choice::Ambiguous),
            ("", "/../../admin", Choice::Ambiguous),
            ("", "/./admin/.", Choice::Ambiguous),
            ("", "/admin/..", Choice::Ambiguous),
            ("", "/admin/x/../../y", Choice::Ambiguous),
            ("", "/x//../../admin", Choice::Ambiguous),
            // One program resolves, the next one decodes and does not.
            ("", "/x/../admin/%2e%2e/y", Choice::Ambiguous),
            ("", "/x/../admin%2f..%2f..%2fy", Choice::Ambiguous),
            // An authority that some readers take out of the path.
            ("", "//x/admin", Choice::Ambiguous),
            ("", "///x/admin/1", Choice::Ambiguous),
            ("", "/\\x/admin/1", Choice::Ambiguous),
            ("", "/\\x\\admin", Choice::Ambiguous),
            ("", "\\\\x/admin", Choice::Ambiguous),
            ("", "/%2fx/admin", Choice::Ambiguous),
            ("", "/%255cx/admin", Choice::Ambiguous),
            ("", "//u@h:80/x/../admin", Choice::Ambiguous),
            ("", "//x;/admin", Choice::Ambiguous),
            // A slash that stays encoded beside a parameter that does not.
            ("", "/x%2fy/..%3b/admin", Choice::Ambiguous),
            ("", "//admin", Choice::Ambiguous),
            ("", "/x/..;/admin", Choice::Ambiguous),
            ("", "/x/..%2fadmin", Choice::Ambiguous),
            ("", "/x/..%252fadmin", Choice::Ambiguous),
            ("", "/x/%252e%252e/admin", Choice::Ambiguous),
            ("", "/x\\..\\admin", Choice::Ambiguous),
            ("", "/x/..%5cadmin", Choice::Ambiguous),
            ("", "/admin;x=1", Choice::Ambiguous),
            ("", "/admin%2fx", Choice::Ambiguous),
            ("", "/%2561dmin", Choice::Ambiguous),
            // One decoder keeps parameters where another drops them, and the two tricks cancel out for the second.
            ("", "/x/x%2f..%2f..%2fadmin/..;/x", Choice::Ambiguous),
        ],
    );
    // A reading that matches nothing differs from one that matches.
    check(&lines[..1], &[("", "//admin", Choice::Ambiguous), ("", "//x", Choice::None)]);
}

#[test]
fn readings_that_choose_alike_are_served() {
    let lines = [("", "/admin/*"), ("", "/*")];
    let same = Choice::Route(1);
    check(
        &lines,
        &[
            ("", "/admin/a;b", Choice::Route(0)),
            ("", "/admin/a//b", Choice::Route(0)),
            ("", "/x//y", same),
            ("", "/x/http://host/y", same),
            ("", "/x;v=1/y", same),
            ("", "/x/a%2fb", same),
            ("", "/x/100%25", same),
            ("", "/x/%2561", same),
            ("", "//x/y", same),
            ("", "//x", same),
            ("", "/x/../admin/..", same),
            ("", "/x/./y/../z", same),
            ("", "/admin/a/../b/%2e%2e/c", Choice::Route(0)),
        ],
    );
}

#[test]
fn wildcards_cannot_be_made_to_retry() {
    // Every prefix of the path keeps every pattern alive; a backtracking matcher would not come back.
    let pattern = "/**/a".repeat(60) + "/b";
    let router = router(&routes(&[("", &pattern)]));
    let path = "/a".repeat(2_000);
    let started = std::time::Instant::now();
    assert_eq!(router.choose(None, path.as_bytes()), Choice::None);
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
    // Far beyond any honest path the walk is given up, and the request with it.
    let path = "/a".repeat(32_000);
    assert_eq!(router.choose(None, path.as_bytes()), Choice::Ambiguous);
}

#[test]
fn a_thousand_hosts_on_one_path_are_told_apart() {
    let lines: Vec<(String, &str)> = (0..1_000).map(|n| (format!("h{n}.example.com"), "/*")).collect();
    let lines: Vec<(&str, &str)> = lines.iter().map(|(host, path)| (host.as_str(), *path)).collect();
    let router = router(&routes(&lines));
    for n in [0, 1, 499, 999] {
        let host = format!("h{n}.example.com");
        assert_eq!(router.choose(Some(host.as_bytes()), b"/x"), Choice::Route(n));
    }
    assert_eq!(router.choose(Some(b"h1000.example.com"), b"/x"), Choice::None);
}

#[test]
fn what_climbs_above_a_prefix_is_seen_in_any_reading() {
    for rest in [
        "/../secret",
        "/a/../../secret",
        "/..%2fadmin",
        "/%2e%2e/admin",
        "/.%252e/admin",
        "/..;x/admin",
        "/a;/..;/..;/x",
        "/..\\admin",
        "/a//../../x",
        "/a%2f..%2f..%2fx",
        "/a%5c..%5c..%5cx",
        "/a/..;/%2e%2e%3b/x",
        "/..",
    ] {
        assert!(climbs(rest.as_bytes()), "{rest}");
    }
    for rest in [
        "",
        "/",
        "/a/../b",
        "/a/./b",
        "/...",
        "/..a/b",
        "/a;v=1/b",
        "/a%2fb/../c",
        "//a//b",
        "/a..b/c",
        "/caf%C3%A9",
    ] {
        assert!(!climbs(rest.as_bytes()), "{rest}");
    }
}

#[test]
fn an_authority_behind_a_stripped_prefix_keeps_the_route() {
    let router = router(&routes(&[("", "/api/admin/*"), ("", "/api/*")]));
    for rest in ["//x/admin/1", "/\\x/admin", "/%2fx/admin", "///x/y/../admin", "//x/%61dmin"] {
        assert!(!router.stays(None, 1, b"/api", rest.as_bytes()), "{rest}");
    }
    for rest in ["/x/admin", "//x/y", "//v1", "/x//admin", "/", ""] {
        assert!(router.stays(None, 1, b"/api", rest.as_bytes()), "{rest}");
    }
}

#[test]
fn the_readings_of_one_path_are_bounded() {
    // Long, and each piece can be read in several ways.
    let path = "/a;b//c\\d%252f..%2f.".repeat(3_000);
    let router = router(&routes(&[("", "/*")]));
    let started = std::time::Instant::now();
    assert_eq!(router.choose(None, path.as_bytes()), Choice::Ambiguous);
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
    for path in [
        "/shop;jsessionid=1/a//b/../c%2Fd%20e",
        "/proxy/https%3A%2F%2Fcdn.example%2Fa%2F..%2Fb;v=1",
        "//cdn//a/./b/../c;v=2/%C3%A9%2F",
        "/a%252Fb/..%2Fc",
    ] {
        assert_eq!(router.choose(None, path.as_bytes()), Choice::Route(0), "{path}");
    }
}
