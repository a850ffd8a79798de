//! Python code that reaches beyond a value: imports of modules that start processes, walks from an object to the
//! interpreter, and their calls. It knows bytes, not places or rules' weights.

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

/// Occurrences that are looked at.
const OCCURRENCES_MAX: usize = 32;

/// Modules that start processes, open sockets or run code.
const MODULES: &[&str] = &[
    "builtins",
    "codecs",
    "commands",
    "ctypes",
    "importlib",
    "multiprocessing",
    "nt",
    "os",
    "pickle",
    "platform",
    "posix",
    "pty",
    "runpy",
    "shutil",
    "socket",
    "subprocess",
    "sys",
    "urllib",
    "webbrowser",
];
/// Functions of these modules that start something.
const CALLS: &[&str] = &[
    "call",
    "check_call",
    "check_output",
    "execl",
    "execv",
    "execve",
    "execvp",
    "fork",
    "getoutput",
    "getstatusoutput",
    "popen",
    "run",
    "run_module",
    "socket",
    "spawn",
    "spawnl",
    "spawnv",
    "startfile",
    "system",
];
/// Attributes that lead from any object to all classes; two of them in one expression are a walk.
const ATTRIBUTES: &[&[u8]] = &[
    b".__class__",
    b".__bases__",
    b".__base__",
    b".__mro__",
    b".__subclasses__",
    b".__globals__",
    b".__builtins__",
    b"['__builtins__']",
    b"[\"__builtins__\"]",
    b".__init__.",
    b".__getattribute__(",
    b".f_globals",
    b".gi_frame",
];
/// Functions that evaluate what others decode or compile.
const DECODERS: &[&str] =
    &["base64.", "codecs.", "compile(", "bytes.fromhex", "__import__", "zlib.", "marshal."];

/// A thing that Python code does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PythonSign {
    /// It imports a module and uses it in one line.
    Import,
    /// A program of several lines does so, as notebooks and build servers keep them.
    Program,
    /// It walks from an object to the interpreter.
    Walk,
    /// It runs text that it decodes or compiles.
    Evaluation,
}

/// Python code.
#[derive(Debug)]
pub struct Python;

impl Language for Python {
    type Sign = PythonSign;
    const NAME: &'static str = "python";
    const TRIGGERS: &'static [&'static str] = &[
        "__import__",
        "import ",
        "__subclasses__",
        "__globals__",
        "__builtins__",
        "gi_frame",
        "exec(",
        "eval(",
        "getattr(",
    ];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, PythonSign>) {
        let bytes = input.bytes;
        let mut found = |sign, (offset, length)| {
            // Statements on lines of their own are words side by side too.
            let lines = memchr::memchr2(b';', b'\n', bytes).is_some();
            let text = prose::is_text(bytes) || !lines && prose::is_sentence(bytes);
            findings.add(sign, Context::of_text(text), offset, length);
        };
        if let Some(span) = called_import(bytes).or_else(|| looked_up(bytes)) {
            found(PythonSign::Import, span);
        } else if let Some((sign, span)) = imported(bytes) {
            found(sign, span);
        }
        if let Some(span) = walk(bytes) {
            found(PythonSign::Walk, span);
        }
        if let Some(span) = evaluated(bytes) {
            found(PythonSign::Evaluation, span);
        }
    }
}

/// `__import__('os')`
fn called_import(bytes: &[u8]) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(bytes, b"__import__").take(OCCURRENCES_MAX).find_map(|at| {
        let rest = bytes.get(at + 10..)?.trim_ascii_start().strip_prefix(b"(")?.trim_ascii_start();
        let rest = rest.strip_prefix(b"\\").unwrap_or(rest);
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'"))?;
        (is_module(name(rest)) || matches!(name(rest), b"base64" | b"hashlib")).then_some((at, 10))
    })
}

/// `getattr(os, 'system')`
fn looked_up(bytes: &[u8]) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(bytes, b"getattr(").take(OCCURRENCES_MAX).find_map(|at| {
        let inside = bytes.get(at + 8..)?.trim_ascii_start();
        let module = name(inside);
        let rest = inside.get(module.len()..)?.trim_ascii_start().strip_prefix(b",")?.trim_ascii_start();
        let member = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'"))?;
        (is_module(module) && is_one(name(member), CALLS)).then_some((at, 8))
    })
}

