//! Rules about JavaScript that a server would evaluate, and the detector that reports them. What the bytes hold, `lang` says;
//! here it is weighed by where they stand.

use waf_languages::language::{Context, Finding};
use waf_languages::node::{self, Node, NodeSign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::{Place, Places};
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket {
    rules: &[&[
        &GLOBAL,
        &GLOBAL_IN_TEXT,
        &FUNCTION,
        &FUNCTION_IN_FIELD,
        &SERIALIZED_FUNCTION,
        &LOOP,
        &POLLUTION,
        &POLLUTION_IN_TEXT,
        &REFERENCE,
    ]],
    detectors: &[&DETECTOR],
};

/// Reads server-side JavaScript and keys.
static DETECTOR: Detector = Detector::of::<Node>(Places::REQUEST, run);

/// A function in a form or a document may be what the application stores (charts are configured so); in a form, one as
/// short as this is a test of the evaluator.
const SHORT_BYTES: usize = 48;

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    if is_polluting_name(subject) {
        evidence.found(&POLLUTION, 0, subject.bytes.len());
    }
    evidence.scan::<Node, _>(subject, |finding| rule(subject, finding));
}

fn rule(subject: &Subject<'_>, finding: &Finding<NodeSign>) -> Option<&'static Rule> {
    Some(match (finding.sign, finding.context == Context::Prose) {
        (NodeSign::Global, false) => &GLOBAL,
        (NodeSign::Global, true) => &GLOBAL_IN_TEXT,
        (NodeSign::Function, false) if is_stored(subject) => &FUNCTION_IN_FIELD,
        (NodeSign::Function, false) => &FUNCTION,
        (NodeSign::Loop, false) => &LOOP,
        (NodeSign::Prototype, false) => &POLLUTION,
        (NodeSign::Prototype, true) => &POLLUTION_IN_TEXT,
        (NodeSign::Function | NodeSign::Loop, true) => return None,
    })
}

fn is_stored(subject: &Subject<'_>) -> bool {
    let long = subject.bytes.len() > SHORT_BYTES;
    subject.place == Place::Json || long && matches!(subject.place, Place::Form | Place::Xml | Place::Body)
}

/// Names of arguments and keys of documents, which programs copy into objects.
fn is_polluting_name(subject: &Subject<'_>) -> bool {
    match subject.place {
        Place::JsonKey => {
            let nested = subject.bytes == b"prototype" && subject.name.ends_with(b"constructor");
            nested || node::is_polluting_key(subject.bytes)
        }
        Place::QueryName | Place::FormName | Place::CookieName => node::is_polluting_key(subject.bytes),
        _ => false,
    }
}

static GLOBAL: Rule = Rule {
    id: "javascript-injection-eval/node-global",
    leaf: Leaf::JavascriptInjectionEval,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "An expression over the globals of Node.js that loads modules, starts processes or reads the environment.",
    attacks: &[
        "require('child_process').execSync('id').toString()",
        "global.process.mainModule.constructor._load('fs')",
        "process.env",
        "process.kill(process.pid)",
        "console[\"log\"](1)",
        "this.constructor.constructor('return process')()",
    ],
    benign: &[
        "process.env.NODE_ENV",
        "const shop = require('./shop');",
        "console.log(`Hello ${user.name}`) prints undefined, why?",
        "The process.exit() method is explained in the manual.",
        "obj.constructor.name",
        "In the process. Require (more) of it",
    ],
};

static GLOBAL_IN_TEXT: Rule = Rule {
    id: "javascript-injection-eval/node-global-in-text",
    leaf: Leaf::JavascriptInjectionEval,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text quotes an expression over the globals of Node.js.",
    attacks: &[
        "You can stop the server with process.exit(1) at any time",
        "we used require('child_process').exec in our build",
        "see how global.process.mainModule is reached from here",
    ],
    benign: &["the process is long", "we require (more or less) this", "a global player of the market"],
};

static FUNCTION: Rule = Rule {
    id: "javascript-injection-eval/function",
    leaf: Leaf::JavascriptInjectionEval,
    weight: STRONG,
    places: Places::of(&[
        Place::Query,
        Place::QueryName,
        Place::PathSegment,
        Place::Form,
        Place::FormName,
        Place::Xml,
        Place::Body,
        Place::Header,
        Place::Cookie,
        Place::CookieName,
    ]),
    matcher: RuleMatcher::Detected,
    summary: "A value is an anonymous JavaScript function, which only an evaluator has a use for.",
    attacks: &["function() {", "function(a, b) { return 1; }", "function () { sleep(5000) }"],
    benign: &["function", "function name() {", "The function () { } syntax", "functional (good)"],
};

static FUNCTION_IN_FIELD: Rule = Rule {
    id: "javascript-injection-eval/function-in-field",
    leaf: Leaf::JavascriptInjectionEval,
    weight: 1,
    places: Places::of(&[Place::Form, Place::Json, Place::Xml, Place::Body]),
    matcher: RuleMatcher::Detected,
    summary: "An anonymous JavaScript function in a form or a document, where applications may store code.",
    attacks: &[
        "function(params) { return params.value + ' ' + params.seriesName; }",
        "function () {\n  var a = 1;\n  var b = 2;\n  return a + b + a + b;\n}",
        "function(a, b, c, d, e, f) { return [a, b, c, d, e, f].sort(); }",
    ],
    benign: &["function", "function render(a) {", "a function (of time) {t}"],
};

static SERIALIZED_FUNCTION: Rule = Rule {
    id: "javascript-injection-eval/serialized-function",
    leaf: Leaf::JavascriptInjectionEval,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern { regex: r"_\$\$nd_func\$\$_", literals: &["_$$nd_func$$_"] },
    summary: "The mark before a function in an object that node-serialize reads, and runs.",
    attacks: &[
        "{\"rce\":\"_$$ND_FUNC$$_function(){require('child_process')}()\"}",
        "_$$ND_FUNC$$_",
        "a=_$$ND_FUNC$$_function (){}()",
    ],
    benign: &["ND_FUNC", "$$_", "_nd_func_"],
};

static LOOP: Rule = Rule {
    id: "javascript-infinite-loops/constant-condition",
    leaf: Leaf::JavascriptInfiniteLoops,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A loop whose condition is a constant that is true.",
    attacks: &["while(true);", "while(!0){}", "for(;;){}", "do{}while(1)", "while(!![])"],
    benign: &[
        "while(!true);",
        "for (let i = 0; i < 3; i++) {}",
        "why does while(true) never end in my program?",
        "while (x) { x-- }",
        "We stayed for (;-) hours",
    ],
};

static POLLUTION: Rule = Rule {
    id: "javascript-prototype-pollution/path",
    leaf: Leaf::JavascriptPrototypePollution,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A key or a path leads to the prototype of all objects.",
    attacks: &[
        "__proto__[admin]=1",
        "a[constructor][prototype][admin]=1",
        "{\"__proto__\":{\"admin\":true}}",
        "constructor.prototype.admin",
        "https://shop.example/#__proto__[x]=1",
    ],
    benign: &[
        "What is __proto__ good for?",
        "foo.__proto__.bar = 1 does not work",
        "Car.prototype.drive = function",
        "the constructor.prototype property",
    ],
};

static POLLUTION_IN_TEXT: Rule = Rule {
    id: "javascript-prototype-pollution/path-in-text",
    leaf: Leaf::JavascriptPrototypePollution,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text quotes a key that leads to the prototype of all objects.",
    attacks: &[
        "our scanner sends {\"__proto__\": {}} to every endpoint",
        "the library must not accept \"__proto__\": as a key",
        "then it sends ?__proto__[x]=1 to the same page again",
    ],
    benign: &["the prototype of this car was fast", "a constructor of racing cars", "proto and co"],
};

static REFERENCE: Rule = Rule {
    id: "javascript-prototype-pollution/reference",
    leaf: Leaf::JavascriptPrototypePollution,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Pattern {
        regex: r#"(?:^|["'])\s*\$[a-z@]?[0-9a-f]{1,8}(?::[\w$-]{1,64}){0,16}:(?:constructor|__proto__|prototype|__defineGetter__|__lookupGetter__)(?:$|[:"'\s\\])"#,
        literals: &["constructor", "proto", "getter__"],
    },
    summary: "A reference of a server function's arguments leads to the constructor or the prototype of an object.",
    attacks: &[
        "$3:constructor:constructor",
        "[\"$1:a:constructor\"]",
        "{\"then\":\"$1:__proto__:then\"}",
        "\"$2:toString:constructor\"",
    ],
    benign: &["$1:amount", "$3.50: constructor", "[\"$1\",\"$2\"]", "$12:30", "{\"a\":\"$undefined\"}"],
};
