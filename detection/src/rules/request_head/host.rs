//! Rules of [`crate::request`]: see `request/host.rs` for the checks that report them.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&NUMERIC_ADDRESS, &DISGUISED_ADDRESS];

pub(crate) static NUMERIC_ADDRESS: Rule = Rule {
    id: "http-compliance-host-header/numeric-address",
    leaf: Leaf::HttpComplianceHostHeader,
    weight: 2,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Host is a numeric address instead of a name.",
    attacks: &[
        "GET / HTTP/1.1\nHost: 203.0.113.7\n\n",
        "GET / HTTP/1.1\nHost: 203.0.113.7:8080\n\n",
        "GET / HTTP/1.1\nHost: [2001:db8::1]\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: shop.example\n\n",
        "GET / HTTP/1.1\nHost: 7.shop.example:8080\n\n",
        "GET / HTTP/1.1\nHost: localhost:3000\n\n",
    ],
};

pub(crate) static DISGUISED_ADDRESS: Rule = Rule {
    id: "http-compliance-host-header/disguised-address",
    leaf: Leaf::HttpComplianceHostHeader,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::RequestHead,
    summary: "The Host is an address in a notation that hides which one it is.",
    attacks: &[
        "GET / HTTP/1.1\nHost: 0x7f000001\n\n",
        "GET / HTTP/1.1\nHost: 2130706433:8080\n\n",
        "GET / HTTP/1.1\nHost: 0177.0.0.1\n\n",
        "GET / HTTP/1.1\nHost: 127.1\n\n",
        "GET / HTTP/1.1\nHost: 0x7f.0.0.0x1:80\n\n",
        "GET / HTTP/1.1\nHost: 169.254.43518\n\n",
        "GET / HTTP/1.1\nHost: 127.0.0.01.\n\n",
    ],
    benign: &[
        "GET / HTTP/1.1\nHost: 127.0.0.1:8080\n\n",
        "GET / HTTP/1.1\nHost: [::1]:8080\n\n",
        "GET / HTTP/1.1\nHost: [::ffff:192.0.2.1]\n\n",
        "GET / HTTP/1.1\nHost: 0x7f.example\n\n",
        "GET / HTTP/1.1\nHost: 3.shop.example\n\n",
        "GET / HTTP/1.1\nHost: 1e100.net\n\n",
        "GET / HTTP/1.1\nHost: 4f2a9c01b7d3:3000\n\n",
    ],
};
