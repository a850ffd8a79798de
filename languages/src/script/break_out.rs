//! A value that ends the string that it stands in, runs a call, and takes care of what follows: `'-f()-'`, `";f()//`.
//! Whatever the call's name.

use super::word::continues_name;

/// How long what is cut off by a closing comment may be.
const REST_BYTES_MAX: usize = 24;
/// How far the call may lie behind the quote.
const AHEAD_BYTES_MAX: usize = 64;

/// Where the string is ended, if it is.
pub(super) fn find(bytes: &[u8]) -> Option<usize> {
    let value = bytes.trim_ascii();
    let escapes = value.iter().take(4).take_while(|&&byte| byte == b'\\').count();
    let (&quote, code) = value.get(escapes..)?.split_first()?;
    if !matches!(quote, b'"' | b'\'' | b'`') || !calls(code) {
        return None;
    }
    (takes_up(code, quote) || comments_out(code)).then_some(0)
}

/// Whether an operator and a call follow.
fn calls(code: &[u8]) -> bool {
    let passed =
        |byte: u8| joins(byte) || matches!(byte, b')' | b'}' | b']' | b'(' | b'{' | b'!' | b'~' | b' ');
    let between = code.iter().take(AHEAD_BYTES_MAX).take_while(|&&byte| passed(byte)).count();
    let (between, rest) = code.split_at(between);
    let name =
        rest.iter().take(AHEAD_BYTES_MAX).take_while(|&&byte| continues_name(byte) || byte == b'.').count();
    let begins = rest.first().is_some_and(|byte| !byte.is_ascii_digit());
    name > 0
        && begins
        && between.iter().any(|&byte| joins(byte))
        && matches!(rest.get(name), Some(b'(' | b'`'))
}

/// Whether the string is taken up again at the end: an operator, then the same quote.
fn takes_up(code: &[u8], quote: u8) -> bool {
    code.strip_suffix(&[quote]).and_then(|code| code.trim_ascii_end().last()).is_some_and(|&byte| joins(byte))
}

/// Whether a comment cuts off the rest.
fn comments_out(code: &[u8]) -> bool {
    let tail = code.get(code.len().saturating_sub(REST_BYTES_MAX)..).unwrap_or_default();
    ["//", "<!--", "/*"].iter().any(|mark| {
        memchr::memmem::find(tail, mark.as_bytes()).is_some_and(|at| {
            // The two slashes of an address are none.
            tail.get(..at).and_then(<[u8]>::last) != Some(&b':')
                && !tail.get(at..).unwrap_or_default().contains(&b' ')
        })
    })
}

/// Operators between two expressions, and what ends a statement.
fn joins(byte: u8) -> bool {
    matches!(
        byte,
        b';' | b'-' | b'+' | b'*' | b'/' | b'^' | b'|' | b'&' | b',' | b'%' | b'=' | b'<' | b'>' | b'?'
    )
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn broken_strings_are_told_from_quotations() {
        for text in
            ["'-f(8)-'", "\\\";go(1)//", "';run(16);t='", "\"+top.x()+\"", "')};go();//abc", "`-go``-`"]
        {
            assert!(find(text.as_bytes()).is_some(), "{text}");
        }
        for text in [
            "\"a\" + str(x) + \"b\"",
            "'quoted' - f(x)",
            "\"see https://example.com/\" (x)",
            "'tis f(x) // fine",
            "\", \"",
            "\"-\"",
            "' print(x)'",
            "'; drop",
        ] {
            assert!(find(text.as_bytes()).is_none(), "{text}");
        }
    }
}
