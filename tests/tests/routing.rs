//! Which route a request takes and what its upstream then receives, to the byte.

use waf_tests::contract::{answered, blocked};
use waf_tests::origin::{Answer, Origin};
use waf_tests::raw::{Connection, Request};
use waf_tests::running::{self, with_routes};

/// Routes that name themselves: each upstream URL has the route's id as its base path, so that the origin sees which
/// one was chosen.
fn routes(url: &str, patterns: &[(&str, &str)]) -> String {
    let one = |(id, paths): &(&str, &str)| {
        let paths =
            if paths.is_empty() { String::new() } else { format!("    match: {{ paths: [{paths}] }}\n") };
        format!("  - id: {id}\n{paths}    upstream: {url}/{id}\n")
    };
    // Dot segments are an attack by themselves elsewhere; here they are what is under test.
    with_routes(&patterns.iter().map(one).collect::<String>()) + "global: { disable: [local-file-access] }\n"
}

/// The target that the origin received: its own target; or the status when the request was answered before.
fn seen(origin: &Origin, port: u16, target: &str) -> String {
    let response = Request::get(target).to(port);
    match origin.take().as_slice() {
        [] => response.status.to_string(),
        [request] => request.target_text(),
        more => panic!("{target} reached the origin {} times", more.len()),
    }
}

#[test]
fn the_most_specific_route_wins() {
    let origin = Origin::answering(Answer::echo);
    let waf = running::waf(&routes(
        &origin.url(),
        &[
            ("v1", "/v1/*"),
            ("users", "/v1/users/*"),
            ("profile", "/v1/users/profile"),
            ("orders", "/v1/*/orders"),
            ("deep", "/files/**/raw"),
            ("file", "/files/*/raw"),
            ("two", "'/a', '/b/*'"),
            ("any", "/*"),
            ("none", ""),
        ],
    ));
    for (target, expected) in [
        ("/v1/users/profile", "/profile/v1/users/profile"),
        ("/v1/users/profile/", "/profile/v1/users/profile/"),
        ("/v1/users/profile?x=1&y=%2F", "/profile/v1/users/profile?x=1&y=%2F"),
        ("/v1/users/7", "/users/v1/users/7"),
        ("/v1/users", "/users/v1/users"),
        ("/v1/users/", "/users/v1/users/"),
        ("/v1/7/orders", "/v1/v1/7/orders"),
        ("/v1", "/v1/v1"),
        ("/v10", "/any/v10"),
        ("/V1/users", "/any/V1/users"),
        ("/files/raw", "/deep/files/raw"),
        ("/files/a/raw", "/file/files/a/raw"),
        ("/files/a/b/c/raw", "/deep/files/a/b/c/raw"),
        ("/a", "/two/a"),
        ("/b", "/two/b"),
        ("/b/c/d", "/two/b/c/d"),
        ("/", "/any/"),
        ("/?q=1", "/any/?q=1"),
        // Unreserved characters are decoded for matching; the upstream gets the client's bytes.
        ("/v1/%75sers/profile", "/profile/v1/%75sers/profile"),
        ("/v1/users/x/../8", "/users/v1/users/x/../8"),
        ("/v1/users/./8", "/users/v1/users/./8"),
        ("/b/x/%2e%2e/c", "/two/b/x/%2e%2e/c"),
    ] {
        assert_eq!(seen(&origin, waf.port, target), expected, "{target}");
    }
}

#[test]
fn a_path_that_two_readers_read_differently_is_refused() {
    let origin = Origin::answering(Answer::echo);
    let waf = running::waf(&routes(&origin.url(), &[("admin", "/admin/*"), ("rest", "/*")]));
    for target in [
        "/x/..%2fadmin/",
        "//admin/x",
        "/admin%2fx",
        "/x%5c..%5cadmin",
        "/x/..;/admin/y",
        "/x/%252e%252e/admin/y",
    ] {
        let response = Request::get(target).to(waf.port);
        blocked(&response, 400);
        assert!(origin.take().is_empty(), "{target} was forwarded");
    }
    // The same signs where both readings lead to one route do no harm to routing.
    for (target, expected) in
        [("/a%2Fb/c", "/rest/a%2Fb/c"), ("/a;v=1/b", "/rest/a;v=1/b"), ("/a//b", "/rest/a//b")]
    {
        assert_eq!(seen(&origin, waf.port, target), expected, "{target}");
    }
}

