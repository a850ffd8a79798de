//! Calls of Lua that start processes or load code. It knows bytes, not places or rules' weights.

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

/// Libraries and the functions that matter, as they are written.
const CALLS: &[&[u8]] = &[
    b"os.execute",
    b"io.popen",
    b"os.remove",
    b"os.rename",
    b"os.tmpname",
    b"package.loadlib",
    b"loadstring",
    b"dofile",
    b"debug.getregistry",
    b"string.dump",
];
/// Functions that are met in other languages too and count with an argument in quotes alone.
const QUOTED: &[&[u8]] = &[b"dofile", b"os.remove", b"os.rename", b"string.dump"];
/// Occurrences that are looked at.
const OCCURRENCES_MAX: usize = 32;

/// A thing that Lua would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LuaSign {
    /// The first call that starts a process or loads code.
    Call,
}

/// Calls of Lua.
#[derive(Debug)]
pub struct Lua;

impl Language for Lua {
    type Sign = LuaSign;
    const NAME: &'static str = "lua";
    const TRIGGERS: &'static [&'static str] = &[
        "os.execute",
        "io.popen",
        "os.remove",
        "os.rename",
        "os.tmpname",
        "package.loadlib",
        "loadstring",
        "dofile",
        "debug.getregistry",
        "string.dump",
    ];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, LuaSign>) {
        let bytes = input.bytes;
        let first = CALLS.iter().find_map(|call| {
            memchr::memmem::find_iter(bytes, call)
                .take(OCCURRENCES_MAX)
                .find(|at| is_call(bytes, *at, call))
                .map(|at| (at, call.len()))
        });
        if let Some((offset, length)) = first {
            findings.add(LuaSign::Call, Context::of_text(prose::is_text(bytes)), offset, length);
        }
    }
}

/// A parenthesis with an argument, or a string at once, follows a name that is not the end of another one.
fn is_call(bytes: &[u8], at: usize, call: &[u8]) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')) {
        return false;
    }
    let rest = bytes.get(at + call.len()..).unwrap_or_default().trim_ascii_start();
    let quoted = |rest: &[u8]| matches!(rest, [b'"' | b'\'', ..] | [b'[', b'[', ..] | [b'\\', b'"', ..]);
    match rest.strip_prefix(b"(") {
        Some(inside) => {
            let inside = inside.trim_ascii_start();
            quoted(inside) || !QUOTED.contains(&call) && !matches!(inside.first(), None | Some(b')'))
        }
        None => quoted(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_names() {
        for value in [
            "os.execute(\"id\")",
            "local f = io.popen(ngx.var.arg_c, 'r')",
            "os.execute [[id]]",
            "x = package.loadlib('/a.so', 'luaopen_io')",
            "return loadstring('x = 1')()",
            "os.execute 'id'",
        ] {
            assert_eq!(crate::language::signs::<Lua>(value), [LuaSign::Call], "{value}");
        }
        for value in
            ["os.time()", "os.execute", "io.popen()", "macos.execute(1)", "dofile(name)", "os.date('%Y')"]
        {
            assert_eq!(crate::language::signs::<Lua>(value), [], "{value}");
        }
    }
}
