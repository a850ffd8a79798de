//! Template expressions of client-side frameworks that run code: `{{constructor.constructor('…')()}}`.

use crate::language::{Context, Findings, Input, Language};

/// The only sign of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AngularSign {
    /// An expression that reaches beyond its scope.
    Expression,
}

/// Template expressions of a page.
#[derive(Debug)]
pub struct Angular;

impl Language for Angular {
    type Sign = AngularSign;
    const NAME: &'static str = "angular";
    const TRIGGERS: &'static [&'static str] = &["{{"];

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, AngularSign>) {
        if !findings.wants(AngularSign::Expression) {
            return;
        }
        if let Some(offset) = expression(input.bytes) {
            findings.add_line(AngularSign::Expression, Context::Code, input.bytes, offset);
        }
    }
}

/// The beginning of the first expression that runs code.
fn expression(bytes: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(bytes, b"{{").find(|&at| {
        let rest = bytes.get(at + 2..).unwrap_or_default();
        let rest = rest.get(..2048).unwrap_or(rest);
        let inside = memchr::memmem::find(rest, b"}}").and_then(|end| rest.get(..end)).unwrap_or(rest);
        let reaches = ["constructor", "$eval", "$on", "__proto__", "$new", "prototype", "alert", "$event"]
            .iter()
            .any(|word| memchr::memmem::find(inside, word.as_bytes()).is_some());
        reaches && inside.iter().any(|byte| matches!(byte, b'(' | b'`' | b'[' | b'='))
    })
}
