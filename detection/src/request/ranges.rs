//! `Range` and its obsolete relative (RFC 9110 section 14).

use super::facts::{Facts, Finding};
use crate::rules::request_head::ranges::{ANY, EXCESSIVE, MALFORMED, OBSOLETE_FIELD};

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
