//! Rules of [`crate::request`]: see `request/ranges.rs` for the checks that report them.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&MALFORMED, &EXCESSIVE, &OBSOLETE_FIELD, &ANY];

pub(crate) static MALFORMED: Rule = Rule {
    id: "http-compliance-range-header/malformed",
    leaf: Leaf::HttpComplianceRangeHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A Range cannot be read, ends before it begins, or is there twice.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nRange: bytes=50-10\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nRange: bytes=a-z\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nRange: bytes=0-18446744073709551615\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nRange: bytes=0-1\nRange: bytes=2-3\n\n",
    ],
    benign: &[
        "GET /v.mp4 HTTP/1.1\nHost: shop.example\nRange: bytes=0-\n\n",
        "GET /v.mp4 HTTP/1.1\nHost: shop.example\nRange: bytes=-500\n\n",
        "GET /a HTTP/1.1\nHost: shop.example\nRange: bytes=500-999, 2000-2499\n\n",
        "GET /a HTTP/1.1\nHost: shop.example\nRange: 0-24\n\n",
        "GET /a HTTP/1.1\nHost: shop.example\nRange: items=0-24\n\n",
    ],
};

pub(crate) static EXCESSIVE: Rule = Rule {
    id: "http-compliance-range-header/excessive",
    leaf: Leaf::HttpComplianceRangeHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "A Range asks for many parts at once.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nRange: bytes=0-,5-6,5-7,5-8,5-9,5-10\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nRange: bytes=10-11, 20-21, 30-31, 40-41, 50-51, 60-61\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nRange: bytes=1-1,3-3,5-5,7-7,9-9,11-11,13-13,15-15\n\n",
    ],
    benign: &[
        "GET /a HTTP/1.1\nHost: shop.example\nRange: bytes=10-11, 20-21, 30-31, 40-41, 50-51\n\n",
        "GET /a.pdf HTTP/1.1\nHost: shop.example\nRange: bytes=10-11, 20-21, 30-31, 40-41, 50-51, 60-61\n\n",
        "GET /v.mp4 HTTP/1.1\nHost: shop.example\nRange: bytes=1048576-\n\n",
    ],
};

pub(crate) static OBSOLETE_FIELD: Rule = Rule {
    id: "http-compliance-range-header/request-range",
    leaf: Leaf::HttpComplianceRangeHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The obsolete field Request-Range, which some servers still obey.",
    attacks: &[
        "GET /v.mp4 HTTP/1.1\nHost: shop.example\nRequest-Range: bytes=0-\n\n",
        "HEAD / HTTP/1.1\nHost: shop.example\nrequest-range: bytes=0-0\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nRange: bytes=0-1\nRequest-Range: bytes=0-1\n\n",
    ],
    benign: &[
        "GET /v.mp4 HTTP/1.1\nHost: shop.example\nRange: bytes=0-1023\n\n",
        "GET /v.mp4 HTTP/1.1\nHost: shop.example\nIf-Range: \"abc\"\nRange: bytes=0-1023\n\n",
        "GET /v.mp4 HTTP/1.1\nHost: shop.example\n\n",
    ],
};

pub(crate) static ANY: Rule = Rule {
    id: "http-attacks-range-dos/range",
    leaf: Leaf::HttpAttacksRangeDos,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The request asks for parts, where whole answers are all that clients need.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nRange: bytes=0-1023\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nRequest-Range: bytes=0-1023\n\n",
        "POST / HTTP/1.1\nHost: shop.example\nContent-Length: 0\nRange: bytes=0-\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Ranges: bytes\n\n",
        "PUT / HTTP/1.1\nHost: shop.example\nContent-Length: 1\nContent-Type: text/plain\nContent-Range: bytes 0-0/9\n\na",
    ],
};
