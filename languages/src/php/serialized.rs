//! The text form of `serialize`: an object in it makes `unserialize` run code of the class that it names.

use super::sign::PhpSign;
use crate::language::{Context, Findings};

/// Digits of a length.
const DIGITS_MAX: usize = 9;
/// Bytes of a class name.
const CLASS_BYTES_MAX: usize = 256;

pub(super) fn scan(bytes: &[u8], findings: &mut Findings<'_, PhpSign>) {
    for at in memchr::memmem::find_iter(bytes, b":\"") {
        if let Some((start, end)) = object(bytes, at) {
            findings.add(PhpSign::Serialized, Context::Code, start, end - start);
            return;
        }
    }
}

/// `O:8:"stdClass":1:{`, `C:3:"Foo":0:{`, `E:7:"Foo:Bar";`; `at` is the colon before the class name. A sign before the length fools filters.
fn object(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let head = bytes.get(at.saturating_sub(DIGITS_MAX + 3)..at)?;
    let digits = head.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let head = head.get(..head.len() - digits)?;
    let signed = usize::from(head.ends_with(b"+"));
    let head = head.get(..head.len() - signed)?;
    let (kind, colon) = match head {
        [.., kind, b':'] => (*kind, 2),
        _ => return None,
    };
    if digits == 0 || !matches!(kind, b'O' | b'o' | b'C' | b'c' | b'E') {
        return None;
    }
    let start = at.checked_sub(digits + signed + colon)?;
    let name = bytes.get(at + 2..)?;
    let length =
        memchr::memchr(b'"', name.get(..CLASS_BYTES_MAX).unwrap_or(name)).filter(|length| *length > 0)?;
    let after = name.get(length + 1..)?;
    if kind == b'E' {
        return after.starts_with(b";").then_some((start, at + length + 4));
    }
    let after = after.strip_prefix(b":")?;
    let after = after.strip_prefix(b"+").unwrap_or(after);
    let fields = after.iter().take(DIGITS_MAX).take_while(|byte| byte.is_ascii_digit()).count();
    let opened = fields > 0 && after.get(fields..)?.starts_with(b":{");
    opened.then_some((start, at + length + 4))
}
