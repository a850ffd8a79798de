//! Rules of [`crate::request`]: see `request/framing.rs` for the checks that report them.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&GET_WITH_BODY, &POST_WITHOUT_LENGTH, &CONNECTION];

pub(crate) static GET_WITH_BODY: Rule = Rule {
    id: "http-compliance-get-with-body/content",
    leaf: Leaf::HttpComplianceGetWithBody,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A GET or HEAD request carries content.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain\nContent-Length: 3\n\nabc",
        "HEAD / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain\nContent-Length: 7\n\nhi=test",
        "HEAD / HTTP/1.1\nHost: shop.example\nTransfer-Encoding: chunked\n\n3\nabc\n0\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Type: application/json\nContent-Length: 0\n\n",
        "GET /search?q=1 HTTP/1.1\nHost: shop.example\n\n",
        "HEAD /a.pdf HTTP/1.1\nHost: shop.example\n\n",
        "DELETE /cart/1 HTTP/1.1\nHost: shop.example\nContent-Type: application/json\nContent-Length: 2\n\n{}",
    ],
};

pub(crate) static POST_WITHOUT_LENGTH: Rule = Rule {
    id: "http-compliance-post-without-length/no-length",
    leaf: Leaf::HttpCompliancePostWithoutLength,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A POST, PUT or PATCH over HTTP/1 has neither a length nor a transfer coding.",
    attacks: &[
        "POST / HTTP/1.1\nHost: shop.example\n\n",
        "POST /login HTTP/1.1\nHost: shop.example\nContent-Type: application/x-www-form-urlencoded\n\n",
        "POST /api?x=1 HTTP/1.1\nHost: shop.example\nConnection: close\n\n",
        "PUT /flag HTTP/1.1\nHost: shop.example\nContent-Type: application/json\n\n",
        "PATCH /cart/1 HTTP/1.1\nHost: shop.example\n\n",
        "POST /old HTTP/1.0\nHost: shop.example\n\n",
    ],
    benign: &[
        "POST / HTTP/1.1\nHost: shop.example\nContent-Length: 0\n\n",
        "POST / HTTP/1.1\nHost: shop.example\nTransfer-Encoding: chunked\nContent-Type: text/plain\n\n1\na\n0\n\n",
        "PUT /flag HTTP/1.1\nHost: shop.example\nContent-Length: 0\n\n",
        "POST /stream HTTP/2\nHost: shop.example\n\n",
        "DELETE /cart/1 HTTP/1.1\nHost: shop.example\n\n",
        "OPTIONS /cart HTTP/1.1\nHost: shop.example\n\n",
        "GET / HTTP/1.1\nHost: shop.example\n\n",
    ],
};

pub(crate) static CONNECTION: Rule = Rule {
    id: "http-compliance-connection-header/contradiction",
    leaf: Leaf::HttpComplianceConnectionHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "Connection repeats an option or says both keep-alive and close.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nConnection: keep-alive, close\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nConnection: close,close\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nConnection: Keep-Alive\nConnection: close\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nConnection: keep-alive\n\n",
        "GET /ws HTTP/1.1\nHost: shop.example\nConnection: keep-alive, Upgrade\nUpgrade: websocket\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nConnection: TE, close\nTE: trailers\n\n",
    ],
};
