//! Rules about Perl code in a value, and the detector that reports them.

use waf_languages::language::Context;
use waf_languages::perl::{Perl, PerlSign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&INTERPOLATION, &INTERPOLATION_IN_TEXT]], detectors: &[&DETECTOR] };

/// Reads interpolated Perl.
static DETECTOR: Detector = Detector::of::<Perl>(Places::REQUEST, run);

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Perl, _>(subject, |finding| {
        let PerlSign::Interpolation = finding.sign;
        Some(if finding.context == Context::Prose { &INTERPOLATION_IN_TEXT } else { &INTERPOLATION })
    });
}

static INTERPOLATION: Rule = Rule {
    id: "perl-injection-system-calls/interpolation",
    leaf: Leaf::PerlInjectionSystemCalls,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Perl code interpolated into a string: it runs when the string is evaluated.",
    attacks: &[
        "@{[system 'whoami']}",
        "@{ [ uc 'hello' ] }",
        "@{[ do { system 'id' } ]}",
        "@{[`id`]}",
        "${\\(system('id'))}",
        "qx{id}",
    ],
    benign: &[
        "user@example.org",
        "{\"a\":[1,2]}",
        "@{[1]}",
        "@media { a[b] {} }",
        "In Perl one writes @{[ scalar @list ]} inside of a string",
    ],
};

static INTERPOLATION_IN_TEXT: Rule = Rule {
    id: "perl-injection-system-calls/interpolation-in-text",
    leaf: Leaf::PerlInjectionSystemCalls,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text quotes Perl code interpolated into a string.",
    attacks: &[
        "In Perl one writes @{[ scalar @list ]} inside of a string",
        "why does @{[system 'id']} not work in my script?",
        "the trick with @{[ time() ]} is as old as the language",
    ],
    benign: &["write to me @home or at work", "the list [a] of all things", "an email @ work"],
};
