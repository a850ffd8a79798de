//! Fields added to responses and removed from them.

use waf_tests::contract::{blocked, encode};
use waf_tests::origin::{Answer, Origin};
use waf_tests::raw::{Request, Response};
use waf_tests::running::{self, to_upstream, with_routes};

/// The five that are on by default.
const DEFAULTS: [(&str, &str); 5] = [
    ("Strict-Transport-Security", "max-age=63072000; includeSubDomains"),
    ("X-Frame-Options", "DENY"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
    ("X-DNS-Prefetch-Control", "off"),
];

/// Those that give a server away.
const STRIPPED: [&str; 14] = [
    "Server",
    "X-Powered-By",
    "X-AspNet-Version",
    "X-AspNetMvc-Version",
    "X-Generator",
    "X-Drupal-Cache",
    "X-Drupal-Dynamic-Cache",
    "X-Varnish",
    "Via",
    "X-Runtime",
    "X-Debug-Token",
    "X-Debug-Token-Link",
    "X-Backend-Server",
    "X-Version",
];

fn defaults_of(response: &Response) {
    for (name, value) in DEFAULTS {
        assert_eq!(response.all(name).collect::<Vec<_>>(), [value], "{name}");
    }
}

#[test]
fn security_headers_are_added_and_telltales_removed() {
    let origin = Origin::answering(|_| {
        let mut fields: Vec<(&str, &str)> = STRIPPED.iter().map(|name| (*name, "x/1.2.3")).collect();
        fields.extend([("server", "again"), ("X-Kept", "1"), ("Content-Type", "text/plain")]);
        Answer::new(200, &fields, "hello")
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let response = Request::get("/").to(waf.port);
    defaults_of(&response);
    for name in STRIPPED {
        assert_eq!(response.field(name), None, "{name}");
    }
    assert_eq!(response.field("X-Kept"), Some("1"));
    for name in
        ["Content-Security-Policy", "Cross-Origin-Opener-Policy", "Permissions-Policy", "Cache-Control"]
    {
        assert_eq!(response.field(name), None, "{name} is opt-in");
    }
}

#[test]
fn block_answers_carry_what_is_added() {
    let origin = Origin::start();
    let waf = running::waf(
        &(to_upstream(&origin.url())
            + "global:\n  response_headers: { inject: { response-headers-add-frame-options: SAMEORIGIN } }\n"),
    );
    let attack = Request::get(format!("/?q={}", encode("<script>alert(1)</script>"))).to(waf.port);
    blocked(&attack, 403);
    assert_eq!(attack.field("X-Frame-Options"), Some("SAMEORIGIN"));
    assert_eq!(attack.field("X-Content-Type-Options"), Some("nosniff"));
}

#[test]
fn the_upstream_wins_unless_a_value_is_injected() {
    let origin = Origin::answering(|_| {
        let own = [
            ("x-frame-options", "SAMEORIGIN"),
            ("Referrer-Policy", "no-referrer"),
            ("Referrer-Policy", "origin"),
        ];
        Answer::new(200, &own, "hello")
    });
    let url = origin.url();
    let waf = running::waf(&format!(
        "{}global:\n  response_headers:\n    inject: {{ response-headers-add-referrer-policy: same-origin }}\n",
        with_routes(&format!(
            "  - id: plain\n    match: {{ paths: [/plain] }}\n    upstream: {url}\n\
             \x20 - id: own\n    match: {{ paths: [/own] }}\n    upstream: {url}\n\
             \x20   response_headers: {{ inject: {{ response-headers-add-frame-options: DENY }} }}\n"
        ))
    ));
    let plain = Request::get("/plain").to(waf.port);
    assert_eq!(plain.all("X-Frame-Options").collect::<Vec<_>>(), ["SAMEORIGIN"], "the upstream's own stays");
    assert_eq!(plain.all("Referrer-Policy").collect::<Vec<_>>(), ["same-origin"], "named in inject: ours");
    let own = Request::get("/own").to(waf.port);
    assert_eq!(own.all("X-Frame-Options").collect::<Vec<_>>(), ["DENY"], "merged key by key");
    assert_eq!(own.all("Referrer-Policy").collect::<Vec<_>>(), ["same-origin"], "inherited");
}

#[test]
fn leaves_switch_single_headers() {
    let origin =
        Origin::answering(|_| Answer::new(200, &[("Server", "apache"), ("X-Internal", "1")], "hello"));
    let waf = running::waf(
        &(to_upstream(&origin.url())
            + "global:\n  disable: [response-headers-add-hsts, response-headers-remove-server]\n  enable: [response-headers-add-csp, response-headers-add-cache-control]\n  response_headers: { strip_extra: [x-internal] }\n"),
    );
    let response = Request::get("/").to(waf.port);
    assert_eq!(response.field("Strict-Transport-Security"), None);
    assert_eq!(response.field("Server"), Some("apache"));
    assert_eq!(response.field("X-Internal"), None);
    assert_eq!(
        response.field("Content-Security-Policy"),
        Some(
            "default-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'; upgrade-insecure-requests"
        )
    );
    assert_eq!(response.field("Cache-Control"), Some("no-store, no-cache, must-revalidate, max-age=0"));
    let blocked = Request::get(format!("/?q={}", encode("<script>alert(1)</script>"))).to(waf.port);
    assert_eq!(
        blocked.all("Cache-Control").collect::<Vec<_>>(),
        ["no-store"],
        "a block answer has one, its own"
    );
}

#[test]
fn the_rest_passes_as_it_came() {
    let origin = Origin::answering(|_| {
        Answer::raw(
            "HTTP/1.1 207 Multi-Status\r\nX-b: 1\r\nSET-Cookie: a=1; Path=/\r\nset-cookie: b=2\r\nx-A:   padded \r\nETag: W/\"x\"\r\nContent-Length: 2\r\n\r\nok",
        )
    });
    let waf = running::waf(&to_upstream(&origin.url()));
    let response = Request::get("/").to(waf.port);
    assert_eq!(
        (response.status, response.reason.as_str(), response.text().as_str()),
        (207, "Multi-Status", "ok")
    );
    let own: Vec<(&str, &str)> = response
        .fields
        .iter()
        .filter(|(name, _)| {
            ["x-b", "set-cookie", "x-a", "etag"].contains(&name.to_ascii_lowercase().as_str())
        })
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(
        own,
        [
            ("X-b", "1"),
            ("SET-Cookie", "a=1; Path=/"),
            ("set-cookie", "b=2"),
            ("x-A", "padded"),
            ("ETag", "W/\"x\"")
        ],
        "order, case and repeated fields stay"
    );
}
