//! Letters and digits in disguise: enclosed, superscript, full-width forms and other full stops, which host names are
//! cleaned of before they are looked up (UTS 46).

/// Longest host that is folded.
pub(super) const HOST_BYTES_MAX: usize = 160;

/// Folds `host` to ASCII; `None` when something else stands in it or it is too long. Says whether anything was folded.
pub(super) fn fold<'a>(host: &[u8], buffer: &'a mut [u8; HOST_BYTES_MAX]) -> Option<(&'a [u8], bool)> {
    let mut length = 0;
    let mut folded = false;
    let mut put = |byte: u8| {
        if let Some(slot) = buffer.get_mut(length) {
            *slot = byte.to_ascii_lowercase();
            length += 1;
            true
        } else {
            false
        }
    };
    for character in std::str::from_utf8(host).ok()?.chars() {
        let fits = match character {
            '\0'..='\x7f' => put(character as u8),
            _ => {
                folded = true;
                let (tens, ones) = meant(character)?;
                tens.is_none_or(&mut put) && put(ones)
            }
        };
        if !fits {
            return None;
        }
    }
    Some((buffer.get(..length)?, folded))
}

/// What a character stands for: one ASCII character, or two digits.
fn meant(character: char) -> Option<(Option<u8>, u8)> {
    let code = u32::from(character);
    let from = |first: u32, base: u8| Some((None, base + u8::try_from(code - first).ok()?));
    let number = |value: u32| {
        let digit = |value: u32| u8::try_from(value).ok().map(|value| b'0' + value);
        Some(((value >= 10).then(|| digit(value / 10)).flatten(), digit(value % 10)?))
    };
    match code {
        0x3002 | 0xff0e | 0xff61 | 0x2024 => Some((None, b'.')),
        0xff01..=0xff5e => from(0xff01, b'!'),
        0x2460..=0x2473 => number(code - 0x2460 + 1),
        0x2474..=0x2487 => number(code - 0x2474 + 1),
        0x24eb..=0x24f4 => number(code - 0x24eb + 11),
        0x24f5..=0x24fe => number(code - 0x24f5 + 1),
        0x2776..=0x277f => number(code - 0x2776 + 1),
        0x2780..=0x2789 => number(code - 0x2780 + 1),
        0x278a..=0x2793 => number(code - 0x278a + 1),
        0x24ea | 0x24ff => number(0),
        0x249c..=0x24b5 => from(0x249c, b'a'),
        0x24b6..=0x24cf => from(0x24b6, b'a'),
        0x24d0..=0x24e9 => from(0x24d0, b'a'),
        0x2070 | 0x2074..=0x2079 => number(code - 0x2070),
        0x2080..=0x2089 => number(code - 0x2080),
        0xb9 => number(1),
        0xb2 | 0xb3 => number(code - 0xb0),
        0x1d7ce..=0x1d7ff => number((code - 0x1d7ce) % 10),
        _ => None,
    }
}
