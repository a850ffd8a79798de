//! Rules about script: what each conclusion of the script scanner weighs, with its proofs.

use waf_shared::catalog::Leaf;

use super::judged;
use crate::lang::script::Sign;
use crate::rule::{Rule, STRONG};

/// The rule for a conclusion.
pub(super) fn rule(sign: Sign) -> &'static Rule {
    match sign {
        Sign::Call => &CALL,
        Sign::CallMention => &CALL_MENTION,
        Sign::PageObject => &PAGE_OBJECT,
        Sign::PageObjectMention => &PAGE_OBJECT_MENTION,
        Sign::ComputedMember => &COMPUTED_MEMBER,
        Sign::TaggedTemplate => &TAGGED_TEMPLATE,
        Sign::Handover => &HANDOVER,
        Sign::Detour => &DETOUR,
        Sign::StringBreak => &STRING_BREAK,
        Sign::Assignment => &ASSIGNMENT,
    }
}

/// Where a template expression of a client-side framework runs code, if one does.
pub(super) fn template_expression(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(bytes, b"{{").find(|&at| {
        let rest = bytes.get(at + 2..).unwrap_or_default();
        let rest = rest.get(..2048).unwrap_or(rest);
        let inside = memchr::memmem::find(rest, b"}}").and_then(|end| rest.get(..end)).unwrap_or(rest);
        let reaches = ["constructor", "$eval", "$on", "__proto__", "$new", "prototype", "alert", "$event"]
            .iter()
            .any(|word| memchr::memmem::find(inside, word.as_bytes()).is_some());
        reaches && inside.iter().any(|byte| matches!(byte, b'(' | b'`' | b'[' | b'='))
    })
}

pub(super) static SCRIPT_URL: Rule = judged(
    "cross-site-scripting-javascript-urls/attribute",
    Leaf::CrossSiteScriptingJavascriptUrls,
    STRONG,
    "An attribute's address runs code.",
    &[
        "<a href=javascript:alert(1)>",
        "<a href=\" java\tscript:x()\">",
        "<img src='&#106;avascript:x()'>",
        "<embed code=vbscript:msgbox(1)>",
    ],
    &[
        "<a href=\"https://example.com/javascript:x\">x</a>",
        "<p title=\"javascripts\">",
        "<a href='mailto:a@example.com'>",
    ],
);

pub(super) static BARE_SCRIPT_URL: Rule = judged(
    "cross-site-scripting-javascript-urls/value",
    Leaf::CrossSiteScriptingJavascriptUrls,
    STRONG,
    "A value is an address that runs code.",
    &[
        "javascript:alert(1)",
        "ja&tab;vascript: ",
        "x=javascript://%0aa()",
        "vbscript:msgbox(\"x\")",
        "&#106&#97&#118&#97&#115&#99&#114&#105&#112&#116&#58x",
    ],
    &[
        "javascript: the good parts",
        "JavaScript: The Definitive Guide (7th edition)",
        "JavaScript:+Basics+of+it+(2nd)",
        "javascript:es,es6",
        "typescript:x",
        "language=javascript",
    ],
);

pub(super) static FILLER_URL: Rule = judged(
    "cross-site-scripting-javascript-urls/filler",
    Leaf::CrossSiteScriptingJavascriptUrls,
    1,
    "An address with a script scheme that does nothing.",
    &["<a href=\"javascript:void(0)\">", "javascript:void(0);", "<a href='javascript:;'>"],
    &["void(0)", "javascript", "javascript: nothing"],
);

pub(super) static DATA_URL: Rule = judged(
    "cross-site-scripting-javascript-urls/data",
    Leaf::CrossSiteScriptingJavascriptUrls,
    STRONG,
    "An address that brings its own document.",
    &[
        "data:text/html,<b>x",
        "<a href='data:text/html;base64,PHNjcmlwdD4='>",
        "<x src=\" data:image/svg+xml,x\">",
    ],
    &[
        "<img src=\"data:image/svg+xml;base64,PHN2Zz4=\">",
        "data:image/png;base64,iVBORw0KGgo=",
        "data: text and numbers",
    ],
);