/// `import os` or `from os import system`, and behind it a call of what was imported.
fn imported(bytes: &[u8]) -> Option<(PythonSign, (usize, usize))> {
    memchr::memmem::find_iter(bytes, b"import ").take(OCCURRENCES_MAX).find_map(|at| {
        let before = bytes.get(..at).unwrap_or_default();
        if before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            return None;
        }
        let rest = bytes.get(at + 7..)?;
        let from = before.trim_ascii_end().rsplit(|byte| matches!(byte, b' ' | b'\n' | b';' | b'\t')).next();
        let line = rest.split(|byte| matches!(byte, b';' | b'\n')).next().unwrap_or_default();
        let after = rest.get(line.len()..).unwrap_or_default();
        let mut names = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        let uses = if from.is_some_and(is_module) {
            names.any(|word| is_one(name(word), CALLS) && calls(after, name(word)))
        } else {
            names.any(|word| is_module(name(word)) && is_used(after, name(word)))
        };
        let sign = if after.starts_with(b"\n") { PythonSign::Program } else { PythonSign::Import };
        uses.then_some((sign, (at, 7 + line.len())))
    })
}

/// Returns `true` if one of [`CALLS`] of `module` is used in `code`.
fn is_used(code: &[u8], module: &[u8]) -> bool {
    memchr::memmem::find_iter(code, module).take(OCCURRENCES_MAX).any(|at| {
        let member = code.get(at + module.len()..).and_then(|rest| rest.strip_prefix(b"."));
        // `asyncio.subprocess.run`
        let path = member.map(|member| {
            let length =
                member.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
            member.get(..length.count()).unwrap_or_default()
        });
        path.is_some_and(|path| path.split(|byte| *byte == b'.').any(|member| is_one(member, CALLS)))
    })
}

fn calls(code: &[u8], function: &[u8]) -> bool {
    memchr::memmem::find_iter(code, function).take(OCCURRENCES_MAX).any(|at| {
        code.get(at + function.len()..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b"("))
    })
}

/// Two attributes of the interpreter in one expression, or the list of all classes.
fn walk(bytes: &[u8]) -> Option<(usize, usize)> {
    let starts = ATTRIBUTES.iter().filter_map(|attribute| memchr::memmem::find(bytes, attribute));
    let (count, first) = starts.fold((0, usize::MAX), |(count, first), at| (count + 1, first.min(at)));
    let reaches =
        [&b".__subclasses__("[..], b".__globals__[", b".__builtins__[", b".__bases__[", b".gi_frame."]
            .iter()
            .any(|end| memchr::memmem::find(bytes, end).is_some());
    (count >= 2 && reaches).then_some((first, 10))
}

/// `exec(base64.b64decode(…))`, `eval(compile(…))`
fn evaluated(bytes: &[u8]) -> Option<(usize, usize)> {
    [&b"exec("[..], b"eval("].iter().find_map(|call| {
        memchr::memmem::find_iter(bytes, call).take(OCCURRENCES_MAX).find_map(|at| {
            let inside = bytes.get(at + call.len()..)?.trim_ascii_start();
            let decodes = DECODERS.iter().any(|decoder| inside.starts_with(decoder.as_bytes()));
            // The usual way of running another file.
            let file = inside.starts_with(b"compile(open(");
            (decodes && !file).then_some((at, call.len()))
        })
    })
}

fn name(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    bytes.get(..length).unwrap_or_default()
}

/// Returns `true` if `word` is a module that reaches beyond a value.
pub fn is_module(word: &[u8]) -> bool {
    is_one(word, MODULES)
}

fn is_one(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| known.as_bytes() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(value: &str) -> Vec<PythonSign> {
        crate::language::findings::<Python>(&Input::value(value.as_bytes()))
            .iter()
            .filter(|finding| finding.context != Context::Prose)
            .map(|finding| finding.sign)
            .collect()
    }

    #[test]
    fn code_that_reaches_beyond_a_value_is_found() {
        for value in [
            "__import__('subprocess').check_output(['id'])",
            "x = getattr(__import__ ( \"os\" ),'popen')",
            "import os;os.system('id')",
            "import sys, subprocess; print(subprocess.getoutput('id'))",
            "from os import system; system('id')",
            "getattr(os, 'system')('id')",
            "lambda: __import__('pty').spawn('sh')",
        ] {
            assert_eq!(signs(value), [PythonSign::Import], "{value}");
        }
        let program = "import sys, subprocess\nprint(subprocess.getoutput('id'))";
        assert_eq!(signs(program), [PythonSign::Program]);
        assert_eq!(signs("().__class__.__bases__[0].__subclasses__()"), [PythonSign::Walk]);
        assert_eq!(signs("exec(base64.b64decode('cHJpbnQ='))"), [PythonSign::Evaluation]);
    }

    #[test]
    fn honest_code_and_text_are_not() {
        for value in [
            "import os; print(os.path.join('a', 'b'))",
            "import os; print(os.listdir('.'))",
            "exec(compile(open(f).read(), f, 'exec'))",
            "import os",
            "from datetime import datetime",
            "import React from 'react'",
            "return x.__class__.__name__",
            "How does __import__('os') differ from an import of os, and which one should I use?",
            "eval(expr)",
        ] {
            assert_eq!(signs(value), [], "{value}");
        }
    }
}
