//! Rules of this bucket and the detector that reports them: lookups that load code, Java names and calls, serialized
//! objects, server pages. What the bytes hold, `lang` says; here it is weighed by where they stand.

use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::lang::java::{self, Finding, Kind, Sign};
use crate::lang::lookup;
use crate::rule::{Detector, Rule};

mod code;
mod lookups;
mod objects;

/// The rules.
pub static RULES: &[&Rule] = &[
    &lookups::NAMING_LOOKUP,
    &lookups::SPELT_LOOKUP,
    &lookups::TEXT_LOOKUP,
    &code::CLASS_NAME,
    &code::CLASS_MENTIONED,
    &code::CLASS_USE,
    &code::CALL,
    &code::CALL_MENTIONED,
    &code::OGNL,
    &code::SCRIPT_STRING,
    &code::PROPERTY_PATH,
    &objects::STREAM,
    &objects::BASE64,
    &objects::HEX,
    &objects::GADGET,
    &objects::GADGET_MENTIONED,
    &objects::YAML,
    &objects::UPLOAD,
    &objects::UPLOAD_BY_HEADER,
    &objects::KEYWORDS,
];

/// Evaluates lookups and reads Java names.
pub static DETECTOR: Detector =
    Detector { name: "java", triggers: TRIGGERS, places: Places::REQUEST, run: judge };

static TRIGGERS: &[&str] = &[
    "${",
    // Roots of packages.
    "java.",
    "javax.",
    "jakarta.el",
    "com.sun.",
    "com.opensymphony",
    "com.mchange",
    "com.bea.",
    "sun.misc",
    "sun.reflect",
    "sun.rmi",
    "sun.net",
    "jdk.",
    "org.omg",
    "org.apache.",
    "org.codehaus.groovy",
    "org.mozilla.javascript",
    "org.springframework",
    "org.python.",
    "org.jruby",
    "weblogic.",
    "ognl.",
    "bsh.",
    "javassist.",
    "groovy.lang",
    "groovy.util",
    "freemarker.",
    "!!",
    // What the chains of deserialization are made of.
    "transformer",
    "closure",
    "clonefactory",
    "serializationfactory",
    "instantiatefactory",
    "invocationhandler",
    "templatesimpl",
    "rowsetimpl",
    "lazymap",
    "tiedmapentry",
    "badattributevalue",
    "pooldatasource",
    "forwardingdatasource",
    // Calls and paths.
    "getruntime",
    "forname",
    "loadclass",
    "classloader",
    "defineclass",
    "newinstance",
    "getdeclared",
    "getenginebyname",
    "protectiondomain",
    "class.module",
    "#_memberaccess",
    "#context",
    // Uploads.
    "jsp",
    ".jsw",
    ".jsv",
    ".jhtml",
    ".war",
    ".ear",
];

/// Names of fields that hold what a person looks for.
const SEARCHES: &[&str] =
    &["q", "query", "search", "s", "keyword", "keywords", "term", "terms", "text", "s_query"];

/// Names of fields in which serializers and schemas write the type of a value.
const TYPES: &[&str] = &[
    "type",
    "@type",
    "class",
    "@class",
    "_class",
    "javatype",
    "datatype",
    "__typeid__",
    "classname",
    "returntype",
];

/// Names of fields that say where code lives: logs, traces, builds.
const DESCRIPTIONS: &[&str] = &[
    "logger",
    "logger_name",
    "loggername",
    "log.logger",
    "category",
    "module",
    "package",
    "namespace",
    "exception",
    "groupid",
    "group",
    "artifact",
    "artifactid",
    "dependency",
    "culprit",
    "function",
    "method",
    "thread_name",
];

/// Extensions that a Java server runs or deploys.
const SERVER_PAGES: &[&str] = &["jsp", "jspx", "jspf", "jspa", "jsw", "jsv", "jhtml", "war", "ear"];

fn judge(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    if evidence.wants(Leaf::JavaInjectionLog4shell) && memchr::memmem::find(subject.bytes, b"${").is_some() {
        evaluate(subject, evidence);
    }
    upload(subject, evidence);
    java::inspect(subject.bytes, &mut |finding| {
        if let Some(rule) = rule(subject, &finding) {
            evidence.found(rule, finding.offset, finding.length);
        }
    });
}

