//! Rules about encodings that only an evasion uses, with their proofs.

use waf_shared::catalog::Leaf;

use super::judged;
use crate::rule::{Rule, RuleMatcher, STRONG};

pub(super) static UTF7: Rule = judged(
    "cross-site-scripting-encoding-evasion/utf-7",
    Leaf::CrossSiteScriptingEncodingEvasion,
    STRONG,
    "Markup in UTF-7.",
    &["+ADw-script+AD4-alert(1)+ADw-/script+AD4-", " ADw-img src=x", "+ACI- onload=+ACI-x"],
    &["AD4-board", "+ADw", "CODE ADW-1"],
);

pub(super) static US_ASCII: Rule = judged(
    "cross-site-scripting-encoding-evasion/us-ascii",
    Leaf::CrossSiteScriptingEncodingEvasion,
    STRONG,
    "Markup in US-ASCII with the eighth bit set.",
    &["\\xbcscript\\xbealert(1)", "¼script¾alert(1)¼/script¾", "\\xBCimg src=x\\xBE"],
    &["1¼ cups, ¾ spoon", "\\xd0\\xbcscript\\xd0\\xbe", "мир и труд"],
);

pub(super) static ESCAPED_TAG: Rule = Rule {
    matcher: RuleMatcher::Pattern {
        regex: r"(?:%u0*3c|\\u0*3c|\\x0*3c|\\0?74|%uff1c|\\uff1c)/?\s*(?:script|svg|img|iframe|object|embed)\b",
        literals: &[
            "%u003c", "\\u003c", "\\x3c", "\\74", "\\074", "uff1c", "%u3c", "\\u3c", "\\x03c", "\\x003c",
        ],
    },
    ..judged(
        "cross-site-scripting-encoding-evasion/escaped-tag",
        Leaf::CrossSiteScriptingEncodingEvasion,
        4,
        "A tag behind an escape that no form writes.",
        &["%u003cscript%u003e", "\\x3cimg src=x", "\\u003csvg", "%uff1cscript"],
        &["\\u003cp\\u003eHello\\u003c/p\\u003e", "\\x3cb\\x3e", "a \\u003c b"],
    )
};

pub(super) static JSFUCK: Rule = judged(
    "cross-site-scripting-jsfuck-obfuscation/brackets",
    Leaf::CrossSiteScriptingJsfuckObfuscation,
    STRONG,
    "A program of brackets, plus and exclamation marks.",
    &["(![]+[])[+!+[]]", "[][(![]+[])[+[]]]", "(![] [])[ ! []]"],
    &["what!!!!!!! (really) [sic]", "[ ] [x] [ ]", "a[i][j] + b[k]"],
);
