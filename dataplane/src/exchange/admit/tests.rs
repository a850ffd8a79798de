//! Admission of heads, by a table of heads and their refusals.

use waf_shared::plan::{Mode, Route};

use super::super::testing::{self, exchange, head};
use super::*;

/// Status with which a head is refused, and the leaves that were found.
fn admit(lines: &str, change: impl FnOnce(&mut Route)) -> (Option<u16>, Vec<Leaf>) {
    let mut exchange = exchange(|_, route| change(route));
    let refused = testing::admit(head(lines), &mut exchange).err();
    let leaves = exchange.findings.leaves().iter().collect();
    (refused.map(|rejection| rejection.status()), leaves)
}

#[test]
fn ordinary_heads_are_admitted() {
    for lines in [
        "GET / HTTP/1.1\nHost: a",
        "GET /a/b?c=d HTTP/1.0\nHost: a",
        "GET http://a/b HTTP/1.1\nHost: a",
        "OPTIONS * HTTP/1.1\nHost: a",
        "POST / HTTP/1.1\nHost: a\nContent-Type: text/plain\nContent-Length: 3",
        "GET / HTTP/1.1\nHost: a\nConnection: keep-alive, x-hop",
    ] {
        assert_eq!(admit(lines, |_| {}), (None, Vec::new()), "{lines:?}");
    }
}

#[test]
fn the_first_violation_decides_over_the_status() {
    let long = "x".repeat(3_000);
    let many = format!("GET / HTTP/1.1\nHost: a{}", "\nX: y".repeat(64));
    let large = format!("GET / HTTP/1.1\nHost: a\nX: {}", long.repeat(6));
    let sized = |more: &str| format!("POST / HTTP/1.1\nHost: a\n{more}");
    for (lines, status, leaf) in [
        ("GET / HTTP/1.1".to_owned(), 400, Leaf::RequestValidationRequireHostHeader),
        ("BREW / HTTP/1.1\nHost: a".to_owned(), 405, Leaf::RequestValidationAllowedMethods),
        (format!("GET /{long} HTTP/1.1\nHost: a"), 414, Leaf::RequestValidationMaxUrlLength),
        (format!("BREW /{long} HTTP/1.1\nHost: a"), 405, Leaf::RequestValidationAllowedMethods),
        (many, 431, Leaf::RequestValidationMaxHeaderCount),
        (large, 431, Leaf::RequestValidationMaxHeaderSize),
        (sized("Content-Length: 3"), 415, Leaf::RequestValidationRequireContentType),
        (sized("Content-Type: a/b\nContent-Length: 9999999"), 413, Leaf::RequestValidationMaxBodySize),
    ] {
        assert_eq!(admit(&lines, |_| {}), (Some(status), vec![leaf]), "{lines:.60?}");
        // Detection alone reports and goes on; a leaf that is off finds nothing.
        let (refused, leaves) = admit(&lines, |route| route.settings.mode = Mode::DetectOnly);
        assert!(refused.is_none() && leaves.contains(&leaf), "{lines:.60?}");
        let (_, leaves) = admit(&lines, |route| route.settings.leaves.remove(leaf));
        assert!(!leaves.contains(&leaf), "{lines:.60?}");
    }
}

#[test]
fn media_types_are_compared_by_their_essence() {
    let types = |route: &mut Route| route.settings.accept.content_types = vec!["a/b".to_owned()];
    for (value, status) in [
        ("a/b", None),
        ("A/B; charset=x", None),
        ("a/b ;x", None),
        ("a/c", Some(415)),
        ("a/bc", Some(415)),
        ("", Some(415)),
    ] {
        let lines = format!("POST / HTTP/1.1\nHost: a\nContent-Type: {value}\nContent-Length: 1");
        assert_eq!(admit(&lines, types).0, status, "{value:?}");
    }
}

#[test]
fn paths_that_leave_their_prefix_are_refused() {
    for (path, status) in [
        ("/a/../b", None),
        ("/a", None),
        ("/../a", Some(400)),
        ("/a/..%2f..%2fb", Some(400)),
        ("/%2e%2e/a", Some(400)),
        ("/a/../../b", Some(400)),
    ] {
        let lines = format!("GET {path} HTTP/1.1\nHost: a");
        let refused = admit(&lines, |route| route.upstream.base_path = "/base".to_owned()).0;
        assert_eq!(refused, status, "{path}");
    }
}
