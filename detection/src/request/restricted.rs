//! Fields that change what a server does and that clients of applications have no reason to send.

use waf_shared::catalog::Leaf;
use waf_shared::fields::{self, Property};

use super::facts::{Facts, Finding};
use super::media_type::is_token;
use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

pub(super) static FIELD: Rule = Rule {
    id: "http-compliance-restricted-headers/field",
    leaf: Leaf::HttpComplianceRestrictedHeaders,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A field that changes the method, the path or the settings that a server works with, or how it reads a body.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nProxy: http://203.0.113.7:8080/\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nLock-Token: <opaquelocktoken:a>\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nIf: (<opaquelocktoken:a>)\n\n",
        "PUT /a HTTP/1.1\nHost: shop.example\nContent-Length: 0\nIf: (<opaquelocktoken:a>) or 1\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX-Rewrite-URL: /admin\n\n",
        "GET /admin HTTP/1.1\nHost: shop.example\nx-middleware-subrequest: middleware\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX-Up-Devcap-Post-Charset: ibm500\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX_HTTP_METHOD_OVERRIDE: DELETE\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX_Original-Url: /admin\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nlock_token: a\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent_Type: application/json\n\n",
        "GET / HTTP/1.1\nHost: shop.example\ncontent_encoding: gzip\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nProxy-Connection: keep-alive\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nIf-Match: \"a\"\nX-Forwarded-Proto: https\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nX-Requested-With: XMLHttpRequest\nX-Method: a\n\n",
        "POST / HTTP/1.1\nHost: shop.example\nContent-Length: 0\nX-HTTP-Method-Override: DELETE\n\n",
        "PUT /a HTTP/1.1\nHost: shop.example\nContent-Length: 0\nIf: (<opaquelocktoken:a>)\n\n",
        "UNLOCK /a HTTP/1.1\nHost: shop.example\nLock-Token: <opaquelocktoken:a>\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nx_csrf_token: a\nuser_agent: b\nAPI_KEY: c\n\n",
    ],
};

pub(super) static WITHOUT_BODY: Rule = Rule {
    id: "http-compliance-restricted-headers/about-no-body",
    leaf: Leaf::HttpComplianceRestrictedHeaders,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "Content-Encoding or Content-Range on a request that carries no content.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nContent-Encoding: deflate\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nContent-Range: bytes 4096-8192/8192\n\n",
        "DELETE /a HTTP/1.1\nHost: shop.example\ncontent-encoding: gzip\n\n",
    ],
    benign: &[
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
    matcher: RuleMatcher::RequestHead,
    summary: "A Cache-Control that is no list of directives, or whose ages are no numbers.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: max-age=1,,,max-stale=2\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: max-age=never\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: no-cache; no-store\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: no-cache\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: no-cache, no-store, must-revalidate\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: max-age=0,\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control: private, community=\"UCI\", max-age=\"3\"\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nCache-Control:\n\n",
    ],
};

/// Whether no client has reason to send a field of that name. A twin of a field that says how a body is read is that field
/// to programs that fold `_`, `.` and `-`, beside the one that was judged.
pub(super) fn is_restricted(name: &[u8]) -> bool {
    fields::find(name).is_some_and(|field| {
        field.is(Property::Restricted) || (field.is(Property::Body) && fields::is_twin(name))
    })
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