pub(super) static CALL: Rule = judged(
    "cross-site-scripting-javascript-keywords/call",
    Leaf::CrossSiteScriptingJavascriptKeywords,
    STRONG,
    "A function that runs text or opens a dialog is called where an expression may stand.",
    &[
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
    &[
        "use alert(1) to see it",
        "weather alert (red)",
        "alert(s)",
        "willing to import (and wait)",
        "please confirm (or cancel) the order",
        "the function `eval(x)` is evil",
    ],
);

pub(super) static CALL_MENTION: Rule = judged(
    "cross-site-scripting-javascript-keywords/call-mention",
    Leaf::CrossSiteScriptingJavascriptKeywords,
    1,
    "Such a call is mentioned in text.",
    &["use alert(1) to see it", "why does eval('x') fail", "df.eval('a+b')"],
    &["weather alert (red)", "system alert(s)", "confirm your address"],
);

pub(super) static PAGE_OBJECT: Rule = judged(
    "cross-site-scripting-suspicious-keywords/page-object",
    Leaf::CrossSiteScriptingSuspiciousKeywords,
    STRONG,
    "The page's objects are reached for where an expression may stand.",
    &[
        "document.cookie",
        "...(document.domain)...",
        "document/*x*/./*y*/cookie",
        "window.location",
        "';window.location='//evil.example'",
        "document?.cookie",
    ],
    &[
        "document.xml",
        "why is document.cookie empty",
        "parent.name",
        "a document. Body text follows",
        "location.city",
    ],
);

pub(super) static PAGE_OBJECT_MENTION: Rule = judged(
    "cross-site-scripting-suspicious-keywords/page-object-mention",
    Leaf::CrossSiteScriptingSuspiciousKeywords,
    1,
    "The page's objects are mentioned in text.",
    &["why is document.cookie empty", "set window.location to go", "use document.write carefully"],
    &["the document cookie", "a document.pdf", "window shopping"],
);

pub(super) static COMPUTED_MEMBER: Rule = judged(
    "cross-site-scripting-javascript-keywords/computed-member",
    Leaf::CrossSiteScriptingJavascriptKeywords,
    STRONG,
    "A member of the page's objects is named by an expression.",
    &[
        "window['al'+'ert'](1)",
        "(document)[\"cookie\"]",
        "self[Object.keys(self)[5]](1)",
        "self[/**/\"alert\"]",
        "top[/al/.source+/ert/.source](1)",
        "self[`alert`]`1`",
    ],
    &["self['name'] = 1", "window[0]", "this[\"x\"]", "parents[\"a\"]"],
);

pub(super) static TAGGED_TEMPLATE: Rule = judged(
    "cross-site-scripting-javascript-keywords/tagged-template",
    Leaf::CrossSiteScriptingJavascriptKeywords,
    STRONG,
    "A function is called by a template literal.",
    &["[].sort.call`${alert}1`", "Reflect.apply.call`${x}`", "[ 1 ] . map . call ` `"],
    &["call `git push` first", "items.map(x => x)", "the `call` method"],
);

pub(super) static HANDOVER: Rule = judged(
    "cross-site-scripting-javascript-keywords/handover",
    Leaf::CrossSiteScriptingJavascriptKeywords,
    STRONG,
    "A function that runs text or opens a dialog is handed over.",
    &[
        "[1].find(alert)",
        "Reflect.apply(alert,null,[1])",
        "[alert][0](1)",
        "onerror=eval;throw'=x'",
        "a=alert,a(1)",
        "x`${alert}`",
    ],
    &["status(alert)", "mode=alert", "type=prompt;x=1", "severity={alert}"],
);

pub(super) static DETOUR: Rule = judged(
    "cross-site-scripting-javascript-keywords/detour",
    Leaf::CrossSiteScriptingJavascriptKeywords,
    STRONG,
    "Code is made from text by a detour.",
    &[
        "[].pop.constructor('x')()",
        "String.fromCharCode(88,83)",
        "x['constructor'].constructor",
        "new XMLHttpRequest()",
    ],
    &["the constructor (see below)", "class.constructor(name)", "String.fromCharCode"],
);

pub(super) static ASSIGNMENT: Rule = judged(
    "cross-site-scripting-javascript-keywords/assignment",
    Leaf::CrossSiteScriptingJavascriptKeywords,
    STRONG,
    "The page's address or content is assigned.",
    &["location='javascript:x'", "';top.location=name//", "x.innerHTML='<b>'", "location.href=x"],
    &["location=Berlin", "innerHTML", "x.innerHTML = y", "href=location"],
);

pub(super) static STRING_BREAK: Rule = judged(
    "cross-site-scripting-javascript-keywords/string-break",
    Leaf::CrossSiteScriptingJavascriptKeywords,
    STRONG,
    "A string of the page's script is ended, a function is called, and the rest is taken care of.",
    &["'-go(8)-'", "';run(16);t='", "\\');x()//", "\"+top.x()+\""],
    &["\"a\" + str(x) + \"b\"", "'quoted' - f(x)", "\"-\"", "it's f(x) // fine"],
);

pub(super) static TEMPLATE_EXPRESSION: Rule = judged(
    "cross-site-scripting-angular-templates/expression",
    Leaf::CrossSiteScriptingAngularTemplates,
    STRONG,
    "A template expression of a client-side framework runs code.",
    &[
        "{{constructor.constructor('alert(1)')()}}",
        "{{$on.constructor('x')()}}",
        "{{ [].pop.constructor`x` }}",
    ],
    &["{{ user.name }}", "Hello @{{ issue.user.login }}, thanks", "{{#rustdoc_include ../x.rs}}"],
);
