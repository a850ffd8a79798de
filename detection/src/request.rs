//! Checks over a whole request head: what no single field can tell. They see the request line and the header fields as
//! sent and report rules of [`crate::rules::request_head`]; they know neither routes nor sockets, and what is malformed beyond reading never comes here.

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
