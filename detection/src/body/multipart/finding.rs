//! Findings in multipart bodies.

use waf_bodies::multipart::{About, Doubt};
use waf_shared::catalog::Leaf;

pub(super) const BOUNDARIES: Leaf = Leaf::HttpComplianceMultipartBoundaries;

/// A finding: which protection refuses it, and why.
pub(super) type Finding = (Leaf, &'static str);

/// The finding that a doubt is.
pub(super) fn finding(doubt: Doubt) -> Finding {
    let leaf = match doubt.about {
        About::Boundary => BOUNDARIES,
        About::Head => Leaf::FileUploadAttacksHeaderTricks,
        About::MediaType => Leaf::FileUploadAttacksContentTypeTrick,
        About::Encoding => Leaf::FileUploadAttacksDeprecatedEncoding,
    };
    (leaf, doubt.reason)
}
