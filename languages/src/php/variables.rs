//! Variables that betray PHP: the superglobals, and names that are written as expressions.

use super::bytes::is_name;
use super::names::is_superglobal;
use super::sign::PhpSign;
use crate::language::{Context, Findings};

/// Bytes of an expression between braces.
const EXPRESSION_BYTES_MAX: usize = 96;

pub(super) fn scan(bytes: &[u8], surroundings: Context, findings: &mut Findings<'_, PhpSign>) {
    for at in memchr::memchr_iter(b'$', bytes) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let spaces = rest.iter().take(8).take_while(|byte| byte.is_ascii_whitespace()).count();
        let trimmed = rest.get(spaces..).unwrap_or_default();
        let sign = match trimmed.split_first() {
            Some((b'{', inside)) if computed(inside) => PhpSign::VariableVariable,
            Some((b'{', inside)) if superglobal(inside) => PhpSign::Superglobal,
            Some(_) if spaces == 0 && superglobal(trimmed) => PhpSign::Superglobal,
            _ => continue,
        };
        findings.add(sign, surroundings, at, spaces + 2);
    }
}

/// A superglobal's name, and nothing or an index behind it.
fn superglobal(trimmed: &[u8]) -> bool {
    let length = trimmed.iter().take_while(|byte| is_name(**byte)).count();
    let (name, after) = trimmed.split_at_checked(length).unwrap_or_default();
    let indexed =
        after.trim_ascii_start().first().is_none_or(|byte| matches!(byte, b'[' | b'{' | b'}' | b';' | b')'));
    is_superglobal(name) && indexed && (name.len() > 4 || name.starts_with(b"_"))
}

/// Strings, dots and variables up to the closing brace, and nothing that other languages put there.
fn computed(inside: &[u8]) -> bool {
    let window = inside.get(..EXPRESSION_BYTES_MAX).unwrap_or(inside);
    let Some(end) = memchr::memchr(b'}', window) else { return false };
    let trimmed = window.get(..end).unwrap_or_default().trim_ascii();
    let Some((&first, rest)) = trimmed.split_first() else { return false };
    // `${${print `id`}}`: an expression within the name.
    if first == b'$' && rest.first() == Some(&b'{') && rest.iter().any(|byte| matches!(byte, b'(' | b'`')) {
        return true;
    }
    // `${@print(1)}` is a call, whatever it is named.
    if first == b'@'
        && rest.first().is_some_and(u8::is_ascii_alphabetic)
        && memchr::memchr(b'(', rest).is_some()
    {
        return true;
    }
    let plain =
        rest.iter().all(|byte| is_name(*byte) || matches!(byte, b'\'' | b'"' | b'.' | b' ' | b'$' | b'@'));
    let quote = matches!(first, b'\'' | b'"') && trimmed.ends_with(&[first]) && trimmed.len() > 2;
    let silenced = matches!(first, b'@' | b'$')
        && rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    plain && (quote || silenced)
}
