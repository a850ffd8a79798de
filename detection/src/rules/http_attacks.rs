//! HTTP inside values: a header, a status line, a request line or a page behind a line break, which splits the message of
//! whoever copies the value; addresses that make Apache's proxy talk to a socket; cookies in the form of RFC 2109.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

mod message;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[
        &HEADER_BEHIND_BREAK,
        &STATUS_LINE,
        &PAGE_BEHIND_BREAK,
        &REQUEST_LINE,
        &SOCKET_ADDRESS,
        &VERSION_COOKIE,
    ]],
    detectors: &[&DETECTOR],
};

/// Values that a server may copy into a message.
const COPIED: Places = Places::of(&[
    Place::Path,
    Place::QueryName,
    Place::Query,
    Place::FormName,
    Place::Form,
    Place::Json,
    Place::Xml,
    Place::Header,
    Place::Cookie,
    Place::FileName,
    Place::Body,
]);

static HEADER_BEHIND_BREAK: Rule = Rule {
    id: "http-attacks-response-splitting/header",
    leaf: Leaf::HttpAttacksResponseSplitting,
    weight: STRONG,
    places: COPIED,
    matcher: RuleMatcher::Detected,
    summary: "A line break and a header of a response in a value that should be one word.",
    attacks: &[
        "foobar\r\nContent-Length: 0",
        "en\r\nSet-Cookie: a=b",
        "\n Location: https://evil.example/",
        "x\rContent-Type: text/html",
        "\u{560a}\u{560d}Set-Cookie:a=b",
        "a\nContentType: text/html;charset=UTF-7",
    ],
    benign: &[
        "My server sends this:\nSet-Cookie: a=b; Path=/\nContent-Type: text/html",
        "Friday\nLocation: Room 5",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n",
        "Set-Cookie: a=b",
        "Content-Type: text/plain\nContent-Length: 3",
    ],
};

static STATUS_LINE: Rule = Rule {
    id: "http-attacks-response-splitting/status-line",
    leaf: Leaf::HttpAttacksResponseSplitting,
    weight: STRONG,
    places: COPIED,
    matcher: RuleMatcher::Detected,
    summary: "A line break and the status line of a response in a value that should be one word.",
    attacks: &["en\r\n\r\nHTTP/1.1 200 OK\r\n", "x\nHTTP/2 302 Found", "\r\rHTTP/1.0 200"],
    benign: &[
        "I get this answer:\n\nHTTP/1.1 200 OK",
        "HTTP/1.1 404 Not Found",
        "the server speaks HTTP/2 and HTTP/1.1",
    ],
};

static PAGE_BEHIND_BREAK: Rule = Rule {
    id: "http-attacks-response-splitting/page",
    leaf: Leaf::HttpAttacksResponseSplitting,
    weight: STRONG,
    places: Places::of(&[Place::Path, Place::QueryName, Place::Query, Place::Header, Place::Cookie]),
    matcher: RuleMatcher::Detected,
    summary: "An empty line and the beginning of a page in a value outside the body.",
    attacks: &["munch\r\n\r\n<HTML><title></title></HTML>", "x\n\n<html>", "a\r\n\r\n <meta charset=x>"],
    benign: &["<html>", "a\n<html>", "see\n\nhtml"],
};

static REQUEST_LINE: Rule = Rule {
    id: "http-attacks-request-smuggling/request-line",
    leaf: Leaf::HttpAttacksRequestSmuggling,
    weight: STRONG,
    places: COPIED,
    matcher: RuleMatcher::Detected,
    summary: "A second request line hidden in a value.",
    attacks: &[
        "aaa\rHEAD http://shop.example/ HTTP/1.1",
        "GET http://www.shop.example HTTP/1.2",
        "0\r\n\r\nPOST /admin HTTP/1.1\r\nHost: localhost",
        "\nget /foo HTTP/1.0",
    ],
    benign: &[
        "203.0.113.9 - - [10/Jun/2024] \"GET /a HTTP/1.1\" 200 5",
        "We send this request:\nGET /api/items HTTP/1.1\nHost: shop.example",
        "aaa\r\nGet /foo\r",
        "get the HTTP/2 module",
        "POST via HTTP/1.1 or HTTP/2?",
    ],
};

static SOCKET_ADDRESS: Rule = Rule {
    id: "http-attacks-apache-mod-proxy/socket-address",
    leaf: Leaf::HttpAttacksApacheModProxy,
    weight: STRONG,
    places: Places::of(&[Place::Path, Place::QueryName, Place::Query]),
    matcher: RuleMatcher::Pattern {
        regex: r"(?:^|[^a-z0-9])unix:[^|\r\n]*\|\s*[a-z][a-z0-9+.\-]*:",
        literals: &["unix:"],
    },
    summary: "The socket address of Apache's mod_proxy, with the server that it is to ask instead.",
    attacks: &["unix:AAAAAAAAA|http://10.0.0.5/", "/a?unix:/x|fcgi://127.0.0.1:9000/", "x=unix:|http:a"],
    benign: &["unix:///var/run/docker.sock", "linux|unix: which?", "unix:1700000000|UTC"],
};

static VERSION_COOKIE: Rule = Rule {
    id: "http-attacks-rfc2109-cookies/version",
    leaf: Leaf::HttpAttacksRfc2109Cookies,
    weight: STRONG,
    places: Places::of(&[Place::CookieName]),
    matcher: RuleMatcher::Pattern { regex: r"^\$version$", literals: &["$version"] },
    summary: "The Cookie header is written as RFC 2109 has it, which servers part into cookies in different ways.",
    attacks: &["$Version", "$version", "$VERSION"],
    benign: &["version", "$version_id", "app$version"],
};

/// Reads HTTP messages in values.
static DETECTOR: Detector = Detector {
    name: "http-message",
    triggers: &[message::TRIGGERS],
    prefilter: None,
    places: COPIED,
    run: judge,
};

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let bytes = subject.bytes;
    let is_text = matches!(subject.place, Place::Form | Place::Part | Place::Json | Place::Xml | Place::Body);
    message::lines(bytes, is_text, |kind, offset, length| {
        let rule = match kind {
            message::Kind::Header => &HEADER_BEHIND_BREAK,
            message::Kind::Status => &STATUS_LINE,
            message::Kind::Page => &PAGE_BEHIND_BREAK,
            message::Kind::Request => &REQUEST_LINE,
        };
        evidence.found(rule, offset, length);
    });
}
