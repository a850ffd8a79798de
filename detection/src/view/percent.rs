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

/// Appends `source` to `out`, decoded until no escape is left. `false`, and nothing appended, when there is none. An escape
/// ends with the byte that completes it, so one pass does it, however deep the coding: escapes cannot overlap, and the
/// order in which they are decoded makes no difference.
pub(crate) fn decode_fully(source: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let first = memchr::memchr(b'%', source).unwrap_or(source.len());
    let (plain, rest) = source.split_at_checked(first).unwrap_or((source, &[]));
    out.extend_from_slice(plain);
    let mut changed = false;
    for &byte in rest {
        out.push(byte);
        while let Some((length, with)) = escape_at_end(out.get(start..).unwrap_or_default()) {
            out.truncate(out.len() - length);
            out.extend_from_slice(with.as_bytes());
            changed = true;
        }
    }
    if !changed {
        out.truncate(start);
    }
    changed
}

/// The escape that `bytes` end with: how many bytes it takes, and what it stands for.
fn escape_at_end(bytes: &[u8]) -> Option<(usize, Replacement)> {
    if !bytes.last()?.is_ascii_hexdigit() {
        return None;
    }
    [3, 6].into_iter().find_map(|length| {
        let marked = bytes.get(bytes.len().checked_sub(length)?..)?;
        match (marked.first(), escape(marked)) {
            (Some(b'%'), Step::Replace(taken, with)) if taken == length => Some((length, with)),
            _ => None,
        }
    })
}

/// The escape at a percent sign.
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
    use super::{decode, decode_fully};

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

    fn check_fully(source: &str, expected: Option<&str>) {
        let mut out = b"kept".to_vec();
        let changed = decode_fully(source.as_bytes(), &mut out);
        assert_eq!(changed.then_some(&out[4..]), expected.map(str::as_bytes), "{source}");
        assert!(changed || out == b"kept");
    }

    #[test]
    fn any_depth_is_decoded_at_once() {
        check_fully("a%2525252525252525253cb", Some("a<b"));
        check_fully("%%32%35%%33%63", Some("%<"));
        check_fully("%u0025u003c%25u003c", Some("<<"));
        check_fully("%2%35%33%63", Some("<"));
        check_fully("100% of 5%", None);
        check_fully("%25 %2", Some("% %2"));
        check_fully(&format!("%{}3c", "25".repeat(60_000)), Some("<"));
    }

    #[test]
    fn decoding_at_once_is_decoding_again_and_again() {
        for source in ["%25%32%35%34%31", "%2525u0025253c", "%%%25%33%32%35", "%252%33c%u00%32%35%33c+%2b"] {
            let mut level = source.as_bytes().to_vec();
            loop {
                let mut next = Vec::new();
                if !decode(&level, false, &mut next) {
                    break;
                }
                level = next;
            }
            let mut out = Vec::new();
            assert!(decode_fully(source.as_bytes(), &mut out));
            assert_eq!(out, level, "{source}");
        }
    }
}
