//! A value that ends the string that it stands in, runs a call, and takes care of what follows: `'-f()-'`, `";f()//`.
//! Whatever the call's name.

use super::word::continues_name;

/// Bytes that a closing comment may cut off.
const REST_BYTES_MAX: usize = 24;
/// Bytes that may lie between the quote and the call.
const AHEAD_BYTES_MAX: usize = 64;

/// Offset at which the string is ended, if it is.
pub(super) fn find(bytes: &[u8]) -> Option<usize> {
    let value = bytes.trim_ascii();
    let escapes = value.iter().take(4).take_while(|&&byte| byte == b'\\').count();
    let (&quote, code) = value.get(escapes..)?.split_first()?;
    if !matches!(quote, b'"' | b'\'' | b'`') || !calls(code) {
        return None;
    }
    (takes_up(code, quote) || comments_out(code)).then_some(0)
}

/// Returns `true` if an operator and a call follow.
fn calls(code: &[u8]) -> bool {
    let passed =
        |byte: u8| joins(byte) || matches!(byte, b')' | b'}' | b']' | b'(' | b'{' | b'!' | b'~' | b' ');
    let between = code.iter().take(AHEAD_BYTES_MAX).take_while(|&&byte| passed(byte)).count();
    let (between, rest) = code.split_at(between);
    let rest = assigned(rest);
    let name =
        rest.iter().take(AHEAD_BYTES_MAX).take_while(|&&byte| continues_name(byte) || byte == b'.').count();
    let begins = rest.first().is_some_and(|byte| !byte.is_ascii_digit());
    name > 0
        && begins
        && between.iter().any(|&byte| joins(byte))
        && matches!(rest.get(name), Some(b'(' | b'`'))
}

/// The value that `code` assigns to a name (`x=f()`, `x = new F()`), or `code` itself.
fn assigned(code: &[u8]) -> &[u8] {
    let declared = code.strip_prefix(b"var ").or_else(|| code.strip_prefix(b"let ")).unwrap_or(code);
    let name = declared.iter().take(AHEAD_BYTES_MAX).take_while(|&&byte| continues_name(byte)).count();
    let behind = declared.get(name..).unwrap_or_default().trim_ascii_start();
    let value = behind.strip_prefix(b"=").filter(|value| name > 0 && value.first() != Some(&b'='));
    value.map_or(code, |value| {
        let value = value.trim_ascii_start();
        value.strip_prefix(b"new ").unwrap_or(value)
    })
}

/// Returns `true` if the string is taken up again at the end: an operator, then the same quote.
fn takes_up(code: &[u8], quote: u8) -> bool {
    code.strip_suffix(&[quote]).and_then(|code| code.trim_ascii_end().last()).is_some_and(|&byte| joins(byte))
}

/// Returns `true` if a comment cuts off the rest.
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
        for text in [
            "'-f(8)-'",
            "\";d=new Date();go(d)//",
            "';var x = f(1);//",
            "\\\";go(1)//",
            "';run(16);t='",
            "\"+top.x()+\"",
            "')};go();//abc",
            "`-go``-`",
        ] {
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
            "'; a = b (c) // d",
        ] {
            assert!(find(text.as_bytes()).is_none(), "{text}");
        }
    }
}