fn evaluate(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let lookups = lookup::evaluate(subject.bytes);
    for (offset, rule) in [
        (lookups.naming, &lookups::NAMING_LOOKUP),
        (lookups.spelt, &lookups::SPELT_LOOKUP),
        (lookups.text, &lookups::TEXT_LOOKUP),
    ] {
        if let Some(offset) = offset {
            evidence.found(rule, offset, subject.bytes.len() - offset.min(subject.bytes.len()));
        }
    }
}

fn upload(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    let rule = match subject.place {
        Place::FileName => &objects::UPLOAD,
        Place::Header if !subject.bytes.iter().any(|byte| b"/:?=,<".contains(byte)) => {
            &objects::UPLOAD_BY_HEADER
        }
        _ => return,
    };
    if let Some(offset) = server_page(subject.bytes) {
        evidence.found(rule, offset, subject.bytes.len() - offset);
    }
}

/// Where an extension that a Java server acts on stands at the end, or before what some systems cut off.
fn server_page(name: &[u8]) -> Option<usize> {
    name.iter().enumerate().filter(|(_, byte)| **byte == b'.').map(|(at, _)| at).find(|&at| {
        let rest = name.get(at + 1..).unwrap_or_default().trim_ascii_start();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let tail = rest.get(length..).unwrap_or_default();
        let over = tail.iter().all(|byte| matches!(byte, b'.' | b' ' | b'/' | b'\\' | b'"' | b'\t'))
            || matches!(tail.first(), Some(b';' | b'%' | 0 | b':'));
        over && is_one(rest.get(..length).unwrap_or_default(), SERVER_PAGES)
    })
}

fn rule(subject: &Subject<'_>, finding: &Finding) -> Option<&'static Rule> {
    Some(match finding.sign {
        Sign::ClassName(kind) => return class_name(subject, finding, kind),
        Sign::ClassInText => &code::CLASS_MENTIONED,
        Sign::ClassUse => &code::CLASS_USE,
        Sign::Call => &code::CALL,
        Sign::CallInText => &code::CALL_MENTIONED,
        Sign::Gadget if is_one(label(subject, finding), DESCRIPTIONS) => &objects::GADGET_MENTIONED,
        Sign::Gadget => &objects::GADGET,
        Sign::GadgetInText => &objects::GADGET_MENTIONED,
        Sign::YamlTag => &objects::YAML,
        Sign::PropertyPath => &code::PROPERTY_PATH,
        Sign::Ognl => &code::OGNL,
    })
}

/// A class name that stands alone asks to be loaded, unless its field says what else it is for.
fn class_name(subject: &Subject<'_>, finding: &Finding, kind: Kind) -> Option<&'static Rule> {
    let label = label(subject, finding);
    let mentioned = is_one(label, DESCRIPTIONS)
        || is_one(label, SEARCHES) && !matches!(subject.place, Place::Header | Place::Cookie);
    match kind {
        Kind::Reaching if !mentioned => Some(&code::CLASS_NAME),
        Kind::Value if !mentioned && !is_one(label, TYPES) => Some(&code::CLASS_NAME),
        Kind::Reaching => Some(&code::CLASS_MENTIONED),
        _ => None,
    }
}

/// The nearest name of the value: in the value itself, or the last segment of the field's.
fn label<'a>(subject: &Subject<'a>, finding: &Finding) -> &'a [u8] {
    let (start, end) = finding.label;
    if start < end {
        return subject.bytes.get(start..end).unwrap_or_default();
    }
    let name = subject.name;
    let last = name.rsplit(|byte| matches!(byte, b'.' | b'[')).find(|part| !part.is_empty());
    let last = last.and_then(|part| part.strip_suffix(b"]").or(Some(part)));
    // `log.logger` and the like are looked for whole.
    if is_one(name, DESCRIPTIONS) { name } else { last.unwrap_or_default() }
}

fn is_one(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
}
