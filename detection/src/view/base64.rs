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

/// Runs of base64 that are looked for inside a value, and places in one run where it may begin.
const RUNS_MAX: usize = 4;
/// Shorter runs between other bytes are words.
const RUN_BYTES_MIN: usize = 16;
/// Runs that are probed before a value is taken for one that is full of long words.
const PROBES_MAX: usize = 64;

/// Runs of base64 inside a value that begin like text: behind `data=`, in a path, as one of several words.
pub(super) fn runs(source: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    let mut probes = 0;
    std::iter::from_fn(move || {
        loop {
            let run = next_run(source, &mut at)?;
            // A slash may belong to the run or stand before it.
            let starts = std::iter::once(0)
                .chain(memchr::memchr_iter(b'/', run).map(|slash| slash + 1))
                .take(RUNS_MAX);
            for start in starts {
                probes += 1;
                if probes > PROBES_MAX {
                    return None;
                }
                let rest = run.get(start..).unwrap_or_default();
                // One symbol too many belongs to what follows.
                let whole = rest.len() - usize::from(rest.len() % 4 == 1);
                if rest.len() >= RUN_BYTES_MIN && probe(rest) {
                    return rest.get(..whole);
                }
            }
        }
    })
    .take(RUNS_MAX)
}

/// The next run at or behind `at` that is long enough; one look in as many bytes as a run has finds it.
fn next_run<'a>(source: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    let is_symbol = |byte: &u8| SYMBOLS[usize::from(*byte)] < 64;
    loop {
        let rest = source.get(*at..)?;
        let window = rest.get(..RUN_BYTES_MIN)?;
        if let Some(stranger) = window.iter().rposition(|byte| !is_symbol(byte)) {
            *at += stranger + 1;
            continue;
        }
        let length = rest.iter().position(|byte| !is_symbol(byte)).unwrap_or(rest.len());
        *at += length;
        return rest.get(..length);
    }
}

/// Returns `true` if what `run` begins with decodes to text.
fn probe(run: &[u8]) -> bool {
    let mut head = [0; PROBE_BYTES + 1];
    for (quad, bytes) in run.chunks_exact(4).zip(head.chunks_exact_mut(3)) {
        let Some(bits) = bits(quad) else { return false };
        bytes.copy_from_slice(bits.to_be_bytes().get(..3).unwrap_or_default());
    }
    is_text(&head) || wide(&head).is_some()
}

/// The symbols of up to four bytes, from the top of the number on.
fn bits(quad: &[u8]) -> Option<u32> {
    let mut bits = 0_u32;
    for symbol in quad {
        let six = SYMBOLS[usize::from(*symbol)];
        if six > 63 {
            return None;
        }
        bits = (bits << 6) | u32::from(six);
    }
    Some(bits << (8 + 6 * (4 - quad.len().min(4))))
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
        let Some(bits) = bits(quad) else {
            out.truncate(start);
            return false;
        };
        out.extend_from_slice(bits.to_be_bytes().get(..quad.len() - 1).unwrap_or_default());
        let head = out.get(start..).unwrap_or_default();
        if nth * 3 == PROBE_BYTES / 3 * 3 && !is_text(head) && wide(head).is_none() {
            out.truncate(start);
            return false;
        }
    }
    let decoded = out.get(start..).unwrap_or_default();
    if let Some(letters) = wide(decoded) {
        narrow(out, start, letters);
        return true;
    }
    let text = is_text(decoded);
    if !text {
        out.truncate(start);
    }
    text
}

/// Position of the letters when the bytes are UTF-16 or UTF-32 of ASCII, as the encoded commands of PowerShell are.
#[derive(Debug, Clone, Copy)]
struct Letters {
    first: usize,
    step: usize,
}

fn wide(bytes: &[u8]) -> Option<Letters> {
    let zeros =
        |from: usize, step: usize| bytes.iter().skip(from).step_by(step).filter(|byte| **byte == 0).count();
    [2, 4].into_iter().find_map(|step| {
        let letters = bytes.len() / step;
        let is_pad = |at: usize| zeros(at, step) * 8 > letters * 7;
        let first = [0, step - 1].into_iter().find(|first| {
            zeros(*first, step) * 8 <= letters && (0..step).all(|at| at == *first || is_pad(at))
        })?;
        Some(Letters { first, step })
    })
}

