//! Calls of Ruby that start processes or evaluate code, told from words by their receiver and their parenthesis. It knows
//! bytes, not places or rules' weights.

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

/// Receivers and the methods that matter.
const CALLS: &[(&[u8], &[&[u8]])] = &[
    (b"Process", &[b"spawn", b"exec", b"fork", b"daemon"]),
    (b"Kernel", &[b"exec", b"system", b"spawn", b"fork", b"eval", b"open", b"syscall", b"`"]),
    (b"IO", &[b"popen", b"read", b"readlines", b"binread", b"sysopen", b"foreach", b"write", b"binwrite"]),
    (b"Open3", &[b"capture2", b"capture2e", b"capture3", b"popen2", b"popen2e", b"popen3", b"pipeline"]),
    (b"Open4", &[b"popen4", b"spawn"]),
    (b"PTY", &[b"spawn"]),
];
/// Methods that `send` calls by a symbol.
const SENT: &[&[u8]] = &[b"system", b"exec", b"eval", b"spawn", b"instance_eval", b"open", b"fork"];
/// Occurrences that are looked at.
const OCCURRENCES_MAX: usize = 32;

/// A thing that Ruby would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RubySign {
    /// The first call that starts a process or evaluates code.
    Call,
}

/// Calls of Ruby.
#[derive(Debug)]
pub struct Ruby;

impl Language for Ruby {
    type Sign = RubySign;
    const NAME: &'static str = "ruby";
    const TRIGGERS: &'static [&'static str] = &[
        "process.",
        "process .",
        "kernel.",
        "kernel .",
        "io.",
        "io .",
        "open3.",
        "open4.",
        "pty.",
        "%x",
        "send(:",
        "file.read(",
        "file.open(",
    ];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, RubySign>) {
        let bytes = input.bytes;
        if let Some((offset, length)) = received(bytes).or_else(|| sent(bytes)).or_else(|| quoted(bytes)) {
            let context = Context::of_text(prose::is_text(bytes));
            findings.add(RubySign::Call, context, offset, length);
        }
    }
}

fn received(bytes: &[u8]) -> Option<(usize, usize)> {
    CALLS.iter().find_map(|(receiver, methods)| {
        memchr::memmem::find_iter(bytes, receiver).take(OCCURRENCES_MAX).find_map(|at| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            let inner =
                before.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$'));
            let rest = bytes.get(at + receiver.len()..)?.trim_ascii_start();
            let rest = rest.strip_prefix(b".").or_else(|| rest.strip_prefix(b"::"))?.trim_ascii_start();
            let length =
                rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            let (method, after) = rest.split_at(length);
            let opens = matches!(after.trim_ascii_start(), [b'(', argument, ..] if *argument != b')');
            (!inner && opens && methods.contains(&method)).then(|| (at, bytes.len() - after.len() - at))
        })
    })
}

/// `x.send(:system, …)`.
fn sent(bytes: &[u8]) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(bytes, b"send(").take(OCCURRENCES_MAX).find_map(|at| {
        let rest = bytes.get(at + 5..)?.trim_ascii_start();
        let rest = rest.strip_prefix(b":").or_else(|| rest.strip_prefix(b"\""))?;
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let called = bytes
            .get(..at)
            .is_some_and(|head| head.ends_with(b".") || head.ends_with(b"__") || head.ends_with(b"public_"));
        (called && SENT.contains(&rest.get(..length)?)).then_some((at, 5 + length))
    })
}

/// `%x(id)` as a whole value.
fn quoted(bytes: &[u8]) -> Option<(usize, usize)> {
    let value = bytes.trim_ascii();
    let inside = value.strip_prefix(b"%x")?;
    let close = match inside.first()? {
        b'(' => b')',
        b'{' => b'}',
        b'[' => b']',
        mark @ (b'|' | b'!' | b'/') => *mark,
        _ => return None,
    };
    (inside.len() > 3 && inside.last() == Some(&close)).then_some((0, value.len()))
}
