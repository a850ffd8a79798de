//! Expressions over the globals of Node.js. A name alone is a word of a text; what is done with it makes it code.

use super::name::{begins_name, is_name};

/// Modules of Node.js that reach processes, files or an interpreter.
const MODULES: &[&str] =
    &["child_process", "fs", "os", "vm", "net", "cluster", "worker_threads", "module", "process", "repl"];
/// Members of `process` that end it, load code, or tell what it knows.
const PROCESS: &[&str] = &[
    "abort",
    "binding",
    "chdir",
    "dlopen",
    "exit",
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "getuid",
    "kill",
    "mainModule",
    "_load",
    "spawn",
    "_linkedBinding",
    "reallyExit",
    "setuid",
    "setgid",
    "umask",
    "openStdin",
    "initgroups",
    "_debugProcess",
];
/// Names after which the value of a name is looked at.
const ROOTS: &[&[u8]] = &[
    b"process",
    b"require",
    b"global",
    b"console",
    b"constructor",
    b"module",
    b"import",
    b"root",
    b"child_process",
];
/// Bytes of a call that tests an evaluator.
const LONE_CALL_BYTES_MAX: usize = 64;
/// Occurrences of each root that are looked at.
const OCCURRENCES_MAX: usize = 32;

/// The first use of a global that only code on a server makes.
pub(super) fn find(bytes: &[u8]) -> Option<(usize, usize)> {
    ROOTS.iter().find_map(|root| {
        memchr::memmem::find_iter(bytes, root).take(OCCURRENCES_MAX).find_map(|at| {
            let tail = bytes.get(at + root.len()..)?;
            uses(bytes, at, root, tail).then_some((at, root.len()))
        })
    })
}

fn uses(bytes: &[u8], at: usize, root: &[u8], tail: &[u8]) -> bool {
    let first = begins_name(bytes, at);
    match root {
        b"process" => is_process(bytes, at, tail),
        b"require" if first => is_require(bytes, tail),
        b"global" => {
            let tail = tail.strip_prefix(b"This").unwrap_or(tail);
            first
                && (tail.starts_with(b".process.")
                    || tail.starts_with(b".require")
                    || tail.starts_with(b"['process']"))
        }
        b"console" => first && (is_index(tail) && opens_value(bytes, at) || is_lone_call(bytes, at, tail)),
        b"constructor" => {
            tail.starts_with(b"._load(")
                || tail.starts_with(b".constructor(")
                || tail.starts_with(b"['constructor'](")
        }
        b"module" => {
            first
                && (tail.starts_with(b".constructor.")
                    || tail.starts_with(b".require(")
                    || tail.starts_with(b"._load"))
        }
        b"root" => first && tail.starts_with(b".process"),
        b"child_process" => is_loaded(bytes, at, tail),
        b"import" => first && tail.starts_with(b"(") && argument(tail).is_some_and(is_module),
        _ => false,
    }
}

fn is_process(bytes: &[u8], at: usize, tail: &[u8]) -> bool {
    let first = begins_name(bytes, at);
    let alone = opens_value(bytes, at);
    match tail {
        [b'[', ..] => first && alone,
        [b'.', member @ ..] | [b'?', b'.', member @ ..] => {
            let length = member.iter().take_while(|byte| is_name(**byte)).count();
            let (name, after) = member.split_at(length);
            let known = PROCESS.iter().any(|known| known.as_bytes() == name);
            // The whole environment is asked for; one variable of it is how programs are configured.
            let environment = name == b"env"
                && alone
                && matches!(after.first(), None | Some(b'\r' | b'\n' | b'}' | b')' | b';'));
            first
                && (environment
                    || known
                        && (after.starts_with(b"(") || after.starts_with(b".") || after.starts_with(b"[")))
        }
        _ => false,
    }
}

