//! Rules about Python code and pickled objects in a value, and the detector that reports them. Templates with Python in them
//! belong to the template rules.

use waf_languages::language::Context;
use waf_languages::python::{self, Python, PythonSign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[
        &IMPORT,
        &PROGRAM,
        &WALK,
        &EVALUATION,
        &CODE_IN_TEXT,
        &OPCODES,
        &FRAMES,
        &PICKLED_JSON,
        &PICKLED_TYPE,
    ]],
    detectors: &[&DETECTOR],
};

/// Reads Python, and the members by which a library keeps objects in JSON.
static DETECTOR: Detector = Detector {
    name: "python",
    triggers: &[<Python as waf_languages::language::Language>::TRIGGERS, ROOTS],
    prefilter: None,
    places: Places::REQUEST,
    run,
};

/// Beginnings of names that such a member must not hold.
const ROOTS: &[&str] = &[
    "os.",
    "posix.",
    "nt.",
    "subprocess.",
    "builtins.",
    "__builtin__.",
    "sys.",
    "socket.",
    "pty.",
    "shutil.",
];

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    if names_python_type(subject) {
        evidence.found(&PICKLED_TYPE, 0, subject.bytes.len());
    }
    evidence.scan::<Python, _>(subject, |finding| {
        Some(match (finding.sign, finding.context == Context::Prose) {
            (_, true) => &CODE_IN_TEXT,
            (PythonSign::Import, false) => &IMPORT,
            (PythonSign::Program, false) => &PROGRAM,
            (PythonSign::Walk, false) => &WALK,
            (PythonSign::Evaluation, false) => &EVALUATION,
        })
    });
}

/// `"py/type": "os.system"`
fn names_python_type(subject: &Subject<'_>) -> bool {
    let member = [&b"py/type"[..], b"py/object", b"py/class", b"py/mod"]
        .iter()
        .any(|member| subject.name.ends_with(member) || memchr::memmem::find(subject.name, member).is_some());
    let root = subject.bytes.split(|byte| *byte == b'.').next().unwrap_or_default();
    subject.place == Place::Json && member && (python::is_module(root) || root == b"__builtin__")
}

static IMPORT: Rule = Rule {
    id: "python-injection-code/import",
    leaf: Leaf::PythonInjectionCode,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Python code imports a module that starts processes, opens sockets or runs code, and uses it.",
    attacks: &[
        "__import__('subprocess').check_output(['id'])",
        "import os;os.system('id')",
        "from os import popen; popen('id').read()",
        "getattr(__import__(\"os\"), 'system')('id')",
    ],
    benign: &[
        "import os; print(os.path.join('a', 'b'))",
        "from datetime import datetime",
        "import React from 'react'",
        "How does __import__('os') differ from an import of os, and which one should I use?",
    ],
};

static PROGRAM: Rule = Rule {
    id: "python-injection-code/program",
    leaf: Leaf::PythonInjectionCode,
    weight: 3,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A Python program of several lines imports such a module and uses it, as notebooks and build servers keep them.",
    attacks: &[
        "import os\nos.system('id')",
        "import sys, subprocess\nprint(subprocess.getoutput('id'))",
        "import os as o, pty\npty.spawn('sh')",
    ],
    benign: &["import os\nprint(os.path.join('a', 'b'))", "import numpy\nnumpy.array(1)", "import os\n"],
};

static WALK: Rule = Rule {
    id: "python-injection-code/walk",
    leaf: Leaf::PythonInjectionCode,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A Python expression walks from an object to all classes or to the interpreter's own names.",
    attacks: &[
        "().__class__.__bases__[0].__subclasses__()",
        "[c for c in ''.__class__.__mro__[1].__subclasses__()]",
        "f.__init__.__globals__['os']",
    ],
    benign: &[
        "return x.__class__.__name__",
        "super().__init__(name)",
        "print(Foo.__mro__)",
        "class Foo: pass; Foo.__subclasses__()",
    ],
};

static EVALUATION: Rule = Rule {
    id: "python-injection-code/evaluation",
    leaf: Leaf::PythonInjectionCode,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "Python code runs text that it decodes or compiles.",
    attacks: &[
        "exec(base64.b64decode('cHJpbnQoMSk='))",
        "eval(compile('a=1','','exec'))",
        "exec( zlib.decompress(b) )",
    ],
    benign: &["evaluate(base64)", "base64.b64decode(x)", "executes (compiled) code", "compile(source)"],
};

static CODE_IN_TEXT: Rule = Rule {
    id: "python-injection-code/code-in-text",
    leaf: Leaf::PythonInjectionCode,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text quotes Python code that reaches beyond a value.",
    attacks: &[
        "How does __import__('os') differ from an import of os, and which one should I use?",
        "our lint rule forbids exec(base64.b64decode(x)) in all of the code",
        "in the report they say that ().__class__.__bases__[0].__subclasses__() was sent",
    ],
    benign: &[
        "we import goods from the whole world",
        "the classes and subclasses of this",
        "please execute (and compile) it",
    ],
};

