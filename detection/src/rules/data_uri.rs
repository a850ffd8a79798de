//! Rules about `data:` URIs where an application would fetch or render them, and the detector that reports them.

use waf_languages::data_uri::{DataUri, DataUriSign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&ACTIVE, &REFERENCE, &INERT]], detectors: &[&DETECTOR] };

/// Reads `data:` URIs.
static DETECTOR: Detector = Detector::of::<DataUri>(Places::REQUEST, run);

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    // Browsers read files into such URIs, and applications send them on as fields of documents and forms.
    let field = matches!(subject.place, Place::Json | Place::Form | Place::Body);
    evidence.scan::<DataUri, _>(subject, |finding| match finding.sign {
        DataUriSign::Active => Some(&ACTIVE),
        DataUriSign::Text if field && subject.place != Place::Form => Some(&INERT),
        DataUriSign::Stream | DataUriSign::Text => Some(&REFERENCE),
        DataUriSign::Document if field => Some(&INERT),
        DataUriSign::Document | DataUriSign::Media => None,
    });
}

static ACTIVE: Rule = Rule {
    id: "data-uri-abuse/active-content",
    leaf: Leaf::DataUriAbuse,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value is a data URI of a page, a script or a program.",
    attacks: &[
        "data:text/html;base64,PGI+aGVsbG88L2I+",
        "data:application/javascript,1",
        "data:text/xml,<a/>",
        " DATA:text/html,hello",
    ],
    benign: &[
        "data:image/png;base64,iVBORw0KGgo=",
        "data: text/html is a type",
        "metadata:text/html",
        "data:application/pdf;base64,JVBERi0=",
    ],
};

static REFERENCE: Rule = Rule {
    id: "data-uri-abuse/inline-source",
    leaf: Leaf::DataUriAbuse,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A data URI stands where the name of a file or a URL is expected, so that the client writes what is read.",
    attacks: &["data://text/plain;base64,SGVsbG8=", "data://text/plain,hello", "data:;base64,SGVsbG8="],
    benign: &[
        "data:image/jpeg;base64,/9j/4AAQ",
        "data: hello",
        "the data://text of it",
        "data:font/woff2;base64,d09GMg==",
    ],
};

static INERT: Rule = Rule {
    id: "data-uri-abuse/document",
    leaf: Leaf::DataUriAbuse,
    weight: 1,
    places: Places::of(&[Place::Json, Place::Form, Place::Body]),
    matcher: RuleMatcher::Detected,
    summary: "A data URI of a text or a document in a field that may take uploads.",
    attacks: &[
        "data:text/plain;base64,SGVsbG8=",
        "data:application/pdf;base64,JVBERi0xLjQK",
        "data:text/csv;base64,YSxiCjEsMgo=",
    ],
    benign: &["data:image/webp;base64,UklGRg==", "data: hello", "data:audio/mpeg;base64,SUQz"],
};
