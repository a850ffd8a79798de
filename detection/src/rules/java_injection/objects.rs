//! Rules about serialized objects and uploads that a Java server would run, each with its proofs.

use waf_shared::catalog::Leaf;

use crate::field::{Place, Places};
use crate::rule::{Rule, RuleMatcher, STRONG};

/// The rules of this file.
pub(super) static RULES: &[&Rule] =
    &[&STREAM, &BASE64, &HEX, &GADGET, &GADGET_MENTIONED, &YAML, &UPLOAD, &UPLOAD_BY_HEADER, &KEYWORDS];

pub(super) static STREAM: Rule = Rule {
    id: "java-injection-serialized-objects/stream-magic",
    leaf: Leaf::JavaInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern { regex: r"(?:\xac\xed|\xc2\xac\xc3\xad)\x00\x05", literals: &["\0\u{5}"] },
    summary: "The magic number and version that a stream of Java objects begins with.",
    attacks: &["\u{ac}\u{ed}\0\u{5}sr", "x=\u{ac}\u{ed}\0\u{5}w", "\u{ac}\u{ed}\0\u{5}"],
    benign: &["%AC%ED", "\u{ac}\u{ed}", "\u{ac}\u{ed} 5"],
};

pub(super) static BASE64: Rule = Rule {
    id: "java-injection-serialized-objects/base64",
    leaf: Leaf::JavaInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    // The three ways in which the four magic bytes fall into groups of six bits.
    matcher: RuleMatcher::Pattern {
        regex: r"(?-i)(?:^|[^A-Za-z0-9+/_-])rO0AB[Q-Za-f]|[Kaq6]ztAA[U-X]|[CGKOSWaeimquy26+-]s7QAF",
        literals: &["ro0ab", "ztaa", "s7qaf"],
    },
    summary: "A stream of Java objects in base64, at any alignment.",
    attacks: &[
        "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcA==",
        "{\"s\":\"rO0ABQ\"}",
        "eKztAAVzcg",
        "AAAAeKztAAV3",
        "Cs7QAFc3I",
    ],
    benign: &["ro0abxnyabe", "the rO0Ax of it", "XrO0ABXN", "ztAAU", "S7QAF"],
};

pub(super) static HEX: Rule = Rule {
    id: "java-injection-serialized-objects/hex",
    leaf: Leaf::JavaInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"(?:^|[^0-9a-z])aced00057[0-9a-e][0-9a-f]{6}",
        literals: &["aced0005"],
    },
    summary: "A stream of Java objects in hexadecimal.",
    attacks: &["aced0005737200116a6176612e", "x=ACED000573720011", "{\"o\":\"aced00057704000001\"}"],
    benign: &["aced0005", "faced0005737200116a", "aced the 0005th exam"],
};

pub(super) static GADGET: Rule = Rule {
    id: "java-injection-serialized-objects/gadget",
    leaf: Leaf::JavaInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "The full name of a class that deserialization chains are built of.",
    attacks: &[
        "org.apache.commons.collections.functors.InvokerTransformer",
        "ProcessBuilder.other.clonetransformer",
        "{\"@type\":\"com.sun.rowset.JdbcRowSetImpl\",\"autoCommit\":true}",
        "sun.reflect.annotation.AnnotationInvocationHandler",
    ],
    benign: &[
        "The transformer closure is open on Sundays.",
        "InvokerTransformer",
        "at org.apache.commons.collections.functors.InvokerTransformer.transform(InvokerTransformer.java:125)",
        "Our advisory explains how org.apache.commons.collections.functors.InvokerTransformer was abused",
    ],
};

pub(super) static GADGET_MENTIONED: Rule = Rule {
    id: "java-injection-serialized-objects/gadget-in-text",
    leaf: Leaf::JavaInjectionSerializedObjects,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text mentions a class that deserialization chains are built of.",
    attacks: &[
        "Our advisory explains how collections.functors.InvokerTransformer was abused",
        "the class xalan.trax.TemplatesImpl must not be reachable",
        "see the chain with map.LazyMap on the next page",
    ],
    benign: &["We sell transformers and closures", "a lazy map of the city", "please clone the transformer"],
};

pub(super) static YAML: Rule = Rule {
    id: "java-injection-serialized-objects/yaml-tag",
    leaf: Leaf::JavaInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A YAML tag that makes the parser instantiate a class.",
    attacks: &[
        "!!javax.script.ScriptEngineManager [!!java.net.URLClassLoader [[]]]",
        "a: !!com.sun.rowset.JdbcRowSetImpl {dataSourceName: x}",
        "!!org.springframework.context.support.ClassPathXmlApplicationContext [x]",
    ],
    benign: &["!!str 5", "Wow!! amazing.", "!!binary |", "Thanks!!see you"],
};

