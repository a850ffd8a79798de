//! The rules about Lua code in a value, and the detector that reports them.

use waf_languages::language::Context;
use waf_languages::lua::{Lua, LuaSign};
use waf_shared::catalog::Leaf;

use crate::evidence::{Evidence, Subject};
use crate::field::Places;
use crate::rule::{Bucket, Detector, Rule, RuleMatcher, STRONG};

/// The rules, and the detector that reports them.
pub(crate) static BUCKET: Bucket = Bucket { rules: &[&[&CALL, &CALL_IN_TEXT]], detectors: &[&DETECTOR] };

/// Reads calls of Lua.
static DETECTOR: Detector = Detector::of::<Lua>(Places::REQUEST, run);

fn run(subject: &Subject<'_>, evidence: &mut Evidence<'_>) {
    evidence.scan::<Lua, _>(subject, |finding| {
        let LuaSign::Call = finding.sign;
        Some(if finding.context == Context::Prose { &CALL_IN_TEXT } else { &CALL })
    });
}

static CALL: Rule = Rule {
    id: "lua-injection/call",
    leaf: Leaf::LuaInjection,
    weight: STRONG,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A call of Lua that starts a process or loads code.",
    attacks: &[
        "os.execute(\"id\")",
        "local f = io.popen(ngx.var.arg_c, 'r')",
        "x = package.loadlib('/usr/lib/a.so', 'luaopen_io')",
        "return loadstring('x = 1')()",
        "os.execute [[id]]",
    ],
    benign: &["os.time()", "io.read()", "os.execute", "local d = os.date('%Y')", "dofile(name)"],
};

static CALL_IN_TEXT: Rule = Rule {
    id: "lua-injection/call-in-text",
    leaf: Leaf::LuaInjection,
    weight: 1,
    places: Places::REQUEST,
    matcher: RuleMatcher::Detected,
    summary: "A text quotes a call of Lua that starts a process or loads code.",
    attacks: &[
        "How do I read the output of os.execute('ls') in my script?",
        "the manual says that io.popen('date') is not there on every platform",
        "please do not write package.loadlib(path, name) in our plugins",
    ],
    benign: &["the popen of it", "execute the plan on time", "we package the load and lift it"],
};