#[test]
fn readings_that_lead_to_different_routes_are_refused_in_either_mode() {
    let origin = Origin::start();
    let url = origin.url();
    let routes = format!(
        "  - id: api\n    match: {{ paths: [/api/*, /admin/*] }}\n    upstream: {url}\n\
         \x20 - id: static\n    match: {{ paths: [/static/*] }}\n    upstream: {url}\n    mode: detect_only\n\
         \x20 - id: rest\n    upstream: {url}\n    mode: detect_only\n"
    );
    let waf = running::waf(&with_routes(&routes));
    for target in [
        "/api/x/../../static/y?id=A",
        "/static/../api/y",
        "/static/%2e%2e/api/y",
        "/static/.%2E/api/y",
        "/static/..;/api/y",
        "/static/x//../../api/y",
        "/static/%252e%252e/api/y",
        "/static/../admin/%2e%2e/x",
        "//x/admin/1",
        "/\\x/admin/1",
        "/%5cx/admin/1",
        "///x/admin/1",
        "http://shop.example//x/admin/1",
        "http://shop.example/\\x/admin/1",
        "/./admin/1",
    ] {
        blocked(&Request::get(target).to(waf.port), 400);
        assert!(origin.take().is_empty(), "{target} was forwarded");
    }
    // Where all readings lead to one route, sloppy paths pass.
    for target in [
        "/static/css/../js/app.js",
        "/static/./app.js",
        "/static//app.js",
        "/static/app.js;v=1",
        "//cdn/app.js",
        "/rest/a%2Fb",
        "/caf%C3%A9/a%20b",
        "/static/a+b/c&d/(e)/~f/@g/h:i",
    ] {
        assert_eq!(Request::get(target).to(waf.port).status, 200, "{target}");
        assert_eq!(origin.only().target_text(), target);
    }
}

#[test]
fn nothing_climbs_above_a_prefix() {
    let origin = Origin::answering(Answer::echo);
    for (mode, base, rewrite, front) in [
        ("blocking", "/base", "", "/base/s"),
        ("detect_only", "", "add_prefix: /v2", "/v2/s"),
        ("blocking", "", "strip_prefix: /s", ""),
        ("detect_only", "/base", "strip_prefix: /s, add_prefix: /v2", "/base/v2"),
    ] {
        // One route for every path, so that no other one can be chosen; dot segments are an attack by themselves elsewhere.
        let route = format!("  - upstream: {}{base}\n    rewrite: {{ {rewrite} }}\n", origin.url());
        let global = format!("global: {{ mode: {mode}, disable: [local-file-access] }}\n");
        let waf = running::waf(&(with_routes(&route) + &global));
        let depth = if front.ends_with("/s") { "/.." } else { "" };
        for climb in [
            "/../secret",
            "/..%2fadmin",
            "/x/..%2f..%2fadmin",
            "/%2e%2e/secret",
            "/..;/secret",
            "/..%5csecret",
            "/x/%252e%252e/%252e%252e/secret",
            "/x//../../secret",
            "/x;v=1/..;a/.%2e/y",
            "/..",
        ] {
            let target = format!("/s{depth}{climb}");
            blocked(&Request::get(&target).to(waf.port), 400);
            assert!(origin.take().is_empty(), "{mode} {base} {rewrite}: {target} was forwarded");
        }
        for rest in ["/x/../y", "/a%2Fb/c", "/a/b%2f../c", "/..x/y", "/a;v=1/./b", "/a//b"] {
            assert_eq!(
                seen(&origin, waf.port, &format!("/s{rest}")),
                format!("{front}{rest}"),
                "{base} {rewrite}"
            );
        }
    }
    // Of a path that is replaced nothing is left that could climb.
    let route = format!("  - upstream: {}/base\n    rewrite: {{ path: /one }}\n", origin.url());
    let waf = running::waf(&(with_routes(&route) + "global: { disable: [local-file-access] }\n"));
    assert_eq!(seen(&origin, waf.port, "/a/..%2f..%2fb?x=1"), "/base/one?x=1");
}

#[test]
fn a_prefix_that_is_stripped_hides_no_other_route() {
    let origin = Origin::answering(Answer::echo);
    let strip = format!("upstream: {}\n    rewrite: {{ strip_prefix: /api }}", origin.url());
    let waf = running::waf(&with_routes(&format!(
        "  - match: {{ paths: [/api/admin/*] }}\n    {strip}\n  - match: {{ paths: [/api/*] }}\n    {strip}\n    mode: detect_only\n"
    )));
    for target in ["/api//x/admin/1", "/api/\\x/admin/1", "/api/%2fx/admin/1", "/api///x/admin"] {
        blocked(&Request::get(target).to(waf.port), 400);
        assert!(origin.take().is_empty(), "{target} was forwarded");
    }
    for (target, expected) in
        [("/api//v1/x", "//v1/x"), ("/api/x/admin/1", "/x/admin/1"), ("/api/admin/1", "/admin/1")]
    {
        assert_eq!(seen(&origin, waf.port, target), expected, "{target}");
    }
}

