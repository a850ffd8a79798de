//! Rules about markup: what each conclusion of the HTML tokenizer weighs, with its proofs.

use waf_languages::html::HtmlSign;
use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rule for a conclusion.
pub(super) fn rule(sign: HtmlSign) -> &'static Rule {
    match sign {
        HtmlSign::ScriptElement => &SCRIPT_ELEMENT,
        HtmlSign::ScriptEnd => &SCRIPT_END,
        HtmlSign::Handler => &HANDLER,
        HtmlSign::HandlerBreak => &HANDLER_BREAK,
        HtmlSign::HandlerText => &HANDLER_TEXT,
        HtmlSign::DangerousAttribute => &DANGEROUS_ATTRIBUTE,
        HtmlSign::AttributeBreak => &ATTRIBUTE_BREAK,
        HtmlSign::ScriptUrl => &super::javascript::SCRIPT_URL,
        HtmlSign::FillerUrl => &super::javascript::FILLER_URL,
        HtmlSign::BareScriptUrl => &super::javascript::BARE_SCRIPT_URL,
        HtmlSign::DataUrl => &super::javascript::DATA_URL,
        HtmlSign::DangerousElement => &DANGEROUS_ELEMENT,
        HtmlSign::SuspectElement => &SUSPECT_ELEMENT,
        HtmlSign::LegacyElement => &LEGACY_ELEMENT,
        HtmlSign::MarkupBreak => &MARKUP_BREAK,
        HtmlSign::SpacedElement => &SPACED_ELEMENT,
        HtmlSign::ServerInclude => &SERVER_INCLUDE,
        HtmlSign::RemoteSchema => &REMOTE_SCHEMA,
        HtmlSign::StyleElement => &STYLE_ELEMENT,
        HtmlSign::StyleTrick => &STYLE_TRICK,
        HtmlSign::StyleScript => &STYLE_SCRIPT,
    }
}

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[
    &SCRIPT_ELEMENT,
    &SCRIPT_END,
    &HANDLER,
    &HANDLER_BREAK,
    &HANDLER_TEXT,
    &DEFAULT_ATTRIBUTE,
    &DANGEROUS_ATTRIBUTE,
    &ATTRIBUTE_BREAK,
    &EXTERNAL_ENTITY,
    &REMOTE_SCHEMA,
    &DANGEROUS_ELEMENT,
    &SUSPECT_ELEMENT,
    &MARKUP_BREAK,
    &SPACED_ELEMENT,
    &SERVER_INCLUDE,
    &LEGACY_ELEMENT,
    &STYLE_ELEMENT,
    &STYLE_TRICK,
    &STYLE_SCRIPT,
];

pub(super) static SCRIPT_ELEMENT: Rule = Rule {
    id: "cross-site-scripting-script-tags/element",
    leaf: Leaf::CrossSiteScriptingScriptTags,
    weight: STRONG,
    places: Places::REQUEST_AND_FILES,
    matcher: RuleMatcher::Detected,
    summary: "A script element is opened.",
    attacks: &[
        "<script>alert(1)</script>",
        "x</title><ScRiPt src=//evil.example/x.js",
        "<x:script xmlns:x='http://www.w3.org/1999/xhtml'>",
        "<scr\0ipt >go()",
    ],
    benign: &[
        "the script < 5 lines",
        "<p>Hello <strong>world</strong></p>",
        "a script tag is no toy",
        "List<Scripts> scripts",
    ],
};

pub(super) static SCRIPT_END: Rule = Rule {
    id: "cross-site-scripting-script-tags/end",
    leaf: Leaf::CrossSiteScriptingScriptTags,
    weight: 4,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A script element of the page is closed.",
    attacks: &["</script>", "';</SCRIPT ><b>", "x</svg:script>"],
    benign: &["</p>", "</div></section>", "and/script"],
};

pub(super) static HANDLER: Rule = Rule {
    id: "cross-site-scripting-event-handlers/in-tag",
    leaf: Leaf::CrossSiteScriptingEventHandlers,
    weight: STRONG,
    places: Places::REQUEST_AND_FILES,
    matcher: RuleMatcher::Detected,
    summary: "A tag carries an event handler.",
    attacks: &[
        "<img src=x onerror=alert(1)>",
        "<svg/onload=go()",
        "<a title='x'ONmouseover=\"top.x()\">",
        "<x onwibble=alert`1`>",
        "<b\x0conclick\x0d=\x0ax()>",
    ],
    benign: &[
        "<p>once=one</p>",
        "<a href=\"https://example.com/\" title=\"online\">x</a>",
        "<item only=\"1\" once=\"true\" one='a'/>",
        "if a <b then onclick is fine",
    ],
};

