//! Function definitions where a value is expected: a function that starts itself twice, and the definition that old
//! shells imported from their environment and ran on from. It knows nothing of commands.

use super::sign::ShellSign;
use crate::language::{Context, Findings};

/// How far a function's body is read.
const BODY: usize = 160;
/// Definitions of one value that are looked at.
const DEFINITIONS: usize = 16;

/// Looks for both in `bytes`.
pub(super) fn scan(bytes: &[u8], findings: &mut Findings<'_, ShellSign>) {
    let mut seen = 0;
    for at in memchr::memchr_iter(b'(', bytes) {
        let Some(body) = bytes.get(at..).and_then(definition) else { continue };
        seen += 1;
        if seen > DEFINITIONS {
            return;
        }
        let before = bytes.get(..at).unwrap_or_default().trim_ascii_end();
        let name = trailing_name(before);
        let sign = if name.is_empty() {
            is_shellshock(before, body).then_some(ShellSign::Shellshock)
        } else {
            starts_itself_twice(name, body).then_some(ShellSign::ForkBomb)
        };
        if let Some(sign) = sign {
            findings.add(sign, Context::Code, at.saturating_sub(name.len()), name.len() + 4);
        }
    }
}

/// What follows `() {`.
fn definition(rest: &[u8]) -> Option<&[u8]> {
    let rest = rest.strip_prefix(b"(")?.trim_ascii_start();
    let rest = rest.strip_prefix(b")")?.trim_ascii_start();
    rest.strip_prefix(b"{")
}

/// The name that a definition's parentheses follow; `:` is one.
fn trailing_name(before: &[u8]) -> &[u8] {
    let length = before
        .iter()
        .rev()
        .take(32)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.'))
        .count();
    before.get(before.len() - length..).unwrap_or_default()
}

/// A definition without a name: at a value's start it is for a shell, elsewhere if its body is empty.
fn is_shellshock(before: &[u8], body: &[u8]) -> bool {
    let body = body.get(..body.len().min(BODY)).unwrap_or_default();
    let opens = before.iter().all(|byte| matches!(byte, b'\'' | b'"'));
    let end = body.iter().position(|byte| *byte == b'}');
    let inside = end.and_then(|end| body.get(..end)).unwrap_or(body).trim_ascii();
    let empty = matches!(inside, b":;" | b": ;" | b":" | b"_;" | b"_; }" | b"ignored;" | b"foo;" | b"x;")
        || inside.ends_with(b"=>\\");
    let runs_on =
        end.and_then(|end| body.get(end + 1..)).is_some_and(|rest| rest.trim_ascii_start().starts_with(b";"));
    opens || empty && runs_on
}

/// Whether `body` runs `name`, and beside it `name` again: with a pipe or in the background.
fn starts_itself_twice(name: &[u8], body: &[u8]) -> bool {
    let body = body.get(..body.len().min(BODY)).unwrap_or_default();
    let end = body.iter().position(|byte| *byte == b'}').unwrap_or(body.len());
    let body = body.get(..end).unwrap_or_default();
    let calls = |part: &[u8]| {
        let part = part.trim_ascii();
        let part = part.strip_suffix(b"()").unwrap_or(part).trim_ascii_end();
        part == name
    };
    let parallel = body.iter().any(|byte| matches!(byte, b'|' | b'&'));
    parallel && body.split(|byte| matches!(byte, b'|' | b'&' | b';')).filter(|part| calls(part)).count() >= 2
}
