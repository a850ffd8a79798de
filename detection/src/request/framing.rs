//! Content where none belongs, no length where one belongs, and a `Connection` that says two things. What leaves the framing
//! itself in doubt is refused before this.

use waf_shared::catalog::Leaf;

use super::facts::{Facts, Finding, Version};
use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

pub(super) static GET_WITH_BODY: Rule = Rule {
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

pub(super) static POST_WITHOUT_LENGTH: Rule = Rule {
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

pub(super) static CONNECTION: Rule = Rule {
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

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<Finding<'a>>) {
    if facts.carries_body && (facts.is_method("GET") || facts.is_method("HEAD")) {
        let length = facts.content_length.first.unwrap_or_default();
        found.push(Finding::new(&GET_WITH_BODY, "content-length", length));
    }
    let has_length = facts.content_length.first.is_some() || facts.transfer_encoding.first.is_some();
    let has_content = ["POST", "PUT", "PATCH"].iter().any(|method| facts.is_method(method));
    // A frame of HTTP/2 says where a message ends.
    if has_content && facts.version != Some(Version::Http2) && !has_length {
        found.push(Finding::new(&POST_WITHOUT_LENGTH, "content-length", b""));
    }
    if contradicts(facts) {
        let value = facts.connection.second.or(facts.connection.first).unwrap_or_default();
        found.push(Finding::new(&CONNECTION, "connection", value));
    }
}

/// Options of one `Connection` that are compared; clients send one or two.
const OPTIONS_MAX: usize = 8;

fn contradicts(facts: &Facts<'_>) -> bool {
    let lines = [facts.connection.first, facts.connection.second];
    let options = lines.into_iter().flatten().flat_map(|line| line.split(|byte| *byte == b','));
    let options = options.map(<[u8]>::trim_ascii).filter(|option| !option.is_empty());
    let mut seen: [&[u8]; OPTIONS_MAX] = [b""; OPTIONS_MAX];
    for (slot, option) in seen.iter_mut().zip(options) {
        *slot = option;
    }
    let seen = || seen.iter().filter(|option| !option.is_empty());
    let says = |word: &[u8]| seen().any(|option| option.eq_ignore_ascii_case(word));
    let repeats = seen()
        .enumerate()
        .any(|(nth, option)| seen().skip(nth + 1).any(|later| later.eq_ignore_ascii_case(option)));
    repeats || says(b"close") && says(b"keep-alive")
}
