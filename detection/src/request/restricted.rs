//! Fields that change what a server does and that clients of applications have no reason to send.

use waf_shared::catalog::Leaf;

use super::facts::{Facts, Finding};
use super::media_type::is_token;
use crate::field::Places;
use crate::rule::{Rule, STRONG, Test};

pub(super) static FIELD: Rule = Rule {
    id: "http-compliance-restricted-headers/field",
    leaf: Leaf::HttpComplianceRestrictedHeaders,
    weight: STRONG,
    places: Places::HEADERS,
    test: Test::Head,
    summary: "A field that changes the method, the path or the settings that a server works with.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nProxy: http://203.0.113.7:8080/\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nLock-Token: <opaquelocktoken:a>\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nIf: (<opaquelocktoken:a>)\n\n",
        "PUT /a HTTP/1.1\nHost: shop.example\nContent-Length: 0\nIf: (<opaquelocktoken:a>) or 1\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX-Rewrite-URL: /admin\n\n",
        "GET /admin HTTP/1.1\nHost: shop.example\nx-middleware-subrequest: middleware\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX-Up-Devcap-Post-Charset: ibm500\n\n",
    ],
    everyday: &[
        "GET / HTTP/1.1\nHost: shop.example\nProxy-Connection: keep-alive\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nIf-Match: \"a\"\nX-Forwarded-Proto: https\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX-Requested-With: XMLHttpRequest\nX-Method: a\n\n",
        "POST / HTTP/1.1\nHost: shop.example\nContent-Length: 0\nX-HTTP-Method-Override: DELETE\n\n",
        "PUT /a HTTP/1.1\nHost: shop.example\nContent-Length: 0\nIf: (<opaquelocktoken:a>)\n\n",
        "UNLOCK /a HTTP/1.1\nHost: shop.example\nLock-Token: <opaquelocktoken:a>\n\n",
    ],
};

pub(super) static WITHOUT_BODY: Rule = Rule {
    id: "http-compliance-restricted-headers/about-no-body",
    leaf: Leaf::HttpComplianceRestrictedHeaders,
    weight: STRONG,
    places: Places::HEADERS,
    test: Test::Head,
    summary: "Content-Encoding or Content-Range on a request that carries no content.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Encoding: deflate\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Range: bytes 4096-8192/8192\n\n",
        "DELETE /a HTTP/1.1\nHost: shop.example\ncontent-encoding: gzip\n\n",
    ],
    everyday: &[
        "PUT / HTTP/1.1\nHost: shop.example\nContent-Type: text/plain\nContent-Length: 1\nContent-Range: bytes 0-0/9\n\na",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Encoding: identity\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Encoding:\n\n",
        "PUT /up HTTP/1.1\nHost: shop.example\nContent-Length: 0\nContent-Range: bytes */1000\n\n",
    ],
};

pub(super) static CACHE_CONTROL: Rule = Rule {
    id: "http-compliance-restricted-headers/cache-control",
    leaf: Leaf::HttpComplianceRestrictedHeaders,
    weight: STRONG,
    places: Places::HEADERS,
    test: Test::Head,
    summary: "A Cache-Control that is no list of directives, or whose ages are no numbers.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: max-age=1,,,max-stale=2\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: max-age=never\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: no-cache; no-store\n\n",
    ],
    everyday: &[
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: no-cache\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: no-cache, no-store, must-revalidate\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: max-age=0,\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: private, community=\"UCI\", max-age=\"3\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control:\n\n",
    ],
};

/// In lower case, sorted. What each does: `if` and `lock-token` are WebDAV's; `proxy` becomes an environment variable that HTTP
/// clients behind a gateway obey; `translate` makes an old IIS send the source; the others replace method, path or character set.
const RESTRICTED: &[&str] = &[
    "if",
    "lock-token",
    "proxy",
    "translate",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-middleware-subrequest",
    "x-original-url",
    "x-rewrite-url",
    "x-up-devcap-post-charset",
];

const NAME_BYTES_MAX: usize = 24;

/// Whether no client has reason to send a field of that name.
pub(super) fn is_restricted(name: &[u8]) -> bool {
    let mut lower = [0; NAME_BYTES_MAX];
    let Some(lower) = lower.get_mut(..name.len()) else { return false };
    for (to, from) in lower.iter_mut().zip(name) {
        *to = from.to_ascii_lowercase();
    }
    RESTRICTED.binary_search_by(|known| known.as_bytes().cmp(lower)).is_ok()
}

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<Finding<'a>>) {
    if let Some((field, value)) = facts.restricted {
        found.push(Finding { rule: &FIELD, field, value });
    }
    if !facts.carries_body {
        let coded = |value: &&[u8]| !value.is_empty() && !value.eq_ignore_ascii_case(b"identity");
        if let Some(value) = facts.content_encoding.first.filter(coded) {
            found.push(Finding::new(&WITHOUT_BODY, "content-encoding", value));
        }
        // A resumable upload asks for its state with an empty PUT.
        let is_query = facts.is_method("PUT") || facts.is_method("POST") || facts.is_method("PATCH");
        if let Some(value) = facts.content_range.first.filter(|_| !is_query) {
            found.push(Finding::new(&WITHOUT_BODY, "content-range", value));
        }
    }
    let lines = [facts.cache_control.first, facts.cache_control.second];
    if let Some(value) = lines.into_iter().flatten().find(|value| !are_directives(value)) {
        found.push(Finding::new(&CACHE_CONTROL, "cache-control", value));
    }
}

/// RFC 9111 section 5.2, with an empty element where senders leave one: at the end.
fn are_directives(value: &[u8]) -> bool {
    let value = value.strip_suffix(b",").unwrap_or(value);
    let mut rest = value;
    while !rest.is_empty() {
        let (mut quoted, mut end) = (false, rest.len());
        for (at, byte) in rest.iter().enumerate() {
            quoted ^= *byte == b'"';
            if *byte == b',' && !quoted {
                end = at;
                break;
            }
        }
        if quoted || !is_directive(rest.get(..end).unwrap_or_default().trim_ascii()) {
            return false;
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    true
}

fn is_directive(text: &[u8]) -> bool {
    const AGES: &[&str] = &["max-age", "max-stale", "min-fresh"];
    let Some((name, value)) = memchr::memchr(b'=', text).and_then(|at| text.split_at_checked(at)) else {
        return is_token(text);
    };
    let value = value.get(1..).unwrap_or_default();
    let inner = value.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\""));
    let is_age = AGES.iter().any(|age| name.eq_ignore_ascii_case(age.as_bytes()));
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    is_token(name) && if is_age { digits(inner.unwrap_or(value)) } else { inner.is_some() || is_token(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(RESTRICTED.is_sorted() && RESTRICTED.iter().all(|name| name.len() <= NAME_BYTES_MAX));
    }
}
