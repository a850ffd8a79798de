//! Rules of this bucket and the detector that reports them: what values would change about a directory query.

use waf_languages::language::Context;
use waf_languages::ldap::{Ldap, LdapSign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[&[&FILTER, &BREAK_OUT, &MATCHING_RULE, &IN_TEXT]], detectors: &[&DETECTOR] };

static FILTER: Rule = Rule {
    id: "ldap-injection/filter",
    leaf: Leaf::LdapInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value is a search filter of several components.",
    attacks: &[
        "(&(uid=root)(!(&(1=0)(mail=x))))",
        "*(|(objectclass=*))",
        "(&(cn=operator)(password=Q*))",
        "KCYodWlkPXJvb3QpKCEoJigxPTApKG1haWw9eCkpKSk",
    ],
    benign: &["if(!(a=b)) return", "(a+b)(c+d)", "hello(&(*m)[..])", "a (&) b", "R&D (|| S&T)"],
};

static BREAK_OUT: Rule = Rule {
    id: "ldap-injection/break-out",
    leaf: Leaf::LdapInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value closes a component of a search filter and opens another.",
    attacks: &[
        "bar)(&)",
        "*)!(sn=*",
        "*)(uid=*))(|(uid=*",
        "aaa*aaa)(cn>=bob)",
        "test) ( & ",
        "admin*)((|userPassword=*)",
    ],
    benign: &["1) first (x = 1)", "f(a)(b=1)", ":) (see below)", "(555) (ext=12)", "a) b (c) d"],
};

static MATCHING_RULE: Rule = Rule {
    id: "ldap-injection/matching-rule",
    leaf: Leaf::LdapInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value compares an attribute of a directory by a matching rule.",
    attacks: &["userPassword:2.5.13.18:=40", "cn:caseExactMatch:=Fred", "(ou:dn:=people)"],
    benign: &["x := 5", "a:=b", "time 12:30:=", "version:1.2.3"],
};

static IN_TEXT: Rule = Rule {
    id: "ldap-injection/in-text",
    leaf: Leaf::LdapInjection,
    weight: 2,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text holds syntax of search filters.",
    attacks: &[
        "our filter is (&(objectClass=user)(mail=*)) and it takes far too long",
        "they typed admin)(&) into the user name field of our portal",
        "you may use cn:caseExactMatch:=Fred here and hope that it works",
    ],
    benign: &[
        "the filter (and the rest) is on the way to you",
        "we sell screws (M4) (box=100) and nuts of every size",
        "all of you (and me) are invited",
    ],
};

/// Reads search filters.
static DETECTOR: Detector = Detector::of::<Ldap>(Places::REQUEST, run);

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Ldap, _>(subject, |finding| {
        Some(match finding.sign {
            _ if finding.context == Context::Prose => &IN_TEXT,
            LdapSign::Filter => &FILTER,
            LdapSign::BreakOut => &BREAK_OUT,
            LdapSign::MatchingRule => &MATCHING_RULE,
        })
    });
}