fn is_require(bytes: &[u8], tail: &[u8]) -> bool {
    match tail {
        [b'[', ..] => true,
        [b'(', ..] => {
            let Some(argument) = argument(tail) else { return false };
            let after = tail.get(argument.len() + 2..).unwrap_or_default();
            let used = after.starts_with(b".") || after.starts_with(b")") && after.get(1) == Some(&b'.');
            let member =
                after.iter().skip_while(|byte| **byte != b'.').skip(1).skip_while(|byte| is_name(**byte));
            let process = memchr::memmem::find(argument, b"child_process").is_some();
            used && is_module(argument) && (process || member.copied().next() == Some(b'('))
        }
        [b'.', ..] => [&b".main."[..], b".resolve(", b".cache[", b".extensions[", b".main["]
            .iter()
            .any(|use_| tail.starts_with(use_)),
        [b';' | b',', ..] => memchr::memmem::find(bytes, b"child_process").is_some(),
        _ => false,
    }
}

/// `x('child_process')`: loaded by a function that goes by another name than programs use.
fn is_loaded(bytes: &[u8], at: usize, tail: &[u8]) -> bool {
    let Some([head @ .., b'(', b'"' | b'\'' | b'`']) = bytes.get(..at) else { return false };
    let quoted = matches!(tail, [b'"' | b'\'' | b'`', b')', ..]);
    quoted
        && head.last().is_some_and(|byte| is_name(*byte) || *byte == b']')
        && !head.ends_with(b"require")
        && !head.ends_with(b"import")
        && !head.ends_with(b"mock")
}

/// What stands between the parentheses that `tail` begins with.
fn argument(tail: &[u8]) -> Option<&[u8]> {
    let inside = tail.get(1..)?;
    let inside = inside.get(..64).unwrap_or(inside);
    inside.get(..memchr::memchr(b')', inside)?)
}

/// Whether an argument names a module of [`MODULES`].
fn is_module(argument: &[u8]) -> bool {
    let name = argument.trim_ascii();
    let ([b'"' | b'\'' | b'`', name @ .., b'"' | b'\'' | b'`'] | name) = name;
    let name = name.strip_prefix(b"node:").unwrap_or(name);
    MODULES.iter().any(|module| module.as_bytes() == name)
}

fn is_index(tail: &[u8]) -> bool {
    matches!(tail, [b'[', b'"' | b'\'' | b'`', ..])
}

/// `console.log(…)` and nothing else: a line of a program has company, a test of an evaluator has not.
fn is_lone_call(bytes: &[u8], at: usize, tail: &[u8]) -> bool {
    if bytes.len() > LONE_CALL_BYTES_MAX || bytes.trim_ascii().contains(&b'\n') {
        return false;
    }
    let length = tail.iter().skip(1).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let value = bytes.trim_ascii_end();
    let value = value.strip_suffix(b";").unwrap_or(value);
    tail.first() == Some(&b'.')
        && length > 0
        && tail.get(length + 1) == Some(&b'(')
        && value.ends_with(b")")
        && bytes.get(..at).is_some_and(|head| head.trim_ascii().is_empty())
}

/// Whether nothing but marks stands before `at`: the value begins here, or breaks out of what surrounds it.
fn opens_value(bytes: &[u8], at: usize) -> bool {
    bytes.get(..at).is_some_and(|head| {
        head.len() < 32
            && head
                .iter()
                .all(|byte| byte.is_ascii_punctuation() && *byte != b'`' || byte.is_ascii_whitespace())
            && !head.ends_with(b"${")
    })
}

/// An anonymous function at the beginning of the value.
pub(super) fn function(bytes: &[u8]) -> Option<(usize, usize)> {
    let value = bytes.trim_ascii_start();
    let start = bytes.len() - value.len();
    let value = value.strip_prefix(b"async ").unwrap_or(value);
    let rest = value.strip_prefix(b"function")?.trim_ascii_start();
    let inside = rest.strip_prefix(b"(")?;
    let inside = inside.get(..128).unwrap_or(inside);
    let end = memchr::memchr(b')', inside)?;
    let names = inside
        .get(..end)?
        .iter()
        .all(|byte| is_name(*byte) || matches!(byte, b',' | b' ' | b'{' | b'}' | b'=' | b'.'));
    let body = inside.get(end + 1..)?.trim_ascii_start();
    (names && body.starts_with(b"{")).then_some((start, 8))
}