/// Takes the other bytes of each letter out.
fn narrow(out: &mut Vec<u8>, start: usize, letters: Letters) {
    let (mut to, mut from) = (start, start + letters.first);
    while let Some(&letter) = out.get(from) {
        if let Some(slot) = out.get_mut(to) {
            *slot = letter;
        }
        to += 1;
        from += letters.step;
    }
    out.truncate(to);
}

/// Value of each symbol in either alphabet; 255 for what is none.
const SYMBOLS: [u8; 256] = {
    let mut table = [255; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => 255,
        };
        if byte == 255 {
            break;
        }
        byte += 1;
    }
    table
};

/// Text in other scripts: UTF-8 without control characters, the last character perhaps cut.
fn is_foreign(bytes: &[u8]) -> bool {
    let whole = std::str::from_utf8(bytes);
    let cut = whole.err().is_none_or(|error| error.error_len().is_none());
    cut && bytes.iter().all(|byte| *byte >= b' ' && *byte != 0x7f || byte.is_ascii_whitespace())
}

/// The value of a symbol.
pub(super) fn six_bits(symbol: u8) -> Option<u32> {
    let six = SYMBOLS[usize::from(symbol)];
    (six < 64).then_some(u32::from(six))
}

/// Returns `true` if percent coding stands nowhere but in place of symbols: `%2B`, `%2F`, `%3D`.
pub(super) fn is_percent_coded(source: &[u8]) -> bool {
    source.iter().all(|byte| SYMBOLS[usize::from(*byte)] < 64 || matches!(byte, b'%' | b'='))
}

/// Printable ASCII and white space; one byte, and one in sixteen, may be something else, so that a stray byte hides nothing.
fn is_text(bytes: &[u8]) -> bool {
    let odd = bytes.iter().filter(|byte| !matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')).count();
    odd <= 1 + bytes.len() / 16 || is_foreign(bytes)
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
        check(
            "PDxzY3IAaXB0L3NyYz1odHRwOi8vYS5leGFtcGxlL2IuanM+",
            Some("<<scr\0ipt/src=http://a.example/b.js>"),
        );
        check("L3N0YXRpYy9pbWcvLi4vLi4vZXRjL3Bhc3N3ZA==", Some("/static/img/../../etc/passwd"));
    }

    #[test]
    fn a_stray_byte_hides_nothing() {
        check("AGNhdCAvZXRjL3Bhc3N3ZA==", Some("\0cat /etc/passwd"));
        check("Y2F0AC9ldGMvcGFzc3dk", Some("cat\0/etc/passwd"));
    }

    #[test]
    fn wide_text_is_narrowed() {
        check("dwBoAG8AYQBtAGkAIAAvAGEAbABsAA==", Some("whoami /all"));
        check("AHcAaABvAGEAbQBp", Some("whoami"));
        check("dwAAAGgAAABvAAAAYQAAAG0AAABpAAAA", Some("whoami"));
        check("AAAAdwAAAGgAAABvAAAAYQAAAG0AAABp", Some("whoami"));
    }

    #[test]
    fn runs_are_found_inside_values() {
        let found = |value: &'static str| {
            let mut out = Vec::new();
            for run in runs(value.as_bytes()) {
                decode(run, &mut out);
                out.push(b'|');
            }
            String::from_utf8(out).expect("ASCII")
        };
        assert_eq!(found("x=PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+&y"), "<svg onload=alert(1)>|");
        assert_eq!(found("a/b/PHN2ZyBvbmxvYWQ9YWxlcnQoMSk/c"), "<svg onload=alert(1)?|");
        assert_eq!(found("powershell -enc dwBoAG8AYQBtAGkAIAAvAGEAbABsAA=="), "whoami /all|");
        assert_eq!(found("internationalization-of-administrators and uncharacteristically long words"), "");
        assert_eq!(found("short words only"), "");
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
