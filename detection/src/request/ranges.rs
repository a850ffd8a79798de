//! `Range` and its obsolete relative (RFC 9110 section 14).

use waf_shared::catalog::Leaf;

use super::facts::{Facts, Finding};
use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

pub(super) static MALFORMED: Rule = Rule {
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

pub(super) static EXCESSIVE: Rule = Rule {
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

pub(super) static OBSOLETE_FIELD: Rule = Rule {
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

pub(super) static ANY: Rule = Rule {
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

/// Ranges of one request; what is a document viewer's asks for more.
const RANGES_MAX: usize = 5;
const RANGES_OF_PDF_MAX: usize = 62;

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<Finding<'a>>) {
    if let Some(value) = facts.request_range.first {
        found.push(Finding::new(&OBSOLETE_FIELD, "request-range", value));
        found.push(Finding::new(&ANY, "request-range", value));
    }
    let Some(value) = facts.range.first else { return };
    found.push(Finding::new(&ANY, "range", value));
    let is_pdf = facts.path.len().checked_sub(4).and_then(|at| facts.path.get(at..));
    let is_pdf = is_pdf.is_some_and(|end| end.eq_ignore_ascii_case(b".pdf"));
    match count(value) {
        None => found.push(Finding::new(&MALFORMED, "range", value)),
        Some(_) if facts.range.is_repeated() => found.push(Finding::new(&MALFORMED, "range", value)),
        Some(count) if count > if is_pdf { RANGES_OF_PDF_MAX } else { RANGES_MAX } => {
            found.push(Finding::new(&EXCESSIVE, "range", value));
        }
        Some(_) => {}
    }
}

/// How many ranges `value` holds; `None` when one of them is no range. Units other than bytes are the application's own.
fn count(value: &[u8]) -> Option<usize> {
    let Some(at) = memchr::memchr(b'=', value) else { return is_range(value).then_some(1) };
    let (unit, rest) = value.split_at_checked(at)?;
    let rest = rest.get(1..)?;
    if !unit.eq_ignore_ascii_case(b"bytes") {
        return (!unit.is_empty() && unit.iter().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(b)))
            .then_some(1);
    }
    let ranges = || rest.split(|byte| *byte == b',');
    ranges().all(|range| is_range(range.trim_ascii())).then(|| ranges().count())
}

/// `first-last`, `first-` or `-suffix`, of numbers that fit a signed 64-bit one.
fn is_range(text: &[u8]) -> bool {
    let Some((first, rest)) = memchr::memchr(b'-', text).and_then(|at| text.split_at_checked(at)) else {
        return false;
    };
    let last = rest.get(1..).unwrap_or_default();
    let is_number = |text: &[u8]| text.is_empty() || number(text).is_some();
    let in_order = number(first).zip(number(last)).is_none_or(|(first, last)| first <= last);
    !(first.is_empty() && last.is_empty()) && is_number(first) && is_number(last) && in_order
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().all(u8::is_ascii_digit).then(|| str::from_utf8(digits).ok()?.parse().ok()).flatten()
}
