//! Rules about script: what each conclusion of the script scanner weighs, with its proofs.

use waf_languages::language::Context;
use waf_languages::script::JavascriptSign;
use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rule for a conclusion.
pub(super) fn rule(sign: JavascriptSign, context: Context) -> &'static Rule {
    let is_prose = context == Context::Prose;
    match sign {
        JavascriptSign::Call if is_prose => &CALL_MENTION,
        JavascriptSign::Call => &CALL,
        JavascriptSign::PageObject if is_prose => &PAGE_OBJECT_MENTION,
        JavascriptSign::PageObject => &PAGE_OBJECT,
        JavascriptSign::ComputedMember => &COMPUTED_MEMBER,
        JavascriptSign::TaggedTemplate => &TAGGED_TEMPLATE,
        JavascriptSign::Handover => &HANDOVER,
        JavascriptSign::Detour => &DETOUR,
        JavascriptSign::StringBreak => &STRING_BREAK,
        JavascriptSign::Assignment => &ASSIGNMENT,
    }
}

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &SCRIPT_URL,
    &BARE_SCRIPT_URL,
    &FILLER_URL,
    &DATA_URL,
    &CALL,
    &CALL_MENTION,
    &PAGE_OBJECT,
    &PAGE_OBJECT_MENTION,
    &COMPUTED_MEMBER,
    &TAGGED_TEMPLATE,
    &HANDOVER,
    &DETOUR,
    &ASSIGNMENT,
    &STRING_BREAK,
    &TEMPLATE_EXPRESSION,
];

pub(super) static SCRIPT_URL: Rule = Rule {
    id: "cross-site-scripting-javascript-urls/attribute",
    leaf: Leaf::CrossSiteScriptingJavascriptUrls,
    weight: STRONG,
    places: Places::REQUEST_AND_FILES,
    matcher: RuleMatcher::Detected,
    summary: "An attribute's address runs code.",
    attacks: &[
        "<a href=javascript:alert(1)>",
        "<a href=\" java\tscript:x()\">",
        "<img src='&#106;avascript:x()'>",
        "<embed code=vbscript:msgbox(1)>",
    ],
    benign: &[
        "<a href=\"https://example.com/javascript:x\">x</a>",
        "<p title=\"javascripts\">",
        "<a href='mailto:a@example.com'>",
    ],
};

pub(super) static BARE_SCRIPT_URL: Rule = Rule {
    id: "cross-site-scripting-javascript-urls/value",
    leaf: Leaf::CrossSiteScriptingJavascriptUrls,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A value is an address that runs code.",
    attacks: &[
        "javascript:alert(1)",
        "ja&tab;vascript: ",
        "x=javascript://%0aa()",
        "vbscript:msgbox(\"x\")",
        "&#106&#97&#118&#97&#115&#99&#114&#105&#112&#116&#58x",
    ],
    benign: &[
        "javascript: the good parts",
        "JavaScript: The Definitive Guide (7th edition)",
        "JavaScript:+Basics+of+it+(2nd)",
        "javascript:es,es6",
        "typescript:x",
        "language=javascript",
    ],
};

pub(super) static FILLER_URL: Rule = Rule {
    id: "cross-site-scripting-javascript-urls/filler",
    leaf: Leaf::CrossSiteScriptingJavascriptUrls,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An address with a script scheme that does nothing.",
    attacks: &["<a href=\"javascript:void(0)\">", "javascript:void(0);", "<a href='javascript:;'>"],
    benign: &["void(0)", "javascript", "javascript: nothing"],
};

pub(super) static DATA_URL: Rule = Rule {
    id: "cross-site-scripting-javascript-urls/data",
    leaf: Leaf::CrossSiteScriptingJavascriptUrls,
    weight: STRONG,
    places: Places::REQUEST_AND_FILES,
    matcher: RuleMatcher::Detected,
    summary: "An address that brings its own document.",
    attacks: &[
        "data:text/html,<b>x",
        "<a href='data:text/html;base64,PHNjcmlwdD4='>",
        "<x src=\" data:image/svg+xml,x\">",
    ],
    benign: &[
        "<img src=\"data:image/svg+xml;base64,PHN2Zz4=\">",
        "data:image/png;base64,iVBORw0KGgo=",
        "data: text and numbers",
    ],
};

pub(super) static CALL: Rule = Rule {
    id: "cross-site-scripting-javascript-keywords/call",
    leaf: Leaf::CrossSiteScriptingJavascriptKeywords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A function that runs text or opens a dialog is called where an expression may stand.",
    attacks: &[
        "';alert(1)//",
        "\"-confirm(1)-\"",
        "(alert)(1)",
        "prompt.call(null,1)",
        "${alert(1)}",
        "alert?.(1)",
        "al\\u0065rt(1)",
        "eval/**/('x')",
        "'x' instanceof alert(1)",
        "x\";setTimeout(name, 1)//",
        "alert`1`",
        "(0,alert)(1)",
        "console.log(name)",
        "\"};print()//",
        "alert<x>(1)",
    ],
    benign: &[
        "use alert(1) to see it",
        "weather alert (red)",
        "alert(s)",
        "willing to import (and wait)",
        "please confirm (or cancel) the order",
        "the function `eval(x)` is evil",
    ],
};

