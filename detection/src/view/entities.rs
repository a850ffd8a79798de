//! HTML character references, as browsers and template engines read them.

use super::hex;
use super::rewrite::{Replacement, Step, rewrite};

/// Named references whose characters matter to a language that is judged. In lower case, sorted.
const NAMED: &[(&str, u8)] = &[
    ("amp", b'&'),
    ("apos", b'\''),
    ("ast", b'*'),
    ("bsol", b'\\'),
    ("colon", b':'),
    ("comma", b','),
    ("commat", b'@'),
    ("dollar", b'$'),
    ("equals", b'='),
    ("excl", b'!'),
    ("grave", b'`'),
    ("gt", b'>'),
    ("hat", b'^'),
    ("lbrace", b'{'),
    ("lbrack", b'['),
    ("lcub", b'{'),
    ("lowbar", b'_'),
    ("lpar", b'('),
    ("lsqb", b'['),
    ("lt", b'<'),
    ("nbsp", b' '),
    ("newline", b'\n'),
    ("num", b'#'),
    ("percnt", b'%'),
    ("period", b'.'),
    ("plus", b'+'),
    ("quest", b'?'),
    ("quot", b'"'),
    ("rbrace", b'}'),
    ("rbrack", b']'),
    ("rcub", b'}'),
    ("rpar", b')'),
    ("rsqb", b']'),
    ("semi", b';'),
    ("sol", b'/'),
    ("tab", b'\t'),
    ("verbar", b'|'),
    ("vert", b'|'),
];

/// References that are read without their semicolon too, by browsers or by decoders that match prefixes.
const UNTERMINATED: &[&str] = &["amp", "gt", "lbrace", "lcub", "lt", "quot"];

const NAME_BYTES_MAX: usize = 8;

/// Appends the decoded `source` to `out`. `false` when there is nothing to decode.
pub(super) fn decode(source: &[u8], out: &mut Vec<u8>) -> bool {
    let step =
        |marked: &[u8]| reference(marked).map_or(Step::Keep(1), |(taken, with)| Step::Replace(taken, with));
    rewrite(source, out, |rest| memchr::memchr(b'&', rest), step)
}

/// As [`decode`], with the ampersand of a reference read as the start of the next one, however often.
pub(super) fn decode_fully(source: &[u8], out: &mut Vec<u8>) -> bool {
    let step = |marked: &[u8]| {
        let Some((mut taken, mut with)) = reference(marked) else { return Step::Keep(1) };
        while with == Replacement::byte(b'&') {
            // The last byte of the one stands for the ampersand of the next.
            let Some((more, next)) = marked.get(taken - 1..).and_then(reference) else { break };
            taken += more - 1;
            with = next;
        }
        Step::Replace(taken, with)
    };
    rewrite(source, out, |rest| memchr::memchr(b'&', rest), step)
}

/// The reference whose ampersand `marked` begins with: how many bytes it takes, and what it stands for.
fn reference(marked: &[u8]) -> Option<(usize, Replacement)> {
    match marked.get(1) {
        Some(b'#') => numeric(marked),
        Some(byte) if byte.is_ascii_alphabetic() => named(marked),
        _ => None,
    }
}

/// `&#…` or `&#x…` at the start of `marked`: how many bytes it takes. Leading zeros are free, the semicolon is optional.
fn numeric(marked: &[u8]) -> Option<(usize, Replacement)> {
    let (radix, start) = match marked.get(2) {
        Some(b'x' | b'X') => (16, 3),
        _ => (10, 2),
    };
    let digits = marked.get(start..)?;
    let is_digit = |byte: &u8| char::from(*byte).is_digit(radix);
    let count = digits.iter().take_while(|byte| is_digit(byte)).count();
    let digits = digits.get(..count).filter(|digits| !digits.is_empty())?;
    let value = if radix == 16 {
        hex::value(digits)
    } else {
        digits
            .iter()
            .fold(0_u32, |value, digit| value.saturating_mul(10).saturating_add(u32::from(digit - b'0')))
    };
    let end = start + count;
    let taken = if marked.get(end) == Some(&b';') { end + 1 } else { end };
    Some((taken, Replacement::code_point(value)))
}

fn named(marked: &[u8]) -> Option<(usize, Replacement)> {
    let mut lower = [0; NAME_BYTES_MAX];
    let mut length = 0;
    for (slot, byte) in lower.iter_mut().zip(marked.get(1..)?.iter().take_while(|b| b.is_ascii_alphabetic()))
    {
        *slot = byte.to_ascii_lowercase();
        length += 1;
    }
    let name = lower.get(..length)?;
    if marked.get(length + 1) == Some(&b';') {
        let at = NAMED.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok()?;
        return Some((length + 2, Replacement::byte(NAMED.get(at)?.1)));
    }
    let prefix = UNTERMINATED.iter().find(|known| name.starts_with(known.as_bytes()))?;
    let meant = NAMED.iter().find(|(known, _)| known == prefix)?.1;
    Some((prefix.len() + 1, Replacement::byte(meant)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: Option<&str>) {
        let mut out = Vec::new();
        let changed = decode(source.as_bytes(), &mut out);
        assert_eq!(changed.then_some(out.as_slice()), expected.map(str::as_bytes), "{source}");
    }

    #[test]
    fn the_table_is_sorted_and_short() {
        assert!(NAMED.is_sorted() && NAMED.iter().all(|(name, _)| name.len() <= NAME_BYTES_MAX));
        assert!(UNTERMINATED.iter().all(|name| NAMED.iter().any(|(known, _)| known == name)));
    }

    #[test]
    fn references_are_decoded_and_the_rest_is_kept() {
        check("&lt;b&gt;", Some("<b>"));
        check("&#60;&#x3c;&#X00003C&#060x", Some("<<<<x"));
        check("&#0000000000000000000000000000000000000000123;", Some("{"));
        check("java&Tab;script&colon;&NewLine;", Some("java\tscript:\n"));
        check("$&lbracejndi", Some("${jndi"));
        check("&ltscript", Some("<script"));
        check("Fish & chips, R&D, AT&T;", None);
        check("a=1&colon=2&unknown;&#;&#x;", None);
        check("&#99999999999;", Some("\u{fffd}"));
    }

    #[test]
    fn references_to_ampersands_are_followed() {
        for (source, expected) in [
            ("&amp;amp;amp;lt;b", Some("<b")),
            ("&#38;#38;#x26;amp;#60;b&amp;c", Some("<b&c")),
            ("&AMP;amp;lt;&amp;&amp;lt;", Some("<&<")),
            ("&amp;amp;amp; &amp;amp", Some("& &")),
            ("R&D", None),
        ] {
            let mut out = Vec::new();
            let changed = decode_fully(source.as_bytes(), &mut out);
            assert_eq!(changed.then_some(out.as_slice()), expected.map(str::as_bytes), "{source}");
        }
    }
}
