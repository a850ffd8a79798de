//! Backslash escapes of programming languages and style sheets: `\x3c`, `\u003c`, `\u{3c}`, `\074`, `\3c `, `\/`, `\n`.

use super::hex;
use super::rewrite::{Replacement, Step, rewrite};

/// Appends the decoded `source` to `out`. `false` when there is nothing to decode.
pub(crate) fn decode(source: &[u8], out: &mut Vec<u8>) -> bool {
    rewrite(
        source,
        out,
        |rest| memchr::memchr(b'\\', rest),
        |marked| escape(marked).map_or(Step::Keep(1), |(taken, with)| Step::Replace(taken, with)),
    )
}

/// The escape at the start of `marked`: how many bytes it takes, and what it stands for.
fn escape(marked: &[u8]) -> Option<(usize, Replacement)> {
    match marked.get(1..)? {
        [b'x' | b'X', a, b, ..] if hex::all(&[*a, *b]) => {
            Some((4, Replacement::byte(hex::value(&[*a, *b]) as u8)))
        }
        [b'u' | b'U', b'{', rest @ ..] => {
            let count = rest.iter().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
            let digits = rest.get(..count).filter(|digits| !digits.is_empty())?;
            let closed = rest.get(count) == Some(&b'}');
            closed.then(|| (count + 4, Replacement::code_point(hex::value(digits))))
        }
        [b'u' | b'U', a, b, c, d, ..] if hex::all(&[*a, *b, *c, *d]) => {
            Some((6, Replacement::code_point(hex::value(&[*a, *b, *c, *d]))))
        }
        // `\0061` is a style sheet's, `\074` an octal number.
        [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', rest @ ..]
            if !(*a == b'0' && *b == b'0' && rest.first().is_some_and(u8::is_ascii_hexdigit)) =>
        {
            Some((4, Replacement::byte((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'))))
        }
        rest @ [a, b, ..] if hex::all(&[*a, *b]) => {
            let count = rest.iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
            // A style sheet's escape swallows one white space.
            let space = usize::from(rest.get(count).is_some_and(u8::is_ascii_whitespace));
            Some((1 + count + space, Replacement::code_point(hex::value(rest.get(..count)?))))
        }
        [byte, ..] => {
            let meant = match byte {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'/' | b'\\' | b'"' | b'\'' | b'`' => *byte,
                _ => return None,
            };
            Some((2, Replacement::byte(meant)))
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn check(source: &str, expected: Option<&str>) {
        let mut out = Vec::new();
        let changed = decode(source.as_bytes(), &mut out);
        assert_eq!(changed.then_some(out.as_slice()), expected.map(str::as_bytes), "{source}");
    }

    #[test]
    fn escapes_are_decoded_and_the_rest_is_kept() {
        check(r"\x3cscript\x3E", Some("<script>"));
        check(r"\u003c\u{3c}\U0000003c", Some("<<\u{0}003c"));
        check(r"\141\074", Some("a<"));
        check(r"java\73 cript \6a\0061vascript", Some("javascript \u{6a}avascript"));
        check(r"..\/..\/etc", Some("../../etc"));
        check(r"\", None);
        check(r"\u00 \xg1 \q", None);
        check(r"C:\Program Files\Common", None);
    }
}
