//! JavaScript that a server would evaluate: expressions over the globals of Node.js, functions where a value is expected,
//! loops without an end, and keys that change the prototype of all objects. It knows bytes, not places or rules' weights.

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

mod condition;
mod globals;
mod name;
mod prototype;

pub use prototype::is_polluting_key;

/// A thing that server-side JavaScript shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeSign {
    /// A global of Node.js is used as only code that runs on a server uses it.
    Global,
    /// The value is an anonymous function.
    Function,
    /// A loop whose condition is always true.
    Loop,
    /// A path through `__proto__` or `constructor.prototype`.
    Prototype,
}

/// JavaScript that a server evaluates.
#[derive(Debug)]
pub struct Node;

impl Language for Node {
    type Sign = NodeSign;
    const NAME: &'static str = "node";
    const TRIGGERS: &'static [&'static str] = &[
        "process.",
        "process[",
        "process?.",
        "require(",
        "require[",
        "require.",
        "=require",
        "global.",
        "globalthis",
        "global[",
        "console.",
        "console[",
        "import(",
        "root.process",
        "child_process",
        "module.",
        "constructor",
        "prototype",
        "__proto__",
        "function(",
        "function (",
        "while(",
        "while (",
        "while\t",
        "while\n",
        "while  ",
        "for(",
        "for (",
        "for  ",
    ];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, NodeSign>) {
        let bytes = input.bytes;
        let mut text = None;
        let mut found = |sign, (offset, length)| {
            let is_text = *text.get_or_insert_with(|| prose::is_text(bytes) || prose::is_sentence(bytes));
            findings.add(sign, Context::of_text(is_text), offset, length);
        };
        if let Some(span) = globals::find(bytes) {
            found(NodeSign::Global, span);
        }
        if let Some(span) = globals::function(bytes) {
            found(NodeSign::Function, span);
        }
        if let Some(span) = condition::endless_loop(bytes) {
            found(NodeSign::Loop, span);
        }
        if let Some(span) = prototype::path(bytes) {
            found(NodeSign::Prototype, span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(value: &str) -> Vec<NodeSign> {
        crate::language::findings::<Node>(&Input::value(value.as_bytes()))
            .iter()
            .filter(|finding| finding.context != Context::Prose)
            .map(|finding| finding.sign)
            .collect()
    }

    #[test]
    fn server_side_code_is_recognised() {
        for value in [
            "process.env",
            "process.mainModule.require('fs')",
            "process[req.query.a",
            "require[x]",
            "require('child_process').execSync('id').toString()",
            "#{require.main.constructor._load(foo).readdirSync(bar)}",
            "global.process.mainModule.constructor._load('child_process')",
            "console[\"info\"](1)",
            "console.info(1)",
            "res.end(require('fs').readdirSync('.').toString())",
            "a=require;x=\"child_process\";a(x).spawn('curl',['x']);",
            "this.constructor.constructor('return process')().exit()",
        ] {
            assert_eq!(signs(value), [NodeSign::Global], "{value}");
        }
        assert_eq!(signs("function() {"), [NodeSign::Function]);
        assert_eq!(signs("function (a, b) { return 1 }"), [NodeSign::Function]);
    }

    #[test]
    fn everyday_values_are_not() {
        for value in [
            "process.env.NODE_ENV",
            "${process.env.npm_package_version}",
            "the process. It is long",
            "console.log(`Hello ${user.name}`) prints undefined, why?",
            "const myPackage = require('hello-world-node-package');",
            "require('./images/a.png').default",
            "function name(a) { return a }",
            "while(x < 3) {}",
            "why does while(true) never end",
            "for (;;",
            "obj.constructor.name",
            "constructor",
        ] {
            assert_eq!(signs(value), [], "{value}");
        }
    }
}
