//! Rules about how a request is written rather than what it asks for: bytes that no honest value holds, codings that hide
//! others, and paths that look for files which were never meant to be served. What concerns a head as a whole stands in [`crate::request`].

use self::places::WRITTEN;
use crate::evidence::{Evidence, Subject};
use crate::field::Place;
use crate::rule::{Bucket, Detector};

mod characters;
mod coding;
mod places;
mod shapes;

pub(crate) use coding::NESTED_CODINGS;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[characters::RULES, coding::RULES, shapes::RULES], detectors: &[&DETECTOR] };

/// Looks at bytes and at the shape of paths.
static DETECTOR: Detector =
    Detector { name: "compliance", triggers: &[&[]], prefilter: None, places: WRITTEN, run: judge };

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    characters::judge(subject, evidence);
    coding::judge(subject, evidence);
    if subject.place == Place::Path {
        shapes::judge(subject, evidence);
    }
}
