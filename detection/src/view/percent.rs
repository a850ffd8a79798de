//! Percent coding, as RFC 3986 has it and as IIS had it (`%uHHHH`). What is no escape stays as it stands, so that `%%32%65`
//! becomes `%2e` and then `.`.

use super::hex;
use super::rewrite::{Replacement, Step, rewrite, rewrite_with};

/// Appends the decoded `source` to `out`; with `plus`, `+` is a space. `false` when there is nothing to decode.
pub(crate) fn decode(source: &[u8], plus: bool, out: &mut Vec<u8>) -> bool {
    let next = |rest: &[u8]| memchr::memchr(b'%', rest);
    if !plus || memchr::memchr(b'+', source).is_none() {
        return rewrite(source, out, next, escape);
    }
    // Forms have a plus in the place of every space: taking them off run by run costs as much as all the rest.
    if !rewrite_with(source, out, next, escape, spaced) {
        spaced(source, out);
    }
    true
}

/// What stands at a percent sign.
fn escape(marked: &[u8]) -> Step {
    match marked {
        [_, b'u' | b'U', a, b, c, d, ..] if hex::all(&[*a, *b, *c, *d]) => {
            Step::Replace(6, Replacement::code_point(hex::value(&[*a, *b, *c, *d])))
        }
        [_, a, b, ..] if hex::all(&[*a, *b]) => {
            Step::Replace(3, Replacement::byte(hex::value(&[*a, *b]) as u8))
        }
        _ => Step::Keep(1),
    }
}

/// Appends a run without escapes, each plus as a space.
fn spaced(run: &[u8], out: &mut Vec<u8>) {
    out.extend(run.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }));
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn check(source: &str, plus: bool, expected: Option<&str>) {
        let mut out = Vec::new();
        let changed = decode(source.as_bytes(), plus, &mut out);
        assert_eq!(changed.then_some(out.as_slice()), expected.map(str::as_bytes), "{source}");
    }

    #[test]
    fn escapes_are_decoded_and_the_rest_is_kept() {
        check("a%20b%3c", false, Some("a b<"));
        check("a+b", true, Some("a b"));
        check("a+b", false, None);
        check("+%2B+%zz+", true, Some(" + %zz "));
        check("100% sure, 5 %", true, None);
        check("%%32%65", false, Some("%2e"));
        check("%u002e%uFF0e%", false, Some(".\u{ff0e}%"));
        check("%uD800", false, Some("\u{fffd}"));
        check("%u12", false, None);
        check("%g1%1", false, None);
    }
}
