//! Rules about encodings that only an evasion uses, with their proofs.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&UTF7, &US_ASCII, &ESCAPED_TAG, &JSFUCK];

pub(super) static UTF7: Rule = Rule {
    id: "cross-site-scripting-encoding-evasion/utf-7",
    leaf: Leaf::CrossSiteScriptingEncodingEvasion,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Markup in UTF-7.",
    attacks: &["+ADw-script+AD4-alert(1)+ADw-/script+AD4-", " ADw-img src=x", "+ACI- onload=+ACI-x"],
    benign: &["AD4-board", "+ADw", "CODE ADW-1"],
};

pub(super) static US_ASCII: Rule = Rule {
    id: "cross-site-scripting-encoding-evasion/us-ascii",
    leaf: Leaf::CrossSiteScriptingEncodingEvasion,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Markup in US-ASCII with the eighth bit set.",
    attacks: &["\\xbcscript\\xbealert(1)", "¼script¾alert(1)¼/script¾", "\\xBCimg src=x\\xBE"],
    benign: &["1¼ cups, ¾ spoon", "\\xd0\\xbcscript\\xd0\\xbe", "мир и труд"],
};

pub(super) static ESCAPED_TAG: Rule = Rule {
    id: "cross-site-scripting-encoding-evasion/escaped-tag",
    leaf: Leaf::CrossSiteScriptingEncodingEvasion,
    weight: 4,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"(?:%u0*3c|\\u0*3c|\\x0*3c|\\0?74|%uff1c|\\uff1c)/?\s*(?:script|svg|img|iframe|object|embed)\b",
        literals: &[
            "%u003c", "\\u003c", "\\x3c", "\\74", "\\074", "uff1c", "%u3c", "\\u3c", "\\x03c", "\\x003c",
        ],
    },
    summary: "A tag behind an escape that no form writes.",
    attacks: &["%u003cscript%u003e", "\\x3cimg src=x", "\\u003csvg", "%uff1cscript"],
    benign: &["\\u003cp\\u003eHello\\u003c/p\\u003e", "\\x3cb\\x3e", "a \\u003c b"],
};

pub(super) static JSFUCK: Rule = Rule {
    id: "cross-site-scripting-jsfuck-obfuscation/brackets",
    leaf: Leaf::CrossSiteScriptingJsfuckObfuscation,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A program of brackets, plus and exclamation marks.",
    attacks: &["(![]+[])[+!+[]]", "[][(![]+[])[+[]]]", "(![] [])[ ! []]"],
    benign: &["what!!!!!!! (really) [sic]", "[ ] [x] [ ]", "a[i][j] + b[k]"],
};
