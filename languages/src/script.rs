//! JavaScript in a value: calls that run text or open a dialog, reaching for the page's objects, and the detours around
//! those names. A scanner over names and what stands around them, not a parser: a value is seldom a whole
//! program. It knows bytes alone.

use memchr::memchr;

use crate::language::{Context, Findings, Input, Language};

pub mod angular;
mod break_out;
pub mod jsfuck;
mod page;
mod place;
mod scan;
mod triggers;
pub(crate) mod word;

pub use word::continues_name;

/// A thing that script in a value does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JavascriptSign {
    /// `alert(1)`, `eval(…)`, `Function(…)` where an expression may stand.
    Call,
    /// `document.cookie`, `window.location` where an expression may stand.
    PageObject,
    /// `window['al'+'ert']`.
    ComputedMember,
    /// A function called by a template literal through `call` or `apply`.
    TaggedTemplate,
    /// A dangerous function handed over: `onerror=eval`, `[1].find(alert)`.
    Handover,
    /// `x.constructor('…')`, `String.fromCharCode(…)`.
    Detour,
    /// `'-f()-'`, `";f()//`: a string of the page is ended and a call made.
    StringBreak,
    /// `location='…'`, `x.innerHTML='<…'`.
    Assignment,
}

/// Script of a page.
#[derive(Debug)]
pub struct Javascript;

impl Language for Javascript {
    type Sign = JavascriptSign;
    const NAME: &'static str = "javascript";
    const TRIGGERS: &'static [&'static str] = triggers::TRIGGERS;

    fn scan(input: &Input<'_>, findings: &mut Findings<'_, JavascriptSign>) {
        let bytes = input.bytes;
        scan::conclude(bytes, &mut |sign, context, offset| findings.add_line(sign, context, bytes, offset));
        if let Some(offset) = break_out::find(bytes) {
            findings.add_line(JavascriptSign::StringBreak, Context::Code, bytes, offset);
        }
    }
}

/// Whether an attribute's value (what follows the `=`, quotes included) reads as code: a call, an assignment, an address, a block.
pub fn reads_as_code(value: &[u8]) -> bool {
    let gap = value
        .iter()
        .take(64)
        .take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`'))
        .count();
    let value = value.get(gap..).unwrap_or_default();
    let value = value.get(..256).unwrap_or(value);
    let word = value.iter().take_while(|&&byte| continues_name(byte) || byte == b'.').count();
    let Some(&next) = value.get(word) else { return scan::is_sink(value) };
    match next {
        b'(' | b'`' | b'[' => true,
        b'{' | b'!' | b'~' | b'+' | b'-' | b'\\' | b'&' | b'%' | b'/' => {
            memchr(b'(', value).is_some()
                || memchr(b'`', value).is_some()
                || memchr(b'\\', value).is_some()
                || memchr(b'&', value).is_some()
        }
        b'=' | b':' | b';' | b',' | b'?' | b'>' | b'<' | b'"' | b'\'' => {
            memchr(b'(', value).is_some()
                || memchr(b'`', value).is_some()
                || matches!(next, b'=' | b':') && word > 0
                || scan::is_sink(value.get(..word).unwrap_or_default())
        }
        byte if byte.is_ascii_whitespace() => {
            let rest = value.get(word..).unwrap_or_default().trim_ascii_start();
            matches!(rest.first(), Some(b'(' | b'=' | b'`' | b'['))
                || scan::is_sink(value.get(..word).unwrap_or_default())
                || is_statement_keyword(value.get(..word).unwrap_or_default()) && memchr(b'(', rest).is_some()
        }
        _ => false,
    }
}

/// Words that begin a statement or an expression.
pub fn is_statement_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"var"
            | b"let"
            | b"const"
            | b"throw"
            | b"new"
            | b"void"
            | b"delete"
            | b"typeof"
            | b"with"
            | b"if"
            | b"for"
            | b"async"
            | b"await"
            | b"function"
            | b"return"
    )
}
