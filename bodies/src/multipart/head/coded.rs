//! Coded file names: the extended form of RFC 8187 and the encoded words of RFC 2047.

/// `charset'language'percent-coded` of RFC 8187, decoded.
pub(super) fn extended_value(value: &[u8]) -> Option<Vec<u8>> {
    let mut parts = value.splitn(3, |byte| *byte == b'\'');
    let (charset, _, coded) = (parts.next()?, parts.next()?, parts.next()?);
    if !charset.eq_ignore_ascii_case(b"utf-8") {
        return None;
    }
    let mut out = Vec::with_capacity(coded.len());
    let mut rest = coded;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let (digits, after) = after.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        out.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after;
    }
    std::str::from_utf8(&out).is_ok().then_some(out)
}

/// `=?utf-8?B?base64?=` of RFC 2047, decoded.
pub(super) fn encoded_word(name: &[u8]) -> Option<Vec<u8>> {
    let inside = name.strip_prefix(b"=?")?.strip_suffix(b"?=")?;
    let mut parts = inside.split(|byte| *byte == b'?');
    let (charset, coding, coded) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || !charset.eq_ignore_ascii_case(b"utf-8") || !coding.eq_ignore_ascii_case(b"b")
    {
        return None;
    }
    let digits = coded.strip_suffix(b"==").or_else(|| coded.strip_suffix(b"=")).unwrap_or(coded);
    let mut out = Vec::with_capacity(digits.len());
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in digits {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xfff;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    Some(out)
}
