//! Rules about Perl code in a value, and the detector that reports them.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::lang::perl;
use crate::rule::{Detector, Rule, RuleMatcher, STRONG};

/// The rules.
pub static RULES: &[&Rule] = &[&INTERPOLATION, &INTERPOLATION_IN_TEXT];

/// Reads interpolated Perl.
pub static DETECTOR: Detector =
    Detector { name: "perl", triggers: perl::TRIGGERS, places: Places::REQUEST, run };

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    if let Some(found) = perl::interpolation(subject.bytes) {
        let rule = if found.in_text { &INTERPOLATION_IN_TEXT } else { &INTERPOLATION };
        evidence.found(rule, found.offset, found.length);
    }
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
