//! Percent coding, as RFC 3986 has it and as IIS had it (`%uHHHH`). What is no escape stays as it stands, so that `%%32%65`
//! becomes `%2e` and then `.`.

use super::hex;

/// Appends the decoded `source` to `out`; with `plus`, `+` is a space. `false` when nothing was decoded.
pub(super) fn decode(source: &[u8], plus: bool, out: &mut Vec<u8>) -> bool {
    let mut changed = false;
    let mut rest = source;
    let stop = |rest: &[u8]| {
        if plus { memchr::memchr2(b'%', b'+', rest) } else { memchr::memchr(b'%', rest) }
    };
    while let Some((before, marked)) = stop(rest).and_then(|at| rest.split_at_checked(at)) {
        out.extend_from_slice(before);
        let taken = match marked {
            [b'+', ..] => {
                out.push(b' ');
                changed = true;
                1
            }
            [_, b'u' | b'U', a, b, c, d, ..] if hex::all(&[*a, *b, *c, *d]) => {
                push_code_point(hex::value(&[*a, *b, *c, *d]), out);
                changed = true;
                6
            }
            [_, a, b, ..] if hex::all(&[*a, *b]) => {
                out.push(hex::value(&[*a, *b]) as u8);
                changed = true;
                3
            }
            _ => {
                out.push(b'%');
                1
            }
        };
        rest = marked.get(taken..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    changed
}

/// UTF-8 of a code point; a surrogate or a number beyond Unicode becomes U+FFFD.
pub(super) fn push_code_point(value: u32, out: &mut Vec<u8>) {
    let mut utf8 = [0; 4];
    out.extend_from_slice(
        char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf8(&mut utf8).as_bytes(),
    );
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
        check("100% sure, 5 %", true, None);
        check("%%32%65", false, Some("%2e"));
        check("%u002e%uFF0e%", false, Some(".\u{ff0e}%"));
        check("%uD800", false, Some("\u{fffd}"));
        check("%u12", false, None);
        check("%g1%1", false, None);
    }
}
