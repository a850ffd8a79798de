//! Rules of this bucket and the detector that reports them: lookups that load code, Java names and calls, serialized
//! objects, server pages. What the bytes hold, `lang` says; here it is weighed by where they stand.

use waf_languages::java::{self, Java, JavaClass, JavaSign};
use waf_languages::language::{Context, Finding, Language};
use waf_languages::lookup::{Lookup, LookupSign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule};

mod code;
mod lookups;
mod naming;
mod objects;

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket =
    Bucket { rules: &[lookups::RULES, code::RULES, objects::RULES, naming::RULES], detectors: &[&DETECTOR] };

/// Evaluates lookups and reads Java names.
static DETECTOR: Detector = Detector {
    name: Java::NAME,
    triggers: &[Lookup::TRIGGERS, Java::TRIGGERS, UPLOADS],
    prefilter: None,
    places: Places::REQUEST,
    run,
};

/// Ends of names that a Java server runs or deploys.
const UPLOADS: &[&str] = &["jsp", ".jsw", ".jsv", ".jhtml", ".war", ".ear"];

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

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    if evidence.wants(Leaf::JavaInjectionLog4shell) {
        evidence.scan::<Lookup, _>(subject, |finding| Some(lookup(finding.sign)));
    }
    upload(subject, evidence);
    evidence.scan::<Java, _>(subject, |finding| rule(subject, finding));
}

fn lookup(sign: LookupSign) -> &'static Rule {
    match sign {
        LookupSign::Naming => &lookups::NAMING_LOOKUP,
        LookupSign::Spelt => &lookups::SPELT_LOOKUP,
        LookupSign::Text => &lookups::TEXT_LOOKUP,
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

/// Offset of an extension that a Java server acts on, at the end or before what some systems cut off.
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

fn rule(subject: &Subject<'_>, finding: &Finding<JavaSign>) -> Option<&'static Rule> {
    let is_prose = finding.context == Context::Prose;
    Some(match finding.sign {
        JavaSign::ClassName(kind) => return class_name(subject, finding, kind),
        JavaSign::ClassMention => &code::CLASS_MENTIONED,
        JavaSign::ClassUse => &code::CLASS_USE,
        JavaSign::Call if is_prose => &code::CALL_MENTIONED,
        JavaSign::Call => &code::CALL,
        JavaSign::Gadget if is_prose || is_one(label(subject, finding), DESCRIPTIONS) => {
            &objects::GADGET_MENTIONED
        }
        JavaSign::Gadget => &objects::GADGET,
        JavaSign::YamlTag => &objects::YAML,
        JavaSign::PropertyPath => &code::PROPERTY_PATH,
        JavaSign::Ognl => &code::OGNL,
    })
}

/// A class name that stands alone asks to be loaded, unless its field says what else it is for.
fn class_name(subject: &Subject<'_>, finding: &Finding<JavaSign>, kind: JavaClass) -> Option<&'static Rule> {
    let label = label(subject, finding);
    let mentioned = is_one(label, DESCRIPTIONS)
        || is_one(label, SEARCHES) && !matches!(subject.place, Place::Header | Place::Cookie);
    match kind {
        JavaClass::Reaching if !mentioned => Some(&code::CLASS_NAME),
        JavaClass::Value if !mentioned && !is_one(label, TYPES) => Some(&code::CLASS_NAME),
        JavaClass::Reaching => Some(&code::CLASS_MENTIONED),
        _ => None,
    }
}

/// The nearest name of the value: in the value itself, or the last segment of the field's.
fn label<'a>(subject: &Subject<'a>, finding: &Finding<JavaSign>) -> &'a [u8] {
    let label = java::label(subject.bytes, finding.span.offset);
    if !label.is_empty() {
        return label;
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
