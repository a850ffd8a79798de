//! Folds what lenient decoders turn into ASCII: overlong UTF-8, full-width forms, and the best-fit look-alikes of separators,
//! quotes and angle brackets that Windows code pages map.

use super::rewrite::{Replacement, Step, rewrite};

/// Appends the folded `source` to `out`. `false` when there is nothing to fold.
pub(super) fn fold(source: &[u8], out: &mut Vec<u8>) -> bool {
    let next = |rest: &[u8]| rest.iter().position(|byte| !byte.is_ascii());
    rewrite(source, out, next, |marked| match sequence(marked) {
        (Some(byte), taken) => Step::Replace(taken, Replacement::byte(byte)),
        (None, taken) => Step::Keep(taken),
    })
}

/// The ASCII byte that the sequence at the start of `rest` stands for, if any, and how many bytes it takes.
fn sequence(rest: &[u8]) -> (Option<u8>, usize) {
    let low = |byte: &u8| u32::from(byte & 0x3f);
    let follows = |byte: &u8| (0x80..0xc0).contains(byte);
    match rest {
        // Two bytes where one would do. A decoder that masks blindly takes any second byte.
        [0xc0, second, ..] if *second < 0x80 => (Some(*second), 2),
        [lead @ (0xc0 | 0xc1), second, ..] if follows(second) => {
            (Some(((lead & 1) << 6) | (second & 0x3f)), 2)
        }
        [0xe0, second @ 0x80..=0x81, third, ..] if follows(third) => {
            (Some((((second & 1) << 6) | (third & 0x3f)) & 0x7f), 3)
        }
        [0xf0, 0x80, third @ 0x80..=0x81, fourth, ..] if follows(fourth) => {
            (Some((((third & 1) << 6) | (fourth & 0x3f)) & 0x7f), 4)
        }
        [0xf0, second, third, fourth, ..] if follows(second) && follows(third) && follows(fourth) => {
            (letter((low(second) << 12) | (low(third) << 6) | low(fourth)), 4)
        }
        [lead @ 0xe0..=0xef, second, third, ..] if follows(second) && follows(third) => {
            (look_alike((u32::from(lead & 0x0f) << 12) | (low(second) << 6) | low(third)), 3)
        }
        [lead @ 0xc2..=0xdf, second, ..] if follows(second) => {
            (look_alike((u32::from(lead & 0x1f) << 6) | low(second)), 2)
        }
        _ => (None, 1),
    }
}

/// Mathematical letters and digits, which compatibility normalization turns into the plain ones.
fn letter(code_point: u32) -> Option<u8> {
    match code_point {
        0x1d400..=0x1d6a3 => {
            let nth = ((code_point - 0x1d400) % 52) as u8;
            Some(if nth < 26 { b'A' + nth } else { b'a' + nth - 26 })
        }
        0x1d7ce..=0x1d7ff => Some(b'0' + ((code_point - 0x1d7ce) % 10) as u8),
        _ => None,
    }
}

/// Best-fit ASCII of a code point. Typographic quotes and dashes are left out: the code pages hold them as they are.
fn look_alike(code_point: u32) -> Option<u8> {
    Some(match code_point {
        0xff01..=0xff5e => (code_point - 0xff01 + 0x21) as u8,
        0x2215 | 0x2044 | 0x29f8 | 0xefc8 => b'/',
        0x2216 | 0x29f5 | 0xfe68 | 0xf025 => b'\\',
        0x2024 | 0xfe52 => b'.',
        0x02b9 | 0x02bc | 0x2032 => b'\'',
        0x02ba | 0x2033 => b'"',
        0x2329 | 0x3008 | 0xfe64 => b'<',
        0x232a | 0x3009 | 0xfe65 => b'>',
        0xfe5b => b'{',
        0xfe5c => b'}',
        0xfe69 => b'$',
        0x037e | 0xfe54 => b';',
        0xfe55 => b':',
        0x3000 => b' ',
        // Letters that are ASCII in another case, and letters in circles.
        0x017f => b's',
        0x212a => b'k',
        0x24b6..=0x24cf => (code_point - 0x24b6) as u8 + b'A',
        0x24d0..=0x24e9 => (code_point - 0x24d0) as u8 + b'a',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::fold;

    fn check(source: &[u8], expected: Option<&str>) {
        let mut out = Vec::new();
        let changed = fold(source, &mut out);
        assert_eq!(changed.then_some(out.as_slice()), expected.map(str::as_bytes), "{source:x?}");
        assert!(changed || out.is_empty());
    }

    #[test]
    fn ascii_in_disguise_is_found() {
        check(b"\xc0\xae\xc0\xae\xc0\xaf", Some("../"));
        check(b"\xc1\x9c", Some("\\"));
        check(b"\xc0\x2e\xc0\x5c", Some(".\\"));
        check(b"\xe0\x80\xaf\xf0\x80\x80\xae", Some("/."));
        check("＜script＞".as_bytes(), Some("<script>"));
        check("a\u{2215}b".as_bytes(), Some("a/b"));
        check("\u{1d4c8}c\u{24e1}ipt \u{17f}elect \u{1d7cf}".as_bytes(), Some("script select 1"));
    }

    #[test]
    fn other_text_is_kept() {
        check("Grüße aus 北京, “quoted” – don’t 🙂".as_bytes(), None);
        check(b"\xff\xfe\xc3", None);
    }
}
