//! Base64 of text, standard and URL-safe, padded or not: the whole value, the payload of a `data:` URL, or Basic credentials.

/// Shorter values are words.
pub(super) const BYTES_MIN: usize = 12;
/// Enough bytes to tell text from an identifier that merely looks like base64.
const PROBE_BYTES: usize = 8;

/// Bytes in which the head of a `data:` URL ends.
const DATA_HEAD_BYTES_MAX: usize = 128;

/// The base64 payload behind a prefix, if `source` has one.
pub(super) fn payload(source: &[u8]) -> Option<&[u8]> {
    let source = source.trim_ascii_start();
    let scheme = source.get(..5)?;
    if scheme.eq_ignore_ascii_case(b"data:") {
        let head = source.get(..DATA_HEAD_BYTES_MAX).unwrap_or(source);
        let comma = memchr::memchr(b',', head)?;
        let (head, tail) = source.split_at_checked(comma)?;
        let coded = head.len().checked_sub(7).and_then(|at| head.get(at..))?.eq_ignore_ascii_case(b";base64");
        return coded.then(|| tail.get(1..))?;
    }
    let rest = source.get(5..).filter(|rest| rest.first() == Some(&b' '));
    rest.filter(|_| scheme.eq_ignore_ascii_case(b"basic"))
}

/// Appends the decoded `source` to `out` when it is base64 of text.
pub(super) fn decode(source: &[u8], out: &mut Vec<u8>) -> bool {
    let body = source.trim_ascii();
    let body = body.strip_suffix(b"==").or_else(|| body.strip_suffix(b"=")).unwrap_or(body);
    if body.len() < BYTES_MIN || body.len() % 4 == 1 {
        return false;
    }
    let start = out.len();
    for (nth, quad) in body.chunks(4).enumerate() {
        let mut bits = 0_u32;
        for symbol in quad {
            let Some(six) = six_bits(*symbol) else {
                out.truncate(start);
                return false;
            };
            bits = (bits << 6) | six;
        }
        let bytes = (bits << (6 * (4 - quad.len()))).to_be_bytes();
        out.extend_from_slice(bytes.get(1..quad.len()).unwrap_or_default());
        if nth * 3 == PROBE_BYTES / 3 * 3 && !is_text(out.get(start..).unwrap_or_default()) {
            out.truncate(start);
            return false;
        }
    }
    let text = is_text(out.get(start..).unwrap_or_default());
    if !text {
        out.truncate(start);
    }
    text
}

fn six_bits(symbol: u8) -> Option<u32> {
    Some(u32::from(match symbol {
        b'A'..=b'Z' => symbol - b'A',
        b'a'..=b'z' => symbol - b'a' + 26,
        b'0'..=b'9' => symbol - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

/// Printable ASCII and white space; one byte in sixteen may be something else, so that a stray byte hides nothing.
fn is_text(bytes: &[u8]) -> bool {
    let odd = bytes.iter().filter(|byte| !matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')).count();
    odd * 16 <= bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: Option<&str>) {
        let mut out = Vec::new();
        let decoded = decode(source.as_bytes(), &mut out);
        assert_eq!(decoded.then_some(out.as_slice()), expected.map(str::as_bytes), "{source}");
        assert!(decoded || out.is_empty());
    }

    #[test]
    fn text_is_decoded_in_every_alphabet() {
        check("PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+", Some("<svg onload=alert(1)>"));
        check("PHN2ZyBvbmxvYWQ9YWxlcnQoMSk-", Some("<svg onload=alert(1)>"));
        check("L3N0YXRpYy9pbWcvLi4vLi4vZXRjL3Bhc3N3ZA", Some("/static/img/../../etc/passwd"));
        check("L3N0YXRpYy9pbWcvLi4vLi4vZXRjL3Bhc3N3ZA==", Some("/static/img/../../etc/passwd"));
    }

    #[test]
    fn identifiers_are_not_text() {
        for value in
            ["a363b5e2683241a6cc185dee0c901e", "WqM1MSNuBMYabeBSNPJfFk8oAZUB", "administrator", "short", ""]
        {
            check(value, None);
        }
    }

    #[test]
    fn payloads_behind_prefixes() {
        assert_eq!(payload(b"data:text/html;base64,QUJD"), Some(&b"QUJD"[..]));
        assert_eq!(payload(b"Basic QUJD"), Some(&b" QUJD"[..]));
        assert_eq!(payload(b"nothing"), None);
    }
}
