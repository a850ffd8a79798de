//! Character references of HTML.

/// Named references that hide schemes and code, in lower case.
const NAMED: &[(&[u8], u32)] = &[
    (b"tab", 9),
    (b"newline", 10),
    (b"colon", 58),
    (b"lpar", 40),
    (b"rpar", 41),
    (b"sol", 47),
    (b"equals", 61),
    (b"lt", 60),
    (b"gt", 62),
    (b"quot", 34),
    (b"apos", 39),
    (b"grave", 96),
    (b"nbsp", 32),
    (b"shy", 0),
    (b"zerowidthspace", 0),
    (b"period", 46),
    (b"comma", 44),
    (b"semi", 59),
    (b"amp", 38),
];

/// A character reference at the beginning of `text` (which starts with `&`), with or without its semicolon.
pub fn reference(text: &[u8]) -> Option<(u32, usize)> {
    if text.get(1) == Some(&b'#') {
        let (radix, start) = if matches!(text.get(2), Some(b'x' | b'X')) { (16, 3) } else { (10, 2) };
        let mut value = 0u32;
        let mut end = start;
        // Browsers take any number of leading zeros; thirty-two are enough to tell.
        while end < start + 32
            && let Some(digit) = text.get(end).and_then(|&byte| char::from(byte).to_digit(radix))
        {
            value = value.saturating_mul(radix).saturating_add(digit);
            end += 1;
        }
        if end == start {
            return None;
        }
        return Some((value, end + usize::from(text.get(end) == Some(&b';'))));
    }
    let name = text.get(1..)?;
    let letters = name.iter().take(16).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = name.get(..letters)?;
    let closed = usize::from(name.get(letters) == Some(&b';'));
    // Without a semicolon only the old short names count.
    NAMED
        .iter()
        .find(|(known, _)| word.eq_ignore_ascii_case(known))
        .filter(|(known, _)| closed == 1 || known.len() <= 2)
        .map(|&(_, value)| (value, 1 + letters + closed))
}
