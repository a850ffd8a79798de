//! The rule about redirects. The host comparison stands in [`crate::response`].

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::rule::{Bucket, Rule, RuleMatcher, STRONG};

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket = Bucket { rules: &[&[&FOREIGN_HOST]], detectors: &[] };

/// Reported by the head's judging: see [`crate::response`].
pub(crate) static FOREIGN_HOST: Rule = Rule {
    id: "response-inspection-open-redirects/foreign-host",
    leaf: Leaf::ResponseInspectionOpenRedirects,
    weight: STRONG,
    places: Places::of(&[Place::ResponseHeader]),
    matcher: RuleMatcher::Response(&[]),
    summary: "The response redirects to another host, which a request parameter named.",
    attacks: &[
        "GET /go?next=https://evil.example/ HTTP/1.1\r\nHost: shop.example\r\n\r\nHTTP/1.1 302 Found\r\nLocation: https://evil.example/\r\n\r\n",
        "GET /go?next=%2F%2Fevil.example HTTP/1.1\r\nHost: shop.example:8080\r\n\r\nHTTP/1.1 301 Moved\r\nLocation: //evil.example\r\n\r\n",
        "GET /go?h=evil.example HTTP/1.1\r\nHost: shop.example\r\n\r\nHTTP/1.1 307 Temporary\r\nLocation: http://EVIL.example:81/x\r\n\r\n",
    ],
    benign: &[
        "GET /go?next=/account HTTP/1.1\r\nHost: shop.example\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /account\r\n\r\n",
        "GET /go?next=https://shop.example/a HTTP/1.1\r\nHost: shop.example\r\n\r\nHTTP/1.1 302 Found\r\nLocation: https://shop.example:444/a\r\n\r\n",
        "GET /login HTTP/1.1\r\nHost: shop.example\r\n\r\nHTTP/1.1 302 Found\r\nLocation: https://id.example/login\r\n\r\n",
        "GET /p?site=evil.example HTTP/1.1\r\nHost: shop.example\r\n\r\nHTTP/1.1 200 OK\r\nLocation: https://evil.example/\r\n\r\n",
    ],
};
