//! Checks over a whole request head: what no single field can tell. They see the request line and the header fields as
//! sent and report [`Rule`]s; they know neither routes nor sockets, and what is malformed beyond reading never comes here.

use crate::rule::Rule;

pub(crate) mod arguments;
mod content_type;
mod exempt;
mod facts;
mod framing;
mod host;
mod media_type;
mod negotiation;
mod ranges;
mod restricted;

pub(crate) use facts::{Facts, Finding};
pub use facts::{Head, Version};

/// The rules that are judged by the head as a whole; [`crate::rules::buckets`] lists them with all others.
pub static RULES: &[&Rule] = &[
    &arguments::EXTERNAL_REFERER,
    &arguments::MISSING_REFERER,
    &arguments::METHOD_OVERRIDE,
    &arguments::REPEATED_PARAMETER,
    &arguments::ODD_ARRAY,
    &content_type::MALFORMED,
    &content_type::REPEATED,
    &content_type::CHARACTER_SET,
    &content_type::HIDDEN_MEDIA_TYPE,
    &content_type::FORM_CHARACTER_SET,
    &content_type::FORM_BOUNDARY,
    &content_type::TRANSFER_ENCODING_OF_FORM,
    &content_type::BYTES_OUTSIDE_ASCII,
    &framing::GET_WITH_BODY,
    &framing::POST_WITHOUT_LENGTH,
    &framing::CONNECTION,
    &host::NUMERIC_ADDRESS,
    &host::DISGUISED_ADDRESS,
    &negotiation::ACCEPT_MISSING,
    &negotiation::ACCEPT_MALFORMED,
    &negotiation::USER_AGENT_MISSING,
    &negotiation::ENCODING_MALFORMED,
    &negotiation::ENCODING_UNKNOWN,
    &ranges::MALFORMED,
    &ranges::EXCESSIVE,
    &ranges::OBSOLETE_FIELD,
    &ranges::ANY,
    &restricted::FIELD,
    &restricted::WITHOUT_BODY,
    &restricted::CACHE_CONTROL,
];

/// One check of a head.
type Check = for<'a> fn(&Facts<'a>, &mut Vec<Finding<'a>>);

const CHECKS: &[Check] =
    &[framing::check, content_type::check, restricted::check, ranges::check, negotiation::check, host::check];

/// Runs every check; nothing is allocated while nothing is found.
pub(crate) fn check<'a>(facts: &Facts<'a>) -> Vec<Finding<'a>> {
    let mut found = Vec::new();
    for check in CHECKS {
        check(facts, &mut found);
    }
    found
}
