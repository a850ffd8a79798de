//! The router against tables of cases, and against a matcher written without it.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use crate::plan::Segment;
use proptest::prelude::*;

use super::*;

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
            ("", "/x/../admin/y", is(0)),
            ("", "/x/%2e%2E/admin", is(0)),
            ("", "/../../admin", is(0)),
            ("", "/./admin/.", is(0)),
            ("", "/admin/..", is(4)),
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
    let same = Choice::Route(1);
    check(
        &lines,
        &[
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
            ("", "/admin/a;b", Choice::Route(0)),
            ("", "/admin/a//b", Choice::Route(0)),
            ("", "/x//y", same),
            ("", "/x/http://host/y", same),
            ("", "/x;v=1/y", same),
            ("", "/x/a%2fb", same),
            ("", "/x/100%25", same),
            ("", "/x/%2561", same),
        ],
    );
    // A reading that matches nothing differs from one that matches.
    check(&lines[..1], &[("", "//admin", Choice::Ambiguous), ("", "//x", Choice::None)]);
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

/// What the router should choose, by trying every route on every reading.
fn naive(routes: &Patterns, host: Option<&str>, path: &str) -> Choice {
    let mut choices: Vec<Option<usize>> =
        naive_readings(path).iter().map(|reading| naive_choice(routes, host, reading)).collect();
    choices.dedup();
    match choices.as_slice() {
        [Some(route)] => Choice::Route(*route),
        [None] => Choice::None,
        _ => Choice::Ambiguous,
    }
}

fn naive_choice(routes: &Patterns, host: Option<&str>, reading: &[String]) -> Option<usize> {
    let serves = |pattern: &HostPattern| {
        let Some(host) = host else { return false };
        let host = host.to_lowercase();
        let host = host.split(':').next().unwrap();
        let host = host.strip_suffix('.').unwrap_or(host);
        match pattern {
            HostPattern::Exact(name) => host == name,
            HostPattern::Subdomains(suffix) => host.ends_with(suffix.as_str()) && host.len() > suffix.len(),
        }
    };
    routes
        .iter()
        .enumerate()
        .filter(|(_, (hosts, _))| hosts.is_empty() || hosts.iter().any(serves))
        .flat_map(|(index, (_, paths))| paths.iter().map(move |pattern| (pattern.rank, index, pattern)))
        .filter(|(_, _, pattern)| naive_match(&pattern.segments, reading))
        .min_by_key(|(rank, _, _)| *rank)
        .map(|(_, index, _)| index)
}

fn naive_match(pattern: &[Segment], path: &[String]) -> bool {
    match pattern {
        [] => path.is_empty(),
        [Segment::AnyNumber, rest @ ..] => (0..=path.len()).any(|skip| naive_match(rest, &path[skip..])),
        [Segment::One, rest @ ..] => !path.is_empty() && naive_match(rest, &path[1..]),
        [Segment::Literal(text), rest @ ..] => path.first() == Some(text) && naive_match(rest, &path[1..]),
    }
}

fn naive_readings(path: &str) -> Vec<Vec<String>> {
    let lower = path.to_lowercase();
    let doubtful = ["//", "%2f", "%5c", "\\", ";"].iter().any(|mark| lower.contains(mark))
        || lower.match_indices("%25").any(|(at, _)| {
            lower.len() >= at + 5 && lower[at + 3..at + 5].bytes().all(|byte| byte.is_ascii_hexdigit())
        });
    // The alphabet of the generator holds no escape of a reserved character but these.
    let as_sent = path.replace("%61", "a").replace("%2e", ".").replace("%2E", ".");
    if !doubtful {
        return vec![naive_split(&as_sent, false)];
    }
    let decode = |text: &str| {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            let code = rest.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            out.push_str(&rest[..at]);
            out.push(code.map_or('%', char::from));
            rest = &rest[at + if code.is_some() { 3 } else { 1 }..];
        }
        out + rest
    };
    let once = decode(path);
    let twice = decode(&once);
    let mut readings = Vec::new();
    for text in [as_sent, once, twice] {
        for habits in 0..8 {
            let text = if habits & 1 == 0 { text.clone() } else { text.replace('\\', "/") };
            let dropped = |segment: &str| segment.split(';').next().unwrap().to_owned();
            let text = match habits & 2 {
                0 => text,
                _ => text.split('/').map(dropped).collect::<Vec<_>>().join("/"),
            };
            readings.push(naive_split(&text, habits & 4 != 0));
        }
    }
    readings
}

fn naive_split(path: &str, merge: bool) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    for (index, part) in parts.iter().enumerate() {
        match *part {
            "." => {}
            ".." => drop(out.pop()),
            "" if merge || index + 1 == parts.len() => {}
            part => out.push(part.to_owned()),
        }
    }
    out
}

fn any_segment() -> impl Strategy<Value = Segment> {
    prop_oneof![
        6 => prop::sample::select(vec!["a", "b", "ab"]).prop_map(|text| Segment::Literal(text.to_owned())),
        2 => Just(Segment::One),
        2 => Just(Segment::AnyNumber),
    ]
}

fn any_routes() -> impl Strategy<Value = Patterns> {
    let host = prop::sample::select(vec!["", "", "h.org", "*.h.org", "*.org", "i.h.org h.org"]);
    let pattern = prop::collection::vec(any_segment(), 0..5);
    let paths = prop::collection::vec((pattern, any::<u32>()), 1..3);
    prop::collection::vec((host, paths), 1..12).prop_map(|routes| {
        let mut order: Vec<u32> =
            routes.iter().flat_map(|(_, paths)| paths.iter().map(|path| path.1)).collect();
        order.sort_unstable();
        let rank = |key: u32| order.iter().position(|known| *known == key).unwrap() as u32;
        routes
            .into_iter()
            .map(|(host, paths)| {
                let paths = paths.into_iter().map(|(segments, key)| PathPattern {
                    text: String::new(),
                    segments,
                    rank: rank(key),
                });
                (hosts_of(host), paths.collect())
            })
            .collect()
    })
}

fn any_path() -> impl Strategy<Value = String> {
    let ordinary = prop::sample::select(vec!["/a", "/b", "/ab", "/a", "/b", "/", "/.", "/..", "/%61"]);
    let odd = prop::sample::select(vec![
        "/a", "/b", "/ab", "/..", "/", "a", "b", "..", "%2f", "%5C", "\\", ";", ";x", "%2561", "%252f",
        "%252e", "%2e",
    ]);
    let join = |parts: Vec<&str>| format!("/{}", parts.concat());
    prop_oneof![
        prop::collection::vec(ordinary, 0..8).prop_map(move |parts| format!("{}/", parts.concat())),
        prop::collection::vec(odd, 0..8).prop_map(join),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn the_trie_agrees_with_a_naive_matcher(
        routes in any_routes(),
        host in prop::sample::select(vec![None, Some("h.org"), Some("I.h.org:80"), Some("x.org."), Some("i.j.h.org")]),
        path in any_path(),
    ) {
        let router = router(&routes);
        prop_assert_eq!(router.choose(host.map(str::as_bytes), path.as_bytes()), naive(&routes, host, &path));
    }

    #[test]
    fn no_bytes_panic(
        routes in any_routes(),
        host in prop::option::of(prop::collection::vec(any::<u8>(), 0..40)),
        path in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let _ = router(&routes).choose(host.as_deref(), &path);
    }
}