static OPCODES: Rule = Rule {
    id: "python-injection-serialized-objects/opcodes",
    leaf: Leaf::PythonInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: concat!(
            // GLOBAL and INST: module and name on a line each.
            r"(?-i)[ci](?:os|posix|nt|subprocess|commands|__builtin__|builtins|pty|sys|socket|runpy|timeit|platform|shutil|webbrowser|importlib|pickle|operator|types)\r?\n",
            r"(?:system|popen\w*|Popen|exec\w*|eval|compile|spawn\w*|call|check_\w+|run\w*|get\w*output|getattr|setattr|apply|__import__|import_module|open|startfile|remove|unlink|rmtree|listdir|loads|attrgetter|methodcaller|CodeType|FunctionType|timeit|socket)\r?\n",
            // STACK_GLOBAL behind two short strings, which begin with their lengths.
            r"|\x8c(?:\x06system|\x05popen|\x05Popen|\x04eval|\x04exec|\x04call|\x03run|\x0ccheck_output|\x0acheck_call|\x09getoutput|\x07getattr|\x0a__import__)(?:\xc2?\x94)?\xc2?\x93",
        ),
        literals: &[
            "system\n",
            "open",
            "exec",
            "eval\n",
            "compile\n",
            "spawn",
            "call\n",
            "check_",
            "\nrun",
            "output\n",
            "attr",
            "apply\n",
            "__import__\n",
            "module\n",
            "startfile\n",
            "remove\n",
            "unlink\n",
            "rmtree\n",
            "listdir\n",
            "loads\n",
            "caller\n",
            "type\n",
            "timeit\n",
            "socket\n",
            "system\r\n",
            "\u{6}system",
            "\u{5}popen",
            "\u{4}eval",
            "\u{4}exec",
            "\u{4}call",
            "\u{3}run",
            "\u{c}check",
            "\u{a}check",
            "\u{9}getoutput",
            "\u{7}getattr",
            "\u{a}__import__",
        ],
    },
    summary: "Opcodes of a pickled Python object that look up a function which runs code or opens files.",
    attacks: &[
        "cos\nsystem\n(S'id'\ntR.",
        "cposix\nsystem\np0\n(Vid\np1\ntp2\nRp3\n.",
        "c__builtin__\neval\n(S'1'\ntR.",
        "(S'id'\nios\nsystem\n.",
        "\u{8c}\u{5}posix\u{94}\u{8c}\u{6}system\u{94}\u{93}\u{94}",
        "csubprocess\ncheck_output\n((lp0\nS'id'\na",
    ],
    benign: &["cos\nsin\ntan", "cnt\nsum\n", "macos\nlinux\n", "system\nos\n"],
};

static FRAMES: Rule = Rule {
    id: "python-injection-serialized-objects/base64",
    leaf: Leaf::PythonInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    // The protocols 4 and 5 begin with the length of a frame; the older ones with a function at once.
    matcher: RuleMatcher::Pattern {
        regex: r"(?-i)(?:^|[^A-Za-z0-9+/_-])(?:gA[SW]V[A-Za-z0-9+/_-]{3}AAAAAA[A-D][A-Za-z0-9+/_-]{4}|gA[JN]j[A-Za-z0-9+/_-]{12})",
        literals: &["gasv", "gawv", "gajj", "ganj"],
    },
    summary: "A pickled Python object in base64.",
    attacks: &[
        "gASVIgAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOU",
        "gANjb3MKc3lzdGVtCnEAWAIAAABpZHEB",
        "{\"s\":\"gAJjcG9zaXgKc3lzdGVtCnEAVQJpZA==\"}",
    ],
    benign: &["gAAAAABh", "gASVsomething", "gANTT", "xgANjb3MKc3lzdGVtCnEAWAIAAABpZHEB"],
};

static PICKLED_JSON: Rule = Rule {
    id: "python-injection-serialized-objects/json",
    leaf: Leaf::PythonInjectionSerializedObjects,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r"\bpy/(?:reduce|repr|function|newargs|newargsex|initargs|bytes_reduce)\b",
        literals: &["py/re", "py/function", "py/newargs", "py/initargs", "py/bytes"],
    },
    summary: "A member by which JSON for Python objects calls a function when it is read.",
    attacks: &["{\"py/reduce\":[{\"py/type\":\"os.system\"}]}", "py/repr", "a.py/function"],
    benign: &["{\"py/object\":\"shop.Cart\"}", "py/requirements.txt", "happy/replies", "copy/reduced"],
};

static PICKLED_TYPE: Rule = Rule {
    id: "python-injection-serialized-objects/json-type",
    leaf: Leaf::PythonInjectionSerializedObjects,
    weight: STRONG,
    places: Places::of(&[Place::Json]),
    matcher: RuleMatcher::DetectedInField { place: Place::Json, name: "a.py/type" },
    summary: "JSON for Python objects names a function or class of a module that runs code.",
    attacks: &["os.system", "subprocess.Popen", "builtins.eval"],
    benign: &["shop.Cart", "decimal.Decimal", "collections.OrderedDict"],
};
