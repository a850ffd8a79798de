//! The router against a matcher that is written without it: every route is tried on every reading of a path.

use proptest::prelude::*;

use super::*;

/// The router's choice as it should be, by trying every route on every reading.
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
    let decode = |text: &str, slashes: bool| {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            let code = rest.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let code = code.filter(|code| slashes || !b"/\\".contains(code));
            out.push_str(&rest[..at]);
            out.push(code.map_or('%', char::from));
            rest = &rest[at + if code.is_some() { 3 } else { 1 }..];
        }
        out + rest
    };
    let dropped = |segment: &str| segment.split(';').next().unwrap().to_owned();
    let mut known = vec![(path.to_owned(), 0, false)];
    let mut at = 0;
    while let Some((text, decodings, lost)) = known.get(at).cloned() {
        let mut next = vec![
            (text.replace('\\', "/"), decodings, lost),
            (text.split('/').map(dropped).collect::<Vec<_>>().join("/"), decodings, lost),
            (naive_merge(&text), decodings, lost),
            (naive_dots(&text), decodings, lost),
        ];
        if decodings < 2 {
            next.push((decode(&text, true), decodings + 1, lost));
            next.push((decode(&text, false), decodings + 1, lost));
        }
        let authority = text.trim_start_matches(['/', '\\']);
        if !lost && text.len() - authority.len() > 1 {
            let rest = authority.find(['/', '\\']).map_or("/", |at| &authority[at..]);
            next.push((rest.to_owned(), decodings, true));
        }
        known.extend(next.into_iter().filter(|new| !known.contains(new)).collect::<Vec<_>>());
        at += 1;
    }
    // The alphabet of the generator holds no escape of a reserved character but slashes.
    let read = |(text, decodings, _): (String, u8, bool)| match decodings {
        0 => naive_split(&text.replace("%61", "a").replace("%2e", ".")),
        _ => naive_split(&text),
    };
    known.into_iter().map(read).collect()
}

fn naive_merge(path: &str) -> String {
    let mut path = path.to_owned();
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    path
}

/// The steps of RFC 3986 section 5.2.4, as they are written there.
fn naive_dots(path: &str) -> String {
    let (mut input, mut output) = (path.to_owned(), String::new());
    if !input.starts_with('/') {
        return input;
    }
    while !input.is_empty() {
        if input == "/." || input.starts_with("/./") {
            input = format!("/{}", input.get(3..).unwrap_or_default());
        } else if input == "/.." || input.starts_with("/../") {
            input = format!("/{}", input.get(4..).unwrap_or_default());
            output.truncate(output.rfind('/').unwrap_or(0));
        } else {
            let end = input.get(1..).and_then(|rest| rest.find('/')).map_or(input.len(), |at| at + 1);
            output += &input[..end];
            input = input[end..].to_owned();
        }
    }
    output
}

fn naive_split(path: &str) -> Vec<String> {
    let parts = path.strip_prefix('/').unwrap_or(path);
    let inner = parts.strip_suffix('/').unwrap_or(parts);
    if parts.is_empty() { Vec::new() } else { inner.split('/').map(str::to_owned).collect() }
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
        "%252e", "%2e", "//a/",
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
