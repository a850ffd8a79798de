//! Rules that the head of a request as a whole is judged by. The checks that report them are in [`crate::request`].

use crate::rule::Bucket;

pub(crate) mod arguments;
pub(crate) mod content_type;
pub(crate) mod framing;
pub(crate) mod host;
pub(crate) mod negotiation;
pub(crate) mod ranges;
pub(crate) mod restricted;

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[
        arguments::RULES,
        content_type::RULES,
        framing::RULES,
        host::RULES,
        negotiation::RULES,
        ranges::RULES,
        restricted::RULES,
    ],
    detectors: &[],
};