pub(super) static CALL_MENTION: Rule = Rule {
    id: "cross-site-scripting-javascript-keywords/call-mention",
    leaf: Leaf::CrossSiteScriptingJavascriptKeywords,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Such a call is mentioned in text.",
    attacks: &["use alert(1) to see it", "why does eval('x') fail", "df.eval('a+b')"],
    benign: &["weather alert (red)", "system alert(s)", "confirm your address"],
};

pub(super) static PAGE_OBJECT: Rule = Rule {
    id: "cross-site-scripting-suspicious-keywords/page-object",
    leaf: Leaf::CrossSiteScriptingSuspiciousKeywords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "The page's objects are reached for where an expression may stand.",
    attacks: &[
        "document.cookie",
        "...(document.domain)...",
        "document/*x*/./*y*/cookie",
        "window.location",
        "';window.location='//evil.example'",
        "document?.cookie",
    ],
    benign: &[
        "document.xml",
        "why is document.cookie empty",
        "parent.name",
        "a document. Body text follows",
        "location.city",
    ],
};

pub(super) static PAGE_OBJECT_MENTION: Rule = Rule {
    id: "cross-site-scripting-suspicious-keywords/page-object-mention",
    leaf: Leaf::CrossSiteScriptingSuspiciousKeywords,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "The page's objects are mentioned in text.",
    attacks: &["why is document.cookie empty", "set window.location to go", "use document.write carefully"],
    benign: &["the document cookie", "a document.pdf", "window shopping"],
};

pub(super) static COMPUTED_MEMBER: Rule = Rule {
    id: "cross-site-scripting-javascript-keywords/computed-member",
    leaf: Leaf::CrossSiteScriptingJavascriptKeywords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A member of the page's objects is named by an expression.",
    attacks: &[
        "window['al'+'ert'](1)",
        "(document)[\"cookie\"]",
        "self[Object.keys(self)[5]](1)",
        "self[/**/\"alert\"]",
        "top[/al/.source+/ert/.source](1)",
        "self[`alert`]`1`",
    ],
    benign: &["self['name'] = 1", "window[0]", "this[\"x\"]", "parents[\"a\"]"],
};

pub(super) static TAGGED_TEMPLATE: Rule = Rule {
    id: "cross-site-scripting-javascript-keywords/tagged-template",
    leaf: Leaf::CrossSiteScriptingJavascriptKeywords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A function is called by a template literal.",
    attacks: &["[].sort.call`${alert}1`", "Reflect.apply.call`${x}`", "[ 1 ] . map . call ` `"],
    benign: &["call `git push` first", "items.map(x => x)", "the `call` method"],
};

pub(super) static HANDOVER: Rule = Rule {
    id: "cross-site-scripting-javascript-keywords/handover",
    leaf: Leaf::CrossSiteScriptingJavascriptKeywords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A function that runs text or opens a dialog is handed over.",
    attacks: &[
        "[1].find(alert)",
        "Reflect.apply(alert,null,[1])",
        "[alert][0](1)",
        "onerror=eval;throw'=x'",
        "a=alert,a(1)",
        "x`${alert}`",
    ],
    benign: &["status(alert)", "mode=alert", "type=prompt;x=1", "severity={alert}"],
};

pub(super) static DETOUR: Rule = Rule {
    id: "cross-site-scripting-javascript-keywords/detour",
    leaf: Leaf::CrossSiteScriptingJavascriptKeywords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Code is made from text by a detour.",
    attacks: &[
        "[].pop.constructor('x')()",
        "String.fromCharCode(88,83)",
        "x['constructor'].constructor",
        "new XMLHttpRequest()",
    ],
    benign: &["the constructor (see below)", "class.constructor(name)", "String.fromCharCode"],
};

pub(super) static ASSIGNMENT: Rule = Rule {
    id: "cross-site-scripting-javascript-keywords/assignment",
    leaf: Leaf::CrossSiteScriptingJavascriptKeywords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "The page's address or content is assigned.",
    attacks: &["location='javascript:x'", "';top.location=name//", "x.innerHTML='<b>'", "location.href=x"],
    benign: &["location=Berlin", "innerHTML", "x.innerHTML = y", "href=location"],
};

pub(super) static STRING_BREAK: Rule = Rule {
    id: "cross-site-scripting-javascript-keywords/string-break",
    leaf: Leaf::CrossSiteScriptingJavascriptKeywords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A string of the page's script is ended, a function is called, and the rest is taken care of.",
    attacks: &["'-go(8)-'", "';run(16);t='", "\\');x()//", "\"+top.x()+\""],
    benign: &["\"a\" + str(x) + \"b\"", "'quoted' - f(x)", "\"-\"", "it's f(x) // fine"],
};

pub(super) static TEMPLATE_EXPRESSION: Rule = Rule {
    id: "cross-site-scripting-angular-templates/expression",
    leaf: Leaf::CrossSiteScriptingAngularTemplates,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A template expression of a client-side framework runs code.",
    attacks: &[
        "{{constructor.constructor('alert(1)')()}}",
        "{{$on.constructor('x')()}}",
        "{{ [].pop.constructor`x` }}",
    ],
    benign: &["{{ user.name }}", "Hello @{{ issue.user.login }}, thanks", "{{#rustdoc_include ../x.rs}}"],
};