pub(super) static HANDLER_BREAK: Rule = Rule {
    id: "cross-site-scripting-event-handlers/break-out",
    leaf: Leaf::CrossSiteScriptingEventHandlers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An event handler follows what ends an attribute of the page.",
    attacks: &[
        "\" onmouseover=alert(1) x=\"",
        "'onfocus='x()' autofocus='",
        "x` onload=go() `",
        "\"//Ony=\"\"//onfocus=confirm(2)>",
        "/onerror=alert(1)",
    ],
    benign: &[
        "onclick = something",
        "don't use onclick = x here",
        "the \"onload\" attribute",
        "\"online=1\"",
        "\"once=\"",
    ],
};

pub(super) static HANDLER_TEXT: Rule = Rule {
    id: "cross-site-scripting-event-handlers/text",
    leaf: Leaf::CrossSiteScriptingEventHandlers,
    weight: 3,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An event handler with code stands in text.",
    attacks: &["onclick=\"doSomething()\" is bad style", "use onload=start() instead", "onerror=x(1)>"],
    benign: &["onclick = something", "based on=x()", "sign on = required"],
};

pub(super) static DANGEROUS_ATTRIBUTE: Rule = Rule {
    id: "cross-site-scripting-html-attributes/in-tag",
    leaf: Leaf::CrossSiteScriptingHtmlAttributes,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A tag carries an attribute that brings a document, sends a form elsewhere or loads what old browsers run.",
    attacks: &[
        "<iframe srcdoc='x'>",
        "<button formaction=//evil.example>",
        "<img dynsrc=x>",
        "<table datasrc=#x>",
    ],
    benign: &[
        "<img src=\"https://example.com/a.png\" alt>",
        "<use xlink:href=\"#icon\"/><image xlink:href=\"data:image/png;base64,AAAA\"/>",
        "<a href=\"/form/action\">x</a>",
    ],
};

pub(super) static ATTRIBUTE_BREAK: Rule = Rule {
    id: "cross-site-scripting-html-attributes/break-out",
    leaf: Leaf::CrossSiteScriptingHtmlAttributes,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Such an attribute follows what ends an attribute of the page.",
    attacks: &["'formaction=//evil.example", "\" srcdoc=\"<b>", "x\" dynsrc=x"],
    benign: &["formaction = x", "srcdoc=", "the \"srcdoc\" attribute"],
};

pub(super) static EXTERNAL_ENTITY: Rule = Rule {
    id: "cross-site-scripting-html-attributes/external-entity",
    leaf: Leaf::CrossSiteScriptingHtmlAttributes,
    weight: STRONG,
    places: Places::REQUEST_AND_FILES,
    matcher: RuleMatcher::Pattern {
        regex: r"!entity\s+(?:%\s*)?[^\s>]+\s+(?:system|public)\b",
        literals: &["!entity"],
    },
    summary: "An entity is declared by reference to somewhere else.",
    attacks: &[
        "<!ENTITY % x SYSTEM 'http://evil.example/'>",
        "<!DOCTYPE r [<!ENTITY f SYSTEM \"file:///etc/passwd\">]>",
        "!ENTITY % bar PUBLIC 'a' 'b'",
    ],
    benign: &["<!ENTITY copy \"(c)\">", "the entity system", "<!DOCTYPE html>"],
};

pub(super) static DEFAULT_ATTRIBUTE: Rule = Rule {
    id: "cross-site-scripting-event-handlers/default-attribute",
    leaf: Leaf::CrossSiteScriptingEventHandlers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"\bon[a-z]{3,32}\s{1,16}cdata\s{1,16}(?:#fixed\s{1,16})?["']"#,
        literals: &["cdata"],
    },
    summary: "A document type gives elements an event handler.",
    attacks: &[
        "<!DOCTYPE x [<!ATTLIST img onerror CDATA \"go()\">]>",
        "onload CDATA 'x'",
        "<!ATTLIST a b CDATA 'c' onclick\tCDATA #FIXED \"x\">",
    ],
    benign: &["<![CDATA[on sale]]>", "<!ATTLIST a href CDATA #IMPLIED>", "once CDATA is used"],
};

pub(super) static REMOTE_SCHEMA: Rule = Rule {
    id: "cross-site-scripting-html-attributes/remote-schema",
    leaf: Leaf::CrossSiteScriptingHtmlAttributes,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An XML document in a value fetches its schema, or a part of itself, from elsewhere.",
    attacks: &[
        "<a xmlns=\"http://a.b/\" xsi:schemaLocation=\"http://a.b/ http://c.evil.example/a.xsd\">x</a>",
        "<d xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"http://evil.example/x\"/></d>",
        "<q xsi:schemaLocation='urn:x//one http://two.example/q.xsd'/>",
    ],
    benign: &[
        "<project xsi:schemaLocation=\"http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd\">",
        "<xi:include href=\"chapter1.xml\"/>",
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>News</title></feed>",
    ],
};