pub(super) static UPLOAD: Rule = Rule {
    id: "java-injection-script-upload/server-page",
    leaf: Leaf::JavaInjectionScriptUpload,
    weight: STRONG,
    places: Places::of(&[Place::FileName]),
    matcher: RuleMatcher::Detected,
    summary: "A file is uploaded under a name that makes a Java server run or deploy it.",
    attacks: &["shell.jsp", "a.JSPX", "b.jsp..", "x.jsp;.png", "app.war", "c.jsp%00.jpg", "d. jsp"],
    benign: &["photo.jpg", "notes-on-jsp.txt", "star.warp.png", "year.pdf", "report.jspdf.pdf"],
};

/// Applications read the name of an upload from headers of many names.
pub(super) static UPLOAD_BY_HEADER: Rule = Rule {
    id: "java-injection-script-upload/server-page-in-header",
    leaf: Leaf::JavaInjectionScriptUpload,
    weight: STRONG,
    places: Places::HEADERS,
    matcher: RuleMatcher::Detected,
    summary: "A header holds nothing but a file name that makes a Java server run or deploy the file.",
    attacks: &["shell.jsp", "foo.jspx...", "a. jsp", "app.war"],
    benign: &["/shop/index.jsp", "https://shop.example/cart.jsp", "a jsp, b.war", "jsp", "index.html"],
};

/// The words of the names that this leaf is about, in base64 at each of the three alignments, without what depends on neighbours.
pub(super) static KEYWORDS: Rule = Rule {
    id: "java-injection-base64-encoded-keywords/keyword",
    leaf: Leaf::JavaInjectionBase64EncodedKeywords,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern { regex: KEYWORDS_REGEX, literals: KEYWORDS_LITERALS },
    summary: "The name of a Java class or method that attacks rely on, within base64.",
    attacks: &["cnVudGltZQ", "HByb2Nlc3NidWlsZGVy", "aW52b2tlcnRyYW5zZm9ybWVy", "amF2YS5sYW5nLlJ1bnRpbWU="],
    benign: &["cnVubmluZw", "dGVzdA==", "the runtime of it", "eyJhbGciOiJIUzI1NiJ9"],
};

/// Made from the words `runtime`, `processbuilder` and the names of collection functors, small and in camel case.
const KEYWORDS_REGEX: &str = concat!(
    "(?-i)",
    "3aGlsZWNsb3N1cm|",
    "Byb2Nlc3NCdWlsZGVy|",
    "Byb2Nlc3NidWlsZGVy|",
    "Byb3RvdHlwZUNsb25lRmFjdG9ye|",
    "Byb3RvdHlwZVNlcmlhbGl6YXRpb25GYWN0b3J5|",
    "Byb3RvdHlwZWNsb25lZmFjdG9ye|",
    "Byb3RvdHlwZXNlcmlhbGl6YXRpb25mYWN0b3J5|",
    "DbG9uZVRyYW5zZm9ybWVy|",
    "Gb3JDbG9zdXJl|",
    "J1bnRpbW|",
    "JbnN0YW50aWF0ZUZhY3Rvcn|",
    "JbnN0YW50aWF0ZVRyYW5zZm9ybWVy|",
    "JbnZva2VyVHJhbnNmb3JtZX|",
    "Nsb25lVHJhbnNmb3JtZX|",
    "Nsb25ldHJhbnNmb3JtZX|",
    "Q2xvbmVUcmFuc2Zvcm1lc|",
    "Qcm90b3R5cGVDbG9uZUZhY3Rvcn|",
    "Qcm90b3R5cGVTZXJpYWxpemF0aW9uRmFjdG9ye|",
    "Qcm9jZXNzQnVpbGRlc|",
    "Rm9yQ2xvc3VyZ|",
    "SW52b2tlclRyYW5zZm9ybWVy|",
    "SW5zdGFudGlhdGVGYWN0b3J5|",
    "SW5zdGFudGlhdGVUcmFuc2Zvcm1lc|",
    "SdW50aW1l|",
    "UHJvY2Vzc0J1aWxkZX|",
    "UHJvdG90eXBlQ2xvbmVGYWN0b3J5|",
    "UHJvdG90eXBlU2VyaWFsaXphdGlvbkZhY3Rvcn|",
    "UnVudGltZ|",
    "V2hpbGVDbG9zdXJl|",
    "XaGlsZUNsb3N1cm|",
    "Y2xvbmV0cmFuc2Zvcm1lc|",
    "Zm9yY2xvc3VyZ|",
    "ZvckNsb3N1cm|",
    "ZvcmNsb3N1cm|",
    "aW52b2tlcnRyYW5zZm9ybWVy|",
    "aW5zdGFudGlhdGV0cmFuc2Zvcm1lc|",
    "aW5zdGFudGlhdGVmYWN0b3J5|",
    "cHJvY2Vzc2J1aWxkZX|",
    "cHJvdG90eXBlY2xvbmVmYWN0b3J5|",
    "cHJvdG90eXBlc2VyaWFsaXphdGlvbmZhY3Rvcn|",
    "cnVudGltZ|",
    "d2hpbGVjbG9zdXJl|",
    "doaWxlQ2xvc3VyZ|",
    "doaWxlY2xvc3VyZ|",
    "jbG9uZXRyYW5zZm9ybWVy|",
    "luc3RhbnRpYXRlRmFjdG9ye|",
    "luc3RhbnRpYXRlVHJhbnNmb3JtZX|",
    "luc3RhbnRpYXRlZmFjdG9ye|",
    "luc3RhbnRpYXRldHJhbnNmb3JtZX|",
    "ludm9rZXJ0cmFuc2Zvcm1lc|",
    "ludm9rZXJUcmFuc2Zvcm1lc|",
    "mb3JjbG9zdXJl|",
    "pbnN0YW50aWF0ZWZhY3Rvcn|",
    "pbnN0YW50aWF0ZXRyYW5zZm9ybWVy|",
    "pbnZva2VydHJhbnNmb3JtZX|",
    "wcm90b3R5cGVjbG9uZWZhY3Rvcn|",
    "wcm90b3R5cGVzZXJpYWxpemF0aW9uZmFjdG9ye|",
    "wcm9jZXNzYnVpbGRlc|",
    "ydW50aW1l",
);

