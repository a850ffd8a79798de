//! Content where none belongs, no length where one belongs, and a `Connection` that says two things. What leaves the framing
//! itself in doubt is refused before this.

use super::facts::{Facts, Finding, Version};
use crate::rules::request_head::framing::{CONNECTION, GET_WITH_BODY, POST_WITHOUT_LENGTH};

pub(super) fn check<'a>(facts: &Facts<'a>, found: &mut Vec<Finding<'a>>) {
    if facts.carries_body && (facts.is_method("GET") || facts.is_method("HEAD")) {
        let length = facts.content_length.first.unwrap_or_default();
        found.push(Finding::new(&GET_WITH_BODY, "content-length", length));
    }
    let has_length = facts.content_length.first.is_some() || facts.transfer_encoding.first.is_some();
    let has_content = ["POST", "PUT", "PATCH"].iter().any(|method| facts.is_method(method));
    // A frame of HTTP/2 says where a message ends.
    if has_content && facts.version != Some(Version::Http2) && !has_length {
        found.push(Finding::new(&POST_WITHOUT_LENGTH, "content-length", b""));
    }
    if contradicts(facts) {
        let value = facts.connection.second.or(facts.connection.first).unwrap_or_default();
        found.push(Finding::new(&CONNECTION, "connection", value));
    }
}

/// Options of one `Connection` that are compared; clients send one or two.
const OPTIONS_MAX: usize = 8;

fn contradicts(facts: &Facts<'_>) -> bool {
    let lines = [facts.connection.first, facts.connection.second];
    let options = lines.into_iter().flatten().flat_map(|line| line.split(|byte| *byte == b','));
    let options = options.map(<[u8]>::trim_ascii).filter(|option| !option.is_empty());
    let mut seen: [&[u8]; OPTIONS_MAX] = [b""; OPTIONS_MAX];
    for (slot, option) in seen.iter_mut().zip(options) {
        *slot = option;
    }
    let seen = || seen.iter().filter(|option| !option.is_empty());
    let says = |word: &[u8]| seen().any(|option| option.eq_ignore_ascii_case(word));
    let repeats = seen()
        .enumerate()
        .any(|(nth, option)| seen().skip(nth + 1).any(|later| later.eq_ignore_ascii_case(option)));
    repeats || says(b"close") && says(b"keep-alive")
}
