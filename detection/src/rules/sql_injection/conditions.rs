//! Rules for conditions, and for what ends the query that a value was put into.

use waf_shared::catalog::Leaf;

use super::places::VALUES;
use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &BOOLEAN_BREAK,
    &BOOLEAN_ON_VALUE,
    &COMPARISON_BREAK,
    &IF_CALL,
    &CASE_WHEN,
    &CONDITION_FRAGMENT,
    &CLOSER,
    &LOGIN_TAUTOLOGY,
    &LOGIN_COMMENT,
    &ALWAYS_TRUE,
    &QUOTE_IN_TEXT,
    &AGGRESSIVE,
    &DENSITY,
];

pub(super) static BOOLEAN_BREAK: Rule = Rule {
    id: "sql-injection-operators/boolean-break",
    leaf: Leaf::SqlInjectionOperators,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A condition joined by AND, OR or their like behind a broken string.",
    attacks: &["x' or 'a'='a", "EmptyValue' and 526=527", "k\") or (\"1\"=\"1", "a'/**/oR/**/2>1--"],
    benign: &[
        "'live' or 'dead'",
        "the boys' and girls' school",
        "rock 'n' roll and 5 > 3",
        "\"fish\" and \"chips\"",
    ],
};

pub(super) static BOOLEAN_ON_VALUE: Rule = Rule {
    id: "sql-injection-operators/boolean-on-value",
    leaf: Leaf::SqlInjectionOperators,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A condition joined by AND, OR or their like to a number or a bare value.",
    attacks: &["1 or 1=1", "12 and 2>1", "-1 OR 17-7=10", "hi or a=a"],
    benign: &["1/2 or 3/4 cup", "2 or 3 people", "cats or dogs", "size 4 or 5"],
};

pub(super) static COMPARISON_BREAK: Rule = Rule {
    id: "sql-injection-operators/comparison-break",
    leaf: Leaf::SqlInjectionOperators,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A comparison or arithmetic directly behind a broken string.",
    attacks: &["x'='x", "a' like '%", "'-'", "k'>email--"],
    benign: &["5' 7\" tall", "like what? >:(", "a='b' style quotes", "6'-8' long"],
};

pub(super) static IF_CALL: Rule = Rule {
    id: "sql-injection-if-statements/call",
    leaf: Leaf::SqlInjectionIfStatements,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "IF with a comparison and its two results.",
    attacks: &["if(1=1,2,3)", "x' or if(ascii(mid(user(),1,1))>64,1,0)#", "iif(2>1,'a','b')"],
    benign: &["if (a) then b", "if(x == 1) { y(); }", "what if (5 > 3), really"],
};

pub(super) static CASE_WHEN: Rule = Rule {
    id: "sql-injection-if-statements/case",
    leaf: Leaf::SqlInjectionIfStatements,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "CASE WHEN with a condition and THEN.",
    attacks: &[
        "(case when 1=1 then 2 else 3 end)",
        "1 and case 5 when 5 then 1 end",
        "x'||case when user='a' then 1/0 end||'",
    ],
    benign: &["in case when you leave then call", "case closed when done", "a case of beer"],
};

pub(super) static CONDITION_FRAGMENT: Rule = Rule {
    id: "sql-injection-if-statements/fragment",
    leaf: Leaf::SqlInjectionIfStatements,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "The middle of a condition between brackets of the query around it.",
    attacks: &[") like (", ") when 234 then", "x') when 1 then (2"],
    benign: &["(things) I like (most)", "(ok) when then", "like this (one)"],
};

pub(super) static CLOSER: Rule = Rule {
    id: "sql-injection-query-closers/closer",
    leaf: Leaf::SqlInjectionQueryClosers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A quote that ends the string, and the statement's end behind it.",
    attacks: &["admin@example.test';", "x')-- -", "root@example.com'/* c */;"],
    benign: &["'foo';'bar';'def'", "the boys; the girls", "it's ok;"],
};

pub(super) static LOGIN_TAUTOLOGY: Rule = Rule {
    id: "sql-injection-login-bypass/tautology",
    leaf: Leaf::SqlInjectionLoginBypass,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A condition that holds for every row behind a broken string.",
    attacks: &["1' or '1'='1", "admin' or 1=1#", "') or true-- "],
    benign: &["O'Brien or O'Neill", "'yes' or 'no'", "it's 50% off or 1 free"],
};

pub(super) static LOGIN_COMMENT: Rule = Rule {
    id: "sql-injection-login-bypass/comment",
    leaf: Leaf::SqlInjectionLoginBypass,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A name with a broken string and a comment that cuts the password check off.",
    attacks: &["admin'--", "admin' #", "admin'/*"],
    benign: &["admin -- owner", "Bob's #1 fan", "admin #2"],
};

pub(super) static ALWAYS_TRUE: Rule = Rule {
    id: "sql-injection-always-true/constant-comparison",
    leaf: Leaf::SqlInjectionAlwaysTrue,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A comparison of two constants.",
    attacks: &["1=1", "b,2=2", "11!=1"],
    benign: &["a=b", "1 = one", "x>5"],
};

pub(super) static QUOTE_IN_TEXT: Rule = Rule {
    id: "sql-injection-quotes-in-text/joined",
    leaf: Leaf::SqlInjectionQuotesInText,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "AND, OR or their like behind an odd number of quotes.",
    attacks: &[
        "'''or 1",
        "foo'or'oof",
        "1' and f(x) and 'true",
        "x'y or 1",
        "it's this or that",
        "a\"b and 1=1",
    ],
    benign: &["bob's bread", "'oreo", "'fork", "'a' or 'b'"],
};

pub(super) static AGGRESSIVE: Rule = Rule {
    id: "sql-injection-generic-aggressive/quote-operator",
    leaf: Leaf::SqlInjectionGenericAggressive,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "A quote with an operator or a keyword behind it.",
    attacks: &["x' = # '", "' or homer 9", "a' like b"],
    benign: &["it's fine", "5' tall", "O'Brien"],
};

pub(super) static DENSITY: Rule = Rule {
    id: "sql-injection-special-character-density/dense",
    leaf: Leaf::SqlInjectionSpecialCharacterDensity,
    weight: STRONG,
    places: VALUES,
    matcher: RuleMatcher::Detected,
    summary: "More punctuation than ordinary values have.",
    attacks: &["'!@#$%^&*()-=", "'''''''''''''''", "\"))))))))||------"],
    benign: &["wow!!!", "a-b-c-d-e-f-g-h-i-j-k-l-m and some more words to go with them", "(a) (b) (c)"],
};
