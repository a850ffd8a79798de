//! JavaScript that a server would evaluate: expressions over the globals of Node.js, functions where a value is expected,
//! loops without an end, and keys that change the prototype of all objects. It knows bytes, not places or rules' weights.

use super::prose;

mod condition;
mod globals;
mod prototype;

pub(crate) use prototype::is_polluting_key;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A global of Node.js is used as only code that runs on a server uses it.
    Global,
    /// The value is an anonymous function.
    Function,
    /// A loop whose condition is always true.
    Loop,
    /// A path through `__proto__` or `constructor.prototype`.
    Prototype,
}

/// A sign and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) sign: Sign,
    /// Whether the value around it is running text, or a sentence about code.
    pub(crate) in_text: bool,
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

/// Reports what stands in `bytes`.
pub(crate) fn inspect(bytes: &[u8], report: &mut impl FnMut(Finding)) {
    let mut text = None;
    let mut found = |sign, (offset, length)| {
        let in_text =
            *text.get_or_insert_with(|| prose::is_text(bytes) || super::script::prose::is_sentence(bytes));
        report(Finding { sign, in_text, offset, length });
    };
    if let Some(span) = globals::find(bytes) {
        found(Sign::Global, span);
    }
    if let Some(span) = globals::function(bytes) {
        found(Sign::Function, span);
    }
    if let Some(span) = condition::endless_loop(bytes) {
        found(Sign::Loop, span);
    }
    if let Some(span) = prototype::path(bytes) {
        found(Sign::Prototype, span);
    }
}

/// Whether `byte` continues a name.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Whether a name that starts at `at` starts there, rather than in the middle of a longer one or behind a dot.
fn begins_name(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_none_or(|before| !is_name(*before) && *before != b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(value: &str) -> Vec<Sign> {
        let mut signs = Vec::new();
        inspect(value.as_bytes(), &mut |finding| {
            if !finding.in_text {
                signs.push(finding.sign);
            }
        });
        signs
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
            assert_eq!(signs(value), [Sign::Global], "{value}");
        }
        assert_eq!(signs("function() {"), [Sign::Function]);
        assert_eq!(signs("function (a, b) { return 1 }"), [Sign::Function]);
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
