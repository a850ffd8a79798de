//! Rules of this bucket and the detector that reports them: what the conclusions of [`crate::lang::html`] and
//! [`crate::lang::script`] weigh.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::lang::html::{charset, markup};
use crate::lang::script::{self, jsfuck};
use crate::rule::{Detector, Rule, RuleMatcher};
use crate::view::View;

mod encoding;
mod html;
mod javascript;
#[cfg(test)]
mod tests;

/// The rules.
pub static RULES: &[&Rule] = &[
    &html::SCRIPT_ELEMENT,
    &html::SCRIPT_END,
    &html::HANDLER,
    &html::HANDLER_BREAK,
    &html::HANDLER_TEXT,
    &html::DEFAULT_ATTRIBUTE,
    &html::DANGEROUS_ATTRIBUTE,
    &html::ATTRIBUTE_BREAK,
    &html::EXTERNAL_ENTITY,
    &html::REMOTE_SCHEMA,
    &html::DANGEROUS_ELEMENT,
    &html::SUSPECT_ELEMENT,
    &html::MARKUP_BREAK,
    &html::SPACED_ELEMENT,
    &html::SERVER_INCLUDE,
    &html::LEGACY_ELEMENT,
    &html::STYLE_ELEMENT,
    &html::STYLE_TRICK,
    &html::STYLE_SCRIPT,
    &javascript::SCRIPT_URL,
    &javascript::BARE_SCRIPT_URL,
    &javascript::FILLER_URL,
    &javascript::DATA_URL,
    &javascript::CALL,
    &javascript::CALL_MENTION,
    &javascript::PAGE_OBJECT,
    &javascript::PAGE_OBJECT_MENTION,
    &javascript::COMPUTED_MEMBER,
    &javascript::TAGGED_TEMPLATE,
    &javascript::HANDOVER,
    &javascript::DETOUR,
    &javascript::ASSIGNMENT,
    &javascript::STRING_BREAK,
    &javascript::TEMPLATE_EXPRESSION,
    &encoding::UTF7,
    &encoding::US_ASCII,
    &encoding::ESCAPED_TAG,
    &encoding::JSFUCK,
];

/// Runs the HTML tokenizer and the script scanner.
pub static DETECTOR: Detector = Detector { name: "html", triggers: TRIGGERS, places: Places::REQUEST, run };

/// Literals without one of which nothing here can be found.
#[rustfmt::skip] // a table, not code
static TRIGGERS: &[&str] = &[
    "<", "javascript", "vbscript", "livescript", "script:", "mocha:", "&tab", "&newline", "&colon", "&#",
    "data:text",
    // Handlers behind a break.
    "onabort", "onafter", "onanimation", "onauxclick", "onbefore", "onbegin", "onblur", "oncancel",
    "oncanplay", "onchange", "onclick", "onclose", "oncommand", "oncontent", "oncontext", "oncopy",
    "oncuechange", "oncut", "ondblclick", "ondevice", "ondrag", "ondrop", "onemptied", "onend", "onerror",
    "onfinish", "onfocus", "onform", "onfullscreen", "ongotpointer", "onhash", "oninput", "oninvalid",
    "onkey", "onload", "onlostpointer", "onmedia", "onmessage", "onmouse", "onmove", "onpage", "onpaste",
    "onpause", "onplay", "onpointer", "onpopstate", "onprogress", "onproperty", "onreadystate", "onrepeat",
    "onreset", "onresize", "onscroll", "onsearch", "onseek", "onselect", "onshow", "onstart", "onstorage",
    "onsubmit", "ontime", "ontoggle", "ontouch", "ontransition", "onunhandled", "onunload", "onvolume",
    "onwaiting", "onwebkit", "onwheel", "onzoom", "formaction", "srcdoc", "xlink:href", "dynsrc", "lowsrc",
    // Script.
    "alert", "confirm", "prompt", "eval", "settimeout", "setinterval", "setimmediate", "execscript", "atob",
    "fetch(", "fetch`", "import(", "import (", "function(", "function`", "document.", "document[",
    "document)", "document/", "document ", "document?", "window.", "window[", "window)", "window/", "window?",
    "self[", "self.", "top[", "top.", "parent[", "parent.", "frames[", "frames.", "globalthis", "this[",
    "location", "navigation.", "localstorage", "sessionstorage", "sendbeacon", "constructor", "fromcharcode",
    "fromcodepoint", "innerhtml", "outerhtml", "insertadjacenthtml", "contextualfragment", "xmlhttp", "call`",
    "call `", "apply`", "bind`", "sort`", "map`", "\\u{", "\\u00", "{{", "btoa", "print(", "contentwindow", "activexobject", "console.", "&{",
    "parentwindow", "defaultview",
    // Strings that are ended.
    "'-", "'+", "';", "'*", "'^", "\"-", "\"+", "\"*", "\"^", "`-", "`+", "`;", ")//", ");//",
    // Style.
    "expression", "url(", "url (", "-moz-binding", "behavior",
    // Encodings.
    "¼", "adw-", "ad4-", "aci-", "\\xbc", "/**/", "u003c", "\\x3c", "\\74", "![", "=~[", "+[", "[+", "[ !", "!entity",
    "schemalocation",
];

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let bytes = subject.bytes;
    markup::conclude(bytes, &mut |sign, offset| {
        evidence.found(html::rule(sign), offset, extent(bytes, offset));
    });
    if !is_still_encoded(subject) {
        script::conclude(bytes, &mut |sign, offset| {
            evidence.found(javascript::rule(sign), offset, extent(bytes, offset));
        });
    }
    if evidence.wants(Leaf::CrossSiteScriptingAngularTemplates)
        && let Some(offset) = javascript::template_expression(bytes)
    {
        evidence.found(&javascript::TEMPLATE_EXPRESSION, offset, extent(bytes, offset));
    }
    if let Some(offset) = charset::utf7(bytes) {
        evidence.found(&encoding::UTF7, offset, extent(bytes, offset));
    }
    if let Some(offset) = charset::us_ascii(bytes) {
        evidence.found(&encoding::US_ASCII, offset, extent(bytes, offset));
    }
    if let Some(offset) = jsfuck::find(bytes) {
        evidence.found(&encoding::JSFUCK, offset, extent(bytes, offset));
    }
}

/// Whether a decoded view of the same value is judged too. What stands between words is what tells script from prose, and
/// `+` and `%20` say nothing about that.
fn is_still_encoded(subject: &Subject<'_>) -> bool {
    let form = matches!(subject.place, Place::Query | Place::QueryName | Place::Form | Place::FormName);
    form && subject.view == View::Raw && memchr::memchr2(b'+', b'%', subject.bytes).is_some()
}

/// How much of the view an event shows for evidence at `offset`: up to the end of the tag or line, within reason.
fn extent(bytes: &[u8], offset: usize) -> usize {
    const SHOWN_BYTES_MAX: usize = 64;
    let rest = bytes.get(offset..).unwrap_or_default();
    let rest = rest.get(..SHOWN_BYTES_MAX).unwrap_or(rest);
    rest.iter().position(|&byte| matches!(byte, b'>' | b'\n')).map_or(rest.len(), |end| end + 1)
}

/// A rule that the detector reports.
const fn judged(
    id: &'static str,
    leaf: Leaf,
    weight: u8,
    summary: &'static str,
    attacks: &'static [&'static str],
    benign: &'static [&'static str],
) -> Rule {
    Rule {
        id,
        leaf,
        weight,
        places: Places::REQUEST,
        matcher: RuleMatcher::Detected,
        summary,
        attacks,
        benign,
    }
}
