//! Script as the value of an attribute.

use memchr::memchr;

use super::sink::is_sink;
use super::word::continues_name;

/// Whether an attribute's value (what follows the `=`, quotes included) reads as code: a call, an assignment, an address, a block.
pub(crate) fn reads_as_code(value: &[u8]) -> bool {
    let gap = value
        .iter()
        .take(64)
        .take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`'))
        .count();
    let value = value.get(gap..).unwrap_or_default();
    let value = value.get(..256).unwrap_or(value);
    let word = value.iter().take_while(|&&byte| continues_name(byte) || byte == b'.').count();
    let Some(&next) = value.get(word) else { return is_sink(value) };
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
                || is_sink(value.get(..word).unwrap_or_default())
        }
        byte if byte.is_ascii_whitespace() => {
            let rest = value.get(word..).unwrap_or_default().trim_ascii_start();
            matches!(rest.first(), Some(b'(' | b'=' | b'`' | b'['))
                || is_sink(value.get(..word).unwrap_or_default())
                || is_statement_keyword(value.get(..word).unwrap_or_default()) && memchr(b'(', rest).is_some()
        }
        _ => false,
    }
}

/// Words that begin a statement or an expression.
pub(crate) fn is_statement_keyword(word: &[u8]) -> bool {
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
