//! Rules of [`crate::request`]: see `request/restricted.rs` for the checks that report them.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&FIELD, &WITHOUT_BODY, &CACHE_CONTROL];

pub(crate) static FIELD: Rule = Rule {
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

pub(crate) static WITHOUT_BODY: Rule = Rule {
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

pub(crate) static CACHE_CONTROL: Rule = Rule {
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