pub(super) static DANGEROUS_ELEMENT: Rule = Rule {
    id: "cross-site-scripting-html-injection-markers/element",
    leaf: Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An element is opened that loads foreign content or changes how the page works.",
    attacks: &[
        "<iframe src=//evil.example>",
        "<object data=x>",
        "<meta http-equiv=refresh content=0>",
        "<base href=//evil.example/>",
        "<link rel=stylesheet href=x",
    ],
    benign: &[
        "<base> <meta name=a>",
        "Map<String, List<Object>> x; Vec<Frame> y",
        "<meta charset=\"utf-8\">",
        "<link href=\"https://example.com/\" rel=\"alternate\"/>",
        "<img src=\"https://example.com/a.png\" alt>",
        "<blockquote><em>x</em></blockquote>",
        "an <email> link",
    ],
};

pub(super) static SUSPECT_ELEMENT: Rule = Rule {
    id: "cross-site-scripting-html-injection-markers/foreign-element",
    leaf: Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    weight: 3,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An element is opened that brings another language or is seldom written by hand.",
    attacks: &["<svg>", "<math><mi>", "<marquee>x"],
    benign: &["<b>svg</b>", "<p>", "<3 math"],
};

pub(super) static MARKUP_BREAK: Rule = Rule {
    id: "cross-site-scripting-html-injection-markers/break-out",
    leaf: Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    weight: 3,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Markup follows what ends a tag, a comment or a text element of the page.",
    attacks: &["\"><b>x", "--><i>", "</textarea><p>", "x' /><u>"],
    benign: &[
        "<a href=\"x\"><b>y</b></a>",
        "a > b <i>c</i>",
        "<!-- old --> <a id=x></a>",
        "<!DOCTYPE html PUBLIC \"x\"><html>",
        "</p><p>",
    ],
};

pub(super) static SPACED_ELEMENT: Rule = Rule {
    id: "cross-site-scripting-html-injection-markers/spaced",
    leaf: Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A dangerous element is spelled with gaps.",
    attacks: &["<f o r m", "< s c r i p t >", "x< script >alert(1)"],
    benign: &["a < b c d", "<b r", "x < scripts"],
};

pub(super) static SERVER_INCLUDE: Rule = Rule {
    id: "cross-site-scripting-html-injection-markers/server-include",
    leaf: Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A directive of server-side or edge-side includes.",
    attacks: &[
        "<!--#exec cmd=\"ls\"-->",
        "<!--#echo var=\"x\" -->",
        "\"--><!--#SET var=a value=b-->",
        "<esi:include src=\"http://evil.example/\"/>",
    ],
    benign: &["<!-- # a comment -->", "<!--#region-->", "<!-- echo -->", "<esi:nothing>"],
};

pub(super) static LEGACY_ELEMENT: Rule = Rule {
    id: "cross-site-scripting-internet-explorer/element",
    leaf: Leaf::CrossSiteScriptingInternetExplorer,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An element that old browsers run or load code from.",
    attacks: &[
        "<v:vmlframe src=x>",
        "<applet code=x>",
        "<?import namespace=t implementation=x>",
        "<bgsound src=x>",
    ],
    benign: &["<?xml version=\"1.0\"?>", "<?php", "<import from=\"x\"/>"],
};

pub(super) static STYLE_ELEMENT: Rule = Rule {
    id: "cross-site-scripting-internet-explorer/style-element",
    leaf: Leaf::CrossSiteScriptingInternetExplorer,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A style element is opened.",
    attacks: &["<style>", "<STYLE type=text/css>", "</title><style x"],
    benign: &["<span style=\"color:red\">x</span>", "style>", "<styled>"],
};

pub(super) static STYLE_TRICK: Rule = Rule {
    id: "cross-site-scripting-internet-explorer/style-trick",
    leaf: Leaf::CrossSiteScriptingInternetExplorer,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A style element imports a sheet or hides its words.",
    attacks: &[
        "<style>@import'//evil.example/x.css'",
        "<STYLE>li{list:\"\\javascript:x\"}</STYLE>",
        "<style>=\\x",
    ],
    benign: &[
        "<style>p{color:red}</style>",
        "<style>i:before{content:\"\\f101\"}</style>",
        "@import 'base';",
    ],
};

pub(super) static STYLE_SCRIPT: Rule = Rule {
    id: "cross-site-scripting-internet-explorer/style-script",
    leaf: Leaf::CrossSiteScriptingInternetExplorer,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Style that runs code.",
    attacks: &[
        "width:expression(alert(1))",
        "xss:ex/**/pre\\ssion(x)",
        "background:url( 'javascript:x()')",
        "-moz-binding:url(x.xml#a)",
        "behavior: url(x.htc)",
    ],
    benign: &[
        "background:url(https://example.com/a.png)",
        "a lambda expression(s)",
        "scroll-behavior: smooth",
        "v\\:* {behavior:url(#default#VML);}",
        "url(data:image/png;base64,AAAA)",
    ],
};
