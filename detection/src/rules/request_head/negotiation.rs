//! Rules of [`crate::request`]: see `request/negotiation.rs` for the checks that report them.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] =
    &[&ACCEPT_MISSING, &ACCEPT_MALFORMED, &USER_AGENT_MISSING, &ENCODING_MALFORMED, &ENCODING_UNKNOWN];

pub(crate) static ACCEPT_MISSING: Rule = Rule {
    id: "http-compliance-accept-header/missing",
    leaf: Leaf::HttpComplianceAcceptHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "There is no Accept, or an empty one.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept:\n\n",
        "POST / HTTP/1.1\nHost: shop.example\nContent-Length: 0\nAccept-Language: en\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nAccept: */*\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept: text/html, */*;q=0.8\n\n",
        "GET / HTTP/1.1\nHost: shop.example\naccept: application/json\n\n",
    ],
};

pub(crate) static ACCEPT_MALFORMED: Rule = Rule {
    id: "http-compliance-accept-header/malformed",
    leaf: Leaf::HttpComplianceAcceptHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Accept is no list of media ranges.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nAccept: everything\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept: text/html, ../../x\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept: text/html; <b>\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nAccept: text/html,application/xhtml+xml,image/avif,*/*;q=0.8\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept: text/html, image/gif, *; q=.2, */*; q=.2\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept: application/signed-exchange;v=b3;q=0.7, a/b;x=\"y, z\",\n\n",
    ],
};

pub(crate) static USER_AGENT_MISSING: Rule = Rule {
    id: "http-compliance-user-agent-header/missing",
    leaf: Leaf::HttpComplianceUserAgentHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "There is no User-Agent, or an empty one.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nUser-Agent:\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nUser-Agents: curl/8.5.0\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nUser-Agent: curl/8.5.0\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nuser-agent: Go-http-client/1.1\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nUser-Agent: -\n\n",
    ],
};

pub(crate) static ENCODING_MALFORMED: Rule = Rule {
    id: "http-compliance-accept-encoding/malformed",
    leaf: Leaf::HttpComplianceAcceptEncoding,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Accept-Encoding is no list of codings, or far longer than one.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: gzip, deflate; br zstd\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: <gzip>\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: gzip, deflate, br, zstd\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: gzip;q=1.0, identity; q=0.5, *;q=0\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding:\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: gzip,\n\n",
    ],
};

pub(crate) static ENCODING_UNKNOWN: Rule = Rule {
    id: "http-compliance-accept-encoding/unknown-coding",
    leaf: Leaf::HttpComplianceAcceptEncoding,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Accept-Encoding names a coding that does not exist.",
    attacks: &[
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: foobar\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: gzip, nosuch;q=0.5\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: application\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: aes128gcm, br, compress, deflate, exi, identity, x-gzip, zstd\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: gzip, deflate, br, zstd, dcb, dcz\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: GZIP\n\n",
        "GET / HTTP/1.1\nHost: shop.example\nAccept-Encoding: utf-8\n\n",
    ],
};
