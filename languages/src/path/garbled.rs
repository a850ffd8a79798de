//! Paths whose dots and separators are escapes that nothing decodes to the letter: overlong and broken UTF-8, percent signs
//! with no number behind them, control characters. Lenient decoders make dots and slashes of them, each of its own kind, so
//! any of them may be either.

/// Bytes of a value that are read.
const VALUE_BYTES_MAX: usize = 2048;

/// The path that is left when everything that cannot be decoded is a separator; nothing where all can.
pub fn names(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() > VALUE_BYTES_MAX {
        return None;
    }
    let mut path = Vec::with_capacity(bytes.len() + 1);
    let (mut rest, mut is_garbled) = (bytes, false);
    while !rest.is_empty() {
        let (text, length) = match std::str::from_utf8(rest) {
            Ok(_) => (rest, 0),
            Err(fault) => {
                let valid = rest.get(..fault.valid_up_to()).unwrap_or_default();
                (valid, fault.error_len().unwrap_or(rest.len() - valid.len()))
            }
        };
        is_garbled |= escapes(text, &mut path);
        if length > 0 {
            is_garbled = true;
            path.push(b'/');
        }
        rest = rest.get(text.len() + length..).unwrap_or_default();
    }
    let is_led = path.first().is_some_and(|byte| !byte.is_ascii_alphanumeric());
    let names = rooted(&path);
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_');
    let is_path = is_led || memchr::memchr_iter(b'/', &names).count() > 1;
    (is_garbled && is_path && names.iter().all(is_plain)).then_some(names)
}

/// Copies text with its undecodable escapes as separators, and says whether there were any.
fn escapes(text: &[u8], path: &mut Vec<u8>) -> bool {
    let mut rest = text;
    let mut found = false;
    while let Some((&byte, after)) = rest.split_first() {
        let width = match (byte, after) {
            (b'%', [b'u' | b'U', a, b, c, d, ..])
                if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) =>
            {
                6
            }
            (b'%', [a, b, ..]) if !(a.is_ascii_hexdigit() && b.is_ascii_hexdigit()) => 3,
            (0..=0x1f | 0x7f, _) => 1,
            _ => 0,
        };
        found |= width > 0;
        path.push(if width > 0 { b'/' } else { byte });
        rest = rest.get(width.max(1)..).unwrap_or_default();
    }
    found
}

/// The path behind all names without a letter or digit, from the root.
fn rooted(path: &[u8]) -> Vec<u8> {
    let is_name = |name: &&[u8]| name.iter().any(u8::is_ascii_alphanumeric);
    let mut out = Vec::with_capacity(path.len() + 1);
    for name in path.split(|byte| matches!(byte, b'/' | b'\\')).filter(is_name) {
        out.push(b'/');
        out.extend_from_slice(name);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn what_cannot_be_decoded_separates() {
        for (value, path) in [
            (&b"..\xc0%9v..\xc0%9vetc\xc0%9vpasswd"[..], &b"/etc/passwd"[..]),
            (b"\xc0\xfe\xc0\xfe\xc1%8setc\xc1%8sissue", b"/etc/issue"),
            (b"?.\xc1\x1c?.\xc1\x1cboot.ini", b"/boot.ini"),
            (b"%u2215..%u2216etc%2>shadow", b"/etc/shadow"),
        ] {
            assert_eq!(names(value).as_deref(), Some(path), "{}", value.escape_ascii());
        }
        for value in [
            &b"../../etc/passwd"[..],
            "größe/straße".as_bytes(),
            b"100 %",
            b"passwd%20%E6%98%AF",
            b"passwd\xff",
        ] {
            assert_eq!(names(value), None, "{}", value.escape_ascii());
        }
    }
}
