//! Perl code that is interpolated into a string (`@{[ … ]}`, `${\( … )}`) or quoted for a shell (`qx{ … }`). It knows bytes,
//! not places or rules' weights.

use crate::language::{Context, Findings, Input, Language};
use crate::prose;

/// Bytes of one interpolation.
const BODY_BYTES_MAX: usize = 2048;
/// Openers that are looked at.
const OPENERS_MAX: usize = 32;

/// A thing that Perl would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PerlSign {
    /// The first interpolation that runs something.
    Interpolation,
}

/// Perl code that a string or a shell interpolates.
#[derive(Debug)]
pub struct Perl;

impl Language for Perl {
    type Sign = PerlSign;
    const NAME: &'static str = "perl";
    const TRIGGERS: &'static [&'static str] = &["@{", "${\\", "qx{", "qx(", "qx/", "qx|"];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, PerlSign>) {
        let bytes = input.bytes;
        if let Some((offset, length)) = list(bytes).or_else(|| reference(bytes)).or_else(|| quoted(bytes)) {
            let context = Context::of_text(prose::is_text(bytes));
            findings.add(PerlSign::Interpolation, context, offset, length);
        }
    }
}

/// `@{[ code ]}`
fn list(bytes: &[u8]) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(bytes, b"@{").take(OPENERS_MAX).find_map(|at| {
        let rest = bytes.get(at + 2..)?;
        let rest = rest.get(..BODY_BYTES_MAX).unwrap_or(rest);
        let inside = rest.trim_ascii_start().strip_prefix(b"[")?;
        // The brackets close with nothing but blanks between them.
        let end = memchr::memchr_iter(b']', inside).find(|end| {
            inside.get(end + 1..).is_some_and(|after| after.trim_ascii_start().starts_with(b"}"))
        })?;
        runs(inside.get(..end)?).then(|| (at, rest.len() - inside.len() + 2 + end))
    })
}

/// `${\( code )}`
fn reference(bytes: &[u8]) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(bytes, b"${\\").take(OPENERS_MAX).find_map(|at| {
        let rest = bytes.get(at + 3..)?;
        let rest = rest.get(..BODY_BYTES_MAX).unwrap_or(rest);
        let end = memchr::memchr(b'}', rest)?;
        runs(rest.get(..end)?).then_some((at, end + 3))
    })
}

/// `qx{id}` where a value begins or a statement does.
fn quoted(bytes: &[u8]) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(bytes, b"qx").take(OPENERS_MAX).find_map(|at| {
        let first = bytes
            .get(..at)?
            .trim_ascii_end()
            .last()
            .is_none_or(|byte| matches!(byte, b';' | b'=' | b'(' | b'{' | b'.'));
        let (open, inside) = bytes.get(at + 2..)?.split_first()?;
        let close = match open {
            b'{' => b'}',
            b'(' => b')',
            mark @ (b'/' | b'|') => *mark,
            _ => return None,
        };
        let end = memchr::memchr(close, inside.get(..BODY_BYTES_MAX).unwrap_or(inside))?;
        (first && end > 1).then_some((at, end + 4))
    })
}

/// Whether the code calls something: a name before an argument or a parenthesis, or backticks. `[1]` and `[$x]` are data.
fn runs(code: &[u8]) -> bool {
    let letters = code.iter().any(u8::is_ascii_alphabetic);
    let variable = code
        .trim_ascii()
        .strip_prefix(b"$")
        .is_some_and(|name| name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_'));
    letters && !variable
}
