//! Fields that change what a server does and that clients of applications have no reason to send.

use waf_shared::fields::{self, Property};

use super::facts::{Facts, Finding};
use super::media_type::is_token;
use crate::rules::request_head::restricted::{CACHE_CONTROL, FIELD, WITHOUT_BODY};

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
