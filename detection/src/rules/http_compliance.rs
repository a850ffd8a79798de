//! Rules about how a request is written rather than what it asks for: bytes that no honest value holds, codings that hide
//! others, and paths that look for files which were never meant to be served. What concerns a head as a whole stands in [`crate::request`].

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Detector, Rule};

mod characters;
mod coding;
mod shapes;

pub(crate) use coding::NESTED_CODINGS;

/// The rules.
pub static RULES: &[&Rule] = &[
    &characters::ZERO_BYTE,
    &characters::CONTROL_CHARACTER,
    &characters::OUTSIDE_ASCII,
    &coding::ILL_FORMED_UTF8,
    &coding::WIDE_PERCENT,
    &coding::ESCAPED_LETTER,
    &coding::TWICE_ENCODED,
    &coding::BROKEN_ESCAPE,
    &coding::NESTED_CODINGS,
    &shapes::SERVER_FILE,
    &shapes::LEFTOVER_COPY,
];

/// Places whose bytes are the client's choice; uploads and bodies of unknown type may be binary.
const WRITTEN: Places = Places::of(&[
    Place::Path,
    Place::QueryName,
    Place::Query,
    Place::FormName,
    Place::Form,
    Place::JsonKey,
    Place::Json,
    Place::Header,
    Place::CookieName,
    Place::Cookie,
    Place::Xml,
    Place::PartHeader,
    Place::FileName,
]);

/// Looks at bytes and at the shape of paths.
pub static DETECTOR: Detector = Detector { name: "compliance", triggers: &[], places: WRITTEN, run: judge };

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    characters::judge(subject, evidence);
    coding::judge(subject, evidence);
    if subject.place == Place::Path {
        shapes::judge(subject, evidence);
    }
}
