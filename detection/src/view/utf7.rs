//! UTF-7 of ASCII (`+ADw-script+AD4-`): what decoders that guess a charset make of plain text.

use super::base64;

/// Letters of one shifted run; longer ones are no attack's.
const RUN_LETTERS_MAX: usize = 256;

/// Appends the decoded `source` to `out`. `false` when there is no shifted run of ASCII.
pub(super) fn decode(source: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let mut changed = false;
    let mut kept = 0;
    // The upper byte of a letter is zero, so its run begins with `A` and one of eight symbols. A form has more plus signs
    // than any text has capitals, so those are looked for.
    for upper in memchr::memchr_iter(b'A', source) {
        let Some(plus) = upper.checked_sub(1).filter(|at| source.get(*at) == Some(&b'+')) else { continue };
        if plus < kept || !matches!(source.get(upper + 1), Some(b'A'..=b'H')) {
            continue;
        }
        let before = out.len();
        out.extend_from_slice(source.get(kept..plus).unwrap_or_default());
        match run(source.get(plus + 1..).unwrap_or_default(), out) {
            Some(length) => {
                kept = plus + 1 + length;
                changed = true;
            }
            None => out.truncate(before),
        }
    }
    if changed {
        out.extend_from_slice(source.get(kept..).unwrap_or_default());
    } else {
        out.truncate(start);
    }
    changed
}

/// Appends the letters of the run at the start of `rest`; how many bytes it takes, or `None` when it is not all ASCII.
fn run(rest: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let (mut bits, mut count, mut letters, mut length) = (0_u32, 0, 0, 0);
    for &byte in rest {
        let Some(six) = base64::six_bits(byte).filter(|_| byte != b'-' && byte != b'_') else { break };
        (bits, count, length) = (bits << 6 | six, count + 6, length + 1);
        if count >= 16 {
            count -= 16;
            let letter = bits >> count;
            bits &= (1 << count) - 1;
            if !(1..0x80).contains(&letter) || letters == RUN_LETTERS_MAX {
                return None;
            }
            out.push(letter as u8);
            letters += 1;
        }
    }
    // What is left over fills the last symbol up with zeros.
    let whole = letters > 0 && count < 6 && bits == 0;
    whole.then(|| length + usize::from(rest.get(length) == Some(&b'-')))
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
    fn shifted_runs_are_decoded_and_the_rest_is_kept() {
        check("+ADw-script+AD4-alert(1)+ADw-/script+AD4-", Some("<script>alert(1)</script>"));
        check("+ADwAcwBjAHIAaQBwAHQAPg-x", Some("<script>x"));
        check("a+AD0b", None);
        check("a+AD0 b", Some("a= b"));
        check("1+1 is C++ +49 170 +ABC- A+B", None);
        check("", None);
    }
}
