//! `Accept`, `Accept-Encoding` and `User-Agent`: what every browser sends, in a form that browsers send.

use waf_shared::catalog::Leaf;

use super::facts::{Facts, Finding};
use super::media_type::is_token;
use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

pub(super) static ACCEPT_MISSING: Rule = Rule {
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

pub(super) static ACCEPT_MALFORMED: Rule = Rule {
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

pub(super) static USER_AGENT_MISSING: Rule = Rule {
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

pub(super) static ENCODING_MALFORMED: Rule = Rule {
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

pub(super) static ENCODING_UNKNOWN: Rule = Rule {
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

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<Finding<'a>>) {
    match facts.accept.first {
        None | Some([]) => found.push(Finding::new(&ACCEPT_MISSING, "accept", b"")),
        Some(value) if !elements(value).all(is_media_range) => {
            found.push(Finding::new(&ACCEPT_MALFORMED, "accept", value));
        }
        Some(_) => {}
    }
    if facts.user_agent.first.is_none_or(<[u8]>::is_empty) {
        found.push(Finding::new(&USER_AGENT_MISSING, "user-agent", b""));
    }
    if let Some(value) = facts.accept_encoding.first {
        let mut report = |rule| found.push(Finding::new(rule, "accept-encoding", value));
        if value.len() > ACCEPT_ENCODING_BYTES_MAX || !elements(value).all(is_weighted_coding) {
            report(&ENCODING_MALFORMED);
        } else if !elements(value).all(is_known_coding) {
            report(&ENCODING_UNKNOWN);
        }
    }
}

/// Twice what names every registered coding that a client might offer; browsers send 25 bytes.
const ACCEPT_ENCODING_BYTES_MAX: usize = 100;

/// The registered codings, some that were, and two words that scripts send though they name none.
const CODINGS: &[&str] = &[
    "*",
    "aes128gcm",
    "br",
    "bzip2",
    "compress",
    "dcb",
    "dcz",
    "deflate",
    "exi",
    "gzip",
    "identity",
    "lz4",
    "lzma",
    "none",
    "pack200-gzip",
    "peerdist",
    "sdch",
    "snappy",
    "utf-8",
    "x-bzip2",
    "x-compress",
    "x-deflate",
    "x-gzip",
    "xz",
    "zstd",
];

/// What stands between commas outside quotes, without empty elements.
fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    let parts = value.split(move |byte| {
        quoted ^= *byte == b'"';
        *byte == b',' && !quoted
    });
    parts.map(<[u8]>::trim_ascii).filter(|part| !part.is_empty())
}

fn is_media_range(element: &[u8]) -> bool {
    let mut parts = element.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let range = parts.next().unwrap_or_default();
    let halves = memchr::memchr(b'/', range).and_then(|at| range.split_at_checked(at));
    let is_range = match halves {
        Some((kind, subtype)) => is_token(kind) && subtype.get(1..).is_some_and(is_token),
        None => range == b"*",
    };
    let is_parameter = |part: &[u8]| {
        let name = part.split(|byte| *byte == b'=').next().unwrap_or_default().trim_ascii();
        part.is_empty() || is_token(name)
    };
    is_range && parts.all(is_parameter)
}

fn coding(element: &[u8]) -> &[u8] {
    element.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii()
}

fn is_weighted_coding(element: &[u8]) -> bool {
    let mut weights = element.split(|byte| *byte == b';').skip(1).map(<[u8]>::trim_ascii);
    let is_weight = |part: &[u8]| {
        let (name, rest) = part.split_first().unwrap_or((&b' ', b""));
        let number = rest.trim_ascii_start().strip_prefix(b"=").unwrap_or_default().trim_ascii_start();
        matches!(name, b'q' | b'Q')
            && (1..=6).contains(&number.len())
            && number.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
    };
    is_token(coding(element)) && weights.next().is_none_or(is_weight) && weights.next().is_none()
}

fn is_known_coding(element: &[u8]) -> bool {
    let coding = coding(element);
    CODINGS.iter().any(|known| coding.eq_ignore_ascii_case(known.as_bytes()))
}