const KEYWORDS_LITERALS: &[&str] = &[
    "3aglszwnsb3n1cm",
    "aw52b2tlcnryyw5zzm9ybwvy",
    "aw5zdgfudglhdgv0cmfuc2zvcm1lc",
    "aw5zdgfudglhdgvmywn0b3j5",
    "byb2nlc3ncdwlszgvy",
    "byb2nlc3nidwlszgvy",
    "byb3rvdhlwzunsb25lrmfjdg9ye",
    "byb3rvdhlwzvnlcmlhbgl6yxrpb25gywn0b3j5",
    "byb3rvdhlwzwnsb25lzmfjdg9ye",
    "byb3rvdhlwzxnlcmlhbgl6yxrpb25mywn0b3j5",
    "chjvdg90exblc2vyawfsaxphdglvbmzhy3rvcn",
    "chjvdg90exbly2xvbmvmywn0b3j5",
    "chjvy2vzc2j1awxkzx",
    "cnvudgltz",
    "d2hpbgvjbg9zdxjl",
    "dbg9uzvryyw5zzm9ybwvy",
    "doawxlq2xvc3vyz",
    "doawxly2xvc3vyz",
    "gb3jdbg9zdxjl",
    "j1bnrpbw",
    "jbg9uzxryyw5zzm9ybwvy",
    "jbnn0yw50awf0zuzhy3rvcn",
    "jbnn0yw50awf0zvryyw5zzm9ybwvy",
    "jbnzva2vyvhjhbnnmb3jtzx",
    "luc3rhbnrpyxrldhjhbnnmb3jtzx",
    "luc3rhbnrpyxrlrmfjdg9ye",
    "luc3rhbnrpyxrlvhjhbnnmb3jtzx",
    "luc3rhbnrpyxrlzmfjdg9ye",
    "ludm9rzxj0cmfuc2zvcm1lc",
    "ludm9rzxjucmfuc2zvcm1lc",
    "mb3jjbg9zdxjl",
    "nsb25ldhjhbnnmb3jtzx",
    "nsb25lvhjhbnnmb3jtzx",
    "pbnn0yw50awf0zwzhy3rvcn",
    "pbnn0yw50awf0zxryyw5zzm9ybwvy",
    "pbnzva2vydhjhbnnmb3jtzx",
    "q2xvbmvucmfuc2zvcm1lc",
    "qcm90b3r5cgvdbg9uzuzhy3rvcn",
    "qcm90b3r5cgvtzxjpywxpemf0aw9urmfjdg9ye",
    "qcm9jzxnzqnvpbgrlc",
    "rm9yq2xvc3vyz",
    "sdw50aw1l",
    "sw52b2tlclryyw5zzm9ybwvy",
    "sw5zdgfudglhdgvgywn0b3j5",
    "sw5zdgfudglhdgvucmfuc2zvcm1lc",
    "uhjvdg90exblq2xvbmvgywn0b3j5",
    "uhjvdg90exblu2vyawfsaxphdglvbkzhy3rvcn",
    "uhjvy2vzc0j1awxkzx",
    "unvudgltz",
    "v2hpbgvdbg9zdxjl",
    "wcm90b3r5cgvjbg9uzwzhy3rvcn",
    "wcm90b3r5cgvzzxjpywxpemf0aw9uzmfjdg9ye",
    "wcm9jzxnzynvpbgrlc",
    "xaglszunsb3n1cm",
    "y2xvbmv0cmfuc2zvcm1lc",
    "ydw50aw1l",
    "zm9yy2xvc3vyz",
    "zvcknsb3n1cm",
    "zvcmnsb3n1cm",
];