#[test]
fn rewrites_change_the_path_alone() {
    let origin = Origin::answering(Answer::echo);
    let url = origin.url();
    let waf = running::waf(&with_routes(&format!(
        "  - match: {{ paths: [/strip/*] }}\n    upstream: {url}\n    rewrite: {{ strip_prefix: /strip }}\n\
         \x20 - match: {{ paths: [/add/*] }}\n    upstream: {url}\n    rewrite: {{ add_prefix: /v2 }}\n\
         \x20 - match: {{ paths: [/both/*] }}\n    upstream: {url}/base\n    rewrite: {{ strip_prefix: /both, add_prefix: /v2 }}\n\
         \x20 - match: {{ paths: [/fixed/*] }}\n    upstream: {url}/base/\n    rewrite: {{ path: /one, strip_prefix: /fixed }}\n\
         \x20 - match: {{ paths: [/base/*] }}\n    upstream: {url}/b%20c\n\
         \x20 - match: {{ paths: [/plain/*] }}\n    upstream: {url}/\n"
    )));
    for (target, expected) in [
        ("/strip/a/b", "/a/b"),
        ("/strip", "/"),
        ("/strip/", "/"),
        ("/strip?x=/strip", "/?x=/strip"),
        ("/strip/%41%2f?q=%41", "/%41%2f?q=%41"),
        ("/add/a?x=1", "/v2/add/a?x=1"),
        ("/both/a?x", "/base/v2/a?x"),
        ("/fixed/a/b?x=1", "/base/one?x=1"),
        ("/base/x", "/b%20c/base/x"),
        ("/plain/x/", "/plain/x/"),
        ("/plain/x?", "/plain/x?"),
        ("/plain/%C3%A4~%7E|x", "/plain/%C3%A4~%7E|x"),
        ("/plain/x?a=b?c&&d==", "/plain/x?a=b?c&&d=="),
        ("/plain/[x]{y}^`", "/plain/[x]{y}^`"),
    ] {
        assert_eq!(seen(&origin, waf.port, target), expected, "{target}");
    }
}

#[test]
fn an_absolute_target_is_forwarded_in_origin_form() {
    let origin = Origin::answering(Answer::echo);
    let waf = running::waf(&routes(&origin.url(), &[("any", "/*")]));
    assert_eq!(seen(&origin, waf.port, "http://shop.example/a?b"), "/any/a?b");
    assert_eq!(seen(&origin, waf.port, "http://shop.example"), "/any/");
    blocked(&Request::get("http://other.example/a").to(waf.port), 400);
    let mut connection = Connection::open(waf.port).expect("a connection");
    connection.send("GET http://shop.example/a HTTP/1.1\r\n\r\n").expect("sent");
    blocked(&connection.response().expect("a response"), 400);
    assert!(origin.take().is_empty());
}

#[test]
fn nothing_matches() {
    let origin = Origin::start();
    let waf = running::waf(&routes(&origin.url(), &[("shop", "/shop/*"), ("api", "/api")]));
    for target in ["/", "/shopping", "/api/x", "/Shop/x", "/x/shop/y"] {
        answered(&Request::get(target).to(waf.port), 404, "not_found");
    }
    assert!(origin.take().is_empty());
}

#[test]
fn the_upstream_gets_the_clients_host() {
    let origin = Origin::start();
    let waf = running::waf(&routes(&origin.url(), &[("any", "/*")]));
    for host in ["Shop.Example", "shop.example:8080", "shop.example.", "[::1]:80"] {
        assert_eq!(Request::get("/").host(host).to(waf.port).status, 200, "{host}");
        assert_eq!(origin.only().field("Host"), Some(host));
    }
}

#[test]
fn each_route_has_its_own_upstream() {
    let (one, two) = (Origin::answering(|_| Answer::ok("one")), Origin::answering(|_| Answer::ok("two")));
    let waf = running::waf(&with_routes(&format!(
        "  - match: {{ paths: [/one/*] }}\n    upstream: {}\n  - match: {{ paths: [/two/*] }}\n    upstream: http://localhost:{}\n",
        one.url(),
        two.port()
    )));
    assert_eq!(Request::get("/one/x").to(waf.port).text(), "one");
    assert_eq!(Request::get("/two/x").to(waf.port).text(), "two");
    assert_eq!((one.requests().len(), two.requests().len()), (1, 1));
}
